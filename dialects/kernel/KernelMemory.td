// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_KERNEL_MEMORY
#define FUSEC_KERNEL_MEMORY

include "dialects/kernel/KernelValues.td"

// Without one, memory is the module's target's.
def Kernel_SpaceAttr : EnumAttr<Kernel_Dialect, Kernel_Space, "space"> {
  let assemblyFormat = "`<` $value `>`";
}

def Kernel_LocalOp : Kernel_Op<"local", [MemoryEffects<[MemAlloc]>, Kernel_NamedResults]> {
  let summary = "A small array of the enclosing block: registers or stack";
  let description = [{
    Lives until its block ends; its contents are undefined until stored.
    Elements are in their compute type, or vectors:
    `memref<8x2xvector<16xf32>>`.
  }];
  let results = (outs AnyMemRef:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_WorkspaceOp : Kernel_Op<"workspace", [Pure, Kernel_NamedResults, HasParent<"FuncOp">]> {
  let summary = "An array in the scratch memory that the caller hands to the kernel";
  let description = [{
    `offset` is its place in bytes, a multiple of 64; the kernel's `workspace_bytes` covers it. The last
    `zeroed_bytes` of these, where the kernel says so, are tickets (kernel.last_block): 0
    when the kernel begins, which leaves them so. They begin at a multiple of 64.
    ```mlir
    %t = kernel.workspace offset = 64 : memref<512x512xf32>
    ```
  }];
  let arguments = (ins Kernel_I64Attr:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "`offset` `=` $offset attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_LoadOp : Kernel_Op<"load", [AttrSizedOperandSegments, Kernel_NamedResults]> {
  let summary = "A scalar, or 16 lanes, from memory";
  let description = [{
    The subscripts are `map(indices)`. Lane l reads `l * stride` elements after
    lane 0 (linear, in the memref's row-major storage); stride 1 is contiguous.
    Lanes (or the scalar) outside of `mask` are not read and give `fill`, 0 if
    absent. From a memref of vectors, loads one vector.
    ```mlir
    %0 = kernel.load %x[%i, %k * 2 + 1] : memref<8x9xf16> -> f32
    %1 = kernel.load %w[%k, %j] mask %m fill 1.0 : f32 : memref<8x33xf32>, vector<16xi1> -> vector<16xf32>
    %2 = kernel.load %w[%k, %j] stride = 33 : memref<64x33xf32> -> vector<16xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memref, Variadic<Index>:$indices, Optional<Kernel_Mask>:$mask,
    AffineMapAttr:$map, DefaultValuedAttr<Kernel_I64Attr, "1">:$stride, OptionalAttr<TypedAttrInterface>:$fill);
  let results = (outs Kernel_Value:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$memref,
    "::mlir::AffineMap":$map, "::mlir::ValueRange":$indices, CArg<"::mlir::Value", "{}">:$mask,
    CArg<"int64_t", "1">:$stride, CArg<"::mlir::TypedAttr", "{}">:$fill)>];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getMemref().getType()); }
    bool isVector() { return ::llvm::isa<::mlir::VectorType>(getType()); }
  }];
}

def Kernel_StoreOp : Kernel_Op<"store", [AttrSizedOperandSegments]> {
  let summary = "A scalar, or 16 lanes, to memory";
  let description = [{
    The mirror image of `kernel.load`: lanes outside of `mask` are not written.
    ```mlir
    kernel.store %v, %y[%i, %j] mask %m : vector<16xf32>, memref<8x33xf32>, vector<16xi1>
    ```
  }];
  let arguments = (ins Kernel_Value:$value, Arg<AnyMemRef, "", [MemWrite]>:$memref, Variadic<Index>:$indices,
    Optional<Kernel_Mask>:$mask, AffineMapAttr:$map, DefaultValuedAttr<Kernel_I64Attr, "1">:$stride);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$memref,
    "::mlir::AffineMap":$map, "::mlir::ValueRange":$indices, CArg<"::mlir::Value", "{}">:$mask,
    CArg<"int64_t", "1">:$stride)>];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getMemref().getType()); }
    bool isVector() { return ::llvm::isa<::mlir::VectorType>(getValue().getType()); }
    /// Whether it goes past the caches: a whole vector, side by side, to an
    /// output that is streamed.
    bool isStreamed();
  }];
}

def Kernel_StoreTransposedOp : Kernel_Op<"store_transposed", [AttrSizedOperandSegments]> {
  let summary = "Rows of 16 lanes to memory, where each lane's elements lie side by side";
  let description = [{
    `rows` is a local array of vectors; its subscripts, `rows_map(rows_indices)`,
    are those before the last, so that they name a row of N vectors. Lane l of
    vector r goes `l * stride + r` elements after `map(indices)` (linear, in the
    memref's row-major storage). Lanes outside of `mask` are not written.
    ```mlir
    kernel.store_transposed %tile[%i floordiv 16], %y[%i, %j] stride = 784 mask %m
      : memref<2x14xvector<16xf32>>, memref<32x784xf32>, vector<16xi1>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$rows, Variadic<Index>:$rows_indices,
    Arg<AnyMemRef, "", [MemWrite]>:$memref, Variadic<Index>:$indices, Optional<Kernel_Mask>:$mask,
    AffineMapAttr:$rows_map, AffineMapAttr:$map, Kernel_I64Attr:$stride);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$rows, "::mlir::AffineMap":$rowsMap,
    "::mlir::ValueRange":$rowsIndices, "::mlir::Value":$memref, "::mlir::AffineMap":$map,
    "::mlir::ValueRange":$indices, "::mlir::Value":$mask, "int64_t":$stride)>];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getMemref().getType()); }
    ::mlir::MemRefType getRowsType() { return ::llvm::cast<::mlir::MemRefType>(getRows().getType()); }
  }];
}

