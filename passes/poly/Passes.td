// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_POLY_PASSES
#define FUSEC_PASSES_POLY_PASSES

include "mlir/Pass/PassBase.td"

/// What isl may take for one scop in a pass.
class IslLimitOf<string what> {
  list<Option> options = [
    Option<"operations", "operations", "int64_t", "IslLimit().operations",
      "Operations of isl that " # what # " may take">,
    Option<"limit", "limit", "int64_t", "IslLimit().time.count()",
      "Milliseconds of processor time that " # what # " may take">];
}

def SchedCompute : Pass<"sched-compute", "::mlir::ModuleOp"> {
  let summary = "Compute a schedule tree for every scop";
  let description = [{
    Proposes an order of the statement instances and checks it against every
    dependence. isl's scheduler proposes first; where statements read windows of
    what others make, it also proposes to run them some iterations behind. The
    structural builder (one outer parallel band over the iterators that all
    statements share, a sequence of the members below) takes scops that isl's
    static limits exclude and those where it is expected to take less: an
    estimate (`ProposalCost`) of how many cores share the loops, of accesses and
    arithmetic on lanes, which a loop askew to the iterators has none of, of what
    waits between statements in which cache, and of loops that begin. On a tie
    isl's schedule stands; a remark has both estimates where they differ. Which
    proposer was taken is the scop's `proposer`.

    Statements whose ranges differ, as the pieces of a concatenation do, share no
    iterators as they are. Where that leaves some of the target without work, the
    structural builder also proposes a loop over the whole array, in which each
    statement stands where it accesses it:

    ```
    first[i0] -> [(i0)]; second[i0] -> [(700 + i0)]; reader[i0] -> [(i0)]
    ```

    What has no array in common stands side by side.

    isl's integer programs may not end. Each of the two has one limit for all
    that isl does for it (dependences, proposal, checks): `operations` as isl
    counts them, the same on every machine, and in an emergency `limit` of
    processor time. One that exceeds it is stopped with a warning. If that leaves
    none, the statements run in the order of the program, which nothing has to be
    proven for.

    The passes from --sched-select-configs to --convert-sched-to-kernel have the same
    limit, each. A scop with which isl is stopped there takes its next proposal (the
    structural one, then the order of the program), with a remark, and goes through
    the passes before again; an error says if none is left.

    Fails where `proposer` names one and its proposal is refused.
  }];
  let options = [
    Option<"proposer", "proposer", "std::string", "\"auto\"",
      "Who proposes: auto, isl or structural">,
    Option<"maxWork", "max-work", "int64_t", "2048", "Pairs of accesses to one array, times the iterators of the deepest statement, up to which isl is asked">,
    Option<"lockFile", "lock", "std::string", "\"\"", "A fusec.lock with proposers to ask">,
    Option<"target", "target", "std::string", "\"cpu\"", "What the targets of the lock are, part of its keys">]
    # IslLimitOf<"a proposal and its checks">.options;
  let statistics = [Statistic<"numTimedOut", "timed-out", "Proposals that were stopped">];
}

def SchedSelectConfigs : Pass<"sched-select-configs", "::mlir::ModuleOp"> {
  let summary = "Choose tile sizes and make a scop per variant";
  let description = [{
    Lists the configs that the target's registers and caches have room for,
    cheapest first, and stores the first one that the schedule takes: its tiles,
    the order of its loops, and for each statement the iterator that runs on
    lanes (whose accesses move by one element, by a count of memory operations).
    Tiles and lanes are proven to keep every dependence that the schedule keeps.
    Where on a CPU one tile has all of a scop with a statement of 4,096 instances or more,
    `single_tile` says what that is expected to take, in nanoseconds.

    Each instruction set that the target tiles for takes its own cheapest. Where all
    take the same, the scop stays one; where they do not, there is one for each, with
    `isa`. Adds the variant `naive`, which serves all of them: statements one after the
    other in program order, on a GPU by the threads of one block, which share a loop of
    each that carries nothing. The default of an instruction set is the first variant that
    serves it; the first of all has the group's name. With `variants` above two the next
    cheapest configs become variants, too, last and by the names of their algorithms.
    ```mlir
    sched.scop @dense ... schedule(...) attributes {proposer = "isl"}
    ```
    becomes, for target generic,
    ```mlir
    sched.scop @dense ... config(... tile = [6, 16] ...) attributes {group = "dense", isa = "avx2", ...}
    sched.scop @dense_avx512 ... config(... tile = [14, 32] ...) attributes {group = "dense", isa = "avx512", ...}
    sched.scop @dense_naive ... config(... name = "naive" ...) attributes {group = "dense", ...}
    ```

    What a lock or an Advisor says for sessions of more threads becomes a variant of
    its own, `threads_8`, unless a default takes the same; `selected` of the variant
    says on which instruction sets, and from how many threads on, it runs in place of the
    default.

    `lock` names a fusec.lock (passes/lock): its entry for a group, and for an
    instruction set or all of them, gives the config, and the variant that is the default. A
    config that the schedule cannot take is an error; lanes, accumulators and a grain
    that it does not name are chosen. Where the lock has none, and the compilation an
    Advisor (passes/lock), that one is asked; what it says and does not fit is left, with
    a warning. `key` says what the group is called in such a file, `locked` that either
    changed what would be decided.
  }];
  let options = [
    Option<"variants", "variants", "unsigned", "2", "How many variants an instruction set has at most: the default, the naive one from two on, the next cheapest">,
    Option<"numerics", "numerics", "std::string", "\"reproducible\"", "reproducible, or fast: also configs that add up in whichever order threads run, or round factors">,
    Option<"anyVariants", "any-variants", "bool", "false", "Further variants need not be of the configs that numerics allows: for who measures them">,
    Option<"comparesOrders", "compares-orders", "bool", "false", "Report what it costs that sums of ordered scops keep their order">,
    Option<"lockFile", "lock", "std::string", "\"\"", "A fusec.lock with configs to take">,
    Option<"target", "target", "std::string", "\"cpu\"", "What the targets of the lock are, part of its keys">]
    # IslLimitOf<"choosing a config">.options;
}

def SchedTile : Pass<"sched-tile", "::mlir::ModuleOp"> {
  let summary = "Tile the outer band as the config says";
  let description = [{
    The band of point loops sinks below the reductions, so that a tile's
    accumulators stay in registers; sequences stay outside of it. With `columns`
    the loop below the outer band that is cheaper on lanes than those in it (the
    columns of a product with a row) is tiled with the rows of the outer band's
    tile; what comes before it is computed a row at a time, in a loop over rows for each
    reduction of short rows, so that those of several rows go on at a time. On a GPU, point loops stay
    around what stands inside; with `points` there are, in each part of what stands inside
    and below parts of `split` iterations of a reduction that blocks share (a mark `split`)
    and blocks of `depth` iterations of it, loops over threads, and at the leaves loops over
    the points of each. Fails where the config does not fit the tree; --sched-verify finds out whether it keeps the
    dependences.

    Of statements that are `needed` at some points only it says by tiles, on a CPU, which
    ones run (`runs`); the tree has all of them.
  }];
  let options = IslLimitOf<"tiling">.options;
}

def SchedMap : Pass<"sched-map", "::mlir::ModuleOp"> {
  let summary = "Say which loops run on threads, lanes and as copies";
  let description = [{
    Splits bands into single loops under marks `parallel`, `vector`, `unroll`
    and orders the loops of a point band so that the config's lanes are innermost.
    With `depth`, the tiles of a block stand in blocks of the reduction.
    Where the config says that the unit of a statement adds several terms in a step
    (`products`), the loop over these terms counts them in steps of as many, and the loop
    over those of a step is innermost, under a mark `unit`; terms that are left over
    follow as they were.
    Fails where no innermost loop runs over the iterator of a statement, and on a GPU none
    around them does.

    On a GPU the loops over tiles are under marks `block`, those over their points
    under marks `thread`: a thread runs all that stands below. With `columns` they are under
    marks `column`, and the threads of each share the loops under marks `vector` below; so
    do those of a `warp`, where a block has several rows. Points of a thread, and the
    innermost loops of a reduction up to `unroll` copies, are under marks `unroll`. With
    `width` the loop under a mark `vector` is one over groups of so many neighbouring
    iterations, of which each thread has whole ones:

    ```
    mark: vector
    schedule: sum[i, j] -> [(floor(j/4))]
    mark: unroll
    schedule: sum[i, j] -> [(j mod 4)]
    ```
  }];
  let options = IslLimitOf<"mapping loops">.options;
}

def SchedPromoteArrays : Pass<"sched-promote-arrays", "::mlir::ModuleOp"> {
  let summary = "Shrink arrays to the part that is live at a time";
  let description = [{
    An array whose values never leave one iteration of the loops above its
    statements becomes local there: a mark `local_mN_AxB` (N the number of its
    argument) says where and with which extents, those of its footprint. Its
    elements lie at their subscripts modulo these; statements keep the subscripts
    of the whole array. Where lanes run along another dimension than its last one,
    that one lies behind the others (`_last0`), so that lanes are side by side: a
    remark says where statements do not agree on it. Where a reduction has blocks
    (`depth`), the accumulators of a tile are a copy of the array's: a mark
    `copy_mN_AxB` above the tile's part of the reduction. Other arrays stay in the group's workspace.

    On a GPU an array is a thread's own: where its values stay in one thread although the
    loops of several nests share them, `_by1x16` says how far apart the elements of each
    are. With `points` a block has a copy of what several threads read of an input, in
    shared memory: `copy_mN_AxB` above the loops of threads that multiply, of whole tiles,
    with what lies outside of the input; a dimension that threads run along lies behind the
    others (`_last0`), and elements of what units multiply as matrices lie as they do in
    memory (`_stored`). A remark says which operands stay in global memory, and why.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "-1",
      "The largest local array; -1: what the target's row says">]
    # IslLimitOf<"promoting arrays">.options;
}

def SchedPlaceBarriers : Pass<"sched-place-barriers", "::mlir::ModuleOp"> {
  let summary = "Place the barriers of rows that threads share";
  let description = [{
    Where the threads of a block, a warp or a column of a GPU share loops (marks `vector`), a mark
    `barrier` says what begins only when all of them have come to it. Contract:
    afterwards no two threads access one place of an array that they share without one
    between them, one of them to write; on each way there are as few as that takes. Where
    the threads of a block or a column combine partial results of a reduction they wait for each
    other anyway, and no barrier stands where that is enough. Arrays that each thread
    has of its own (`local_mN_AxB`) need none. Other schedules stay as they are.

    ```
    mark: vector        # threads store a row
    mark: barrier       # added
    mark: vector        # they read its elements in another order
    ```
  }];
  let options = IslLimitOf<"placing barriers">.options;
}

def SchedSplitTails : Pass<"sched-split-tails", "::mlir::ModuleOp"> {
  let summary = "Tell full tiles from those at the ends of loops";
  let description = [{
    A tile is what stands in the loops around accumulators: arrays that became
    local there, into which a loop that is not on lanes accumulates. Where its
    loops on lanes or its unrolled ones end early in the last iteration of a loop
    around, it becomes a sequence of copies, each for a part of the iterations
    around:
    - full tiles, in which each of these loops runs from its first value to its
      last: it has constant bounds in the code, and the accumulators live in
      registers;
    - tiles in which a loop on lanes ends early, but none that is unrolled;
    - for each loop that is unrolled, those tiles of the rest in which it ends
      early: it has another constant bound. Lanes may end early too, and have
      masks.

    Each copy has local arrays of its own. Tiles without accumulators are left
    alone: their tails cost little, copies would double the code. A remark says
    where no conjunction of conditions on the loops around tells the parts apart.

    ```
    # tiles of 8 rows, of 100
    schedule: "floor(i0/8)"
    child:
      mark: "local_m3_8x16"
      child:
        ...
    # becomes
    schedule: "floor(i0/8)"
    child:
      sequence:
      - filter: "{ mac[i0, i1] : i0 <= 95 }"
        child:
          mark: "local_m3_8x16"
          child:
            ...
      - filter: "{ mac[i0, i1] : i0 >= 96 }"
        child:
          mark: "local_m3_8x16"
          child:
            ...
    ```
  }];
  let options = IslLimitOf<"telling tails apart">.options;
}

def SchedVerify : Pass<"sched-verify", "::mlir::ModuleOp"> {
  let summary = "Prove that every schedule keeps every dependence";
  let description = [{
    Recomputes the dependences from program order and fails, with an example,
    if a schedule breaks one, runs an instance not once, marks a loop parallel or vector
    that carries a dependence, or makes an array local where values of it come
    from elsewhere or two of its elements would lie in one place, or copies what
    is not written there; or if statements do not run (`runs`) where they are `needed`, or
    read what none that runs writes. Of rows that threads of a GPU share it fails where a thread
    needs what another one has of its own, or two may access one place unordered, one of
    them to write. Where isl does not end the proof within its
    limit, the schedule counts as broken.
  }];
  let options = [
    Option<"barriers", "barriers", "bool", "true",
      "Whether --sched-place-barriers has run: without it, threads are unordered">]
    # IslLimitOf<"the proof">.options;
}

def ConvertSchedToKernel : Pass<"convert-sched-to-kernel", "::mlir::ModuleOp"> {
  let summary = "Generate loops from schedule trees";
  let description = [{
    Every scop becomes a kernel.func: isl builds the loops, statements become
    loads, scalar operations and stores, local arrays kernel.local, other arrays
    places in the workspace. A copy is filled where its mark stands, and written
    back at its end; what does not run (`runs`) is in no loop; one of an input is loaded by all threads of a block, which wait before,
    where it was read in an iteration of a loop around, and after. Loops over the points of
    a thread have constant bounds; conditions are around what somebody sees. Loops over what a statement `reduces` carry what it
    writes, by the operation that its body combines with.

    Where one thread of a CPU runs a statement of 4,096 instances or more, the kernel
    says how many, and of each of its loops what keeps it from threads (`serial`): a
    dependence, or that one tile has all of it, with what that takes (`single_tile` of the
    scop) and from what on two threads are worth waking:

    ```mlir
    serial = {points = 8192 : i64, reason = "i of @total is reduced"}
    serial = {points = 4699 : i64, reason = "one tile has all of it: 2.1 us, and two threads are worth waking from 10.0 us on"}
    ```

    Where isl does not end the loops within its limit, the scop takes its next
    proposal; without one this is an error.
  }];
  let options = IslLimitOf<"making loops">.options;
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
}

#endif // FUSEC_PASSES_POLY_PASSES
