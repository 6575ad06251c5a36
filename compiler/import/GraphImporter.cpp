// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over the graph: operator sets, initializers, nodes, outputs.
#include "compiler/import/GraphImporter.h"

#include "compiler/import/KnownOperators.h"
#include "compiler/import/Message.h"
#include "compiler/import/ModelSource.h"
#include "compiler/import/OpenLengths.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Declared.h"
#include "dialects/coded/CodedFloats.h"
#include "dialects/fuse/ModelSource.h"
#include "dialects/fuse/SwappableWeights.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace fusec {

GraphImporter::GraphImporter(ModelFile &file, const FlatGraph &graph,
                             llvm::StringRef path, const ImportOptions &options,
                             operators::OperatorSet &operators,
                             MLIRContext &context, ImportResult &result)
    : file(file), proto(file.proto().graph()), graph(graph), path(path),
      options(options), operators(operators), context(context),
      problems(result.problems), warnings(result.warnings), dims(options.dims),
      shapes(options.shapes), opBuilder(&context), weightBuilder(&context),
      scopes(1) {}

void GraphImporter::report(ProblemKind kind, const llvm::Twine &reason,
                           const llvm::Twine &hint) {
  (kind == ProblemKind::Warning ? warnings : problems)
      .push_back({kind, path, "", "", "", 0, reason.str(), hint.str()});
}

void GraphImporter::warn(const FlatNode &node, const llvm::Twine &reason,
                         const llvm::Twine &hint) {
  warnings.push_back(
      problemAt(node, path, ProblemKind::Warning, reason.str(), hint.str()));
}

OwningOpRef<ModuleOp> GraphImporter::run() {
  Location fileLoc = FileLineColLoc::get(
      &context, llvm::sys::path::filename(path), /*line=*/0, /*column=*/0);
  module = ModuleOp::create(fileLoc);
  (*module)->setAttr(
      fuse::kSourceAttr,
      describeSource(file.proto(), graph.nodes().size(), context));
  opBuilder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(opBuilder, fileLoc, "main",
                                  opBuilder.getFunctionType({}, {}));
  symbols.insert("main");
  weightBuilder.setInsertionPoint(function);
  opBuilder.setInsertionPointToEnd(function.addEntryBlock());

  checkOpsets();
  checkLayouts();
  for (const onnx::ValueInfoProto &info : proto.value_info())
    declared[info.name()] = &info;
  for (const onnx::ValueInfoProto &info : proto.output())
    declared[info.name()] = &info;
  addInitializers();
  addInputs();
  for (const FlatNode &node : graph.nodes())
    addNode(node);
  closeOpenLengths();
  if (problems.empty())
    addOutputs();
  if (problems.empty())
    verifyModule();
  if (options.swappableWeights)
    fuse::markSwappableWeights(*module, fixed.getArrayRef());
  return std::move(module);
}

void GraphImporter::closeOpenLengths() {
  if (!hasOpenRows)
    return;
  llvm::DenseSet<Value> outputs;
  for (const onnx::ValueInfoProto &output : proto.output())
    if (const TensorValue *value = find(output.name()))
      outputs.insert(value->value);
  for (Problem &problem : closeLengths(*module, outputs)) {
    problem.file = path;
    problems.push_back(std::move(problem));
  }
}

void GraphImporter::checkOpsets() {
  const onnx::ModelProto &model = file.proto();
  if (model.ir_version() > onnx::IR_VERSION)
    report(ProblemKind::Unsupported,
           "has IR version " + llvm::Twine(model.ir_version()) +
               "; versions up to " + llvm::Twine(onnx::IR_VERSION) +
               " are known",
           "export the model with an older version of ONNX");
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    if (canonicalDomain(opset.domain()).empty() &&
        opset.version() > kNewestOpset)
      report(ProblemKind::Unsupported,
             "uses operator set " + llvm::Twine(opset.version()) +
                 "; sets up to " + llvm::Twine(kNewestOpset) + " are known",
             "export the model with an older operator set");
}

Location GraphImporter::locate(llvm::StringRef name) {
  return NameLoc::get(StringAttr::get(&context, name));
}

void GraphImporter::define(llvm::StringRef name, TensorValue value) {
  value.name = name.str();
  if (!value.block)
    value.block = opBuilder.getInsertionBlock();
  if (record && value.type) {
    std::vector<int64_t> shape = value.type.getShape().vec();
    auto [known, isNew] = record->try_emplace(name, shape);
    if (!isNew && known->second != shape)
      known->second.reset();
  }
  scopes.back()[name] = std::make_unique<TensorValue>(std::move(value));
}

