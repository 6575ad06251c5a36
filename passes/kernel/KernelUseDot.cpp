// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-use-dot: see passes/kernel/Passes.td.
#include "dialects/TargetInfo.h"
#include "dialects/TypeInfo.h"
#include "passes/kernel/AffineForms.h"
#include "passes/kernel/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/ConstantRange.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELUSEDOT
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

/// Terms of the sums that one kernel.dot adds.
static constexpr int64_t kTerms = 2;

namespace {

/// `store(sums + product)`, the accumulation of 16 sums in a local array.
struct Accumulation {
  LoadOp sums;
  arith::MulIOp product;
};

struct KernelUseDot : fusec::kernel::impl::KernelUseDotBase<KernelUseDot> {
  using Base::Base;
  void runOnOperation() override {
    if (getTargetInfo(getOperation()).tiledFor->terms < kTerms)
      return;
    SmallVector<ForOp> loops;
    getOperation().walk([&](ForOp loop) {
      if (loop.getMapping() == Mapping::sequential && loop.getStep() == 1)
        loops.push_back(loop);
    });
    for (ForOp loop : loops)
      useDot(loop);
  }

  void useDot(ForOp loop);
};

/// What an odd iteration computes, beside what the even one before it does.
class OddIteration {
public:
  OddIteration(ForOp loop, OpBuilder &builder)
      : index(loop.getIndex()), builder(builder) {}
  Value compute(Value value);

private:
  Value index;
  OpBuilder &builder;
  DenseMap<Value, Value> known;
};

} // namespace

/// The numbers that `value`, an i32 or lanes of it, may be.
static llvm::ConstantRange integersOf(Value value) {
  llvm::ConstantRange any = llvm::ConstantRange::getFull(32);
  Operation *op = value.getDefiningOp();
  if (!op)
    return any;
  auto binary = [&](auto combine) {
    return combine(integersOf(op->getOperand(0)),
                   integersOf(op->getOperand(1)));
  };
  return llvm::TypeSwitch<Operation *, llvm::ConstantRange>(op)
      .Case([&](LoadOp load) {
        auto type =
            dyn_cast<IntegerType>(load.getMemRefType().getElementType());
        if (!type || type.getWidth() >= 32 || load.getFillAttr())
          return any;
        llvm::ConstantRange all = llvm::ConstantRange::getFull(type.getWidth());
        return type.isUnsigned() ? all.zeroExtend(32) : all.signExtend(32);
      })
      .Case([&](BroadcastOp broadcast) {
        return integersOf(broadcast.getValue());
      })
      .Case([&](arith::AddIOp) {
        return binary([](auto a, auto b) { return a.add(b); });
      })
      .Case([&](arith::SubIOp) {
        return binary([](auto a, auto b) { return a.sub(b); });
      })
      .Case([&](arith::ConstantOp constant) {
        Attribute number = constant.getValue();
        if (auto dense = dyn_cast<SplatElementsAttr>(number))
          number = dense.getSplatValue<Attribute>();
        auto integer = dyn_cast<IntegerAttr>(number);
        return integer ? llvm::ConstantRange(integer.getValue()) : any;
      })
      .Default(any);
}

/// Whether the low 16 bits of `value` say all of it.
static bool fitsTerm(Value value) {
  llvm::ConstantRange terms = llvm::ConstantRange::getFull(16).signExtend(32);
  return getElementTypeOrSelf(value.getType()).isInteger(32) &&
         terms.contains(integersOf(value));
}

static std::optional<Accumulation> matchAccumulation(StoreOp store) {
  auto sum = store.getValue().getDefiningOp<arith::AddIOp>();
  if (!sum || store.getMask() || !store.getMemref().getDefiningOp<LocalOp>() ||
      sum.getType() != getVectorOf(IntegerType::get(store.getContext(), 32)))
    return std::nullopt;
  for (auto [addend, term] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())}) {
    auto load = addend.getDefiningOp<LoadOp>();
    auto product = term.getDefiningOp<arith::MulIOp>();
    if (load && product && !load.getMask() &&
        load.getMemref() == store.getMemref() &&
        load.getMap() == store.getMap() &&
        load.getIndices() == store.getIndices() &&
        load.getStride() == store.getStride())
      return Accumulation{load, product};
  }
  return std::nullopt;
}

/// How many elements `load` moves on with an iteration of `index`, if it is the
/// same for each.
static std::optional<int64_t> getPace(LoadOp load, Value index) {
  AffineForm form(load.getMap(), load.getIndices());
  form.compose();
  AffineExpr now = form.linearize(load.getMemRefType().getShape());
  AffineExpr dim = form.getDim(index);
  unsigned dims = form.operands.size();
  AffineExpr pace =
      simplifyAffineExpr(now.replace(dim, dim + 1) - now, dims, 0);
  auto number = dyn_cast<AffineConstantExpr>(pace);
  return number ? std::optional(number.getValue()) : std::nullopt;
}

/// Why an odd iteration of `loop` cannot compute `value` beside the even one,
/// or empty.
static StringRef explainAlone(Value value, ForOp loop) {
  Operation *op = value.getDefiningOp();
  if (value == loop.getIndex())
    return "an operand is the number of the iteration";
  if (!op || !loop->isProperAncestor(op))
    return "";
  if (auto load = dyn_cast<LoadOp>(op)) {
    for (Operation *user : load.getMemref().getUsers())
      if (isa<StoreOp>(user) && loop->isAncestor(user))
        return "an operand is memory that the loop writes";
  } else if (op->getNumRegions() || !isMemoryEffectFree(op)) {
    return "an operand is computed by more than arithmetic";
  }
  // Affine forms of the iteration's number can take the next one, but for that
  // in which a dimension counts lanes.
  auto test = dyn_cast<InBoundsOp>(op);
  bool hasForm = isa<LoadOp, ApplyOp>(op) || (test && !test.getLaneDim());
  for (Value operand : op->getOperands())
    if (!hasForm || operand != loop.getIndex())
      if (StringRef reason = explainAlone(operand, loop); !reason.empty())
        return reason;
  return "";
}

