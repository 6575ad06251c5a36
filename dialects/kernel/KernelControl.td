// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow of the host program.
#ifndef FUSEC_KERNEL_CONTROL
#define FUSEC_KERNEL_CONTROL

include "dialects/kernel/KernelBase.td"

def Kernel_RepeatOp : Kernel_Op<"repeat", [SingleBlock, AttrSizedOperandSegments,
    SingleBlockImplicitTerminator<"EndOp">, Kernel_NamedArguments]> {
  let summary = "A loop of the host program";
  let description = [{
    Runs its body for iteration 0, 1, ... as long as the iteration is below
    `trips` and below what `count` holds (an i64), and `while` (a boolean) holds
    true, which the body may write; each may be absent, not all of them.

    `swaps` are pairs of buffers of one type: the body reads the first as its
    argument, writes the second, and the two change places after each iteration.
    The results are the buffers that are first at the end.
    ```mlir
    %last = kernel.repeat trips = 5 swaps(%a, %b)
        : (memref<4xf32>, memref<4xf32>) -> memref<4xf32> {
    ^bb0(%i: index, %now: memref<4xf32>, %next: memref<4xf32>):
      %row = kernel.view %x at %i * 4 : memref<5x4xf32> -> memref<4xf32>
      kernel.launch @step(%row, %now, %next) : memref<4xf32>, memref<4xf32>, memref<4xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<Kernel_I64Attr>:$trips, Optional<AnyMemRef>:$count,
    Optional<AnyMemRef>:$condition, Variadic<AnyMemRef>:$swaps);
  let results = (outs Variadic<AnyMemRef>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{(`trips` `=` $trips^)? (`count` `(` $count^ `)`)? (`while` `(` $condition^ `)`)?
    (`swaps` `(` $swaps^ `)`)? attr-dict-with-keyword `:` functional-type(operands, results) $body}];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getIndex() { return getBody().getArgument(0); }
    ::mlir::BlockArgument getNow(unsigned pair) { return getBody().getArgument(1 + 2 * pair); }
    ::mlir::BlockArgument getNext(unsigned pair) { return getBody().getArgument(2 + 2 * pair); }
  }];
}

def Kernel_BranchOp : Kernel_Op<"branch", [NoRegionArguments, SingleBlock,
    SingleBlockImplicitTerminator<"EndOp">]> {
  let summary = "Runs one of two bodies, as a boolean in memory says";
  let arguments = (ins AnyMemRef:$condition);
  let regions = (region SizedRegion<1>:$then_body, SizedRegion<1>:$else_body);
  let assemblyFormat = "$condition attr-dict-with-keyword `:` type($condition) $then_body `else` $else_body";
  let hasVerifier = 1;
}

def Kernel_ChoiceOp : Kernel_Op<"choice", [NoRegionArguments, SingleBlock,
    SingleBlockImplicitTerminator<"EndOp">]> {
  let summary = "Lists of launches that compute the same, one of which is taken";
  let description = [{
    What a `fuse.choice` becomes. The alternatives, named by `algorithms`, write
    the same memory. `--model-apply-choices` leaves one, in place, or several
    of them, of which whoever runs the program takes one: the first, unless told,
    or unless `selected` says which one for its instruction set and threads. One is
    reproducible if all that it calls and launches is.
    ```mlir
    kernel.choice @sum ["direct", "split_reduce"] {
      kernel.launch @sum_direct(%x, %y) : memref<8000xf32>, memref<f32>
    }, {
      %0 = kernel.buffer : memref<8xf32>
      kernel.launch @sum_split_reduce(%x, %0) : memref<8000xf32>, memref<8xf32>
      kernel.launch @sum_split_reduce_2(%0, %y) : memref<8xf32>, memref<f32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$algorithms);
  let regions = (region VariadicRegion<SizedRegion<1>>:$alternatives);
  let assemblyFormat = "$sym_name $algorithms attr-dict-with-keyword $alternatives";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether all kernels that an alternative launches are (kernel.func).
    bool isReproducible(unsigned alternative);
  }];
}

def Kernel_EndOp : Kernel_Op<"end", [Pure, Terminator, ParentOneOf<["RepeatOp", "BranchOp", "ChoiceOp"]>]> {
  let summary = "The end of a body of the host program's control flow";
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

def Kernel_SetIndexOp : Kernel_Op<"set_index"> {
  let summary = "Writes the iteration of a kernel.repeat to memory";
  let arguments = (ins Index:$index, Arg<AnyMemRef, "", [MemWrite]>:$target);
  let assemblyFormat = "$index `,` $target attr-dict `:` type($target)";
  let hasVerifier = 1;
}

#endif // FUSEC_KERNEL_CONTROL
