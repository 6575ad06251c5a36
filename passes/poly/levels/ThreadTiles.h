// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of a GPU: the points of a tile as loops over the threads of a block and
// over the points of each, inside of what the block shares of a reduction.
#ifndef FUSEC_PASSES_POLY_LEVELS_THREADTILES_H
#define FUSEC_PASSES_POLY_LEVELS_THREADTILES_H

#include "dialects/TargetInfo.h"
#include "passes/poly/tree/OuterBand.h"

namespace fusec::poly {

/// Threads that a block has along each member of the outer band.
llvm::SmallVector<int64_t> countThreads(sched::ConfigAttr config);

/// Why the threads of a block do not have the points that `config` says they
/// have; empty if they do.
std::string findPointMisfit(sched::ConfigAttr config);

/// The member along which the points of a thread are apart.
unsigned getStridedMember(sched::ConfigAttr config);

/// Members of the outer band that the rows and the columns of matrices are of.
struct MatrixMembers {
  unsigned rows, columns;
};

/// Those of a config that multiplies matrices; nothing where its tile has not
/// two dimensions.
std::optional<MatrixMembers> findMatrixMembers(sched::ConfigAttr config);

/// The iterator along which the terms of matrices lie, with iterator `rows`
/// along their rows: the innermost one that `stmt` reduces, if what it reads of
/// a row has them side by side.
std::optional<unsigned> findMatrixTerms(sched::StmtOp stmt, unsigned rows);

/// Why `target` does not multiply the matrices of `config`, which says that it
/// does; empty if it does. `band` is the outer band, where it is known.
std::string findMatrixMisfit(const TargetInfo &target, sched::ConfigAttr config,
                             const OuterBand *band = nullptr);

/// The proposed tree with the tiles of `config`, which says what points a
/// thread has: blocks of the reduction, then loops over threads, what is left
/// of the reduction, and loops over points. Null, with why in `refusal`, where
/// more stands below the outer band than reductions and single statements.
isl::schedule tileForPoints(const PolyScop &poly, const isl::schedule &schedule,
                            sched::ConfigAttr config, std::string &refusal);

/// The loops of such a tree at and below `node`, one by one: of threads, of
/// their points, and of the reduction as far as the config unrolls it, under
/// marks. Returns the node at its place.
isl::schedule_node mapThreadTiles(const PolyScop &poly, isl::schedule_node node,
                                  sched::ConfigAttr config,
                                  llvm::ArrayRef<unsigned> order);

/// Statement instance, in its domain or not -> number of its thread, of the
/// nests of loops below `node` that threads share.
isl::union_pw_aff getThreadNumbers(const isl::schedule_node &node);

/// The topmost loops of threads at and below `node`, by their marks.
std::vector<isl::schedule_node> findThreadNests(const isl::schedule_node &node);

/// Whether `band` runs over something that a statement in it reduces.
bool runsOverReduction(const PolyScop &poly, const isl::schedule_node &band);

/// Statement name -> the iterators that `band`, a loop of threads or of points,
/// runs over, also inside of divisions.
std::map<std::string, llvm::SmallVector<unsigned>>
getTiledIterators(const isl::schedule_node_band &band);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_THREADTILES_H
