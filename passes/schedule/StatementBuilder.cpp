// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/StatementBuilder.h"

#include "dialects/NarrowFloats.h"
#include "dialects/kernel/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

AffineMap fusec::sched::makeMap(unsigned numDims, ArrayRef<AffineExpr> exprs,
                                MLIRContext *context) {
  unsigned numSymbols = 0;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr part) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        numSymbols = std::max(numSymbols, symbol.getPosition() + 1);
    });
  return simplifyAffineMap(AffineMap::get(numDims, numSymbols, exprs, context));
}

//===- bounds ------------------------------------------------------------===//

StatementBuilder::Bounds
StatementBuilder::getOpenBounds(AffineMap map, ArrayRef<int64_t> shape) {
  Bounds bounds;
  for (auto [expr, extent] : llvm::zip(map.getResults(), shape)) {
    auto range = getRange(expr, extents);
    if (range && (range->first < 0 || range->second >= extent))
      bounds.emplace_back(expr, extent);
  }
  return bounds;
}

bool StatementBuilder::implies(const Bounds &inner, const Bounds &outer) const {
  return llvm::all_of(outer, [&](const auto &wide) {
    return llvm::any_of(inner, [&](const auto &narrow) {
      auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
          wide.first - narrow.first, extents.size(), symbols.size()));
      return constant && constant.getValue() >= 0 &&
             constant.getValue() + narrow.second <= wide.second;
    });
  });
}

Value StatementBuilder::select(Value value, const Guard &guard) {
  if (!guard.padding || guard.bounds.empty())
    return value;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (constant.getValue() == guard.padding)
      return value;
  Location loc = value.getLoc();
  Value inside;
  auto require = [&](arith::CmpIPredicate predicate, Value index,
                     int64_t bound) {
    Value limit = constant(builder.getIndexAttr(bound));
    Value holds = arith::CmpIOp::create(builder, loc, predicate, index, limit);
    inside =
        inside ? arith::AndIOp::create(builder, loc, inside, holds) : holds;
  };
  for (auto [expr, extent] : guard.bounds) {
    auto range = getRange(expr, extents);
    Value index = emitIndex(expr);
    if (range->first < 0)
      require(arith::CmpIPredicate::sge, index, 0);
    if (range->second >= extent)
      require(arith::CmpIPredicate::slt, index, extent);
  }
  return arith::SelectOp::create(builder, loc, inside, value,
                                 constant(guard.padding));
}

Value StatementBuilder::emitIndex(AffineExpr expr) {
  if (Value known = indices.lookup(expr))
    return known;
  Location loc = builder.getUnknownLoc();
  Value value;
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    value = constant(builder.getIndexAttr(number.getValue()));
  } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    value = IndexOp::create(builder, loc, builder.getIndexType(),
                            dim.getPosition());
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                       symbols[symbol.getPosition()]);
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value lhs = emitIndex(binary.getLHS()), rhs = emitIndex(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      value = arith::AddIOp::create(builder, loc, lhs, rhs);
      break;
    case AffineExprKind::Mul:
      value = arith::MulIOp::create(builder, loc, lhs, rhs);
      break;
    case AffineExprKind::FloorDiv:
      value = arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
      break;
    case AffineExprKind::CeilDiv:
      value = arith::CeilDivSIOp::create(builder, loc, lhs, rhs);
      break;
    default: {
      Value quotient = arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
      Value multiple = arith::MulIOp::create(builder, loc, quotient, rhs);
      value = arith::SubIOp::create(builder, loc, lhs, multiple);
    }
    }
  }
  return indices[expr] = value;
}

//===- values ------------------------------------------------------------===//

Value StatementBuilder::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known)
    known = arith::ConstantOp::create(builder, builder.getUnknownLoc(), value);
  return known;
}

