// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hints tell the user to write: options of the command line, or arguments
// of the CMake function that calls fusec.
#ifndef FUSEC_COMPILER_IMPORT_HINTS_H
#define FUSEC_COMPILER_IMPORT_HINTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fusec {

/// Where the user chooses options.
enum class HintStyle {
  Shell, ///< "--dim batch=4"
  CMake, ///< "DIM batch=4", of fusec_add_model
};

/// The name of an option: "--dim" or "DIM".
std::string optionName(HintStyle style, llvm::StringRef option);

/// An option with values that it is given, each one word to who reads it:
/// "--dim n=N --dim 'a b=N'" or "DIM n=N \"a b=N\""; empty if there are none.
std::string optionText(HintStyle style, llvm::StringRef option,
                       llvm::ArrayRef<std::string> values);

/// "add " and such texts; who reads it may not see what called fusec.
std::string addHint(HintStyle style, llvm::ArrayRef<std::string> options);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_HINTS_H
