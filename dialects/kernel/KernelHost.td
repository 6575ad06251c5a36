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
  let summary = "A temporary of the host program; `offset` is its place in the arena, in bytes";
  let arguments = (ins OptionalAttr<Kernel_I64Attr>:$offset);
  let results = (outs AnyMemRef:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_ViewOp : Kernel_Op<"view", [Pure]> {
  let summary = "The same contiguous memory under another shape";
  let arguments = (ins AnyMemRef:$source);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
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

def Kernel_CopyOp : Kernel_Op<"copy", [SameTypeOperands]> {
  let summary = "Copies one contiguous buffer to another of the same type";
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Arg<AnyMemRef, "", [MemWrite]>:$target);
  let assemblyFormat = "$source `,` $target attr-dict `:` type($source)";
}

#endif // FUSEC_KERNEL_HOST
