// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, weights, groups: what holds a network together.
#ifndef FUSEC_FUSE_STRUCTURE
#define FUSEC_FUSE_STRUCTURE

include "dialects/fuse/FuseBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Fuse_ConstantOp : Fuse_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor of at most 64 elements";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Larger tensors are `fuse.weight`s: element attributes are uniqued and
    /// never freed.
    static constexpr int64_t kMaxElements = 64;
  }];
}

def Fuse_WeightOp : Fuse_Op<"weight", [Symbol]> {
  let summary = "A constant tensor held outside the IR, in a resource blob";
  let description = [{
    The blob is row-major, little endian, in the storage type (a boolean is a
    byte). It may be a mapped file.
    ```mlir
    fuse.weight @w = dense_resource<w> : tensor<512x1024xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, ElementsAttr:$value);
  let assemblyFormat = "$sym_name `=` $value attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType()); }
    /// The weight's bytes, or an empty range if the resource is missing.
    ::llvm::ArrayRef<char> getBytes();
  }];
}

def Fuse_GetWeightOp : Fuse_Op<"get_weight", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The tensor of a fuse.weight";
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}

def Fuse_GroupOp : Fuse_Op<"group", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "A fusion group: primitives that become one kernel";
  let description = [{
    `sym_name` names the kernel; groups of one function have distinct names.
    Scalar and splat constants lie inside; other tensors are operands.
    ```mlir
    %y = fuse.group @mlp_0 (%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>):
      ...
      fuse.yield %r : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Variadic<Fuse_Tensor>:$operands);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `(` $operands `)` attr-dict-with-keyword `:` functional-type($operands, $results) $body";
  let hasVerifier = 1;
}

def Fuse_YieldOp : Fuse_Op<"yield", [Pure, Terminator, ParentOneOf<["ChoiceOp", "GroupOp", "IfOp", "LoopOp", "ReduceOp"]>]> {
  let summary = "What a group, an alternative, a branch, an iteration or a combiner results in";
  let arguments = (ins Variadic<AnyTypeOf<[ComputeType, Fuse_Tensor]>>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

#endif // FUSEC_FUSE_STRUCTURE
