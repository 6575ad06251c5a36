// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contraction reads one of its operands element by element: each element is
// multiplied with a vector of the other one. Vectors of f16 and bf16 are
// converted as they are loaded, but a single element takes as many instructions
// as 16 do, once for each vector that it is multiplied with. Stored as f32, it
// is converted once.
#include "passes/graph/WidenOperands.h"

#include "dialects/TargetInfo.h"
#include "dialects/fuse/FuseOps.h"
#include "passes/Terms.h"
#include "passes/graph/ChannelsLast.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/Evaluate.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

const Rule fuse::kWidenedRule = {
    "layout.widened", RuleArea::Layout, /*level=*/3, Bits::Kept,
    "Stores what contractions read often as f32 where it is f16 or bf16."};

static bool isNarrowFloat(Value value) {
  Type element = getTensorType(value).getElementType();
  return element.isF16() || element.isBF16();
}

/// Operations that only move elements of their first operand.
static bool isMove(Operation *op) {
  return isa_and_present<TransposeOp, WindowOp, SliceOp, BroadcastOp, PadOp,
                         ReshapeOp>(op);
}

/// Whether `op` reads two terms of bf16 at a time, one beside the other, which
/// are multiplied as they are.
static bool readsPairs(ContractOp op) {
  return multipliesBf16(op) &&
         llvm::any_of(llvm::seq(0u, 2u), [&](unsigned operand) {
           return !hasConstantData(op->getOperand(operand)) &&
                  endsInTerms(PrimitiveOpInterface(op),
                              findOrigin(op, operand).map);
         });
}

/// How many scalars contractions read of each value that is f16 or bf16, where
/// they read scalars of it, directly or moved.
static llvm::MapVector<Value, double> countScalars(ModuleOp module) {
  llvm::MapVector<Value, double> scalars;
  module.walk([&](ContractOp op) {
    if (readsPairs(op))
      return;
    double points = 1;
    for (int64_t extent : op.getIterationExtents())
      points *= double(extent);
    for (unsigned operand : {0u, 1u}) {
      Value value = op->getOperand(operand);
      if (!isNarrowFloat(value))
        continue;
      while (isMove(value.getDefiningOp()))
        value = value.getDefiningOp()->getOperand(0);
      // A scalar is multiplied with the two vectors of a tile's row.
      scalars[value] += points / double(2 * getTargetInfo(op).lanes);
    }
  });
  return scalars;
}

/// Whether it takes less time to store `value` as f32, and to load that.
static bool isWorthWidening(Value value, double scalars) {
  const TargetInfo &target =
      getTargetInfo(value.getParentRegion()->getParentOp());
  // Threads bring tiles into shared memory, and multiply them as they are.
  if (target.hasBlocks())
    return false;
  const OperationCosts &costs = target.costs;
  const double vectors =
      double(getTensorType(value).getNumElements()) / double(target.lanes);
  // A conversion is two steps. A vector of f32 is two of 16 bits to memory.
  const double saved = scalars * 2 * costs.simple;
  double spent = vectors * costs.vectorAccess;
  if (hasConstantData(value))
    // Larger ones would take too much room in files.
    return 4 * getTensorType(value).getNumElements() <= target.firstCache &&
           saved > spent + vectors * costs.memoryLoad;
  // What no kernel computes, a kernel of its own widens.
  double launches = 0;
  if (!isa_and_present<PrimitiveOpInterface>(value.getDefiningOp())) {
    spent += 2 * vectors * costs.vectorAccess;
    launches = double(target.launchSteps) * costs.simple;
  }
  return (saved - spent) / double(target.cores) > launches;
}

/// `type` with elements of f32.
static RankedTensorType widen(Value value) {
  auto type = getTensorType(value);
  return type.clone(getComputeType(type.getElementType()));
}

/// Has what reads `value` read `wide`, which is the same as f32, where it may.
static void redirect(Value value, Value wide) {
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *op = use.getOwner();
    if (op == wide.getDefiningOp())
      continue;
    if (auto contract = dyn_cast<ContractOp>(op);
        contract && readsPairs(contract))
      continue;
    auto cast = dyn_cast<CastOp>(op);
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    if (cast && cast.getType() == wide.getType()) {
      cast.replaceAllUsesWith(wide);
      cast.erase();
    } else if (primitive && primitive.hasReduction()) {
      use.set(wide);
    } else if (isMove(op)) {
      OpBuilder builder(op);
      Operation *moved = builder.clone(*op);
      moved->setOperand(0, wide);
      moved->getResult(0).setType(widen(op->getResult(0)));
      if (auto fill = op->getAttrOfType<FloatAttr>("fill"))
        moved->setAttr("fill",
                       builder.getF32FloatAttr(float(fill.getValueAsDouble())));
      redirect(op->getResult(0), moved->getResult(0));
      for (Operation *unread : {moved, op})
        if (unread->use_empty())
          unread->erase();
    }
  }
}

void fuse::widenOperands(ModuleOp module) {
  for (auto &[value, scalars] : countScalars(module)) {
    if (!isWorthWidening(value, scalars))
      continue;
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfterValue(value);
    auto cast = CastOp::create(builder, value.getLoc(), widen(value), value);
    Value wide = cast;
    if (std::optional<ConstantData> data = getConstantData(value)) {
      auto bytes = evaluate(PrimitiveOpInterface(cast));
      cast.erase();
      if (!bytes)
        continue;
      std::string name = data->weight
                             ? (data->weight.getSymName() + "_widened").str()
                             : "widened";
      wide = createConstant(builder, value.getLoc(), widen(value),
                            bytes->front(), name, data->weight);
    }
    redirect(value, wide);
    if (Operation *op = value.getDefiningOp(); op && isOpTriviallyDead(op))
      op->erase();
  }
}