def Kernel_AddProductsOp : Kernel_Op<"add_products", [AttrSizedOperandSegments]> {
  let summary = "Adds the product of two matrices of narrow numbers to an array of sums"
                ", in registers that hold matrices where there are such";
  let description = [{
    `sums` is a local array of vectors, of which `rows` rows of `columns` vectors
    from `sums_map(sums_indices)` on are added to; rows lie `width` vectors apart.
    `lhs` has `terms * steps` numbers for each row, side by side from
    `lhs_map(lhs_indices)` on, and rows lie `row` elements apart. `rhs` has, from
    `rhs_map(rhs_indices)` on, the terms of a step for 16 columns side by side; the
    next vector's lie `column` elements behind them and the next step's `step`.
    Numbers and sums are those of `kernel.dot`, but for the order of sums in f32:
    see `add_bf16_tiles` in runtime/include/fusec/kernel/tiles.h.
    ```mlir
    kernel.add_products %x[%i * 32, 0] row = 512, %w[%j, 0, 0, 0] column = 64 step = 128
      to %sums[0, 0] width = 2 rows = 32 columns = 2 steps = 128 terms = 4
      : memref<256x512xui8>, memref<12x128x32x4xi8>, memref<32x2xvector<16xi32>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$lhs, Variadic<Index>:$lhs_indices,
    Arg<AnyMemRef, "", [MemRead]>:$rhs, Variadic<Index>:$rhs_indices,
    Arg<AnyMemRef, "", [MemRead, MemWrite]>:$sums, Variadic<Index>:$sums_indices,
    AffineMapAttr:$lhs_map, AffineMapAttr:$rhs_map, AffineMapAttr:$sums_map,
    Kernel_I64Attr:$row, Kernel_I64Attr:$column, Kernel_I64Attr:$step, Kernel_I64Attr:$width,
    Kernel_I64Attr:$rows, Kernel_I64Attr:$columns, Kernel_I64Attr:$steps, Kernel_I64Attr:$terms);
  let assemblyFormat = [{
    $lhs `` custom<Subscripts>($lhs_indices, $lhs_map) `row` `=` $row `,`
    $rhs `` custom<Subscripts>($rhs_indices, $rhs_map) `column` `=` $column `step` `=` $step
    `to` $sums `` custom<Subscripts>($sums_indices, $sums_map) `width` `=` $width
    `rows` `=` $rows `columns` `=` $columns `steps` `=` $steps `terms` `=` $terms
    attr-dict `:` type($lhs) `,` type($rhs) `,` type($sums)
  }];
  let hasVerifier = 1;
}

def Kernel_AddMatricesOp : Kernel_Op<"add_matrices", [AttrSizedOperandSegments]> {
  let summary = "Adds the product of two matrices to sums of 32 bits that "
                "the threads of a warp have together";
  let description = [{
    Of a GPU whose row has a unit for matrices of the factors' type (`MatrixUnit` in
    dialects/Units.h): all threads of a warp come to it together. `sums` is a thread's own
    array: sum `[r, c]`, or `[c, r]` with `columns_first`, of the thread that is number
    `j * 4 + i` of its warp is that of row `r * 4 + i` and column `c * 8 + j`. A step adds
    16 products of f16 or bf16 to each, in f32, 32 of integers of 8 bits, in i32, or 8 of
    f32, which are rounded (`kMmaTf32x3Unit` says how). The factors are in shared memory,
    from `rows_map(rows_indices)` and `columns_map(columns_indices)` on, the same for all
    threads of a warp and at multiples of 16 bytes: the terms of a row lie side by side, and
    rows `row` elements apart; columns are `column` elements apart, and their terms `term`,
    one of which is 1. Both others are multiples of 16 bytes; of integers the terms lie
    side by side.
    ```mlir
    kernel.add_matrices %x[%t mod 2, %i_warp * 64, %k] row = 40,
      %w[%t mod 2, %k, %j_warp * 64] column = 1 term = 136 to %a
      : memref<2x128x40xf16, #shared>, memref<2x32x136xf16, #shared>, memref<16x8xf32, #own>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$rows, Variadic<Index>:$rows_indices,
    Arg<AnyMemRef, "", [MemRead]>:$columns, Variadic<Index>:$columns_indices,
    Arg<AnyMemRef, "", [MemRead, MemWrite]>:$sums,
    AffineMapAttr:$rows_map, AffineMapAttr:$columns_map,
    Kernel_I64Attr:$row, Kernel_I64Attr:$column, Kernel_I64Attr:$term, UnitAttr:$columns_first);
  let assemblyFormat = [{
    $rows `` custom<Subscripts>($rows_indices, $rows_map) `row` `=` $row `,`
    $columns `` custom<Subscripts>($columns_indices, $columns_map)
    `column` `=` $column `term` `=` $term `to` $sums
    (`columns_first` $columns_first^)? attr-dict `:` type($rows) `,` type($columns) `,` type($sums)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether it multiplies the factors as they are.
    bool isExact();
  }];
}

class Kernel_RowOp<string mnemonic, dag arguments_>
    : Kernel_Op<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = arguments_;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$memref, "::mlir::AffineMap":$map,
    "::mlir::ValueRange":$indices, "::mlir::Value":$row, CArg<"::mlir::Value", "{}">:$number),
    [{ build($_builder, $_state, memref, indices, row, number, ::mlir::AffineMapAttr::get(map)); }]>];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getMemref().getType()); }
    ::mlir::MemRefType getRowType() { return ::llvm::cast<::mlir::MemRefType>(getRow().getType()); }
  }];
}

