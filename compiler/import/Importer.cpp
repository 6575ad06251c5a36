// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Importer.h"

#include "compiler/import/FunctionFiles.h"
#include "compiler/import/GraphImporter.h"
#include "compiler/import/Hints.h"
#include "compiler/import/States.h"
#include "dialects/Nesting.h"
#include "dialects/fuse/SwappableWeights.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace fusec {

void registerImportDialects(DialectRegistry &registry) {
  registry.insert<fuse::FuseDialect, func::FuncDialect, arith::ArithDialect,
                  math::MathDialect>();
}

static void loadImportDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerImportDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

/// The error of a file that cannot be read.
static ImportResult refuseFile(llvm::StringRef path, llvm::Error error) {
  // The text starts with the path already, which the record holds apart.
  std::string text = llvm::toString(std::move(error));
  llvm::StringRef reason = text;
  if (reason.consume_front(path))
    reason.consume_front(": ");
  ImportResult result;
  result.problems.push_back(
      {ProblemKind::BadInput, path.str(), "", "", "", 0, reason.str(), ""});
  return result;
}

/// The caches of a model that grow, and by how much all extents do: the model
/// is imported with one row less. Dimensions of the whole length grow with the
/// caches where the model does not agree with itself otherwise.
static std::optional<Growth>
measureGrowth(ModelFile &file, const FlatGraph &graph, llvm::StringRef path,
              const ImportOptions &options, operators::OperatorSet &operators,
              MLIRContext &context, std::vector<Problem> &problems) {
  const onnx::GraphProto &proto = file.proto().graph();
  std::optional<Growth> growth = findGrowth(
      proto, graph, findStates(proto, options), options, problems, path);
  if (!growth)
    return growth;
  auto record = [&](const Growth &of) {
    ImportOptions other = of.at(options, of.otherPast);
    other.checkOnly = true;
    ImportResult ignored;
    ShapeRecord shapes;
    GraphImporter importer(file, graph, path, other, operators, context,
                           ignored);
    importer.recordShapes(shapes);
    importer.run();
    return std::pair(std::move(shapes), ignored.problems.empty());
  };
  auto [shapes, isFine] = record(*growth);
  const GrowingCache &cache = growth->caches.front();
  if (auto whole = shapes.find(cache.result);
      whole != shapes.end() && whole->second)
    growth->rows = (*whole->second)[cache.axis] - growth->otherPast;
  if (!isFine && options.growing.empty()) {
    Growth further = *growth;
    for (const auto &[name, extent] : options.dims)
      if (extent == growth->past + growth->rows &&
          !llvm::is_contained(further.symbols, name))
        further.symbols.push_back(name);
    if (auto [others, isBetter] = record(further); isBetter) {
      growth = std::move(further);
      shapes = std::move(others);
    }
  }
  growth->otherShapes = std::move(shapes);
  return growth;
}

static ImportResult importOnnx(llvm::Expected<std::unique_ptr<ModelFile>> file,
                               llvm::StringRef path,
                               const ImportOptions &options,
                               MLIRContext &context) {
  if (!file)
    return refuseFile(path, file.takeError());
  auto operators = operators::OperatorSet::open(options.ops);
  if (!operators)
    return refuseFile(path, operators.takeError());
  if (llvm::Error error = addFunctions(**file, options.ops, **operators))
    return refuseFile(path, std::move(error));
  ImportResult result;
  FlatGraph graph;
  inlineFunctions((*file)->proto(), graph, path, result.problems);
  if (result.problems.empty())
    checkGraph((*file)->proto().graph(), graph, path, result.problems);
  if (!result.problems.empty())
    return result;
  result.numNodes = graph.nodes().size();
  loadImportDialects(context);
  std::optional<Growth> growth = measureGrowth(
      **file, graph, path, options, **operators, context, result.problems);
  GraphImporter importer(**file, graph, path, options, **operators, context,
                         result);
  if (growth)
    importer.setGrowth(*growth);
  OwningOpRef<ModuleOp> module = importer.run();
  result.externalFiles = (*file)->listOpened();
  if (result.problems.empty())
    markStates(*module, options, path, result.problems);
  if (result.problems.empty() && !options.checkOnly)
    result.module = std::move(module);
  return result;
}

ImportResult importOnnx(llvm::StringRef path, const ImportOptions &options,
                        MLIRContext &context) {
  return importOnnx(ModelFile::read(path), path, options, context);
}

/// The "line:column" of a position in `text`.
static std::string describePlace(llvm::StringRef text, size_t at) {
  llvm::StringRef before = text.take_front(at);
  size_t line = before.rfind('\n');
  line = line == llvm::StringRef::npos ? 0 : line + 1;
  return std::to_string(before.count('\n') + 1) + ":" +
         std::to_string(at - line + 1);
}

/// Refuses the first tensor of `module` whose shape is open: arguments before
/// what is computed from them.
static void refuseOpenShapes(ModuleOp module, llvm::StringRef path,
                             std::vector<Problem> &problems) {
  auto isOpen = [](Value value) {
    auto type = dyn_cast<TensorType>(value.getType());
    return type && !type.hasStaticShape();
  };
  Value open;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      if (isOpen(result))
        open = result;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (!open && isOpen(argument))
            open = argument;
    return open ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!open)
    return;
  Problem problem;
  problem.file = path.str();
  if (auto place = open.getLoc()->findInstanceOf<FileLineColLoc>())
    problem.node = std::to_string(place.getLine()) + ":" +
                   std::to_string(place.getColumn());
  llvm::raw_string_ostream(problem.reason)
      << "has a tensor whose shape is not fixed, " << open.getType();
  problem.hint = "write all extents as numbers: fusec compiles for fixed "
                 "shapes";
  problems.push_back(std::move(problem));
}

