// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/SplitKeys.h"

#include "passes/graph/CopiedOperands.h"
#include "passes/graph/HiddenKeys.h"
#include "passes/graph/Simplify.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;
using utils::IteratorType;

/// Fewer keys than these are not worth a block: what is done once for each
/// costs more.
static constexpr int64_t kFewestKeys = 64;

/// The reduction of `value` along its dimension `dim` alone by `combiner`, if
/// `op` is one.
static ReduceOp matchReduction(Operation *op, Value value, unsigned dim,
                               Combiner combiner) {
  auto reduce = dyn_cast_if_present<ReduceOp>(op);
  if (!reduce || reduce->getNumOperands() != 1 ||
      !holds(value, reduce->getOperand(0)) || reduce.getDims().size() != 1 ||
      reduce.getDims().front() != int64_t(dim) ||
      getTensorType(value).getElementType() !=
          getTensorType(reduce->getResult(0)).getElementType())
    return nullptr;
  Block &body = reduce.getRegion().front();
  std::optional<SmallVector<Combiner>> merges = matchMerges(reduce);
  return merges && merges->front() == combiner &&
                 body.getOperations().size() == 2
             ? reduce
             : nullptr;
}

unsigned SplitKeys::getKeyDim(unsigned number) const {
  ContractOp contract = product;
  return *cast<PrimitiveOpInterface>(contract.getOperation())
              .getOperandMap(number)
              .getResultPosition(
                  getAffineDimExpr(cut.iterator, contract->getContext()));
}

bool SplitKeys::match() {
  auto op = cast<PrimitiveOpInterface>(product.getOperation());
  const SmallVector<IteratorType> iterators = op.getIterators();
  if (llvm::count(iterators, IteratorType::reduction) != 1)
    return false;
  cut.iterator =
      llvm::find(iterators, IteratorType::reduction) - iterators.begin();
  for (unsigned number : {0u, 1u})
    if (!op.getOperandMap(number).isProjectedPermutation() ||
        !op.getOperandMap(number).isFunctionOfDim(cut.iterator))
      return false;
  return matchRows(0) || matchRows(1);
}

/// The reduction that `value` is computed from, point by point, with constants
/// alone beside it; adds the operations between, in order. Null if there are
/// several, or none.
static ReduceOp findReduced(Value value,
                            SmallVectorImpl<Operation *> &between) {
  Operation *op = value.getDefiningOp();
  auto primitive = dyn_cast_if_present<PrimitiveOpInterface>(op);
  if (auto reduce = dyn_cast_if_present<ReduceOp>(op))
    return reduce;
  if (!primitive || !isPointwise(primitive))
    return nullptr;
  ReduceOp found;
  for (Value operand : op->getOperands()) {
    auto repeated = operand.getDefiningOp<BroadcastOp>();
    if (repeated && repeated.getOperand().getDefiningOp<ConstantOp>())
      continue;
    ReduceOp reduced = findReduced(operand, between);
    if (!reduced || (found && found != reduced))
      return nullptr;
    found = reduced;
  }
  if (!llvm::is_contained(between, op))
    between.push_back(op);
  return found;
}

bool SplitKeys::matchRows(unsigned operand) {
  rows = operand;
  Value multiplied = product->getOperand(rows);
  rounds.clear();
  while (auto cast = multiplied.getDefiningOp<CastOp>()) {
    rounds.insert(rounds.begin(), cast);
    multiplied = cast.getOperand();
  }
  auto exp = multiplied.getDefiningOp<ExpOp>();
  auto sub = exp ? exp.getOperand().getDefiningOp<SubOp>() : nullptr;
  auto repeated =
      sub ? sub.getRhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!repeated)
    return false;
  const unsigned dim = getKeyDim(rows);
  scores = sub.getLhs();
  shift.clear();
  maximum = matchReduction(findReduced(repeated.getOperand(), shift),
                           sub.getLhs(), dim, Combiner::Max);
  sum = nullptr;
  for (Operation *user : exp->getUsers())
    if (auto found = matchReduction(user, exp.getResult(), dim, Combiner::Add))
      sum = found;
  if (!maximum || !sum || sum->getBlock() != product->getBlock())
    return false;
  // Nothing else may need what is no longer there as a whole.
  chain = {maximum};
  chain.append(shift.begin(), shift.end());
  chain.append({repeated, sub, exp});
  chain.append(rounds.begin(), rounds.end());
  return llvm::all_of(chain, [&](Operation *member) {
    return member->getBlock() == product->getBlock() &&
           llvm::all_of(member->getUsers(), [&](Operation *user) {
             return llvm::is_contained(chain, user) || user == sum ||
                    user == product;
           });
  });
}

/// Bytes of the matrix for each key: of what is multiplied with one row.
static int64_t getKeyBytes(PrimitiveOpInterface product, unsigned rows) {
  int64_t bytes = getLaneBytes(getTensorType(product->getResult(0)));
  for (AffineExpr expr : product.getOperandMap(1 - rows).getResults())
    if (!product.getOperandMap(rows).getResultPosition(expr))
      bytes *=
          product
              .getIterationExtents()[cast<AffineDimExpr>(expr).getPosition()];
  return bytes;
}

