// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of your own, in C++17:
//
//   #include "fusec/op.h"
//   using namespace fusec::op;
//
//   static void compute(const std::vector<Tensor> &in, const Param &params,
//                       std::vector<Tensor> &out) {
//     const float *x = in[0].data<float>();
//     float *y = out[0].data<float>(), scale = params["scale"];
//     for (int64_t i = 0; i < in[0].shape().elements(); ++i)
//       y[i] = scale * x[i];
//   }
//   FUSEC_OP(Scale).inputs(1).outputs(1).param("scale", 1.0f)
//       .compute("cpu", compute);
//
// `fusec op build scale.cpp -o libscale.so` makes a library of it. What a
// function throws is an error of its call, with the text of the exception. What
// is not said has a default: shapes and types of the results are those of input
// 0, there is no scratch memory, and every call is supported.
#ifndef FUSEC_OP_H
#define FUSEC_OP_H

#include "fusec/op_param.h"

#include <functional>
#include <memory>

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

/// The element type that C++ computes with as T: 16-bit floats are uint16_t,
/// their bits; `void` is any.
template <typename T> inline bool isOf(DType type) {
  if constexpr (std::is_void<T>::value) {
    return true;
  } else {
    switch (type.abi()) {
    case FUSEC_OP_F16:
    case FUSEC_OP_BF16:
      return std::is_same<T, uint16_t>::value;
    case FUSEC_OP_BOOL:
      return std::is_same<T, bool>::value || std::is_same<T, uint8_t>::value;
    case FUSEC_OP_F32:
      return std::is_same<T, float>::value;
    case FUSEC_OP_F64:
      return std::is_same<T, double>::value;
    default:
      return std::is_integral<T>::value && !std::is_same<T, bool>::value &&
             sizeof(T) == type.size() &&
             std::is_signed<T>::value == (type.name()[0] != 'u');
    }
  }
}

/// A tensor of a call: row-major, contiguous, in memory that is not its own.
class Tensor {
public:
  Tensor() = default;
  explicit Tensor(const fusec_op_tensor &tensor)
      : dims(tensor.dims, tensor.rank), type(DType::ofCode(tensor.dtype)),
        place(Device::ofCode(tensor.device)), memory(tensor.data),
        scaleList(tensor.scales, tensor.scales + tensor.num_scales),
        zeroList(tensor.zero_points, tensor.zero_points + tensor.num_scales),
        axis(tensor.quantized_axis) {}

  const Shape &shape() const { return dims; }
  DType dtype() const { return type; }
  Device device() const { return place; }
  /// The elements. Throws std::invalid_argument if they are not of type T.
  template <typename T> T *data() {
    requireType<T>();
    return static_cast<T *>(memory);
  }
  template <typename T> const T *data() const {
    requireType<T>();
    return static_cast<const T *>(memory);
  }
  /// Of an input that is declared quantised, what it stands for: (value - zero
  /// point) * scale; one of each, or as many as that dimension has.
  const std::vector<float> &scales() const { return scaleList; }
  const std::vector<int64_t> &zeroPoints() const { return zeroList; }
  int quantizedAxis() const { return axis; }

  void moveTo(void *data) { memory = data; }

private:
  template <typename T> void requireType() const {
    if (!isOf<T>(type))
      throw std::invalid_argument("data<T> of another type than " +
                                  std::string(type.name()));
  }

  Shape dims;
  DType type;
  Device place;
  void *memory = nullptr;
  std::vector<float> scaleList;
  std::vector<int64_t> zeroList;
  int axis = 0;
};

/// What a call has besides tensors and parameters.
class Context {
public:
  explicit Context(const fusec_op_call &of) : call(of) {}

  /// The scratch memory that the operator asked for, aligned to 64 bytes.
  template <typename T> T *workspace() const {
    return static_cast<T *>(call.workspace);
  }
  size_t workspaceBytes() const { return size_t(call.workspace_bytes); }
  /// How many threads may run at once.
  unsigned threads() const { return call.threads; }
  /// Calls body(begin, end) on ranges that together are [0, n), each of `grain`
  /// or more but for the last, on the threads of whoever calls. An exception
  /// of the body ends the program: it may be another thread's.
  template <typename Body>
  void parallelFor(int64_t n, int64_t grain, const Body &body) const {
    call.parallel_for(
        call.parallel_self, n, grain,
        [](void *of, int64_t begin, int64_t end) noexcept {
          (*static_cast<const Body *>(of))(begin, end);
        },
        const_cast<Body *>(&body));
  }
  /// The stream of the device, or null.
  void *stream() const { return call.stream; }

private:
  const fusec_op_call &call;
};

/// An input or an output, as it is declared: `Operand("x").types({"float32"})`.
class Operand {
public:
  Operand(std::string name) : label(std::move(name)) {}
  Operand(const char *name) : label(name) {}

