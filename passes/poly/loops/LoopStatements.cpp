// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs in the loops: instances of statements, and of those that copy.
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

LogicalResult LoopBuilder::emitStmt(StmtOp stmt, ArrayRef<AffineExpr> point) {
  for (OperandRange arrays : {stmt.getReads(), stmt.getWrites()})
    for (Value array : arrays)
      if (!getPlace(array).memref)
        return fail("array " + scop.getOp().getArrayName(array) +
                    " outside of the mark below which it is local");
  IRMapping values;
  Block &body = stmt.getBody().front();
  for (unsigned i = 0; i < stmt.getReads().size(); ++i)
    values.map(body.getArgument(i), emitRead(stmt, i, point));
  for (Operation &op : body.without_terminator()) {
    if (auto index = dyn_cast<sched::IndexOp>(op)) {
      auto [map, operands] = makeMap({point[index.getDim()]});
      values.map(index.getResult(), kernel::ApplyOp::create(
                                        builder, op.getLoc(),
                                        builder.getIndexType(), map, operands));
      continue;
    }
    if (auto gather = dyn_cast<sched::GatherOp>(op)) {
      AffineMap subscripts = substitute(gather.getMap(), point);
      values.map(gather.getResult(), emitGather(gather, subscripts, values));
      continue;
    }
    builder.clone(op, values);
  }
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    const Place &place = getPlace(stmt.getWrites()[index]);
    emitStore(stmt.getLoc(), values.lookup(value), place,
              subscript(place, stmt.getWriteMap(index), point));
  }
  carryThroughLoops(stmt, point);
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
