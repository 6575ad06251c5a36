// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sched dialect: one fusion group as a static control program.
#ifndef FUSEC_SCHED_OPS
#define FUSEC_SCHED_OPS

include "dialects/sched/SchedLevels.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sched_Op<string mnemonic, list<Trait> traits = []> : Op<Sched_Dialect, mnemonic, traits>;

def Sched_TreeAttr : AttrDef<Sched_Dialect, "Tree"> {
  let mnemonic = "tree";
  let summary = "An isl schedule tree, as isl prints it";
  let description = [{
    One string per line of the text, which round-trips exactly.
    ```mlir
    #sched.tree<["domain: ...", "child:", "  schedule: ..."]>
    ```
  }];
  let parameters = (ins StringRefParameter<"isl's YAML">:$text);
  let hasCustomAssemblyFormat = 1;
}

def Sched_ScopOp : Sched_Op<"scop", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A fusion group as a static control program";
  let description = [{
    Block arguments are memrefs: `num_inputs` inputs, then `num_outputs` outputs,
    then the arrays (temporaries of the group). The body is a list of
    `sched.stmt` in an order in which executing them one after the other is
    right. `weights` are those inputs of reductions, by their numbers, that each launch
    gives a weight of the model for: such may be stored in the order in which kernels
    load them. `ordered` says that each reduction to floats adds its terms one after the
    other, as its statement's iterations come: no lanes, threads or blocks share them.
    `group` is the name of the fusion group; several scops with one group
    are its variants (the default one has the group's name). One with `isa` serves
    that instruction set, of those that the module's target tiles for, and no other
    one; without it, all of them. The default of a set is the first variant that
    serves it.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
    I64Attr:$num_inputs, I64Attr:$num_outputs, OptionalAttr<DenseI64ArrayAttr>:$weights,
    UnitAttr:$ordered, OptionalAttr<StrAttr>:$group, OptionalAttr<StrAttr>:$isa,
    OptionalAttr<StrAttr>:$proposer, OptionalAttr<Sched_ConfigAttr>:$config, OptionalAttr<Sched_TreeAttr>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
    "::llvm::ArrayRef<::fusec::sched::ArrayDecl>":$inputs,
    "::llvm::ArrayRef<::fusec::sched::ArrayDecl>":$outputs,
    "::llvm::ArrayRef<::fusec::sched::ArrayDecl>":$arrays)>];
  let extraClassDeclaration = [{
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getInputs() { return getBody().getArguments().take_front(getNumInputs()); }
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getOutputs() { return getBody().getArguments().slice(getNumInputs(), getNumOutputs()); }
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getArrays() { return getBody().getArguments().drop_front(getNumInputs() + getNumOutputs()); }
    /// The name of a memref in this scop, a C identifier: its NameLoc, made
    /// unique. `memref` is one of the block's arguments.
    ::std::string getArrayName(::mlir::Value memref);
    /// The names of all arguments, in order.
    ::llvm::SmallVector<::std::string> getArrayNames();
    /// Whether a statement reduces to floats, whose bits depend on the order.
    bool reducesFloats();
  }];
}

