// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Expansion.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/Evaluate.h"
#include "passes/graph/Passes.h"
#include "passes/graph/Simplify.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace fusec::fuse {
#define GEN_PASS_DEF_ASSIGNLAYOUT
#include "passes/graph/Passes.h.inc"
} // namespace fusec::fuse

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {

/// The dimension of operand `operand` over whose iterator the other operand is
/// invariant and the result is not: the one that wants to be on lanes. The
/// longest if there are several.
std::optional<unsigned> findLaneDim(ContractOp op, unsigned operand) {
  AffineMap map = op.getOperandMap(operand),
            other = op.getOperandMap(1 - operand);
  AffineMap result = op.getResultMap(0);
  auto shape = getTensorType(op->getOperand(operand)).getShape();
  std::optional<unsigned> best;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    unsigned iterator = cast<AffineDimExpr>(expr).getPosition();
    if (!result.isFunctionOfDim(iterator) || other.isFunctionOfDim(iterator))
      continue;
    if (!best || shape[position] > shape[*best])
      best = position;
  }
  return best;
}

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
                        StringRef name) {
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
                        name);
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
            .str());
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

struct AssignLayoutPass
    : fusec::fuse::impl::AssignLayoutBase<AssignLayoutPass> {
  using AssignLayoutBase::AssignLayoutBase;

  void runOnOperation() override {
    SymbolTableCollection symbols; // Of what is there before.
    SmallVector<ContractOp> contractions;
    getOperation().walk([&](ContractOp op) { contractions.push_back(op); });
    for (ContractOp op : contractions)
      for (unsigned operand : {0u, 1u})
        if (failed(assign(op, operand, symbols)))
          return signalPassFailure();
  }

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
    std::optional<unsigned> lanes = findLaneDim(op, operand);
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
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    llvm::erase(perm, int64_t(*lanes));
    perm.push_back(*lanes);

    OpBuilder builder(op);
    Value packed =
        expands
            ? transposeExpansion(builder, value, perm)
            : transposeConstant(builder, value, perm,
                                (data->weight.getSymName() + "_packed").str());
    if (!packed && expands)
      return success();
    if (!packed)
      return op.emitOpError() << "reads weight @" << data->weight.getSymName()
                              << ", whose elements cannot be read";
    AffineMap map = op.getOperandMap(operand);
    SmallVector<AffineMap> maps(op.getMaps().getAsValueRange<AffineMapAttr>());
    maps[operand] = AffineMap::get(map.getNumDims(), 0,
                                   applyPermutation(map.getResults(), perm),
                                   op.getContext());
    op->setOperand(operand, packed);
    op.setMapsAttr(builder.getAffineMapArrayAttr(maps));
    eraseIfDead(value);
    return success();
  }
};

} // namespace
