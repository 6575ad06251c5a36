// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_KERNEL_FUNC
#define FUSEC_KERNEL_FUNC

include "dialects/kernel/KernelBase.td"

def Kernel_FuncOp : Kernel_Op<"func", [FunctionOpInterface, IsolatedFromAbove, Kernel_NamedArguments]> {
  let summary = "A kernel";
  let description = [{
    Arguments are memrefs: the group's inputs, its outputs, then workspace
    arrays. `group` names the fusion group and `variant` which of its variants
    this is ("default", "naive"); one with `isa` serves that instruction set, of
    those that the module's target tiles for, and no other one. Values that loads produce and stores take are
    in the compute type of the memref's element type, or 16-lane vectors of it.
    What is used next of inputs and outputs with the unit attribute `kernel.prefetch` is to
    be fetched while the iterations before compute: --kernel-prefetch-rows does.
    Whole vectors side by side are stored past the caches to outputs with `kernel.stream`.
    Outputs with `kernel.zeroed` hold zeros when the kernel begins, and it only adds to them
    (kernel.atomic): --model-insert-fills fills them.

    Under the row of a GPU, `threads` says how many a block has. Its loops are mapped to
    blocks (the outermost, which are the grid), to the warps of a block, and to threads: of
    a block, or in a loop of warps of a warp. What stands in no loop of threads all of them
    do; so it writes arrays of a thread's own only (`#kernel.space<thread>`). A loop of one
    iteration that is mapped to threads is what one of them does. With `narrow_indices`, its
    indices have 32 bits, and all that it computes with them fits: --kernel-narrow-indices
    proves that.
    ```mlir
    kernel.func @mlp_0(%x: memref<128x512xf32>, %y: memref<128xf32>)
        attributes {group = "mlp_0", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} { ... }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs, StrAttr:$group, StrAttr:$variant,
    OptionalAttr<StrAttr>:$isa, Kernel_I64Attr:$num_inputs, Kernel_I64Attr:$num_outputs,
    OptionalAttr<Kernel_I64Attr>:$threads, OptionalAttr<UnitAttr>:$narrow_indices);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The arguments that the kernel reads, and those that it writes.
    ::llvm::ArrayRef<::mlir::BlockArgument> getInputs() { return getBody().getArguments().take_front(getNumInputs()); }
    /// Whether it gives the same bits however many threads run, in whichever order, and
    /// multiplies numbers as they are: what numerics=reproducible asks for.
    bool isReproducible();
    ::llvm::ArrayRef<::mlir::BlockArgument> getOutputs() { return getBody().getArguments().slice(getNumInputs(), getNumOutputs()); }
  }];
}

def Kernel_ReturnOp : Kernel_Op<"return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "The end of a kernel";
  let assemblyFormat = "attr-dict";
}

#endif // FUSEC_KERNEL_FUNC
