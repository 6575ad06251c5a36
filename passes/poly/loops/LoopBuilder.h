// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// isl's AST as loops of the kernel dialect.
#ifndef FUSEC_PASSES_POLY_LOOPS_LOOPBUILDER_H
#define FUSEC_PASSES_POLY_LOOPS_LOOPBUILDER_H

#include "dialects/AffineRanges.h"
#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/poly/arrays/Locals.h"
#include "passes/poly/arrays/TileCopies.h"
#include "passes/poly/loops/PieceLoops.h"
#include "llvm/ADT/StringMap.h"
#include <isl/ast.h>

namespace fusec::poly {

/// Emits the nodes of one AST into a kernel.func.
class LoopBuilder {
public:
  /// `memrefs`: for each block argument of the scop what it is in the kernel;
  /// null for local arrays, which the AST's marks (all of
  /// them checked) introduce. `copies` are the statements that are none of the
  /// scop's. With `isOneThread`, one thread enters, or whatever a CPU has, and
  /// otherwise all of a GPU.
  LoopBuilder(mlir::OpBuilder &builder, const PolyScop &scop,
              llvm::ArrayRef<mlir::Value> memrefs, const CopyStatements &copies,
              bool isOneThread)
      : builder(builder), scop(scop), copies(copies), outer(memrefs.size()),
        isGpu(getTargetInfo(scop.getOp()).kind == TargetKind::gpu),
        isOneThread(isOneThread) {
    for (mlir::Value memref : memrefs)
      places.push_back({memref, std::nullopt});
  }

  /// Puts what comes after into a loop.
  void enter(const LoopAround &loop);
  mlir::LogicalResult emit(const isl::ast_node &node);

private:
  using Failable = mlir::FailureOr<mlir::AffineExpr>;
  /// Where an array is in the kernel.
  struct Place {
    mlir::Value memref;
    std::optional<LocalArray> local;
    /// Of an operand: where in the array it begins.
    llvm::SmallVector<mlir::AffineExpr> offset = {};
  };

  /// The bounds of a loop of several iterations, and its step.
  mlir::LogicalResult readBounds(const isl::ast_node_for &node,
                                 llvm::SmallVectorImpl<mlir::AffineExpr> &lower,
                                 llvm::SmallVectorImpl<mlir::AffineExpr> &upper,
                                 int64_t &increment);
  mlir::LogicalResult emitFor(const isl::ast_node_for &node);
  mlir::LogicalResult emitLoop(const isl::ast_node_for &node,
                               llvm::SmallVector<mlir::AffineExpr> lower,
                               llvm::SmallVector<mlir::AffineExpr> upper,
                               int64_t increment, kernel::Mapping current);
  llvm::SmallVector<mlir::AffineExpr>
  findConditions(llvm::ArrayRef<mlir::AffineExpr> lower,
                 llvm::ArrayRef<mlir::AffineExpr> upper,
                 kernel::Mapping current) const;
  mlir::AffineExpr divideBySlope(mlir::AffineExpr expr) const;
  mlir::LogicalResult emitIf(const isl::ast_node_if &node);
  mlir::LogicalResult emitGuarded(const isl::ast_node &node);
  mlir::LogicalResult
  emitBelow(llvm::ArrayRef<mlir::AffineExpr> constraints,
            llvm::function_ref<mlir::LogicalResult()> emitBody);
  mlir::LogicalResult emitByOneThread(const isl::ast_node &node);
  bool isForOneThread(const isl::ast_node &node) const;
  bool storesForAll(const isl::ast_node_user &node) const;
  kernel::Scope findScope() const;
  /// Whether loops below `mark` are a nest of constant bounds, which conditions
  /// inside of it end early: of threads, and of points that each of them has in
  /// registers.
  bool isNestMark(llvm::StringRef mark) const;
  bool isNest(kernel::Mapping mapping) const;
  /// Says the guards of an instance by what its statement's domain is: none
  /// where nobody sees what runs outside of it.
  void settleGuards(const isl::ast_node_user &node);
  /// Whether `node` is a loop of a reduction that warps multiply as matrices,
  /// to which all of their threads come.
  bool isOfMatrices(const isl::ast_node &node) const;
  bool isFree(sched::StmtOp stmt, llvm::ArrayRef<mlir::AffineExpr> point);
  void learn(mlir::AffineExpr constraint);
  bool isAtLeast(mlir::AffineExpr expr, int64_t least) const;
  kernel::Mapping getMapping(llvm::StringRef mark) const;
  mlir::LogicalResult emitMark(const isl::ast_node_mark &node);
  mlir::LogicalResult emitUser(const isl::ast_node_user &node);
  mlir::LogicalResult emitUnit(const isl::ast_node &node);
  mlir::LogicalResult emitLocal(const LocalArray &local,
                                const isl::ast_node &body);
  mlir::LogicalResult emitCopy(const CopyStatement &copy,
                               llvm::ArrayRef<mlir::AffineExpr> element);
  mlir::LogicalResult emitOperandLoad(const CopyStatement &copy,
                                      llvm::ArrayRef<mlir::AffineExpr> point);
  mlir::LogicalResult emitStmt(sched::StmtOp stmt,
                               llvm::ArrayRef<mlir::AffineExpr> point);
  /// Adds the products of `stmt` at as many `points` as `unit` takes terms.
  mlir::LogicalResult
  emitTerms(sched::StmtOp stmt, const Unit &unit,
            llvm::ArrayRef<llvm::SmallVector<mlir::AffineExpr>> points);
  /// What `value`, of the statement's body, is at `point`, from `values` and
  /// into them.
  mlir::Value emitValue(sched::StmtOp stmt, mlir::Value value,
                        llvm::ArrayRef<mlir::AffineExpr> point,
                        mlir::IRMapping &values);
  mlir::LogicalResult checkPlaces(sched::StmtOp stmt);
  mlir::Value emitRead(sched::StmtOp stmt, unsigned read,
                       llvm::ArrayRef<mlir::AffineExpr> point);
  /// What the current block stored there last, or a load.
  mlir::Value emitLoad(mlir::Location loc, const Place &place,
                       mlir::AffineMap subscripts, mlir::Value mask = {},
                       mlir::TypedAttr fill = {});
  void emitStore(mlir::Location loc, mlir::Value value, const Place &place,
                 mlir::AffineMap subscripts);
  mlir::Value emitGather(sched::GatherOp op, mlir::AffineMap map,
                         const mlir::IRMapping &values);
  mlir::Value emitInBounds(sched::StmtOp stmt, unsigned read,
                           llvm::ArrayRef<mlir::AffineExpr> point);
  /// `map`, of a statement's iterators, at `point`.
  mlir::AffineMap substitute(mlir::AffineMap map,
                             llvm::ArrayRef<mlir::AffineExpr> point);
  /// The same for subscripts of an array, in what it is at `place`.
  mlir::AffineMap subscript(const Place &place, mlir::AffineMap map,
                            llvm::ArrayRef<mlir::AffineExpr> point);
  const Place &getPlace(mlir::Value array) const {
    return places[PolyScop::getNumber(array)];
  }

