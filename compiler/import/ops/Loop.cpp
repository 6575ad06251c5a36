// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop: as a region, where its iterations compute the same shapes; else one
// iteration after the other. How many there are may follow from constants,
// whatever the condition looks like.
#include "compiler/import/ops/LoopConverter.h"

#include "compiler/import/Presence.h"
#include "compiler/import/Registry.h"
#include "passes/graph/Evaluator.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace fusec {

void LoopConverter::readBounds() {
  Builder &builder = node.builder;
  if (node.hasInput(0)) {
    Value value = node.typedScalar(0, builder.getI64Type(), "trip count");
    if (const HostTensor *known = node.constant(0))
      trips = std::max<int64_t>(known->ints[0], 0);
    else
      count = value;
  }
  if (node.hasInput(1)) {
    Value value = node.typedScalar(1, builder.getI1Type(), "condition");
    const HostTensor *known = node.constant(1);
    if (!known)
      condition = value;
    else if (!known->ints[0])
      trips = 0;
  }
}

//===- As a region --------------------------------------------------------===//

NodeBody LoopConverter::importBody() {
  return node.importBody(graph, [&](Block &block) {
    OpBuilder &builder = node.builder;
    auto argument = [&](RankedTensorType type, llvm::StringRef name) {
      TensorValue value;
      value.type = type;
      value.value =
          block.addArgument(type, NameLoc::get(builder.getStringAttr(name)));
      return value;
    };
    std::vector<TensorValue> arguments;
    arguments.push_back(
        argument(tensorType({}, builder.getI64Type()), graph.input(0).name()));
    arguments[0].value = node.reshape(arguments[0].value, iterationShape());
    arguments[0].type = fuse::getTensorType(arguments[0].value);
    // The body runs only while the condition is true.
    TensorValue isTrue;
    isTrue.type = tensorType({}, builder.getI1Type());
    isTrue.constant =
        std::make_shared<HostTensor>(HostTensor::fromInts(isTrue.type, {1}));
    arguments.push_back(std::move(isTrue));
    for (auto [i, init] : llvm::enumerate(inits))
      arguments.push_back(
          argument(fuse::getTensorType(init), graph.input(2 + int(i)).name()));
    return arguments;
  });
}

/// Whether a carried value goes on in another shape.
bool LoopConverter::reshapesCarried(const NodeBody &body) {
  for (auto [i, init] : llvm::enumerate(inits)) {
    RankedTensorType first = fuse::getTensorType(init);
    RankedTensorType next = body.outputs[1 + i].type;
    if (next && first != next &&
        first.getElementType() == next.getElementType())
      return true;
  }
  return false;
}

void LoopConverter::checkCarried(const NodeBody &body) {
  for (auto [i, init] : llvm::enumerate(inits)) {
    RankedTensorType first = fuse::getTensorType(init);
    RankedTensorType next = body.outputs[1 + i].type;
    if (!next)
      node.invalid("carries a tensor that becomes a sequence");
    std::string what = "the carried value '" + graph.input(2 + int(i)).name() +
                       "' begins as " + typeText(first) + " and goes on as " +
                       typeText(next);
    if (first.getElementType() != next.getElementType())
      node.invalid(what);
    if (first != next)
      node.unsupported(what + "; loops carry values of fixed shapes, but for " +
                           unrollingText(),
                       "export the model with a constant number of iterations "
                       "of at most " +
                           llvm::Twine(kFewTrips) +
                           ", or with the loop unrolled");
  }
}

void LoopConverter::checkCondition(const TensorValue &next) {
  if (!next.type)
    node.invalid("has a body whose condition is a sequence");
  if (!next.type.getElementType().isInteger(1) ||
      next.type.getNumElements() != 1)
    node.invalid("has a body whose condition is " + typeText(next.type));
}

void LoopConverter::readNextCondition(NodeBody &body) {
  TensorValue &next = body.outputs[0];
  checkCondition(next);
  if (const HostTensor *known = node.elements(next)) {
    if (!known->ints[0])
      trips = std::min<int64_t>(trips.value_or(1), 1);
  } else if (std::optional<int64_t> decided = countTrips(body)) {
    trips = decided;
  } else {
    endsEarly = true;
  }
}

