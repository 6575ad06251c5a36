// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_FUSE_INTERFACES
#define FUSEC_FUSE_INTERFACES

include "mlir/IR/OpBase.td"

def PrimitiveOpInterface : OpInterface<"PrimitiveOpInterface"> {
  let cppNamespace = "::fusec::fuse";
  let description = [{
    What fusion and scheduling know about an operation. A primitive computes,
    for every point of a rectangular iteration domain,

        acc[result_map(p)] = body(p, operand_0[operand_map_0(p)], ..., acc)

    where `acc` exists for operations with reduction iterators only and starts
    at `getInit`. Element values reach the body in their compute type
    (`fusec::getComputeType`). A map may lead outside its operand if
    `getPadding` gives the value that is read there.
  }];
  let methods = [
    InterfaceMethod<"Extents of the iteration domain, outermost first.",
      "::llvm::SmallVector<int64_t>", "getIterationExtents", (ins), "",
      [{ return ::llvm::SmallVector<int64_t>(::llvm::cast<::mlir::RankedTensorType>($_op->getResult(0).getType()).getShape()); }]>,
    InterfaceMethod<"Kind of each iterator; reduction iterators come last.",
      "::llvm::SmallVector<::mlir::utils::IteratorType>", "getIterators", (ins), "",
      [{ return ::llvm::SmallVector<::mlir::utils::IteratorType>($_op.getIterationExtents().size(), ::mlir::utils::IteratorType::parallel); }]>,
    InterfaceMethod<[{Iteration point -> index into operand `operand`. The map's
      symbols, if any, are the elements of the operands `getIndirect(operand)`
      at the same point (data-dependent access).}],
      "::mlir::AffineMap", "getOperandMap", (ins "unsigned":$operand), "",
      [{ return ::mlir::AffineMap::getMultiDimIdentityMap($_op.getIterationExtents().size(), $_op->getContext()); }]>,
    InterfaceMethod<"Operands whose elements are the symbols of that operand's map.",
      "::llvm::SmallVector<unsigned>", "getIndirect", (ins "unsigned":$operand), "",
      [{ (void)operand; return {}; }]>,
    InterfaceMethod<"Iteration point -> index into result `result`; a projected permutation of the parallel iterators.",
      "::mlir::AffineMap", "getResultMap", (ins "unsigned":$result), "",
      [{ (void)result; return ::mlir::AffineMap::getMultiDimIdentityMap($_op.getIterationExtents().size(), $_op->getContext()); }]>,
    InterfaceMethod<"The padding: the value read where the operand's map leads outside it, in the operand's element type; null if it never does.",
      "::mlir::TypedAttr", "getPadding", (ins "unsigned":$operand), "",
      [{ (void)operand; return {}; }]>,
    InterfaceMethod<[{Index into operand `operand` -> index into the result, if
      the result is nothing but its operands, concatenated: the body picks the
      operand that holds the point and does not use what it read outside of the
      others. Null for all other operations.}],
      "::mlir::AffineMap", "getPlacement", (ins "unsigned":$operand), "",
      [{ (void)operand; return {}; }]>,
    InterfaceMethod<"The initial value of accumulator `result`, in the result's compute type; null for operations that do not reduce.",
      "::mlir::TypedAttr", "getInit", (ins "unsigned":$result), "",
      [{ (void)result; return {}; }]>,
    InterfaceMethod<[{Builds the scalar body. `indices` are the iteration point
      (index type), `elements` one value per operand, `accumulators` one per
      result if the operation reduces. Returns one value per result, in its
      compute type.}],
      "::llvm::SmallVector<::mlir::Value>", "buildBody",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$indices, "::mlir::ValueRange":$elements,
           "::mlir::ValueRange":$accumulators)>,
  ];
  let extraSharedClassDeclaration = [{
    /// Whether any iterator reduces.
    bool hasReduction() {
      return ::llvm::is_contained($_op.getIterators(), ::mlir::utils::IteratorType::reduction);
    }
    /// Whether every operand and result is indexed by the identity: values
    /// combine point by point.
    bool isElementwise() {
      for (unsigned i = 0, e = $_op->getNumOperands(); i < e; ++i)
        if (!$_op.getOperandMap(i).isIdentity())
          return false;
      return !hasReduction();
    }
  }];
}

#endif // FUSEC_FUSE_INTERFACES
