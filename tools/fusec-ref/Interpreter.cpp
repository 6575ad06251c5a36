// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks functions, groups and calls; single operations are evaluated by the
// registry's entries.
#include "tools/fusec-ref/Interpreter.h"

#include "dialects/fuse/Growing.h"
#include "tools/fusec-ref/Evaluator.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using llvm::Error;
using llvm::Expected;

namespace fusec::ref {

io::ElementType getElementType(Type tensorType) {
  const TypeInfo *info =
      getTypeInfo(cast<RankedTensorType>(tensorType).getElementType());
  return *io::elementTypeFromOnnx(info->onnxCode);
}

std::vector<int64_t> getShape(Type tensorType) {
  return cast<RankedTensorType>(tensorType).getShape().vec();
}

Error errorAt(Operation *op, const llvm::Twine &reason) {
  std::string message;
  llvm::raw_string_ostream(message)
      << op->getLoc() << ": '" << op->getName() << "' " << reason;
  return llvm::createStringError(message);
}

Error Evaluation::fail(const llvm::Twine &reason) const {
  return errorAt(op, reason);
}

const Registry &Registry::get() {
  static const Registry registry = [] {
    Registry all;
    addActivations(all);
    addAttention(all);
    addCalls(all);
    addContractions(all);
    addElementwise(all);
    addMovement(all);
    addNormalisations(all);
    addNorms(all);
    addPooling(all);
    addQuantized(all);
    addRecurrent(all);
    addReductions(all);
    addResize(all);
    addSampling(all);
    addWindows(all);
    return all;
  }();
  return registry;
}

io::OpClass getOpClass(Operation *op) {
  if (isa<fuse::ConstantOp, fuse::GetWeightOp>(op))
    return io::OpClass::Exact;
  // A body of text computes whatever it does.
  if (auto call = dyn_cast<fuse::CallOp>(op))
    if (auto declared = SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
            call, call.getCalleeAttr());
        declared && declared.getLibrary() == operators::kBodiesLibrary)
      return io::OpClass::Network;
  const Registry::Entry *entry =
      Registry::get().find(op->getName().getStringRef());
  return entry ? entry->opClass : io::OpClass::Network;
}

static io::Tensor decodeConstant(ElementsAttr value) {
  io::ElementType type = getElementType(value.getType());
  std::vector<int64_t> shape = getShape(value.getType());
  if (io::isFloat(type)) {
    std::vector<double> values;
    for (const APFloat &element : value.getValues<APFloat>()) {
      APFloat wide = element;
      bool lost = false;
      wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      values.push_back(wide.convertToDouble());
    }
    return io::fromDoubles(type, shape, values);
  }
  std::vector<int64_t> values;
  for (const APInt &element : value.getValues<APInt>())
    values.push_back(static_cast<int64_t>(
        element.extractBitsAsZExtValue(element.getBitWidth(), 0)));
  return io::fromInts(type, shape, values);
}

namespace {

/// The values of a block, and of the blocks around it.
class Environment {
public:
  explicit Environment(const Environment *outer) : outer(outer) {}

  TensorPtr lookup(Value value) const {
    auto found = values.find(value);
    if (found != values.end())
      return found->second;
    return outer ? outer->lookup(value) : nullptr;
  }
  void set(Value value, TensorPtr tensor) { values[value] = std::move(tensor); }
  void drop(Value value) { values.erase(value); }

private:
  const Environment *outer;
  llvm::DenseMap<Value, TensorPtr> values;
};

/// Evaluates the blocks of one run.
class Interpreter {
public:
  explicit Interpreter(const Options &options) : options(options) {}

  using Tensors = std::vector<TensorPtr>;

  /// Runs a block on `arguments`; returns what its terminator passes on.
  Expected<Tensors> runBlock(Block &block, Tensors arguments,
                             const Environment *outer = nullptr);

private:
  Expected<Tensors> evaluate(Operation &op, const Environment &values);
  Expected<Tensors> evaluateByEntry(Operation &op,
                                    ArrayRef<TensorPtr> operands);
  Expected<Tensors> call(func::CallOp op, Tensors operands);
  Expected<Tensors> getWeight(fuse::GetWeightOp op);
  Expected<Tensors> loop(fuse::LoopOp op, const Environment &values);
  Expected<Tensors> choose(fuse::ChoiceOp op, const Environment &values);

  const Options &options;
  SymbolTableCollection symbols;
  unsigned depth = 0;
  static constexpr unsigned kMaxDepth = 256;
};

/// For each operation of `block`, the values of which it, or what it holds, is
/// the last user.
static llvm::DenseMap<Operation *, SmallVector<Value>>
findLastUses(Block &block) {
  llvm::DenseMap<Value, Operation *> lastUse;
  for (Operation &op : block)
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        lastUse[operand] = &op;
    });
  llvm::DenseMap<Operation *, SmallVector<Value>> result;
  for (auto [value, op] : lastUse)
    result[op].push_back(value);
  return result;
}

