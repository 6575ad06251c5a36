// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/loops/LoopBuilder.h"

#include <numeric>

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

LogicalResult LoopBuilder::fail(const Twine &what) {
  return scop.getOp().emitOpError()
         << "has a schedule whose loops need " << what;
}

bool LoopBuilder::isNest(kernel::Mapping mapping) const {
  return mapping == kernel::Mapping::thread ||
         mapping == kernel::Mapping::warp ||
         mapping == kernel::Mapping::column ||
         (isGpu && mapping == kernel::Mapping::unroll);
}

LogicalResult LoopBuilder::emit(const isl::ast_node &node) {
  bool inNest = isNest(mapping) ||
                (node.isa<isl::ast_node_mark>() &&
                 isNestMark(node.as<isl::ast_node_mark>().id().name()));
  if (!guards.empty() && !inNest) {
    if (node.isa<isl::ast_node_user>())
      settleGuards(node.as<isl::ast_node_user>());
    if (!guards.empty() && !isOfMatrices(node))
      return emitGuarded(node);
  }
  if (!isOneThread && !inNest && isForOneThread(node))
    return emitByOneThread(node);
  if (node.isa<isl::ast_node_block>()) {
    LogicalResult result = success();
    node.as<isl::ast_node_block>().children().foreach (
        [&](isl::ast_node child) {
          if (succeeded(result))
            result = emit(child);
        });
    return result;
  }
  if (node.isa<isl::ast_node_mark>())
    return emitMark(node.as<isl::ast_node_mark>());
  kernel::Mapping current = mapping;
  mapping = kernel::Mapping::sequential;
  if (node.isa<isl::ast_node_for>()) {
    mapping = current;
    return emitFor(node.as<isl::ast_node_for>());
  }
  if (node.isa<isl::ast_node_if>())
    return emitIf(node.as<isl::ast_node_if>());
  return emitUser(node.as<isl::ast_node_user>());
}

/// What runs the loop below a mark of that name.
kernel::Mapping LoopBuilder::getMapping(StringRef mark) const {
  return llvm::StringSwitch<kernel::Mapping>(mark)
      .Case(kParallelMark, kernel::Mapping::parallel)
      .Case(kSplitMark,
            isOneThread ? kernel::Mapping::parallel : kernel::Mapping::block)
      .Case(kVectorMark,
            isOneThread ? kernel::Mapping::vector : kernel::Mapping::thread)
      .Case(kUnrollMark, kernel::Mapping::unroll)
      .Case(kBlockMark, kernel::Mapping::block)
      .Case(kWarpMark, kernel::Mapping::warp)
      .Case(kColumnMark, kernel::Mapping::column)
      .Case(kThreadMark, kernel::Mapping::thread)
      .Default(kernel::Mapping::sequential);
}

void LoopBuilder::enter(const LoopAround &around) {
  kernel::Mapping current = getMapping(around.mark);
  auto loop = kernel::ForOp::create(builder, scop.getOp().getLoc(), 0,
                                    around.extent, 1, current);
  loop.getIndex().setLoc(builder.getUnknownLoc());
  builder.setInsertionPoint(loop.getBody().front().getTerminator());
  indices.push_back(loop.getIndex());
  IndexRange range;
  range.low = 0;
  range.high = around.extent - 1;
  ranges.push_back(range);
  iterators[around.name] =
      getAffineDimExpr(indices.size() - 1, builder.getContext());
  isOneThread |= current == kernel::Mapping::thread;
  hasPieces = true;
}

LogicalResult LoopBuilder::emitMark(const isl::ast_node_mark &node) {
  std::string name = node.id().name();
  if (isLocalMark(name))
    return emitLocal(*readLocalMark(scop.getOp(), name), node.node());
  if (name == kUnitMark)
    return emitUnit(node.node());
  if (name == kBarrierMark)
    kernel::BarrierOp::create(builder, scop.getOp().getLoc(), findScope());
  addsParts =
      name == kSplitMark && isGpu &&
      scop.getOp().getConfigAttr().getCombine() == sched::Combine::atomic;
  mapping = getMapping(name);
  return emit(node.node());
}

