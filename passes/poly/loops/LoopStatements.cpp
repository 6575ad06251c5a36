// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs in the loops: instances of statements, and of those that copy.
#include "passes/poly/levels/Units.h"
#include "passes/poly/loops/LoopBuilder.h"
#include "passes/poly/tree/Carries.h"

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

AffineMap LoopBuilder::subscript(const Place &place, AffineMap map,
                                 ArrayRef<AffineExpr> point) {
  if (!place.local || !place.local->isOperand())
    return substitute(place.local ? place.local->fold(map) : map, point);
  SmallVector<AffineExpr> exprs;
  for (auto [expr, begin] :
       llvm::zip(substitute(map, point).getResults(), place.offset))
    exprs.push_back(simplifyInRange(expr - begin, ranges));
  return place.local->fold(
      AffineMap::get(indices.size(), 0, exprs, builder.getContext()));
}

Value LoopBuilder::emitLoad(Location loc, const Place &place,
                            AffineMap subscripts, Value mask, TypedAttr fill) {
  if (!mask)
    for (const Stored &last : llvm::reverse(stored))
      if (last.memref == place.memref && last.map == subscripts)
        return last.value;
  auto type = cast<MemRefType>(place.memref.getType());
  auto [used, operands] = makeMap(subscripts.getResults());
  return kernel::LoadOp::create(builder, loc,
                                getComputeType(type.getElementType()),
                                place.memref, used, operands, mask, 1, fill);
}

void LoopBuilder::emitStore(Location loc, Value value, const Place &place,
                            AffineMap subscripts) {
  // A store to another element of the memref may be to the same one.
  llvm::erase_if(
      stored, [&](const Stored &last) { return last.memref == place.memref; });
  if (place.memref.getDefiningOp()) // Its elements are in their compute type.
    stored.push_back({place.memref, subscripts, value});
  auto [map, operands] = makeMap(subscripts.getResults());
  kernel::StoreOp::create(builder, loc, value, place.memref, map, operands);
}

Value LoopBuilder::emitInBounds(StmtOp stmt, unsigned read,
                                ArrayRef<AffineExpr> point) {
  // Of the last tile only what is in the domain runs.
  SmallVector<IndexRange> domain;
  for (int64_t extent : stmt.getExtents())
    domain.push_back({0, extent - 1});
  AffineMap whole = stmt.getReadMap(read), here = substitute(whole, point);
  auto array = cast<MemRefType>(stmt.getReads()[read].getType());
  SmallVector<AffineExpr> constraints;
  for (auto [expr, subscript, extent] :
       llvm::zip(here.getResults(), whole.getResults(), array.getShape())) {
    IndexRange a = rangeOf(expr, ranges), b = rangeOf(subscript, domain);
    if (std::max(a.low.value_or(-1), b.low.value_or(-1)) < 0)
      constraints.push_back(expr);
    if (std::min(a.high.value_or(extent), b.high.value_or(extent)) >= extent)
      constraints.push_back(-expr + (extent - 1));
  }
  if (constraints.empty())
    return {};
  auto [used, operands] = makeMap(constraints);
  SmallVector<bool> inequalities(constraints.size(), false);
  return kernel::InBoundsOp::create(
      builder, stmt.getLoc(), builder.getI1Type(),
      IntegerSet::get(used.getNumDims(), 0, used.getResults(), inequalities),
      operands, IntegerAttr());
}

Value LoopBuilder::emitRead(StmtOp stmt, unsigned read,
                            ArrayRef<AffineExpr> point) {
  const Place &place = getPlace(stmt.getReads()[read]);
  TypedAttr fill = stmt.getPadding(read);
  // What lies outside is there.
  if (place.local && place.local->isOperand())
    fill = {};
  Value mask = fill ? emitInBounds(stmt, read, point) : Value();
  return emitLoad(stmt.getLoc(), place,
                  subscript(place, stmt.getReadMap(read), point), mask,
                  mask ? fill : TypedAttr());
}

