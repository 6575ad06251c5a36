// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Importer.h"

#include "compiler/import/GraphImporter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
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

ImportResult importOnnx(llvm::StringRef path, const ImportOptions &options,
                        MLIRContext &context) {
  ImportResult result;
  auto file = ModelFile::read(path);
  if (!file) {
    // The text starts with the path already, which the record holds apart.
    std::string text = llvm::toString(file.takeError());
    llvm::StringRef reason = text;
    if (reason.consume_front(path))
      reason.consume_front(": ");
    result.problems.push_back(
        {ProblemKind::BadInput, path.str(), "", "", "", 0, reason.str(), ""});
    return result;
  }
  FlatGraph graph;
  inlineFunctions((*file)->proto(), graph, path, result.problems);
  if (result.problems.empty())
    checkGraph((*file)->proto().graph(), graph, path, result.problems);
  if (!result.problems.empty())
    return result;
  result.numNodes = graph.nodes().size();
  loadImportDialects(context);
  GraphImporter importer(**file, graph, path, options, context, result);
  OwningOpRef<ModuleOp> module = importer.run();
  if (result.problems.empty() && !options.checkOnly)
    result.module = std::move(module);
  return result;
}

ImportResult importMlir(llvm::StringRef path, MLIRContext &context) {
  ImportResult result;
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
  result.module = parseSourceFile<ModuleOp>(path, ParserConfig(&context));
  if (!result.module && result.problems.empty())
    result.problems.push_back({ProblemKind::BadInput, path.str(), "", "", "", 0,
                               "cannot be read as MLIR text", ""});
  return result;
}

ImportResult importModel(llvm::StringRef path, const ImportOptions &options,
                         MLIRContext &context) {
  if (path.ends_with(".onnx"))
    return importOnnx(path, options, context);
  if (path.ends_with(".mlir") && options.dims.empty() &&
      options.shapes.empty() && options.binds.empty())
    return importMlir(path, context);
  const char *reason = "is neither a .onnx nor a .mlir file";
  std::string hint = "rename the file to say what it holds";
  if (path.ends_with(".mlir")) {
    reason = "is text, whose extents and inputs are fixed";
    hint = "leave out " + optionName(options.hints, "dim") + ", " +
           optionName(options.hints, "shape") + " and " +
           optionName(options.hints, "bind");
  } else if (!llvm::sys::fs::exists(path)) {
    reason = "does not exist";
    hint = "name a .onnx or .mlir file";
  } else if (llvm::sys::fs::is_directory(path)) {
    reason = "is a folder, not a model";
    hint = "name a .onnx or .mlir file; a folder that fusec wrote is for "
           "fusec run and fusec inspect";
  }
  ImportResult result;
  result.problems.push_back(
      {ProblemKind::BadInput, path.str(), "", "", "", 0, reason, hint});
  return result;
}

} // namespace fusec
