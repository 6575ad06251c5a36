// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers, index maps and bodies of the primitives that contract or reduce.
#include "dialects/fuse/FuseOps.h"

#include "dialects/coded/CodedFloats.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;
using utils::IteratorType;

//===- contract ----------------------------------------------------------===//

static AffineMap mapAt(ContractOp op, unsigned index) {
  return cast<AffineMapAttr>(op.getMaps()[index]).getValue();
}

/// Codes of f8, f6 and f4 have no sums.
static LogicalResult verifyNumbers(Operation *op) {
  if (llvm::none_of(op->getOperandTypes(), [](Type t) { return isCoded(t); }))
    return success();
  return op->emitOpError("needs numbers to compute with; f8, f6 and f4 are cast "
                         "first");
}

LogicalResult ContractOp::verify() {
  if (failed(verifyNumbers(*this)))
    return failure();
  if (getMaps().size() != 3)
    return emitOpError("needs three maps: lhs, rhs, result");
  unsigned count = mapAt(*this, 0).getNumDims();
  SmallVector<int64_t> extents(count, -1);
  Value tensors[] = {getLhs(), getRhs(), getResult()};
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    AffineMap map = mapAt(*this, index);
    auto type = getTensorType(tensor);
    if (map.getNumDims() != count || map.getNumSymbols() != 0 ||
        !map.isProjectedPermutation())
      return emitOpError() << "needs map " << index
                           << " to be a projected permutation of " << count
                           << " iterators";
    if (map.getNumResults() != type.getRank())
      return emitOpError() << "has map " << index << " with "
                           << map.getNumResults()
                           << " results for a tensor of rank "
                           << type.getRank();
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      int64_t &extent = extents[cast<AffineDimExpr>(expr).getPosition()];
      int64_t actual = type.getDimSize(position);
      if (extent != -1 && extent != actual)
        return emitOpError()
               << "has iterator " << cast<AffineDimExpr>(expr).getPosition()
               << " with extents " << extent << " and " << actual;
      extent = actual;
    }
  }
  if (llvm::is_contained(extents, -1))
    return emitOpError("has an iterator that no tensor uses");
  SmallVector<IteratorType> iterators = getIterators();
  if (!llvm::is_sorted(iterators, [](IteratorType a, IteratorType b) {
        return a == IteratorType::parallel && b == IteratorType::reduction;
      }))
    return emitOpError("needs parallel iterators before reduction iterators");
  return success();
}

SmallVector<int64_t> ContractOp::getIterationExtents() {
  SmallVector<int64_t> extents(mapAt(*this, 0).getNumDims());
  Value tensors[] = {getLhs(), getRhs(), getResult()};
  for (auto [index, tensor] : llvm::enumerate(tensors))
    for (auto [position, expr] :
         llvm::enumerate(mapAt(*this, index).getResults()))
      extents[cast<AffineDimExpr>(expr).getPosition()] =
          getTensorType(tensor).getDimSize(position);
  return extents;
}

SmallVector<IteratorType> ContractOp::getIterators() {
  SmallVector<IteratorType> iterators(mapAt(*this, 0).getNumDims(),
                                      IteratorType::reduction);
  for (AffineExpr expr : mapAt(*this, 2).getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] = IteratorType::parallel;
  return iterators;
}

AffineMap ContractOp::getOperandMap(unsigned operand) {
  return mapAt(*this, operand);
}

AffineMap ContractOp::getResultMap(unsigned) { return mapAt(*this, 2); }

TypedAttr ContractOp::getInit(unsigned) {
  return Builder(getContext())
      .getZeroAttr(getComputeType(getTensorType(getResult()).getElementType()));
}

SmallVector<Value> ContractOp::buildBody(OpBuilder &b, Location loc, ValueRange,
                                         ValueRange elements,
                                         ValueRange accumulators) {
  bool isFloat = isa<FloatType>(elements[0].getType());
  // Of floats, a sum takes in its terms with one rounding.
  if (isFloat && hasReduction())
    return {
        math::FmaOp::create(b, loc, elements[0], elements[1], accumulators[0])};
  Value product =
      isFloat ? Value(arith::MulFOp::create(b, loc, elements[0], elements[1]))
              : arith::MulIOp::create(b, loc, elements[0], elements[1]);
  if (!hasReduction())
    return {product};
  return {arith::AddIOp::create(b, loc, accumulators[0], product)};
}

