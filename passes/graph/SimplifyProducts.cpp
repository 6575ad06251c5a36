// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions with constant weights, one after the other.
#include "passes/graph/Evaluator.h"
#include "passes/graph/Precision.h"
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
/// contract(contract(x, a), b) = contract(x, contract(a, b)) and
/// contract(contract(x, a) + c, b) = contract(x, contract(a, b)) +
/// contract(c, b), with constant a, b and c, where that takes fewer products:
/// linear layers with no function between them. Folding then computes the
/// products of constants.
struct CombineWeights : public OpRewritePattern<ContractOp> {
  CombineWeights(MLIRContext *context, int64_t maxBytes)
      : OpRewritePattern(context), maxBytes(maxBytes) {}

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32(op) || isPrecise(op))
      return failure();
    for (unsigned i : {0u, 1u})
      if (std::optional<Consecutive> both = match(op, i);
          both && pays(*both, op, rewriter)) {
        rewriter.replaceOp(op, combine(*both, op, rewriter));
        return success();
      }
    return failure();
  }

private:
  /// Two contractions, in iterators of both: those of the outer one, and then
  /// those that only the inner one has.
  struct Consecutive {
    Value x, a, b;
    /// Stands between the two, repeated along what it lacks; may be null.
    BroadcastOp bias;
    AffineMap xMap, aMap, bMap, result;
    /// Where the outer contraction reads the inner one.
    AffineMap between;
    SmallVector<int64_t> extents;
    /// The products of both.
    double cost;

    double countPoints(ArrayRef<AffineMap> maps) const;
    /// Of a contracted with b: what x or the result have of their iterators.
    AffineMap getProductMap() const;
  };

  static std::optional<Consecutive> match(ContractOp op, unsigned operand);
  bool pays(const Consecutive &both, ContractOp op,
            PatternRewriter &rewriter) const;
  static Value combine(const Consecutive &both, ContractOp op,
                       PatternRewriter &rewriter);
  int64_t maxBytes;
};
} // namespace

/// The contraction of f32 whose operands and result have the iterators that
/// the maps name, which have these extents.
static Value contract(Value lhs, Value rhs, ArrayRef<AffineMap> maps,
                      ArrayRef<int64_t> extents, TensorBuilder &b) {
  // Those of the result come first, and those that no map names are left out.
  SmallVector<AffineExpr> numbers(extents.size());
  unsigned count = 0;
  for (AffineMap map : {maps[2], maps[0], maps[1]})
    for (AffineExpr expr : map.getResults())
      if (AffineExpr &number = numbers[cast<AffineDimExpr>(expr).getPosition()];
          !number)
        number = b.builder.getAffineDimExpr(count++);
  const auto numbered = llvm::map_to_vector(maps, [&](AffineMap map) {
    return AffineMap::get(
        count, 0,
        llvm::map_to_vector(
            map.getResults(),
            [&](AffineExpr expr) { return expr.replaceDims(numbers); }),
        map.getContext());
  });
  const auto shape =
      llvm::map_to_vector(maps[2].getResults(), [&](AffineExpr expr) {
        return extents[cast<AffineDimExpr>(expr).getPosition()];
      });
  return b.make<ContractOp>(getTensorType(lhs).clone(shape), lhs, rhs,
                            b.builder.getAffineMapArrayAttr(numbered));
}

/// How many points the iterators span that the maps name.
double
CombineWeights::Consecutive::countPoints(ArrayRef<AffineMap> maps) const {
  double points = 1;
  for (size_t d = 0; d < extents.size(); ++d)
    if (llvm::any_of(maps,
                     [d](AffineMap map) { return map.isFunctionOfDim(d); }))
      points *= double(extents[d]);
  return points;
}

AffineMap CombineWeights::Consecutive::getProductMap() const {
  SmallVector<AffineExpr> kept;
  for (AffineMap map : {aMap, bMap})
    for (AffineExpr expr : map.getResults())
      if (!llvm::is_contained(kept, expr) &&
          (xMap.getResultPosition(expr) || result.getResultPosition(expr)))
        kept.push_back(expr);
  return AffineMap::get(aMap.getNumDims(), 0, kept, aMap.getContext());
}

