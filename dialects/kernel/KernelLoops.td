// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_KERNEL_LOOPS
#define FUSEC_KERNEL_LOOPS

include "dialects/kernel/KernelBase.td"

def Kernel_MappingAttr : EnumAttr<Kernel_Dialect, Kernel_Mapping, "mapping">;

def Kernel_CarryAttr : EnumAttr<Kernel_Dialect, Kernel_Carry, "carry">;
def Kernel_CarryArrayAttr : TypedArrayAttrBase<Kernel_CarryAttr, "how each array is carried">;

def Kernel_ForOp : Kernel_Op<"for", [SingleBlock, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">, AttrSizedOperandSegments, Kernel_NamedArguments]> {
  let summary = "A counted loop: from the maximum of the lower to the minimum of the upper bounds";
  let description = [{
    Bounds are affine maps of enclosing loop indices. `grain` (of a parallel
    loop) is the number of iterations that is worth a thread.

    `carries` lists the arrays that iterations hand on to the next: each changes
    the same elements, as the word before says, and in any order.
    - `add mul max min and or`: combines a value of its own with the element
      (max and min of floats propagate NaN);
    - `select`: overwrites all arrays of this word or none, as what they hold and
      what it would write decide (the greatest element and its position);
    - `update`: anything else; no other iteration may run meanwhile.

    On lanes, an iteration loads and stores each of these once, and nothing else
    sees what they hold in between. Threads carry what is combined, the same way: each
    combines values of its own, and those with the array's, in any order. So do blocks of
    a GPU; of an `atomic` loop each adds its sums to the outputs that what comes after
    stores them to, and these are zero before.

    The threads of a block have, in a nest mapped to columns, an iteration each, and so
    many as there are iterations are neighbours: with 32 of them thread `t` has number
    `t % 32`, and shares loops in it with those that have the same. All come to what
    stands in it, so that they can wait for each other there.
    ```mlir
    kernel.for %i = 0 to 16 map(parallel) grain = 2 { ... }
    kernel.for %j = 0 to min affine_map<(d0) -> (8, d0 * -8 + 100)>(%i) step 16 { ... }
    kernel.for %k = 0 to 64 carries(add %acc : memref<8x16xf32>, max %m : memref<f32>) { ... }
    ```
  }];
  let arguments = (ins Variadic<Index>:$lower_operands, Variadic<Index>:$upper_operands,
    Variadic<AnyMemRef>:$carried, AffineMapAttr:$lower_map, AffineMapAttr:$upper_map,
    DefaultValuedAttr<Kernel_I64Attr, "1">:$step,
    DefaultValuedAttr<Kernel_MappingAttr, "::fusec::kernel::Mapping::sequential">:$mapping,
    OptionalAttr<Kernel_I64Attr>:$grain, UnitAttr:$atomic,
    OptionalAttr<Kernel_CarryArrayAttr>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::AffineMap":$lower, "::mlir::ValueRange":$lowerOperands,
      "::mlir::AffineMap":$upper, "::mlir::ValueRange":$upperOperands,
      CArg<"int64_t", "1">:$step, CArg<"Mapping", "Mapping::sequential">:$mapping)>,
    OpBuilder<(ins "int64_t":$lower, "int64_t":$upper, CArg<"int64_t", "1">:$step,
      CArg<"Mapping", "Mapping::sequential">:$mapping)>];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getIndex() { return getBody().getArgument(0); }
    ::std::optional<int64_t> getConstantLower();
    ::std::optional<int64_t> getConstantUpper();
    /// The number of iterations if both bounds are constants.
    ::std::optional<int64_t> getConstantTripCount();
    void setLower(::mlir::AffineMap map, ::mlir::ValueRange operands);
    void setUpper(::mlir::AffineMap map, ::mlir::ValueRange operands);
    /// How iterations change `memref`; nothing if they do not carry it.
    ::std::optional<Carry> getCarry(::mlir::Value memref);
    /// Adds `memref` to what the loop carries, or says anew how.
    void setCarry(::mlir::Value memref, Carry carry);
    void dropCarry(::mlir::Value memref);
    /// Drops arrays of which it accesses other elements in other iterations: no
    /// iteration continues what all before it made.
    void dropMovingCarries();
    /// Carries what `other` does.
    void copyCarries(ForOp other);
  }];
}

def Kernel_IfOp : Kernel_Op<"if", [SingleBlock, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Executes its body where an integer set of loop indices holds, its else body elsewhere";
  let description = [{
    ```mlir
    kernel.if affine_set<(d0) : (d0 * -8 + 92 >= 0)>(%i) { ... } else { ... }
    ```
  }];
  let arguments = (ins IntegerSetAttr:$condition, Variadic<Index>:$operands);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$else_body);
  let assemblyFormat = "$condition `(` $operands `)` attr-dict-with-keyword $body (`else` $else_body^)?";
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::IntegerSet":$condition, "::mlir::ValueRange":$operands,
      CArg<"bool", "false">:$withElse)>];
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator, ParentOneOf<["ForOp", "IfOp", "LastBlockOp"]>]> {
  let summary = "The end of the body of a loop, of a condition, or of a last block";
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

#endif // FUSEC_KERNEL_LOOPS
