// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs single passes over IR text: the pass developer's tool.
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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

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
  hideOtherOptions();
  std::pair<std::string, std::string> files =
      mlir::parseCLIOptions(argc, argv, header);
  return fusec::tool::runGuarded(
      "fusec-opt",
      [&] {
        return mlir::asMainReturnCode(
            mlir::MlirOptMain(argc, argv, files.first, files.second, registry));
      },
      [](const fusec::Problem &crash, int) {
        fusec::printProblems(crash, llvm::errs());
      });
}
