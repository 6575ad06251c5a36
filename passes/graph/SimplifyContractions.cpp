// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses, casts and constant factors move into contractions.
#include "dialects/NarrowFloats.h"
#include "passes/graph/Precision.h"
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// `op` with operand or result (index 2) `index` accessed by `map`.
static ArrayAttr withMap(ContractOp op, unsigned index, AffineMap map) {
  SmallVector<Attribute> maps(op.getMaps().begin(), op.getMaps().end());
  maps[index] = AffineMapAttr::get(map);
  return ArrayAttr::get(op.getContext(), maps);
}

static AffineMap withResults(AffineMap map, ArrayRef<AffineExpr> results) {
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

namespace {
/// contract(transpose x, y) = contract(x, y) with a permuted map.
struct ContractTransposed : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned i : {0u, 1u}) {
      auto transpose = op->getOperand(i).getDefiningOp<TransposeOp>();
      if (!transpose)
        continue;
      AffineMap map = getMap(op, i);
      SmallVector<AffineExpr> results(map.getNumResults());
      for (auto [to, from] : llvm::enumerate(transpose.getPerm()))
        results[from] = map.getResult(to);
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(i, transpose.getOperand());
        op.setMapsAttr(withMap(op, i, withResults(map, results)));
      });
      return success();
    }
    return failure();
  }
};

/// transpose(contract(x, y)) = contract(x, y) with a permuted result.
struct TransposeContraction : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto contract = op.getOperand().getDefiningOp<ContractOp>();
    if (!contract || !contract->hasOneUse())
      return failure();
    AffineMap map = getMap(contract, 2);
    SmallVector<AffineExpr> results;
    for (int64_t from : op.getPerm())
      results.push_back(map.getResult(from));
    Location loc = rewriter.getFusedLoc({contract.getLoc(), op.getLoc()});
    auto permuted = ContractOp::create(
        rewriter, loc, op.getType(), contract.getLhs(), contract.getRhs(),
        withMap(contract, 2, withResults(map, results)));
    rewriter.replaceOp(op, permuted);
    return success();
  }
};

/// contract(broadcast x, y) = contract(x, y): iterators along which x repeats
/// leave its map.
struct ContractRepeated : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned i : {0u, 1u}) {
      auto broadcast = op->getOperand(i).getDefiningOp<BroadcastOp>();
      if (!broadcast || getTensorType(broadcast.getOperand()).getRank() == 0)
        continue;
      AffineMap map = getMap(op, i);
      SmallVector<AffineExpr> results;
      SmallVector<int64_t> shape;
      auto from = getTensorType(broadcast.getOperand());
      for (auto [d, to] : llvm::enumerate(broadcast.getDims())) {
        if (from.getDimSize(d) != broadcast.getType().getDimSize(to))
          continue;
        results.push_back(map.getResult(to));
        shape.push_back(from.getDimSize(d));
      }
      // Dropping dimensions needs a view; every iterator needs another tensor.
      if (int64_t(shape.size()) != from.getRank() &&
          !isView(broadcast.getOperand()))
        continue;
      if (!leavesNoIteratorUnused(op, i, results))
        continue;
      TensorBuilder b(rewriter, op.getLoc());
      Value operand = b.reshape(broadcast.getOperand(), shape);
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(i, operand);
        op.setMapsAttr(withMap(op, i, withResults(map, results)));
      });
      return success();
    }
    return failure();
  }

private:
  static bool leavesNoIteratorUnused(ContractOp op, unsigned index,
                                     ArrayRef<AffineExpr> results) {
    llvm::SmallDenseSet<AffineExpr> used(results.begin(), results.end());
    for (unsigned i : {0u, 1u, 2u})
      if (i != index)
        used.insert_range(getMap(op, i).getResults());
    return used.size() == getMap(op, index).getNumDims();
  }
};

/// Without an iterator to sum over, contract(x, y) = x y, both repeated over
/// the result: pointwise, and fused as such.
struct ContractWithoutSum : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    if (op.hasReduction())
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    RankedTensorType type = op.getType();
    bool converts = llvm::any_of(op->getOperands(), [&](Value operand) {
      return getTensorType(operand).getElementType() != type.getElementType();
    });
    SmallVector<Value> factors;
    for (unsigned i : {0u, 1u}) {
      // Which dimension of the result each of the operand's is; broadcasts take
      // them in order.
      SmallVector<int64_t> dims, order;
      for (AffineExpr expr : getMap(op, i).getResults())
        dims.push_back(*getMap(op, 2).getResultPosition(expr));
      llvm::append_range(order, llvm::seq<int64_t>(0, dims.size()));
      llvm::sort(order,
                 [&](int64_t x, int64_t y) { return dims[x] < dims[y]; });
      Value factor = op->getOperand(i);
      if (!llvm::is_sorted(order))
        factor = b.transpose(factor, order);
      llvm::sort(dims);
      factor = b.broadcast(factor, type.getShape(), dims);
      if (converts)
        factor = b.cast(factor, getComputeType(type.getElementType()));
      factors.push_back(factor);
    }
    Value product = b.mul(factors[0], factors[1]);
    rewriter.replaceOp(op, b.cast(product, type.getElementType()));
    return success();
  }
};

