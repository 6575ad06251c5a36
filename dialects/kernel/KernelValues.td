// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_KERNEL_VALUES
#define FUSEC_KERNEL_VALUES

include "dialects/Combiner.td"
include "dialects/kernel/KernelBase.td"

def Kernel_ApplyOp : Kernel_Op<"apply", [Pure, Kernel_NamedResults]> {
  let summary = "An affine expression of loop indices";
  let arguments = (ins AffineMapAttr:$map, Variadic<Index>:$operands);
  let results = (outs Index:$result);
  let assemblyFormat = "$map `(` $operands `)` attr-dict";
  let hasVerifier = 1;
}

def Kernel_MinOp : Kernel_Op<"min", [Pure, Kernel_NamedResults]> {
  let summary = "The smallest result of an affine map of loop indices, such as a tile's true extent";
  let description = [{
    ```mlir
    %n = kernel.min affine_map<(d0) -> (256, d0 * -256 + 1000)>(%t)
    ```
  }];
  let arguments = (ins AffineMapAttr:$map, Variadic<Index>:$operands);
  let results = (outs Index:$result);
  let assemblyFormat = "$map `(` $operands `)` attr-dict";
  let hasVerifier = 1;
}

def Kernel_InBoundsOp : Kernel_Op<"in_bounds", [Pure]> {
  let summary = "Whether a point lies in an integer set of loop indices";
  let description = [{
    With 16 lanes, lane l asks for the point whose dim `lane_dim` is l further.
    ```mlir
    %0 = kernel.in_bounds affine_set<(d0) : (d0 - 1 >= 0)>(%i) : i1
    %1 = kernel.in_bounds affine_set<(d0) : (d0 - 1 >= 0)>(%j) {lane_dim = 0 : i64} : vector<16xi1>
    ```
  }];
  let arguments = (ins IntegerSetAttr:$condition, Variadic<Index>:$operands, OptionalAttr<Kernel_I64Attr>:$lane_dim);
  let results = (outs Kernel_Mask:$result);
  let assemblyFormat = "$condition `(` $operands `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_TailMaskOp : Kernel_Op<"tail_mask", [Pure]> {
  let summary = "Lane l: base + l < map(indices), the minimum of the map's results";
  let arguments = (ins Index:$base, AffineMapAttr:$map, Variadic<Index>:$indices);
  let results = (outs Kernel_LanesOf<[I1]>:$result);
  let assemblyFormat = "$base `,` $map `(` $indices `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_IotaOp : Kernel_Op<"iota", [Pure]> {
  let summary = "base, base + 1, ...: 16 lanes of i32 or i64";
  let arguments = (ins Index:$base);
  let results = (outs Kernel_LanesOf<[I32, I64]>:$result);
  let assemblyFormat = "$base attr-dict `:` type($result)";
}

