// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of threads combined to one, which all of them get. The order depends
// on the number of threads only: each run gives the same bits, in every thread.
// And, at the end, sums of all threads of a grid, in no order.
#ifndef FUSEC_CUDA_REDUCE_H
#define FUSEC_CUDA_REDUCE_H

#include "fusec/cuda/threads.h"
#include "fusec/kernel/scalar.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

struct op_and {
  FUSEC_INLINE bool operator()(bool a, bool b) const { return a && b; }
};
struct op_or {
  FUSEC_INLINE bool operator()(bool a, bool b) const { return a || b; }
};

/// What thread `lane ^ distance` of the warp has.
template <class T> FUSEC_INLINE T swapped(T v, int distance) {
  return __shfl_xor_sync(0xffffffffu, v, distance);
}
FUSEC_INLINE bool swapped(bool v, int distance) {
  return swapped(static_cast<int32_t>(v), distance) != 0;
}

/// Of each `Lanes` threads in a row those that are multiples of `Apart` apart;
/// both are powers of two.
template <int Lanes, int Apart = 1, class T, class Op>
FUSEC_INLINE T reduce(T v, Op op) {
  FUSEC_UNROLL for (int distance = Lanes / 2; distance >= Apart; distance /= 2)
      v = op(v, swapped(v, distance));
  return v;
}

} // namespace detail

/// The values of the threads of a warp, which all come, combined to one.
#define FUSEC_REDUCE(op)                                                       \
  template <class T> FUSEC_INLINE T reduce_##op(T v) {                         \
    return detail::reduce<warp_size>(v, detail::op_##op());                    \
  }
FUSEC_REDUCE(add)
FUSEC_REDUCE(mul)
FUSEC_REDUCE(max)
FUSEC_REDUCE(min)
FUSEC_REDUCE(and)
FUSEC_REDUCE(or)
#undef FUSEC_REDUCE

/// Combines values of all `Threads` threads of a block, which all come to each
/// call: a power of two, of whole warps. A block waits once for it: values
/// of one call lie beside those of the call before, which some may still read.
template <int Threads> class BlockReduction {
public:
#define FUSEC_REDUCE(op)                                                       \
  template <class T> FUSEC_INLINE T reduce_##op(T v) {                         \
    return reduce_of_block(v, detail::op_##op());                              \
  }
  FUSEC_REDUCE(add)
  FUSEC_REDUCE(mul)
  FUSEC_REDUCE(max)
  FUSEC_REDUCE(min)
  FUSEC_REDUCE(and)
  FUSEC_REDUCE(or)
#undef FUSEC_REDUCE

private:
  static constexpr int warps = Threads / warp_size;
  static_assert(Threads % warp_size == 0 && (warps & (warps - 1)) == 0,
                "a power of two, of whole warps");

  template <class T, class Op> FUSEC_INLINE T reduce_of_block(T v, Op op) {
    v = detail::reduce<warp_size>(v, op);
    if constexpr (warps == 1) {
      return v;
    } else {
      __shared__ T of_warps[2][warps];
      if (lane() == 0)
        of_warps[call % 2][warp()] = v;
      sync_block();
      v = of_warps[call % 2][lane() % warps];
      ++call;
      return detail::reduce<warps>(v, op);
    }
  }

  int call = 0;
};

/// Combines values of the `Threads` threads of each of `Columns` columns:
/// thread t of a block is one of column t % Columns, so that neighbours have
/// neighbouring columns. Both are powers of two. All threads of the block come
/// to each call, and wait once for it, as for those of a BlockReduction.
template <int Columns, int Threads> class ColumnReduction {
public:
#define FUSEC_REDUCE(op)                                                       \
  template <class T> FUSEC_INLINE T reduce_##op(T v) {                         \
    return reduce_of_column(v, detail::op_##op());                             \
  }
  FUSEC_REDUCE(add)
  FUSEC_REDUCE(mul)
  FUSEC_REDUCE(max)
  FUSEC_REDUCE(min)
  FUSEC_REDUCE(and)
  FUSEC_REDUCE(or)
#undef FUSEC_REDUCE

private:
  /// Threads in a row that have a value of each column in the end: a warp, or
  /// several that have one each.
  static constexpr int row = Columns < warp_size ? warp_size : Columns;
  static constexpr int rows = Columns * Threads / row;
  static_assert((Columns & (Columns - 1)) == 0 &&
                    (Threads & (Threads - 1)) == 0 && rows > 0,
                "powers of two, of whole warps");

  /// One for all operations: shared memory is scarce.
  template <class T> FUSEC_INLINE static auto &get_parts() {
    __shared__ T parts[2][rows][Columns];
    return parts;
  }

  template <class T, class Op> FUSEC_INLINE T reduce_of_column(T v, Op op) {
    const int column = thread() % Columns;
    auto &parts = get_parts<T>()[call % 2];
    v = detail::reduce<warp_size, Columns>(v, op);
    if (thread() % row < Columns)
      parts[thread() / row][column] = v;
    sync_block();
    v = parts[0][column];
    FUSEC_UNROLL for (int i = 1; i < rows; ++i) v = op(v, parts[i][column]);
    ++call;
    return v;
  }

  int call = 0;
};

/// Adds `value` to what `to`, in global memory, holds, while other threads do:
/// in whichever order they come, so that each run may round in its own way.
template <class T> FUSEC_INLINE void atomic_add(T &to, T value) {
  atomicAdd(&to, value);
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
