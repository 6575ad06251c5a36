// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/PrecisionGains.h"

#include "passes/graph/Algorithms.h"
#include "passes/model/LaunchCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace fusec::model {

/// Steps of the kernels of `block` that sum products, in what is taken of
/// choices.
static double ofContractions(Block &block, const SymbolTable &symbols,
                             const LaunchCosts &costs) {
  double steps = 0;
  for (Operation &op : block) {
    if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
      auto scop = cast<sched::ScopOp>(symbols.lookup(launch.getKernel()));
      if (llvm::any_of(scop.getOps<sched::StmtOp>(), [](sched::StmtOp stmt) {
            return bool(stmt.getContraction());
          }))
        steps += costs.ofOperation(op, Detail::precision);
    } else if (auto choice = dyn_cast<kernel::ChoiceOp>(op)) {
      if (Block *taken = costs.findCheapest(choice, Detail::precision))
        steps += ofContractions(*taken, symbols, costs);
    } else {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          steps += ofContractions(inner, symbols, costs);
    }
  }
  return steps;
}

/// Adds to `gain` what kernels and choices of `block` save by `other` costs.
static void addGains(Block &block, const LaunchCosts &costs,
                     const LaunchCosts &other, PrecisionGain &gain) {
  for (Operation &op : block) {
    if (isa<kernel::LaunchOp, kernel::ChoiceOp>(op)) {
      const double saved = costs.ofOperation(op, Detail::precision) -
                           other.ofOperation(op, Detail::precision);
      gain.products += saved > 0;
      gain.saved += saved;
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        addGains(inner, costs, other, gain);
  }
}

/// Bytes of the weights of f32.
static int64_t countWeights(ModuleOp module) {
  int64_t bytes = 0;
  module.walk([&](kernel::WeightOp weight) {
    auto type = cast<ShapedType>(weight.getType());
    if (type.getElementType().isF32())
      bytes += 4 * type.getNumElements();
  });
  return bytes;
}

std::vector<PrecisionGain>
predictGains(ModuleOp module, ArrayRef<std::string> allowed, bool anyOrder) {
  const TargetInfo &target = getTargetInfo(module);
  if (target.hasBlocks())
    return {};
  SymbolTable symbols(module);
  SmallVector<StringRef> taken;
  for (const std::string &name : allowed)
    if (const auto *lower = fuse::findLowerPrecision(name))
      taken.push_back(lower->algorithm);
  Assumption usual;
  usual.lowered = ArrayRef<StringRef>(taken);
  // Whether small ones stay in a core's cache is a matter of the whole model.
  usual.residentBits = 32;
  usual.keepsWeights = countWeights(module) <= target.lastCache;
  LaunchCosts costs(symbols, target, anyOrder, usual);

  std::vector<std::pair<StringRef, Assumption>> assumptions;
  auto &weights = assumptions.emplace_back("int8-weights", usual).second;
  weights.weightBits = 8;
  auto &codes = assumptions.emplace_back("int8", usual).second;
  codes.weightBits = 8;
  codes.isCoded = true;
  SmallVector<SmallVector<StringRef>> sets;
  sets.reserve(std::size(fuse::kLowerPrecisionNames));
  for (const fuse::LowerPrecisionName &name : fuse::kLowerPrecisionNames) {
    SmallVector<StringRef> &set = sets.emplace_back(taken);
    set.push_back(name.algorithm);
    assumptions.emplace_back(name.allowed, usual).second.lowered =
        ArrayRef<StringRef>(set);
  }

  double all = 0;
  std::vector<PrecisionGain> gains;
  for (const auto &assumption : assumptions)
    gains.push_back({assumption.first});
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody()) {
      all += ofContractions(block, symbols, costs);
      for (auto [gain, assumption] : llvm::zip(gains, assumptions))
        addGains(block, costs,
                 LaunchCosts(symbols, target, anyOrder, assumption.second),
                 gain);
    }
  if (all == 0)
    return {};
  for (PrecisionGain &gain : gains)
    gain.saved /= all;
  return gains;
}

} // namespace fusec::model
