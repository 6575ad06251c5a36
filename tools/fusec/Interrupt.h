// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ^C in commands that keep what they have done so far.
#ifndef FUSEC_TOOLS_FUSEC_INTERRUPT_H
#define FUSEC_TOOLS_FUSEC_INTERRUPT_H

namespace fusec::tool {

/// From now on ^C does not end the program.
void watchInterrupts();
/// Whether it was pressed since then. Programs that were started have got it,
/// too: what fails then says nothing.
bool isInterrupted();

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_INTERRUPT_H
