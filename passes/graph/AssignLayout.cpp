// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "passes/Expansion.h"
#include "passes/Terms.h"
#include "passes/graph/ChannelsLast.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/CopiedOperands.h"
#include "passes/graph/Evaluate.h"
#include "passes/graph/Passes.h"
#include "passes/graph/Simplify.h"
#include "passes/graph/WidenOperands.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace fusec::fuse {
#define GEN_PASS_DEF_ASSIGNLAYOUT
#include "passes/graph/Passes.h.inc"
} // namespace fusec::fuse

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

// Rules are the same on any machine; what pays is not.
static constexpr Rule kWeightsRule = {
    "layout.weights", RuleArea::Layout, /*level=*/3, Bits::Changed,
    "Permutes the weights of contractions so that lanes find theirs side by "
    "side."};
static constexpr Rule kTermsRule = {
    "layout.terms", RuleArea::Layout, /*level=*/3, Bits::Kept,
    "Lays out the codes that contractions multiply several at a time so that "
    "these lie side by side."};
static constexpr Rule kChannelsRule = {
    "layout.channels", RuleArea::Layout, /*level=*/3, Bits::Kept,
    "Stores the codes that kernels hand to one another with their channels "
    "side by side."};
static constexpr Rule kCopiesRule = {
    "layout.copies", RuleArea::Layout, /*level=*/3, Bits::Changed,
    "Copies a computed operand of a product of rows with rows, where loads of "
    "whole vectors pay for it."};

void fuse::listLayoutRules(SmallVectorImpl<Rule> &rules) {
  rules.append(
      {kWeightsRule, kTermsRule, kChannelsRule, kCopiesRule, kWidenedRule});
}

namespace {

/// Erases what computed `value` if nobody reads it any more.
void eraseIfDead(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (Value operand : llvm::SetVector<Value>(operands.begin(), operands.end()))
    eraseIfDead(operand);
}

/// transpose(value, perm), computed now; null where its elements cannot be
/// read.
Value transposeConstant(OpBuilder &builder, Value value, ArrayRef<int64_t> perm,
                        StringRef name, WeightOp weight) {
  auto type = getTensorType(value);
  auto packedType = RankedTensorType::get(
      applyPermutation(type.getShape(), perm), type.getElementType());
  auto transpose =
      TransposeOp::create(builder, value.getLoc(), packedType, value, perm);
  auto bytes = evaluate(cast<PrimitiveOpInterface>(*transpose));
  transpose.erase();
  if (!bytes)
    return {};
  return createConstant(builder, value.getLoc(), packedType, bytes->front(),
                        name, weight);
}

/// The same of what weights are expanded to: the weights are transposed. Null
/// where a step of it is none that commutes with a transpose.
Value transposeExpansion(OpBuilder &builder, Value value,
                         ArrayRef<int64_t> perm) {
  Operation *op = value.getDefiningOp();
  auto type = getTensorType(value);
  if (llvm::equal(perm, llvm::seq<int64_t>(0, type.getRank())))
    return value;
  if (std::optional<ConstantData> data = getConstantData(value);
      data && data->isWhole(type))
    return transposeConstant(
        builder, value, perm,
        ((data->weight ? data->weight.getSymName() : "constant") + "_packed")
            .str(),
        data->weight);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return transposeExpansion(builder, transpose.getOperand(),
                              applyPermutation(transpose.getPerm(), perm));
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), perm);
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    SmallVector<int64_t> inverse = invertPermutationVector(perm), order;
    SmallVector<int64_t> dims = llvm::map_to_vector(
        broadcast.getDims(), [&](int64_t dim) { return inverse[dim]; });
    llvm::append_range(order, llvm::seq<int64_t>(0, dims.size()));
    llvm::sort(order, [&](int64_t x, int64_t y) { return dims[x] < dims[y]; });
    Value operand = transposeExpansion(builder, broadcast.getOperand(), order);
    if (!operand)
      return {};
    llvm::sort(dims);
    return BroadcastOp::create(builder, op->getLoc(), type.clone(shape),
                               operand, dims);
  }
  if (!isPointByPoint(op))
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (!operands.emplace_back(transposeExpansion(builder, operand, perm)))
      return {};
  return cloneElementwise(builder, op, operands, shape);
}

/// The weight of few bits that `value` is computed from; null if it is none.
GetWeightOp findCodes(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto get = dyn_cast_if_present<GetWeightOp>(op))
    return isNarrowWeight(getTensorType(get)) ? get : nullptr;
  for (Value operand : op ? op->getOperands() : ValueRange())
    if (GetWeightOp get = findCodes(operand))
      return get;
  return nullptr;
}

