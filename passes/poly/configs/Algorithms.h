// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ways in which fusec can make a group's kernel, for who wants to see or to
// measure them.
#ifndef FUSEC_PASSES_POLY_CONFIGS_ALGORITHMS_H
#define FUSEC_PASSES_POLY_CONFIGS_ALGORITHMS_H

#include "dialects/sched/SchedOps.h"

#include <string>
#include <vector>

namespace fusec::poly {

struct Algorithm {
  /// Unique in its group, among those for one instruction set.
  std::string name;
  /// Of those that the target tiles for the one that it is listed for; empty
  /// where all of them have the same list.
  std::string isa;
  /// Which loops there are, whatever their sizes, of those that the schema of
  /// fusec algos lists.
  std::string family;
  /// With the lanes of each statement: a fusec.lock takes it.
  sched::ConfigAttr config;
  /// Whether it is the program's order, a point at a time: always right.
  bool naive = false;
  /// Whether it gives the same bits however many threads there are.
  bool reproducible = true;
  /// Whether the order of its sums depends on the extents alone that they run
  /// over, so that a row has the same sums in each batch.
  bool batchInvariant = true;
  /// Bytes that a launch needs besides operands and results.
  int64_t workspace = 0;
  /// Nanoseconds that one core is expected to take; for comparisons in a group.
  double predicted = 0;
};

struct RefusedAlgorithm {
  std::string name, reason;
  std::string isa = {};
};

struct Algorithms {
  /// Of each instruction set the default first; the naive one last.
  std::vector<Algorithm> algorithms;
  std::vector<RefusedAlgorithm> refused;
};

/// Lists the algorithms of `scop`, which has a schedule and no config yet.
/// Fails with an error at the scop if its schedule is not of its statements.
mlir::FailureOr<Algorithms> listAlgorithms(sched::ScopOp scop);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_ALGORITHMS_H
