// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs single passes over IR text: the pass developer's tool.
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/kernel/Passes.h"
#include "passes/model/Passes.h"
#include "passes/poly/Passes.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::math::MathDialect>();
  registry.insert<fusec::fuse::FuseDialect>();
  registry.insert<fusec::kernel::KernelDialect>();
  registry.insert<fusec::sched::SchedDialect>();
  mlir::registerTransformsPasses();
  fusec::fuse::registerFusionPasses();
  fusec::fuse::registerGraphPasses();
  fusec::kernel::registerKernelPasses();
  fusec::poly::registerPolyPasses();
  fusec::model::registerModelPasses();
  fusec::sched::registerSchedulePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "fusec pass driver\n", registry));
}
