// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sched dialect: one fusion group as a static control program.
#ifndef FUSEC_SCHED_OPS
#define FUSEC_SCHED_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sched_Dialect : Dialect {
  let name = "sched";
  let cppNamespace = "::fusec::sched";
  let summary = "Fusion groups as statements with affine accesses, and their schedules";
  let description = [{
    Iteration domains and accesses live here and nowhere else. What to do is in
    the statements, in program order; when to do it is in the scop's
    `schedule`, an isl schedule tree kept as isl's own text. A pass that adds,
    removes or renames a statement drops the schedule.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

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

def Sched_ConfigAttr : AttrDef<Sched_Dialect, "Config"> {
  let mnemonic = "config";
  let summary = "The decisions of one variant of a kernel";
  let description = [{
    `tile`: tile size per member of the outer coincident band; 1 = no point
    loop, the extent = no tile loop. Empty: the band is not touched.
    `order`: the band's members, outermost first; empty = as they are.
    `vector`: lanes of a vector, 1 = scalar; on a GPU, the threads of a block.
    `columns`: where lanes run along a loop below the band, which rows of the
    band share, its tile size; on a GPU, the points of a tile where neighbouring threads
    have neighbouring ones, and those whose numbers are equal modulo them share the loops
    that `lanes` are. 0 = no such loop, or rows that whole blocks or warps share.
    `unroll`: the most copies that the innermost loops of a reduction in a tile
    become; what is more stays a loop.
    `accumulators`: the most vectors of partial results that a reduction along
    lanes adds to side by side. 0 = not decided yet, or no such reduction.
    `blocks`: of so many tiles of each member all loops over tiles come before
    the next ones, so that what they share stays in a cache; 0 = of all of them.
    Empty: no member has blocks.
    `depth`: of so many iterations of the outermost loop of a reduction all tiles
    of a block come before the next ones, so that what they read stays in a cache;
    what they accumulate waits between in the block's array. 0 = of all of them.
    `lanes`: the iterator of each statement that runs on lanes, -1 = none of
    them. Empty with more than one lane: not decided yet.
    `prefetch`: the inputs and outputs, by their numbers as arguments, of which
    rows are fetched while the iterations before compute.
    `stream`: the outputs, by their numbers as arguments, that whole vectors are
    stored to past the caches, which then need not read those lines first.
    `split`: of so many iterations of the outermost loop of its longest reduction
    threads make a sum of their own: on a CPU, only without a band; on a GPU, the blocks
    of a point or a tile of it. 0 = one thread or block adds up all.
    `combine`: how these become one. `atomic`, the default: each is added to the result, in
    whichever order they are done. `last_block`, of a GPU: the last block that is done
    takes all of them, always in one order.
    `grain`: how many iterations of the loop that threads share are worth a
    thread; the loops of the band run as one. 0 = not decided yet, or no such loop.
    `points`: on a GPU, of a tile's points per member how many a thread has, in
    registers: as many side by side, and of the last member in `order` as many
    apart as the block has threads along it. The points are then of a reduction, and
    `depth` iterations of it are in shared memory at a time. Empty: one.
    `width`: on a GPU, how many iterations side by side of a loop that threads share one
    of them has, so that it can access that many elements at a time; then the next
    thread has as many.
    `stages`: of a GPU's tiles with `depth`, for how many such blocks of the reduction
    there is shared memory: the next ones are loaded while threads compute with this one.
    1, the default: each is loaded when the one before is done with.
    ```mlir
    #sched.config<name = "default", tile = [8, 32], order = [1, 0], vector = 16, lanes = [1, 1]>
    ```
  }];
  let parameters = (ins StringRefParameter<"variant name">:$name,
    ArrayRefParameter<"int64_t">:$tile, ArrayRefParameter<"int64_t">:$order, "int64_t":$vector,
    DefaultValuedParameter<"int64_t", "0">:$columns,
    DefaultValuedParameter<"int64_t", "1">:$unroll,
    DefaultValuedParameter<"int64_t", "0">:$accumulators,
    OptionalArrayRefParameter<"int64_t">:$blocks,
    DefaultValuedParameter<"int64_t", "0">:$depth,
    OptionalArrayRefParameter<"int64_t">:$lanes,
    OptionalArrayRefParameter<"int64_t">:$prefetch,
    OptionalArrayRefParameter<"int64_t">:$stream,
    DefaultValuedParameter<"int64_t", "0">:$split,
    DefaultValuedParameter<"::fusec::sched::Combine", "::fusec::sched::Combine::atomic">:$combine,
    DefaultValuedParameter<"int64_t", "0">:$grain,
    OptionalArrayRefParameter<"int64_t">:$points,
    DefaultValuedParameter<"int64_t", "1">:$width,
    DefaultValuedParameter<"int64_t", "1">:$stages);
  let assemblyFormat = [{`<` `name` `=` $name `,` `tile` `=` custom<IntegerList>($tile) `,`
    `order` `=` custom<IntegerList>($order) `,` `vector` `=`
    custom<LoopFields>($vector, $columns, $unroll, $accumulators, $blocks, $depth, $lanes, $prefetch, $stream, $split, $combine, $grain, $points, $width, $stages) `>`}];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The config with one decision more, or another one.
    ConfigAttr withName(::llvm::StringRef name) const;
    ConfigAttr withAccumulators(int64_t accumulators) const;
    ConfigAttr withLanes(::llvm::ArrayRef<int64_t> lanes) const;
    ConfigAttr withPrefetch(::llvm::ArrayRef<int64_t> prefetch) const;
    ConfigAttr withStream(::llvm::ArrayRef<int64_t> stream) const;
    ConfigAttr withSplit(int64_t split, Combine combine) const;
    ConfigAttr withGrain(int64_t grain) const;
    ConfigAttr withPoints(::llvm::ArrayRef<int64_t> points) const;
    ConfigAttr withWidth(int64_t width) const;
    ConfigAttr withStages(int64_t stages) const;
  }];
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
    load them.
    `group` is the name of the fusion group; several scops with one group
    are its variants (the default one has the group's name). One with `isa` serves
    that instruction set, of those that the module's target tiles for, and no other
    one; without it, all of them. The default of a set is the first variant that
    serves it.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
    I64Attr:$num_inputs, I64Attr:$num_outputs, OptionalAttr<DenseI64ArrayAttr>:$weights,
    OptionalAttr<StrAttr>:$group, OptionalAttr<StrAttr>:$isa,
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
    ```mlir
    sched.stmt @mac [i: 128, j: 1024, k: 512] reduces [k]
        reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$dims, DenseI64ArrayAttr:$extents,
    DenseI64ArrayAttr:$reduced, AffineMapArrayAttr:$read_maps, ArrayAttr:$paddings,
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
  let results = (outs AnyType:$result);
  let assemblyFormat = "$array `at` $map `[` $indices `]` attr-dict `:` type($array) `,` type($indices) `->` type($result)";
  let extraClassDeclaration = [{
    ::fusec::sched::Access getAccess() { return {getArray(), getMap(), {}}; }
  }];
}

def Sched_YieldOp : Sched_Op<"yield", [Pure, Terminator, HasParent<"StmtOp">]> {
  let summary = "The values a statement writes, one per write";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // FUSEC_SCHED_OPS
