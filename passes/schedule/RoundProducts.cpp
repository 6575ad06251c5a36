// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/RoundProducts.h"

#include "dialects/NarrowFloats.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

/// Whether `value` is an accumulator of the reduction `stmt`.
static bool isAccumulator(StmtOp stmt, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && stmt.isReduction() &&
         argument.getArgNumber() < stmt.getWrites().size();
}

/// Whether a statement reads what is stored in `array`, which one kernel then
/// does behind the store.
static bool isReadBack(Value array) {
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    auto stmt = dyn_cast<StmtOp>(user);
    return stmt && llvm::is_contained(stmt.getReads(), array);
  });
}

/// Whether a product by `value` changes no digit, unless it overflows or is
/// subnormal: it is a power of two.
static bool keepsDigits(Value value) {
  FloatAttr factor;
  return matchPattern(value, m_Constant(&factor)) &&
         factor.getValue().getExactInverse(nullptr);
}

/// Whether no compiler makes one operation of a product and this `use` of it.
static bool keepsApart(OpOperand &use, StmtOp stmt) {
  return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
      .Case<arith::MulFOp, kernel::MulRoundedOp, arith::DivFOp,
            arith::MaxNumFOp, arith::CmpFOp, arith::TruncFOp, arith::FPToSIOp,
            arith::FPToUIOp, arith::BitcastOp, math::FloorOp, math::CeilOp,
            math::RoundEvenOp>([](auto) { return true; })
      .Case([&](math::FmaOp) { return use.getOperandNumber() < 2; })
      .Case([&](YieldOp) {
        Value array = stmt.getWrites()[use.getOperandNumber()];
        return getNarrowFloat(array.getType()) || !isReadBack(array);
      })
      .Default(false);
}

/// Whether this `use` of a product is a term of the sum that `stmt` reduces to.
static bool isTerm(OpOperand &use, StmtOp stmt) {
  return isa<arith::AddFOp>(use.getOwner()) &&
         llvm::any_of(use.getOwner()->getOperands(),
                      [&](Value value) { return isAccumulator(stmt, value); });
}

/// Whether the last step of `op` may be a product: it is a function of the
/// vocabulary, and none that is exact or rounds once.
static bool mayEndInProduct(Operation *op) {
  if (isa<math::FmaOp, math::AbsFOp, math::CopySignOp, math::FloorOp,
          math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp,
          math::SqrtOp, kernel::MulRoundedOp>(op))
    return false;
  return isa<math::MathDialect, kernel::KernelDialect>(op->getDialect()) ||
         isa<arith::RemFOp>(op);
}

/// Rounds what functions in `scop` result in, by a product that keeps it.
static void roundFunctions(ScopOp scop) {
  SmallVector<OpResult> results;
  scop.walk([&](Operation *op) {
    auto stmt = op->getParentOfType<StmtOp>();
    for (OpResult result : op->getResults())
      if (stmt && mayEndInProduct(op) &&
          (result.getType().isF32() || result.getType().isF64()) &&
          !llvm::all_of(result.getUses(),
                        [&](OpOperand &use) { return keepsApart(use, stmt); }))
        results.push_back(result);
  });
  for (OpResult result : results) {
    OpBuilder builder(scop.getContext());
    builder.setInsertionPointAfterValue(result);
    Value one = arith::ConstantOp::create(
        builder, result.getLoc(), builder.getFloatAttr(result.getType(), 1));
    auto rounded =
        kernel::MulRoundedOp::create(builder, result.getLoc(), result, one);
    result.replaceAllUsesExcept(rounded.getResult(), rounded);
  }
}

void fusec::sched::roundProducts(ScopOp scop, bool all) {
  if (all)
    roundFunctions(scop);
  SmallVector<arith::MulFOp> products;
  scop.walk([&](arith::MulFOp op) {
    bool isPrecise = bool(op->removeAttr(fuse::kPreciseAttr));
    if (!isPrecise && !all)
      return;
    auto stmt = op->getParentOfType<StmtOp>();
    bool isFree = !all && llvm::any_of(op->getOperands(), [&](Value v) {
      return isAccumulator(stmt, v) || keepsDigits(v);
    });
    isFree |= llvm::all_of(op->getUses(), [&](OpOperand &use) {
      return keepsApart(use, stmt) || (!all && isTerm(use, stmt));
    });
    if (!isFree)
      products.push_back(op);
  });
  for (arith::MulFOp op : products) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(kernel::MulRoundedOp::create(builder, op.getLoc(),
                                                       op.getLhs(), op.getRhs())
                              .getResult());
    op.erase();
  }
}
