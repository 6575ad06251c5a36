// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_FUSION_PASSES
#define FUSEC_PASSES_FUSION_PASSES

include "mlir/Pass/PassBase.td"

def Aggregate : Pass<"fuse-aggregate", "::mlir::ModuleOp"> {
  let summary = "Form maximal fusion groups";
  let description = [{
    Contract: takes functions of primitives, leaves functions of `fuse.group`s,
    each of which obeys the list in passes/fusion/README.md and becomes one loop
    nest. Composites must have been expanded.

    Accesses, constants and cheap expressions of them are computed where they are
    read. Contractions take pointwise users as epilogue first; then producers
    join their consumers in program order as long as the union obeys the rules;
    last, small independent groups of one iteration space are fused horizontally:
    those whose launch takes longer than their work.
    Groups end at `max-operations`: what has more of them in its bodies would be
    cut by `--fuse-split` whatever else it is, and the time that a long chain
    takes here grows with its length only.
    The bodies of `fuse.if` and `fuse.loop` and the alternatives of `fuse.choice`
    are grouped by themselves: what is cheap comes down to its readers, a group
    never crosses their borders. Groups of an alternative are named after it.

    ```mlir
    %0 = fuse.add %x, %y : tensor<4x8xf32>
    %1 = fuse.exp %0 : tensor<4x8xf32>
    // becomes
    %1 = fuse.group @exp (%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
      %0 = fuse.add %a, %b : tensor<4x8xf32>
      %1 = fuse.exp %0 : tensor<4x8xf32>
      fuse.yield %1 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::fusec::fuse::FuseDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "Report why two neighbours were not fused">,
    Option<"maxOperations", "max-operations", "int64_t", "512", "Most operations in the bodies of a group's operations, each counted once">,
  ];
  let statistics = [Statistic<"numGroups", "num-groups", "Groups formed">];
}

def Split : Pass<"fuse-split", "::mlir::ModuleOp"> {
  let summary = "Cut groups that would run worse as one kernel";
  let description = [{
    Contract: groups in, groups out, by the same list. A group is cut where
    - its band has fewer than `min-parallel` points although its reductions run
      over many elements: what follows the reduction would run on few cores;
    - it costs more than a kernel may, once what is cheap is computed where it is
      needed: `max-operations` in the bodies of its statements (what is computed
      again counts again, a transcendental function as 8) or
      `max-statements`, which isl has to schedule;
    - it has more than `max-operands` operands and results;
    - its attribute `fuse.rows_apart` says why what reduces rows of its contraction
      shall be apart.

    A chain of hundreds of cheap operations is one statement, and one group.

    ```mlir
    // @sum_and_scale reduces a million elements to one and scales them by it: it
    // becomes @sum and @scale.
    ```
  }];
  let dependentDialects = ["::fusec::fuse::FuseDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "Report which groups were kept whole, and where others were cut">,
    Option<"minParallel", "min-parallel", "int64_t", "-1", "Points of the band below which long reductions stand alone; -1: the target's cores">,
    Option<"maxOperations", "max-operations", "int64_t", "512", "Most operations in the bodies of a group's statements">,
    Option<"maxStatements", "max-statements", "int64_t", "64", "Most statements of a group">,
    Option<"apart", "apart", "bool", "false", "Make each operation a group (but for accesses and constants)">,
    Option<"maxOperands", "max-operands", "int64_t", "32", "Most operands and results of a group">,
  ];
  let statistics = [Statistic<"numSplit", "num-split", "Groups cut">];
}

#endif // FUSEC_PASSES_FUSION_PASSES