/// How many iterations there are, if constants decide it: the condition and the
/// carried values behind it are followed from iteration to iteration.
std::optional<int64_t> LoopConverter::countTrips(NodeBody &body) {
  if (count || condition)
    return std::nullopt;
  fuse::Evaluator evaluator = node.makeEvaluator();
  Value next = node.bodyOutput(body, 0);
  llvm::SetVector<BlockArgument> deciding;
  SmallVector<Value> open{next};
  while (!open.empty())
    for (BlockArgument argument : evaluator.getArguments(open.pop_back_val())) {
      if (argument.getOwner() != &body.region->front())
        return std::nullopt;
      if (deciding.insert(argument) && argument.getArgNumber() > 0)
        open.push_back(node.bodyOutput(body, argument.getArgNumber()));
    }
  llvm::MapVector<BlockArgument, fuse::ConstantData> values;
  for (BlockArgument argument : deciding) {
    unsigned number = argument.getArgNumber();
    const HostTensor *init = number ? node.constant(1 + number) : nullptr;
    if (number && !init)
      return std::nullopt;
    if (number)
      values[argument] = fuse::ownData(init->type, init->toBytes());
  }
  // The evaluator's limits are the loop's.
  for (int64_t trip = 0; trip < trips.value_or(INT64_MAX); ++trip) {
    evaluator.forget(*body.region);
    HostTensor number =
        HostTensor::fromInts(tensorType({}, node.builder.getI64Type()), {trip});
    evaluator.define(body.region->front().getArgument(0),
                     fuse::ownData(number.type, number.toBytes()));
    for (auto &[argument, data] : values)
      evaluator.define(argument, data);
    std::optional<fuse::ConstantData> goesOn = evaluator.get(next);
    if (!goesOn)
      return std::nullopt;
    if (!goesOn->bytes[0])
      return trip + 1;
    for (auto &[argument, data] : values) {
      std::optional<fuse::ConstantData> after =
          evaluator.get(node.bodyOutput(body, argument.getArgNumber()));
      if (!after)
        return std::nullopt;
      data = fuse::packData(*after, fuse::getTensorType(argument));
    }
  }
  return trips;
}

/// The rows of scan outputs are counted at run time.
void LoopConverter::refuseOpenTrips() {
  unsigned index = count ? 0 : 1;
  node.unsupported(
      "the " + llvm::Twine(count ? "trip count" : "condition") +
          ", which decides how many rows its scan outputs have, is " +
          node.runTimeText(index),
      "export the model with a constant trip count; or " +
          node.addHint("max-trips", {"N"}) +
          " to make N rows and no more, those that are left being 0");
}

void LoopConverter::build(NodeBody &body) {
  OpBuilder &builder = node.builder;
  bool isOpen = numStacks && (count || condition || endsEarly);
  if (isOpen && node.maxTrips()) {
    trips = std::min(trips.value_or(INT64_MAX), *node.maxTrips());
    node.warn("makes at most " + llvm::Twine(*trips) +
                  " iterations, as --max-trips says; the rows of its scan "
                  "outputs that it does not come to are 0",
              "give as many as there can be");
  }
  if (trips && *trips >= kUnbounded && (count || endsEarly || condition) &&
      !numStacks)
    trips.reset();
  if (!trips && !count && !endsEarly && !condition)
    node.invalid("has a loop that never ends");
  if (numStacks && (!trips || *trips >= kUnbounded))
    node.unsupported("the number of rows of its scan outputs is not bounded",
                     "export the model with a constant trip count");
  if (numStacks && endsEarly && !node.maxTrips())
    node.unsupported("may end early, so that the number of rows of its scan "
                     "outputs depends on data: " +
                         body.outputs[0].runTime,
                     "carry a tensor of all rows instead, or " +
                         node.addHint("max-trips", {"N"}) +
                         ": rows that are left are 0");
  if (trips && *trips == 0)
    return skip(body);
  bool isWhile = condition || endsEarly;
  SmallVector<Value> yielded;
  SmallVector<Type> types(ValueRange(inits).getTypes());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body.region->front());
    if (isWhile)
      yielded.push_back(node.reshape(node.bodyOutput(body, 0), {}));
    for (unsigned i = 1; i < body.outputs.size(); ++i) {
      if (isOpen && i == inits.size() + 1) { // how many rows there are so far
        Value iteration = body.region->front().getArgument(0);
        yielded.push_back(node.add(iteration, 1));
        types.push_back(iteration.getType());
      }
      yielded.push_back(node.bodyOutput(body, i));
      if (i <= inits.size())
        continue;
      RankedTensorType row = fuse::getTensorType(yielded.back());
      SmallVector<int64_t> shape = {*trips};
      llvm::append_range(shape, row.getShape());
      types.push_back(tensorType(shape, row.getElementType()));
      node.requireSize(cast<RankedTensorType>(types.back()));
    }
    fuse::YieldOp::create(builder, node.loc, yielded);
  }
  if (isWhile && !condition)
    condition = node.scalar(1, builder.getI1Type());
  SmallVector<Value> starts(inits);
  if (isOpen) {
    starts.push_back(node.scalar(0, builder.getI64Type()));
    body.region->front().addArgument(starts.back().getType(), node.loc);
  }
  auto op = fuse::LoopOp::create(builder, node.loc, types,
                                 trips ? builder.getI64IntegerAttr(*trips)
                                       : IntegerAttr(),
                                 count, condition, starts, ValueRange(),
                                 ArrayRef<int64_t>(), ArrayRef<int64_t>());
  op.getBody().takeBody(*body.region);
  if (isOpen)
    node.leaveOpen();
  for (unsigned i = 0; i < node.numOutputs(); ++i)
    if (isOpen && i >= inits.size())
      node.setOutput(i, leaveRowsOpen(node, op.getResult(i + 1), 0,
                                      op.getResult(inits.size())));
    else
      node.setOutput(i, op.getResult(i));
}

