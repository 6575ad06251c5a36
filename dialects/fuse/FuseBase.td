// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_FUSE_BASE
#define FUSEC_FUSE_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "dialects/ComputeType.td"

def Fuse_Dialect : Dialect {
  let name = "fuse";
  let cppNamespace = "::fusec::fuse";
  let summary = "Tensor-level networks: composites, primitives, groups";
  let description = [{
    A network as imported is a `func.func` of composites (operations that a
    model's author names: softmax, layer_norm, conv) and primitives. Composites
    are expanded into the small closed set of primitives, which all implement
    `PrimitiveOpInterface`; fusion asks that interface and never an op's name.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::fusec::kernel::KernelDialect"];
}

/// Takes elements of f8, f6 and f4, whose scalars are codes, as they are.
def Fuse_TakesCodes : NativeOpTrait<"TakesCodes"> { let cppNamespace = "::fusec::fuse"; }
/// Of floats: the result jumps where the operands change by a last bit.
def Fuse_Discontinuous : NativeOpTrait<"Discontinuous"> { let cppNamespace = "::fusec::fuse"; }
def Fuse_MovesElements : NativeOpTrait<"MovesElements"> { let cppNamespace = "::fusec::fuse"; }

class Fuse_Op<string mnemonic, list<Trait> traits = []>
    : Op<Fuse_Dialect, mnemonic, traits>;

/// Any tensor of static shape whose element type has a row in TypeInfo.
def Fuse_Tensor : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
    CPred<"::fusec::getTypeInfo(::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]>,
    "ranked tensor of a supported element type", "::mlir::RankedTensorType">;

#endif // FUSEC_FUSE_BASE
