// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/export/Precision.h"

#include "codegen/Names.h"
#include "compiler/export/Writer.h"
#include "compiler/import/Message.h"
#include "compiler/io/ElementValue.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "passes/graph/ConstantData.h"

#include <cmath>

using namespace mlir;

namespace fusec {

ExportedNodes listNodes(ModuleOp module, const ExportOptions &options,
                        std::vector<Problem> &problems) {
  Writer writer(module, chooseOpset(module, options), problems);
  writer.writeModel();
  ExportedNodes nodes;
  for (auto &[op, node] : writer.written())
    if (isa<func::FuncOp>(op->getParentOp()))
      nodes[op] = {node->name(), node->op_type()};
  return nodes;
}

llvm::ArrayRef<llvm::StringRef> getDeniedOperators() {
  // ONNX Runtime's (onnxconverter_common/float16.py), as far as fusec has them.
  static constexpr llvm::StringRef kDenied[] = {
      "CumSum", "Max", "Min", "NonMaxSuppression", "Range", "Resize",
      "RoiAlign", "TopK",
      // Sums and powers leave the range of f16 soon.
      "CumProd", "LogSoftmax", "LpNormalization", "Pow", "ReduceL2",
      "ReduceLogSum", "ReduceLogSumExp", "ReduceMean", "ReduceProd",
      "ReduceSum", "ReduceSumSquare", "Softmax",
      // They are about types; numbers up to which integers are exact are few.
      "Cast", "DequantizeLinear", "DynamicQuantizeLinear", "QLinearConv",
      "QLinearMatMul", "QuantizeLinear"};
  return kDenied;
}

namespace {
class Converter {
public:
  Converter(ModuleOp module, const PrecisionOptions &options,
            std::vector<Problem> &problems)
      : module(module), function(*module.getOps<func::FuncOp>().begin()),
        options(options), problems(problems), builder(module.getContext()),
        wide(builder.getF32Type()),
        narrow(options.to == "f16" ? Type(builder.getF16Type())
                                   : Type(builder.getBF16Type())) {}

  bool checkNames(const ExportedNodes &nodes);
  ExportedNodes run(const ExportedNodes &nodes);

private:
  bool isDenied(const ExportedNode &node) const;
  bool isWide(Type type) const { return getElementTypeOrSelf(type) == wide; }
  RankedTensorType narrowed(Type type) const {
    return cast<RankedTensorType>(type).clone(narrow);
  }
  Value narrowValue(Value value);
  Value narrowConstant(Value value);
  Operation *convert(Operation *op);
  void convertInputs();
  void convertOutputs();
  void dropUnused();

