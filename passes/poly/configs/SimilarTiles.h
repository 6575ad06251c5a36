// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of a GPU whose threads have points of their own, by the hundred: those
// that differ in their sizes alone.
#ifndef FUSEC_PASSES_POLY_CONFIGS_SIMILARTILES_H
#define FUSEC_PASSES_POLY_CONFIGS_SIMILARTILES_H

#include "passes/poly/arrays/Locals.h"
#include "passes/poly/tree/OuterBand.h"

namespace fusec::poly {

/// What was found of some tiles of a contraction, for those that are like them:
/// which have the same loops, with other numbers of iterations. Whether these
/// keep all dependences, and which arrays are local, is the same; how much
/// memory they take follows from their sizes. Whoever takes one proves it by
/// itself.
class SimilarTiles {
public:
  SimilarTiles(const PolyScop &poly, const isl::schedule &schedule);

  /// What settling a config comes to.
  struct Result {
    /// Why it does not fit; empty if it does.
    std::string refusal;
    int64_t workspace = 0;
  };
  /// Nothing where none like `config` is known.
  std::optional<Result> find(sched::ConfigAttr config) const;
  /// Remembers `config`, which fits, with the arrays that are local then.
  void add(sched::ConfigAttr config, llvm::ArrayRef<LocalMark> marks,
           int64_t workspace);

private:
  struct Known {
    std::vector<LocalArray> locals;
    int64_t workspace;
  };
  using Kind = std::vector<int64_t>;

  /// The iterator of the loop of the reduction that has blocks.
  std::optional<unsigned> getReduced(sched::ConfigAttr config) const;
  std::optional<Kind> getKind(sched::ConfigAttr config) const;
  std::optional<LocalArray> resize(LocalArray local,
                                   sched::ConfigAttr config) const;

  mutable sched::ScopOp scop;
  mutable sched::StmtOp stmt;
  OuterBand band;
  /// The iterator of the outermost loop of the reduction.
  std::optional<unsigned> reduced;
  std::map<Kind, Known> known;
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_SIMILARTILES_H
