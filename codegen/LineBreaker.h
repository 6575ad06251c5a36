// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a line of C++ that is too long breaks: where a person would break it.
#ifndef FUSEC_CODEGEN_LINEBREAKER_H
#define FUSEC_CODEGEN_LINEBREAKER_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace fusec::codegen {

/// The lines of one statement or declaration, which begins in column `indent`;
/// each has at most `columns` characters as far as there is a place to break.
/// What binds weakest breaks first: after commas, before operators. What goes
/// on in the next line stands below its beginning, or four columns further in.
std::vector<std::string> breakLines(llvm::StringRef text, size_t indent,
                                    size_t columns);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_LINEBREAKER_H
