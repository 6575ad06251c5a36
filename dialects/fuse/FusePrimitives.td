// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primitives that move, contract or reduce. All implement PrimitiveOpInterface
// except reshape, whose index map linearises (passes treat it apart).
#ifndef FUSEC_FUSE_PRIMITIVES
#define FUSEC_FUSE_PRIMITIVES

include "dialects/fuse/FuseBase.td"
include "dialects/fuse/FuseInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Fuse_Primitive<string mnemonic, list<string> methods, list<Trait> traits = []>
    : Fuse_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<PrimitiveOpInterface, !listconcat(["buildBody"], methods)>], traits)> {
  let hasVerifier = 1;
}
class Fuse_Access<string mnemonic, list<string> methods = ["getOperandMap"]>
    : Fuse_Primitive<mnemonic, methods, [Fuse_TakesCodes, Fuse_MovesElements]> {
  let results = (outs Fuse_Tensor:$result);
}

def Fuse_BroadcastOp : Fuse_Access<"broadcast"> {
  let summary = "Repeat a tensor along new or unit dimensions";
  let description = [{
    Operand dimension `i` becomes result dimension `dims[i]` (increasing); its
    extent is the result's or 1.
    ```mlir
    %1 = fuse.broadcast %b dims = [1] : tensor<1024xf32> -> tensor<128x1024xf32>
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$operand `dims` `=` $dims attr-dict `:` type($operand) `->` type($result)";
}

def Fuse_TransposeOp : Fuse_Access<"transpose"> {
  let summary = "Result dimension i is operand dimension perm[i]";
  let description = [{
    A `stored` one is a copy, which lies in memory for those that read it: no group
    computes the transpose of an argument and reads the result. A `turned` one gives
    an order back to what was computed in another one, which lies in memory as it was
    computed: no contraction that picks rows stores the transpose.
  }];
  let arguments = (ins Fuse_Tensor:$operand, DenseI64ArrayAttr:$perm, UnitAttr:$stored,
    UnitAttr:$turned);
  let assemblyFormat = "$operand `perm` `=` $perm attr-dict `:` type($operand) `->` type($result)";
}

def Fuse_SliceOp : Fuse_Access<"slice"> {
  let summary = "result[i] = operand[offsets + i * strides]; strides may be negative";
  let arguments = (ins Fuse_Tensor:$operand, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$strides);
  let assemblyFormat = "$operand `offsets` `=` $offsets `strides` `=` $strides attr-dict `:` type($operand) `->` type($result)";
}

def Fuse_PadOp : Fuse_Access<"pad", ["getOperandMap", "getPadding"]> {
  let summary = "Surround a tensor with a fill value";
  let description = [{ `low` and `high` are not negative (use a slice to crop). }];
  let arguments = (ins Fuse_Tensor:$operand, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, TypedAttrInterface:$fill);
  let assemblyFormat = "$operand `low` `=` $low `high` `=` $high `fill` `=` $fill attr-dict `:` type($operand) `->` type($result)";
}

def Fuse_WindowOp : Fuse_Access<"window", ["getOperandMap", "getPadding"]> {
  let summary = "The sliding windows over the trailing dimensions, as an access";
  let description = [{
    With `k = sizes.size()` windowed dimensions, an operand `[outer..., in_1..in_k]`
    becomes `[outer..., out_1..out_k, sizes_1..sizes_k]` where

        result[..., o, w] = operand[..., o * strides + w * dilations - pad_low]

    or `fill` outside the operand. Convolution is a contraction over it, pooling
    a reduction over it; it is never materialised.
  }];
  let arguments = (ins Fuse_Tensor:$operand, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pad_low, TypedAttrInterface:$fill);
  let assemblyFormat = [{$operand `sizes` `=` $sizes `strides` `=` $strides `dilations` `=` $dilations
    `pad_low` `=` $pad_low `fill` `=` $fill attr-dict `:` type($operand) `->` type($result)}];
}

def Fuse_ConcatOp : Fuse_Access<"concat", ["getOperandMap", "getPadding", "getPlacement"]> {
  let summary = "Operands one after the other along `axis`";
  let description = [{
    Operand `j` is read at `p - offset_j` along the axis, with a fill outside;
    the body selects by index. A concat therefore fuses like any access.
  }];
  let arguments = (ins Variadic<Fuse_Tensor>:$operands, I64Attr:$axis);
  let assemblyFormat = "$operands `axis` `=` $axis attr-dict `:` type($operands) `->` type($result)";
  let extraClassDeclaration = [{
    /// Where operand `operand` begins along the axis.
    int64_t getOffset(unsigned operand);
  }];
}

def Fuse_GatherOp : Fuse_Access<"gather", ["getOperandMap", "getIndirect"]> {
  let summary = "Elements at positions that index tensors hold";
  let description = [{
    For every point p of the result, `result[p] = operand[m(p; s_0, s_1, ...)]`
    with `s_k = indices_k[m_k(p)]`. `maps` are m, whose symbols are the s, then
    m_0, m_1, ...; their dims are those of the result.
    ```mlir
    // y[i, j] = x[i, n[i, j]]
    %0 = fuse.gather %x, %n maps = [affine_map<(d0, d1)[s0] -> (d0, s0)>,
      affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
    ```
    Where one tensor takes the place of one dimension, `axis` says so in short:
    `result[outer..., j..., inner...] = operand[outer..., indices[j...], inner...]`.
    ```mlir
    %1 = fuse.gather %x, %n axis = 0 : tensor<30x64xf32>, tensor<4xi64> -> tensor<4x64xf32>
    ```
    What is read lies inside the operand: composites that allow negative indices
    wrap and clamp them before. The verifier checks subscripts without symbols.
  }];
  let arguments = (ins Fuse_Tensor:$operand, Variadic<Fuse_Tensor>:$indices, AffineMapArrayAttr:$maps);
  let hasCustomAssemblyFormat = 1;
  let builders = [OpBuilder<(ins "::mlir::RankedTensorType":$result, "::mlir::Value":$operand,
    "::mlir::Value":$indices, "uint64_t":$axis)>];
  let extraClassDeclaration = [{
    /// The dimension whose place the one index tensor takes, if that is all.
    ::std::optional<int64_t> getAxis();
  }];
}

def Fuse_IotaOp : Fuse_Access<"iota", []> {
  let summary = "The index along `axis`, converted to the element type";
  let arguments = (ins I64Attr:$axis);
  let assemblyFormat = "`axis` `=` $axis attr-dict `:` type($result)";
}

def Fuse_ReshapeOp : Fuse_Op<"reshape", [Pure, Fuse_TakesCodes]> {
  let summary = "The same elements in row-major order under another shape";
  let arguments = (ins Fuse_Tensor:$operand);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Fuse_ContractOp : Fuse_Primitive<"contract",
    ["getIterationExtents", "getIterators", "getOperandMap", "getResultMap", "getInit"]> {
  let summary = "Sum of products over the iterators that the result lacks";
  let description = [{
    `maps` are those of lhs, rhs and result: projected permutations, parallel
    iterators first. Accumulates in the result's compute type.
    ```mlir
    %0 = fuse.contract %x, %w maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      : tensor<128x512xf32>, tensor<512x1024xf32> -> tensor<128x1024xf32>
    ```
  }];
  let arguments = (ins Fuse_Tensor:$lhs, Fuse_Tensor:$rhs, AffineMapArrayAttr:$maps);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `maps` `=` $maps attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def Fuse_ReduceOp : Fuse_Primitive<"reduce",
    ["getIterationExtents", "getIterators", "getOperandMap", "getResultMap", "getInit"],
    [SingleBlock]> {
  let summary = "Reduction of one or several tensors with a combiner region";
  let description = [{
    All inputs have one shape; `dims` (increasing) are reduced and dropped.
    Accumulator `r` starts at `inits[r]`; the combiner takes one argument per
    accumulator, then one per input (compute types), and yields the new
    accumulators. It must be associative and commutative: the order is free.
    The number of accumulators may differ from the number of inputs.
    ```mlir
    %s = fuse.reduce (%x) inits = [0.0 : f32] dims = [1]
        : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %e: f32):
      %0 = arith.addf %acc, %e : f32
      fuse.yield %0 : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Fuse_Tensor>:$inputs, ArrayAttr:$inits, DenseI64ArrayAttr:$dims);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{`(` $inputs `)` `inits` `=` $inits `dims` `=` $dims attr-dict-with-keyword
    `:` functional-type($inputs, $results) $combiner}];
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "::llvm::ArrayRef<::mlir::TypedAttr>":$inits,
      "::llvm::ArrayRef<int64_t>":$dims,
      "::llvm::function_ref<::llvm::SmallVector<::mlir::Value>(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange, ::mlir::ValueRange)>":$combiner)>];
}

#endif // FUSEC_FUSE_PRIMITIVES