Value StatementBuilder::wrap(Value value, Type storage, Operation *before,
                             bool keeps) {
  auto type = dyn_cast<IntegerType>(storage);
  Type compute = value.getType();
  if (!type || storage == compute || isWideUnsigned(storage))
    return value;
  // One comparison, choice or bitwise operation on values in range stays there.
  Operation *last = value.getDefiningOp();
  bool isSingle = last && last->getPrevNode() == before;
  if (keeps &&
      (!last || isa<arith::ConstantOp>(last) ||
       (isSingle && isa<arith::MaxSIOp, arith::MinSIOp, arith::SelectOp,
                        arith::AndIOp, arith::OrIOp>(last))))
    return value;
  Location loc = value.getLoc();
  if (type.isUnsigned())
    return arith::AndIOp::create(
        builder, loc, value,
        constant(builder.getIntegerAttr(compute,
                                        (int64_t(1) << type.getWidth()) - 1)));
  Value distance = constant(builder.getIntegerAttr(
      compute, compute.getIntOrFloatBitWidth() - type.getWidth()));
  Value high = arith::ShLIOp::create(builder, loc, value, distance);
  return arith::ShRSIOp::create(builder, loc, high, distance);
}

bool StatementBuilder::isLoadedAs(Type storage, Value value) {
  Value array;
  if (auto argument = dyn_cast<BlockArgument>(value))
    array = reads[argument.getArgNumber()].array;
  else if (auto gather = value.getDefiningOp<GatherOp>())
    array = gather.getArray();
  return array && cast<MemRefType>(array.getType()).getElementType() == storage;
}

Value StatementBuilder::round(Value value, Type storage, bool isCast) {
  FloatType narrow = getNarrowFloat(storage);
  auto isNumber = [&](Value number) {
    return isNumberOf(narrow, number,
                      [&](Value other) { return isLoadedAs(narrow, other); });
  };
  if (!narrow)
    return value;
  if (Value before = getRounded(value, narrow); before && isNumber(before))
    return before;
  return isCast || isNumber(value)
             ? value
             : buildRounding(builder, value.getLoc(), narrow, value);
}

Value StatementBuilder::readArray(Value array, AffineMap map,
                                  TypedAttr padding) {
  for (auto [number, read] : llvm::enumerate(reads))
    if (read.array == array && read.map == map && read.padding == padding)
      return body.getArgument(number);
  reads.push_back({array, map, padding});
  Type element = cast<MemRefType>(array.getType()).getElementType();
  return body.addArgument(getComputeType(element), array.getLoc());
}

/// Drops the symbols that `map` does not use.
static AffineMap compressMap(AffineMap map, SmallVectorImpl<Value> &symbols) {
  llvm::SmallBitVector unused = getUnusedSymbolsBitVector(map);
  for (int64_t symbol = int64_t(symbols.size()) - 1; symbol >= 0; --symbol)
    if (unused.test(symbol))
      symbols.erase(symbols.begin() + symbol);
  return compressUnusedSymbols(map);
}

Value StatementBuilder::gather(Value array, AffineMap map) {
  Value &known = gathered[{array, map}];
  if (known)
    return known;
  SmallVector<Value> used(
      ArrayRef<Value>(symbols).take_front(map.getNumSymbols()));
  AffineMap compressed = compressMap(map, used);
  Type element = cast<MemRefType>(array.getType()).getElementType();
  return known =
             GatherOp::create(builder, array.getLoc(), getComputeType(element),
                              array, compressed, used);
}

Value StatementBuilder::emitArray(Value array, AffineMap map,
                                  const Guard &guard) {
  auto type = cast<MemRefType>(array.getType());
  if (map.getNumSymbols() != 0)
    return select(gather(array, map), guard);
  Bounds open = getOpenBounds(map, type.getShape());
  if (guard.padding && implies(open, guard.bounds) &&
      implies(guard.bounds, open))
    return readArray(array, map, guard.padding);
  // What lies outside is not used: any value does.
  TypedAttr padding;
  if (!open.empty())
    padding = builder.getZeroAttr(getComputeType(type.getElementType()));
  return select(readArray(array, map, padding), guard);
}

