// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/quantize/Apply.h"

#include "compiler/quantize/Weights.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/TensorBuilder.h"

#include <cmath>

using namespace mlir;

namespace fusec::quantize {

namespace {
class Applier {
public:
  Applier(ModuleOp module, const Codings &codings, const ApplyOptions &options)
      : codings(codings), options(options), builder(module.getContext()) {}

  /// The numbers that the codes of `value` stand for.
  Value roundTrip(Value value);
  /// The same of the product's weight; `input` is the scale of its input, or 0.
  Value roundTripWeight(const Product &product, double input);
  Value codeBias(const Product &product, double input);

private:
  Location named(Value value, llvm::StringRef suffix) {
    return NameLoc::get(
        builder.getStringAttr(codegenName(value) + "_" + suffix));
  }
  static std::string codegenName(Value value);
  bool isByChannel(const Product &product) const {
    return options.perChannel || product.isDepthwise;
  }
  CodedWeights code(const Product &product, double input) const;
  Value scales(const CodedWeights &coded, const Product &product);

  const Codings &codings;
  const ApplyOptions &options;

public:
  OpBuilder builder;
};
} // namespace

std::string Applier::codegenName(Value value) {
  if (auto name = dyn_cast<NameLoc>(value.getLoc()))
    return name.getName().str();
  return "tensor";
}

Value Applier::roundTrip(Value value) {
  const Coding coding = codings.lookup(value);
  auto type = fuse::getTensorType(value);
  Type u8 = builder.getIntegerType(8, /*isSigned=*/false);
  builder.setInsertionPointAfterValue(value);
  auto constant = [&](llvm::StringRef suffix, Type element,
                      ArrayRef<char> bytes) {
    return fuse::createConstant(builder, named(value, suffix),
                                RankedTensorType::get({}, element), bytes,
                                "scale");
  };
  Value scale =
      constant("scale", builder.getF32Type(),
               {reinterpret_cast<const char *>(&coding.scale), sizeof(float)});
  Value zero = constant("zero_point", u8,
                        {reinterpret_cast<const char *>(&coding.zero), 1});
  Value codes = fuse::QuantizeOp::create(
      builder, named(value, "QuantizeLinear"), type.clone(u8), value, scale,
      zero, /*unsaturated=*/false);
  return fuse::DequantizeOp::create(builder, named(value, "DequantizeLinear"),
                                    type, codes, scale, zero);
}

/// The integers of a bias have 32 bits: weights have scales that leave it room.
CodedWeights Applier::code(const Product &product, double input) const {
  constexpr double kMostBias = 1 << 30;
  std::vector<float> values = *readFloats(product.weight);
  ArrayRef<int64_t> shape = fuse::getTensorType(product.weight).getShape();
  const bool byChannel = isByChannel(product);
  std::vector<double> least;
  if (product.bias && input > 0) {
    least.assign(byChannel ? product.countChannels() : 1, 0);
    for (auto [channel, bias] : llvm::enumerate(*readFloats(product.bias))) {
      double &own = least[byChannel ? channel : 0];
      own = std::max(own, std::abs(double(bias)) / (kMostBias * input));
    }
  }
  return codeWeights(values, shape,
                     byChannel ? std::optional(product.channels) : std::nullopt,
                     least);
}

/// So that they broadcast over the weight.
Value Applier::scales(const CodedWeights &coded, const Product &product) {
  SmallVector<int64_t> shape;
  if (isByChannel(product)) {
    shape.assign(
        fuse::getTensorType(product.weight).getRank() - product.channels, 1);
    shape[0] = product.countChannels();
  }
  return fuse::createConstant(
      builder, named(product.weight, "scale"),
      RankedTensorType::get(shape, builder.getF32Type()), asBytes(coded.scales),
      "scale");
}

Value Applier::roundTripWeight(const Product &product, double input) {
  CodedWeights coded = code(product, input);
  auto type = fuse::getTensorType(product.weight);
  builder.setInsertionPoint(product.op);
  Value codes =
      replaceConstant(builder, product.weight, type.clone(builder.getI8Type()),
                      asBytes(coded.codes));
  return fuse::DequantizeOp::create(
      builder, named(product.weight, "DequantizeLinear"), type, codes,
      scales(coded, product), Value());
}

Value Applier::codeBias(const Product &product, double input) {
  CodedWeights coded = code(product, input);
  std::vector<int32_t> codes;
  std::vector<float> scale;
  for (auto [channel, bias] : llvm::enumerate(*readFloats(product.bias))) {
    const float weight = coded.scales[isByChannel(product) ? channel : 0];
    scale.push_back(float(input) * weight);
    codes.push_back(int32_t(std::nearbyint(double(bias) / scale.back())));
  }
  if (!isByChannel(product))
    scale.resize(1);
  auto type = fuse::getTensorType(product.bias);
  builder.setInsertionPoint(product.op);
  Value integers = replaceConstant(
      builder, product.bias, type.clone(builder.getI32Type()), asBytes(codes));
  SmallVector<int64_t> shape;
  if (isByChannel(product))
    shape.push_back(product.countChannels());
  Value scales =
      fuse::createConstant(builder, named(product.bias, "scale"),
                           RankedTensorType::get(shape, builder.getF32Type()),
                           asBytes(scale), "scale");
  return fuse::DequantizeOp::create(builder,
                                    named(product.bias, "DequantizeLinear"),
                                    type, integers, scales, Value());
}

/// Whether `use` reads what `dequantised` stands for: a product that stays in
/// f32 does not, nor does the end of the function.
static bool readsCodes(OpOperand &use, const Plan &plan) {
  Operation *user = use.getOwner();
  return !user->hasTrait<OpTrait::IsTerminator>() && !plan.left.contains(user);
}

void applyPlan(ModuleOp module, const Plan &plan, const Codings &codings,
               const ApplyOptions &options) {
  Applier applier(module, codings, options);
  for (const Site &site : plan.sites) {
    Value value = site.value;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      if (readsCodes(use, plan))
        uses.push_back(&use);
    if (uses.empty())
      continue;
    Value after = applier.roundTrip(value);
    for (OpOperand *use : uses)
      use->set(after);
  }
  for (const Product &product : plan.products) {
    const double input = codings.lookup(product.input).scale;
    product.op->setOperand(1, applier.roundTripWeight(product, input));
    if (product.bias)
      product.op->setOperand(2, applier.codeBias(product, input));
  }
  dropUnusedConstants(module);
}

//===- Copies with other inputs and outputs -------------------------------===//

static func::FuncOp functionOf(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

/// What the operands of the terminator and the arguments are now.
static void updateType(func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(),
                                     block.getArgumentTypes(),
                                     block.getTerminator()->getOperandTypes()));
}

