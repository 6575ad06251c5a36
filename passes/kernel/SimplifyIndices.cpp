// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/IndexRanges.h"
#include "passes/kernel/Simplify.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fusec::kernel {

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

namespace {

enum class Truth { always, never, sometimes };

} // namespace

static Truth getTruth(AffineExpr constraint, bool isEquality,
                      ArrayRef<IndexRange> dims) {
  IndexRange range = rangeOf(simplifyInRange(constraint, dims), dims);
  if (range.high && *range.high < 0)
    return Truth::never;
  if (isEquality) {
    if (range.low && *range.low > 0)
      return Truth::never;
    return range.isConstant() && *range.low == 0 ? Truth::always
                                                 : Truth::sometimes;
  }
  return range.low && *range.low >= 0 ? Truth::always : Truth::sometimes;
}

/// `expr >= 0`, or `expr == 0`, with smaller numbers: 52 - i for 314 - i * 6.
/// What a number divides is divided by it, and what remains of the constant
/// counts for nothing.
static AffineExpr tightenConstraint(AffineExpr expr, bool isEquality) {
  AffineExpr variable = expr;
  int64_t constant = 0;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
      sum && sum.getKind() == AffineExprKind::Add)
    if (auto number = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      variable = sum.getLHS();
      constant = number.getValue();
    }
  int64_t divisor = variable.getLargestKnownDivisor();
  // An equality that a remainder makes impossible stays as it is.
  if (divisor <= 1 || (isEquality && constant % divisor != 0))
    return expr;
  return variable.floorDiv(divisor) +
         llvm::divideFloorSigned(constant, divisor);
}

/// Drops the constraints that always hold and tightens the others; `never` if
/// one never holds.
static Truth simplifySet(IntegerSet &set, ArrayRef<IndexRange> dims) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  for (auto [expr, isEquality] :
       llvm::zip(set.getConstraints(), set.getEqFlags())) {
    Truth truth = getTruth(expr, isEquality, dims);
    if (truth == Truth::never)
      return Truth::never;
    AffineExpr tight = tightenConstraint(expr, isEquality);
    if (truth == Truth::always || llvm::is_contained(constraints, tight))
      continue;
    constraints.push_back(tight);
    equalities.push_back(isEquality);
  }
  if (constraints.empty())
    return Truth::always;
  set = IntegerSet::get(set.getNumDims(), 0, constraints, equalities);
  return Truth::sometimes;
}

static void replaceByBool(Operation *op, bool value) {
  OpBuilder builder(op);
  Type type = op->getResult(0).getType();
  TypedAttr attr = builder.getBoolAttr(value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, value);
  op->getResult(0).replaceAllUsesWith(
      arith::ConstantOp::create(builder, op->getLoc(), attr));
  op->erase();
}

static bool simplifyInBounds(InBoundsOp op) {
  IntegerSet set = op.getCondition();
  SmallVector<IndexRange> dims = rangesOf(op.getOperands());
  if (op.getLaneDim() && dims[*op.getLaneDim()].high)
    *dims[*op.getLaneDim()].high += kLanes - 1;
  if (op.getLaneDim())
    dims[*op.getLaneDim()].divisor = 1;
  Truth truth = simplifySet(set, dims);
  if (truth != Truth::sometimes) {
    replaceByBool(op, truth == Truth::always);
    return true;
  }
  op.setConditionAttr(IntegerSetAttr::get(set));
  return false;
}

static bool simplifyTailMask(TailMaskOp op) {
  AffineForm bound(op.getMap(), op.getIndices());
  bound.compose();
  AffineForm base = formOf(op.getBase());
  for (AffineExpr expr : bound.exprs) {
    AffineForm one = bound;
    one.exprs = {expr};
    AffineForm room = subtract(one, base);
    IndexRange range = rangeOf(room.exprs.front(), rangesOf(room.operands));
    if (!range.low || *range.low < kLanes)
      return false;
  }
  replaceByBool(op, true);
  return true;
}

