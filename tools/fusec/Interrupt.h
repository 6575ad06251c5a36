// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When long work is to be given up: after ^C, in commands that keep what they
// have done so far, and when their time is over.
#ifndef FUSEC_TOOLS_FUSEC_INTERRUPT_H
#define FUSEC_TOOLS_FUSEC_INTERRUPT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fusec::tool {

/// From now on ^C does not end the program.
void watchInterrupts();
/// Whether it was pressed since then. Programs that were started may have got
/// it, too: what fails then says nothing.
bool isInterrupted();

/// When the time is over; nothing: never.
void setDeadline(std::optional<std::chrono::steady_clock::time_point> when);
/// Whether long work is to be given up.
bool mustStop();

/// What ends the program where work is given up that nothing can stop: it says
/// what was done, and returns the exit code.
void setFarewell(std::function<int()> farewell);

/// Does `work`, which may be long and asks nobody whether it must stop. Where
/// there is a farewell, and mustStop() before the work is done, this does not
/// return: after the farewell the program ends, with `work` as far as it is and
/// the folders removed that it was writing aside.
void doUntilStopped(llvm::function_ref<void()> work);

/// Runs a program, its output in the file `log`, and returns its exit code;
/// less than 0 where it could not be run or crashed, or when it must stop.
int runProgram(const std::vector<std::string> &arguments,
               const std::string &log);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_INTERRUPT_H
