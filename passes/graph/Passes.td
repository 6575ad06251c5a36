// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_GRAPH_PASSES
#define FUSEC_PASSES_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def ExpandComposites : Pass<"fuse-expand-composites", "::mlir::ModuleOp"> {
  let summary = "Rewrite every composite into primitives";
  let description = [{
    Contract: afterwards no operation with the trait `Composite` is left. A
    composite whose element type its formula does not cover is an error at the
    operation.

    Narrow floats (f16, bf16) are computed in f32: the operands are cast up, the
    result is cast down, and the casts vanish in fusion. Formulas are written so
    that they neither overflow nor cancel: softmax and log_sum_exp subtract the
    maximum, variances take two passes, softplus splits at zero.

    ```mlir
    %0 = fuse.relu %x : tensor<4x8xf32>
    // becomes
    %c = fuse.constant dense<0.0> : tensor<f32>
    %b = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<4x8xf32>
    %0 = fuse.maximum %x, %b : tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::fusec::fuse::FuseDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report what was left undone, with the reason">];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Composites expanded">];
}

#endif // FUSEC_PASSES_GRAPH_PASSES