std::optional<CombineWeights::Consecutive>
CombineWeights::match(ContractOp op, unsigned operand) {
  Consecutive both;
  Value value = op->getOperand(operand);
  if (auto add = value.getDefiningOp<AddOp>(); add && add->hasOneUse()) {
    both.bias = add.getRhs().getDefiningOp<BroadcastOp>();
    value = add.getLhs();
    if (!both.bias || !hasConstantData(both.bias.getOperand()))
      return std::nullopt;
  }
  auto inner = value.getDefiningOp<ContractOp>();
  both.b = op->getOperand(1 - operand);
  if (!inner || !inner->hasOneUse() || !isF32(inner) || isPrecise(inner) ||
      !hasConstantData(both.b) || !isF32(both.b))
    return std::nullopt;
  const unsigned constant = hasConstantData(inner.getRhs()) ? 1 : 0;
  both.a = inner->getOperand(constant);
  both.x = inner->getOperand(1 - constant);
  if (!hasConstantData(both.a) || hasConstantData(both.x) || !isF32(both.a))
    return std::nullopt;
  both.extents = cast<PrimitiveOpInterface>(*op).getIterationExtents();
  const SmallVector<int64_t> own =
      cast<PrimitiveOpInterface>(*inner).getIterationExtents();
  both.cost = llvm::product_of(own, 1.0) + llvm::product_of(both.extents, 1.0);
  // The inner contraction's iterators, by what they are called here.
  AffineMap read = getMap(op, operand), made = getMap(inner, 2);
  SmallVector<AffineExpr> names;
  for (auto [d, extent] : llvm::enumerate(own)) {
    AffineExpr iterator = getAffineDimExpr(d, op.getContext());
    if (std::optional<unsigned> place = made.getResultPosition(iterator)) {
      names.push_back(read.getResult(*place));
      continue;
    }
    names.push_back(getAffineDimExpr(both.extents.size(), op.getContext()));
    both.extents.push_back(extent);
  }
  const unsigned count = both.extents.size();
  auto rename = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(names, {}, count, 0);
  };
  auto widen = [&](AffineMap map) {
    return AffineMap::get(count, 0, map.getResults(), op.getContext());
  };
  both.xMap = rename(getMap(inner, 1 - constant));
  both.aMap = rename(getMap(inner, constant));
  both.bMap = widen(getMap(op, 1 - operand));
  both.between = widen(read);
  both.result = widen(getMap(op, 2));
  return both;
}

/// Whether it takes fewer products, and folding computes what is constant.
bool CombineWeights::pays(const Consecutive &both, ContractOp op,
                          PatternRewriter &rewriter) const {
  AffineMap product = both.getProductMap();
  const double cost = both.countPoints({both.xMap, product, both.result}),
               elements = both.countPoints({product}),
               steps = both.countPoints({both.aMap, both.bMap});
  if (cost >= both.cost) {
    (void)rewriter.notifyMatchFailure(
        op, "the product of its weights with those of the contraction before "
            "it would take more products of numbers");
    return false;
  }
  const int64_t largest = std::max(getTensorType(both.a).getNumElements(),
                                   getTensorType(both.b).getNumElements());
  // A bias has no more dimensions than weights do.
  const bool isSummedByWeights =
      !both.bias ||
      llvm::all_of(both.between.getResults(), [&](AffineExpr expr) {
        return both.result.getResultPosition(expr) ||
               both.bMap.getResultPosition(expr);
      });
  return isSummedByWeights && elements <= double(getComputedLimit(largest)) &&
         steps <= double(EvaluationLimits().steps) &&
         elements * sizeof(float) <= double(maxBytes);
}

Value CombineWeights::combine(const Consecutive &both, ContractOp op,
                              PatternRewriter &rewriter) {
  TensorBuilder b(rewriter, op.getLoc());
  AffineMap product = both.getProductMap();
  Value weights = contract(both.a, both.b, {both.aMap, both.bMap, product},
                           both.extents, b);
  Value sum = contract(both.x, weights, {both.xMap, product, both.result},
                       both.extents, b);
  if (!both.bias)
    return sum;
  // Of the bias, what it is not repeated along.
  BroadcastOp repeated = both.bias;
  auto type = getTensorType(repeated.getOperand());
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  for (auto [d, to] : llvm::enumerate(repeated.getDims()))
    if (type.getDimSize(d) != 1) {
      exprs.push_back(both.between.getResult(to));
      shape.push_back(type.getDimSize(d));
    }
  AffineMap bias =
      AffineMap::get(both.extents.size(), 0, exprs, op.getContext());
  SmallVector<AffineExpr> left;
  SmallVector<int64_t> places;
  for (auto [d, expr] : llvm::enumerate(both.result.getResults()))
    if (bias.getResultPosition(expr) || both.bMap.getResultPosition(expr)) {
      left.push_back(expr);
      places.push_back(int64_t(d));
    }
  AffineMap all = AffineMap::get(both.extents.size(), 0, left, op.getContext());
  Value added = contract(b.reshape(repeated.getOperand(), shape), both.b,
                         {bias, both.bMap, all}, both.extents, b);
  return b.add(sum, b.broadcast(added, op.getType().getShape(), places));
}

void fusec::fuse::populateSimplifyProducts(RuleSet &rules) {
  rules.add<CombineWeights>(
      {"contractions.combine-weights", RuleArea::Compute, /*level=*/2,
       Bits::Changed,
       "Makes one contraction of two with constant weights, one after the "
       "other, where that takes fewer products."},
      rules.maxFoldedBytes);
}