AffineMap StatementBuilder::mapOperand(const Primitive &primitive,
                                       unsigned operand, AffineMap map) {
  Operation *op = primitive.getOperation();
  AffineMap access = primitive.getOperandMap(operand);
  SmallVector<AffineExpr> indirect;
  for (unsigned index : primitive.getIndirect(operand)) {
    AffineMap indexMap = mapOperand(primitive, index, map);
    Value value =
        indexMap ? emit(op->getOperand(index), indexMap, {}) : Value();
    if (!value)
      return {};
    auto *known = llvm::find(symbols, value);
    indirect.push_back(
        builder.getAffineSymbolExpr(std::distance(symbols.begin(), known)));
    if (known == symbols.end())
      symbols.push_back(value);
  }
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : access.getResults())
    exprs.push_back(expr.replaceDimsAndSymbols(map.getResults(), indirect));
  return makeMap(map.getNumDims(), exprs, builder.getContext());
}

Value StatementBuilder::emit(Value value, AffineMap map, const Guard &guard) {
  bool isDynamic = map.getNumSymbols() != 0;
  Operation *op = value.getDefiningOp();
  std::optional<Primitive> primitive = op ? Primitive::get(op) : std::nullopt;
  bool recompute = isDynamic && primitive && !primitive->reduces();
  if (!op || (plan.isRead(value) && !recompute)) {
    if (isDynamic && op) {
      op->emitOpError("is reduced and then read at a data-dependent index in "
                      "one group; split the group between them");
      return {};
    }
    Value element = emitArray(arrays.lookup(value), map, guard);
    // What is reduced is kept as it was summed.
    bool isReduced = primitive && primitive->reduces() && rounds;
    return isReduced
               ? round(element, fuse::getTensorType(value).getElementType())
               : element;
  }
  if (auto constantOp = dyn_cast<fuse::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constantOp.getValue());
    if (!elements || !elements.isSplat()) {
      op->emitOpError(
          "is neither a scalar nor a splat; it has to be an operand "
          "of the group");
      return {};
    }
    return select(constant(toComputeType(elements.getSplatValue<TypedAttr>())),
                  guard);
  }
  locations.insert(op->getLoc());
  if (!plan.getBody(op).isIdentity) {
    Value result = compute(cast<OpResult>(value), map);
    return result ? select(result, guard) : result;
  }
  if (guard.padding)
    return emitAccess(*primitive, map, guard);
  if (Value known = computed.lookup({value, map}))
    return known;
  return computed[{value, map}] = emitAccess(*primitive, map, guard);
}

Value StatementBuilder::emitAccess(const Primitive &primitive, AffineMap map,
                                   const Guard &guard) {
  Value source = primitive.getOperation()->getOperand(0);
  AffineMap sourceMap = mapOperand(primitive, 0, map);
  if (!sourceMap)
    return {};
  Guard own{getOpenBounds(sourceMap, fuse::getTensorType(source).getShape()),
            primitive.getPadding(0)};
  if (!own.padding || own.bounds.empty())
    return emit(source, sourceMap, guard);
  // Where the outer bounds follow from these, one padding serves both.
  if (!guard.padding ||
      (guard.padding == own.padding && implies(own.bounds, guard.bounds)))
    return emit(source, sourceMap, own);
  Value inner = emit(source, sourceMap, own);
  return inner ? select(inner, guard) : inner;
}