/// A contraction or reduction reads elements in their compute type: an exact
/// cast to another type of that compute type goes away.
struct DropOperandCast
    : public OpInterfaceRewritePattern<PrimitiveOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(PrimitiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasReduction())
      return failure();
    for (OpOperand &operand : op->getOpOperands()) {
      auto cast = operand.get().getDefiningOp<CastOp>();
      if (!cast)
        continue;
      Type from = getTensorType(cast.getOperand()).getElementType();
      Type to = getTensorType(cast).getElementType();
      if (getComputeType(from) != getComputeType(to) || !isExactCast(from, to))
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(cast.getOperand()); });
      return success();
    }
    return failure();
  }
};
} // namespace

//===- Constant factors --------------------------------------------------===//

namespace {
/// A multiplication of a contraction's result by constants along some of its
/// dimensions, say of a convolution by a batch norm's factors.
struct ScaledContraction {
  ContractOp contraction;
  /// Stands between the contraction and the multiplication; may be null.
  AddOp bias;
  BroadcastOp factors;
};
} // namespace

/// Matches `mul`, whatever the contraction's operands are.
static std::optional<ScaledContraction> matchScaledContraction(MulOp mul) {
  for (auto [scaled, factors] : {std::pair(mul.getLhs(), mul.getRhs()),
                                 std::pair(mul.getRhs(), mul.getLhs())}) {
    ScaledContraction match;
    match.factors = factors.getDefiningOp<BroadcastOp>();
    if (!match.factors || match.factors.getDims().empty() ||
        !hasConstantData(match.factors.getOperand()))
      continue;
    match.bias = scaled.getDefiningOp<AddOp>();
    Value value = scaled;
    if (match.bias) {
      auto added = match.bias.getRhs().getDefiningOp<BroadcastOp>();
      if (!match.bias->hasOneUse() || !added ||
          !hasConstantData(added.getOperand()))
        continue;
      value = match.bias.getLhs();
    }
    match.contraction = value.getDefiningOp<ContractOp>();
    if (match.contraction && match.contraction->hasOneUse())
      return match;
  }
  return std::nullopt;
}

/// Where the factors' dimensions lie in operand `index` of the contraction;
/// nothing if some do not, or in another order.
static std::optional<SmallVector<int64_t>>
locateFactors(const ScaledContraction &scaled, unsigned index) {
  ContractOp contraction = scaled.contraction;
  AffineMap result = getMap(contraction, 2),
            operand = getMap(contraction, index);
  SmallVector<int64_t> positions;
  BroadcastOp factors = scaled.factors;
  auto type = getTensorType(factors.getOperand());
  for (auto [d, to] : llvm::enumerate(factors.getDims())) {
    std::optional<unsigned> position =
        operand.getResultPosition(result.getResult(to));
    if (!position || type.getDimSize(d) != factors.getType().getDimSize(to))
      return std::nullopt;
    positions.push_back(*position);
  }
  if (!llvm::is_sorted(positions))
    return std::nullopt;
  return positions;
}

/// The operand of the contraction that can take the factors, a constant that
/// has all of their dimensions: 0, 1, or nothing.
static std::optional<unsigned>
findScalableOperand(const ScaledContraction &scaled) {
  ContractOp contraction = scaled.contraction;
  BroadcastOp factors = scaled.factors;
  Type element = getTensorType(factors.getOperand()).getElementType();
  for (unsigned i : {1u, 0u}) {
    Value operand = contraction->getOperand(i);
    if (getTensorType(operand).getElementType() == element &&
        hasConstantData(operand) && locateFactors(scaled, i))
      return i;
  }
  return std::nullopt;
}