/// Masks that are constants: true reads everything.
static bool dropTrueMask(Operation *op) {
  auto drop = [](auto access) {
    auto constant =
        access.getMask()
            ? access.getMask().template getDefiningOp<arith::ConstantOp>()
            : arith::ConstantOp();
    if (!constant)
      return false;
    bool isTrue = false;
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      isTrue = dense.isSplat() && dense.template getSplatValue<bool>();
    else
      isTrue = !cast<IntegerAttr>(constant.getValue()).getValue().isZero();
    if (!isTrue)
      return false;
    access.getMaskMutable().clear();
    access->removeAttr("fill");
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<LoadOp, StoreOp, StoreTransposedOp, GatherOp, CopyAsyncOp>(drop)
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// Moves the operations of a body before `op`, which goes.
static void inlineBody(Operation *op, Region &body) {
  if (!body.empty()) {
    Block &block = body.front();
    op->getBlock()->getOperations().splice(
        op->getIterator(), block.getOperations(), block.begin(),
        block.getTerminator()->getIterator());
  }
  op->erase();
}

static bool simplifyIf(IfOp op) {
  IntegerSet set = op.getCondition();
  Truth truth = simplifySet(set, rangesOf(op.getOperands()));
  if (truth == Truth::sometimes) {
    op.setConditionAttr(IntegerSetAttr::get(set));
    return false;
  }
  inlineBody(op, truth == Truth::always ? op.getBody() : op.getElseBody());
  return true;
}

/// Drops the results of a bound that others always beat.
static AffineForm dropDominated(AffineForm form, bool largest) {
  SmallVector<IndexRange> dims = rangesOf(form.operands);
  for (size_t i = 0; i < form.exprs.size(); ++i) {
    bool beaten = false;
    for (size_t k = 0; k < form.exprs.size() && !beaten; ++k) {
      if (k == i)
        continue;
      AffineExpr margin = largest ? form.exprs[k] - form.exprs[i]
                                  : form.exprs[i] - form.exprs[k];
      IndexRange range = rangeOf(simplifyInRange(margin, dims), dims);
      beaten = range.low && *range.low >= 0;
    }
    if (beaten)
      form.exprs.erase(form.exprs.begin() + i--);
  }
  form.compose();
  return form;
}

static bool simplifyFor(ForOp loop) {
  MLIRContext *context = loop.getContext();
  AffineForm lower =
      dropDominated({loop.getLowerMap(), loop.getLowerOperands()}, true);
  AffineForm upper =
      dropDominated({loop.getUpperMap(), loop.getUpperOperands()}, false);
  loop.setLower(lower.getMap(context), lower.operands);
  loop.setUpper(upper.getMap(context), upper.operands);
  if (lower.exprs.size() != 1)
    return false;
  std::optional<int64_t> most;
  int64_t least = INT64_MAX;
  for (AffineExpr expr : upper.exprs) {
    AffineForm one = upper;
    one.exprs = {expr};
    AffineForm extent = subtract(one, lower);
    SmallVector<IndexRange> dims = rangesOf(extent.operands);
    IndexRange range =
        rangeOf(simplifyInRange(extent.exprs.front(), dims), dims);
    if (range.high)
      most = std::min(most.value_or(*range.high), *range.high);
    least = std::min(least, range.low.value_or(INT64_MIN));
  }
  if (most && *most <= 0) {
    loop.erase();
    return true;
  }
  // Exactly one iteration, which is not one of many threads.
  if (!most || *most > loop.getStep() || least < 1 ||
      loop.getMapping() == Mapping::warp ||
      loop.getMapping() == Mapping::thread)
    return false;
  OpBuilder builder(loop);
  Value index =
      ApplyOp::create(builder, loop.getIndex().getLoc(), builder.getIndexType(),
                      lower.getMap(context), lower.operands);
  loop.getIndex().replaceAllUsesWith(index);
  inlineBody(loop, loop.getBody());
  return true;
}

/// An index that is an operand, not a dim, is replaced by the constant it is.
static void replaceConstantIndex(ApplyOp apply) {
  AffineForm form(apply.getMap(), apply.getOperands());
  form.compose();
  auto constant = dyn_cast<AffineConstantExpr>(form.exprs.front());
  if (!constant)
    return;
  OpBuilder builder(apply);
  apply.replaceAllUsesWith(arith::ConstantIndexOp::create(
                               builder, apply.getLoc(), constant.getValue())
                               .getResult());
}

void simplifyIndices(FuncOp func) {
  bool changed = true;
  // Each round that changes removes an operation or a mask.
  while (changed) {
    changed = false;
    func.walk([&](Operation *op) {
      rewriteForms(op, [](AffineForm &form) {
        form.compose();
        SmallVector<IndexRange> dims = rangesOf(form.operands);
        for (AffineExpr &expr : form.exprs)
          expr = simplifyInRange(expr, dims, form.numSymbols);
        form.compose();
      });
      changed |= dropTrueMask(op);
    });
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) {
      if (isa<ForOp, IfOp, InBoundsOp, TailMaskOp, ApplyOp>(op))
        ops.push_back(op);
    });
    // Inner operations come first, so an erased one holds none to come.
    for (Operation *op : ops) {
      if (isOpTriviallyDead(op)) {
        op->erase();
        continue;
      }
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](ForOp loop) { changed |= simplifyFor(loop); })
          .Case([&](IfOp branch) { changed |= simplifyIf(branch); })
          .Case([&](InBoundsOp test) { changed |= simplifyInBounds(test); })
          .Case([&](TailMaskOp mask) { changed |= simplifyTailMask(mask); })
          .Case([&](ApplyOp apply) { replaceConstantIndex(apply); });
    }
  }
}

} // namespace fusec::kernel