  /// The name of the instance that `node` runs, and its iterators.
  mlir::FailureOr<std::string>
  readInstance(const isl::ast_node_user &node,
               llvm::SmallVectorImpl<mlir::AffineExpr> &point);
  /// What is at least zero where `subscripts` are inside of `shape`, as far as
  /// the ranges of the indices leave that open.
  llvm::SmallVector<mlir::AffineExpr>
  getBoundsOf(llvm::ArrayRef<mlir::AffineExpr> subscripts,
              llvm::ArrayRef<int64_t> shape) const;
  /// An AST expression over the loop indices so far.
  Failable convert(const isl::ast_expr &expr);
  /// Operands of a (nested) minimum or maximum; one for other expressions.
  mlir::LogicalResult collect(const isl::ast_expr &expr,
                              isl_ast_expr_op_type kind,
                              llvm::SmallVectorImpl<mlir::AffineExpr> &result);
  mlir::LogicalResult
  collectConditions(const isl::ast_expr &expr,
                    llvm::SmallVectorImpl<mlir::AffineExpr> &constraints,
                    llvm::SmallVectorImpl<bool> &equalities);
  llvm::SmallVector<mlir::AffineExpr>
  makeConstant(llvm::SmallVectorImpl<mlir::AffineExpr> &bounds,
               std::optional<int64_t> limit);
  /// The map of `exprs` (already simplified) over the indices that they use.
  std::pair<mlir::AffineMap, llvm::SmallVector<mlir::Value>>
  makeMap(llvm::ArrayRef<mlir::AffineExpr> exprs, unsigned numSymbols = 0);
  /// Says on the loops around what `stmt` at `point` carries through them.
  void carryThroughLoops(sched::StmtOp stmt,
                         llvm::ArrayRef<mlir::AffineExpr> point);
  void nameLoop(mlir::StringAttr name, mlir::AffineExpr expr);
  void nameLoops(sched::StmtOp stmt, llvm::ArrayRef<mlir::AffineExpr> point);
  mlir::LogicalResult fail(const llvm::Twine &what);

  mlir::OpBuilder &builder;
  const PolyScop &scop;
  const CopyStatements &copies;
  /// Where each array is here, by the number of the argument, and where outside
  /// of the innermost mark of it.
  llvm::SmallVector<Place> places, outer;
  /// Loop indices, outermost first; dim N of every expression is number N.
  llvm::SmallVector<mlir::BlockArgument> indices;
  llvm::SmallVector<IndexRange> ranges;
  /// What the conditions around say is at least zero.
  llvm::SmallVector<mlir::AffineExpr> known;
  /// isl's iterators as expressions over the dims.
  llvm::StringMap<mlir::AffineExpr> iterators;
  /// What the current block stored last where, for reads of it that follow.
  struct Stored {
    mlir::Value memref;
    mlir::AffineMap map;
    mlir::Value value;
  };
  llvm::SmallVector<Stored> stored;
  /// What has to be at least zero for what stands in the loops of threads
  /// around.
  llvm::SmallVector<mlir::AffineExpr> guards;
  bool isGpu;
  /// Whether one thread of a GPU runs what stands here, or whatever a CPU has.
  bool isOneThread;
  /// What runs the next loop.
  kernel::Mapping mapping = kernel::Mapping::sequential;
  /// Whether statements have their parts of the loops around all of them.
  bool hasPieces = false;
  /// Whether blocks add their parts of what that loop reduces to outputs.
  bool addsParts = false;
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LOOPS_LOOPBUILDER_H
