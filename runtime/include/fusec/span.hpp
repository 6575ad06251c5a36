// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller's arrays as arguments of a run. C++11 and later.
#ifndef FUSEC_SPAN_HPP
#define FUSEC_SPAN_HPP

#include "fusec/element.h"
#include "fusec/runtime.h"

#include <stddef.h>
#include <type_traits>
#include <utility>

namespace fusec {

namespace detail {

template <typename T> struct DType;
template <> struct DType<float> {
  static constexpr fusec_dtype code = FUSEC_F32;
};
template <> struct DType<double> {
  static constexpr fusec_dtype code = FUSEC_F64;
};
template <> struct DType<int16_t> {
  static constexpr fusec_dtype code = FUSEC_I16;
};
template <> struct DType<uint16_t> {
  static constexpr fusec_dtype code = FUSEC_U16;
};
template <> struct DType<uint32_t> {
  static constexpr fusec_dtype code = FUSEC_U32;
};
template <> struct DType<uint64_t> {
  static constexpr fusec_dtype code = FUSEC_U64;
};
template <> struct DType<f16> {
  static constexpr fusec_dtype code = FUSEC_F16;
};
template <> struct DType<bf16> {
  static constexpr fusec_dtype code = FUSEC_BF16;
};
template <> struct DType<int8_t> {
  static constexpr fusec_dtype code = FUSEC_I8;
};
template <> struct DType<uint8_t> {
  static constexpr fusec_dtype code = FUSEC_U8;
};
template <> struct DType<int32_t> {
  static constexpr fusec_dtype code = FUSEC_I32;
};
template <> struct DType<int64_t> {
  static constexpr fusec_dtype code = FUSEC_I64;
};
template <> struct DType<bool> {
  static constexpr fusec_dtype code = FUSEC_BOOL;
};

/// How many elements an array of these extents has.
constexpr uint64_t countElements() { return 1; }
template <typename... Extents>
constexpr uint64_t countElements(int64_t extent, Extents... extents) {
  return static_cast<uint64_t>(extent) * countElements(extents...);
}

/// Whether a Container knows its elements, which a T * can point to, and how
/// many they are.
template <typename Container, typename T> struct Holds {
  template <typename Any>
  static std::integral_constant<
      bool,
      std::is_convertible<decltype(std::declval<Any &>().data()), T *>::value &&
          std::is_convertible<decltype(std::declval<Any &>().size()),
                              size_t>::value>
  test(int);
  template <typename> static std::false_type test(...);
  static constexpr bool value = decltype(test<Container>(0))::value;
};

} // namespace detail

/// A contiguous array as an argument of run.
template <typename T, uint32_t Rank>
inline fusec_tensor tensor(T *data, const int64_t (&dims)[Rank]) {
  uint64_t count = 1;
  for (int64_t dim : dims)
    count *= static_cast<uint64_t>(dim);
  return {data, count * sizeof(T), dims, Rank, detail::DType<T>::code};
}
template <typename T, uint32_t Rank>
inline fusec_tensor tensor(const T *data, const int64_t (&dims)[Rank]) {
  return tensor(const_cast<T *>(data), dims);
}

/// A scalar, which is an array of rank 0.
template <typename T> inline fusec_tensor tensor(T *data) {
  return {data, sizeof(T), nullptr, 0, detail::DType<T>::code};
}
template <typename T> inline fusec_tensor tensor(const T *data) {
  return tensor(const_cast<T *>(data));
}

/// Of an element type that C++ has no type of its own for: f8, f4, 4 and 2
/// bits.
inline fusec_tensor with_dtype(fusec_tensor tensor, fusec_dtype dtype) {
  tensor.dtype = dtype;
  return tensor;
}

/// An array of a known shape, which an input or an output takes: a pointer to
/// all of its elements, or something that knows how many it has (std::vector,
/// std::array, std::span, an array of C). Of these, an array of C is checked
/// when the program is compiled, and the others by the run.
template <typename T, int64_t... Extents> class Span {
public:
  using element_type = T;
  static constexpr uint32_t rank = sizeof...(Extents);
  /// In elements.
  static constexpr uint64_t size = detail::countElements(Extents...);
  static constexpr uint64_t bytes = size * sizeof(T);
  /// `rank` of them.
  static constexpr int64_t dims[rank ? rank : 1] = {Extents...};

  Span() = default;
  template <typename Pointer,
            typename = typename std::enable_if<
                std::is_convertible<const Pointer &, T *>::value &&
                !std::is_array<Pointer>::value &&
                !detail::Holds<const Pointer, T>::value>::type>
  Span(const Pointer &elements) : first(elements) {}
  Span(T *elements, size_t given) : first(elements), count(given) {}
  template <size_t Count> Span(T (&array)[Count]) : first(array) {
    static_assert(Count == size,
                  "the array has another size than the input or the output");
  }
  template <typename Container, typename = typename std::enable_if<
                                    detail::Holds<Container, T>::value>::type>
  Span(Container &&container)
      : first(container.data()), count(container.size()) {}
  /// An output may be the next run's input.
  template <typename Other, int64_t... OtherExtents,
            typename = typename std::enable_if<
                std::is_convertible<Other *, T *>::value>::type>
  Span(const Span<Other, OtherExtents...> &other)
      : first(other.data()), count(other.tensor().bytes / sizeof(T)) {}

  T *data() const { return first; }
  operator T *() const { return first; }

  fusec_tensor tensor() const {
    using Element = typename std::remove_const<T>::type;
    return {const_cast<Element *>(first), count * sizeof(T),
            rank ? dims : nullptr, rank, detail::DType<Element>::code};
  }

private:
  T *first = nullptr;
  uint64_t count = size;
};

/// An array whose shape the run knows, as an input or an output of a model with
/// several entries: a pointer to all of its elements, or something that knows
/// how many it has, which the run checks.
template <typename T> class Elements {
public:
  using element_type = T;

  Elements() = default;
  template <typename Pointer,
            typename = typename std::enable_if<
                std::is_convertible<const Pointer &, T *>::value &&
                !std::is_array<Pointer>::value &&
                !detail::Holds<const Pointer, T>::value>::type>
  Elements(const Pointer &elements) : first(elements) {}
  Elements(T *elements, size_t given)
      : first(elements), count(given), isCounted(true) {}
  template <size_t Count>
  Elements(T (&array)[Count]) : first(array), count(Count), isCounted(true) {}
  template <typename Container, typename = typename std::enable_if<
                                    detail::Holds<Container, T>::value>::type>
  Elements(Container &&container)
      : first(container.data()), count(container.size()), isCounted(true) {}

  T *data() const { return first; }

  /// As that input or output, all of whose dims are numbers.
  fusec_tensor tensor(const fusec_tensor_desc &as) const {
    uint64_t all = 1;
    for (uint32_t i = 0; i < as.rank; ++i)
      all *= static_cast<uint64_t>(as.dims[i]);
    using Element = typename std::remove_const<T>::type;
    return {const_cast<Element *>(first), (isCounted ? count : all) * sizeof(T),
            as.dims, as.rank, as.dtype};
  }

private:
  T *first = nullptr;
  uint64_t count = 0;
  bool isCounted = false;
};

#if __cplusplus < 201703L // later, they are inline
template <typename T, int64_t... Extents>
constexpr uint32_t Span<T, Extents...>::rank;
template <typename T, int64_t... Extents>
constexpr uint64_t Span<T, Extents...>::size;
template <typename T, int64_t... Extents>
constexpr uint64_t Span<T, Extents...>::bytes;
template <typename T, int64_t... Extents>
constexpr int64_t Span<T, Extents...>::dims[rank ? rank : 1];
#endif

} // namespace fusec

#endif
