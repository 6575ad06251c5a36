// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/NumberSources.h"

#include "dialects/fuse/FuseOps.h"
#include "dialects/fuse/SwappableWeights.h"
#include "dialects/kernel/KernelOps.h"
#include "passes/schedule/MaskedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

/// Weights of more elements are embeddings and matrices, not masks.
static constexpr int64_t kMostElements = int64_t(1) << 22;

//===- memory ------------------------------------------------------------===//

static Value getMemory(Value value) {
  while (auto view = value.getDefiningOp<kernel::ViewOp>())
    value = view.getSource();
  return value;
}

MemorySources::MemorySources(ModuleOp module) {
  llvm::DenseMap<Attribute, ScopOp> scops;
  for (ScopOp scop : module.getOps<ScopOp>())
    scops[scop.getSymNameAttr()] = scop;
  for (auto weight : module.getOps<fuse::WeightOp>())
    weights[weight.getSymNameAttr()] = weight;
  module.walk([&](kernel::LaunchOp launch) {
    Attribute name = launch.getKernelAttr().getAttr();
    launches[name].push_back(launch);
    ScopOp scop = scops.lookup(name);
    for (auto [index, operand] : llvm::enumerate(launch.getOperands()))
      if (!scop || index >= scop.getInputs().size())
        ++writers[getMemory(operand)];
  });
}

/// Whether all elements of `weight` are ordinary numbers.
static bool hasNumbers(fuse::WeightOp weight) {
  Type type = weight.getTensorType().getElementType();
  ArrayRef<char> bytes = weight.getBytes();
  const int64_t count = weight.getTensorType().getNumElements();
  if (count > kMostElements || fuse::hasSwappableWeights(weight))
    return false;
  auto areAll = [&](auto *element, auto isNumber) {
    const size_t size = sizeof(*element);
    if (bytes.size() != size_t(count) * size)
      return false;
    for (size_t at = 0; at < bytes.size(); at += size) {
      std::memcpy(element, bytes.data() + at, size);
      if (!isNumber(*element))
        return false;
    }
    return true;
  };
  auto isNumber = [](double value) {
    return std::fabs(value) <= kOrdinary.high;
  };
  if (type.isF64()) {
    double element;
    return areAll(&element, isNumber);
  }
  if (type.isF32()) {
    float element;
    return areAll(&element, isNumber);
  }
  uint16_t element;
  if (type.isF16()) // All but infinities and NaN are.
    return areAll(&element,
                  [](uint16_t bits) { return (bits & 0x7C00) != 0x7C00; });
  return type.isBF16() && areAll(&element, [&](uint16_t bits) {
           return isNumber(llvm::bit_cast<float>(uint32_t(bits) << 16));
         });
}

Source MemorySources::getOfMemory(Value memory, bool asks) {
  if (auto weight = memory.getDefiningOp<kernel::WeightOp>()) {
    auto op = dyn_cast_if_present<fuse::WeightOp>(
        weights.lookup(weight.getWeightAttr().getAttr()));
    if (!asks || !op)
      return Source::given;
    auto [place, isNew] = looked.try_emplace(memory, Source::given);
    if (isNew && hasNumbers(op))
      place->second = Source::numbers;
    return place->second;
  }
  auto found = written.find(memory);
  if (found == written.end())
    return Source::given;
  // Whoever else may write it, as a copy does, says nothing of it.
  SmallVector<Value> all = {memory};
  bool isKnown = writers.lookup(memory) == 0;
  while (!all.empty())
    for (Operation *user : all.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<kernel::ViewOp>(user))
        all.push_back(view);
      else if (!isa<kernel::LaunchOp>(user) &&
               !user->hasTrait<OpTrait::IsTerminator>())
        isKnown = false;
    }
  return isKnown ? found->second : std::max(found->second, Source::given);
}

Source MemorySources::get(BlockArgument array, bool asks) {
  auto scop = cast<ScopOp>(array.getOwner()->getParentOp());
  auto found = launches.find(scop.getSymNameAttr());
  if (found == launches.end())
    return Source::given;
  Source source = Source::numbers;
  for (Operation *launch : found->second)
    source = std::max(
        source,
        getOfMemory(getMemory(launch->getOperand(array.getArgNumber())), asks));
  return source;
}

void MemorySources::set(ScopOp scop, llvm::function_ref<Source(Value)> of) {
  for (Operation *launch : launches.lookup(scop.getSymNameAttr()))
    for (BlockArgument output : scop.getOutputs()) {
      Value memory = getMemory(launch->getOperand(output.getArgNumber()));
      Source &source =
          written.try_emplace(memory, Source::numbers).first->second;
      source = std::max(source, of(output));
      --writers[memory];
    }
}

//===- bodies ------------------------------------------------------------===//

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

/// A constant that cuts off what is beyond it is none of the results then.
static bool isClamp(Operation *op, Value value) {
  FloatAttr number;
  return matchPattern(value, m_Constant(&number)) &&
         ((isa<arith::MaximumFOp>(op) && number.getValueAsDouble() < 0) ||
          (isa<arith::MinimumFOp>(op) && number.getValueAsDouble() > 0));
}

static Source getSource(FloatAttr number) {
  return std::fabs(number.getValueAsDouble()) <= kOrdinary.high
             ? Source::numbers
             : Source::mask;
}

Source NumberSources::get(Value value, bool asks) {
  if (FloatAttr number; matchPattern(value, m_Constant(&number)))
    return getSource(number);
  if (!isa<FloatType>(value.getType()))
    return Source::numbers;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const unsigned read = argument.getArgNumber();
    auto padding = dyn_cast_if_present<FloatAttr>(stmt.getPadding(read));
    return std::max(padding ? getSource(padding) : Source::numbers,
                    ofArray(stmt.getReads()[read], asks));
  }
  auto found = values[asks].find(value);
  if (found != values[asks].end())
    return found->second;
  Source source = compute(value.getDefiningOp(), asks);
  return values[asks][value] = source;
}

Source NumberSources::compute(Operation *op, bool asks) {
  if (isa<math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp,
          arith::BitcastOp, kernel::ScalarOp>(op))
    return Source::mask;
  if (isa<math::ExpOp, math::Exp2Op, math::TanhOp, math::ErfOp, math::SinOp,
          math::CosOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    return Source::numbers;
  if (auto gather = dyn_cast<GatherOp>(op))
    return ofArray(gather.getArray(), asks);
  // Products are numbers, as scores are; a multiple of what is given is as it.
  auto getProduct = [&](Value a, Value b) {
    const bool isProduct = !isConstant(a) && !isConstant(b);
    Source source =
        std::max(get(a, asks && !isProduct), get(b, asks && !isProduct));
    return isProduct && source == Source::given ? Source::numbers : source;
  };
  if (isa<arith::MulFOp, arith::DivFOp>(op))
    return getProduct(op->getOperand(0), op->getOperand(1));
  if (auto fma = dyn_cast<math::FmaOp>(op))
    return std::max(getProduct(fma.getA(), fma.getB()), get(fma.getC(), asks));
  Source source = Source::numbers;
  for (Value operand : op->getOperands())
    if (!isClamp(op, operand))
      source = std::max(source, get(operand, asks));
  return source;
}