std::string SplitKeys::cutKeys(const TargetInfo &target) {
  auto op = cast<PrimitiveOpInterface>(product.getOperation());
  const int64_t lane = getLaneBytes(getTensorType(op->getResult(0)));
  const int64_t keys = op.getIterationExtents()[cut.iterator];
  const int64_t bytes = getKeyBytes(op, rows);
  if (keys * bytes <= target.getPanelBytes() &&
      keys <= target.getBlockedRowElements(lane))
    return "its keys stay in the cache";
  // Of many rows, each block reads its keys from the second-level cache. Blocks
  // that divide the keys are half as long at least; else the last one is short.
  const int64_t most = target.getPanelBytes() / (4 * bytes);
  if (most < kFewestKeys)
    return "a block of " + std::to_string(kFewestKeys) +
           " keys would not stay in the cache";
  cut.length = most;
  while (2 * cut.length >= most && keys % cut.length != 0)
    --cut.length;
  if (keys % cut.length != 0)
    cut.length = llvm::alignTo(
        llvm::divideCeil(keys, llvm::divideCeil(keys, most)), target.lanes);
  cut.parts = llvm::divideCeil(keys, cut.length);
  return "";
}

/// Whether `op` reads a result of `reads`, or of what is in it.
static bool readsAny(Operation *op, const llvm::SetVector<Operation *> &reads) {
  bool found = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      found |=
          operand.getDefiningOp() && reads.contains(operand.getDefiningOp());
  });
  return found;
}

/// What stands between `sum` and `product` and is computed from the sum.
static llvm::SetVector<Operation *> findReaders(Operation *sum,
                                                Operation *product) {
  llvm::SetVector<Operation *> readers;
  if (product->isBeforeInBlock(sum))
    return readers;
  readers.insert(sum);
  for (Operation *op = sum->getNextNode(); op != product;
       op = op->getNextNode())
    if (readsAny(op, readers))
      readers.insert(op);
  readers.remove(sum);
  return readers;
}

FailureOr<SplitKeys> SplitKeys::plan(PrimitiveOpInterface op,
                                     const TargetInfo &target,
                                     std::string &reason) {
  auto contract = dyn_cast<ContractOp>(op.getOperation());
  if (!contract || target.hasBlocks())
    return failure();
  SplitKeys plan(contract);
  if (!plan.match())
    return failure();
  reason = plan.cutKeys(target);
  if (!reason.empty())
    return failure();
  llvm::SetVector<Operation *> scoring;
  if (!collectParts(plan.scores, plan.getKeyDim(plan.rows), op->getBlock(),
                    scoring, /*contractsToo=*/true)) {
    reason = "its scores cannot be computed in blocks, and would have to be "
             "stored first";
    return failure();
  }
  if (llvm::none_of(scoring, llvm::IsaPred<ContractOp>)) {
    reason = "its scores are no product";
    return failure();
  }
  if (readsAny(contract, findReaders(plan.sum, contract))) {
    reason = "its matrix is computed from the sum of its rows";
    return failure();
  }
  plan.scoring = scoring;
  return plan;
}

SmallVector<PrimitiveOpInterface> SplitKeys::gather() const {
  Operation *first = sum, *last = product;
  const llvm::SetVector<Operation *> readers = findReaders(first, last);
  first->moveBefore(last);
  for (Operation *op : llvm::reverse(readers.getArrayRef()))
    op->moveAfter(last);
  return {sum, product};
}