/// Those who share what stands here.
kernel::Scope LoopBuilder::findScope() const {
  return llvm::any_of(indices,
                      [](BlockArgument index) {
                        auto loop = cast<kernel::ForOp>(
                            index.getOwner()->getParentOp());
                        return loop.getMapping() == kernel::Mapping::warp;
                      })
             ? kernel::Scope::warp
             : kernel::Scope::block;
}

LogicalResult LoopBuilder::emitLocal(const LocalArray &local,
                                     const isl::ast_node &body) {
  unsigned number = local.array.getArgNumber();
  Place around = places[number];
  if (local.isCopy && !around.memref)
    return fail("array " + scop.getOp().getArrayName(local.array) +
                " outside of the mark below which it is local");
  places[number] = {
      kernel::LocalOp::create(builder, local.array.getLoc(), local.getType()),
      local};
  Place aroundThat = std::exchange(outer[number], around);
  LogicalResult result = emit(body);
  places[number] = around;
  outer[number] = aroundThat;
  return result;
}

static bool isConstant(AffineExpr expr) {
  return isa<AffineConstantExpr>(expr);
}

/// Leaves the constant one of `bounds`, or `limit` in place of them where there
/// is none. Returns the others: what is to be a condition.
SmallVector<AffineExpr>
LoopBuilder::makeConstant(SmallVectorImpl<AffineExpr> &bounds,
                          std::optional<int64_t> limit) {
  SmallVector<AffineExpr> others;
  if (llvm::none_of(bounds, isConstant) && limit)
    bounds.push_back(getAffineConstantExpr(*limit, builder.getContext()));
  if (llvm::any_of(bounds, isConstant)) {
    llvm::copy_if(bounds, std::back_inserter(others), std::not_fn(isConstant));
    llvm::erase_if(bounds, std::not_fn(isConstant));
  }
  return others;
}

LogicalResult LoopBuilder::readBounds(const isl::ast_node_for &node,
                                      SmallVectorImpl<AffineExpr> &lower,
                                      SmallVectorImpl<AffineExpr> &upper,
                                      int64_t &increment) {
  isl::ast_expr condition = node.cond(), step = node.inc();
  isl_ast_expr_op_type comparison = isl_ast_expr_op_get_type(condition.get());
  bool strict = comparison == isl_ast_expr_op_lt;
  if (!strict && comparison != isl_ast_expr_op_le)
    return fail("a condition other than < and <=");
  if (failed(collect(node.init(), isl_ast_expr_op_max, lower)) ||
      failed(collect(condition.as<isl::ast_expr_op>().arg(1),
                     isl_ast_expr_op_min, upper)))
    return failure();
  increment = isl_val_get_num_si(step.as<isl::ast_expr_int>().val().get());
  for (AffineExpr &bound : upper)
    bound = simplifyInRange(strict ? bound : bound + 1, ranges);
  for (AffineExpr &bound : lower)
    bound = simplifyInRange(bound, ranges);
  return success();
}

LogicalResult LoopBuilder::emitFor(const isl::ast_node_for &node) {
  kernel::Mapping current = std::exchange(mapping, kernel::Mapping::sequential);
  SmallVector<AffineExpr> lower, upper;
  if (node.is_degenerate()) {
    std::string name = node.iterator().as<isl::ast_expr_id>().id().name();
    if (failed(collect(node.init(), isl_ast_expr_op_max, lower)))
      return failure();
    iterators[name] = lower.front();
    LogicalResult result = emit(node.body());
    iterators.erase(name);
    return result;
  }
  int64_t increment = 1;
  if (failed(readBounds(node, lower, upper, increment)))
    return failure();
  SmallVector<AffineExpr> conditions = findConditions(lower, upper, current);
  if (conditions.empty())
    return emitLoop(node, lower, upper, increment, current);
  return emitBelow(conditions, [&] {
    for (SmallVectorImpl<AffineExpr> *bounds : {&lower, &upper})
      for (AffineExpr &bound : *bounds)
        bound = simplifyInRange(bound, ranges);
    return emitLoop(node, lower, upper, increment, current);
  });
}