TensorValue *GraphImporter::find(llvm::StringRef name) {
  for (Values &values : llvm::reverse(scopes))
    if (auto found = values.find(name); found != values.end())
      return found->second.get();
  return nullptr;
}

void GraphImporter::addInitializers() {
  for (auto [index, tensor] : llvm::enumerate(proto.initializer())) {
    TensorValue value;
    value.initializer = int(index);
    try {
      value.type = typeOf(tensor);
    } catch (const NodeError &) {
      // Reported by the first node that uses it; the type stays unknown.
    }
    define(tensor.name(), std::move(value));
  }
  for (const onnx::SparseTensorProto &tensor : proto.sparse_initializer()) {
    TensorValue value;
    try {
      value = readSparse(tensor, tensor.values().name());
    } catch (const NodeError &error) {
      if (!reportExternalFile(error))
        report(error.kind, error.reason, error.hint);
    }
    if (value.constant && options.swappableWeights)
      fixed.insert(opBuilder.getStringAttr(tensor.values().name()));
    define(tensor.values().name(), std::move(value));
  }
}

bool GraphImporter::reportExternalFile(const NodeError &error) {
  const std::string &location = error.externalFile;
  if (location.empty())
    return false;
  // Problems may be taken back; so they themselves say what has been said.
  if (llvm::any_of(problems, [&](const Problem &problem) {
        return problem.externalFile == location;
      }))
    return true;
  size_t count = file.countTensors(location);
  report(error.kind, error.reason,
         (count == 1
              ? "it has a tensor of the model"
              : "it has " + llvm::Twine(count) + " tensors of the model") +
             (file.hasFolder()
                  ? "; keep both in one folder, as they were exported"
                  : "; name the model's file, which says where to look"));
  problems.back().externalFile = location;
  return true;
}

void GraphImporter::addNode(const FlatNode &node) {
  try {
    convert(node);
  } catch (const NodeError &error) {
    if (!reportExternalFile(error)) {
      problems.push_back(
          problemAt(node, path, error.kind, error.reason, error.hint));
      problems.back().bind = error.bind;
    }
    addPlaceholders(node);
  } catch (const ReportedError &) {
    addPlaceholders(node);
  }
}

/// Two attributes of one name: whichever is read, somebody meant the other.
static void requireOneOfEach(const Node &node, const onnx::NodeProto &proto) {
  llvm::StringSet<> names;
  for (const onnx::AttributeProto &attribute : proto.attribute())
    if (!names.insert(attribute.name()).second)
      node.invalid("has two attributes named '" + attribute.name() + "'");
}