def Kernel_LoadRowOp : Kernel_RowOp<"load_row", (ins Arg<AnyMemRef, "", [MemRead]>:$memref,
    Variadic<Index>:$indices, Arg<AnyMemRef, "", [MemWrite]>:$row,
    Optional<Index>:$number, AffineMapAttr:$map)> {
  let summary = "Elements side by side from memory to a thread's own array, in one access";
  let description = [{
    Of a GPU. `row` has their compute type. There are 2, 4, 8, ... of them, no more bytes
    than an access of the target has, and the first one's subscript is a multiple of
    their number, as is the extent of the last dimension: so they are one aligned word
    where the memory itself begins at one. The array may have several rows, of which
    `number` is the one.
    ```mlir
    kernel.load_row %x[%i, %j * 4] to %row : memref<8x32xf16>, memref<4xf32, #kernel.space<thread>>
    kernel.load_row %x[%i, %n * 128 + %j * 4] to %rows[%n] : memref<8x512xf16>, memref<4x4xf32, #kernel.space<thread>>
    ```
  }];
}

def Kernel_StoreRowOp : Kernel_RowOp<"store_row", (ins Arg<AnyMemRef, "", [MemWrite]>:$memref,
    Variadic<Index>:$indices, Arg<AnyMemRef, "", [MemRead]>:$row,
    Optional<Index>:$number, AffineMapAttr:$map)> {
  let summary = "The mirror image of kernel.load_row";
  let description = [{
    ```mlir
    kernel.store_row %y[%i, %j * 4] from %row : memref<8x32xf16>, memref<4xf32, #kernel.space<thread>>
    ```
  }];
}