LogicalResult LoopBuilder::emitLoop(const isl::ast_node_for &node,
                                    SmallVector<AffineExpr> lower,
                                    SmallVector<AffineExpr> upper,
                                    int64_t increment,
                                    kernel::Mapping current) {
  std::string name = node.iterator().as<isl::ast_expr_id>().id().name();
  // The range of the index, for simplifying what is below.
  IndexRange range;
  range.divisor = increment;
  for (AffineExpr bound : lower) {
    IndexRange start = rangeOf(bound, ranges);
    range.divisor = std::gcd(range.divisor, start.divisor);
    if (start.low)
      range.low = range.low ? std::max(*range.low, *start.low) : *start.low;
  }
  for (AffineExpr bound : upper)
    if (auto high = rangeOf(bound, ranges).high)
      range.high = range.high ? std::min(*range.high, *high - 1) : *high - 1;
  // A bound that is never more than the others, or less, says nothing.
  if (hasPieces)
    llvm::erase_if(lower, [&](AffineExpr bound) {
      return range.low && !isa<AffineConstantExpr>(bound) &&
             isAtLeast(*range.low - bound, 0);
    });
  llvm::erase_if(upper, [&](AffineExpr bound) {
    return range.high && !isa<AffineConstantExpr>(bound) &&
           isAtLeast(bound, *range.high + 1);
  });
  // Loops of threads are a nest of constant bounds, and so are those over what
  // one has in registers: what begins one late or ends it early is a condition
  // in it.
  SmallVector<AffineExpr> begins, ends;
  if (isNest(current)) {
    std::optional<int64_t> end = range.high;
    if (end)
      ++*end;
    begins = makeConstant(lower, range.low);
    ends = makeConstant(upper, end);
  }
  auto [lowerMap, lowerOperands] = makeMap(lower);
  auto [upperMap, upperOperands] = makeMap(upper);
  auto loop = kernel::ForOp::create(builder, scop.getOp().getLoc(), lowerMap,
                                    lowerOperands, upperMap, upperOperands,
                                    increment, current);
  loop.setAtomic(std::exchange(addsParts, false));
  // Without a name until a statement in it gives one: a scop of one node has
  // that node's name as its location.
  loop.getIndex().setLoc(builder.getUnknownLoc());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody().front().getTerminator());
  stored.clear();
  indices.push_back(loop.getIndex());
  ranges.push_back(range);
  iterators[name] = getAffineDimExpr(indices.size() - 1, builder.getContext());
  for (AffineExpr begin : begins)
    guards.push_back(iterators[name] - begin);
  for (AffineExpr end : ends)
    guards.push_back(end - 1 - iterators[name]);
  bool around = isOneThread;
  isOneThread |= current == kernel::Mapping::thread;
  LogicalResult result = emit(node.body());
  isOneThread = around;
  iterators.erase(name);
  indices.pop_back();
  ranges.pop_back();
  stored.clear();
  return result;
}

/// Whether what stands below `node`, with no loop that threads share and no
/// place where they wait, stores to what they share: then one of them does it
/// for all.
bool LoopBuilder::isForOneThread(const isl::ast_node &node) const {
  if (node.isa<isl::ast_node_block>() || node.isa<isl::ast_node_mark>())
    return false;
  struct Found {
    const LoopBuilder *self;
    bool isShared, stores;
  } found{this, false, false};
  isl_ast_node_foreach_descendant_top_down(
      node.get(),
      [](isl_ast_node *raw, void *user) -> isl_bool {
        auto &found = *static_cast<Found *>(user);
        isl::ast_node below = isl::manage_copy(raw);
        if (below.isa<isl::ast_node_mark>()) {
          std::string mark = below.as<isl::ast_node_mark>().id().name();
          // All threads come to a barrier.
          found.isShared |= mark == kVectorMark || mark == kBlockMark ||
                            mark == kBarrierMark || isThreadsMark(mark);
        }
        if (below.isa<isl::ast_node_user>())
          found.stores |=
              found.self->storesForAll(below.as<isl::ast_node_user>());
        return isl_bool_true;
      },
      &found);
  return found.stores && !found.isShared;
}

/// Whether the instance writes anything but what each thread has.
bool LoopBuilder::storesForAll(const isl::ast_node_user &node) const {
  auto call = node.expr().as<isl::ast_expr_op>();
  std::string name = call.arg(0).as<isl::ast_expr_id>().id().name();
  if (copies.contains(name))
    return false;
  return llvm::any_of(scop.getStmt(name).op.getWrites(), [&](Value array) {
    const Place &place = getPlace(array);
    return place.memref && !(place.local && !place.local->isShared);
  });
}

