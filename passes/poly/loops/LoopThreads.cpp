// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of a GPU's block load together, and the conditions in loops
// over what each of them computes.
#include "passes/poly/loops/LoopBuilder.h"

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

bool LoopBuilder::isNestMark(StringRef mark) const {
  return isThreadsMark(mark) || (isGpu && mark == kUnrollMark);
}

SmallVector<AffineExpr>
LoopBuilder::getBoundsOf(ArrayRef<AffineExpr> subscripts,
                         ArrayRef<int64_t> shape) const {
  SmallVector<AffineExpr> bounds;
  for (auto [expr, extent] : llvm::zip(subscripts, shape)) {
    AffineExpr left = simplifyInRange(-expr + (extent - 1), ranges);
    if (!isAtLeast(expr, 0))
      bounds.push_back(expr);
    if (!isAtLeast(left, 0))
      bounds.push_back(left);
  }
  return bounds;
}

LogicalResult LoopBuilder::emitOperandLoad(const CopyStatement &copy,
                                           ArrayRef<AffineExpr> point) {
  Value array = copy.array;
  Location loc = array.getLoc();
  Place &to = places[copy.array.getArgNumber()];
  Place &from = outer[copy.array.getArgNumber()];
  ArrayRef<AffineExpr> times = point.take_front(copy.offset.getNumDims());
  ArrayRef<AffineExpr> element = point.drop_front(times.size());
  AffineMap begin = substitute(copy.offset, times);
  to.offset = llvm::to_vector(begin.getResults());
  SmallVector<AffineExpr> subscripts;
  for (auto [expr, offset] : llvm::zip(element, to.offset))
    subscripts.push_back(simplifyInRange(expr + offset, ranges));
  // Loops over elements have the names of the iterators that read them.
  for (const PolyStmt &stmt : scop.getStmts())
    for (auto [read, memref] : llvm::enumerate(stmt.op.getReads()))
      for (auto [expr, at] :
           llvm::zip(stmt.op.getReadMap(read).getResults(), element))
        if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && memref == array)
          nameLoop(cast<StringAttr>(stmt.op.getDims()[dim.getPosition()]), at);
  Value mask;
  if (SmallVector<AffineExpr> bounds =
          getBoundsOf(subscripts, cast<MemRefType>(array.getType()).getShape());
      !bounds.empty()) {
    auto [used, operands] = makeMap(bounds);
    SmallVector<bool> inequalities(bounds.size(), false);
    mask = kernel::InBoundsOp::create(
        builder, loc, builder.getI1Type(),
        IntegerSet::get(used.getNumDims(), 0, used.getResults(), inequalities),
        operands, IntegerAttr());
  }
  MLIRContext *context = builder.getContext();
  Value value = emitLoad(loc, from,
                         AffineMap::get(indices.size(), 0, subscripts, context),
                         mask, mask ? copy.fill : TypedAttr());
  emitStore(
      loc, value, to,
      to.local->fold(AffineMap::get(indices.size(), 0, element, context)));
  return success();
}

/// Whether nobody sees what an instance of `stmt` does that is not in its
/// domain: it reads registers and shared memory, where whole tiles are, and
/// writes registers, those of points that are not there.
bool LoopBuilder::isFree(StmtOp stmt, ArrayRef<AffineExpr> point) {
  if (!stmt.getBody().getOps<sched::GatherOp>().empty())
    return false;
  for (auto [read, array] : llvm::enumerate(stmt.getReads())) {
    const Place &place = getPlace(array);
    if (!place.local || (place.local->apart.empty() && place.offset.empty()))
      return false;
    if (place.local->isOperand() &&
        !getBoundsOf(
             subscript(place, stmt.getReadMap(read), point).getResults(),
             cast<MemRefType>(place.memref.getType()).getShape())
             .empty())
      return false;
  }
  return llvm::all_of(stmt.getWrites(), [&](Value array) {
    const Place &place = getPlace(array);
    return place.local && !place.local->apart.empty();
  });
}

bool LoopBuilder::isOfMatrices(const isl::ast_node &node) const {
  if (scop.getOp().getConfigAttr().getMatrices().empty() ||
      !node.isa<isl::ast_node_for>())
    return false;
  struct Found {
    const LoopBuilder *self;
    bool isReduction;
  } found{this, true};
  isl_ast_node_foreach_descendant_top_down(
      node.get(),
      [](isl_ast_node *raw, void *user) -> isl_bool {
        auto &found = *static_cast<Found *>(user);
        isl::ast_node below = isl::manage_copy(raw);
        if (below.isa<isl::ast_node_user>()) {
          auto call =
              below.as<isl::ast_node_user>().expr().as<isl::ast_expr_op>();
          std::string name = call.arg(0).as<isl::ast_expr_id>().id().name();
          found.isReduction &=
              !found.self->copies.contains(name) &&
              found.self->scop.getStmt(name).op.getContraction().has_value();
        }
        return isl_bool_true;
      },
      &found);
  return found.isReduction;
}

void LoopBuilder::settleGuards(const isl::ast_node_user &node) {
  SmallVector<AffineExpr> point;
  FailureOr<std::string> name = readInstance(node, point);
  if (failed(name) || copies.contains(*name))
    return;
  StmtOp stmt = scop.getStmt(*name).op;
  auto isReducedBy = [&](unsigned loop) {
    return llvm::any_of(stmt.getReduced(), [&](int64_t dim) {
      return point[dim].isFunctionOfDim(loop);
    });
  };
  llvm::erase_if(guards, [&](AffineExpr guard) {
    return llvm::none_of(
        llvm::seq<unsigned>(0, indices.size()), [&](unsigned loop) {
          return guard.isFunctionOfDim(loop) && isReducedBy(loop);
        });
  });
  if (isFree(stmt, point))
    return;
  SmallVector<AffineExpr> own;
  SmallVector<int64_t> extents;
  for (auto [dim, extent] : llvm::enumerate(stmt.getExtents()))
    if (!llvm::is_contained(stmt.getReduced(), int64_t(dim))) {
      own.push_back(point[dim]);
      extents.push_back(extent);
    }
  llvm::append_range(guards, getBoundsOf(own, extents));
}

} // namespace fusec::poly
