// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/ChannelsLast.h"

#include "dialects/TargetInfo.h"
#include "passes/Expansion.h"
#include "passes/Terms.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/CopiedOperands.h"
#include "passes/graph/Simplify.h"

using namespace mlir;

namespace fusec::fuse {

Origin findOrigin(ContractOp op, unsigned operand) {
  Origin origin{op->getOperand(operand), {}, op.getOperandMap(operand)};
  while (auto move = dyn_cast_if_present<PrimitiveOpInterface>(
             origin.value.getDefiningOp())) {
    if (!isa<TransposeOp, WindowOp, SliceOp, BroadcastOp>(
            move.getOperation()) &&
        !widensBytes(move))
      break;
    origin.moves.push_back(move);
    origin.map = move.getOperandMap(0).compose(origin.map);
    origin.value = move->getOperand(0);
  }
  return origin;
}

std::optional<unsigned> findSharedDim(ContractOp op, unsigned operand) {
  Origin origin = findOrigin(op, 1 - operand);
  AffineMap other = origin.map;
  // A copy lies in memory, and not what it copies.
  auto isStored = [](Operation *move) {
    auto transpose = dyn_cast<TransposeOp>(move);
    return transpose && (transpose.getStored() || transpose.getTurned());
  };
  if (auto copy = llvm::find_if(origin.moves, isStored);
      copy != origin.moves.end()) {
    other = op.getOperandMap(1 - operand);
    for (Operation *move : llvm::make_range(origin.moves.begin(), copy))
      other = cast<PrimitiveOpInterface>(move).getOperandMap(0).compose(other);
  }
  if (other.getNumResults() == 0)
    return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(other.getResults().back());
  if (!last || !op.getResultMap(0).isFunctionOfDim(last.getPosition()))
    return std::nullopt;
  for (auto [position, expr] :
       llvm::enumerate(op.getOperandMap(operand).getResults()))
    if (expr == last)
      return position;
  return std::nullopt;
}

namespace {

bool isCodes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger(8);
}

/// Whether an operation computes `value`, and does not only move it.
bool isComputed(Value value) {
  return !value.getDefiningOp()->hasTrait<MovesElements>();
}

/// What is known of the values in front of an operation.
class ChannelFinder {
public:
  explicit ChannelFinder(Operation *root) {
    root->walk<WalkOrder::PreOrder>([&](PrimitiveOpInterface op) {
      channels.try_emplace(op->getResult(0), findChannel(op));
      products.try_emplace(op->getResult(0), findProduct(op));
      order.push_back(op->getResult(0));
    });
  }

  SmallVector<Channels> find() {
    SmallVector<Channels> found;
    for (Value value : order)
      if (std::optional<unsigned> dim = channels.lookup(value);
          dim && isCodes(value) && isComputed(value) && isHandedOn(value))
        found.push_back({value, *dim});
    return found;
  }

private:
  using Dim = std::optional<unsigned>;

  static Dim findResultDim(PrimitiveOpInterface op, AffineExpr subscript) {
    AffineMap result = op.getResultMap(0);
    for (auto [position, expr] : llvm::enumerate(result.getResults()))
      if (isa<AffineDimExpr>(subscript) && expr == subscript)
        return position;
    return std::nullopt;
  }

  /// The dimension of the channels of what `op` computes.
  Dim findChannel(PrimitiveOpInterface op) const {
    if (auto contract = dyn_cast<ContractOp>(op.getOperation());
        contract && countByteTerms(op) > 0)
      for (unsigned operand : {0u, 1u}) {
        if (!hasConstantData(contract->getOperand(operand)))
          continue;
        Dim lanes = findLaneDim(contract, operand);
        auto type = getTensorType(contract->getOperand(operand));
        if (lanes && type.getDimSize(*lanes) >= getTargetInfo(op).lanes)
          return findResultDim(op, op.getOperandMap(operand).getResult(*lanes));
      }
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (Dim dim = channels.lookup(operand))
        if (Dim found = findResultDim(op, op.getOperandMap(i).getResult(*dim)))
          return found;
    return std::nullopt;
  }

  /// The last operation that reduces on the way to what `op` computes.
  Operation *findProduct(PrimitiveOpInterface op) const {
    if (op.hasReduction())
      return op;
    for (Value operand : op->getOperands())
      if (Operation *product = products.lookup(operand))
        return product;
    return nullptr;
  }

  /// Whether `value`, or what is computed from it point by point, is read by
  /// what no kernel computes together with it.
  bool isHandedOn(Value value) const {
    Operation *product = products.lookup(value);
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      if (!isa<PrimitiveOpInterface>(user) || isa<TransposeOp>(user))
        return false;
      if (!isPointByPoint(user))
        return true;
      bool joins = llvm::any_of(user->getOperands(), [&](Value operand) {
        Operation *other = products.lookup(operand);
        return other && other != product;
      });
      return joins ||
             (!isCodes(user->getResult(0)) && isHandedOn(user->getResult(0)));
    });
  }

  llvm::DenseMap<Value, Dim> channels;
  llvm::DenseMap<Value, Operation *> products;
  SmallVector<Value> order;
};

} // namespace

SmallVector<Channels> findChannels(Operation *root) {
  return ChannelFinder(root).find();
}

} // namespace fusec::fuse