def Kernel_BroadcastOp : Kernel_Op<"broadcast", [Pure]> {
  let summary = "A scalar in all lanes";
  let arguments = (ins ComputeType:$value);
  let results = (outs Kernel_Lanes:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Kernel_MulRoundedOp : Kernel_Op<"mul_rounded", !listconcat(
    [Pure, Commutative, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "A product of f32 or f64 that rounds by itself";
  let description = [{
    No compiler makes one operation of it and a sum behind it, as it may of
    arith.mulf.
    ```mlir
    %0 = kernel.mul_rounded %x, %y : vector<16xf32>
    ```
  }];
  let arguments = (ins Kernel_ScalarOrLanesOf<[F32, F64]>:$lhs, Kernel_ScalarOrLanesOf<[F32, F64]>:$rhs);
  let results = (outs Kernel_ScalarOrLanesOf<[F32, F64]>:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

/// Computes a function of scalars that takes as long as its attribute `steps` says.
def Kernel_ScalarFunction : NativeOpTrait<"ScalarFunction"> { let cppNamespace = "::fusec"; }

def Kernel_ScalarOp : Kernel_Op<"scalar", !listconcat(
    [Pure, SameOperandsAndResultType, Kernel_ScalarFunction], ElementwiseMappable.traits)> {
  let summary = "A call of a function of single elements, of an operator of a user's";
  let description = [{
    `callee` is the fuse.op that has the function, whose text `hash` is of. Of lanes
    it is called for all of them at once, or for each, as the declaration says.
    ```mlir
    %0 = kernel.scalar @acme.Swish(%x, %beta) hash "0123456789abcdef" : vector<16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Kernel_ScalarOrLanesOf<[F32, F64, I32, I64]>>:$args,
    StrAttr:$hash, OptionalAttr<I64Attr>:$steps);
  let results = (outs Kernel_ScalarOrLanesOf<[F32, F64, I32, I64]>:$result);
  let assemblyFormat = "$callee `(` $args `)` `hash` $hash attr-dict `:` type($result)";
}

def Kernel_QuotientOp : Kernel_Op<"quotient", !listconcat(
    [Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "An f32 by a constant, in products where one rounding joins a product and a sum";
  let description = [{
    The last digit may be another than that of arith.divf. Whoever makes it has shown
    that what reads it, a rounding, does not see that.
    ```mlir
    %0 = kernel.quotient %x, %scale : vector<16xf32>
    ```
  }];
  let arguments = (ins Kernel_ScalarOrLanesOf<[F32]>:$dividend, Kernel_ScalarOrLanesOf<[F32]>:$divisor);
  let results = (outs Kernel_ScalarOrLanesOf<[F32]>:$result);
  let assemblyFormat = "$dividend `,` $divisor attr-dict `:` type($result)";
}

def Kernel_NearestOp : Kernel_Op<"nearest", !listconcat(
    [Pure], ElementwiseMappable.traits)> {
  let summary = "The whole number in i32 that is nearest to an f32 within 2^22; halves go to even ones";
  let description = [{
    A whole number may be as far from 0 as 2^24. Nothing is said of other numbers.
    ```mlir
    %0 = kernel.nearest %x : vector<16xf32> -> vector<16xi32>
    ```
  }];
  let arguments = (ins Kernel_ScalarOrLanesOf<[F32]>:$value);
  let results = (outs Kernel_ScalarOrLanesOf<[I32]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}

def Kernel_LookUpOp : Kernel_Op<"look_up", !listconcat(
    [Pure, SameOperandsAndResultType, Kernel_ScalarFunction], ElementwiseMappable.traits)> {
  let summary = "What a table has for a code of 8 bits";
  let description = [{
    The entry whose number the low 8 bits of the code are; the others do not count.
    Entries fit 8 bits, all with a sign or all without.
    ```mlir
    %0 = kernel.look_up %code table = [0, 1, 3, ...] : vector<16xi32>
    ```
  }];
  let arguments = (ins Kernel_ScalarOrLanesOf<[I32]>:$code, DenseI32ArrayAttr:$table);
  let results = (outs Kernel_ScalarOrLanesOf<[I32]>:$result);
  let assemblyFormat = "$code `table` `=` $table attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_TermsOp : Kernel_Op<"terms", !listconcat(
    [Pure], ElementwiseMappable.traits)> {
  let summary = "Terms of a sum side by side: a fragment of a matrix of narrow numbers";
  let description = [{
    Each lane of the result has, from its low bits to its high ones, the low 16
    bits of each of two terms, or the low 8 bits of each of four. Two terms in f32
    are numbers of bf16, and of each the high 16 bits are there. A scalar is the
    fragment of one row, a vector that of 16 columns. The type is that of a term;
    the result is i32.
    ```mlir
    %0 = kernel.terms %w0, %w1 : vector<16xi32>
    %1 = kernel.terms %x0, %x1, %x2, %x3 : i32
    %2 = kernel.terms %v0, %v1 : vector<16xf32>
    ```
  }];
  let arguments = (ins Variadic<Kernel_ScalarOrLanesOf<[I32, F32]>>:$terms);
  let results = (outs Kernel_ScalarOrLanesOf<[I32]>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the terms are loaded from where they lie as the result has them:
    /// those of a scalar one after the other, and so those of each lane. Then it
    /// is one load.
    bool lieSideBySide();
  }];
}

/// The type of fragments whose products are added to sums of the type of `result`.
class Kernel_HasFragment<string side> : TypesMatchWith<side # " has the lanes of the sums in i32",
    "result", side, "::fusec::kernel::getFragmentType($_self)">;

def Kernel_DotOp : Kernel_Op<"dot", !listconcat(
    [Pure, AllTypesMatch<["sum", "result"]>, Kernel_HasFragment<"lhs">, Kernel_HasFragment<"rhs">],
    ElementwiseMappable.traits)> {
  let summary = "Adds the products of two fragments to a sum: term by term";
  let description = [{
    `lhs` and `rhs` are kernel.terms, or lanes of them, of as many terms as
    `terms` says: 2 of 16 bits, whose signs count, or 4 of 8 bits, where those of
    `lhs` have no sign and those of `rhs` have one. Overflow wraps. To an f32 two
    products of bf16 are added, the second one first; each step rounds once, and
    takes and gives zeros in place of subnormal numbers. With `tiled`,
    `--kernel-legalize` makes one `kernel.add_products` of the loops around it
    where it can.
    ```mlir
    %2 = kernel.dot %x, %w, %sum terms = 4 : vector<16xi32>
    %3 = kernel.dot %u, %v, %total terms = 2 : vector<16xf32>
    ```
  }];
  let arguments = (ins Kernel_ScalarOrLanesOf<[I32]>:$lhs, Kernel_ScalarOrLanesOf<[I32]>:$rhs, Kernel_ScalarOrLanesOf<[I32, F32]>:$sum, Kernel_I64Attr:$terms,
    UnitAttr:$tiled);
  let results = (outs Kernel_ScalarOrLanesOf<[I32, F32]>:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $sum `terms` `=` $terms (`tiled` $tiled^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_CombinerAttr : EnumAttr<Kernel_Dialect, Combiner, "combiner"> {
  let cppNamespace = Kernel_Dialect.cppNamespace; // the enumeration has another one
}

def Kernel_ReduceOp : Kernel_Op<"reduce", [Pure]> {
  let summary = "All lanes of a vector combined into a scalar, in a fixed tree";
  let description = [{
    `add mul max min` on numbers (max and min of floats propagate NaN), `and or`
    on masks.
    ```mlir
    %0 = kernel.reduce add %v : vector<16xf32> -> f32
    ```
  }];
  let arguments = (ins Kernel_CombinerAttr:$combiner, Kernel_Lanes:$vector);
  let results = (outs ComputeType:$result);
  let assemblyFormat = "$combiner $vector attr-dict `:` type($vector) `->` type($result)";
  let hasVerifier = 1;
}

#endif // FUSEC_KERNEL_VALUES