SmallVector<Operation *> SplitKeys::getProducers() const {
  SmallVector<Operation *> all = llvm::to_vector(scoring);
  all.append(chain.begin(), chain.end());
  llvm::sort(all,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return all;
}

Value SplitKeys::spread(TensorBuilder &b, Value value,
                        ArrayRef<int64_t> shape) const {
  auto op = cast<PrimitiveOpInterface>(ContractOp(product).getOperation());
  SmallVector<std::pair<int64_t, int64_t>> places = {{0, 0}};
  for (AffineExpr expr : op.getOperandMap(rows).getResults())
    if (std::optional<unsigned> place =
            op.getResultMap(0).getResultPosition(expr))
      places.push_back({*place + 1, int64_t(places.size())});
  llvm::sort(places);
  SmallVector<int64_t> dims, order;
  for (auto [place, dim] : places) {
    dims.push_back(place);
    order.push_back(dim);
  }
  return b.broadcast(b.transpose(value, order), shape, dims);
}

/// `made` of the scores, whose dimension `dim` has keys in blocks, with minus
/// infinity for the keys that the last block has beyond the end.
Value SplitKeys::maskRest(TensorBuilder &b, Value made, unsigned dim) const {
  const int64_t keys = getTensorType(scores).getDimSize(dim);
  if (cut.parts * cut.length == keys)
    return made;
  auto type = getTensorType(made);
  auto places = RankedTensorType::get({cut.parts, cut.length},
                                      b.getInteger(double(2 * keys)));
  Value first = b.binary<MulOp>(b.iota(places, 0), double(cut.length));
  Value isKey = b.compare(CmpPredicate::lt, b.add(first, b.iota(places, 1)),
                          double(keys));
  return b.select(b.broadcast(isKey, type.getShape(), {0, int64_t(dim) + 1}),
                  made, -std::numeric_limits<double>::infinity());
}

/// Copies the matrix of `made`, the product in blocks, where something else
/// lies between the keys of a block (other heads), each on a page of its own,
/// and there are at least as many rows as these.
void SplitKeys::bringKeysTogether(ContractOp made) const {
  const unsigned matrix = 1 - rows;
  auto primitive = cast<PrimitiveOpInterface>(made.getOperation());
  AffineMap map = primitive.getOperandMap(matrix),
            row = primitive.getOperandMap(rows),
            result = primitive.getResultMap(0);
  SmallVector<int64_t> extents = primitive.getIterationExtents();
  int64_t uses = 1;
  for (AffineExpr expr : row.getResults())
    if (!map.getResultPosition(expr))
      uses *= extents[cast<AffineDimExpr>(expr).getPosition()];
  // What numbers matrices, then keys, then columns.
  auto getRank = [&](int64_t dim) {
    AffineExpr expr = map.getResult(unsigned(dim));
    return !row.getResultPosition(expr)     ? 2
           : result.getResultPosition(expr) ? 0
                                            : 1;
  };
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, map.getNumResults()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(getRank(a), a) < std::pair(getRank(b), b);
  });
  auto type = getTensorType(made->getOperand(matrix));
  SmallVector<int64_t> wide;
  for (int64_t dim : order)
    if (type.getDimSize(unsigned(dim)) > 1)
      wide.push_back(dim);
  if (llvm::is_sorted(wide) || uses < cut.length)
    return;
  OpBuilder builder(made);
  TensorBuilder b(builder, made->getLoc());
  Value copy = b.transpose(made->getOperand(matrix), order);
  copy.getDefiningOp<TransposeOp>().setStored(true);
  replaceOperand(made, matrix, order, copy);
}

SmallVector<Value> SplitKeys::build(OpBuilder &builder) const {
  TensorBuilder b(builder, product->getLoc());
  PartBuilder parts(b, cut, scoring);
  const unsigned dim = getKeyDim(rows);
  const int64_t along = dim + 1;
  Value made = parts.build(scores, dim);
  // A block that is hidden as a whole counts for nothing; where minus infinity
  // hides it, --sched-skip-masked knows that its kernel may leave it out.
  Operation *replaced = nullptr;
  if (auto select = made.getDefiningOp<SelectOp>();
      select && raisesOnly() && hidesForGood(scores, dim)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(select);
    replaced = select.getRhs().getDefiningOp();
    select.getRhsMutable().assign(
        b.splatLike(-std::numeric_limits<double>::infinity(), select.getRhs()));
  }
  made = maskRest(b, made, dim);
  auto type = getTensorType(made);
  const double lowest =
      APFloat::getLargest(
          cast<FloatType>(type.getElementType()).getFloatSemantics(),
          /*Negative=*/true)
          .convertToDouble();
  Value greatest = b.reduce(Combiner::Max, made, {along});
  Value maxima = b.max(greatest, lowest);
  Value exps = b.unary<ExpOp>(
      b.sub(made, b.broadcastBack(maxima, type.getShape(), {along})));
  Value sums = b.reduce(Combiner::Add, exps, {along});
  Value rounded = exps;
  for (Operation *round : rounds)
    rounded =
        b.cast(rounded, getTensorType(round->getResult(0)).getElementType());
  SmallVector<Value> operands = {rounded, rounded};
  operands[1 - rows] =
      parts.build(product->getOperand(1 - rows), getKeyDim(1 - rows));
  Value products = parts.contract(product, cut.iterator, operands);
  bringKeysTogether(products.getDefiningOp<ContractOp>());
  // Together, as much less as the rows were without blocks.
  IRMapping mapping;
  mapping.map(ReduceOp(maximum)->getResult(0),
              b.reduce(Combiner::Max, greatest, {0}));
  Value shifted = mapping.lookup(ReduceOp(maximum)->getResult(0));
  for (Operation *step : shift)
    shifted = builder.clone(*step, mapping)->getResult(0);
  Value weights = b.unary<ExpOp>(b.sub(
      maxima, b.broadcastBack(shifted, getTensorType(maxima).getShape(), {0})));
  Value sum = b.reduce(Combiner::Add, b.mul(weights, sums), {0});
  Value spread = this->spread(b, weights, getTensorType(products).getShape());
  // As --fuse-assign-layout does of rows that stay together.
  for (ContractOp made : parts.getContractions())
    if (std::optional<unsigned> operand =
            findCopied(made, /*keepsOrder=*/false))
      copyOperand(made, *operand);
  Value result = b.reduce(Combiner::Add, b.mul(spread, products), {0});
  if (replaced && isOpTriviallyDead(replaced))
    replaced->erase();
  return {sum, result};
}
