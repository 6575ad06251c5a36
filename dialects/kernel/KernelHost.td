// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_KERNEL_HOST
#define FUSEC_KERNEL_HOST

include "dialects/kernel/KernelBase.td"

def Kernel_WeightOp : Kernel_Op<"weight", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A weight of the model in memory";
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}

def Kernel_BufferOp : Kernel_Op<"buffer", [MemoryEffects<[MemAlloc]>, Kernel_NamedResults]> {
  let summary = "A temporary of the host program; `offset` is its place in the arena of its memory, in bytes";
  let arguments = (ins OptionalAttr<Kernel_I64Attr>:$offset);
  let results = (outs AnyMemRef:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_ViewOp : Kernel_Op<"view", [Pure]> {
  let summary = "The same contiguous memory under another shape, or a part of it";
  let description = [{
    With an `index` (of a kernel.repeat) the view begins `start + index * stride`
    elements into its source: a whole number of views, so that it is aligned as rows of
    its elements are.
    ```mlir
    %0 = kernel.view %x : memref<5x4xf32> -> memref<20xf32>
    %1 = kernel.view %x at %i * 4 : memref<5x4xf32> -> memref<4xf32>
    %2 = kernel.view %x at 16 + %i * -4 : memref<5x4xf32> -> memref<4xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Optional<Index>:$index,
    DefaultValuedAttr<Kernel_I64Attr, "0">:$start, DefaultValuedAttr<Kernel_I64Attr, "0">:$stride);
  let results = (outs AnyMemRef:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source),
    [{ build($_builder, $_state, result, source, ::mlir::Value()); }]>];
}

def Kernel_LaunchOp : Kernel_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs the kernel of a fusion group";
  let description = [{
    `kernel` is the sched.scop or default kernel.func of the group. Operands are
    its inputs, outputs, then workspace buffers.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyMemRef>:$operands);
  let assemblyFormat = "$kernel `(` $operands `)` attr-dict `:` type($operands)";
}

def Kernel_CallOp : Kernel_Op<"call", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a routine of the library";
  let description = [{
    `callee` and `parameters` are those of the fuse.call that it was. The routine
    writes its results into `outputs`. `workspace` is scratch memory for as many
    bytes as the registry (dialects/library) says, absent if that is 0. An operator
    that a fuse.op declares is called likewise.

    In a kernel of a GPU it is the part that one `block` of threads does, by the
    routine's form for devices; all threads of the block come to it.
    ```mlir
    kernel.call @top_k(%x) outs(%v, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
        : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    kernel.for %b = 0 to 4 map(block) {
      kernel.call @top_k(%x) block %b outs(%v, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
          : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$callee, DictionaryAttr:$parameters, Variadic<AnyMemRef>:$inputs,
    Variadic<AnyMemRef>:$outputs, Optional<AnyMemRef>:$workspace, Optional<Index>:$block);
  let assemblyFormat = [{$callee `(` $inputs `)` (`block` $block^)? `outs` `(` $outputs `)`
    (`workspace` `(` $workspace^ `:` type($workspace) `)`)? $parameters attr-dict-with-keyword
    `:` functional-type($inputs, $outputs)}];
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$callee, "::mlir::DictionaryAttr":$parameters,
      "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outputs, "::mlir::Value":$workspace),
    [{ build($_builder, $_state, callee, parameters, inputs, outputs, workspace, ::mlir::Value()); }]>];
  let hasVerifier = 1;
}

def Kernel_CopyOp : Kernel_Op<"copy"> {
  let summary = "Copies one contiguous buffer to another of the same type";
  let description = [{
    One of the two may lie in host memory where kernels run on a GPU; what is copied
    there is there when the operation has run.
    ```mlir
    kernel.copy %x, %y : memref<4xf32>
    kernel.copy %x, %0 : memref<4xf32>, memref<4xf32, #kernel.space<host>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Arg<AnyMemRef, "", [MemWrite]>:$target);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_FillOp : Kernel_Op<"fill"> {
  let summary = "Writes one value to every element of a contiguous buffer";
  let description = [{
    ```mlir
    kernel.fill %y with 0.000000e+00 : f32 : memref<2x16xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$target, TypedAttrInterface:$value);
  let assemblyFormat = "$target `with` $value attr-dict `:` type($target)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The value's bits, as they lie in memory.
    ::llvm::APInt getBits();
  }];
}

#endif // FUSEC_KERNEL_HOST
