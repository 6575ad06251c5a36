// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_KERNEL_PASSES
#define FUSEC_PASSES_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

def KernelSplitBorders : Pass<"kernel-split-borders", "::fusec::kernel::FuncOp"> {
  let summary = "Give tiles that need no padding a copy without tests";
  let description = [{
    Runs first. A tile (see --sched-split-tails) of a convolution tests at each point
    whether what it reads lies inside of the image. Where the loops around the tile decide
    that all of its tests hold, it is wrapped into a kernel.if whose first body has
    none. In the other body, and where no tile is free of tests, the same is done
    for each step of the reduction, the body of its innermost loop that is not
    unrolled. Tests that hold nowhere for a whole step stay as they are, and
    the tails that --sched-split-tails set apart get no second copy. Nor does a tile whose
    threads wait for each other, as those of columns do: they test each element once, when
    they load it.

    Iterations of a reduction's loops all of whose terms are zero, because the row that
    they read is padding, are left out everywhere (those of unrolled loops where lanes
    have a test): an infinite weight times that zero counts as zero. What is left of a
    test is then often known while compiling, such as the lanes at an end of a row.

    ```mlir
    kernel.for %j = 0 to 56 map(parallel) {
      %acc = kernel.local : memref<6x16xf32>
      kernel.for %m = 0 to 3 carries(add %acc : memref<6x16xf32>) {
        %inside = kernel.in_bounds affine_set<(d0, d1) : (d0 + d1 - 1 >= 0, -d0 - d1 + 56 >= 0)>(%j, %m) : i1
        %0 = kernel.load %x[%j + %m - 1] mask %inside fill 0.0 : f32 : memref<56xf32>, i1 -> f32
        ...
    // becomes
    kernel.for %j = 0 to 56 map(parallel) {
      kernel.if affine_set<(d0) : (d0 - 1 >= 0, -d0 + 54 >= 0)>(%j) {
        %acc = kernel.local : memref<6x16xf32>
        kernel.for %m = 0 to 3 carries(add %acc : memref<6x16xf32>) {
          %0 = kernel.load %x[%j + %m - 1] : memref<56xf32> -> f32
          ...
      } else {
        ... as it was
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numSplit", "num-split", "Tiles and steps that got a copy without tests">];
}

def KernelHoldRows : Pass<"kernel-hold-rows", "::fusec::kernel::FuncOp"> {
  let summary = "Let threads of a GPU hold what they come back to of a row in registers";
  let description = [{
    Contract: takes kernels of a GPU as --convert-sched-to-kernel leaves them, before
    --kernel-lower-reductions; those of a CPU stay as they are. A loop over a row that a
    team of threads shares (a warp or a block, which reduces in it or in a loop beside it),
    with constant bounds, becomes one over threads around an unrolled one over what each
    thread has of the row, in the order in which it had them: so several loads are under
    way at a time. Groups past the end are left out by a condition.

    Of arrays that the loops in one block of the kernel access by these elements, threads
    hold theirs in registers: those in shared memory of which that is true of all accesses,
    each of whose elements is one thread's then, and what is read of an operand in several
    loops. The first access has to be to all elements that the others access: a store of an
    array, a load of an operand.

    All that a thread holds, and what it has of one loop's row, fit its registers while half
    of the most threads are resident. Longer rows stay as they are (a remark, as of arrays
    that stay where they are).

    ```mlir
    kernel.for %j = 0 to 512 map(thread) carries(max %m : memref<f32, #own>) { ... %x[%i, %j] ... }
    kernel.for %j = 0 to 512 map(thread) carries(add %s : memref<f32, #own>) { ... %x[%i, %j] ... }
    // becomes, with #own = #kernel.space<thread>
    %x_held = kernel.local : memref<16xf32, #own>
    kernel.for %j = 0 to 32 map(thread) carries(max %m : memref<f32, #own>) {
      kernel.for %n = 0 to 16 map(unroll) carries(max %m : memref<f32, #own>) {
        %0 = kernel.load %x[%i, %n * 32 + %j] : memref<8x512xf32> -> f32
        kernel.store %0, %x_held[%n] : f32, memref<16xf32, #own>
        ...
    kernel.for %j = 0 to 32 map(thread) carries(add %s : memref<f32, #own>) { ... %x_held[%n] ... }
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report rows that are in no registers, with the reason">];
  let statistics = [Statistic<"numRows", "num-rows", "Rows held in registers">];
}

def KernelLowerReductions : Pass<"kernel-lower-reductions", "::fusec::kernel::FuncOp"> {
  let summary = "Give reductions in vector loops several vectors of partial results";
  let description = [{
    Runs before --kernel-vectorize. Contract: afterwards the iterations of every
    loop with `map(vector)` are independent. A loop that carries arrays by add,
    mul, max, min, and, or gets up to n x 16 partial results for each of them,
    initialised neutral: n are the `accumulators` of the kernel's config (without one,
    as many as hide what it takes to add), as far as there are vectors. It becomes
    blocks of n x 16 iterations over inner vector loops of 16; the partial results are combined pairwise, then
    over the lanes (kernel.reduce), then with the location's old value, always in
    the same order. They live across enclosing sequential loops that do nothing
    else with the location, which carry them instead.

    Arrays that a loop carries by select get one vector each, which begins as what
    they hold; then each lane's values are offered to them in the same way.

    A loop may begin at a maximum, as one over what a sliding window leaves does. One
    that carries something by update, both what is combined and what is selected, or
    several elements of an array becomes sequential, one of less than 8 iterations is
    unrolled; a remark says why.

    Of a parallel loop that carries arrays each iteration gets one of its own, and
    combines it with the array when it ends (kernel.atomic), in any order.

    Of a loop that the threads of a GPU share each thread gets a partial result of its
    own, which a loop over what it has side by side carries, and all get these combined when it is done (kernel.combine); of what is
    selected they leave it in shared memory, and each offers all to what it holds. Where
    the threads share the array itself the first one stores the result.

    Of a loop of blocks that carries arrays each block runs what stands before it, and
    leaves its partial results in the workspace, of each thread that has some of its own
    or those of all; the last block (kernel.last_block, behind a barrier where it is not the
    first thread alone that leaves something) has what the results begin with,
    combines all parts and runs what stands behind the loop. Where it stands in loops of
    columns, it goes around them. Of an `atomic` loop each
    block adds its sums to the outputs that what stands behind stores them to
    (kernel.atomic), which are `kernel.zeroed` then; it fails where a sum does not begin
    with zero, or is not only stored to an output.

    ```mlir
    kernel.for %j = 0 to 512 map(vector) carries(add %sum : memref<f32>) {
      %0 = kernel.load %x[%i, %j] : memref<8x512xf32> -> f32
      %1 = kernel.load %sum[] : memref<f32> -> f32
      %2 = arith.addf %1, %0 : f32
      kernel.store %2, %sum[] : f32, memref<f32>
    }
    // becomes, with accumulators = 4
    %partial = kernel.local : memref<4x16xf32>
    kernel.for %u = 0 to 4 map(unroll) { ... store 0 -> %partial[%u, 0] : 16 lanes }
    kernel.for %j = 0 to 512 step 64 carries(add %partial : memref<4x16xf32>) {
      kernel.for %u = 0 to 4 map(unroll) {
        kernel.for %lane = 0 to 16 map(vector) {
          ... %partial[%u, %lane] += %x[%i, %j + %u * 16 + %lane] ...
        }
      }
    }
    %p0 = kernel.load %partial[0, 0] : memref<4x16xf32> -> vector<16xf32>
    ...
    %s = kernel.reduce add %p0123 : vector<16xf32> -> f32
    %0 = kernel.load %sum[] : memref<f32> -> f32
    %1 = arith.addf %0, %s : f32
    kernel.store %1, %sum[] : f32, memref<f32>
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let statistics = [Statistic<"numSplit", "num-split", "Accumulators split into partial results">,
    Statistic<"numShared", "num-shared", "Accumulators that threads combine">];
}

def KernelVectorize : Pass<"kernel-vectorize", "::fusec::kernel::FuncOp"> {
  let summary = "Turn loops mapped to vectors into loops over 16 lanes";
  let description = [{
    Contract: iterations of a loop with `map(vector)` are independent (its
    accumulations were taken out by --kernel-lower-reductions). Afterwards no
    such loop is left. A loop becomes steps of 16: whole vectors without a mask,
    unrolled when there are at most four, then one masked step for the rest; a
    loop of at most 64 iterations whose bound is a minimum becomes masked
    vectors only. One that begins at a maximum runs as many iterations as are left
    from the latest beginning, before its end; a loop whose bounds are of several has
    an iteration. Loads and stores are classified by how far apart the lanes'
    elements lie: the same one (scalar load and broadcast), contiguous, a
    constant stride, or irregular (gather). Local arrays that only whole vectors
    use become arrays of vectors.

    A tile whose lanes lie apart in memory, but its rows side by side (the channels of
    pixels), is written with kernel.store_transposed after the unrolled loop over its
    rows, of which there are four at least and which accesses that memory nowhere else.
    So is what a sequential loop over rows lays out as columns and does nothing else but
    that: it becomes tiles of 16 rows, each unrolled within the loops over vectors.
    An outermost unrolled loop, of four iterations at least, that still accesses vectors
    whose elements lie apart becomes sequential, and reads copies of the arrays of vectors
    that it does not write; not one that accumulates.

    A loop that has no form for lanes becomes sequential, with a remark that
    says why and a note at the operation at fault. A load or store whose lanes are
    not side by side gets a remark that says why no other loop runs on lanes.

    ```mlir
    kernel.for %j = 0 to 40 map(vector) {
      %0 = kernel.load %x[%i, %j] : memref<8x40xf32> -> f32
      %1 = kernel.load %s[%i] : memref<8xf32> -> f32
      %2 = arith.mulf %0, %1 : f32
      kernel.store %2, %y[%i, %j] : f32, memref<8x40xf32>
    }
    // becomes
    kernel.for %j = 0 to 32 step 16 map(unroll) {
      %0 = kernel.load %x[%i, %j] : memref<8x40xf32> -> vector<16xf32>
      %1 = kernel.load %s[%i] : memref<8xf32> -> f32
      %2 = kernel.broadcast %1 : f32 -> vector<16xf32>
      %3 = arith.mulf %0, %2 : vector<16xf32>
      kernel.store %3, %y[%i, %j] : vector<16xf32>, memref<8x40xf32>
    }
    kernel.for %j = 32 to 40 step 16 {
      %m = kernel.tail_mask %j, affine_map<() -> (40)>() : vector<16xi1>
      ...
    }
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let statistics = [Statistic<"numVectorized", "num-vectorized", "Loops turned into lanes">];
}

def KernelPrefetchRows : Pass<"kernel-prefetch-rows", "::fusec::kernel::FuncOp"> {
  let summary = "Fetch memory while a kernel computes";
  let description = [{
    Runs after --kernel-vectorize, for arguments with `kernel.prefetch`, which the
    config of the schedule decided (passes/poly/levels/Prefetch). A remark says which of
    them are not prefetched and why: the kernel is right without.

    Where one iteration of a parallel loop runs over a row several times, the
    first and last passes wait for memory while the ones between compute. Rows are
    fetched in the first pass that computes functions such as exp, beside a load of a row:
    - of an input, the next iteration's row;
    - of an output, to write, this iteration's, which later passes store to; the
      row beside which it is fetched is as long.

    ```mlir
    // %x and %y have kernel.prefetch
    kernel.for %i = 0 to 6144 map(parallel) {
      kernel.for %j = ... { max of %x[%i, %j] }
      kernel.for %j = ... {
        %0 = kernel.load %x[%i, %j] : memref<6144x512xf32> -> vector<16xf32>
        ... math.exp ...
      }
      kernel.for %j = ... { kernel.store ..., %y[%i, %j] ... }
    // the second loop becomes
      %next = kernel.min affine_map<(d0) -> (d0 + 1, 6143)>(%i)
      kernel.for %j = ... {
        kernel.prefetch %x[%next, %j] : memref<6144x512xf32>
        kernel.prefetch write %y[%i, %j] : memref<6144x512xf32>
        %0 = kernel.load %x[%i, %j] : memref<6144x512xf32> -> vector<16xf32>
        ... math.exp ...
      }
    ```

    A tile (see --sched-split-tails) that loads one element for all lanes, at
    places that lie in other cache lines with each step of a reduction, waits for
    memory too: no processor foresees them. Each such step prefetches what the
    next tile of the loop around reads there and this one does not.

    ```mlir
    kernel.for %t = 0 to 56 {
      kernel.for %k = 0 to 512 {
        kernel.for %i = 0 to 14 map(unroll) {
          %0 = kernel.load %x[%k, %t * 14 + %i] : memref<512x784xf32> -> f32
    // the second loop becomes
      kernel.for %k = 0 to 512 {
        kernel.prefetch %x[%k, %t * 14 + 27] : memref<512x784xf32>
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let statistics = [Statistic<"numPrefetched", "num-prefetched", "Prefetches added">];
}

def KernelPipelineCopies : Pass<"kernel-pipeline-copies", "::fusec::kernel::FuncOp"> {
  let summary = "Load the next tiles while threads compute with these";
  let description = [{
    Runs before --kernel-legalize, on kernels of a GPU whose config has 2 or more
    `stages`, or multiplies matrices; others stay as they are. In a loop whose body is tiles in shared memory, a
    barrier, what fills them, a barrier, and what computes with them, there are so many
    of each tile, which iterations have in turn. Contract: an iteration computes with
    what the loop filled its tiles with before, and one barrier an iteration is left:
    - before the loop, tiles of the first `stages` - 1 iterations are filled, as far as
      the loop has them; behind a barrier, where a loop around comes there again;
    - an iteration waits until its tiles are there, for all threads (which then have
      also done with those of the iteration before), begins to fill those of the
      iteration `stages` - 1 later, and computes.

    Elements of 4 or 8 bytes, or several of 1 or 2 bytes side by side, that are stored as they were loaded, or as zeros outside of
    the array, are copied asynchronously (kernel.copy_async): several side by side where
    threads that are neighbours copy neighbours in both arrays, rows are whole words, and
    a mask has one answer for all of a word. What is converted, or has another fill, is
    loaded and stored in the same place. A loop that has another body stays, with a
    remark: it is right without. Fails on a target without such copies.

    With one stage nothing is loaded ahead, but where the config multiplies matrices copies
    are asynchronous all the same: they take no registers, and are not converted.

    ```mlir
    kernel.for %t = 0 to 32 carries(add %acc : memref<4xf32, #own>) {
      %tile = kernel.local : memref<16x64xf32, #shared>
      ... kernel.store of what %w[%t * 16 + %k, %j] holds to %tile[%k, %j], between barriers ...
      ... %tile[%k, %j] ...
    }
    // becomes, with stages = 2, behind the same for iteration 0
    kernel.for %t = 0 to 32 {
      kernel.wait_copies most = 0
      kernel.barrier block
      kernel.if affine_set<(d0) : (-d0 + 30 >= 0)>(%t) {
        ... kernel.copy_async %w[%t * 16 + %k + 16, %j * 4] to %tile[(%t + 1) mod 2, %k, %j * 4] elements = 4 ...
      }
      kernel.commit_copies
      ... %tile[%t mod 2, %k, %j] ...
    }
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let statistics = [Statistic<"numPipelined", "num-pipelined", "Loops that load ahead">];
}

def KernelMultiplyMatrices : Pass<"kernel-multiply-matrices", "::fusec::kernel::FuncOp"> {
  let summary = "Multiply what the threads of a warp have as matrices";
  let description = [{
    Runs behind --kernel-pipeline-copies, on kernels of a GPU whose config names a unit for
    `matrices`; others stay as they are. A loop over terms, in which each thread adds to
    all of its own sums the products of rows and columns in shared memory, becomes one
    over steps of the unit, in which all threads of a warp add the products of matrices
    (kernel.add_matrices). Contract: each sum gets the same products, in another order.
    That holds where what its threads have is where the unit has it: threads along rows
    vary fastest, then those along columns, and the rows and columns of one thread are as
    far apart as the unit has threads along them; the tree of the schedule was cut so.
    A loop that does something else stays, with a remark: it is right without.
    ```mlir
    kernel.for %k = 0 to 32 { ... %a[%i, %j] + %x[%i * 4 + %i_lane, %k] * %w[%k, %j * 8 + %j_lane] ... }
    // becomes
    kernel.for %k = 0 to 32 step 16 {
      kernel.add_matrices %x[0, %k] row = 40, %w[%k, 0] column = 1 term = 40 to %a : ...
    }
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let statistics = [Statistic<"numMatrices", "num-matrices", "Loops that multiply matrices">];
}

def KernelLegalize : Pass<"kernel-legalize", "::fusec::kernel::FuncOp"> {
  let summary = "Simplify kernels and make them fit for emission";
  let description = [{
    Contract, before: no loop is mapped to vectors, vectors have 16
    lanes (an error otherwise). Afterwards
    - operations without a word in the kernel vocabulary are expanded; where
      there is no expansion, that is an error at the operation;
    - affine expressions are composed and simplified with the ranges of loop
      indices ((8 * i + k) mod 8 is k for k in [0, 8)); bounds, conditions and
      masks that these ranges decide are gone, and so are loops of one
      iteration, constant expressions, equal values and dead ones;
    - loads and values that do not change in a loop are before it (not in
      parallel loops, and no load out of a loop that may not run);
    - local arrays that nothing reads are gone;
    - a loop over terms with `tiled` products, and the unrolled ones over rows and
      columns in it, are one `kernel.add_products` where they add the products of
      two matrices and do nothing else: rows of terms side by side, and panels of
      the terms of 16 columns side by side, without masks; loops over rows of its
      sums are unrolled no more. Elsewhere products are `tiled` no more;
    - loops mapped to unroll have constant trip counts of at most 64, others
      become sequential, with a remark;
    - all that is unrolled in a kernel is at most as many operations as its
      target's platform allows, on a CPU 4096, as a C++ compiler counts them (a
      gather is some for each lane): the loops that spare most become sequential,
      with a remark, those last whose iterations have registers of their own;
    - parallel loops have the grain of the config that the kernel was made with.
      In a perfect nest of them, the innermost has it.

    ```mlir
    kernel.for %i = 0 to 8 map(unroll) {
      kernel.for %j = 0 to 16 step 16 map(unroll) {
        %0 = kernel.load %s[%i] : memref<8xf32> -> f32
        %1 = kernel.broadcast %0 : f32 -> vector<16xf32>
        kernel.store %1, %y[(%i * 16 + %j) floordiv 16, 0] : vector<16xf32>, memref<8x16xf32>
      }
    }
    // becomes
    kernel.for %i = 0 to 8 map(unroll) {
      %0 = kernel.load %s[%i] : memref<8xf32> -> f32
      %1 = kernel.broadcast %0 : f32 -> vector<16xf32>
      kernel.store %1, %y[%i, 0] : vector<16xf32>, memref<8x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
}

def KernelWidenAccesses : Pass<"kernel-widen-accesses", "::fusec::kernel::FuncOp"> {
  let summary = "Give threads of a GPU elements side by side";
  let description = [{
    Contract: takes kernels as they are emitted, leaves such; those of a CPU stay as they
    are. What a thread has side by side (an unrolled loop of 2, 4, 8, ... iterations in one
    of threads) it loads and stores in rows (`kernel.load_row`, `kernel.store_row`), from
    shared memory too. That is proven of each access: it follows the loop by one element,
    rows begin at multiples of their number and are no longer than an access of the
    target, and nothing else in the loop accesses that memory, if one of them writes. Others
    stay (a remark). A condition around the body that has one answer for all of a row goes
    around the loop.

    Where the loop of threads is over single iterations, each thread of a block has several
    of them, and all accesses could be rows, it gets iterations side by side in place of
    such that are apart: as many as one access can move of the widest elements. Others stay
    (a remark), as do such loops of a kernel whose threads share more than global memory:
    there the schedule says which iteration is whose. Where all threads wait before and
    after the loop, as they do for what a tile loads to shared memory, that is nobody's.

    ```mlir
    kernel.for %j = 0 to 256 map(thread) {     // of 64 threads
      %0 = kernel.load %x[%i, %j] : memref<8x256xf32> -> f32
      %1 = math.exp %0 : f32
      kernel.store %1, %y[%i, %j] : f32, memref<8x256xf32>
    }
    // becomes, with #own = #kernel.space<thread>
    kernel.for %j = 0 to 64 map(thread) {
      %x_row = kernel.local : memref<4xf32, #own>
      kernel.load_row %x[%i, %j * 4] to %x_row : memref<8x256xf32>, memref<4xf32, #own>
      %y_row = kernel.local : memref<4xf32, #own>
      kernel.for %k = 0 to 4 map(unroll) {
        %0 = kernel.load %x_row[%k] : memref<4xf32, #own> -> f32
        %1 = math.exp %0 : f32
        kernel.store %1, %y_row[%k] : f32, memref<4xf32, #own>
      }
      kernel.store_row %y[%i, %j * 4] from %y_row : memref<8x256xf32>, memref<4xf32, #own>
    }
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report loops of threads and accesses that stay, with the reason">];
  let statistics = [Statistic<"numRows", "num-rows", "Accesses to rows made">];
}

def KernelNarrowIndices : Pass<"kernel-narrow-indices", "::fusec::kernel::FuncOp"> {
  let summary = "Let the indices of a GPU's kernels have 32 bits where that is enough";
  let description = [{
    Contract: takes kernels as they are emitted, and changes nothing of them but that a
    kernel of a GPU gets `narrow_indices` of which it is proven that all fits 31 bits that
    is computed of indices: each index of a loop, and what it is after the last iteration;
    each sum of terms of subscripts, bounds and conditions, in whichever order; and the
    place of each element that is accessed, counted in elements of its array. (Addresses
    have 64 bits, and so have places in the workspace.) Run-time subscripts are inside of
    their dimension. A GPU multiplies and divides numbers of 64 bits in several
    instructions. Kernels of which that is not proven stay (a remark), as do those of a
    CPU.

    ```mlir
    kernel.func @copy(%x: memref<4096xf32>, %y: memref<4096xf32>)
        attributes {..., threads = 256 : i64} {
      kernel.for %b = 0 to 16 map(block) {
        kernel.for %t = 0 to 256 map(thread) {
          %0 = kernel.load %x[%b * 256 + %t] : memref<4096xf32> -> f32
          ...
    // becomes
    kernel.func @copy(%x: memref<4096xf32>, %y: memref<4096xf32>)
        attributes {..., narrow_indices, threads = 256 : i64} { ...
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report kernels of a GPU that keep indices of 64 bits, with the reason">];
  let statistics = [Statistic<"numNarrow", "num-narrow", "Kernels whose indices have 32 bits">];
}

#endif // FUSEC_PASSES_KERNEL_PASSES