OwningOpRef<ModuleOp> makeObserved(ModuleOp module, ArrayRef<Value> values) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone(mapping)));
  func::FuncOp function = functionOf(*copy);
  Operation *end = function.getBody().front().getTerminator();
  SmallVector<DictionaryAttr> attributes;
  function.getAllResultAttrs(attributes);
  attributes.resize(end->getNumOperands(),
                    DictionaryAttr::get(copy->getContext()));
  Builder builder(copy->getContext());
  for (auto [number, value] : llvm::enumerate(values)) {
    end->insertOperands(end->getNumOperands(), mapping.lookup(value));
    auto name =
        builder.getStringAttr("fusec.observed" + std::to_string(number));
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr("fuse.name", name)));
  }
  updateType(function);
  function.setAllResultAttrs(attributes);
  return copy;
}

OwningOpRef<ModuleOp> makeSwitched(ModuleOp module, const Plan &plan,
                                   const Codings &codings,
                                   const ApplyOptions &options) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone(mapping)));
  func::FuncOp function = functionOf(*copy);
  Builder attributes(copy->getContext());
  const size_t numSwitches = plan.products.size() + plan.sites.size();
  auto type =
      RankedTensorType::get({int64_t(numSwitches)}, attributes.getI1Type());
  auto name = attributes.getNamedAttr("fuse.name",
                                      attributes.getStringAttr(kSwitchesInput));
  if (failed(function.insertArgument(
          function.getNumArguments(), type, attributes.getDictionaryAttr(name),
          NameLoc::get(attributes.getStringAttr(kSwitchesInput)))))
    return {};
  Value switches = function.getArguments().back();

  Codings ofCopy;
  for (const Site &site : plan.sites)
    ofCopy[mapping.lookup(site.value)] = codings.lookup(site.value);
  Applier applier(*copy, ofCopy, options);
  auto choose = [&](size_t number, Value coded, Value plain) {
    applier.builder.setInsertionPointAfterValue(coded);
    fuse::TensorBuilder b(applier.builder, coded.getLoc());
    Value own = b.reshape(b.slice(switches, 0, int64_t(number), 1), {});
    return b.select(b.broadcast(own, fuse::getTensorType(coded).getShape()),
                    coded, plain);
  };
  llvm::DenseMap<Value, Value> coded;
  llvm::SmallPtrSet<Operation *, 32> products;
  for (const Product &product : plan.products)
    products.insert(mapping.lookup(product.op));
  for (auto [number, site] : llvm::enumerate(plan.sites)) {
    Value value = mapping.lookup(site.value);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>() &&
          !products.contains(use.getOwner()))
        uses.push_back(&use);
    coded[value] = applier.roundTrip(value);
    Value chosen = choose(plan.products.size() + number, coded[value], value);
    for (OpOperand *use : uses)
      use->set(chosen);
  }
  for (auto [number, product] : llvm::enumerate(plan.products)) {
    Product own = product;
    own.op = mapping.lookup(product.op);
    own.input = mapping.lookup(product.input);
    own.weight = mapping.lookup(product.weight);
    if (product.bias)
      own.bias = mapping.lookup(product.bias);
    const double input = ofCopy.lookup(own.input).scale;
    own.op->setOperand(0, choose(number, coded[own.input], own.input));
    own.op->setOperand(
        1, choose(number, applier.roundTripWeight(own, input), own.weight));
  }
  return copy;
}

} // namespace fusec::quantize
