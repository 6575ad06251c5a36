// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fusec bench found out, for people and as JSON.
#ifndef FUSEC_TOOLS_FUSEC_BENCHRESULT_H
#define FUSEC_TOOLS_FUSEC_BENCHRESULT_H

#include "runtime/fast_run/Profile.h"
#include "tools/fusec/Executable.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

/// What was timed of something on one side.
struct Side {
  RunTimes ms;
  std::vector<double> all; ///< of each round
};

/// How long something took on the sides that were timed.
struct SidePair {
  std::optional<Side> heuristic, tuned;
  /// The heuristic side once more, where there are two that differ.
  std::optional<Side> again;
  /// Whether both sides are the same code.
  bool isSame = false;

  bool isCompared() const { return heuristic && tuned; }
  /// Of the tuned side with the heuristic one.
  fast_run::Comparison compare() const;
  /// Above 1, tuning helps; NaN where there is one side.
  double getRatio() const;
  /// How far a ratio may be from 1 by chance; NaN where nothing differs.
  double getChance() const;
  /// "faster", "slower", "none" or "same"; empty where there is one side.
  llvm::StringRef getVerdict() const;
  /// The wider one.
  double getSpread() const;
  bool isUnstable() const;
};

struct GroupRow {
  std::string name;
  SidePair times;
  /// What is taken of it on the tuned side, and why that is the default where
  /// the caches say nothing.
  std::string algorithm = "default", miss;
};

/// What was found out about a model.
struct BenchResult {
  /// By key, the slowest first.
  llvm::MapVector<std::string, GroupRow, std::map<std::string, unsigned>>
      groups;
  SidePair model;
};

/// A row for each kernel, one for the model, and what that means.
void printTable(const BenchResult &result, llvm::raw_ostream &os);
/// The members of `pair`.
void addSides(llvm::json::OStream &json, const SidePair &pair);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_BENCHRESULT_H
