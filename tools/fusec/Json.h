// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --json prints: one object, also where a command fails.
#ifndef FUSEC_TOOLS_FUSEC_JSON_H
#define FUSEC_TOOLS_FUSEC_JSON_H

#include "compiler/Diagnostics.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/TestData.h"

#include "llvm/Support/JSON.h"

namespace fusec::tool {

/// Prints `problems` to people, in groups with some or `all` of their nodes,
/// and keeps them for printErrorAsJson. Several threads may do so at a time.
void say(llvm::ArrayRef<Problem> problems, bool all = false);
/// The same, with remarks and warnings.
void say(const Diagnostics &diagnostics);

/// Prints the object that `members` fills, on a line of its own.
void printAsJson(llvm::function_ref<void(llvm::json::OStream &)> members);
/// Prints `text`, which is an object.
void printAsJson(llvm::StringRef text);

/// Prints an object with all that was said, unless one has been printed: who
/// asked for --json gets one from a command that fails, too.
void printErrorAsJson(int exitCode);

/// A member with six digits: more are noise. JSON has no infinity: an error
/// that large is null.
void addNumber(llvm::json::OStream &json, llvm::StringRef name, double value);

/// The members passed, max_abs_error and max_ulp; null without a verdict.
void addVerdict(llvm::json::OStream &json,
                const std::optional<Verdict> &verdict);

/// The member lower_precision, if the model has products of one.
void addLowered(llvm::json::OStream &json, const EmittedModel &model);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_JSON_H