/// No iteration: what is carried goes on, and scan outputs have no rows.
void LoopConverter::skip(const NodeBody &body) {
  for (unsigned i = 0; i < node.numOutputs(); ++i) {
    if (i < inits.size()) {
      node.setOutput(i, inits[i]);
      continue;
    }
    RankedTensorType row = body.outputs[1 + i].type;
    if (!row)
      node.invalid("has a scan output that is no tensor");
    SmallVector<int64_t> shape = {0};
    llvm::append_range(shape, row.getShape());
    node.setOutput(i, node.splat(0, tensorType(shape, row.getElementType())));
  }
}

void LoopConverter::run() {
  unsigned numCarried = std::max(node.numInputs(), 2u) - 2;
  if (graph.input_size() != int(2 + numCarried) ||
      graph.output_size() < int(1 + numCarried) ||
      graph.output_size() - 1 < int(node.numOutputs()))
    node.invalid("has " + llvm::Twine(numCarried) + " carried values and " +
                 llvm::Twine(node.numOutputs()) + " results, and a body with " +
                 llvm::Twine(graph.input_size()) + " inputs and " +
                 llvm::Twine(graph.output_size()) + " outputs");
  numStacks = graph.output_size() - 1 - numCarried;
  if (carriesSequences()) {
    readBounds();
    return unroll();
  }
  for (unsigned i = 0; i < numCarried; ++i)
    inits.push_back(node.input(2 + i));
  readBounds();
  // Scan outputs have as many rows as there are trips.
  if (numStacks && (count || condition) && !node.maxTrips())
    refuseOpenTrips();
  // What the iteration's number decides, as where a slice begins, it may decide
  // while importing, and what grows is known in each iteration.
  bool isUnbounded = !trips || *trips >= kUnbounded;
  bool mayUnroll = !count && !condition &&
                   (isUnbounded || (*trips > 0 && *trips <= kFewTrips)) &&
                   node.mayRetry();
  if (!mayUnroll) {
    NodeBody body = importLongBody();
    readNextCondition(body);
    return finish(body);
  }
  size_t before = node.numProblems();
  bool outer = node.setOnTrial(true);
  llvm::scope_exit leave([&] { node.setOnTrial(outer); });
  try {
    NodeBody body = importBody();
    readNextCondition(body);
    if (!reshapesCarried(body) || !trips || *trips > kFewTrips)
      return finish(body);
  } catch (const ReportedError &) {
    std::vector<Problem> problems = node.takeProblems(before);
    node.setOnTrial(outer);
    if (isUnbounded)
      return unrollOr(std::move(problems));
  }
  node.setOnTrial(outer);
  unroll();
}

void LoopConverter::finish(NodeBody &body) {
  checkCarried(body);
  build(body);
}

static void convertLoop(Node &node) { LoopConverter(node).run(); }

void registerLoop(Registry &r) {
  Operator &loop = r.add("Loop", 1, convertLoop);
  loop.takesCodes = loop.takesSequences = true;
}

} // namespace fusec
