// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_KERNEL_THREADS
#define FUSEC_KERNEL_THREADS

include "dialects/kernel/KernelValues.td"

def Kernel_ScopeAttr : EnumAttr<Kernel_Dialect, Kernel_Scope, "scope">;

def Kernel_BarrierOp : Kernel_Op<"barrier"> {
  let summary = "Waits for all threads of the block, or of the warp";
  let description = [{
    What each of them stored before, all of them see afterwards. All come to the
    same barriers: it stands in no loop that is mapped to threads, and that of a
    block in none that is mapped to warps.
    ```mlir
    kernel.barrier block
    ```
  }];
  let arguments = (ins Kernel_ScopeAttr:$scope);
  let assemblyFormat = "$scope attr-dict";
  let hasVerifier = 1;
}

def Kernel_CombineOp : Kernel_Op<"combine", [SameOperandsAndResultType, Kernel_NamedResults]> {
  let summary = "The values of all threads combined to one, which all of them get";
  let description = [{
    Those of a block, of a warp in a loop that is mapped to warps, or of a column in one
    that is mapped to columns, in an order that depends on their number only. As with a
    barrier, all of them come to it, for a column all of the block.
    `add mul max min` on numbers (max and min of floats propagate NaN), `and or` on
    truth values.
    ```mlir
    %sum = kernel.combine add %part : f32
    ```
  }];
  let arguments = (ins Kernel_CombinerAttr:$combiner, ComputeType:$value);
  let results = (outs ComputeType:$result);
  let assemblyFormat = "$combiner $value attr-dict `:` type($value)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Who comes to it.
    Scope getScope();
  }];
}

def Kernel_LastBlockOp : Kernel_Op<"last_block", [SingleBlock, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "What the last block does that comes here";
  let description = [{
    All threads of `blocks` blocks come here, once each; those of the block that comes
    last run the body, and see what the first thread of each of the others stored
    before, and what it knew of: where other threads stored something, a kernel.barrier
    of the block stands before. The ticket, which
    nothing else accesses, is an element of a kernel.workspace among its
    `zeroed_bytes`: 0 before the first block comes, and again after the last.
    ```mlir
    kernel.last_block of 512 %tickets[%i] : memref<8xi32> { ... }
    ```
  }];
  let arguments = (ins Kernel_I64Attr:$blocks, AnyMemRef:$tickets, Variadic<Index>:$indices);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`of` $blocks $tickets `[` $indices `]` attr-dict `:` type($tickets) $body";
  let hasVerifier = 1;
}

#endif // FUSEC_KERNEL_THREADS