//===- reduce ------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (failed(verifyNumbers(*this)))
    return failure();
  if (getInputs().empty())
    return emitOpError("needs an input");
  auto first = getTensorType(getInputs().front());
  int64_t previous = -1;
  for (int64_t d : getDims()) {
    if (d <= previous || d >= first.getRank())
      return emitOpError() << "needs increasing dims below the rank "
                           << first.getRank() << ", has [" << getDims() << "]";
    previous = d;
  }
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < first.getRank(); ++i)
    if (!llvm::is_contained(getDims(), i))
      kept.push_back(first.getDimSize(i));
  SmallVector<Type> expected;
  for (Value result : getResults()) {
    auto type = getTensorType(result);
    if (type.getShape() != ArrayRef<int64_t>(kept))
      return emitOpError() << "has result shape [" << type.getShape()
                           << "] but computes [" << kept << "]";
    expected.push_back(getComputeType(type.getElementType()));
  }
  if (getInits().size() != getResults().size())
    return emitOpError() << "needs one init for each of its "
                         << getResults().size() << " results, has "
                         << getInits().size();
  for (auto [init, type] : llvm::zip(getInits(), expected))
    if (!isa<TypedAttr>(init) || cast<TypedAttr>(init).getType() != type)
      return emitOpError() << "needs an init of type " << type << ", has "
                           << init;
  size_t accumulators = expected.size();
  for (Value input : getInputs()) {
    if (getTensorType(input).getShape() != first.getShape())
      return emitOpError("has inputs of different shapes");
    expected.push_back(getComputeType(getTensorType(input).getElementType()));
  }
  Block &block = getCombiner().front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(expected))
    return emitOpError() << "needs combiner arguments " << TypeRange(expected)
                         << ", has " << TypeRange(block.getArgumentTypes());
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || TypeRange(yield.getValues()) !=
                    TypeRange(expected).take_front(accumulators))
    return emitOpError("needs a combiner that yields one value per result");
  for (Operation &op : block.without_terminator())
    if (op.getNumRegions() || !isMemoryEffectFree(&op))
      return emitOpError("needs a combiner of pure scalar operations")
                 .attachNote(op.getLoc())
             << "this operation is not one";
  return success();
}

SmallVector<int64_t> ReduceOp::getIterationExtents() {
  auto type = getTensorType(getInputs().front());
  SmallVector<int64_t> extents;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!llvm::is_contained(getDims(), i))
      extents.push_back(type.getDimSize(i));
  for (int64_t d : getDims())
    extents.push_back(type.getDimSize(d));
  return extents;
}

SmallVector<IteratorType> ReduceOp::getIterators() {
  size_t rank = getTensorType(getInputs().front()).getRank();
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  for (size_t i = rank - getDims().size(); i < rank; ++i)
    iterators[i] = IteratorType::reduction;
  return iterators;
}

AffineMap ReduceOp::getOperandMap(unsigned) {
  int64_t rank = getTensorType(getInputs().front()).getRank();
  int64_t parallel = 0, reduced = rank - getDims().size();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < rank; ++i)
    exprs.push_back(getAffineDimExpr(
        llvm::is_contained(getDims(), i) ? reduced++ : parallel++,
        getContext()));
  return AffineMap::get(rank, 0, exprs, getContext());
}

AffineMap ReduceOp::getResultMap(unsigned) {
  int64_t rank = getTensorType(getInputs().front()).getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0, e = rank - getDims().size(); i < e; ++i)
    exprs.push_back(getAffineDimExpr(i, getContext()));
  return AffineMap::get(rank, 0, exprs, getContext());
}

TypedAttr ReduceOp::getInit(unsigned result) {
  return cast<TypedAttr>(getInits()[result]);
}

SmallVector<Value> ReduceOp::buildBody(OpBuilder &b, Location loc, ValueRange,
                                       ValueRange elements,
                                       ValueRange accumulators) {
  Block &block = getCombiner().front();
  IRMapping mapping;
  SmallVector<Value> arguments(accumulators);
  // Over no dimension, each element meets the initial value alone.
  if (arguments.empty())
    for (Attribute init : getInits())
      arguments.push_back(
          arith::ConstantOp::create(b, loc, cast<TypedAttr>(init)));
  llvm::append_range(arguments, elements);
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    b.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : cast<YieldOp>(block.getTerminator()).getValues())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

void ReduceOp::build(OpBuilder &builder, OperationState &state,
                     ValueRange inputs, ArrayRef<TypedAttr> inits,
                     ArrayRef<int64_t> dims,
                     llvm::function_ref<SmallVector<Value>(
                         OpBuilder &, Location, ValueRange, ValueRange)>
                         combiner) {
  auto first = getTensorType(inputs.front());
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < first.getRank(); ++i)
    if (!llvm::is_contained(dims, i))
      kept.push_back(first.getDimSize(i));
  state.addOperands(inputs);
  SmallVector<Attribute> initAttrs(inits.begin(), inits.end());
  state.addAttribute(getInitsAttrName(state.name),
                     builder.getArrayAttr(initAttrs));
  state.addAttribute(getDimsAttrName(state.name),
                     builder.getDenseI64ArrayAttr(dims));
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (TypedAttr init : inits) {
    state.addTypes(RankedTensorType::get(kept, init.getType()));
    block->addArgument(init.getType(), state.location);
  }
  for (Value input : inputs)
    block->addArgument(getComputeType(getTensorType(input).getElementType()),
                       state.location);
  SmallVector<Value> results = combiner(
      builder, state.location, block->getArguments().take_front(inits.size()),
      block->getArguments().drop_front(inits.size()));
  YieldOp::create(builder, state.location, results);
}