  ModuleOp module;
  func::FuncOp function;
  const PrecisionOptions &options;
  std::vector<Problem> &problems;
  OpBuilder builder;
  Type wide, narrow;
  /// The narrow form of values, each once.
  llvm::DenseMap<Value, Value> forms;
  llvm::StringMap<Value> weights;
  /// The node that is being converted.
  const ExportedNode *current = nullptr;
};
} // namespace

//===- Names --------------------------------------------------------------===//

void refuseUnknown(llvm::StringRef option, ArrayRef<std::string> names,
                   const std::set<std::string> &known, llvm::StringRef what,
                   std::vector<Problem> &problems) {
  std::vector<std::string> all(known.begin(), known.end());
  std::string list = all.size() > 20 ? "" : "it has " + llvm::join(all, ", ");
  for (const std::string &name : names)
    if (!known.count(name))
      problems.push_back({ProblemKind::BadInput, "", "", "", "", 0,
                          (option + " " + name + ": the model has no " + what +
                           " of that name")
                              .str(),
                          joinHints(didYouMean(name, all), list)});
}

/// Refuses names that nothing has: they are misspelt.
bool Converter::checkNames(const ExportedNodes &nodes) {
  std::set<std::string> operators, names;
  for (const auto &[op, node] : nodes) {
    operators.insert(node.operation);
    names.insert(node.name);
  }
  const size_t before = problems.size();
  refuseUnknown("--allow-op", options.allowOps, operators, "operator",
                problems);
  refuseUnknown("--deny-op", options.denyOps, operators, "operator", problems);
  refuseUnknown("--deny-node", options.denyNodes, names, "node", problems);
  return problems.size() == before;
}

bool Converter::isDenied(const ExportedNode &node) const {
  if (llvm::is_contained(options.denyNodes, node.name) ||
      llvm::is_contained(options.denyOps, node.operation))
    return true;
  return llvm::is_contained(getDeniedOperators(), node.operation) &&
         !llvm::is_contained(options.allowOps, node.operation);
}

//===- Values -------------------------------------------------------------===//

/// The elements of f32 rounded to `type`; `lost` is the first that is finite
/// and becomes an infinity, or -1.
static std::vector<char> roundElements(ArrayRef<char> bytes, Type type,
                                       int64_t &lost) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  std::vector<char> rounded(bytes.size() / 2);
  lost = -1;
  for (size_t i = 0; i < bytes.size() / 4; ++i) {
    float element;
    std::memcpy(&element, bytes.data() + 4 * i, 4);
    llvm::APFloat value(element);
    bool loses = false;
    value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
    uint16_t bits = uint16_t(value.bitcastToAPInt().getZExtValue());
    std::memcpy(rounded.data() + 2 * i, &bits, 2);
    if (lost < 0 && std::isfinite(element) && !value.isFinite())
      lost = int64_t(i);
  }
  return rounded;
}

static float elementAt(ArrayRef<char> bytes, int64_t index) {
  float element;
  std::memcpy(&element, bytes.data() + 4 * index, 4);
  return element;
}