Value LoopBuilder::emitGather(sched::GatherOp op, AffineMap map,
                              const IRMapping &values) {
  Location loc = op->getParentOp()->getLoc();
  Value memref = getPlace(op.getArray()).memref;
  llvm::SmallBitVector unused = getUnusedSymbolsBitVector(map);
  SmallVector<Value> dynamic;
  for (auto [symbol, index] : llvm::enumerate(op.getIndices()))
    if (!unused.test(symbol))
      dynamic.push_back(values.lookup(index));
  map = compressUnusedSymbols(map);
  auto [used, operands] = makeMap(map.getResults(), map.getNumSymbols());
  // Of one row, there is nothing to pick.
  if (dynamic.empty())
    return kernel::LoadOp::create(builder, loc, op.getType(), memref, used,
                                  operands, Value(), 1, TypedAttr());
  return kernel::GatherOp::create(builder, loc, op.getType(), memref, operands,
                                  dynamic, Value(), used, TypedAttr());
}

LogicalResult LoopBuilder::checkPlaces(StmtOp stmt) {
  for (OperandRange arrays : {stmt.getReads(), stmt.getWrites()})
    for (Value array : arrays)
      if (!getPlace(array).memref)
        return fail("array " + scop.getOp().getArrayName(array) +
                    " outside of the mark below which it is local");
  return success();
}

Value LoopBuilder::emitValue(StmtOp stmt, Value value,
                             ArrayRef<AffineExpr> point, IRMapping &values) {
  if (Value known = values.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value emitted;
  if (!op) {
    unsigned read = cast<BlockArgument>(value).getArgNumber();
    emitted = emitRead(stmt, read, point);
  } else if (auto index = dyn_cast<sched::IndexOp>(op)) {
    auto [map, operands] = makeMap({point[index.getDim()]});
    emitted = kernel::ApplyOp::create(builder, op->getLoc(),
                                      builder.getIndexType(), map, operands);
  } else if (auto gather = dyn_cast<sched::GatherOp>(op)) {
    for (Value dynamic : gather.getIndices())
      emitValue(stmt, dynamic, point, values);
    emitted = emitGather(gather, substitute(gather.getMap(), point), values);
  } else {
    for (Value operand : op->getOperands())
      emitValue(stmt, operand, point, values);
    builder.clone(*op, values);
    return values.lookup(value);
  }
  values.map(value, emitted);
  return emitted;
}

LogicalResult LoopBuilder::emitStmt(StmtOp stmt, ArrayRef<AffineExpr> point) {
  if (failed(checkPlaces(stmt)))
    return failure();
  IRMapping values;
  Block &body = stmt.getBody().front();
  for (BlockArgument argument : body.getArguments())
    emitValue(stmt, argument, point, values);
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults())
      emitValue(stmt, result, point, values);
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    const Place &place = getPlace(stmt.getWrites()[index]);
    emitStore(stmt.getLoc(), values.lookup(value), place,
              subscript(place, stmt.getWriteMap(index), point));
  }
  carryThroughLoops(stmt, point);
  return success();
}

LogicalResult LoopBuilder::emitUnit(const isl::ast_node &node) {
  if (!node.isa<isl::ast_node_for>() ||
      node.as<isl::ast_node_for>().is_degenerate() ||
      !node.as<isl::ast_node_for>().body().isa<isl::ast_node_user>())
    return fail("a loop over one statement below the mark of a unit");
  auto loop = node.as<isl::ast_node_for>();
  auto user = loop.body().as<isl::ast_node_user>();
  auto call = user.expr().as<isl::ast_expr_op>();
  ArrayRef<PolyStmt> stmts = scop.getStmts();
  const auto *stmt = llvm::find_if(stmts, [&](const PolyStmt &each) {
    return each.name == call.arg(0).as<isl::ast_expr_id>().id().name();
  });
  const Unit *unit =
      stmt == stmts.end()
          ? nullptr
          : getTargetInfo(scop.getOp())
                .tiledFor->getUnit(scop.getOp().getConfigAttr().getUnit(
                    size_t(stmt - stmts.begin())));
  SmallVector<AffineExpr> lower, upper;
  int64_t increment = 1;
  if (failed(readBounds(loop, lower, upper, increment)))
    return failure();
  if (!unit || unit->terms < 2 || lower.size() != 1 || upper.size() != 1 ||
      increment != 1 || upper.front() - lower.front() != unit->terms)
    return fail("as many iterations below the mark of a unit as the config "
                "says that the statement's unit adds terms");
  std::string name = loop.iterator().as<isl::ast_expr_id>().id().name();
  SmallVector<SmallVector<AffineExpr>> points;
  for (int64_t term = 0; term < unit->terms; ++term) {
    iterators[name] = lower.front() + term;
    if (failed(readInstance(user, points.emplace_back())))
      return failure();
  }
  iterators.erase(name);
  nameLoops(stmt->op, points.front());
  return emitTerms(stmt->op, *unit, points);
}

