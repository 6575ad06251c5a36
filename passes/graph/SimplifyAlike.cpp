// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed alike from neighbouring parts of one tensor is computed at
// once, and its readers take their parts of that.
#include "passes/graph/Simplify.h"

#include "llvm/ADT/SetVector.h"

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
  /// All operations of the block of `op` that `canJoin` may take for its
  /// second, in their order, and perhaps more.
  static SmallVector<Operation *> findSeconds(PrimitiveOpInterface op);

private:
  /// From an operation up to the one behind it: the operand that it is there.
  using Path = SmallVector<std::pair<Operation *, unsigned>>;
  using Found = llvm::SetVector<Operation *>;
  static bool descend(Value first, unsigned dim, Path &path, Found &found);
  static void climb(Operation *op, ArrayRef<std::pair<Operation *, unsigned>>,
                    Found &found);

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

/// Whether `op` has one result, each element of which is computed by itself.
static bool isPlain(PrimitiveOpInterface op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         !op.hasReduction();
}

bool Joiner::canJoin(Value first, Value second, unsigned dim) {
  auto a = first.getDefiningOp<PrimitiveOpInterface>(),
       b = second.getDefiningOp<PrimitiveOpInterface>();
  if (!a || !b || a == b || a->getName() != b->getName() ||
      a->getBlock() != b->getBlock() || !areAlikeBut(first, second, dim))
    return false;
  if (areNeighbours(dyn_cast<SliceOp>(*a), dyn_cast<SliceOp>(*b), dim))
    return true;
  if (!isPlain(a) || a->getNumOperands() != b->getNumOperands() ||
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

/// What takes `op` in place of the last step of `path`, and so on up to those
/// in place of its first. Each operation is met once: it has one such operand.
void Joiner::climb(Operation *op,
                   ArrayRef<std::pair<Operation *, unsigned>> path,
                   Found &found) {
  if (path.empty()) {
    found.insert(op);
    return;
  }
  auto [step, index] = path.back();
  for (OpOperand &use : op->getResult(0).getUses())
    if (use.getOperandNumber() == index &&
        use.getOwner()->getName() == step->getName())
      climb(use.getOwner(), path.drop_back(), found);
}

/// Follows one operand as `canJoin` does, down to what both computations read:
/// the tensor of which they take parts, or a value without the dimension. Its
/// other readers are where the second may begin. False if all that `first` is
/// computed from has no operands.
bool Joiner::descend(Value first, unsigned dim, Path &path, Found &found) {
  auto op = first.getDefiningOp<PrimitiveOpInterface>();
  if (!op || !isPlain(op))
    return true; // joins nothing
  auto climbFrom = [&](Value shared) {
    for (Operation *user : shared.getUsers())
      if (user->getName() == op->getName())
        climb(user, path, found);
  };
  if (auto slice = dyn_cast<SliceOp>(*op))
    climbFrom(slice.getOperand());
  for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
    std::optional<Operand> operand = findDim(op, i, dim);
    if (!operand)
      return true;
    if (!operand->dim) {
      climbFrom(op->getOperand(i));
      return true;
    }
    path.push_back({op, i});
    bool isAll = descend(op->getOperand(i), *operand->dim, path, found);
    path.pop_back();
    if (isAll)
      return true;
  }
  return false;
}

SmallVector<Operation *> Joiner::findSeconds(PrimitiveOpInterface op) {
  Found found;
  bool isAll = true;
  for (unsigned dim = 0, rank = getTensorType(op->getResult(0)).getRank();
       dim < rank && isAll; ++dim) {
    Path path;
    isAll = descend(op->getResult(0), dim, path, found);
  }
  SmallVector<Operation *> seconds;
  if (!isAll) {
    for (Operation &other : *op->getBlock())
      seconds.push_back(&other);
    return seconds;
  }
  for (Operation *other : found)
    if (other->getBlock() == op->getBlock())
      seconds.push_back(other);
  llvm::sort(seconds,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return seconds;
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
    for (Operation *other : Joiner::findSeconds(op)) {
      if (other->getName() != op->getName() || other == op.getOperation())
        continue;
      Value second = other->getResult(0);
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
        rewriter.setInsertionPoint(op->isBeforeInBlock(other) ? op : other);
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

void fusec::fuse::populateSimplifyAlike(RuleSet &rules) {
  rules.add<JoinAlike>({"alike.join", RuleArea::Transposes, /*level=*/1,
                        Bits::Kept,
                        "Computes what is computed alike from neighbouring "
                        "parts of a tensor from both parts at once."});
}
