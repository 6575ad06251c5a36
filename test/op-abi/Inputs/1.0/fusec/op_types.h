// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of fusec/op.h: shapes, element types and devices as operators see them.
#ifndef FUSEC_OP_TYPES_H
#define FUSEC_OP_TYPES_H

#include "fusec/op_abi.h"

#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

// All of it is a library's own, whichever others are in the program, and
// whatever header they were compiled with.
#ifndef FUSEC_OP_NAMESPACE
#define FUSEC_OP_NAMESPACE v1
#endif

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

/// The extents of a tensor: an array of up to 16 numbers.
class Shape {
public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) {
    for (int64_t extent : dims)
      push_back(extent);
  }
  /// Throws std::length_error if there are more than 16.
  Shape(const int64_t *dims, size_t rank) {
    for (size_t i = 0; i < rank; ++i)
      push_back(dims[i]);
  }

  size_t rank() const { return count; }
  size_t ndim() const { return count; }
  size_t size() const { return count; }
  int64_t &operator[](size_t axis) { return extents[check(axis)]; }
  int64_t operator[](size_t axis) const { return extents[check(axis)]; }
  /// How many elements such a tensor has.
  int64_t elements() const {
    int64_t product = 1;
    for (int64_t extent : *this)
      product *= extent;
    return product;
  }
  void push_back(int64_t extent) {
    if (count == FUSEC_OP_MAX_RANK)
      throw std::length_error("a shape has at most 16 dimensions");
    extents[count++] = extent;
  }

  int64_t *begin() { return extents; }
  int64_t *end() { return extents + count; }
  const int64_t *begin() const { return extents; }
  const int64_t *end() const { return extents + count; }
  const int64_t *data() const { return extents; }

  /// "[2, 3]", for messages.
  std::string text() const {
    std::string all = "[";
    for (size_t i = 0; i < count; ++i)
      all += (i ? ", " : "") + std::to_string(extents[i]);
    return all + "]";
  }

  friend bool operator==(const Shape &a, const Shape &b) {
    return a.count == b.count &&
           std::memcmp(a.extents, b.extents, a.count * sizeof(int64_t)) == 0;
  }
  friend bool operator!=(const Shape &a, const Shape &b) { return !(a == b); }

private:
  size_t check(size_t axis) const {
    if (axis >= count)
      throw std::out_of_range("dimension " + std::to_string(axis) +
                              " of the shape " + text());
    return axis;
  }

  size_t count = 0;
  int64_t extents[FUSEC_OP_MAX_RANK] = {};
};

/// An element type, which is written as its name is: "float32", "int8", "bool".
class DType {
public:
  DType() = default;
  /// Throws std::invalid_argument if there is no such type.
  DType(const char *name) : code(find(name).code) {}
  DType(const std::string &name) : DType(name.c_str()) {}
  static DType ofCode(fusec_op_dtype code) {
    DType type;
    type.code = code;
    (void)type.row();
    return type;
  }

  const char *name() const { return row().name; }
  /// Bytes of an element.
  size_t size() const { return row().bytes; }
  fusec_op_dtype abi() const { return code; }

  friend bool operator==(DType a, DType b) { return a.code == b.code; }
  friend bool operator!=(DType a, DType b) { return a.code != b.code; }

private:
  struct Row {
    const char *name, *shortName;
    fusec_op_dtype code;
    size_t bytes;
  };
  template <typename Is> static const Row &pick(Is is, const char *what) {
    static const Row rows[] = {
        {"float32", "f32", FUSEC_OP_F32, 4},
        {"float64", "f64", FUSEC_OP_F64, 8},
        {"float16", "f16", FUSEC_OP_F16, 2},
        {"bfloat16", "bf16", FUSEC_OP_BF16, 2},
        {"int8", "i8", FUSEC_OP_I8, 1},
        {"int16", "i16", FUSEC_OP_I16, 2},
        {"int32", "i32", FUSEC_OP_I32, 4},
        {"int64", "i64", FUSEC_OP_I64, 8},
        {"uint8", "u8", FUSEC_OP_U8, 1},
        {"uint16", "u16", FUSEC_OP_U16, 2},
        {"uint32", "u32", FUSEC_OP_U32, 4},
        {"uint64", "u64", FUSEC_OP_U64, 8},
        {"bool", "bool", FUSEC_OP_BOOL, 1},
    };
    for (const Row &row : rows)
      if (is(row))
        return row;
    throw std::invalid_argument(std::string("there is no element type ") +
                                what);
  }
  static const Row &find(const char *name) {
    return pick(
        [=](const Row &row) {
          return !std::strcmp(row.name, name) ||
                 !std::strcmp(row.shortName, name);
        },
        name);
  }
  const Row &row() const {
    return pick([this](const Row &row) { return row.code == code; },
                "of this code");
  }

  fusec_op_dtype code = FUSEC_OP_F32;
};

/// A device: "cpu", which may be called "x86" too, or "cuda".
class Device {
public:
  Device() = default;
  /// Throws std::invalid_argument if there is no such device.
  Device(const char *name) {
    if (!std::strcmp(name, "cuda"))
      code = FUSEC_OP_CUDA;
    else if (std::strcmp(name, "cpu") && std::strcmp(name, "x86"))
      throw std::invalid_argument("there is no device '" + std::string(name) +
                                  "', only cpu (x86) and cuda");
  }
  Device(const std::string &name) : Device(name.c_str()) {}
  static Device ofCode(fusec_op_device code) {
    return code == FUSEC_OP_CUDA ? "cuda" : "cpu";
  }

  const char *name() const { return code == FUSEC_OP_CUDA ? "cuda" : "cpu"; }
  fusec_op_device abi() const { return code; }

  friend bool operator==(Device a, Device b) { return a.code == b.code; }
  friend bool operator!=(Device a, Device b) { return a.code != b.code; }

private:
  fusec_op_device code = FUSEC_OP_CPU;
};

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

#endif
