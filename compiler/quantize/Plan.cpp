// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/quantize/Plan.h"

#include "codegen/Names.h"
#include "compiler/import/Message.h"
#include "passes/graph/ConstantData.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace mlir;

namespace fusec::quantize {

static ArrayRef<int64_t> shapeOf(Value value) {
  return fuse::getTensorType(value).getShape();
}

static bool isF32(Value value) {
  auto type = dyn_cast_or_null<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

int64_t Product::countChannels() const { return shapeOf(weight)[channels]; }

const Site *Plan::find(Value value) const {
  auto found = llvm::find_if(
      sites, [&](const Site &site) { return site.value == value; });
  return found == sites.end() ? nullptr : &*found;
}

Operation *findQuantized(ModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (!isa<fuse::QuantizeOp, fuse::DequantizeOp, fuse::DynamicQuantizeOp,
             fuse::MatmulIntegerOp, fuse::ConvIntegerOp, fuse::QLinearMatmulOp,
             fuse::QLinearConvOp>(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

void checkNames(const ExportedNodes &nodes, const PlanOptions &options,
                std::vector<Problem> &problems) {
  std::set<std::string> operators, names;
  for (const auto &[op, node] : nodes) {
    operators.insert(node.operation);
    names.insert(node.name);
  }
  refuseUnknown("--deny-op", options.denyOps, operators, "operator", problems);
  refuseUnknown("--deny-node", options.denyNodes, names, "node", problems);
}

//===- Products -----------------------------------------------------------===//

/// What `op` multiplies, if it is a product of a kind that has codes.
static std::optional<Product> describe(Operation *op) {
  Product product;
  product.op = op;
  bool isProduct =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](fuse::ConvOp conv) {
            product.bias = conv.getBias();
            product.resultChannels = 1;
            product.isDepthwise =
                conv.getGroups() > 1 && shapeOf(conv.getWeight())[1] == 1;
            return true;
          })
          .Case([&](fuse::MatmulOp) {
            product.channels = 1;
            return true;
          })
          .Case([&](fuse::GemmOp gemm) {
            product.channels = !gemm.getTransRhs();
            // The integer form of a bias is a term of the sum.
            if (gemm.getBias() && gemm.getBeta().convertToDouble() == 1)
              product.bias = gemm.getBias();
            return gemm.getAlpha().convertToDouble() == 1;
          })
          .Default([](Operation *) { return false; });
  if (!isProduct)
    return std::nullopt;
  product.input = op->getOperand(0);
  product.weight = op->getOperand(1);
  ArrayRef<int64_t> weight = shapeOf(product.weight),
                    result = shapeOf(op->getResult(0));
  const bool isConv = isa<fuse::ConvOp>(op);
  if (!isF32(product.input) || !isF32(product.weight) ||
      !fuse::hasConstantData(product.weight) ||
      fuse::hasConstantData(product.input) || (!isConv && weight.size() != 2) ||
      result.empty())
    return std::nullopt;
  if (!isConv)
    product.resultChannels = int64_t(result.size()) - 1;
  // A bias that is no constant of each channel stays an f32.
  if (product.bias &&
      (!fuse::hasConstantData(product.bias) ||
       shapeOf(product.bias) != ArrayRef<int64_t>{product.countChannels()}))
    product.bias = {};
  const int64_t terms = ShapedType::getNumElements(weight) /
                        std::max<int64_t>(1, product.countChannels());
  product.multiplications = ShapedType::getNumElements(result) * terms;
  return product;
}

//===- Tensors ------------------------------------------------------------===//

namespace {
class Planner {
public:
  explicit Planner(Plan &plan) : plan(plan) {}
  void want(Value value);
  void number();

private:
  /// Wants `operand`, too, whose codes are those of `value`.
  void carry(Value operand, Value value);
  void wantOperandsOf(Operation *op, Value value);

  Plan &plan;
  llvm::SetVector<Value> wanted;
  /// Values, by their addresses, whose ranges are one.
  llvm::EquivalenceClasses<void *> same;
};
} // namespace

/// The only tensor whose elements `op` moves, or takes maxima of.
static Value getMoved(Operation *op) {
  if (auto pool = dyn_cast<fuse::PoolOp>(op))
    return pool.getKind() == fuse::PoolKind::max ? pool.getInput() : Value();
  // What a pad adds need not lie in the range.
  if (isa<fuse::PadOp>(op) || op->getNumOperands() != 1)
    return {};
  if (op->hasTrait<fuse::MovesElements>() || isa<fuse::ReshapeOp>(op))
    return op->getOperand(0);
  return {};
}

static bool isMean(Operation *op) {
  if (auto pool = dyn_cast<fuse::PoolOp>(op))
    return pool.getKind() == fuse::PoolKind::average;
  auto reduction = dyn_cast<fuse::ReductionOp>(op);
  return reduction && reduction.getKind() == fuse::ReductionKind::mean;
}

/// An activation that a range of codes can be: it lies between two numbers.
static bool isClamp(Operation *op) {
  return isa<fuse::ReluOp, fuse::ClipOp>(op);
}

/// What `value` is behind the activation that is all that reads it.
static Value behindClamp(Value value) {
  if (!value.hasOneUse())
    return value;
  Operation *user = *value.user_begin();
  return isClamp(user) && user->getOperand(0) == value ? user->getResult(0)
                                                       : value;
}

/// Whether something other than the end of the function reads it.
static bool isReadInside(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return !user->hasTrait<OpTrait::IsTerminator>();
  });
}

void Planner::carry(Value operand, Value value) {
  if (fuse::hasConstantData(operand))
    return;
  want(operand);
  if (wanted.contains(operand))
    same.unionSets(value.getAsOpaquePointer(), operand.getAsOpaquePointer());
}

void Planner::want(Value value) {
  if (!isF32(value) || fuse::hasConstantData(value) ||
      value.getParentBlock()->getParentOp() !=
          plan.products.front().op->getParentOp() ||
      !wanted.insert(value))
    return;
  same.insert(value.getAsOpaquePointer());
  if (Operation *op = value.getDefiningOp())
    wantOperandsOf(op, value);
}

void Planner::wantOperandsOf(Operation *op, Value value) {
  if (Value moved = getMoved(op))
    return carry(moved, value);
  if (isMean(op))
    return want(op->getOperand(0));
  if (isClamp(op)) {
    Value operand = op->getOperand(0);
    if (operand.hasOneUse() && operand.getDefiningOp())
      op = operand.getDefiningOp();
  }
  auto sum = dyn_cast<fuse::AddOp>(op);
  if (sum && !fuse::hasConstantData(sum.getLhs()) &&
      !fuse::hasConstantData(sum.getRhs())) {
    want(sum.getLhs());
    want(sum.getRhs());
  }
}

/// Sites in the order of the program: arguments first.
void Planner::number() {
  std::vector<Value> values(wanted.begin(), wanted.end());
  llvm::sort(values, [](Value one, Value other) {
    Operation *first = one.getDefiningOp(), *second = other.getDefiningOp();
    if (!first || !second)
      return first || second ? !first
                             : cast<BlockArgument>(one).getArgNumber() <
                                   cast<BlockArgument>(other).getArgNumber();
    if (first == second)
      return cast<OpResult>(one).getResultNumber() <
             cast<OpResult>(other).getResultNumber();
    return first->isBeforeInBlock(second);
  });
  llvm::DenseMap<void *, size_t> ranges;
  for (Value value : values) {
    void *leader = same.getLeaderValue(value.getAsOpaquePointer());
    size_t range = ranges.try_emplace(leader, ranges.size()).first->second;
    plan.sites.push_back(
        {value, codegen::firstName(value.getLoc()).str(), range});
  }
  plan.numRanges = ranges.size();
}

Plan makePlan(ModuleOp module, const ExportedNodes &nodes,
              const PlanOptions &options) {
  Plan plan;
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  for (Operation &op : function.getBody().front()) {
    auto node = nodes.find(&op);
    if (node == nodes.end())
      continue;
    std::optional<Product> product = describe(&op);
    if (!product)
      continue;
    product->name = node->second.name;
    product->operation = node->second.operation;
    if (llvm::is_contained(options.denyNodes, product->name) ||
        llvm::is_contained(options.denyOps, product->operation))
      plan.left.insert(&op);
    else
      plan.products.push_back(std::move(*product));
  }
  if (plan.products.empty())
    return plan;
  Planner planner(plan);
  for (const Product &product : plan.products) {
    planner.want(product.input);
    Value result = behindClamp(product.op->getResult(0));
    if (isa<fuse::ConvOp>(product.op) && isReadInside(result))
      planner.want(result);
  }
  planner.number();
  return plan;
}

} // namespace fusec::quantize
