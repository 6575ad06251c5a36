// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one code of 8 bits that give another one: what takes longer to
// compute than to look up is a table.
#include "dialects/OperationCost.h"
#include "passes/graph/Evaluator.h"
#include "passes/graph/Simplify.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// How many operations a function has at most.
static constexpr size_t kMostOperations = 128;
/// How many codes of 8 bits there are.
static constexpr int64_t kCodes = 256;

static bool isCode(Value value) {
  auto type = dyn_cast<IntegerType>(getTensorType(value).getElementType());
  return type && type.getWidth() == 8;
}

namespace {

/// Operations that compute their last one's result from `codes` and constants
/// of one number, point by point.
struct CodeFunction {
  Value codes;
  SetVector<Operation *> ops;
};

/// Looks for the longest one.
class FunctionFinder {
public:
  explicit FunctionFinder(Operation *root) : block(root->getBlock()) {}

  std::optional<CodeFunction> find(Operation *root);

private:
  bool add(Value value);
  bool addOperation(Operation *op);
  Operation *takeLast();

  Block *block;
  SetVector<Operation *> ops;
  /// What these read: all that remains to be computed.
  SetVector<Value> codes;
};

} // namespace

bool FunctionFinder::add(Value value) {
  if (isUniform(value))
    return true;
  if (isCode(value)) {
    codes.insert(value);
    return true;
  }
  return addOperation(value.getDefiningOp());
}

bool FunctionFinder::addOperation(Operation *op) {
  if (!op || op->getBlock() != block || !isPointByPoint(op) ||
      ops.size() == kMostOperations)
    return false;
  return !ops.insert(op) || llvm::all_of(op->getOperands(), [&](Value value) {
    return add(value);
  });
}

/// What computes the last of the codes, which others of them may not need; null
/// if none is computed here.
Operation *FunctionFinder::takeLast() {
  Operation *last = nullptr;
  for (Value value : codes)
    if (Operation *op = value.getDefiningOp(); op && op->getBlock() == block)
      if (!last || last->isBeforeInBlock(op))
        last = op;
  if (last)
    codes.remove(last->getResult(0));
  return last;
}

std::optional<CodeFunction> FunctionFinder::find(Operation *root) {
  std::optional<CodeFunction> longest;
  // Codes in between may be functions of earlier ones, even if they are two.
  for (Operation *next = root; next && addOperation(next); next = takeLast())
    if (codes.size() == 1)
      longest = CodeFunction{codes.front(), ops};
  return longest;
}

/// Whether lanes take longer for what nothing but `function` needs than to look
/// it up. What is hardly longer stays as people know it, but for what looks
/// something up itself.
static bool isLong(const CodeFunction &function, Operation *root) {
  const OperationCosts &costs = getTargetInfo(root).costs;
  double cost = 0, ofTable = 1.5 * costs.function;
  for (Operation *op : function.ops) {
    if (op != root && llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !function.ops.contains(user);
        }))
      continue;
    if (isa<LookUpOp>(op))
      ofTable = costs.function;
    Block body;
    buildBodyIn(body, cast<PrimitiveOpInterface>(op));
    for (Operation &inner : body)
      cost += getOperationCost(&inner, costs, /*lanes=*/true);
  }
  return cost > ofTable;
}

/// `value`, all of whose elements are one number, with another shape.
static Value createUniform(OpBuilder &b, Value value, RankedTensorType type) {
  const Type element = type.getElementType();
  Attribute number;
  if (auto floats = dyn_cast<FloatType>(element))
    number = b.getFloatAttr(floats, *getUniformFloat(value));
  else
    number = b.getIntegerAttr(element, *getUniformInteger(value));
  return ConstantOp::create(b, value.getLoc(), type,
                            DenseElementsAttr::get(type, number));
}

/// What `function` gives for each code; nothing if that is not known here.
static std::optional<SmallVector<int32_t>>
tabulate(const CodeFunction &function, Operation *root) {
  SmallVector<Operation *> ops(function.ops.begin(), function.ops.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Block block;
  OpBuilder b(root->getContext());
  b.setInsertionPointToEnd(&block);
  auto getType = [](Value value) {
    return getTensorType(value).clone(ArrayRef<int64_t>(kCodes));
  };
  IRMapping mapping;
  Value codes =
      block.addArgument(getType(function.codes), function.codes.getLoc());
  mapping.map(function.codes, codes);
  for (Operation *op : ops) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!mapping.contains(operand))
        mapping.map(operand, createUniform(b, operand, getType(operand)));
      operands.push_back(mapping.lookup(operand));
    }
    mapping.map(op->getResult(0),
                cloneElementwise(b, op, operands, ArrayRef<int64_t>(kCodes)));
  }
  std::vector<char> bytes(kCodes);
  std::iota(bytes.begin(), bytes.end(), 0);
  Evaluator evaluator;
  evaluator.define(codes, ownData(getTensorType(codes), std::move(bytes)));
  Value result = mapping.lookup(root->getResult(0));
  std::optional<ConstantData> data = evaluator.get(result);
  if (!data)
    return std::nullopt;
  SmallVector<int32_t> table;
  for (int64_t entry : getIntegers(packData(*data, getTensorType(result))))
    table.push_back(int32_t(entry));
  return table;
}

namespace {
/// A cast to codes, or a table, that ends a function of other codes.
template <typename Root> struct LookUpCodes : public OpRewritePattern<Root> {
  using OpRewritePattern<Root>::OpRewritePattern;

  LogicalResult matchAndRewrite(Root op,
                                PatternRewriter &rewriter) const override {
    if (!isCode(op.getResult()) || getTargetInfo(op).hasBlocks())
      return failure();
    std::optional<CodeFunction> function = FunctionFinder(op).find(op);
    if (!function || !isLong(*function, op))
      return failure();
    std::optional<SmallVector<int32_t>> table = tabulate(*function, op);
    if (!table)
      return failure();
    // The last one's result keeps its name.
    SmallVector<Location> locations = {op.getLoc()};
    for (Operation *part : llvm::reverse(function->ops))
      locations.push_back(part->getLoc());
    auto lookUp = LookUpOp::create(rewriter, rewriter.getFusedLoc(locations),
                                   op.getType(), function->codes, *table);
    rewriter.replaceOp(op, lookUp);
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyCodes(RuleSet &rules) {
  rules.add<LookUpCodes<CastOp>, LookUpCodes<LookUpOp>>(
      {"quantised.tables", RuleArea::QDQ, /*level=*/2, Bits::Changed,
       "Looks functions of one code of 8 bits that give codes up in a table of "
       "what each code becomes, where that is shorter than to compute them.",
       "a CPU"});
}