namespace {
/// contract(x, w) f = contract(x, w f) and
/// (contract(x, w) + b) f = contract(x, w f) + b f, with constant w, b and f.
/// Constant folding then rewrites the weights.
struct ScaleWeights : public OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ScaledContraction> scaled = matchScaledContraction(op);
    if (!scaled)
      return failure();
    ContractOp contraction = scaled->contraction;
    std::optional<unsigned> index = findScalableOperand(*scaled);
    if (!index)
      return rewriter.notifyMatchFailure(
          op, hasConstantData(contraction.getLhs()) ||
                      hasConstantData(contraction.getRhs())
                  ? "factors not folded into the contraction: its weights lack "
                    "the factors' dimensions or their type"
                  : "factors not folded into the contraction: none of its "
                    "operands is a constant");
    TensorBuilder b(rewriter, contraction.getLoc());
    Value operand = contraction->getOperand(*index);
    Value factors = b.broadcast(scaled->factors.getOperand(),
                                getTensorType(operand).getShape(),
                                *locateFactors(*scaled, *index));
    SmallVector<Value> operands(contraction->getOperands());
    operands[*index] = b.mul(operand, factors);
    Value result = ContractOp::create(rewriter, contraction.getLoc(),
                                      contraction.getType(), operands[0],
                                      operands[1], contraction.getMaps());
    b.loc = op.getLoc();
    if (scaled->bias) {
      Value bias = b.mul(scaled->bias.getRhs(), scaled->factors);
      result = b.add(result, bias);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Whether the value is what one tensor is reduced to, perhaps by another
/// shape.
static bool isReduced(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  auto primitive = value.getDefiningOp<PrimitiveOpInterface>();
  return primitive && primitive.hasReduction() &&
         primitive->getNumOperands() == 1;
}

/// contract(x c, y) = contract(x, y) c for one number c, so that a contraction
/// reads what is stored, and attention has one form: its scale stands behind
/// the product, at one of its operands, or as a root at both. The factor of a
/// mean stays: it costs nothing where the sum ends, and contractions of means
/// of more and of fewer elements are alike.
struct FactorOutOfContraction : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned i : {0u, 1u}) {
      Value operand = op->getOperand(i);
      auto reshape = operand.getDefiningOp<ReshapeOp>();
      auto mul =
          (reshape ? reshape.getOperand() : operand).getDefiningOp<MulOp>();
      std::optional<double> factor =
          mul ? getUniformFloat(mul.getRhs()) : std::nullopt;
      if (!factor || !operand.hasOneUse() || !mul->hasOneUse() || !isF32(op) ||
          !isF32(mul) || isReduced(mul.getLhs()) || !isNormalF32(*factor) ||
          (!isPowerOfTwo(*factor) && isPrecise(op)))
        continue;
      TensorBuilder b(rewriter, op.getLoc());
      SmallVector<Value> operands(op->getOperands());
      operands[i] = b.reshape(mul.getLhs(), getTensorType(operand).getShape());
      Value product =
          ContractOp::create(rewriter, op.getLoc(), op.getType(), operands[0],
                             operands[1], op.getMaps());
      b.loc = mul.getLoc();
      rewriter.replaceOp(op, b.mul(product, *factor));
      return success();
    }
    return failure();
  }
};

/// Whether the value is a contraction, perhaps of another shape.
static bool isContracted(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  return bool(value.getDefiningOp<ContractOp>());
}

/// (x + b) + c = x + (b + c) for constants b and c repeated alike: the biases
/// of a convolution and of the batch norm after it. What is no sum of products
/// is added as it is written where that decides, and in 16 bits.
struct CombineBiases : public OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getLhs().getDefiningOp<AddOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    auto b = inner.getRhs().getDefiningOp<BroadcastOp>();
    auto c = op.getRhs().getDefiningOp<BroadcastOp>();
    if (!b || !c || b.getDims().empty() || b.getDims() != c.getDims() ||
        !hasConstantData(b.getOperand()) || !hasConstantData(c.getOperand()) ||
        ((isPrecise(op) || getNarrowFloat(op.getType())) &&
         !isContracted(inner.getLhs())))
      return failure();
    TensorBuilder builder(rewriter, op.getLoc());
    Value bias = builder.add(b, c);
    rewriter.replaceOp(op, builder.add(inner.getLhs(), bias));
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyContractions(RuleSet &rules) {
  rules.add<ContractTransposed>(
      {"contractions.of-transpose", RuleArea::Transposes, /*level=*/1,
       Bits::Kept,
       "Takes a transpose of an operand into a contraction's map."});
  rules.add<TransposeContraction>(
      {"contractions.transpose-of", RuleArea::Transposes, /*level=*/1,
       Bits::Kept,
       "Takes a transpose of its result into a contraction's map."});
  rules.add<ContractRepeated>(
      {"contractions.of-broadcast", RuleArea::Transposes, /*level=*/1,
       Bits::Kept,
       "Takes a repetition of an operand into a contraction's map."});
  rules.add<ContractWithoutSum>(
      {"contractions.without-sum", RuleArea::Compute, /*level=*/2,
       Bits::Changed,
       "Makes a product point by point of a contraction that sums nothing."});
  rules.add<DropOperandCast>(
      {"contractions.drop-cast", RuleArea::QDQ, /*level=*/1, Bits::Kept,
       "Has a contraction or reduction read an operand in its narrower type."});
  rules.add<FactorOutOfContraction>(
      {"contractions.factor-out", RuleArea::Compute, /*level=*/2, Bits::Changed,
       "Moves a constant factor of an operand behind the contraction."});
  rules.add<ScaleWeights>({"contractions.scale-weights", RuleArea::Compute,
                           /*level=*/2, Bits::Changed,
                           "Multiplies a contraction's weights and bias by the "
                           "factors behind it, as those of a batch norm."});
  rules.add<CombineBiases>(
      {"contractions.combine-biases", RuleArea::Compute, /*level=*/2,
       Bits::Changed,
       "Adds two constants that are added one after the other at once."});
}