/// Refuses weights whose bytes the text does not have.
static void refuseElidedWeights(ModuleOp module, llvm::StringRef path,
                                std::vector<Problem> &problems) {
  size_t count = 0, missing = 0;
  module.walk([&](fuse::WeightOp weight) {
    auto type = cast<ShapedType>(weight.getValue().getType());
    ++count;
    missing += type.getNumElements() != 0 && weight.getBytes().empty();
  });
  if (!missing)
    return;
  problems.push_back({ProblemKind::BadInput, path.str(), "", "", "", 0,
                      "lacks the bytes of " + std::to_string(missing) + " of " +
                          std::to_string(count) +
                          " weights, as text that was printed with "
                          "--elide-weights, or copied from a terminal, does",
                      "print the text with --elide-weights=no into a file"});
}

/// Imports `text`, which `path` holds.
static ImportResult importText(llvm::StringRef path, llvm::StringRef text,
                               const ImportOptions &options,
                               MLIRContext &context) {
  ImportResult result;
  result.isText = true;
  if (std::optional<size_t> at = findTooDeep(text)) {
    result.problems.push_back({ProblemKind::BadInput, path.str(),
                               describePlace(text, *at), "", "", 0,
                               describeTooDeep(), ""});
    return result;
  }
  loadImportDialects(context);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    Problem problem;
    problem.file = path.str();
    if (auto loc = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      problem.node =
          std::to_string(loc.getLine()) + ":" + std::to_string(loc.getColumn());
    problem.reason = diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      problem.reason += "; " + note.str();
    result.problems.push_back(std::move(problem));
    return success();
  });
  result.module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), path);
  if (!result.module && result.problems.empty())
    result.problems.push_back({ProblemKind::BadInput, path.str(), "", "", "", 0,
                               "cannot be read as MLIR text", ""});
  if (!result.module)
    return result;
  for (auto function : result.module->getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      result.numNodes += llvm::range_size(block.without_terminator());
  if (result.module->getOps<func::FuncOp>().empty())
    result.problems.push_back({ProblemKind::BadInput, path.str(), "", "", "", 0,
                               "has no function, so that it computes nothing",
                               "write the model as func.func @main"});
  refuseOpenShapes(*result.module, path, result.problems);
  refuseElidedWeights(*result.module, path, result.problems);
  if (result.problems.empty())
    markStates(*result.module, options, path, result.problems);
  if (options.swappableWeights)
    fuse::markSwappableWeights(*result.module, {});
  return result;
}

static ImportResult importMlir(llvm::StringRef path,
                               const ImportOptions &options,
                               MLIRContext &context) {
  auto text = io::readFile(path);
  if (!text)
    return refuseFile(path, text.takeError());
  return importText(path, (*text)->getBuffer(), options, context);
}

static bool fixesNothing(const ImportOptions &options) {
  return options.dims.empty() && options.shapes.empty() &&
         options.binds.empty() && options.counts.empty() && !options.maxTrips;
}

/// Refuses `path`, which is no model or goes with no such options.
static ImportResult refuse(llvm::StringRef path, const char *reason,
                           std::string hint) {
  ImportResult result;
  result.problems.push_back({ProblemKind::BadInput, path.str(), "", "", "", 0,
                             reason, std::move(hint)});
  return result;
}

static ImportResult refuseOptions(llvm::StringRef path,
                                  const ImportOptions &options) {
  std::string hint = "leave out " + optionName(options.hints, "dim") + ", " +
                     optionName(options.hints, "shape") + " and " +
                     optionName(options.hints, "bind");
  if (!options.counts.empty() || options.maxTrips)
    hint += ", --count and --max-trips";
  return refuse(path, "is text, whose extents and inputs are fixed",
                std::move(hint));
}

/// A message of protobuf begins with fields of few bytes, whose tags and
/// lengths are control characters.
static bool isText(llvm::ArrayRef<char> bytes) {
  constexpr size_t kEnough = 512;
  return !bytes.empty() && llvm::none_of(bytes.take_front(kEnough), [](char c) {
    return (uint8_t(c) < 0x20 && !llvm::isSpace(c)) || c == 0x7f;
  });
}

ImportResult importMemory(std::shared_ptr<const io::MappedFile> bytes,
                          const ImportOptions &options, MLIRContext &context) {
  llvm::StringRef name = bytes->path();
  if (!isText(bytes->bytes()))
    return importOnnx(ModelFile::parse(bytes), name, options, context);
  if (!fixesNothing(options))
    return refuseOptions(name, options);
  return importText(name, {bytes->bytes().data(), bytes->bytes().size()},
                    options, context);
}

ImportResult importModel(llvm::StringRef path, const ImportOptions &options,
                         MLIRContext &context) {
  if (path.ends_with(".onnx"))
    return importOnnx(path, options, context);
  if (path.ends_with(".mlir"))
    return fixesNothing(options) ? importMlir(path, options, context)
                                 : refuseOptions(path, options);
  if (!llvm::sys::fs::exists(path))
    return refuse(path, "does not exist", "name a .onnx or .mlir file");
  if (llvm::sys::fs::is_directory(path))
    return refuse(path, "is a folder, not a model",
                  "name a .onnx or .mlir file; a folder that fusec wrote is "
                  "for fusec run and fusec inspect");
  return refuse(path, "is neither a .onnx nor a .mlir file",
                "rename the file to say what it holds");
}

} // namespace fusec
