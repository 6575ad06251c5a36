// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sched.scop as isl sets and relations.
//
// Tuples: a statement instance is `stmt[i, j]` (the statement's symbol name, or
// `sN` where statements are numbered); an array element is `mN[a, b]`, N the
// number of the scop's block argument.
#ifndef FUSEC_PASSES_POLY_TREE_POLYSCOP_H
#define FUSEC_PASSES_POLY_TREE_POLYSCOP_H

#include "dialects/sched/SchedOps.h"
#include "passes/poly/tree/Isl.h"

#include "mlir/Pass/AnalysisManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <memory>

namespace fusec::poly {

/// A statement and its place in the relations.
struct PolyStmt {
  mutable sched::StmtOp op;
  std::string name;
  /// Any instance as isl writes it, "mac[i0, i1]".
  std::string instance;
  isl::set domain;
};

/// Dependences between statement instances, source -> sink.
struct Dependences {
  /// Read after write, by exact dataflow.
  isl::union_map flow;
  /// Write after read and write after write on one element.
  isl::union_map storage;
  /// The part of both that a reduction has with itself: its order is free,
  /// unless the scop is `ordered` and its results are floats, but
  /// two instances may not run at once.
  isl::union_map reduction;

  isl::union_map all() const { return flow.unite(storage); }
  /// What keeps a loop from being parallel unless it is a reduction's.
  isl::union_map withoutReductions() const { return all().subtract(reduction); }
};

/// Number of an array -> { stmt[i] -> [copy] }.
using Copies = std::map<unsigned, isl::union_map>;

/// What follows from the statements alone, whatever their schedule, as far as
/// it has been asked for.
struct KnownFlows {
  /// Number of an array -> the flow through it.
  std::map<unsigned, isl::union_map> flows;
  /// Without copies.
  std::optional<Dependences> dependences;
};

/// isl with what it has found of scops by their statements alone: scops with
/// the same statements, such as the variants of a group, share it. Nothing
/// makes it stale: statements that change are others.
class PolyContext : public IslContext {
public:
  /// Forgets all: after isl was stopped.
  void renew();

  std::shared_ptr<KnownFlows> getKnown(sched::ScopOp scop);

private:
  /// By all that relations are made of.
  std::map<std::vector<const void *>, std::shared_ptr<KnownFlows>> known;
};

/// The contexts of a module's scops, one for each group, so that threads may
/// work on several groups at once. An analysis: passes share it.
class PolyContexts {
public:
  explicit PolyContexts(mlir::Operation *module) {}
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) const {
    return false;
  }

  PolyContext &get(sched::ScopOp scop);

private:
  std::map<std::string, PolyContext> contexts; ///< by the group's name
};

class PolyScop {
public:
  /// Asks `context` for what follows from the statements.
  PolyScop(PolyContext &context, sched::ScopOp scop);

  /// isl goes through sets by the hash of their names, and so decides ties by
  /// them. Where it decides, statements are `numbered`: equal scops get equal
  /// schedules, whatever their statements are called.
  PolyScop(isl::ctx context, sched::ScopOp scop, bool numbered = false);

  sched::ScopOp getOp() const { return scop; }
  isl::ctx getContext() const { return context; }
  llvm::ArrayRef<PolyStmt> getStmts() const { return stmts; }
  const PolyStmt &getStmt(llvm::StringRef name) const;

  /// { stmt[i] : 0 <= i < extent }
  isl::union_set getDomain() const { return domain; }
  /// { stmt[i] -> mN[map(i)] }, within the bounds of `array`, which is mN;
  /// data-dependent subscripts cover the whole dimension.
  isl::union_map getReads(mlir::Value array) const;
  isl::union_map getWrites(mlir::Value array) const;
  /// { stmt[i] -> [position, i, 0...] }: program order.
  isl::union_map getProgramOrder() const;

  /// A schedule of numbered statements, for statements by their names.
  isl::schedule toNamed(const isl::schedule &schedule) const;

  /// Number of the block argument `memref`, the N of its tuple.
  static unsigned getNumber(mlir::Value memref) {
    return llvm::cast<mlir::BlockArgument>(memref).getArgNumber();
  }

  /// The dependences of the program order. An array in `copies` has one for
  /// every point that its map sends statement instances to: only accesses to
  /// one copy have to keep their order. Values flow as in the program.
  Dependences getDependences(const Copies &copies) const;
  const Dependences &getDependences() const;
  /// The same of a scop that is `ordered`, whether or not this one is.
  Dependences getOrderedDependences() const;

  /// The part of their flow that passes through `array`.
  isl::union_map getFlow(mlir::BlockArgument array) const;

private:
  void findShared();
  isl::union_map findFlow(mlir::Value array) const;
  /// Through all arrays.
  isl::union_map getFlow() const;
  isl::union_map
  accesses(bool write, llvm::function_ref<bool(mlir::Value)> isAskedFor) const;

  isl::ctx context;
  mutable sched::ScopOp scop;
  std::vector<PolyStmt> stmts;
  isl::union_set domain;
  /// The arrays that one statement writes, each element once, before others
  /// read them: their readers get what it wrote, and no dependence is of
  /// storage only.
  llvm::SmallSetVector<mlir::Value, 8> once;
  /// The others of which an element may be accessed twice, once to write. No
  /// dependence goes through any further array.
  llvm::DenseSet<mlir::Value> shared;
  std::shared_ptr<KnownFlows> known;
};

/// { stmt[i] -> [exprs(i)] } for all integers i, with a name for what it leads
/// to if there is one.
isl::map makeMap(const isl::set &domain, llvm::ArrayRef<mlir::AffineExpr> exprs,
                 llvm::StringRef name = {});

/// Reads the scop's schedule attribute; null (`is_null`) if it has none.
isl::schedule getSchedule(isl::ctx context, sched::ScopOp scop);

/// Stores a schedule in the scop.
void setSchedule(sched::ScopOp scop, const isl::schedule &schedule);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_POLYSCOP_H
