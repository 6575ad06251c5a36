// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known at import. Nodes of small constants leave constants and nothing
// in the module; everything else that follows from constants is computed from
// the module when somebody asks for its elements. Both ways nodes are converted
// first, and primitives computed (passes/graph/Evaluator): there is no second
// definition of an operator.
#include "compiler/import/GraphImporter.h"
#include "compiler/import/Registry.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace fusec {

/// Constants that nodes are evaluated on at once: shapes, and floats such as
/// the scales of a Resize. More of them are left to the program or to
/// --fuse-simplify, which see what becomes of them.
static bool isSmall(RankedTensorType type) {
  constexpr int64_t kMaxFloats = 64;
  return type.getNumElements() <= (isa<FloatType>(type.getElementType())
                                       ? kMaxFloats
                                       : kMaxKnownElements);
}
bool GraphImporter::isSwappable(const TensorValue &value) const {
  if (!options.swappableWeights || value.initializer < 0 || !value.type)
    return false;
  Type element = value.type.getElementType();
  return value.type.getNumElements() > kMaxKnownElements ||
         !(element.isInteger(64) || element.isInteger(1));
}

void GraphImporter::keepFixed(const TensorValue &initializer) {
  // What passes it on has another name.
  if (options.swappableWeights)
    fixed.insert(opBuilder.getStringAttr(
        proto.initializer(initializer.initializer).name()));
}

bool GraphImporter::isSmallConstant(const TensorValue &value) const {
  return !isSwappable(value) && !value.followsLength &&
         (value.constant || value.initializer >= 0) && isSmall(value.type);
}
/// Nodes of small constants rarely take more steps than they have elements.
static constexpr int64_t kMaxStepsAtOnce = int64_t(1) << 20;
/// Elements that somebody asks for: positions that a mask of an image has,
/// indices of a Gather.
static constexpr int64_t kMaxAsked = int64_t(1) << 22;

static HostTensor toHost(const fuse::ConstantData &data,
                         RankedTensorType type) {
  return HostTensor::fromBytes(type, fuse::packData(data, type).bytes);
}

//===- Asked for ----------------------------------------------------------===//

std::optional<std::string> GraphImporter::inputName(const TensorValue &value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value.value);
  if (!argument || argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  return cast<NameLoc>(argument.getLoc()).getName().str();
}

fuse::Evaluator GraphImporter::makeEvaluator(fuse::EvaluationLimits limits) {
  // The regions of bodies are not in the module yet.
  fuse::Evaluator evaluator(limits, [this](fuse::GetWeightOp get) {
    if (auto found = swappable.find(get.getWeight()); found != swappable.end())
      fixed.insert(opBuilder.getStringAttr(found->second));
    return weights.lookup(get.getWeight());
  });
  if (length) {
    auto type = cast<RankedTensorType>(length.getType());
    evaluator.define(
        length,
        fuse::ownData(type,
                      HostTensor::fromInts(type, {growth->past}).toBytes()));
  }
  return evaluator;
}

static std::string nameOf(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return "'" + (name ? name.getName().str() : std::string()) + "'";
}

std::string GraphImporter::explain(const fuse::Obstacle &obstacle) {
  if (!obstacle.argument)
    return nameOf(obstacle.op->getLoc()) + " " + obstacle.reason;
  std::string argument = nameOf(obstacle.argument.getLoc());
  std::string text = "its graph gets " + argument + " at run time";
  return obstacle.op ? nameOf(obstacle.op->getLoc()) + " depends on " +
                           argument + ", and " + text
                     : text;
}

const HostTensor *GraphImporter::elements(TensorValue &tensor) {
  if (tensor.initializer >= 0)
    keepFixed(tensor);
  if (tensor.constant)
    return tensor.constant.get();
  if (tensor.initializer >= 0) {
    tensor.constant = std::make_shared<HostTensor>(
        HostTensor::fromBytes(tensor.type, bytesOf(tensor).bytes));
    return tensor.constant.get();
  }
  if (!tensor.value || !tensor.runTime.empty())
    return nullptr;
  if (tensor.type.getNumElements() > kMaxAsked) {
    tensor.runTime = "'" + tensor.name + "' has more than " +
                     std::to_string(kMaxAsked) +
                     " elements, which are not computed at import";
    return nullptr;
  }
  fuse::Evaluator evaluator = makeEvaluator();
  if (std::optional<fuse::ConstantData> data = evaluator.get(tensor.value))
    tensor.constant = std::make_shared<HostTensor>(toHost(*data, tensor.type));
  if (tensor.constant && length)
    tensor.followsLength = llvm::is_contained(
        fuse::Evaluator().getArguments(tensor.value), length);
  if (!tensor.constant) {
    fuse::Obstacle obstacle = evaluator.getObstacle();
    tensor.runTime = explain(obstacle);
    // Which stands for the results of a refused node.
    tensor.isRefused = isa_and_nonnull<UnrealizedConversionCastOp>(obstacle.op);
  }
  return tensor.constant.get();
}

//===- At once ------------------------------------------------------------===//

struct GraphImporter::Scratch {
  explicit Scratch(fuse::Evaluator evaluator)
      : evaluator(std::move(evaluator)) {}

  Block block;
  fuse::Evaluator evaluator;
};

Value GraphImporter::scratchValue(const HostTensor &constant) {
  Value value =
      scratch->block.addArgument(constant.type, opBuilder.getUnknownLoc());
  scratch->evaluator.define(value,
                            fuse::ownData(constant.type, constant.toBytes()));
  return value;
}

bool GraphImporter::evaluate(Node &node, const Operator &op) {
  Scratch own(makeEvaluator({kMaxStepsAtOnce}));
  Block *block = opBuilder.getInsertionBlock();
  {
    OpBuilder::InsertionGuard guard(opBuilder);
    scratch = &own;
    llvm::scope_exit leave([&] { scratch = nullptr; });
    opBuilder.setInsertionPointToEnd(&own.block);
    op.convert(node);
  }
  std::vector<std::pair<TensorValue *, HostTensor>> results;
  auto computeResults = [&] {
    for (const std::string &name : node.flat().proto->output()) {
      auto found = scopes.back().find(name);
      if (name.empty() || found == scopes.back().end())
        continue;
      TensorValue &result = *found->second;
      if (result.block == &own.block)
        result.block = block;
      if (result.isSequence()) // whose elements lie where they were made
        return false;
      // Others are constants already, or operands passed on.
      if (!result.value || result.value.getParentBlock() != &own.block)
        continue;
      std::optional<fuse::ConstantData> data;
      if (!isSmall(result.type) || !(data = own.evaluator.get(result.value)))
        return false;
      // What repeats few elements is written as that.
      if (result.type.getNumElements() > fuse::ConstantOp::kMaxElements &&
          data->type.getNumElements() < result.type.getNumElements())
        return false;
      results.emplace_back(&result, toHost(*data, result.type));
    }
    return true;
  };
  if (!computeResults()) {
    for (const std::string &name : node.flat().proto->output())
      scopes.back().erase(name);
    return false;
  }
  for (auto &[result, constant] : results) {
    result->value = nullptr;
    result->constant = std::make_shared<HostTensor>(std::move(constant));
  }
  return true;
}

} // namespace fusec
