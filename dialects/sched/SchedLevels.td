// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The levels of a config: where the iterations of a group run, and what of its
// arrays lies there. Each kind is an attribute with parameters of its own, so
// that what a level does not have cannot be written.
#ifndef FUSEC_SCHED_LEVELS
#define FUSEC_SCHED_LEVELS

include "dialects/sched/SchedBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Sched_LevelInterface : AttrInterface<"LevelAttr"> {
  let cppNamespace = "::fusec::sched";
  let description = [{A level of a target's hierarchy, with what a config says of it.}];
  let methods = [
    InterfaceMethod<"The name by which text and the rows of targets call this kind.",
      "::llvm::StringRef", "getKind", (ins), [{ return $_attr.getMnemonic(); }]>,
    InterfaceMethod<"Whether it says nothing: such a level is left out of a config.",
      "bool", "isEmpty", (ins)>
  ];
}

/// A list in brackets, empty where it is left out.
def Sched_Integers : OptionalArrayRefParameter<"int64_t"> {
  let parser = "::fusec::sched::parseIntegers($_parser)";
  let printer = "$_printer << '[' << $_self << ']'";
}
/// A list of words in brackets, empty where it is left out.
def Sched_Words : OptionalArrayRefParameter<"::mlir::StringAttr"> {
  let parser = "::fusec::sched::parseWords($_parser)";
  let printer = "::fusec::sched::printWords($_printer, $_self)";
}
class Sched_Integer<string least> : DefaultValuedParameter<"int64_t", least>;

class Sched_Level<string name, string kind>
    : AttrDef<Sched_Dialect, name # "Level", [DeclareAttrInterfaceMethods<Sched_LevelInterface, ["isEmpty"]>]> {
  let mnemonic = kind;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===- of a CPU ----------------------------------------------------------===//

def Sched_CoresLevel : Sched_Level<"Cores", "cores"> {
  let summary = "The threads of a CPU, which share the loops of the outer band";
  let description = [{
    `grain`: how many iterations are worth a thread; the loops of the band run as one.
    0 = not decided yet, or no such loop.
    `split`: of so many iterations of the outermost loop of the longest reduction threads
    add up parts of their own, where there is no band. 0 = one thread adds up all.
  }];
  let parameters = (ins Sched_Integer<"0">:$grain, Sched_Integer<"0">:$split);
}

def Sched_CacheLevel : Sched_Level<"Cache", "cache"> {
  let summary = "The caches of a core: what stays there, comes early or goes past them";
  let description = [{
    `blocks`: of so many tiles of each member of the band all loops over tiles come
    before the next ones, so that what they share stays in a cache; 0 = of all of them.
    Empty: no member has blocks. With `columns`, all tiles of a block are computed for one
    part of their rows before the next part.
    `depth`: of so many iterations of the outermost loop of a reduction all tiles of a
    block come before the next ones; what they accumulate waits between in the block's
    array. 0 = of all of them.
    `prefetch`: the inputs and outputs, by their numbers as arguments, of which rows are
    fetched while the iterations before compute.
    `stream`: the outputs, by their numbers as arguments, that whole vectors are stored
    to past the caches, which then need not read those lines first.
  }];
  let parameters = (ins Sched_Integers:$blocks, Sched_Integer<"0">:$depth,
    Sched_Integers:$prefetch, Sched_Integers:$stream);
}

def Sched_RegistersLevel : Sched_Level<"Registers", "registers"> {
  let summary = "The registers of a core: the tile of the band that it computes together";
  let description = [{
    `tile`: the tile's size per member of the outer band; 1 = no point loop, the extent =
    no tile loop. `order`: the band's members, outermost first; empty = as they are.
    `columns`: where lanes run along a loop below the band, which rows of the band share,
    its tile size. 0 = no such loop.
    `unroll`: the most copies that the innermost loops of a reduction in a tile become;
    what is more stays a loop. Of a tile without a reduction, 2 or more: its rows are
    copies, which a transpose keeps in registers.
    `accumulators`: the most vectors of partial results that a reduction along lanes adds
    to side by side. 0 = not decided yet, or no such reduction.
  }];
  let parameters = (ins Sched_Integers:$tile, Sched_Integers:$order, Sched_Integer<"0">:$columns,
    Sched_Integer<"1">:$unroll, Sched_Integer<"0">:$accumulators);
}

def Sched_UnitLevel : Sched_Level<"Unit", "unit"> {
  let summary = "What computes several neighbours at once: the lanes of a vector";
  let description = [{
    `lanes`: how many, 2 or more; a kernel of scalars has no such level.
    `along`: the iterator of each statement that runs on lanes, -1 = none of them.
    Empty = not decided yet.
    `products`: of each statement the unit of the target's row that adds its products to
    the sums in lanes (`dialects/Units.h`). Empty = `fma` for all of them.
  }];
  let parameters = (ins "int64_t":$lanes, Sched_Integers:$along, Sched_Words:$products);
}

//===- of a GPU ----------------------------------------------------------===//

/// How the parts of a reduction that blocks share become one.
def Sched_Combine : I32EnumAttr<"Combine", "how parts become one", [
    I32EnumAttrCase<"atomic", 0>, I32EnumAttrCase<"last_block", 1>]> {
  let cppNamespace = "::fusec::sched";
}

def Sched_CombineParameter : EnumParameter<Sched_Combine> {
  let defaultValue = "::fusec::sched::Combine::atomic";
}

def Sched_GridLevel : Sched_Level<"Grid", "grid"> {
  let summary = "The blocks of a GPU, which share the tiles of the band";
  let description = [{
    `split`: of so many iterations of the outermost loop of the longest reduction blocks
    have parts of a point or a tile. 0 = one block adds up all.
    `combine`: how these become one. `atomic`, the default: each is added to the result,
    in whichever order they are done. `last_block`: the last block that is done takes all
    of them, always in one order.
  }];
  let parameters = (ins Sched_Integer<"0">:$split,
    Sched_CombineParameter:$combine);
}

def Sched_BlockLevel : Sched_Level<"Block", "block"> {
  let summary = "A block of threads, and what it has in shared memory";
  let description = [{
    `threads`: of a block, 2 or more; a kernel of one thread has no such level.
    `tile`, `order`: as those of `registers`, of a block.
    `depth`: so many iterations of a reduction are in shared memory at a time. 0 = all.
    `stages`: for how many such parts there is shared memory: the next ones are loaded
    while threads compute with this one. 1: each is loaded when the one before is done with.
  }];
  let parameters = (ins Sched_Integer<"1">:$threads, Sched_Integers:$tile, Sched_Integers:$order,
    Sched_Integer<"0">:$depth, Sched_Integer<"1">:$stages);
}

def Sched_Team : I32EnumAttr<"Team", "threads of a block that share loops", [
    I32EnumAttrCase<"block", 0>, I32EnumAttrCase<"warp", 1>, I32EnumAttrCase<"column", 2>]> {
  let cppNamespace = "::fusec::sched";
}

def Sched_TeamLevel : Sched_Level<"Team", "team"> {
  let summary = "Threads that share the loops below a point of a block's tile";
  let description = [{
    `of`: all of the block, whose tile is one point; a warp, of which each has a point; or
    a column: the threads whose numbers are equal modulo the tile's points, so that
    neighbouring threads have neighbouring points.
    `loops`: the iterator of each statement that they share, -1 = none of them. Empty =
    not decided yet.
    `width`: how many iterations side by side one of them has, so that it can access that
    many elements at a time; then the next thread has as many. A power of two.
  }];
  let parameters = (ins EnumParameter<Sched_Team>:$of, Sched_Integers:$loops, Sched_Integer<"1">:$width);
}

def Sched_ThreadLevel : Sched_Level<"Thread", "thread"> {
  let summary = "A thread of a GPU, and what it has in registers";
  let description = [{
    `points`: of the block's tile per member of the band how many points a thread has: as
    many side by side, and of the last member in `order` as many apart as the block has
    threads along it. Empty: one.
    `unroll`: as that of `registers`.
    `matrices`: the unit of the target's row by which the threads of a warp multiply
    matrices of the tile (`MatrixUnit` in `dialects/Units.h`), whose points they have as
    the unit has its sums. Empty: each thread multiplies numbers.
  }];
  let parameters = (ins Sched_Integers:$points, Sched_Integer<"1">:$unroll,
    StringRefParameter<"", "\"\"">:$matrices);
}

//===- a config ----------------------------------------------------------===//

def Sched_ConfigAttr : AttrDef<Sched_Dialect, "Config"> {
  let mnemonic = "config";
  let summary = "The decisions of one variant of a kernel";
  let description = [{
    The levels of its target that say something, outermost first. Loops of the outer band,
    statements, iterators and arguments are said by their numbers: a config is for all
    groups of one key, whatever their names are.
    ```mlir
    #sched.config<"default", [cores<grain = 2>, registers<tile = [8, 32], order = [1, 0]>, unit<lanes = 16, along = [1, 1]>]>
    #sched.config<"default", [grid<split = 512>, block<threads = 256, tile = [64, 64], depth = 16>, thread<points = [4, 4]>]>
    #sched.config<"naive", []>
    ```
  }];
  let parameters = (ins StringRefParameter<"variant name">:$name,
    ArrayRefParameter<"::fusec::sched::LevelAttr">:$levels);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// With `levels` but for those that are null or say nothing.
    static ConfigAttr of(::mlir::MLIRContext *context, ::llvm::StringRef name,
                         ::llvm::ArrayRef<LevelAttr> levels);
    ConfigAttr withName(::llvm::StringRef name) const;
    /// With `level` in place of the level of its kind.
    ConfigAttr with(LevelAttr level) const;
    /// With `loops` for lanes or the threads of a team, of which it has either.
    ConfigAttr withLanes(::llvm::ArrayRef<int64_t> loops) const;
    /// What it says of a level; null if nothing.
    template <typename Level> Level getLevel() const {
      for (LevelAttr level : getLevels())
        if (auto found = ::llvm::dyn_cast<Level>(level))
          return found;
      return {};
    }

    /// The tile of the outer band, in registers or of a block, the order of its
    /// members, and how many points it has, at most what an int64_t holds.
    ::llvm::ArrayRef<int64_t> getTile() const;
    ::llvm::ArrayRef<int64_t> getOrder() const;
    int64_t countTilePoints() const;
    /// The iterator of each statement that runs on lanes, or that the threads of
    /// a team share; whether that is not decided yet.
    ::llvm::ArrayRef<int64_t> getLanes() const;
    bool needsLanes() const;
    /// The unit of statement number `stmt`.
    ::llvm::StringRef getUnit(size_t stmt) const;
    ConfigAttr withProducts(::llvm::ArrayRef<::mlir::StringAttr> units) const;
    /// Whether the threads of a column share loops.
    bool hasColumns() const;
    /// The units of statements where one is another than `fma`, or none.
    ::llvm::ArrayRef<::mlir::StringAttr> getProducts() const;
    /// Each of these is what the level says that has it, or else its default.
    int64_t getGrain() const;
    int64_t getSplit() const;
    Combine getCombine() const;
    ::llvm::ArrayRef<int64_t> getBlocks() const;
    ::llvm::ArrayRef<int64_t> getPrefetch() const;
    ::llvm::ArrayRef<int64_t> getStream() const;
    int64_t getDepth() const;
    int64_t getColumns() const;
    int64_t getUnroll() const;
    int64_t getAccumulators() const;
    int64_t getLaneCount() const;
    int64_t getThreads() const;
    int64_t getStages() const;
    ::llvm::ArrayRef<int64_t> getPoints() const;
    int64_t getWidth() const;
    ::llvm::StringRef getMatrices() const;
  }];
}

#endif // FUSEC_SCHED_LEVELS
