// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_KERNEL_BASE
#define FUSEC_KERNEL_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "dialects/ComputeType.td"
include "dialects/kernel/KernelEnums.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::fusec::kernel";
  let summary = "Kernels as loops over memory, and the host program that launches them";
  let description = [{
    A `kernel.func` is a nest of loops over memrefs that prints one to one as
    C++ in the words of `runtime/include/fusec/kernel`. Scalars are in the
    compute type of what they were loaded from (TypeInfo), vectors have 16
    lanes. The host program is a `func.func` of the operations at the end of
    this list.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

/// What values of kernels may be, but for indices.
def Kernel_Value : Type<CPred<"::fusec::kernel::isValueType($_self)">,
    "scalar of a compute type or 16 lanes of one">;
def Kernel_Lanes : Type<And<[CPred<"::llvm::isa<::mlir::VectorType>($_self)">,
    Kernel_Value.predicate]>, "16 lanes of a compute type", "::mlir::VectorType">;
class Kernel_LanesOf<list<Type> scalars> : ContainerType<AnyTypeOf<scalars>,
    Kernel_Lanes.predicate, "::llvm::cast<::mlir::VectorType>($_self).getElementType()",
    "16 lanes", "::mlir::VectorType">;
class Kernel_ScalarOrLanesOf<list<Type> scalars>
    : AnyTypeOf<!listconcat(scalars, [Kernel_LanesOf<scalars>])>;
def Kernel_Mask : Kernel_ScalarOrLanesOf<[I1]>;

/// I64Attr with a signed accessor: strides and bounds may be negative.
def Kernel_I64Attr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">;

/// The results print under the names of their locations.
def Kernel_NamedResults : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

/// The block arguments print under the names of their locations.
def Kernel_NamedArguments : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>;

#endif // FUSEC_KERNEL_BASE
