// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/SplitReduction.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// What the operation is like
//===----------------------------------------------------------------------===//

int64_t fusec::fuse::countTasks(PrimitiveOpInterface op,
                                const TargetInfo &target) {
  // Parallel iterators come first.
  SmallVector<int64_t> extents = op.getIterationExtents();
  extents.resize(llvm::count(op.getIterators(), IteratorType::parallel));
  SmallVector<unsigned> contiguous;
  bool reuses = false;
  for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
    AffineMap map = op.getOperandMap(i);
    reuses |= !map.isPermutation();
    for (AffineExpr expr : map.getResults().take_back())
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && dim.getPosition() < extents.size())
        contiguous.push_back(dim.getPosition());
  }
  return target.countTasks(extents, contiguous, reuses,
                           getLaneBytes(getTensorType(op->getResult(0))));
}

std::optional<Cut> fusec::fuse::findCut(PrimitiveOpInterface op,
                                        int64_t cores) {
  constexpr int64_t kMostParts = 4, kLongerThanTail = 16;
  std::optional<Cut> best;
  int64_t bestExtent = 0;
  auto consider = [&](const Cut &cut, int64_t extent) {
    bool isExact = !cut.tail;
    if (best &&
        std::pair(isExact, extent) <= std::pair(best->tail == 0, bestExtent))
      return;
    best = cut;
    bestExtent = extent;
  };
  for (auto [iterator, extent, kind] :
       llvm::enumerate(op.getIterationExtents(), op.getIterators())) {
    if (kind != IteratorType::reduction)
      continue;
    unsigned number = iterator;
    for (int64_t parts = cores; parts <= kMostParts * cores; ++parts)
      if (extent % parts == 0) {
        consider({number, parts, extent / parts, 0}, extent);
        break;
      }
    if (extent >= kLongerThanTail * cores)
      consider({number, cores, extent / cores, extent % cores}, extent);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// What it reads
//===----------------------------------------------------------------------===//

/// Whether `value` is computed, point by point, from a reduced value of the
/// same shape: then it is best computed with that one, and read.
static bool isEpilogue(Value value, Block *block) {
  llvm::SetVector<Value> chain;
  chain.insert(value);
  for (size_t i = 0; i < chain.size(); ++i) {
    auto primitive =
        dyn_cast_if_present<PrimitiveOpInterface>(chain[i].getDefiningOp());
    if (!primitive || primitive->getBlock() != block)
      continue;
    if (primitive.hasReduction())
      return true;
    if (isPointwise(primitive))
      chain.insert_range(primitive->getOperands());
  }
  return false;
}

std::optional<unsigned> SplitReduction::getCutDim(unsigned operand) const {
  PrimitiveOpInterface reduction = op;
  return reduction.getOperandMap(operand).getResultPosition(
      getAffineDimExpr(cut.iterator, reduction->getContext()));
}

FailureOr<SplitReduction> SplitReduction::plan(PrimitiveOpInterface op,
                                               const TargetInfo &target,
                                               std::string &reason) {
  auto refuse = [&](const llvm::Twine &why) {
    reason = why.str();
    return failure();
  };
  for (Type type : op->getResultTypes()) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (getComputeType(element) != element)
      return refuse("its result is narrower than what it computes in");
  }
  std::optional<SmallVector<Combiner>> merges = matchMerges(op);
  if (!merges)
    return refuse("two partial results have no rule that merges them: the "
                  "combiner is more than one associative operation");
  std::optional<Cut> cut = findCut(op, target.cores);
  if (!cut)
    return refuse("no reduced dimension is long enough for " +
                  llvm::Twine(target.cores) + " parts or divides into them");
  SplitReduction plan(op);
  plan.cut = *cut;
  plan.merges = *merges;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<unsigned> dim = plan.getCutDim(number);
    if (!dim || isEpilogue(operand, op->getBlock()))
      continue;
    // A contraction reads what is stored.
    bool contracts = !op.getOperandMap(number).isPermutation();
    if (!contracts && !collectParts(operand, *dim, op->getBlock(),
                                    plan.producers, /*contractsToo=*/false))
      return refuse("an operand is a computed value that cannot be computed "
                    "part by part, and would have to be stored first");
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// The parts, the tail, and what they are together
//===----------------------------------------------------------------------===//

/// A reduction like `like` of other operands, over `dims`.
static SmallVector<Value> reduceLike(TensorBuilder &b, ReduceOp like,
                                     ArrayRef<Value> inputs,
                                     ArrayRef<int64_t> dims) {
  SmallVector<TypedAttr> inits;
  for (Attribute init : like.getInits())
    inits.push_back(cast<TypedAttr>(init));
  auto reduce = ReduceOp::create(
      b.builder, b.loc, ValueRange(inputs), inits, dims,
      [&](OpBuilder &builder, Location loc, ValueRange accumulators,
          ValueRange elements) {
        return like.buildBody(builder, loc, {}, elements, accumulators);
      });
  return SmallVector<Value>(reduce.getResults());
}

SmallVector<Value> SplitReduction::buildParts(TensorBuilder &b) const {
  PartBuilder parts(b, cut, producers);
  SmallVector<Value> operands;
  Operation *operation = op;
  for (auto [number, operand] : llvm::enumerate(operation->getOperands())) {
    std::optional<unsigned> dim = getCutDim(number);
    operands.push_back(dim ? parts.build(operand, *dim) : operand);
  }
  if (auto reduce = dyn_cast<ReduceOp>(operation)) {
    SmallVector<int64_t> reduced;
    for (int64_t d : reduce.getDims())
      reduced.push_back(d + 1);
    return reduceLike(b, reduce, operands, reduced);
  }
  return {parts.contract(cast<ContractOp>(operation), cut.iterator, operands)};
}

SmallVector<Value> SplitReduction::buildTail(TensorBuilder &b) const {
  IRMapping mapping;
  for (Operation *producer : producers)
    b.builder.clone(*producer, mapping);
  Operation *operation = op;
  SmallVector<Value> operands;
  for (auto [number, old] : llvm::enumerate(operation->getOperands())) {
    Value operand = mapping.lookupOrDefault(old);
    if (std::optional<unsigned> dim = getCutDim(number)) {
      auto type = getTensorType(operand);
      SmallVector<int64_t> shape(type.getShape());
      SmallVector<int64_t> offsets(shape.size()), strides(shape.size(), 1);
      offsets[*dim] = cut.parts * cut.length;
      shape[*dim] = cut.tail;
      operand = b.make<SliceOp>(type.clone(shape), operand, offsets, strides);
    }
    operands.push_back(operand);
  }
  if (auto reduce = dyn_cast<ReduceOp>(operation))
    return reduceLike(b, reduce, operands, reduce.getDims());
  auto contract = cast<ContractOp>(operation);
  return {b.make<ContractOp>(contract.getType(), operands[0], operands[1],
                             contract.getMaps())};
}

/// Two values of one accumulator as one.
static Value merge(TensorBuilder &b, Combiner combiner, Value lhs, Value rhs) {
  switch (combiner) {
  case Combiner::Add:
    return b.add(lhs, rhs);
  case Combiner::Mul:
    return b.mul(lhs, rhs);
  case Combiner::Max:
    return b.max(lhs, rhs);
  case Combiner::Min:
    return b.min(lhs, rhs);
  case Combiner::And:
    return b.binary<AndOp>(lhs, rhs);
  case Combiner::Or:
    return b.binary<OrOp>(lhs, rhs);
  }
  llvm_unreachable("all combiners are handled");
}

SmallVector<Value> SplitReduction::build(OpBuilder &builder) const {
  Operation *operation = op;
  TensorBuilder b(builder, operation->getLoc());
  SmallVector<Value> results;
  for (auto [parts, combiner] : llvm::zip(buildParts(b), merges))
    results.push_back(b.reduce(combiner, parts, {0}));
  if (cut.tail)
    for (auto [result, tail, combiner] :
         llvm::zip(results, buildTail(b), merges))
      result = merge(b, combiner, result, tail);
  return results;
}
