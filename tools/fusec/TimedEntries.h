// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What commands that time a model do for each of its entries.
#ifndef FUSEC_TOOLS_FUSEC_TIMEDENTRIES_H
#define FUSEC_TOOLS_FUSEC_TIMEDENTRIES_H

#include "compiler/CompileOptions.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/Json.h"

namespace fusec::tool {

/// What was found out about a model of one shape.
template <class Result> struct TimedEntry {
  std::string entry; ///< empty where the model has one
  Result result;
};

/// Refuses inputs of a model of several shapes: `hasInputs` says whether some
/// were given. Throws UsageError.
inline void requireOneShape(const CompileOptions &options, bool hasInputs) {
  if (options.hasEntries() && hasInputs)
    throw UsageError{"--input has one shape, and all entries are timed; leave "
                     "it out, or all but one extent of each dimension"};
}

/// Calls `time` with the options of each shape and what to fill in, until one
/// does not end well.
template <class Result>
ExitCode timeEntries(
    const CompileOptions &options, std::vector<TimedEntry<Result>> &all,
    llvm::function_ref<ExitCode(const CompileOptions &, TimedEntry<Result> &)>
        time) {
  for (auto [number, shape] : llvm::enumerate(options.forEachShape())) {
    TimedEntry<Result> &timed = all.emplace_back();
    if (options.hasEntries())
      timed.entry = describeEntry(options.symbols, options.entries[number]);
    if (ExitCode code = time(shape, timed); code != kExitFine)
      return code;
  }
  return kExitFine;
}

/// Prints the one result, or an object with the name of each entry; `add` adds
/// the attributes of a result.
template <class Result>
void printEntries(
    const std::vector<TimedEntry<Result>> &all,
    llvm::function_ref<void(llvm::json::OStream &, const Result &)> add) {
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    if (all.front().entry.empty())
      return add(json, all.front().result);
    json.attributeArray("entries", [&] {
      for (const TimedEntry<Result> &timed : all)
        json.object([&] {
          json.attribute("entry", llvm::json::fixUTF8(timed.entry));
          add(json, timed.result);
        });
    });
  });
}

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TIMEDENTRIES_H