/// Gives `op` its iterators in another order: `term` after all others.
void putTermLast(ContractOp op, unsigned term) {
  const unsigned count = op.getIterationExtents().size();
  SmallVector<AffineExpr> places(count);
  for (unsigned dim = 0; dim < count; ++dim)
    places[dim] = getAffineDimExpr(dim == term  ? count - 1
                                   : dim > term ? dim - 1
                                                : dim,
                                   op.getContext());
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getMaps().getAsValueRange<AffineMapAttr>())
    maps.push_back(map.replaceDimsAndSymbols(places, {}, count, 0));
  op.setMapsAttr(Builder(op).getAffineMapArrayAttr(maps));
}

/// The dimension of an operand of `op` that is to be its last one where a unit
/// multiplies matrices, one of which has to have its terms side by side, and of
/// bytes both: the longest one of terms, unless the other operand alone will
/// do.
std::optional<unsigned> findMatrixDim(ContractOp op, unsigned operand) {
  const MatrixUnit *unit = getMatrixUnit(op);
  if (!unit ||
      (unit->bytes > 1 && endsInTerms(op, findOrigin(op, 1 - operand).map)))
    return std::nullopt;
  SmallVector<int64_t> extents = op.getIterationExtents();
  std::optional<unsigned> found;
  int64_t longest = 0;
  for (auto [dim, subscript] :
       llvm::enumerate(op.getOperandMap(operand).getResults())) {
    if (!isTerm(op, subscript))
      continue;
    const int64_t extent =
        extents[cast<AffineDimExpr>(subscript).getPosition()];
    if (extent % unit->terms == 0 && extent > longest) {
      longest = extent;
      found = unsigned(dim);
    }
  }
  return found;
}