LogicalResult LoopBuilder::emitTerms(StmtOp stmt, const Unit &unit,
                                     ArrayRef<SmallVector<AffineExpr>> points) {
  std::optional<sched::Contraction> contraction = stmt.getContraction();
  auto factors =
      contraction ? findFactors(stmt, *contraction, unit) : std::nullopt;
  if (!factors)
    return fail("a contraction of factors that the unit multiplies below its "
                "mark");
  if (failed(checkPlaces(stmt)))
    return failure();
  IRMapping values;
  Value sum = emitValue(stmt, contraction->before, points.front(), values);
  SmallVector<SmallVector<Value>, 2> terms(2);
  for (ArrayRef<AffineExpr> point : points) {
    IRMapping own;
    for (auto [factor, side] : llvm::zip(*factors, terms))
      side.push_back(emitValue(stmt, factor, point, own));
  }
  Location loc = stmt.getLoc();
  auto sideBySide = [&](ArrayRef<Value> side) -> Value {
    return kernel::TermsOp::create(builder, loc, builder.getI32Type(), side);
  };
  Value lhs = sideBySide(terms[0]), rhs = sideBySide(terms[1]);
  Value after = kernel::DotOp::create(builder, loc, sum.getType(), lhs, rhs,
                                      sum, unit.terms, unit.hasTiles());
  const Place &place = getPlace(stmt.getWrites().front());
  emitStore(loc, after, place,
            subscript(place, stmt.getWriteMap(0), points.front()));
  carryThroughLoops(stmt, points.front());
  return success();
}

void LoopBuilder::carryThroughLoops(StmtOp stmt, ArrayRef<AffineExpr> point) {
  auto isReducedBy = [&](unsigned loop) {
    return llvm::any_of(stmt.getReduced(), [&](int64_t dim) {
      return point[dim].isFunctionOfDim(loop);
    });
  };
  for (auto [number, given] : llvm::enumerate(getCarries(stmt))) {
    const Place &place = getPlace(stmt.getWrites()[number]);
    Value memref = place.memref;
    AffineMap subscripts = subscript(place, stmt.getWriteMap(number), point);
    for (auto [position, index] : llvm::enumerate(indices)) {
      auto loop = cast<kernel::ForOp>(index.getOwner()->getParentOp());
      if (!isReducedBy(position) || subscripts.isFunctionOfDim(position) ||
          loop.getBody().isAncestor(memref.getParentRegion()))
        continue;
      bool isOnLanes = loop.getMapping() == kernel::Mapping::vector ||
                       loop.getMapping() == kernel::Mapping::thread;
      std::optional<kernel::Carry> other = loop.getCarry(memref);
      bool isAlone = !other || (other == given.carry && !isOnLanes);
      loop.setCarry(memref, isAlone ? given.carry : kernel::Carry::Update);
      if (isOnLanes && given.carry == kernel::Carry::Update)
        stmt.emitRemark("reduces one iteration after the other: ")
                .append(given.why.reason)
                .attachNote(given.why.op->getLoc())
            << "because of this";
    }
  }
}

LogicalResult LoopBuilder::emitCopy(const CopyStatement &copy,
                                    ArrayRef<AffineExpr> element) {
  Value array = copy.array;
  unsigned number = copy.array.getArgNumber();
  // Loops over elements have the names of the iterators that write them.
  for (const PolyStmt &stmt : scop.getStmts())
    for (auto [write, written] : llvm::enumerate(stmt.op.getWrites()))
      for (auto [expr, at] :
           llvm::zip(stmt.op.getWriteMap(write).getResults(), element))
        if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && written == array)
          nameLoop(cast<StringAttr>(stmt.op.getDims()[dim.getPosition()]), at);
  auto identity =
      AffineMap::getMultiDimIdentityMap(element.size(), builder.getContext());
  Place from = outer[number], to = places[number];
  if (copy.back)
    std::swap(from, to);
  Value value =
      emitLoad(array.getLoc(), from, subscript(from, identity, element));
  emitStore(array.getLoc(), value, to, subscript(to, identity, element));
  return success();
}

} // namespace fusec::poly
