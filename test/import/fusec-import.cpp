// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The importer alone, for tests: fusec-import MODEL... prints each module, or
// its problems on stderr (as JSON on stdout with --json). With --operators the
// table: the domain, name and first version of each operator.
#include "compiler/import/Importer.h"
#include "compiler/import/Registry.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/CommandLine.h"

using namespace fusec;
namespace cl = llvm::cl;

static cl::list<std::string> models(cl::Positional);
static cl::list<std::string> dims("dim", cl::desc("NAME=N"));
static cl::list<std::string> shapes("shape", cl::desc("INPUT=1x3x224x224"));
static cl::list<std::string> binds("bind", cl::desc("INPUT=FILE"));
static cl::opt<bool> json("json");
static cl::opt<bool> checkOnly("check");
static cl::opt<bool> quiet("quiet", cl::desc("do not print modules"));
static cl::opt<bool> operators("operators", cl::desc("print the table"));
static cl::opt<bool> locations("locations", cl::desc("print locations"));

static std::pair<std::string, std::vector<int64_t>>
parseBinding(llvm::StringRef text) {
  auto [name, list] = text.rsplit('=');
  llvm::SmallVector<llvm::StringRef> parts;
  list.split(parts, 'x');
  std::vector<int64_t> extents;
  for (llvm::StringRef part : parts)
    if (int64_t extent; part.getAsInteger(10, extent)) {
      llvm::errs() << "not a number: " << part << '\n';
      exit(64);
    } else {
      extents.push_back(extent);
    }
  return {name.str(), extents};
}

static void printOperators() {
  const Registry &registry = Registry::get();
  std::vector<std::string> domains = registry.getDomains();
  domains.insert(domains.begin(), "");
  for (const std::string &domain : domains)
    for (const std::string &op : registry.getNames(domain))
      llvm::outs() << (domain.empty() ? "ai.onnx" : domain) << ' ' << op << ' '
                   << *registry.findFirst(domain, op) << '\n';
}

/// 0, or the exit code of the worst problem: 2 unsupported, 4 bad input, 70 a
/// bug of fusec.
static int import(const std::string &path, const ImportOptions &options) {
  mlir::MLIRContext context;
  ImportResult result = importModel(path, options, context);
  int code = 0;
  printProblems(result.warnings, llvm::errs());
  for (const Problem &problem : result.problems)
    code = std::max(code, problem.kind == ProblemKind::Unsupported ? 2
                          : problem.kind == ProblemKind::Internal  ? 70
                                                                   : 4);
  if (json)
    printProblemsAsJson(result.problems, llvm::outs());
  else
    printProblems(result.problems, llvm::errs());
  if (result.module && !quiet) {
    mlir::OpPrintingFlags flags;
    flags.printNameLocAsPrefix();
    flags.enableDebugInfo(locations);
    result.module->print(llvm::outs(), flags);
    llvm::outs() << '\n';
  }
  return code;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv);
  ImportOptions options;
  options.checkOnly = checkOnly;
  for (const std::string &text : dims) {
    auto [name, extents] = parseBinding(text);
    options.dims[name] = extents[0];
  }
  for (const std::string &text : shapes)
    options.shapes.insert(parseBinding(text));
  for (const std::string &text : binds) {
    auto [name, file] = llvm::StringRef(text).rsplit('=');
    options.binds[name.str()] = file.str();
  }
  if (operators) {
    printOperators();
    return 0;
  }
  int worst = 0;
  for (const std::string &path : models) {
    int code = import(path, options);
    if (models.size() > 1)
      llvm::outs() << path << ": exit " << code << '\n';
    worst = std::max(worst, code);
  }
  return worst;
}