struct AssignLayoutPass
    : fusec::fuse::impl::AssignLayoutBase<AssignLayoutPass> {
  using AssignLayoutBase::AssignLayoutBase;

  void runOnOperation() override {
    copies.clear();
    if (!isDisabled(kWidenedRule.name, disabled))
      widenOperands(getOperation());
    SymbolTableCollection symbols; // Of what is there before.
    SmallVector<ContractOp> contractions;
    getOperation().walk([&](ContractOp op) { contractions.push_back(op); });
    if (!isDisabled(kTermsRule.name, disabled))
      for (ContractOp op : contractions)
        if (multipliesBytes(op))
          bringTermsTogether(op);
    if (!isDisabled(kChannelsRule.name, disabled))
      for (auto [codes, dim] : findChannels(getOperation()))
        if (dim + 1 != getTensorType(codes).getRank() &&
            !copies.contains({codes, dim}))
          copyAnew(codes, dim);
    if (!isDisabled(kWeightsRule.name, disabled)) {
      for (ContractOp op : contractions)
        for (unsigned operand : {0u, 1u})
          if (failed(assign(op, operand, symbols)))
            return signalPassFailure();
      getOperation().walk(transposeScales);
    }
    if (isDisabled(kCopiesRule.name, disabled))
      return;
    for (ContractOp op : contractions)
      if (std::optional<unsigned> operand = findCopied(op, ordered))
        copyOperand(op, *operand);
  }

  /// Has `op`, which multiplies several terms in a step, sum over those last
  /// that lie side by side in what it computes from; they are brought there
  /// where they do not, and are read often enough.
  void bringTermsTogether(ContractOp op) {
    for (unsigned operand : {0u, 1u}) {
      if (hasConstantData(op->getOperand(operand)))
        continue;
      Origin origin = findOrigin(op, operand);
      SmallVector<int64_t> extents = op.getIterationExtents();
      ArrayRef<AffineExpr> subscripts = origin.map.getResults();
      std::optional<unsigned> place;
      for (auto [position, subscript] : llvm::enumerate(subscripts)) {
        auto getExtent = [&](unsigned position) {
          return extents[cast<AffineDimExpr>(subscripts[position])
                             .getPosition()];
        };
        if (isTerm(op, subscript) &&
            (!place || getExtent(position) > getExtent(*place)))
          place = position;
      }
      if (!place)
        continue;
      const bool isLast = isTerm(op, subscripts.back());
      if (isLast)
        place = subscripts.size() - 1;
      const unsigned term =
          cast<AffineDimExpr>(subscripts[*place]).getPosition();
      int64_t uses = 1;
      for (auto [iterator, extent] : llvm::enumerate(extents))
        if (!op.getOperandMap(operand).isFunctionOfDim(iterator))
          uses *= extent;
      if (extents[term] < countByteTerms(op) ||
          (!isLast && uses < getTargetInfo(op).lanes))
        continue;
      if (!isLast) {
        Value before = op->getOperand(operand);
        op->setOperand(operand, layAnew(op, origin, *place));
        eraseIfDead(before);
      }
      return putTermLast(op, term);
    }
  }

  /// What `origin` brings to `op`, from a copy whose dimension `last` is last.
  Value layAnew(ContractOp op, const Origin &origin, unsigned last) {
    Value &back = copies[{origin.value, last}];
    if (!back)
      back = copyAnew(origin.value, last);
    OpBuilder builder(op);
    Value value = back;
    for (Operation *move : llvm::reverse(origin.moves)) {
      Operation *moved = builder.clone(*move);
      moved->setOperand(0, value);
      value = moved->getResult(0);
    }
    return value;
  }

  /// `value` as it was, read from a copy whose dimension `last` is last. What
  /// is computed is stored there alone: all that reads it reads the copy.
  Value copyAnew(Value value, unsigned last) {
    auto type = getTensorType(value);
    auto perm = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    llvm::erase(perm, int64_t(last));
    perm.push_back(last);
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto copy = TransposeOp::create(
        builder, value.getLoc(),
        type.clone(applyPermutation(type.getShape(), perm)), value, perm,
        /*stored=*/true);
    Value back = TransposeOp::create(
        builder, value.getLoc(), type, copy,
        SmallVector<int64_t>(invertPermutationVector(perm)));
    if (isa_and_present<PrimitiveOpInterface>(value.getDefiningOp()))
      value.replaceUsesWithIf(back, [&](OpOperand &use) {
        return use.getOwner() != copy &&
               isa<PrimitiveOpInterface>(use.getOwner());
      });
    return back;
  }

  /// Transposes weights, and what is computed of them, where their transpose is
  /// what is read point by point, as scales and zero points of blocks are.
  static void transposeScales(TransposeOp op) {
    bool isNarrow = false;
    auto type = getTensorType(op.getOperand());
    if (op.getStored() ||
        !readsConstants(op.getOperand(), type.getNumElements(), isNarrow) ||
        llvm::any_of(op->getUsers(), llvm::IsaPred<ContractOp, ReshapeOp>))
      return;
    OpBuilder builder(op);
    Value transposed =
        transposeExpansion(builder, op.getOperand(), op.getPerm());
    if (!transposed)
      return;
    Value before = op.getOperand();
    op.replaceAllUsesWith(transposed);
    op.erase();
    eraseIfDead(before);
  }

  /// Value and dimension that is the last one of a copy -> what reads the copy.
  llvm::DenseMap<std::pair<Value, unsigned>, Value> copies;

  LogicalResult assign(ContractOp op, unsigned operand,
                       SymbolTableCollection &symbols) {
    Value value = op->getOperand(operand);
    if (auto get = value.getDefiningOp<GetWeightOp>()) {
      auto weight =
          symbols.lookupNearestSymbolFrom<WeightOp>(op, get.getWeightAttr());
      if (weight && weight.getBytes().empty() &&
          get.getType().getNumElements() > 0)
        return op.emitOpError() << "reads weight @" << weight.getSymName()
                                << ", whose data is missing; keep the resource "
                                   "section of the text";
    }
    std::optional<ConstantData> data = getConstantData(value);
    bool expands = isExpansion(value.getDefiningOp());
    if (!expands && (!data || !data->weight))
      return success();
    if (GetWeightOp codes = expands ? findCodes(value) : nullptr)
      op.emitRemark() << "expands @" << codes.getWeight()
                      << " where it reads it: "
                      << codes.getType().getElementTypeBitWidth()
                      << " bits an element";
    std::optional<unsigned> lanes;
    if (!expands)
      lanes = findMatrixDim(op, operand);
    if (lanes)
      putTermLast(
          op, cast<AffineDimExpr>(op.getOperandMap(operand).getResult(*lanes))
                  .getPosition());
    else
      lanes = findLaneDim(op, operand);
    if (!lanes)
      lanes = findSharedDim(op, operand);
    if (!lanes && expands)
      return success();
    if (!lanes) {
      op.emitRemark() << "layout of @" << data->weight.getSymName()
                      << " kept: each of its dimensions indexes the other "
                         "operand too or is reduced";
      return success();
    }
    int64_t rank = getTensorType(value).getRank();
    if (*lanes + 1 == rank)
      return success();
    SmallVector<int64_t> perm = putLast(op, operand, *lanes);
    OpBuilder builder(op);
    Value packed =
        expands
            ? transposeExpansion(builder, value, perm)
            : transposeConstant(builder, value, perm,
                                (data->weight.getSymName() + "_packed").str(),
                                data->weight);
    if (!packed && expands)
      return success();
    if (!packed)
      return op.emitOpError() << "reads weight @" << data->weight.getSymName()
                              << ", whose elements cannot be read";
    replaceOperand(op, operand, perm, packed);
    eraseIfDead(value);
    return success();
  }
};

} // namespace
