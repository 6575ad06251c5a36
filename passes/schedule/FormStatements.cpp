// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lays out the arrays of a scop, then writes its statements in the order of the
// group's operations, which is a right order of execution.
#include "passes/schedule/FormStatements.h"

#include "dialects/fuse/ValueLocation.h"
#include "passes/schedule/Pieces.h"
#include "passes/schedule/RoundCodes.h"
#include "passes/schedule/RoundProducts.h"
#include "passes/schedule/StatementBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

/// Longer names lose leading components.
static constexpr size_t kMaxNameLength = 20;

MemRefType fusec::sched::getMemRefType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

StringRef fusec::sched::getValueName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto name = func ? func.getArgAttrOfType<StringAttr>(
                           argument.getArgNumber(), "fuse.name")
                     : StringAttr();
    return name ? name.getValue() : getLocName(argument.getLoc());
  }
  if (auto weight = value.getDefiningOp<fuse::GetWeightOp>())
    return weight.getWeight();
  if (auto reshape = value.getDefiningOp<fuse::ReshapeOp>())
    return getValueName(reshape->getOperand(0));
  return getLocName(fuse::getValueLocation(value));
}

/// The last component of a path, and of dotted names as many trailing
/// components as are short: "/encoder/layer.0/MatMul_output_0" is "MatMul",
/// "encoder.layer.0.query.weight" is "layer_0_query_weight".
static std::string shorten(StringRef name) {
  name = name.rtrim('/');
  name = name.substr(name.rfind('/') + 1);
  if (size_t output = name.rfind("_output_");
      output != StringRef::npos && output > 0 &&
      llvm::all_of(name.substr(output + 8), llvm::isDigit))
    name = name.take_front(output);
  SmallVector<StringRef> parts;
  llvm::SplitString(name, parts, ".:");
  std::string result;
  for (StringRef part : llvm::reverse(parts)) {
    if (!result.empty() && part.size() + result.size() >= kMaxNameLength)
      break;
    result = result.empty() ? part.str() : part.str() + "_" + result;
  }
  return result.empty() ? result : toIdentifier(result);
}

namespace {
/// Forms one scop.
class ScopFormer {
public:
  ScopFormer(fuse::GroupOp group, OpBuilder &at, const GroupPlan &plan,
             bool rounds)
      : group(group), block(group.getBody().front()), at(at), plan(plan),
        rounds(rounds) {}

  FailureOr<FormedScop> form();

private:
  void nameValues();
  std::string makeUnique(std::string base);
  /// The element type in which `value` is kept inside the group: reductions
  /// of narrow floats accumulate in their compute type.
  Type getStoredType(Value value);

  LogicalResult formReduction(const Primitive &primitive);
  /// Writes `value` (inlined, if it is stored in `target` itself) to `target`.
  LogicalResult formPointwise(OpResult value, Value target, StringRef name);
  LogicalResult formCopy(Value value, Value target, StringRef name);

  fuse::GroupOp group;
  Block &block;
  OpBuilder &at;
  const GroupPlan &plan;
  bool rounds;
  ScopOp scop;
  ArrayMap arrays;
  llvm::DenseMap<Value, std::string> names;
  llvm::StringSet<> takenNames;
};
} // namespace

std::string ScopFormer::makeUnique(std::string base) {
  std::string name = base;
  for (int suffix = 2; !takenNames.insert(name).second; ++suffix)
    name = base + "_" + std::to_string(suffix);
  return name;
}

void ScopFormer::nameValues() {
  // A composite leaves several operations of one name. The last of them is its
  // result and keeps the name; what they do tells the others apart.
  llvm::StringMap<unsigned> uses;
  SmallVector<std::pair<OpResult, std::string>> stored;
  for (Operation &op : block)
    for (OpResult result : op.getResults())
      if (plan.isStored(result)) {
        stored.emplace_back(result, shorten(getLocName(op.getLoc())));
        ++uses[stored.back().second];
      }
  for (auto &[result, name] : stored) {
    StringRef verb = plan.getBody(result.getOwner()).verb;
    if (name.empty())
      name = verb.str();
    else if (uses[name]-- > 1)
      name += "_" + verb.str();
    names[result] = makeUnique(name);
  }
}

Type ScopFormer::getStoredType(Value value) {
  Type type = fuse::getTensorType(value).getElementType();
  return isa<FloatType>(type) ? getComputeType(type) : type;
}