SmallVector<Value> StatementBuilder::computeBody(const Primitive &primitive,
                                                 AffineMap map,
                                                 ValueRange accumulators) {
  Operation *op = primitive.getOperation();
  locations.insert(op->getLoc());
  SmallVector<AffineMap> maps;
  SmallVector<Guard> guards;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    maps.push_back(mapOperand(primitive, number, map));
    if (!maps.back())
      return {};
    Bounds open = getOpenBounds(maps.back(),
                                fuse::getTensorType(operand.get()).getShape());
    bool isPlaced = bool(primitive.getPlacement(number));
    // Of concatenated operands, one may hold all points of this statement.
    if (isPlaced && open.empty()) {
      Value only = emit(operand.get(), maps.back(), {});
      return only ? SmallVector<Value>{only} : SmallVector<Value>();
    }
    bool needsPadding = !isPlaced && !open.empty();
    guards.push_back(
        {open, needsPadding ? primitive.getPadding(number) : TypedAttr()});
  }
  SmallVector<Value> elements;
  for (auto [operand, operandMap, guard] :
       llvm::zip(op->getOperands(), maps, guards)) {
    elements.push_back(emit(operand, operandMap, guard));
    if (!elements.back())
      return {};
  }
  SmallVector<Value> point;
  for (AffineExpr expr : map.getResults())
    point.push_back(emitIndex(expr));
  Operation *before = body.empty() ? nullptr : &body.back();
  auto cast = dyn_cast<fuse::CastOp>(op);
  SmallVector<Value> results;
  if (cast && cast.getWhole())
    results = {kernel::NearestOp::create(builder, op->getLoc(),
                                         builder.getI32Type(), elements[0])};
  else
    results = primitive.buildBody(builder, point, elements, accumulators);
  // --fuse-mark-precise's mark goes over to the products that this makes.
  if (op->hasAttr(fuse::kPreciseAttr))
    for (Operation &made : llvm::make_range(
             before ? std::next(before->getIterator()) : body.begin(),
             body.end()))
      if (isa<arith::MulFOp>(made))
        made.setAttr(fuse::kPreciseAttr, builder.getUnitAttr());
  bool isCast = cast != nullptr;
  bool roundsResults = (rounds || isCast) && !primitive.reduces();
  for (auto [result, tensor] : llvm::zip(results, op->getResults())) {
    Type storage = fuse::getTensorType(tensor).getElementType();
    result = wrap(result, storage, before, /*keeps=*/!plan.getBody(op).wraps);
    if (roundsResults)
      result = round(result, storage, isCast);
  }
  return results;
}

Value StatementBuilder::compute(OpResult result, AffineMap map) {
  Operation *op = result.getOwner();
  if (Value known = computed.lookup({result, map}))
    return known;
  std::optional<Primitive> primitive = Primitive::get(op);
  SmallVector<Value> accumulators;
  for (TypedAttr init : primitive->getInits())
    accumulators.push_back(constant(init));
  SmallVector<Value> values = computeBody(*primitive, map, accumulators);
  if (values.empty())
    return {};
  for (auto [tensor, value] : llvm::zip(op->getResults(), values))
    computed[{tensor, map}] = value;
  return values[result.getResultNumber()];
}

Value StatementBuilder::read(Value value, AffineMap map) {
  return emit(value, map, {});
}

StmtOp StatementBuilder::create(OpBuilder &at, StringRef name,
                                ArrayRef<int64_t> reduced,
                                ArrayRef<Access> writes,
                                ArrayRef<Value> values) {
  // A store rounds by itself.
  SmallVector<Value> stored(values);
  for (auto [value, write] : llvm::zip(stored, writes))
    if (FloatType narrow = getNarrowFloat(
            cast<MemRefType>(write.array.getType()).getElementType()))
      if (Value number = getRounded(value, narrow))
        value = number;
  YieldOp::create(builder, builder.getUnknownLoc(), stored);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  SmallVector<std::string> dims;
  for (size_t d = 0; d < extents.size(); ++d)
    dims.push_back(getIteratorName(d));
  Location loc = FusedLoc::get(at.getContext(), locations.getArrayRef());
  auto stmt =
      StmtOp::create(at, loc, name, dims, extents, reduced, reads, writes);
  Block &target = stmt.getBody().front();
  for (auto [from, to] :
       llvm::zip(body.getArguments(), target.getArguments())) {
    to.setLoc(from.getLoc());
    from.replaceAllUsesWith(to);
  }
  target.getOperations().splice(target.end(), body.getOperations());
  return stmt;
}