LogicalResult LoopBuilder::emitByOneThread(const isl::ast_node &node) {
  auto loop = kernel::ForOp::create(builder, scop.getOp().getLoc(), 0, 1, 1,
                                    kernel::Mapping::thread);
  loop.getIndex().setLoc(builder.getUnknownLoc());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody().front().getTerminator());
  stored.clear();
  isOneThread = true;
  LogicalResult result = emit(node);
  isOneThread = false;
  stored.clear();
  return result;
}

FailureOr<std::string>
LoopBuilder::readInstance(const isl::ast_node_user &node,
                          SmallVectorImpl<AffineExpr> &point) {
  auto call = node.expr().as<isl::ast_expr_op>();
  for (unsigned i = 1; i < unsigned(call.n_arg()); ++i) {
    Failable expr = convert(call.arg(i));
    if (failed(expr))
      return failure();
    point.push_back(simplifyInRange(*expr, ranges));
  }
  return call.arg(0).as<isl::ast_expr_id>().id().name();
}

LogicalResult LoopBuilder::emitUser(const isl::ast_node_user &node) {
  SmallVector<AffineExpr> point;
  FailureOr<std::string> name = readInstance(node, point);
  if (failed(name))
    return failure();
  if (auto copy = copies.find(*name); copy != copies.end())
    return copy->second.offset ? emitOperandLoad(copy->second, point)
                               : emitCopy(copy->second, point);
  StmtOp stmt = scop.getStmt(*name).op;
  nameLoops(stmt, point);
  return emitStmt(stmt, point);
}

/// Names loops after the iterators that run in them; a loop over tiles of `i`
/// is `i_tile`, one over blocks of them `i_block`. The first statement decides.
void LoopBuilder::nameLoops(StmtOp stmt, ArrayRef<AffineExpr> point) {
  for (auto [name, expr] :
       llvm::zip(stmt.getDims().getAsRange<StringAttr>(), point))
    nameLoop(name, expr);
}

/// Names the loops of `expr`, a value of the iterator `name`.
void LoopBuilder::nameLoop(StringAttr name, AffineExpr expr) {
  for (auto [position, index] : llvm::enumerate(indices)) {
    if (isa<NameLoc>(index.getLoc()) || !expr.isFunctionOfDim(position))
      continue;
    AffineExpr own = getAffineDimExpr(position, builder.getContext());
    bool isPoint = expr == own;
    auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
    // A piece begins elsewhere.
    if (sum && hasPieces && isConstant(sum.getRHS()))
      sum = dyn_cast<AffineBinaryOpExpr>(sum.getLHS());
    if (sum)
      isPoint |= sum.getKind() == AffineExprKind::Add &&
                 (sum.getRHS() == own || sum.getLHS() == own);
    unsigned below = 0;
    for (unsigned inner = position + 1; inner < indices.size(); ++inner)
      below += expr.isFunctionOfDim(inner);
    auto loop = cast<kernel::ForOp>(index.getOwner()->getParentOp());
    StringRef suffix = isPoint ? "" : below > 1 ? "_block" : "_tile";
    if (isGpu && !isPoint)
      suffix = loop.getMapping() == kernel::Mapping::thread   ? "_thread"
               : loop.getMapping() == kernel::Mapping::unroll ? "_point"
                                                              : suffix;
    std::string text = (name.getValue() + suffix).str();
    index.setLoc(NameLoc::get(builder.getStringAttr(text)));
  }
}

std::pair<AffineMap, SmallVector<Value>>
LoopBuilder::makeMap(ArrayRef<AffineExpr> exprs, unsigned numSymbols) {
  AffineMap map =
      AffineMap::get(indices.size(), numSymbols, exprs, builder.getContext());
  llvm::SmallBitVector unused = getUnusedDimsBitVector(map);
  SmallVector<Value> operands;
  for (auto [position, index] : llvm::enumerate(indices))
    if (!unused.test(position))
      operands.push_back(index);
  return {projectDims(map, unused, /*compressDimsFlag=*/true), operands};
}

AffineMap LoopBuilder::substitute(AffineMap map, ArrayRef<AffineExpr> point) {
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    exprs.push_back(
        simplifyInRange(expr.replaceDims(point), ranges, map.getNumSymbols()));
  return AffineMap::get(indices.size(), map.getNumSymbols(), exprs,
                        builder.getContext());
}

} // namespace fusec::poly