/// What a node computes on the way to its results is no larger than these may
/// be.
static void requireSizes(const Node &node, Block::iterator begin,
                         Block::iterator end) {
  for (Operation &op : llvm::make_range(begin, end))
    for (Type type : op.getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        node.requireSize(tensor);
}

std::optional<operators::Found>
GraphImporter::findUserOperator(const FlatNode &node) {
  return operators.find(node.domain(), node.proto->op_type(), node.opset());
}

operators::Found GraphImporter::declareUserOperator(const FlatNode &node) {
  operators::Found found = *findUserOperator(node);
  // A body becomes operations, and needs no declaration.
  if (!found.body || keepsBodies())
    declareOperator(found);
  return found;
}

void GraphImporter::declareOperator(const operators::Found &found) {
  std::string name = found.op->name();
  if (symbols.insert(name).second)
    fusec::declareOperator(weightBuilder, locate(name), found);
}

void GraphImporter::convert(const FlatNode &flat) {
  const onnx::NodeProto &nodeProto = *flat.proto;
  auto refuse = [](ProblemKind kind, const llvm::Twine &reason,
                   const llvm::Twine &hint = "") {
    throw NodeError{kind, reason.str(), hint.str()};
  };
  if (isLayoutDomain(flat.domain()))
    throw ReportedError();
  if (flat.opset() == 0)
    refuse(ProblemKind::BadInput,
           "the model imports no operator set for the domain '" +
               flat.domain() + "'");
  const Operator *op =
      Registry::get().find(flat.domain(), nodeProto.op_type(), flat.opset());
  static const Operator declared = {1, convertDeclared};
  if (!op && findUserOperator(flat))
    op = &declared;
  if (!op && isKnownOperator(flat.domain(), nodeProto.op_type()))
    refuse(ProblemKind::Unsupported,
           nodeProto.op_type() + " of " +
               (flat.domain().empty() ? "ONNX's own domain"
                                      : "domain " + flat.domain()) +
               " is an operator that fusec does not support yet",
           howToReplace(flat.domain(), nodeProto.op_type()));
  if (!op)
    refuse(ProblemKind::Unsupported, "the operator is not supported",
           suggestOperator(flat.domain(), nodeProto.op_type(), operators));

  std::vector<TensorValue *> inputs;
  bool known = true, computable = true;
  for (const std::string &name : nodeProto.input()) {
    TensorValue *value = name.empty() ? nullptr : find(name);
    if (value && value->isAbsent)
      value = nullptr;
    inputs.push_back(value);
    if (!value)
      continue;
    if (value->isSequence() && !op->takesSequences)
      refuse(ProblemKind::BadInput,
             "needs tensors; '" + name + "' is a sequence");
    if (value->isSequence()) {
      computable = false;
      continue;
    }
    if (!value->type && value->initializer >= 0)
      typeOf(proto.initializer(value->initializer)); // throws the reason
    if (!value->untyped.empty())
      refuse(ProblemKind::Unsupported,
             "the input '" + name + "' " + value->untyped, value->untypedHint);
    if (value->isMap)
      refuse(ProblemKind::Unsupported,
             "reads the map '" + name + "', which fusec has no values of",
             "convert the model without it; skl2onnx has the option "
             "zipmap=False");
    known &= bool(value->type);
    if (!known)
      continue;
    if (isCoded(value->type) && !op->takesCodes)
      refuse(ProblemKind::Unsupported,
             "computes on " + typeText(value->type.getElementType()) +
                 ", which can only be moved, cast and dequantised");
    computable &= isSmallConstant(*value);
  }
  if (!known) // A problem upstream has been reported already.
    return addPlaceholders(flat);

  auto finish = [&](const Node &node) {
    for (auto [index, name] : llvm::enumerate(nodeProto.output()))
      if (!name.empty() && !scopes.back().count(name))
        node.invalid("names output " + llvm::Twine(index) + " '" + name +
                     "', which the operator does not have");
    const llvm::StringRef unread = node.unreadAttribute();
    if (unread.empty())
      return;
    if (op == &declared)
      node.unsupported("has the attribute '" + unread +
                           "', which is no parameter of the operator",
                       suggestParameter(unread, *findUserOperator(flat)->op));
    node.unsupported("the attribute '" + unread +
                         "' is not known for this operator set",
                     "leave it out if it says nothing, or convert the model "
                     "to an operator set that has it "
                     "(onnx.version_converter)");
  };
  bool hasBodies = llvm::any_of(nodeProto.attribute(),
                                [](const auto &a) { return a.has_g(); });
  const bool isKept = op->isTakenApart && operators.takeQuantized();
  if (computable && !inputs.empty() && !hasBodies && op != &declared &&
      !isKept) {
    Node node(*this, flat, inputs);
    requireOneOfEach(node, nodeProto);
    if (evaluate(node, *op))
      return finish(node);
  }
  Node node(*this, flat, std::move(inputs));
  requireOneOfEach(node, nodeProto);
  Block *block = opBuilder.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  op->convert(node);
  requireSizes(node, last ? ++Block::iterator(last) : block->begin(),
               block->end());
  finish(node);
}

/// Gives the results of a node that failed the types that the model declares,
/// so that what follows can be checked, too.
void GraphImporter::addPlaceholders(const FlatNode &node) {
  for (const std::string &name : node.proto->output()) {
    if (name.empty())
      continue;
    TensorValue value;
    if (auto found = declared.find(name); found != declared.end())
      value.type = declaredType(*found->second, nullptr);
    if (value.type)
      value.value = UnrealizedConversionCastOp::create(
                        opBuilder, locate(node.name), value.type, ValueRange())
                        .getResult(0);
    value.runTime = "'" + node.name + "' is refused";
    value.isRefused = true;
    define(name, std::move(value));
  }
}

void GraphImporter::verifyModule() {
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(text);
    os << (text.empty() ? "" : "; ") << diagnostic.getLocation() << ": "
       << diagnostic;
    return success();
  });
  if (failed(verify(*module)))
    report(ProblemKind::Internal, "the imported module is invalid: " + text,
           "this is a bug of fusec; please report it with the model");
}

} // namespace fusec