FailureOr<FormedScop> ScopFormer::form() {
  FormedScop formed;
  SmallVector<ArrayDecl> inputs, outputs, temporaries;
  llvm::DenseMap<Value, unsigned> inputOfOperand;
  SmallVector<std::pair<Value, unsigned>> inputValues;
  for (auto [argument, operand] :
       llvm::zip(block.getArguments(), group.getOperands())) {
    if (argument.use_empty())
      continue;
    auto [place, isNew] = inputOfOperand.try_emplace(operand, inputs.size());
    inputValues.emplace_back(argument, place->second);
    if (!isNew)
      continue;
    std::string name = shorten(getLocName(argument.getLoc()));
    if (name.empty())
      name = shorten(getValueName(operand));
    inputs.push_back({makeUnique(name.empty() ? "x" : name),
                      getMemRefType(argument.getType()), argument.getLoc()});
    formed.inputs.push_back(operand);
  }
  nameValues();
  // A stored value lives in the first output that yields it; further outputs
  // are copies. A reduction accumulates into an array of its own, which becomes
  // registers, and is copied out at the end.
  llvm::DenseMap<Value, unsigned> outputOfValue;
  SmallVector<std::pair<Value, unsigned>> copies;
  for (auto [number, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    MemRefType type = getMemRefType(value.getType());
    bool owns = plan.isStored(value) &&
                !Primitive::get(value.getDefiningOp())->reduces() &&
                outputOfValue.try_emplace(value, number).second;
    std::string name = names.lookup(value);
    if (!owns) {
      copies.emplace_back(value, number);
      name = makeUnique((name.empty() ? "copy" : name) + "_out");
    }
    outputs.push_back({name, type, value.getLoc()});
  }
  SmallVector<Value> temporaryValues;
  for (Operation &op : block)
    for (OpResult result : op.getResults())
      if (plan.isStored(result) && !outputOfValue.contains(result)) {
        temporaryValues.push_back(result);
        temporaries.push_back(
            {names[result],
             MemRefType::get(fuse::getTensorType(result).getShape(),
                             getStoredType(result)),
             op.getLoc()});
      }

  scop = ScopOp::create(at, group.getLoc(), group.getSymName(), inputs, outputs,
                        temporaries);
  formed.scop = scop;
  for (auto [argument, number] : inputValues)
    arrays[argument] = scop.getInputs()[number];
  for (auto [value, number] : outputOfValue)
    arrays[value] = scop.getOutputs()[number];
  for (auto [value, array] : llvm::zip(temporaryValues, scop.getArrays()))
    arrays[value] = array;

  at.setInsertionPointToEnd(&scop.getBody().front());
  for (Operation &op : block.without_terminator()) {
    if (!plan.isUsed(&op))
      continue;
    Primitive primitive = *Primitive::get(&op);
    if (primitive.reduces()) {
      if (failed(formReduction(primitive)))
        return failure();
      continue;
    }
    for (OpResult result : op.getResults())
      if (plan.isStored(result) &&
          failed(formPointwise(result, arrays[result], names[result])))
        return failure();
  }
  for (auto [value, number] : copies)
    if (failed(
            formCopy(value, scop.getOutputs()[number], outputs[number].name)))
      return failure();
  return formed;
}

LogicalResult ScopFormer::formReduction(const Primitive &primitive) {
  Operation *op = primitive.getOperation();
  MLIRContext *context = op->getContext();
  SmallVector<int64_t> extents = primitive.getExtents();
  SmallVector<int64_t> reduced = primitive.getReduced();
  size_t numParallel = extents.size() - reduced.size();
  std::string name = names[op->getResult(0)];
  SmallVector<Access> accumulators, initial;
  for (OpResult result : op->getResults()) {
    AffineMap map = primitive.getResultMap(result.getResultNumber());
    accumulators.push_back({arrays[result], map, {}});
    initial.push_back(
        {arrays[result], makeMap(numParallel, map.getResults(), context), {}});
  }
  StatementBuilder init(plan, arrays, ArrayRef(extents).take_front(numParallel),
                        rounds, op->getLoc());
  SmallVector<Value> values;
  for (TypedAttr value : primitive.getInits())
    values.push_back(init.constant(value));
  init.create(at, makeUnique(name + "_init"), {}, initial, values);

  StatementBuilder body(plan, arrays, extents, rounds, op->getLoc());
  SmallVector<Value> current;
  for (const Access &accumulator : accumulators)
    current.push_back(body.readArray(accumulator.array, accumulator.map));
  values = body.computeBody(
      primitive, AffineMap::getMultiDimIdentityMap(extents.size(), context),
      current);
  if (values.empty())
    return failure();
  body.create(at, name, reduced, accumulators, values);
  return success();
}

LogicalResult ScopFormer::formPointwise(OpResult value, Value target,
                                        StringRef name) {
  MLIRContext *context = value.getContext();
  ArrayRef<int64_t> shape = fuse::getTensorType(value).getShape();
  std::vector<Box> boxes = cutIntoPieces(value, plan);
  for (const Box &box : boxes) {
    SmallVector<int64_t> extents;
    SmallVector<AffineExpr> point;
    for (auto [d, range] : llvm::enumerate(box)) {
      point.push_back(at.getAffineDimExpr(d) + range.first);
      extents.push_back(range.second);
    }
    AffineMap map = makeMap(shape.size(), point, context);
    StatementBuilder body(plan, arrays, extents, rounds, value.getLoc());
    Value scalar = body.compute(value, map);
    if (!scalar)
      return failure();
    body.create(
        at, boxes.size() > 1 ? makeUnique(name.str() + "_part") : name.str(),
        {}, {{target, map, {}}}, scalar);
  }
  return success();
}

LogicalResult ScopFormer::formCopy(Value value, Value target, StringRef name) {
  ArrayRef<int64_t> shape = fuse::getTensorType(value).getShape();
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(shape.size(), value.getContext());
  StatementBuilder body(plan, arrays, shape, rounds, value.getLoc());
  Value scalar = body.read(value, map);
  if (!scalar)
    return failure();
  body.create(at, name, {}, {{target, map, {}}}, scalar);
  return success();
}

FailureOr<FormedScop> fusec::sched::formScop(fuse::GroupOp group, OpBuilder &at,
                                             bool rounds, bool roundsAll) {
  Bodies bodies;
  FailureOr<GroupPlan> plan = GroupPlan::create(group, bodies);
  if (failed(plan))
    return failure();
  OpBuilder::InsertionGuard guard(at);
  FailureOr<FormedScop> formed = ScopFormer(group, at, *plan, rounds).form();
  if (succeeded(formed)) {
    roundCodes(formed->scop);
    roundProducts(formed->scop, roundsAll);
  }
  return formed;
}
