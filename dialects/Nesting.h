// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How deeply the brackets of a text are nested: parsers that call themselves
// for each of them would run out of stack.
#ifndef FUSEC_DIALECTS_NESTING_H
#define FUSEC_DIALECTS_NESTING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace fusec {

/// The position of the first bracket of `text`, which is MLIR's or JSON, that
/// lies in more than kMaxNesting others; none if there is none. Strings and
/// comments have no brackets.
std::optional<size_t> findTooDeep(llvm::StringRef text);

/// "has brackets nested more than N deep"
std::string describeTooDeep();

/// As llvm::json::parse, but refuses text that is nested too deeply.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace fusec

#endif // FUSEC_DIALECTS_NESTING_H
