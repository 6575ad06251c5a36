// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of intermediate values that have none of their own.
#include "codegen/KernelEmitter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace mlir;

namespace fusec::codegen {

/// `x_ik` for x[i, k]: the indices that subscripts depend on, if each is short.
static std::string accessName(StringRef memory, ValueRange indices,
                              const KernelEmitter &emitter) {
  // Sorted: the order of operands must not show.
  std::set<std::string> letters;
  for (Value index : indices) {
    Expr text = emitter.use(index);
    bool isShort = text.atomic && text.text.size() <= 3;
    if (text.literal)
      continue;
    if (!isShort)
      return memory.str() + "_value";
    letters.insert(text.text);
  }
  if (letters.empty())
    return memory.str() + "_value";
  std::string name = memory.str() + "_";
  for (const std::string &letter : letters)
    name += letter;
  return name;
}

std::string roleName(Operation *op, const KernelEmitter &emitter) {
  // Whole words of it.
  auto shortName = [&](Value memref) {
    std::string name = emitter.use(memref).text;
    if (size_t cut = name.rfind('_', 20);
        name.size() > 20 && cut && cut != name.npos)
      name.resize(cut);
    return name;
  };
  if (auto load = dyn_cast<kernel::LoadOp>(op)) {
    Value memref = load.getMemref();
    if (memref.getDefiningOp<kernel::LocalOp>())
      return shortName(memref) + "_value";
    return accessName(shortName(memref), load.getIndices(), emitter);
  }
  if (auto gather = dyn_cast<kernel::GatherOp>(op))
    return shortName(gather.getMemref()) + "_row";
  if (auto mask = dyn_cast<kernel::TailMaskOp>(op)) {
    Expr base = emitter.use(mask.getBase());
    return base.atomic && !base.literal ? "in_" + base.text : "in_range";
  }
  StringRef name = op->getName().getStringRef();
  if (name.starts_with("arith.cmp"))
    return "holds";
  if (name == "kernel.reduce")
    return "total";
  if (auto combine = dyn_cast<kernel::CombineOp>(op)) {
    Combiner combiner = combine.getCombiner();
    return combiner == Combiner::Max   ? "most"
           : combiner == Combiner::Min ? "least"
                                       : "total";
  }
  if (getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1))
    return "inside";
  return llvm::StringSwitch<std::string>(name)
      .Cases({"arith.addf", "arith.addi"}, "sum_of")
      .Cases({"arith.subf", "arith.subi"}, "difference")
      .Cases({"arith.mulf", "arith.muli"}, "product")
      .Cases({"arith.divf", "arith.divsi"}, "quotient")
      .Cases({"arith.maximumf", "arith.maxsi"}, "upper")
      .Cases({"arith.minimumf", "arith.minsi"}, "lower")
      .Case("arith.select", "chosen")
      .Case("arith.negf", "negative")
      .Case("math.exp", "e")
      .Case("math.sqrt", "root")
      .Case("math.rsqrt", "inverse_root")
      .Case("math.fma", "fused")
      .Case("kernel.terms", op->getNumOperands() == 2 ? "pair" : "quad")
      .Case("kernel.dot", "sum")
      .Case("kernel.apply", "at")
      .Case("kernel.in_bounds", "inside")
      .Case("kernel.iota", "lanes")
      .Case("kernel.broadcast", "all_lanes")
      .StartsWith("math.", (name.rsplit('.').second + "_of").str())
      .Default("value");
}

} // namespace fusec::codegen