def Kernel_AtomicOp : Kernel_Op<"atomic"> {
  let summary = "Combines a value with an element that other threads combine with meanwhile";
  let description = [{
    What the element holds in the end is all values combined in any order: of floats
    not the same bits in each run. Nothing else may access the element before all
    threads are done.
    ```mlir
    kernel.atomic add %v, %total[%i] : f32, memref<8xf32>
    ```
  }];
  let arguments = (ins Kernel_CombinerAttr:$combiner, ComputeType:$value,
    Arg<AnyMemRef, "", [MemRead, MemWrite]>:$memref, Variadic<Index>:$indices, AffineMapAttr:$map);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "Combiner":$combiner, "::mlir::Value":$value,
    "::mlir::Value":$memref, "::mlir::AffineMap":$map, "::mlir::ValueRange":$indices)>];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getMemref().getType()); }
    /// Whether the order of the threads makes no difference.
    bool isReproducible();
  }];
}

def Kernel_PrefetchOp : Kernel_Op<"prefetch"> {
  let summary = "Ask for the cache line of an element that is used soon";
  let description = [{
    A hint: it changes no value. `write` says that the line will be stored to.
    ```mlir
    kernel.prefetch %x[%i + 1, %j] : memref<8x33xf32>
    kernel.prefetch write %y[%i, %j] : memref<8x33xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$memref, Variadic<Index>:$indices, AffineMapAttr:$map, UnitAttr:$write);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$memref, "::mlir::AffineMap":$map,
    "::mlir::ValueRange":$indices, "bool":$write)>];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getMemref().getType()); }
  }];
}

def Kernel_GatherOp : Kernel_Op<"gather", [AttrSizedOperandSegments, Kernel_NamedResults]> {
  let summary = "Data-dependent read: the subscripts' symbols are run-time values";
  let description = [{
    `map` has the indices as dims and `dynamic` values (i32, i64 or 16 lanes of
    them) as symbols. 16 lanes of scalar subscripts are contiguous: lane l reads
    l elements further. Where `mask` is set the subscripts are in bounds; the
    others are not read and give `fill`, 0 if absent.
    ```mlir
    %0 = kernel.gather %table, affine_map<(d0)[s0] -> (s0, d0)>(%j)[%row] : memref<30x64xf32>, i64 -> f32
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memref, Variadic<Index>:$indices,
    Variadic<Kernel_ScalarOrLanesOf<[I32, I64]>>:$dynamic, Optional<Kernel_Mask>:$mask, AffineMapAttr:$map,
    OptionalAttr<TypedAttrInterface>:$fill);
  let results = (outs Kernel_Value:$result);
  let assemblyFormat = [{$memref `,` $map `(` $indices `)` `` `[` $dynamic `]` (`mask` $mask^ `:` type($mask))?
    (`fill` $fill^)? attr-dict `:` type($memref) `,` type($dynamic) `->` type($result)}];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getMemref().getType()); }
  }];
}

#endif // FUSEC_KERNEL_MEMORY
