// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed alike from neighbouring parts of one tensor is computed at
// once, and its readers take their parts of that.
#include "passes/graph/Simplify.h"

#include <map>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
/// Builds one computation out of two that differ in the part that they read.
class Joiner {
public:
  explicit Joiner(RewriterBase &rewriter) : rewriter(rewriter) {}

  /// Whether `second` continues `first` along dimension `dim`.
  bool canJoin(Value first, Value second, unsigned dim);
  /// Both, one after the other along `dim`; `canJoin` holds.
  Value join(Value first, Value second, unsigned dim);

private:
  struct Operand {
    /// Where the joined dimension is in it; nothing if it has none.
    std::optional<unsigned> dim;
  };
  static std::optional<Operand> findDim(PrimitiveOpInterface op, unsigned index,
                                        unsigned dim);

  RewriterBase &rewriter;
  std::map<std::tuple<void *, void *, unsigned>, Value> joined;
};
} // namespace

static bool areAlikeBut(Value first, Value second, unsigned dim) {
  auto a = getTensorType(first), b = getTensorType(second);
  if (a.getRank() != b.getRank())
    return false;
  SmallVector<int64_t> shape(a.getShape());
  shape[dim] = b.getDimSize(dim);
  return a.clone(shape) == b;
}

/// Whether both are parts of one tensor, the second right behind the first
/// along `dim`.
static bool areNeighbours(SliceOp a, SliceOp b, unsigned dim) {
  if (!a || !b || a.getOperand() != b.getOperand() ||
      a.getStrides() != b.getStrides() || a.getStrides()[dim] != 1)
    return false;
  SmallVector<int64_t> offsets(a.getOffsets());
  offsets[dim] += a.getType().getDimSize(dim);
  return ArrayRef<int64_t>(offsets) == b.getOffsets();
}

/// Where operand `index` has the dimension `dim` of the result as it is;
/// nothing if it reads other points along it.
std::optional<Joiner::Operand> Joiner::findDim(PrimitiveOpInterface op,
                                               unsigned index, unsigned dim) {
  AffineMap map = op.getOperandMap(index);
  auto iterator = cast<AffineDimExpr>(op.getResultMap(0).getResult(dim));
  if (!map.isFunctionOfDim(iterator.getPosition()))
    return Operand();
  std::optional<unsigned> found = map.getResultPosition(iterator);
  if (!found || getTensorType(op->getOperand(index)).getDimSize(*found) !=
                    getTensorType(op->getResult(0)).getDimSize(dim))
    return std::nullopt;
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    if (position != *found && expr.isFunctionOfDim(iterator.getPosition()))
      return std::nullopt;
  return Operand{*found};
}

/// Whether the body of `op` asks where it is along the dimension.
static bool readsIndex(PrimitiveOpInterface op, unsigned dim) {
  Block block;
  buildBodyIn(block, op);
  auto iterator = cast<AffineDimExpr>(op.getResultMap(0).getResult(dim));
  return !block.getArgument(iterator.getPosition()).use_empty();
}

bool Joiner::canJoin(Value first, Value second, unsigned dim) {
  auto a = first.getDefiningOp<PrimitiveOpInterface>(),
       b = second.getDefiningOp<PrimitiveOpInterface>();
  if (!a || !b || a == b || a->getName() != b->getName() ||
      a->getBlock() != b->getBlock() || !areAlikeBut(first, second, dim))
    return false;
  if (areNeighbours(dyn_cast<SliceOp>(*a), dyn_cast<SliceOp>(*b), dim))
    return true;
  if (a->getNumResults() != 1 || a->getNumRegions() != 0 || a.hasReduction() ||
      a->getNumOperands() != b->getNumOperands() ||
      a->getAttrDictionary() != b->getAttrDictionary() || readsIndex(a, dim))
    return false;
  for (unsigned i = 0, e = a->getNumOperands(); i < e; ++i) {
    std::optional<Operand> operand = findDim(a, i, dim);
    if (!operand || !a.getIndirect(i).empty() ||
        a.getOperandMap(i) != b.getOperandMap(i))
      return false;
    if (operand->dim
            ? !findDim(b, i, dim) ||
                  !canJoin(a->getOperand(i), b->getOperand(i), *operand->dim)
            : a->getOperand(i) != b->getOperand(i))
      return false;
  }
  return true;
}

Value Joiner::join(Value first, Value second, unsigned dim) {
  Value &result =
      joined[{first.getAsOpaquePointer(), second.getAsOpaquePointer(), dim}];
  if (result)
    return result;
  auto a = first.getDefiningOp<PrimitiveOpInterface>(),
       b = second.getDefiningOp<PrimitiveOpInterface>();
  SmallVector<Value> operands(a->getOperands());
  if (!areNeighbours(dyn_cast<SliceOp>(*a), dyn_cast<SliceOp>(*b), dim))
    for (auto [i, operand] : llvm::enumerate(operands))
      if (std::optional<unsigned> inner = findDim(a, i, dim)->dim)
        operand = join(operand, b->getOperand(i), *inner);
  auto type = getTensorType(first);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] += getTensorType(second).getDimSize(dim);
  OperationState state(rewriter.getFusedLoc({a.getLoc(), b.getLoc()}),
                       a->getName());
  state.addOperands(operands);
  state.addAttributes(a->getAttrs());
  state.addTypes(type.clone(shape));
  return result = rewriter.create(state)->getResult(0);
}

/// Whether `value` is stored for contractions, and for nothing else: they read
/// it, or a reshape of it.
static bool isStoredForContractions(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           return isa<ContractOp>(user) ||
                  (isa<ReshapeOp>(user) && !user->use_empty() &&
                   llvm::all_of(user->getUsers(), llvm::IsaPred<ContractOp>));
         });
}

namespace {
/// f(slice x), f(next slice of x) = the two parts of f(both slices of x), where
/// f computes point by point along the cut. Rotary embeddings of queries and
/// keys are one pass over the product that made both.
struct JoinAlike : public OpInterfaceRewritePattern<PrimitiveOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(PrimitiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isPointByPoint(op) || !isStoredForContractions(op->getResult(0)))
      return failure();
    Value first = op->getResult(0);
    unsigned rank = getTensorType(first).getRank();
    Joiner joiner(rewriter);
    for (Operation &other : *op->getBlock()) {
      if (other.getName() != op->getName() || &other == op.getOperation())
        continue;
      Value second = other.getResult(0);
      if (!isStoredForContractions(second))
        continue;
      for (unsigned dim = 0; dim < rank; ++dim) {
        if (!joiner.canJoin(first, second, dim))
          continue;
        SmallVector<int64_t> whole(getTensorType(first).getShape());
        int64_t offset = whole[dim];
        whole[dim] += getTensorType(second).getDimSize(dim);
        if (!isReadAsPart(first, dim, 0, whole[dim]) ||
            !isReadAsPart(second, dim, offset, whole[dim]))
          continue;
        // What both read stands above the first of them.
        rewriter.setInsertionPoint(op->isBeforeInBlock(&other) ? op : &other);
        Value both = joiner.join(first, second, dim);
        replaceByPart(first, both, dim, 0, rewriter);
        replaceByPart(second, both, dim, offset, rewriter);
        return success();
      }
    }
    return failure();
  }
};
} // namespace

void fusec::fuse::populateSimplifyAlike(RewritePatternSet &patterns) {
  patterns.add<JoinAlike>(patterns.getContext());
}
