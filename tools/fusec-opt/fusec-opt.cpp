// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs single passes over IR text: the pass developer's tool.
#include "compiler/import/FunctionFiles.h"
#include "compiler/rules/Passes.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/kernel/Passes.h"
#include "passes/model/Passes.h"
#include "passes/poly/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/weigh/Passes.h"
#include "tools/Guard.h"
#include "tools/StandardStreams.h"
#include "tools/fusec-opt/DeclareOperators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ToolOutputFile.h"

/// What --help shows besides the passes. MLIR and LLVM register hundreds of
/// options more, for --help-hidden.
static constexpr llvm::StringLiteral kShown[] = {
    "allow-unregistered-dialect",
    "help",
    "help-hidden",
    "list-passes",
    "mlir-elide-elementsattrs-if-larger",
    "mlir-pass-statistics",
    "mlir-print-debuginfo",
    "mlir-print-ir-after",
    "mlir-print-ir-after-all",
    "mlir-print-ir-after-change",
    "mlir-print-ir-before",
    "mlir-print-op-generic",
    "mlir-timing",
    "mlir-use-nameloc-as-prefix",
    "o",
    "ops",
    "pass-pipeline",
    "show-dialects",
    "split-input-file",
    "verify-diagnostics",
    "verify-each",
    "version",
};

static void hideOtherOptions() {
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    llvm::cl::Option &option = *entry.second;
    // The passes are the values of one option without a name.
    if (!option.ArgStr.empty() && !llvm::is_contained(kShown, option.ArgStr) &&
        option.getOptionHiddenFlag() == llvm::cl::NotHidden)
      option.setHiddenFlag(llvm::cl::Hidden);
  }
}

/// What MlirOptMain does, with the operators of files at hand.
static mlir::LogicalResult runWith(const std::vector<std::string> &paths,
                                   llvm::StringRef input,
                                   llvm::StringRef output,
                                   mlir::DialectRegistry &registry) {
  auto refuse = [](const llvm::Twine &text) {
    llvm::errs() << "fusec-opt: error: " << text << "\n";
    return mlir::failure();
  };
  auto files = fusec::listOperatorFiles(paths);
  if (!files)
    return refuse(llvm::toString(files.takeError()));
  auto operators = fusec::operators::OperatorSet::open(*files);
  if (!operators)
    return refuse(llvm::toString(operators.takeError()));
  std::string error;
  auto text = mlir::openInputFile(input, &error);
  if (!text)
    return refuse(error);
  auto to = mlir::openOutputFile(output, &error);
  if (!to)
    return refuse(error);
  // Before operators are declared nothing holds that verifiers ask for.
  auto chosen = mlir::MlirOptMainConfig::createFromCLOptions();
  auto config = chosen;
  config.verifyOnParsing(false);
  config.setPassPipelineSetupFn([&](mlir::PassManager &passes) {
    passes.addPass(fusec::createDeclareOperatorsPass(**operators));
    return chosen.setupPassPipeline(passes);
  });
  if (failed(mlir::MlirOptMain(to->os(), std::move(text), registry, config)))
    return mlir::failure();
  to->keep();
  return mlir::success();
}

int main(int argc, char **argv) {
  fusec::tool::guardStreams("fusec-opt");
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::math::MathDialect>();
  registry.insert<fusec::fuse::FuseDialect>();
  registry.insert<fusec::kernel::KernelDialect>();
  registry.insert<fusec::sched::SchedDialect>();
  mlir::registerTransformsPasses();
  fusec::fuse::registerFusionPasses();
  fusec::weigh::registerWeighPasses();
  fusec::fuse::registerGraphPasses();
  fusec::kernel::registerKernelPasses();
  fusec::poly::registerPolyPasses();
  fusec::model::registerModelPasses();
  fusec::rules::registerRulePasses();
  fusec::sched::registerSchedulePasses();
  std::string header = mlir::registerCLIOptions(
      "fusec-opt runs single passes over the text of a stage.\n"
      "To get such text: fusec compile MODEL --until=STAGE\n",
      registry);
  llvm::cl::list<std::string> ops(
      "ops", llvm::cl::CommaSeparated, llvm::cl::value_desc("FILE"),
      llvm::cl::desc("Declare the operators of these that the text calls and "
                     "does not declare: libraries, text of operators (.fop), "
                     "folders with such"));
  hideOtherOptions();
  std::pair<std::string, std::string> files =
      mlir::parseCLIOptions(argc, argv, header);
  return fusec::tool::runGuarded(
      "fusec-opt",
      [&] {
        return mlir::asMainReturnCode(
            ops.empty() ? mlir::MlirOptMain(argc, argv, files.first,
                                            files.second, registry)
                        : runWith(ops, files.first, files.second, registry));
      },
      [](const fusec::Problem &crash, int) {
        fusec::printProblems(crash, llvm::errs());
      });
}
