// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of whole blocks of a GPU's threads, which operators of users name
// with .block and which kernels of fusec's call (fusec/op.h). Such a header
// looks like this:
//
//   #pragma once
//   #include "fusec/op_block.h"
//
//   namespace acme {
//
//   template <class X, class Y>
//   __device__ void sums(const fusec::Block &block, X x, Y y, float scale) {
//     fusec::BlockReduction<128> sum;
//     for (int64_t i = block.index; i < x.extent(0); i += block.count) {
//       float mine = 0;
//       for (int64_t j = block.thread(); j < x.extent(1); j += block.threads)
//         mine += fusec::load(&x(i, j));
//       const float all = sum.reduce_add(mine);
//       if (block.thread() == 0)
//         fusec::store(&y(i), scale * all);
//     }
//   }
//
//   } // namespace acme
//
// All threads of each block of the grid call it once, with the inputs, the
// outputs and the parameters of the operator, in their order. X and Y know
// their extents; a plain function takes BlockTensor<const float, 2> and
// BlockTensor<float, 1> instead. The words of fusec/cuda/README.md are there,
// and all of CUDA's own: __shared__ arrays, __syncthreads(), atomics.
#ifndef FUSEC_OP_BLOCK_H
#define FUSEC_OP_BLOCK_H

#include "fusec/cuda/kernel.h"

// NVRTC has no <cmath>.
#if defined(__CUDACC_RTC__) && !defined(INFINITY)
#define INFINITY FUSEC_INF
#define NAN FUSEC_NAN
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// Which block of how many calls the function, of how many threads, and the
/// memory that the operator has asked for.
struct Block {
  int64_t index, count;
  int threads;
  /// Of this block: as many bytes as .sharedBytes said, aligned to 16, which
  /// hold anything in the beginning; null where it said nothing.
  char *shared;
  /// Of all blocks, in memory of the GPU: as many bytes as .workspace said,
  /// aligned to 64; null where it said nothing.
  char *workspace;

  /// The number of the thread that asks, in its block.
  FUSEC_INLINE int thread() const { return fusec::thread(); }
  /// Waits for all threads of the block.
  FUSEC_INLINE void sync() const { sync_block(); }
};

namespace detail {

/// A few values, perhaps none.
template <class T, int Count> struct few {
  T values[Count ? Count : 1];
};

} // namespace detail

/// A tensor of `Rank` dimensions: x(i, j) is an element, x.data[k] the one that
/// comes k-th, row after row.
template <class T, int Rank> struct BlockTensor {
  T *data;
  detail::few<int64_t, Rank> extents;

  static constexpr int rank = Rank;
  FUSEC_INLINE int64_t extent(int dim) const { return extents.values[dim]; }
  FUSEC_INLINE int64_t size() const {
    int64_t elements = 1;
    for (int dim = 0; dim < Rank; ++dim)
      elements *= extents.values[dim];
    return elements;
  }
  template <class... Index> FUSEC_INLINE T &operator()(Index... at) const {
    static_assert(sizeof...(Index) == Rank, "a subscript for each dimension");
    int64_t place = 0;
    int dim = 0;
    ((place = place * extents.values[dim++] + static_cast<int64_t>(at)), ...);
    return data[place];
  }
};

/// The same where the extents are constants, as a kernel hands it over.
template <class T, int64_t... Extents> struct ShapedTensor {
  T *data;

  static constexpr int rank = sizeof...(Extents);
  FUSEC_INLINE static constexpr int64_t extent(int dim) {
    int64_t result = 1;
    ((dim-- == 0 ? result = Extents : result), ...);
    return result;
  }
  FUSEC_INLINE static constexpr int64_t size() {
    return (int64_t{1} * ... * Extents);
  }
  template <class... Index> FUSEC_INLINE T &operator()(Index... at) const {
    static_assert(sizeof...(Index) == rank, "a subscript for each dimension");
    int64_t place = 0;
    ((place = place * Extents + static_cast<int64_t>(at)), ...);
    return data[place];
  }
  template <class Other>
  FUSEC_INLINE operator BlockTensor<Other, rank>() const {
    return {data, {Extents...}};
  }
};

/// The tensor of a kernel's view.
template <class Subscript, class T, int64_t... Extents>
FUSEC_INLINE ShapedTensor<T, Extents...>
tensor_of(detail::view<Subscript, T, Extents...> view) {
  return {view.data};
}

/// A parameter that is a list of integers or numbers.
template <class T, int Count> struct BlockList {
  detail::few<T, Count> list;

  FUSEC_INLINE static constexpr int size() { return Count; }
  FUSEC_INLINE T operator[](int place) const { return list.values[place]; }
};

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
