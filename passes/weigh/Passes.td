// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass of --fuse-weigh.
#ifndef FUSEC_PASSES_WEIGH_PASSES
#define FUSEC_PASSES_WEIGH_PASSES

include "mlir/Pass/PassBase.td"

def Weigh : Pass<"fuse-weigh", "::mlir::ModuleOp"> {
  let summary = "Cut groups that are expected to take longer than their parts";
  let description = [{
    Contract: groups in, groups out, by the same list. A group in which rows of a
    contraction are reduced (attention) is scheduled by itself, whole and in the
    parts that `--fuse-split` makes of it where rows are left to kernels of their
    own. It is cut where the parts are expected to take less time, by the cheapest
    config of each, for each instruction set of the target: with what it takes to
    launch one more kernel, and to load what one part stores for another. The
    remark says both figures. A group that is equal to another one is cut as that.

    What is scheduled for this is thrown away. A group that cannot be scheduled so
    stays whole.

    ```mlir
    // On a GPU, a block computes the scores of a row that it then reduces; of long rows
    // tiles of scores, which share what they load, take less time. @scores_weights_y
    // becomes @scores, @weights and @y.
    ```
  }];
  let constructor = "::fusec::weigh::createWeigh(nullptr)";
  let dependentDialects = ["::fusec::fuse::FuseDialect", "::fusec::sched::SchedDialect"];
}

#endif // FUSEC_PASSES_WEIGH_PASSES
