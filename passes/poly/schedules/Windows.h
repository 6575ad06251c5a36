// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements that read what another statement makes at several places at once:
// by a window. isl's scheduler takes all that one of them reduces, and what it
// begins with, as one instance, or it would run the window's iterators askew,
// so that each term followed the value that it reads.
#ifndef FUSEC_PASSES_POLY_SCHEDULES_WINDOWS_H
#define FUSEC_PASSES_POLY_SCHEDULES_WINDOWS_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// The statements of a scop with their windows taken as one.
class Windows {
public:
  explicit Windows(const PolyScop &scop);

  /// Whether a statement reads an array that the scop writes at another place
  /// than where the iterators are: by a window or at an offset.
  bool areThere() const { return found; }

  /// { s[i] -> t[j] } becomes { s[i'] -> t[j'] }, i' being i without such
  /// iterators; what is within one instance is left out.
  isl::union_map collapse(const isl::union_map &dependences) const;
  isl::union_set collapse(const isl::union_set &domain) const;

  /// A schedule of these, for all instances: windows are loops at its leaves.
  isl::schedule expand(const isl::schedule &schedule) const;

private:
  isl::schedule_node insertLoops(isl::schedule_node leaf) const;
  isl::schedule_node insertBelow(isl::schedule_node node) const;

  const PolyScop &scop;
  /// { s[i] -> s[i'] }
  isl::union_map collapsed;
  /// The iterators that are collapsed, for each statement: reduced ones along
  /// which no other statement runs.
  std::map<std::string, llvm::SmallVector<unsigned>> iterators;
  bool found = false;
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_SCHEDULES_WINDOWS_H
