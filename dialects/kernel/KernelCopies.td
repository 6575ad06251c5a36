// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_KERNEL_COPIES
#define FUSEC_KERNEL_COPIES

include "dialects/kernel/KernelValues.td"

def Kernel_CopyAsyncOp : Kernel_Op<"copy_async", [AttrSizedOperandSegments]> {
  let summary = "Elements from memory to shared memory, while the thread goes on";
  let description = [{
    Of a GPU whose row has `copyBytes`. `elements` side by side, of 1, 2, 4 or 8 bytes each
    and together 4 bytes up to that many, as they lie: both arrays have one element type.
    Of several, the first one's last subscript is a multiple of their number in
    both arrays, as are the extents of their last dimensions. Where `mask` does not hold,
    nothing is read, and zeros arrive. They have arrived when the thread has waited
    (kernel.wait_copies) for the group that they are of (kernel.commit_copies); other
    threads see them behind a barrier after that.
    ```mlir
    kernel.copy_async %x[%i, %j * 4] to %tile[%s, %j * 4] elements = 4 mask %m
      : memref<8x32xf32>, memref<2x32xf32, #kernel.space<shared>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$from, Variadic<Index>:$indices,
    Arg<AnyMemRef, "", [MemWrite]>:$to, Variadic<Index>:$to_indices, Optional<I1>:$mask,
    AffineMapAttr:$map, AffineMapAttr:$to_map, DefaultValuedAttr<Kernel_I64Attr, "1">:$elements);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$from, "::mlir::AffineMap":$map,
    "::mlir::ValueRange":$indices, "::mlir::Value":$to, "::mlir::AffineMap":$toMap,
    "::mlir::ValueRange":$toIndices, "::mlir::Value":$mask, "int64_t":$elements)>];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getFromType() { return ::llvm::cast<::mlir::MemRefType>(getFrom().getType()); }
    ::mlir::MemRefType getToType() { return ::llvm::cast<::mlir::MemRefType>(getTo().getType()); }
  }];
}

def Kernel_CommitCopiesOp : Kernel_Op<"commit_copies"> {
  let summary = "Makes a group of the copies that the thread has begun since the last one";
  let description = [{
    A group may be empty. All threads of a block come to it.
    ```mlir
    kernel.commit_copies
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Kernel_WaitCopiesOp : Kernel_Op<"wait_copies"> {
  let summary = "Waits until at most so many groups of copies have not arrived";
  let description = [{
    Of the thread's own groups, the last ones: what it copied before has arrived. All
    threads of a block come to it.
    ```mlir
    kernel.wait_copies most = 1
    ```
  }];
  let arguments = (ins Kernel_I64Attr:$most);
  let assemblyFormat = "`most` `=` $most attr-dict";
  let hasVerifier = 1;
}

#endif // FUSEC_KERNEL_COPIES