/// Why the factors of `product` make no pairs, or empty.
static StringRef explainApart(arith::MulIOp product, ForOp loop) {
  auto lhs = product.getLhs().getDefiningOp<BroadcastOp>(),
       rhs = product.getRhs().getDefiningOp<BroadcastOp>();
  if (bool(lhs) == bool(rhs))
    return "no operand is the same in all lanes";
  auto scalar = (lhs ? lhs : rhs).getValue().getDefiningOp<LoadOp>();
  if (!scalar || scalar.getMask() || getPace(scalar, loop.getIndex()) != 1)
    return "the pairs of what all lanes share lie apart in memory";
  for (Value operand : product->getOperands())
    if (StringRef reason = explainAlone(operand, loop); !reason.empty())
      return reason;
  return "";
}

Value OddIteration::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !index.getParentBlock()->getParentOp()->isProperAncestor(op))
    return value;
  auto [entry, isNew] = known.try_emplace(value);
  if (!isNew)
    return entry->second;
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, compute(operand));
  Operation *odd = builder.clone(*op, operands);
  rewriteForms(odd, [&](AffineForm &form) {
    for (auto [number, operand] : llvm::enumerate(form.operands))
      if (operand == index) {
        AffineExpr dim = getAffineDimExpr(number, odd->getContext());
        for (AffineExpr &expr : form.exprs)
          expr = expr.replace(dim, dim + 1);
      }
    form.compose();
  });
  return known[value] = odd->getResult(0);
}

/// The pairs of two terms: those of scalars where all lanes are the same.
static Value makePairs(OpBuilder &builder, Location loc, Value even,
                       Value odd) {
  auto first = even.getDefiningOp<BroadcastOp>(),
       second = odd.getDefiningOp<BroadcastOp>();
  if (!first || !second)
    return PairsOp::create(builder, loc, even, odd);
  Value pair =
      PairsOp::create(builder, loc, first.getValue(), second.getValue());
  return BroadcastOp::create(builder, loc, even.getType(), pair);
}

/// Whether `loop` does nothing but accumulate products of what 16 bits hold; if
/// it does, `reason` says why the terms make no pairs, or nothing.
static bool accumulates(ForOp loop, StringRef &reason) {
  SmallVector<arith::MulIOp> products;
  bool isWhole = true;
  loop->walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      std::optional<Accumulation> accumulation = matchAccumulation(store);
      if (accumulation && loop.getCarry(store.getMemref()) == Carry::Add &&
          llvm::all_of(accumulation->product->getOperands(), fitsTerm))
        products.push_back(accumulation->product);
      else
        isWhole = false;
    } else if (auto inner = dyn_cast<ForOp>(op); inner && inner != loop) {
      isWhole &= inner.getMapping() == Mapping::unroll &&
                 inner.getLowerMap().isSingleConstant() &&
                 inner.getUpperMap().isSingleConstant();
    } else {
      isWhole &= isa<LoadOp, YieldOp, ForOp>(op) || isMemoryEffectFree(op);
    }
  });
  if (!isWhole || products.empty())
    return false;
  for (arith::MulIOp product : products)
    if (reason = explainApart(product, loop); !reason.empty())
      return true;
  if (!loop.getLowerMap().isSingleConstant() ||
      !loop.getUpperMap().isSingleConstant())
    reason = "how often its loop runs is not known";
  return true;
}

void KernelUseDot::useDot(ForOp loop) {
  StringRef reason;
  if (!accumulates(loop, reason))
    return;
  if (!reason.empty()) {
    loop.emitRemark("not in pairs: ") << reason;
    return;
  }
  int64_t low = loop.getLowerMap().getSingleConstantResult(),
          high = loop.getUpperMap().getSingleConstantResult();
  int64_t whole = low + (high - low) / kTerms * kTerms;
  if (whole <= low)
    return;

  OpBuilder builder(loop);
  auto bound = [&](int64_t number) {
    return AffineForm(AffineMap::getConstantMap(number, loop.getContext()), {});
  };
  ForOp pairs =
      createLoop(builder, loop.getLoc(), loop.getIndex().getLoc(), bound(low),
                 bound(whole), kTerms, Mapping::sequential);
  pairs.copyCarries(loop);
  IRMapping mapping;
  mapping.map(loop.getIndex(), pairs.getIndex());
  builder.setInsertionPointToStart(&pairs.getBody().front());
  for (Operation &op : loop.getBody().front().without_terminator())
    builder.clone(op, mapping);
  SmallVector<StoreOp> stores;
  pairs.walk([&](StoreOp store) { stores.push_back(store); });
  for (StoreOp store : stores) {
    Accumulation even = *matchAccumulation(store);
    Operation *sum = store.getValue().getDefiningOp();
    builder.setInsertionPoint(sum);
    OddIteration odd(pairs, builder);
    Location loc = sum->getLoc();
    Value lhs = even.product.getLhs(), rhs = even.product.getRhs();
    lhs = makePairs(builder, loc, lhs, odd.compute(lhs));
    rhs = makePairs(builder, loc, rhs, odd.compute(rhs));
    sum->getResult(0).replaceAllUsesWith(
        DotOp::create(builder, loc, lhs, rhs, even.sums));
    sum->erase();
    if (even.product.use_empty())
      even.product.erase();
    ++numPaired;
  }
  if (whole == high)
    loop.erase();
  else
    loop.setLower(AffineMap::getConstantMap(whole, loop.getContext()), {});
}