Expected<std::vector<TensorPtr>>
Interpreter::runBlock(Block &block, Tensors arguments,
                      const Environment *outer) {
  Environment values(outer);
  for (auto [argument, tensor] : llvm::zip(block.getArguments(), arguments))
    values.set(argument, tensor);
  // A tensor is released after its last use, or deep networks would not fit.
  auto lastUses = findLastUses(block);
  for (Operation &op : block.without_terminator()) {
    Expected<Tensors> results = evaluate(op, values);
    if (!results)
      return results.takeError();
    for (auto [result, tensor] : llvm::zip(op.getResults(), *results))
      if (!result.use_empty())
        values.set(result, std::move(tensor));
    for (Value value : lastUses.lookup(&op))
      values.drop(value);
  }
  Tensors passedOn;
  for (Value value : block.getTerminator()->getOperands())
    passedOn.push_back(values.lookup(value));
  return passedOn;
}

Expected<std::vector<TensorPtr>>
Interpreter::evaluate(Operation &op, const Environment &values) {
  Tensors operands;
  for (Value operand : op.getOperands())
    operands.push_back(values.lookup(operand));
  if (auto group = dyn_cast<fuse::GroupOp>(op))
    return runBlock(group.getBody().front(), std::move(operands));
  if (auto branch = dyn_cast<fuse::IfOp>(op)) {
    Region &body =
        operands[0]->bytes[0] ? branch.getThenBody() : branch.getElseBody();
    return runBlock(body.front(), {}, &values);
  }
  if (auto choice = dyn_cast<fuse::ChoiceOp>(op))
    return choose(choice, values);
  if (auto loopOp = dyn_cast<fuse::LoopOp>(op))
    return loop(loopOp, values);
  if (auto callOp = dyn_cast<func::CallOp>(op))
    return call(callOp, std::move(operands));
  if (auto get = dyn_cast<fuse::GetWeightOp>(op))
    return getWeight(get);
  if (auto constant = dyn_cast<fuse::ConstantOp>(op))
    return Tensors{
        std::make_shared<io::Tensor>(decodeConstant(constant.getValue()))};
  return evaluateByEntry(op, operands);
}

Expected<std::vector<TensorPtr>>
Interpreter::choose(fuse::ChoiceOp op, const Environment &values) {
  std::optional<Tensors> results;
  for (auto [number, region] : llvm::enumerate(op.getAlternatives())) {
    const bool isEvaluated =
        options.alternatives ? options.alternatives(op, number) : number == 0;
    if (!isEvaluated)
      continue;
    Expected<Tensors> own = runBlock(region.front(), {}, &values);
    if (!own)
      return own.takeError();
    if (!results)
      results = std::move(*own);
  }
  if (!results)
    return errorAt(op, "has no alternative that is to be evaluated");
  return std::move(*results);
}

/// Row `row` of `tensor` along dimension 0.
static TensorPtr getRow(const io::Tensor &tensor, int64_t row) {
  auto result = std::make_shared<io::Tensor>(io::Tensor::zeros(
      tensor.type, {tensor.shape.begin() + 1, tensor.shape.end()}));
  std::copy_n(tensor.bytes.begin() + row * int64_t(result->bytes.size()),
              result->bytes.size(), result->bytes.begin());
  return result;
}

Expected<std::vector<TensorPtr>> Interpreter::loop(fuse::LoopOp op,
                                                   const Environment &values) {
  int64_t end = op.getTrips().value_or(std::numeric_limits<int64_t>::max());
  if (op.getCount())
    end = std::min(end, io::toInts(*values.lookup(op.getCount()))[0]);
  bool goesOn =
      !op.getCondition() || values.lookup(op.getCondition())->bytes[0];
  Tensors carried;
  for (Value init : op.getInits())
    carried.push_back(values.lookup(init));
  std::vector<io::Tensor> stacks;
  for (unsigned i = 0; i < op.getNumStacks(); ++i)
    stacks.push_back(io::Tensor::zeros(getElementType(op.getStack(i).getType()),
                                       getShape(op.getStack(i).getType())));
  for (int64_t i = 0; goesOn && i < end; ++i) {
    auto rowOf = [&](bool reversed) {
      return reversed ? *op.getTrips() - 1 - i : i;
    };
    Tensors arguments = {std::make_shared<io::Tensor>(
        io::fromInts(io::ElementType::I64, {}, {i}))};
    llvm::append_range(arguments, carried);
    for (auto [number, slice] : llvm::enumerate(op.getSlices()))
      arguments.push_back(
          getRow(*values.lookup(slice), rowOf(op.isReversedSlice(number))));
    Expected<Tensors> yielded =
        runBlock(op.getBody().front(), std::move(arguments), &values);
    if (!yielded)
      return yielded.takeError();
    auto next = yielded->begin();
    if (op.getCondition())
      goesOn = (*next++)->bytes[0];
    for (TensorPtr &value : carried)
      value = *next++;
    for (auto [number, stack] : llvm::enumerate(stacks)) {
      const io::Bytes &row = (*next++)->bytes;
      llvm::copy(row, stack.bytes.begin() + rowOf(op.isReversedStack(number)) *
                                                int64_t(row.size()));
    }
  }
  for (io::Tensor &stack : stacks)
    carried.push_back(std::make_shared<io::Tensor>(std::move(stack)));
  return carried;
}