def Sched_StmtOp : Sched_Op<"stmt", [SingleBlock, AttrSizedOperandSegments]> {
  let summary = "A statement: executed once per point of a rectangular domain";
  let description = [{
    `dims` name the iterators, `extents` bound them ([0, extent)), `reduced`
    lists those over which the statement accumulates. A read's subscripts are
    affine in the iterators (`sched.gather` in the body reads elsewhere). `else` gives the value read outside the array, in its compute type; an
    access without it stays inside. Values reach the body in their compute type,
    reads in order; the body, pure scalar operations, yields one value per
    write. A reducing statement's first reads are its writes (the
    accumulators), whose subscripts use no reduced iterator.
    Only the points where each of `needed`, a difference of two iterators and a
    constant, is 0 or more have to run: the others change nothing that a point which
    runs makes use of. Of one of the two a third iterator may number the blocks, as in
    `j - i * 256 - k`. `runs` is what a schedule has decided: the points where each of
    it is 0 or more run, which is all that is needed, and all that these read. Without
    it all points run.
    ```mlir
    sched.stmt @mac [i: 128, j: 1024, k: 512] reduces [k]
        reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @max [i: 128, j: 128] reduces [j] needed [i - j] reads %m[i], %s[i, j] ...
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$dims, DenseI64ArrayAttr:$extents,
    DenseI64ArrayAttr:$reduced, OptionalAttr<AffineMapAttr>:$needed, OptionalAttr<AffineMapAttr>:$runs, AffineMapArrayAttr:$read_maps, ArrayAttr:$paddings,
    AffineMapArrayAttr:$write_maps, Variadic<AnyMemRef>:$reads, Variadic<AnyMemRef>:$writes);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
    "::llvm::ArrayRef<::std::string>":$dims, "::llvm::ArrayRef<int64_t>":$extents,
    "::llvm::ArrayRef<int64_t>":$reduced,
    "::llvm::ArrayRef<::fusec::sched::Access>":$reads,
    "::llvm::ArrayRef<::fusec::sched::Access>":$writes)>];
  let extraClassDeclaration = [{
    unsigned getNumIterators() { return getExtents().size(); }
    ::mlir::AffineMap getReadMap(unsigned read) { return ::llvm::cast<::mlir::AffineMapAttr>(getReadMaps()[read]).getValue(); }
    ::mlir::AffineMap getWriteMap(unsigned write) { return ::llvm::cast<::mlir::AffineMapAttr>(getWriteMaps()[write]).getValue(); }
    /// The value that `read` gives outside its array, or null (UnitAttr in `paddings`).
    ::mlir::TypedAttr getPadding(unsigned read) { return ::llvm::dyn_cast<::mlir::TypedAttr>(getPaddings()[read]); }
    bool isReduction() { return !getReduced().empty(); }
    /// What is 0 or more at the points that have to run, and at those that do.
    ::llvm::ArrayRef<::mlir::AffineExpr> getNeededExprs() {
      return getNeeded() ? getNeeded()->getResults() : ::llvm::ArrayRef<::mlir::AffineExpr>();
    }
    ::llvm::ArrayRef<::mlir::AffineExpr> getRunsExprs() {
      return getRuns() ? getRuns()->getResults() : ::llvm::ArrayRef<::mlir::AffineExpr>();
    }
    /// Whether it is a reduction to floats, whose bits depend on the order.
    bool reducesFloats();
    /// What it contracts, if it does. This and the two below follow from the body, so
    /// that whoever rewrites it has nothing to keep right.
    ::std::optional<Contraction> getContraction();
    /// Whether `value`, of the body, may be another one where iterator `dim` is.
    bool dependsOn(::mlir::Value value, unsigned dim);
    /// The integers that `value`, of the body, may be: what the types of arrays
    /// hold, and what the arithmetic makes of it.
    ::mlir::ConstantIntRanges getIntegers(::mlir::Value value);
    /// Bytes of a lane of the widest value that it makes.
    int64_t getLaneBytes();
    ::llvm::SmallVector<::std::string> getDimNames();
    ::fusec::sched::Access getReadAccess(unsigned read) { return {getReads()[read], getReadMap(read), getPadding(read)}; }
    ::fusec::sched::Access getWriteAccess(unsigned write) { return {getWrites()[write], getWriteMap(write), {}}; }
  }];
}

def Sched_IndexOp : Sched_Op<"index", [Pure, HasParent<"StmtOp">]> {
  let summary = "The value of iterator number `dim` at this point";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
}

def Sched_GatherOp : Sched_Op<"gather", [Pure, HasParent<"StmtOp">]> {
  let summary = "Data-dependent read: a subscript may be a value of the body";
  let description = [{
    The element of `array` (in its compute type) at `map`, whose dims are the
    statement's iterators and whose symbols are `indices` (i32 or i64). Only
    inputs are read so, which no statement writes: such a read orders nothing.
    It lies inside the array; the verifier checks subscripts without symbols.
    ```mlir
    %1 = sched.gather %table at affine_map<(d0, d1)[s0] -> (s0, d1)> [%0] : memref<30x64xf32>, i64 -> f32
    ```
  }];
  let arguments = (ins AnyMemRef:$array, AffineMapAttr:$map, Variadic<AnyTypeOf<[I32, I64]>>:$indices);
  let results = (outs ComputeType:$result);
  let assemblyFormat = "$array `at` $map `[` $indices `]` attr-dict `:` type($array) `,` type($indices) `->` type($result)";
  let extraClassDeclaration = [{
    ::fusec::sched::Access getAccess() { return {getArray(), getMap(), {}}; }
  }];
}

def Sched_YieldOp : Sched_Op<"yield", [Pure, Terminator, HasParent<"StmtOp">]> {
  let summary = "The values a statement writes, one per write";
  let arguments = (ins Variadic<ComputeType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // FUSEC_SCHED_OPS
