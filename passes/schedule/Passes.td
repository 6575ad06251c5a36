// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_SCHEDULE_PASSES
#define FUSEC_PASSES_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def ConvertFuseToSched : Pass<"convert-fuse-to-sched", "::mlir::ModuleOp"> {
  let summary = "Turn fusion groups into static control programs, and the network into a host program";
  let description = [{
    Contract: takes what `passes/fusion/README.md` promises. Afterwards every
    `fuse.group` is a `sched.scop` of the same name, in program order right to
    execute, and every function with tensors is a host program over memrefs: its
    results are trailing arguments (their number is the attribute
    `fuse.outputs`), values between groups are `kernel.buffer`s, weights
    `kernel.weight`s, reshapes `kernel.view`s, loops, conditions and choices
    `kernel.repeat`s, `kernel.branch`es and `kernel.choice`s. A group writes its result into the
    output where it can; a result that is an argument, a weight or returned twice
    is copied, with a remark. Only `fuse.weight` is left of the fuse dialect.

    Each operation on f16 or bf16 rounds its result to the type, as it would if it
    were stored, and a reduction its sum; with `precision=relaxed` only what is
    stored and what a `fuse.cast` makes of a wider type is rounded. In statements
    a rounding is an `arith.truncf` that an `arith.extf` follows.

    Of `arith.mulf` on f32 or f64 and a sum behind it in one kernel compilers make one
    operation that rounds once. Of operations that --fuse-mark-precise marked, a product
    that such a sum may read, and be it from an array of the scop or in a function, is
    a `kernel.mul_rounded`, which they do not; the terms of a reduction's sum and
    products by powers of two stay `arith.mulf`.

    With `ordered`, scops that reduce to floats are `ordered`: sums add their terms in the
    order of the model, whatever that takes. With `batch-invariant` they are, too, and all
    products, and functions that may end in one, round by themselves. A `fuse.reduce` of
    floats whose last reduced dimension has 32 elements or more first adds up 16 parts
    (`<name>_parts`), the terms u, u + 16, ... of that dimension each, which lanes have,
    and then these. So each value has the same bits whatever the extents of dimensions
    that no sum runs over are, and whichever statements make a kernel. Without `packed`, no input is among the
    `weights` of a scop, and so weights stay as they are.

    How statements are formed is in `passes/schedule/README.md`.

    ```mlir
    func.func @main(%x: tensor<128x64xf32>) -> tensor<128x64xf32> {
      %y = fuse.group @scale (%x) : (tensor<128x64xf32>) -> tensor<128x64xf32> {
      ^bb0(%a: tensor<128x64xf32>):
        %0 = fuse.exp %a : tensor<128x64xf32>
        fuse.yield %0 : tensor<128x64xf32>
      }
      return %y : tensor<128x64xf32>
    }
    // becomes
    sched.scop @scale ins(%x: memref<128x64xf32>) outs(%exp: memref<128x64xf32>) {
      sched.stmt @exp [i: 128, j: 64] reads %x[i, j] writes %exp[i, j] {
      ^bb0(%0: f32):
        %1 = math.exp %0 : f32
        sched.yield %1 : f32
      }
    }
    func.func @main(%x: memref<128x64xf32>, %y: memref<128x64xf32>) attributes {fuse.outputs = 1 : i64} {
      kernel.launch @scale(%x, %y) : memref<128x64xf32>, memref<128x64xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect", "::fusec::sched::SchedDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let options = [
    Option<"precision", "precision", "std::string", "\"auto\"", "auto, strict: operations on f16 and bf16 round; relaxed: only casts and stores do">,
    Option<"ordered", "ordered", "bool", "false", "Sums of floats keep the order of their terms">,
    Option<"batchInvariant", "batch-invariant", "bool", "false", "What is computed does not depend on what else its kernel computes, nor on how much">,
    Option<"packed", "packed", "bool", "true", "Weights may be stored in the order in which kernels load them">,
    Option<"remarks", "remarks", "bool", "false", "Report what was copied, with the reason">,
  ];
  let statistics = [
    Statistic<"numScops", "num-scops", "Groups converted">,
    Statistic<"numStatements", "num-statements", "Statements formed">];
}

def CoalesceDims : Pass<"sched-coalesce-dims", "::mlir::ModuleOp"> {
  let summary = "Merge iterators that every access walks as one, drop those of extent 1";
  let description = [{
    Contract: statements compute the same values in the same order. Two adjacent
    iterators (both parallel or both reduced) become one if each access of the
    statement either uses neither, or uses them as two adjacent subscripts
    (the outer one possibly with an offset) and takes the inner one's whole extent;
    the arrays lose a dimension then, which all statements of the scop have to
    agree on. Parallel iterators that all statements begin with merge in all of them
    or in none: those are loops that they can share. Iterators and array dimensions of
    extent 1 disappear. Inputs and outputs change their type: launches pass
    `kernel.view`s. A schedule and a configuration of the scop are dropped.

    A pair that stays apart is a remark with the access that needs it so.

    ```mlir
    sched.stmt @add [i: 8, j: 128, k: 768] reads %x[i, j, k], %b[k] writes %y[i, j, k]
    // becomes
    sched.stmt @add [i: 1024, j: 768] reads %x[i, j], %b[j] writes %y[i, j]
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect", "::fusec::sched::SchedDialect",
    "::mlir::arith::ArithDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report what stayed apart, with the reason">];
  let statistics = [
    Statistic<"numMerged", "num-merged", "Pairs of iterators merged">,
    Statistic<"numDropped", "num-dropped", "Iterators of extent 1 dropped">];
}

def SkipMasked : Pass<"sched-skip-masked", "::mlir::ModuleOp"> {
  let summary = "Say which instances a mask makes unnecessary";
  let description = [{
    Contract: of statements in which a comparison of iterators hides values, as the mask
    of a causal attention or of a sliding window does, `needed` says where they have to
    run. A reduction need not run where it adds zero, or takes the maximum with minus
    infinity, or with -1e30 or less where a row has greater terms; what only such
    instances read need not be computed. Results are the same where products, and sums of
    them, are finite numbers up to 1e29; where a score or value that is left out is none,
    they are not: 0 times an infinity is not added. Of an input of the model, or a weight
    with other numbers, that is read without being multiplied with data, nothing is taken
    to be so: it may be a mask, too, or the maximum of a row that a mask hides as a whole.
    What kernels make of such inputs, and of constants of masks, is followed through the
    host program (`NumberSources`). Nothing is said of scops for a GPU, whose threads share
    loops of constant bounds.

    A reduction whose comparisons hide what changes its result is a remark.

    ```mlir
    sched.stmt @max [i: 64, j: 64] reduces [j] reads %m[i], %s[i, j] writes %m[i] {
    ^bb0(%0: f32, %1: f32):
      %i = sched.index 0 : index
      %j = sched.index 1 : index
      %2 = arith.cmpi sle, %j, %i : index
      %lowest = arith.constant 0xFF800000 : f32
      %3 = arith.select %2, %1, %lowest : f32
      %4 = arith.maximumf %0, %3 : f32
      sched.yield %4 : f32
    }
    // becomes
    sched.stmt @max [i: 64, j: 64] reduces [j] needed [i - j] reads ...
    ```
  }];
  let statistics = [
    Statistic<"numStatements", "num-statements", "Statements that need not run everywhere">];
}

#endif // FUSEC_PASSES_SCHEDULE_PASSES
