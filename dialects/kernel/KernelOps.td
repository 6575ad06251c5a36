// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel dialect: loops and memory that print one to one as C++ or CUDA.
#ifndef FUSEC_KERNEL_OPS
#define FUSEC_KERNEL_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::fusec::kernel";
  let summary = "Kernels as loops over memory, and the host program that launches them";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

//===- functions ---------------------------------------------------------===//

def Kernel_FuncOp : Kernel_Op<"func", [FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "A kernel";
  let description = [{
    Arguments are memrefs: the group's inputs, its outputs, then workspace
    arrays. `group` names the fusion group and `variant` which of its variants
    this is ("default", "naive"). Values that loads produce and stores take are
    in the compute type of the memref's element type, or 16-lane vectors of it.
    ```mlir
    kernel.func @mlp_0(%x: memref<128x512xf32>, %y: memref<128xf32>)
        attributes {group = "mlp_0", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} { ... }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs, StrAttr:$group, StrAttr:$variant,
    I64Attr:$num_inputs, I64Attr:$num_outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Kernel_ReturnOp : Kernel_Op<"return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "The end of a kernel";
  let assemblyFormat = "attr-dict";
}

//===- control -----------------------------------------------------------===//

def Kernel_Mapping : I32EnumAttr<"Mapping", "what runs the iterations", [
    I32EnumAttrCase<"sequential", 0>,  // one after the other
    I32EnumAttrCase<"parallel", 1>,    // threads
    I32EnumAttrCase<"vector", 2>,      // lanes; gone after --kernel-vectorize
    I32EnumAttrCase<"unroll", 3>]> {   // copies of the body
  let cppNamespace = "::fusec::kernel";
  let genSpecializedAttr = 0;
}
def Kernel_MappingAttr : EnumAttr<Kernel_Dialect, Kernel_Mapping, "mapping">;

def Kernel_ForOp : Kernel_Op<"for", [SingleBlock, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">, AttrSizedOperandSegments]> {
  let summary = "A counted loop: from the maximum of the lower to the minimum of the upper bounds";
  let description = [{
    Bounds are affine maps of enclosing loop indices. `grain` (of a parallel
    loop) is the number of iterations that is worth a thread.
    ```mlir
    kernel.for %i = 0 to 16 map(parallel) { ... }
    kernel.for %j = 0 to min affine_map<(d0) -> (8, -d0 * 8 + 100)>(%i) step 16 map(sequential) { ... }
    ```
  }];
  let arguments = (ins Variadic<Index>:$lower_operands, Variadic<Index>:$upper_operands,
    AffineMapAttr:$lower_map, AffineMapAttr:$upper_map,
    DefaultValuedAttr<I64Attr, "1">:$step,
    DefaultValuedAttr<Kernel_MappingAttr, "Mapping::sequential">:$mapping,
    OptionalAttr<I64Attr>:$grain);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::AffineMap":$lower, "::mlir::ValueRange":$lowerOperands,
      "::mlir::AffineMap":$upper, "::mlir::ValueRange":$upperOperands,
      CArg<"int64_t", "1">:$step, CArg<"Mapping", "Mapping::sequential">:$mapping)>,
    OpBuilder<(ins "int64_t":$lower, "int64_t":$upper, CArg<"int64_t", "1">:$step,
      CArg<"Mapping", "Mapping::sequential">:$mapping)>];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getIndex() { return getBody().getArgument(0); }
    /// The number of iterations if both bounds are constants.
    ::std::optional<int64_t> getConstantTripCount();
  }];
}

def Kernel_IfOp : Kernel_Op<"if", [SingleBlock, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Executes its body where an integer set of loop indices holds";
  let arguments = (ins IntegerSetAttr:$condition, Variadic<Index>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$condition `(` $operands `)` attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator, ParentOneOf<["ForOp", "IfOp"]>]> {
  let summary = "The end of a loop's or condition's body";
  let assemblyFormat = "attr-dict";
}

//===- memory ------------------------------------------------------------===//

def Kernel_LocalOp : Kernel_Op<"local", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A small array of the enclosing block: registers or stack";
  let description = [{
    Lives until its block ends. Elements are in their compute type, or vectors:
    `memref<8x2xvector<16xf32>>`.
  }];
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Kernel_LoadOp : Kernel_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "A scalar, or 16 lanes, from memory";
  let description = [{
    The subscripts are `map(indices)`. Lane l reads `l * stride` elements after
    lane 0 (linear, in the memref's row-major storage); stride 1 is contiguous.
    Lanes (or the scalar) outside of `mask` are not read and give `fill`, 0 if
    absent. From a memref of vectors, loads one vector.
    ```mlir
    %0 = kernel.load %x[%i, %k * 2 + 1] : memref<8x9xf16> -> f32
    %1 = kernel.load %w[%k, %j] mask %m : memref<8x33xf32>, vector<16xi1> -> vector<16xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memref, Variadic<Index>:$indices, Optional<AnyType>:$mask,
    AffineMapAttr:$map, DefaultValuedAttr<I64Attr, "1">:$stride, OptionalAttr<TypedAttrInterface>:$fill);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_StoreOp : Kernel_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "A scalar, or 16 lanes, to memory";
  let arguments = (ins AnyType:$value, Arg<AnyMemRef, "", [MemWrite]>:$memref, Variadic<Index>:$indices,
    Optional<AnyType>:$mask, AffineMapAttr:$map, DefaultValuedAttr<I64Attr, "1">:$stride);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_GatherOp : Kernel_Op<"gather", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Data-dependent read: the subscripts' symbols are run-time values";
  let description = [{
    `map` has the indices as dims and `dynamic` values (i32, i64 or 16 lanes of
    them) as symbols, already in bounds.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memref, Variadic<Index>:$indices,
    Variadic<AnyType>:$dynamic, Optional<AnyType>:$mask, AffineMapAttr:$map);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{$memref $map `(` $indices `)` `[` $dynamic `]` (`mask` $mask^ `:` type($mask))? attr-dict
    `:` type($memref) `,` type($dynamic) `->` type($result)}];
  let hasVerifier = 1;
}

//===- values ------------------------------------------------------------===//

def Kernel_ApplyOp : Kernel_Op<"apply", [Pure]> {
  let summary = "An affine expression of loop indices";
  let arguments = (ins AffineMapAttr:$map, Variadic<Index>:$operands);
  let results = (outs Index:$result);
  let assemblyFormat = "$map `(` $operands `)` attr-dict";
  let hasVerifier = 1;
}

def Kernel_InBoundsOp : Kernel_Op<"in_bounds", [Pure]> {
  let summary = "Whether a point lies in an integer set of loop indices; 16 lanes: lane l at `lane_dim` + l";
  let arguments = (ins IntegerSetAttr:$condition, Variadic<Index>:$operands, OptionalAttr<I64Attr>:$lane_dim);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$condition `(` $operands `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_TailMaskOp : Kernel_Op<"tail_mask", [Pure]> {
  let summary = "Lane l: base + l < map(operands), the minimum of the map's results";
  let arguments = (ins Index:$base, AffineMapAttr:$map, Variadic<Index>:$operands);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$base `,` $map `(` $operands `)` attr-dict `:` type($result)";
}

def Kernel_IotaOp : Kernel_Op<"iota", [Pure]> {
  let summary = "base, base + 1, ...: 16 lanes of i32 or i64";
  let arguments = (ins Index:$base);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$base attr-dict `:` type($result)";
}

def Kernel_BroadcastOp : Kernel_Op<"broadcast", [Pure]> {
  let summary = "A scalar in all lanes";
  let arguments = (ins AnyType:$value);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Kernel_Combiner : I32EnumAttr<"Combiner", "how lanes combine", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>, I32EnumAttrCase<"max", 2>,
    I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"and", 4>, I32EnumAttrCase<"or", 5>]> {
  let cppNamespace = "::fusec::kernel";
  let genSpecializedAttr = 0;
}
def Kernel_CombinerAttr : EnumAttr<Kernel_Dialect, Kernel_Combiner, "combiner">;

def Kernel_ReduceOp : Kernel_Op<"reduce", [Pure]> {
  let summary = "All lanes of a vector combined into a scalar, in a fixed tree";
  let arguments = (ins Kernel_CombinerAttr:$combiner, AnyVectorOfAnyRank:$vector);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$combiner $vector attr-dict `:` type($vector) `->` type($result)";
  let hasVerifier = 1;
}

//===- host program ------------------------------------------------------===//

def Kernel_WeightOp : Kernel_Op<"weight", [Pure]> {
  let summary = "A weight of the model in memory";
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}

def Kernel_BufferOp : Kernel_Op<"buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A temporary of the host program; `offset` is its place in the arena, in bytes";
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "(`offset` `=` $offset^)? attr-dict `:` type($result)";
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

def Kernel_CopyOp : Kernel_Op<"copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copies one contiguous buffer to another of the same type";
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Arg<AnyMemRef, "", [MemWrite]>:$target);
  let assemblyFormat = "$source `,` $target attr-dict `:` type($source)";
}

#endif // FUSEC_KERNEL_OPS
