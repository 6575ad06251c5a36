// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lays out the arrays of a scop, then writes its statements in the order of the
// group's operations, which is a right order of execution.
#include "passes/schedule/FormStatements.h"

#include "dialects/fuse/ValueLocation.h"
#include "passes/Merges.h"
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

/// How many partial results a reduction has where its order is one for all
/// batches: one for each lane. Fewer terms than two for each have none.
static constexpr int64_t kParts = 16;
static constexpr int64_t kFewestTerms = 2 * kParts;

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
             bool rounds, bool inParts)
      : group(group), block(group.getBody().front()), at(at), plan(plan),
        rounds(rounds), inParts(inParts) {}

  FailureOr<FormedScop> form();

private:
  void nameValues();
  std::string makeUnique(std::string base);
  /// The element type in which `value` is kept inside the group: reductions
  /// of narrow floats accumulate in their compute type.
  Type getStoredType(Value value);

  /// The partial results of a reduction: for each accumulator the array that
  /// they are in, and what merges them.
  struct Parts {
    SmallVector<Combiner> combiners;
    SmallVector<Value> arrays;
  };

  std::optional<SmallVector<Combiner>> findParts(const Primitive &primitive);
  LogicalResult formReduction(const Primitive &primitive);
  LogicalResult formParts(const Primitive &primitive, const Parts &parts);
  void formInit(const Primitive &primitive, ArrayRef<Access> accumulators,
                ArrayRef<int64_t> extents);
  /// `map` leads from the iterators of the statement, of which the last are
  /// reduced, to those of `primitive`.
  LogicalResult formTerms(const Primitive &primitive,
                          ArrayRef<Access> accumulators,
                          ArrayRef<int64_t> extents, AffineMap map,
                          std::string name);
  /// Writes `value` (inlined, if it is stored in `target` itself) to `target`.
  LogicalResult formPointwise(OpResult value, Value target, StringRef name);
  LogicalResult formCopy(Value value, Value target, StringRef name);

  fuse::GroupOp group;
  Block &block;
  OpBuilder &at;
  const GroupPlan &plan;
  bool rounds, inParts;
  ScopOp scop;
  ArrayMap arrays;
  llvm::MapVector<Operation *, Parts> partsOf;
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
  for (Operation &op : block) {
    if (!plan.isUsed(&op))
      continue;
    auto combiners = findParts(*Primitive::get(&op));
    if (!combiners)
      continue;
    partsOf[&op].combiners = *combiners;
    for (OpResult result : op.getResults()) {
      SmallVector<int64_t> shape(fuse::getTensorType(result).getShape());
      shape.push_back(kParts);
      temporaries.push_back({makeUnique(names[result] + "_parts"),
                             MemRefType::get(shape, getStoredType(result)),
                             op.getLoc()});
    }
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
  ArrayRef<BlockArgument> left =
      scop.getArrays().drop_front(temporaryValues.size());
  for (auto &[op, parts] : partsOf) {
    llvm::append_range(parts.arrays, left.take_front(op->getNumResults()));
    left = left.drop_front(op->getNumResults());
  }

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

/// What merges partial results of `primitive` if it has some: it reduces long
/// rows to floats, and is no contraction, which has vectors of results. That
/// follows from what is reduced alone, never from other extents.
std::optional<SmallVector<Combiner>>
ScopFormer::findParts(const Primitive &primitive) {
  auto reduce = dyn_cast<fuse::ReduceOp>(primitive.getOperation());
  if (!inParts || !reduce || primitive.getExtents().back() < kFewestTerms ||
      !llvm::all_of(reduce->getResults(), [&](Value result) {
        return isa<FloatType>(getStoredType(result));
      }))
    return std::nullopt;
  return fuse::matchMerges(
      cast<fuse::PrimitiveOpInterface>(reduce.getOperation()));
}

void ScopFormer::formInit(const Primitive &primitive,
                          ArrayRef<Access> accumulators,
                          ArrayRef<int64_t> extents) {
  Operation *op = primitive.getOperation();
  StatementBuilder init(plan, arrays, extents, rounds, op->getLoc());
  SmallVector<Access> initial;
  for (const Access &each : accumulators)
    initial.push_back(
        {each.array,
         makeMap(extents.size(), each.map.getResults(), op->getContext()),
         {}});
  SmallVector<Value> values;
  for (TypedAttr value : primitive.getInits())
    values.push_back(init.constant(value));
  std::string name = scop.getArrayName(accumulators.front().array);
  init.create(at, makeUnique(name + "_init"), {}, initial, values);
}

LogicalResult ScopFormer::formTerms(const Primitive &primitive,
                                    ArrayRef<Access> accumulators,
                                    ArrayRef<int64_t> extents, AffineMap map,
                                    std::string name) {
  StatementBuilder body(plan, arrays, extents, rounds,
                        primitive.getOperation()->getLoc());
  SmallVector<Value> current;
  for (const Access &accumulator : accumulators)
    current.push_back(body.readArray(accumulator.array, accumulator.map));
  SmallVector<Value> values = body.computeBody(primitive, map, current);
  if (values.empty())
    return failure();
  const int64_t count = primitive.getReduced().size();
  auto reduced = llvm::to_vector(llvm::seq<int64_t>(
      int64_t(extents.size()) - count, int64_t(extents.size())));
  body.create(at, name, reduced, accumulators, values);
  return success();
}

LogicalResult ScopFormer::formReduction(const Primitive &primitive) {
  Operation *op = primitive.getOperation();
  if (auto parts = partsOf.find(op); parts != partsOf.end())
    return formParts(primitive, parts->second);
  SmallVector<int64_t> extents = primitive.getExtents();
  const size_t numParallel = extents.size() - primitive.getReduced().size();
  SmallVector<Access> accumulators;
  for (OpResult result : op->getResults())
    accumulators.push_back(
        {arrays[result], primitive.getResultMap(result.getResultNumber()), {}});
  formInit(primitive, accumulators, ArrayRef(extents).take_front(numParallel));
  return formTerms(
      primitive, accumulators, extents,
      AffineMap::getMultiDimIdentityMap(extents.size(), op->getContext()),
      names[op->getResult(0)]);
}

/// Part `u` of 16 has the terms u, u + 16, ... of the last iterator: lanes have
/// parts, and add their terms in one order, whatever rows there are. Behind
/// them the parts are merged, in order.
LogicalResult ScopFormer::formParts(const Primitive &primitive,
                                    const Parts &parts) {
  Operation *op = primitive.getOperation();
  SmallVector<int64_t> extents = primitive.getExtents();
  const unsigned numParallel = extents.size() - primitive.getReduced().size();
  const int64_t terms = extents.back(), whole = terms / kParts * kParts;
  SmallVector<AffineExpr> row;
  for (unsigned d = 0; d < numParallel; ++d)
    row.push_back(at.getAffineDimExpr(d));
  AffineExpr part = at.getAffineDimExpr(numParallel);
  SmallVector<AffineExpr> rowAndPart(row);
  rowAndPart.push_back(part);
  auto getAccesses = [&](ValueRange arrays, ArrayRef<AffineExpr> subscripts,
                         unsigned iterators) {
    AffineMap map = makeMap(iterators, subscripts, op->getContext());
    return llvm::map_to_vector(
        arrays, [&](Value array) { return Access{array, map, {}}; });
  };
  // The rows, the part, and what is reduced.
  SmallVector<int64_t> all(extents);
  all.insert(all.begin() + numParallel, kParts);
  SmallVector<Access> partial =
      getAccesses(parts.arrays, rowAndPart, all.size());
  formInit(primitive, partial, ArrayRef(all).take_front(numParallel + 1));
  auto formSome = [&](int64_t first, int64_t lanes, int64_t steps) {
    all[numParallel] = lanes;
    all.back() = steps;
    SmallVector<AffineExpr> point(row);
    for (unsigned d = numParallel + 1; d < all.size(); ++d)
      point.push_back(at.getAffineDimExpr(d));
    point.back() = point.back() * kParts + part + first;
    return formTerms(primitive, partial, all,
                     makeMap(all.size(), point, op->getContext()),
                     makeUnique(names[op->getResult(0)] + "_terms"));
  };
  if (failed(formSome(0, kParts, terms / kParts)) ||
      (whole < terms && failed(formSome(whole, terms - whole, 1))))
    return failure();
  auto results = llvm::map_to_vector(
      op->getResults(), [&](Value result) { return arrays[result]; });
  SmallVector<Access> merged = getAccesses(results, row, numParallel + 1);
  auto rows = llvm::to_vector(ArrayRef(extents).take_front(numParallel));
  formInit(primitive, merged, rows);
  rows.push_back(kParts);
  StatementBuilder body(plan, arrays, rows, rounds, op->getLoc());
  SmallVector<Value> values;
  for (const Access &accumulator : merged)
    values.push_back(body.readArray(accumulator.array, accumulator.map));
  for (auto [value, array, combiner] :
       llvm::zip(values, parts.arrays, parts.combiners))
    value =
        body.combine(combiner, value,
                     body.readArray(array, makeMap(numParallel + 1, rowAndPart,
                                                   op->getContext())));
  body.create(at, names[op->getResult(0)], {numParallel}, merged, values);
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
                                             bool rounds, bool batchInvariant) {
  Bodies bodies;
  FailureOr<GroupPlan> plan = GroupPlan::create(group, bodies);
  if (failed(plan))
    return failure();
  OpBuilder::InsertionGuard guard(at);
  FailureOr<FormedScop> formed =
      ScopFormer(group, at, *plan, rounds, batchInvariant).form();
  if (succeeded(formed)) {
    roundCodes(formed->scop);
    roundProducts(formed->scop, batchInvariant);
  }
  return formed;
}
