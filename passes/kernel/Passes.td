// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_KERNEL_PASSES
#define FUSEC_PASSES_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

def KernelLowerReductions : Pass<"kernel-lower-reductions", "::fusec::kernel::FuncOp"> {
  let summary = "Give reductions in vector loops several vectors of partial results";
  let description = [{
    Runs before --kernel-vectorize. Contract: afterwards the iterations of every
    loop with `map(vector)` are independent. A loop that accumulates into
    locations which do not change with its index, by add, sub, mul, maximum,
    minimum, fma (numbers), and, or (i1), gets up to 4 x 16 partial results for
    each location, initialised neutral. It becomes blocks of 64 iterations over
    inner vector loops of 16; the partial results are combined pairwise, then
    over the lanes (kernel.reduce), then with the location's old value, always in
    the same order. They live across enclosing sequential loops that do nothing
    else with the location.

    A loop whose accumulation is not of this kind becomes sequential, with a
    remark that says why.

    ```mlir
    kernel.for %j = 0 to 512 map(vector) {
      %0 = kernel.load %x[%i, %j] : memref<8x512xf32> -> f32
      %1 = kernel.load %sum[] : memref<f32> -> f32
      %2 = arith.addf %1, %0 : f32
      kernel.store %2, %sum[] : f32, memref<f32>
    }
    // becomes
    %partial = kernel.local : memref<4x16xf32>
    kernel.for %u = 0 to 4 map(unroll) { ... store 0 -> %partial[%u, 0] : 16 lanes }
    kernel.for %j = 0 to 512 step 64 {
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
  let statistics = [Statistic<"numSplit", "num-split", "Accumulators split into partial results">];
}

def KernelVectorize : Pass<"kernel-vectorize", "::fusec::kernel::FuncOp"> {
  let summary = "Turn loops mapped to vectors into loops over 16 lanes";
  let description = [{
    Contract: iterations of a loop with `map(vector)` are independent (its
    accumulations were taken out by --kernel-lower-reductions). Afterwards no
    such loop is left. A loop becomes steps of 16: whole vectors without a mask,
    unrolled when there are at most four, then one masked step for the rest; a
    loop of at most 64 iterations whose bound is a minimum becomes masked
    vectors only. Loads and stores are classified by how far apart the lanes'
    elements lie: the same one (scalar load and broadcast), contiguous, a
    constant stride, or irregular (gather). Local arrays that only whole vectors
    use become arrays of vectors.

    A loop that has no form for lanes becomes sequential, with a remark that
    says why and a note at the operation at fault.

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

#endif // FUSEC_PASSES_KERNEL_PASSES