/// Null where the type does not hold it: of a weight that is a problem.
Value Converter::narrowConstant(Value value) {
  RankedTensorType type = narrowed(value.getType());
  fuse::ConstantData data =
      packData(*fuse::getConstantData(value), fuse::getTensorType(value));
  auto get = value.getDefiningOp<fuse::GetWeightOp>();
  if (get)
    if (auto known = weights.find(get.getWeight()); known != weights.end())
      return known->second;
  int64_t lost = -1;
  std::vector<char> bytes = roundElements(data.bytes, narrow, lost);
  if (lost >= 0 && !get)
    return {};
  std::string name =
      get ? codegen::firstName(data.weight.getLoc()).str() : std::string();
  if (lost >= 0) {
    Problem problem;
    problem.node = current->name;
    problem.op = current->operation;
    problem.reason =
        ("reads the weight '" + llvm::Twine(name) + "', whose element " +
         llvm::Twine(lost) + " is " +
         std::to_string(elementAt(data.bytes, lost)) + ", past the " +
         (options.to == "f16" ? "65504" : "3.39e38") + " that " + options.to +
         " holds at most")
            .str();
    problem.hint = "--deny-node " + shellWord(current->name) +
                   " keeps it in f32" +
                   (options.to == "f16" ? ", and --to=bf16 holds it" : "");
    problems.push_back(std::move(problem));
    return {};
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  Value result = fuse::createConstant(builder, value.getLoc(), type, bytes,
                                      get ? get.getWeight() : "constant");
  if (auto made = result.getDefiningOp<fuse::GetWeightOp>()) {
    // It has the name of the one whose place it takes.
    auto weight = SymbolTable::lookupNearestSymbolFrom<fuse::WeightOp>(
        made, made.getWeightAttr());
    if (get)
      weight->setLoc(data.weight.getLoc());
  }
  if (get)
    weights[get.getWeight()] = result;
  return result;
}

/// The narrow form of a value of f32; null if there is none.
Value Converter::narrowValue(Value value) {
  if (auto known = forms.find(value); known != forms.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  Value form;
  OpBuilder::InsertionGuard guard(builder);
  if (auto widened = dyn_cast_or_null<fuse::CastOp>(op);
      widened && elementOf(widened.getOperand()) == narrow) {
    form = widened.getOperand();
  } else if (isa_and_nonnull<fuse::ConstantOp, fuse::GetWeightOp>(op)) {
    form = narrowConstant(value);
  } else if (auto repeated = dyn_cast_or_null<fuse::BroadcastOp>(op)) {
    // What is repeated is narrow, so that nothing is repeated in vain.
    if (Value part = narrowValue(repeated.getOperand())) {
      builder.setInsertionPointAfter(op);
      form = fuse::BroadcastOp::create(builder, op->getLoc(),
                                       narrowed(value.getType()), part,
                                       repeated.getDims());
    }
  } else {
    builder.setInsertionPointAfterValue(value);
    form = fuse::CastOp::create(builder, value.getLoc(),
                                narrowed(value.getType()), value);
  }
  return forms[value] = form;
}

//===- Operations ---------------------------------------------------------===//

/// The operation on narrow operands, followed by casts of its results to f32,
/// which replace those of `op`; null if it has to stay as it is.
Operation *Converter::convert(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(isWide(operand.getType()) ? narrowValue(operand)
                                                 : operand);
    if (!operands.back())
      return nullptr;
  }
  builder.setInsertionPoint(op);
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  for (Value result : made->getResults())
    if (isWide(result.getType()))
      result.setType(narrowed(result.getType()));
  for (NamedAttribute attribute : op->getAttrs())
    if (auto fill = dyn_cast<FloatAttr>(attribute.getValue());
        fill && attribute.getName() == "fill")
      made->setAttr("fill", FloatAttr::get(narrow, fill.getValueAsDouble()));
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  if (failed(verify(made))) {
    made->erase();
    return nullptr;
  }
  for (auto [before, after] : llvm::zip(op->getResults(), made->getResults())) {
    Value value = after;
    if (before.getType() != after.getType())
      value =
          fuse::CastOp::create(builder, op->getLoc(), before.getType(), after);
    before.replaceAllUsesWith(value);
  }
  op->erase();
  return made;
}

void Converter::convertInputs() {
  Block &block = function.getBody().front();
  builder.setInsertionPointToStart(&block);
  for (BlockArgument argument : block.getArguments()) {
    Type type = argument.getType();
    if (!isWide(type))
      continue;
    argument.setType(narrowed(type));
    auto widened =
        fuse::CastOp::create(builder, argument.getLoc(), type, argument);
    argument.replaceAllUsesExcept(widened, widened);
  }
}

void Converter::convertOutputs() {
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &operand : end->getOpOperands())
    if (isWide(operand.get().getType()))
      if (Value form = narrowValue(operand.get()))
        operand.set(form);
}

/// Casts and constants that nobody reads any more.
void Converter::dropUnused() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isa<fuse::CastOp, fuse::ConstantOp, fuse::GetWeightOp,
            fuse::BroadcastOp>(op) &&
        op.use_empty())
      op.erase();
}

ExportedNodes Converter::run(const ExportedNodes &nodes) {
  if (!options.keepIo)
    convertInputs();
  ExportedNodes result;
  for (auto [op, node] : nodes) {
    current = &node;
    bool isFloat = llvm::any_of(op->getOperandTypes(),
                                [&](Type type) { return isWide(type); }) ||
                   llvm::any_of(op->getResultTypes(),
                                [&](Type type) { return isWide(type); });
    Operation *made =
        isFloat && op->getNumRegions() == unsigned(isa<fuse::ReduceOp>(op)) &&
                !isa<fuse::CallOp, fuse::MapOp>(op) && !isDenied(node)
            ? convert(op)
            : nullptr;
    node.isConverted = made;
    result[made ? made : op] = node;
  }
  if (!options.keepIo)
    convertOutputs();
  dropUnused();
  Block &block = function.getBody().front();
  function.setType(builder.getFunctionType(
      block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
  return result;
}

ExportedNodes convertPrecision(ModuleOp module, const ExportedNodes &nodes,
                               const PrecisionOptions &options,
                               std::vector<Problem> &problems) {
  Converter converter(module, options, problems);
  if (!converter.checkNames(nodes))
    return {};
  return converter.run(nodes);
}

} // namespace fusec