  Operand &types(std::initializer_list<DType> all) {
    legal.clear();
    for (DType type : all)
      legal.push_back(type.abi());
    return *this;
  }
  Operand &rank(unsigned only) { return ranks(only, only); }
  Operand &ranks(unsigned least, unsigned most) {
    leastRank = least;
    mostRank = most;
    return *this;
  }
  /// Of an input: it takes 8-bit values with their scales and zero points.
  Operand &quantized() {
    isQuantized = 1;
    return *this;
  }
  /// Of an output: it may, or must, lie where that input does.
  Operand &mayAlias(unsigned input) { return alias(FUSEC_OP_MAY_ALIAS, input); }
  Operand &mustAlias(unsigned input) {
    return alias(FUSEC_OP_MUST_ALIAS, input);
  }

  const std::string &name() const { return label; }
  fusec_op_operand abi() const {
    return {sizeof(fusec_op_operand),
            uint32_t(legal.size()),
            legal.data(),
            label.c_str(),
            leastRank,
            mostRank,
            isQuantized,
            aliasKind,
            aliasOf,
            0};
  }

private:
  Operand &alias(uint32_t kind, unsigned input) {
    aliasKind = kind;
    aliasOf = input;
    return *this;
  }

  std::string label;
  std::vector<fusec_op_dtype> legal;
  uint32_t leastRank = 0, mostRank = FUSEC_OP_MAX_RANK, isQuantized = 0;
  uint32_t aliasKind = FUSEC_OP_APART, aliasOf = 0;
};

using Tensors = std::vector<Tensor>;
using ShapeFunction = std::function<void(const std::vector<Shape> &,
                                         const Param &, std::vector<Shape> &)>;
using DTypeFunction = std::function<void(const std::vector<DType> &,
                                         const Param &, std::vector<DType> &)>;
using WorkspaceFunction = std::function<size_t(const Tensors &, const Param &)>;
using SupportsFunction =
    std::function<bool(const Tensors &, const Param &, Device)>;
using ComputeFunction = std::function<void(const Tensors &, const Param &,
                                           Tensors &, const Context &)>;

/// `function`, which takes a Context or not, as one that takes it.
template <typename F> ComputeFunction withContext(F function) {
  if constexpr (std::is_invocable<F, const Tensors &, const Param &, Tensors &,
                                  const Context &>::value)
    return function;
  else
    return [function = std::move(function)](
               const Tensors &in, const Param &values, Tensors &out,
               const Context &) { function(in, values, out); };
}

/// A list of structs, as the C interface has it.
template <typename T> struct Rows {
  std::vector<T> rows;
  std::vector<const T *> pointers;
  void close() {
    for (const T &row : rows)
      pointers.push_back(&row);
  }
};

/// One way of several to compute an operator on a device, as in
/// `.compute("cpu", function, Algorithm("blocked").workspace(bytes))`.
class Algorithm {
public:
  Algorithm(std::string name = "default") : label(std::move(name)) {}
  Algorithm(const char *name) : label(name) {}

  /// Bytes of scratch memory that it needs, in place of the operator's.
  Algorithm &workspace(WorkspaceFunction function) {
    bytes = std::move(function);
    return *this;
  }
  /// Which of the calls that the operator supports it takes; else all of them.
  Algorithm &supports(SupportsFunction function) {
    isSupported = std::move(function);
    return *this;
  }
  /// Whether it gives the same bits in each run and on any number of threads,
  /// which it does unless it says otherwise.
  Algorithm &reproducible(bool isSame) {
    flags = isSame ? 0u : uint32_t(FUSEC_OP_VARIES);
    return *this;
  }

  const std::string &name() const { return label; }
  /// Whether only who knows of algorithms can take it.
  bool isPlain() const {
    return label == "default" && !bytes && !isSupported && !flags;
  }

private:
  friend class Op;
  std::string label;
  WorkspaceFunction bytes;
  SupportsFunction isSupported;
  uint32_t flags = 0;
};

/// Does `body`; what it throws is the reason why the call fails.
template <typename Body>
inline int32_t guard(const fusec_op_call *call, Body body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception &error) {
    call->fail(call->fail_self, error.what());
  } catch (...) {
    call->fail(call->fail_self, "it threw something that is no std::exception");
  }
  return 1;
}

inline Tensors readTensors(const fusec_op_tensor *const *tensors,
                           uint32_t count) {
  Tensors all;
  for (uint32_t i = 0; i < count; ++i)
    all.emplace_back(*tensors[i]);
  return all;
}

inline Param readParams(const fusec_op_call &call) {
  Param all;
  for (uint32_t i = 0; i < call.num_params; ++i)
    all.set(call.params[i]->name, ParamVal(*call.params[i]));
  return all;
}

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

#include "fusec/op_define.h"
#include "fusec/op_unit.h"

#endif
