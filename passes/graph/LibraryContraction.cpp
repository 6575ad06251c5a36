// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/LibraryContraction.h"

#include "passes/Expansion.h"
#include "passes/graph/SplitReduction.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

//===----------------------------------------------------------------------===//
// Whether it may stand apart
//===----------------------------------------------------------------------===//

/// What `value` is read from memory as; a reshape is a view of it.
static Operation *findProducer(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<ReshapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// Whether `op` is a primitive that kernels of a contraction compute as they
/// read it, so that it is in no memory: an access, or what weights of less than
/// a byte stand for. An access to a part from the first element on, or to more
/// than there is, may look as if it were pointwise.
static bool isInKernel(Operation *op) {
  auto primitive = dyn_cast_if_present<PrimitiveOpInterface>(op);
  if (!primitive || primitive.hasReduction())
    return false;
  if (isExpansion(op))
    return true;
  return op->getNumOperands() == 1 &&
         (!isPointwise(primitive) ||
          getTensorType(op->getOperand(0)).getShape() !=
              getTensorType(op->getResult(0)).getShape());
}

static bool isConstant(Value value) {
  return isa_and_present<GetWeightOp, ConstantOp>(findProducer(value));
}

/// Operations of the block of `op` that are reached from it, over pointwise
/// ones, by `next`.
static llvm::SetVector<Operation *>
reach(Operation *op,
      llvm::function_ref<void(Operation *, SmallVectorImpl<Operation *> &)>
          next) {
  llvm::SetVector<Operation *> reached;
  reached.insert(op);
  for (size_t i = 0; i < reached.size(); ++i) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(reached[i]);
    if (i && (!primitive || primitive.hasReduction()))
      continue;
    SmallVector<Operation *> found;
    next(reached[i], found);
    for (Operation *other : found)
      if (other && other->getBlock() == op->getBlock())
        reached.insert(other);
  }
  return reached;
}

static llvm::SetVector<Operation *> findReaders(Operation *op) {
  return reach(op, [](Operation *of, SmallVectorImpl<Operation *> &found) {
    found.append(of->getUsers().begin(), of->getUsers().end());
  });
}

static llvm::SetVector<Operation *> findSources(Operation *op) {
  return reach(op, [](Operation *of, SmallVectorImpl<Operation *> &found) {
    for (Value operand : of->getOperands())
      found.push_back(operand.getDefiningOp());
  });
}

/// Whether it may be one kernel with a reduction of its rows, as scores of
/// attention are with their softmax and with the product that this makes:
/// neither operand is constant, and there is a reduction next to it.
static bool mayHaveRows(ContractOp op) {
  if (isConstant(op.getLhs()) || isConstant(op.getRhs()))
    return false;
  auto isReduce = [](Operation *other) { return isa<ReduceOp>(other); };
  return llvm::any_of(findReaders(op), isReduce) ||
         llvm::any_of(findSources(op), isReduce);
}

/// Whether another contraction that reads the same operand by the same maps
/// meets it in an epilogue: both may be one kernel.
static bool mayHaveTwin(ContractOp op) {
  llvm::SetVector<Operation *> readers;
  for (Value operand : op->getOperands())
    for (Operation *user : operand.getUsers()) {
      auto other = dyn_cast<ContractOp>(user);
      if (!other || other == op || other->getBlock() != op->getBlock() ||
          other.getMaps() != op.getMaps())
        continue;
      if (readers.empty())
        readers = findReaders(op);
      for (Operation *reader : findReaders(other))
        if (reader != other && readers.contains(reader) &&
            isa<PrimitiveOpInterface>(reader))
          return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// A letter for each dimension that a map names.
static std::string getLetters(AffineMap map) {
  std::string letters;
  for (AffineExpr expr : map.getResults())
    letters += char('a' + cast<AffineDimExpr>(expr).getPosition());
  return letters;
}

/// What operand `operand` is a transpose of, which a library reads as it is,
/// and the map to that; the operand itself if it is none.
static std::pair<Value, AffineMap> readThrough(ContractOp op,
                                               unsigned operand) {
  Value value = op->getOperand(operand);
  AffineMap map = op.getOperandMap(operand);
  while (auto transpose = value.getDefiningOp<TransposeOp>()) {
    map = cast<PrimitiveOpInterface>(*transpose).getOperandMap(0).compose(map);
    value = transpose.getOperand();
  }
  return {value, map};
}

library::Refusal LibraryContraction::orderOperands() {
  Builder builder(op.getContext());
  library::Refusal first;
  for (unsigned left : {0u, 1u}) {
    auto [lhs, lhsMap] = readThrough(op, left);
    auto [rhs, rhsMap] = readThrough(op, 1 - left);
    operands = {lhs, rhs};
    std::string terms = getLetters(lhsMap) + "," + getLetters(rhsMap) + "->" +
                        getLetters(op.getResultMap(0));
    parameters = builder.getDictionaryAttr(
        builder.getNamedAttr("terms", builder.getStringAttr(terms)));
    library::Refusal reason =
        library::refuse(routine->name, {ValueRange(operands).getTypes(),
                                        op->getResultTypes(), parameters});
    if (!reason)
      return std::nullopt;
    if (!first)
      first = reason;
  }
  return first;
}

FailureOr<LibraryContraction>
LibraryContraction::plan(PrimitiveOpInterface primitive,
                         const library::Routine &routine, std::string &reason) {
  auto op = dyn_cast<ContractOp>(primitive.getOperation());
  if (!op)
    return failure();
  auto refuse = [&](const llvm::Twine &why) {
    reason = why.str();
    return failure();
  };
  constexpr unsigned kLetters = 26;
  if (op.getResultMap(0).getNumDims() > kLetters)
    return refuse("it has more than " + llvm::Twine(kLetters) + " iterators");
  for (unsigned operand : {0u, 1u})
    if (isInKernel(findProducer(readThrough(op, operand).first)))
      return refuse("an operand is computed as it is read, and would have to "
                    "be stored first");
  if (mayHaveRows(op))
    return refuse("its rows may be reduced in one kernel with it");
  if (mayHaveTwin(op))
    return refuse("another product may be computed in one kernel with it");
  LibraryContraction plan(op, routine);
  if (library::Refusal why = plan.orderOperands())
    return refuse("it " + *why);
  return plan;
}

Value LibraryContraction::build(OpBuilder &builder) const {
  ContractOp contract = op;
  return CallOp::create(builder, contract->getLoc(), contract->getResultTypes(),
                        routine->name, parameters, operands)
      .getResult(0);
}