Expected<std::vector<TensorPtr>>
Interpreter::evaluateByEntry(Operation &op, ArrayRef<TensorPtr> operands) {
  const Registry::Entry *entry =
      Registry::get().find(op.getName().getStringRef());
  if (!entry)
    return errorAt(&op, "has no evaluator; fusec-ref interprets the fuse "
                        "dialect, so stop the pipeline before it is lowered");
  Evaluation evaluation(&op, operands, options.scales);
  evaluation.userOperators = options.userOperators;
  if (Error error = entry->evaluate(evaluation))
    return error;
  if (options.observer)
    options.observer(
        {&op, evaluation.results, entry->opClass, evaluation.scale});
  return std::move(evaluation.results);
}

Expected<std::vector<TensorPtr>>
Interpreter::call(func::CallOp op, std::vector<TensorPtr> operands) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    return errorAt(op, "calls a function without a body");
  if (depth >= kMaxDepth)
    return errorAt(op, "recurses too deeply");
  ++depth;
  auto results = runBlock(callee.getBody().front(), std::move(operands));
  --depth;
  return results;
}

Expected<std::vector<TensorPtr>> Interpreter::getWeight(fuse::GetWeightOp op) {
  auto weight =
      symbols.lookupNearestSymbolFrom<fuse::WeightOp>(op, op.getWeightAttr());
  auto tensor = std::make_shared<io::Tensor>(
      io::Tensor::zeros(getElementType(op.getType()), getShape(op.getType())));
  ArrayRef<char> bytes = weight ? weight.getBytes() : ArrayRef<char>();
  if (bytes.size() != tensor->bytes.size())
    return errorAt(op, "names a weight whose data is missing");
  tensor->bytes.assign(bytes.begin(), bytes.end());
  return std::vector<TensorPtr>{tensor};
}

} // namespace

Expected<func::FuncOp> findFunction(ModuleOp module, llvm::StringRef name) {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  auto named = [&](llvm::StringRef wanted) -> func::FuncOp {
    for (func::FuncOp function : functions)
      if (function.getName() == wanted)
        return function;
    return {};
  };
  func::FuncOp function = named(name.empty() ? "main" : name);
  if (!function && name.empty() && functions.size() == 1)
    function = functions.front();
  if (!function)
    return llvm::createStringError(
        name.empty()
            ? "the module has several functions or none, and no @main; "
              "name one with --function"
            : "the module has no function @" + name);
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return errorAt(function, "needs a body of one block");
  auto isTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() &&
           getTypeInfo(tensor.getElementType());
  };
  if (!llvm::all_of(function.getArgumentTypes(), isTensor) ||
      !llvm::all_of(function.getResultTypes(), isTensor))
    return errorAt(function, "takes or returns something that is no tensor of "
                             "static shape and a supported element type");
  return function;
}

Expected<std::vector<io::Tensor>> interpret(ModuleOp module,
                                            ArrayRef<io::Tensor> inputs,
                                            const Options &options) {
  Expected<func::FuncOp> function = findFunction(module, options.function);
  if (!function)
    return function.takeError();
  if (module->hasAttr(fuse::kGrowingAttr))
    return errorAt(*function,
                   "has caches that grow with each run, as the model has them "
                   "and no interpreter runs them; leave out --state, and run "
                   "it for one length of the caches, which then are inputs");
  if (inputs.size() != function->getNumArguments())
    return errorAt(*function, "takes " +
                                  llvm::Twine(function->getNumArguments()) +
                                  " inputs, got " + llvm::Twine(inputs.size()));
  std::vector<TensorPtr> arguments;
  for (auto [index, type] : llvm::enumerate(function->getArgumentTypes())) {
    const io::Tensor &input = inputs[index];
    if (input.type != getElementType(type) || input.shape != getShape(type))
      return errorAt(*function,
                     "takes " +
                         io::describe(getElementType(type), getShape(type)) +
                         " as input " + llvm::Twine(index) + ", got " +
                         io::describe(input.type, input.shape));
    arguments.push_back(std::make_shared<io::Tensor>(input));
  }
  auto results = Interpreter(options).runBlock(function->getBody().front(),
                                               std::move(arguments));
  if (!results)
    return results.takeError();
  std::vector<io::Tensor> outputs;
  for (const TensorPtr &result : *results)
    outputs.push_back(*result);
  return outputs;
}

} // namespace fusec::ref
