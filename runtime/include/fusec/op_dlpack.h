// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that `fusec op gen` has made, as functions of tvm-ffi:
//
//   norms = tvm_ffi.load_module("./libnorms.so")
//   norms.LayerNorm(x, g, c, y)
//
// Arguments are tensors of DLPack, the inputs and then the results, which the
// caller has made. The types here are those of DLPack and of tvm-ffi's C
// interface, in words of our own; neither is linked. Other languages call the
// same functions without tvm-ffi: they take DLTensors, return 0 if all went
// well, and fusec_op_error says why where not.
#ifndef FUSEC_OP_DLPACK_H
#define FUSEC_OP_DLPACK_H

#include "fusec/op_generated.h"
#include "fusec/runtime.hpp"

#include <cstdio>
#include <dlfcn.h>

extern "C" {

typedef struct fusec_dl_tensor {
  void *data;
  int32_t device; // 1: the CPU
  int32_t device_id;
  int32_t rank;
  uint8_t code; // 0: integers, 1: without a sign, 2: floats, 4: bf16, 6: bool
  uint8_t bits;
  uint16_t lanes;
  int64_t *dims;
  int64_t *strides; // in elements; null: row-major, without gaps
  uint64_t byte_offset;
} fusec_dl_tensor;

enum {
  FUSEC_FFI_NONE = 0,
  FUSEC_FFI_INT = 1,
  FUSEC_FFI_DL_TENSOR = 7, // `pointer` is a tensor
  FUSEC_FFI_TENSOR = 70 // `pointer` is an object, which has one behind its head
};
#define FUSEC_FFI_OBJECT_BYTES 24u

typedef struct fusec_ffi_any {
  int32_t kind;
  uint32_t zero;
  union {
    int64_t integer;
    void *pointer;
  };
} fusec_ffi_any;

} // extern "C"

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

inline View viewOf(const fusec_ffi_any &argument) {
  const char *pointer = static_cast<const char *>(argument.pointer);
  if (argument.kind == FUSEC_FFI_TENSOR)
    pointer += FUSEC_FFI_OBJECT_BYTES;
  else if (argument.kind != FUSEC_FFI_DL_TENSOR)
    throw std::invalid_argument("an argument is no tensor");
  const fusec_dl_tensor &tensor =
      *reinterpret_cast<const fusec_dl_tensor *>(pointer);
  if (tensor.device != 1)
    throw std::invalid_argument("a tensor does not lie on the CPU");
  View view;
  view.shape = Shape(tensor.dims, size_t(tensor.rank));
  view.data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  int64_t step = 1; // where there is an element at all
  for (size_t d = view.shape.rank(); d-- > 0;) {
    if (tensor.strides && view.shape[d] > 1 && tensor.strides[d] != step &&
        view.shape.elements() > 0)
      throw std::invalid_argument("a tensor is not row-major without gaps");
    step *= view.shape[d];
  }
  const std::string bits = std::to_string(tensor.bits);
  const char *const names[] = {"int",    "uint", "float", "",
                               "bfloat", "",     "bool"};
  if (tensor.lanes != 1 || tensor.code > 6 || !*names[tensor.code])
    throw std::invalid_argument("a tensor has elements of a type that "
                                "operators do not have");
  view.type =
      DType(tensor.code == 6 ? std::string("bool") : names[tensor.code] + bits);
  return view;
}

/// Threads of the library's own, made by the first call: one per CPU, unless
/// set_threads has said otherwise.
class OwnThreads {
public:
  void set(uint32_t number) {
    const std::lock_guard<std::mutex> lock(mutex);
    pool = std::make_unique<ThreadPool>(number);
  }
  /// A call holds the threads that it has until it is done.
  std::shared_ptr<ThreadPool> get() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!pool)
      pool = std::make_shared<ThreadPool>(0);
    return pool;
  }

private:
  std::mutex mutex;
  std::shared_ptr<ThreadPool> pool;
};

/// The text of the last failure on this thread.
struct FfiError {
  char text[1024];
};

/// Does `body`; what it throws is an error of tvm-ffi, where that is in the
/// program, and the text in any case.
template <typename Body>
inline int guardFfi(FfiError &error, const char *op, Body body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception &failure) {
    std::snprintf(error.text, sizeof(error.text), "%s: %s", op, failure.what());
  } catch (...) {
    std::snprintf(error.text, sizeof(error.text), "%s failed", op);
  }
  using Raise = void (*)(const char *kind, const char *text);
  if (void *ffi = dlopen("libtvm_ffi.so", RTLD_NOLOAD | RTLD_LAZY)) {
    if (auto raise =
            reinterpret_cast<Raise>(dlsym(ffi, "TVMFFIErrorSetRaisedFromCStr")))
      raise("ValueError", error.text);
    dlclose(ffi);
  }
  return -1;
}

inline int callFfi(Generated &op, OwnThreads &own, FfiError &error,
                   const fusec_ffi_any *arguments, int32_t count,
                   fusec_ffi_any *result) noexcept {
  *result = {};
  return guardFfi(error, op.name, [&] {
    const size_t numInputs = op.numInputs(), numOutputs = op.numOutputs();
    if (size_t(count) != numInputs + numOutputs)
      throw std::invalid_argument(
          "takes " + std::to_string(numInputs) + " inputs and behind them " +
          std::to_string(numOutputs) + " results to write to");
    std::vector<View> inputs, outputs;
    for (size_t i = 0; i < size_t(count); ++i)
      (i < numInputs ? inputs : outputs).push_back(viewOf(arguments[i]));
    std::vector<Shape> shapes;
    Kernels &kernels = op.find(inputs, shapes);
    for (size_t i = 0; i < numOutputs; ++i)
      if (outputs[i].shape != shapes[i] ||
          outputs[i].type != kernels.outputType(i))
        throw std::invalid_argument(
            "result " + std::to_string(i) + " is " + outputs[i].type.name() +
            outputs[i].shape.text() + ", and has to be " +
            kernels.outputType(i).name() + shapes[i].text());
    const std::shared_ptr<ThreadPool> pool = own.get();
    kernels.run(inputs, outputs,
                {fusec_thread_pool_parallel_for, pool->get(), pool->threads()});
  });
}

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

/// What all operators of a library share: `set_threads(n)`, and
/// fusec_op_error. Before the operators.
#define FUSEC_OP_DLPACK()                                                      \
  static ::fusec::op::OwnThreads fusecThreads;                                 \
  static thread_local ::fusec::op::FfiError fusecError;                        \
  extern "C" {                                                                 \
  __attribute__((visibility("default"))) int                                   \
  __tvm_ffi_set_threads(void *, const fusec_ffi_any *arguments, int32_t count, \
                        fusec_ffi_any *result) {                               \
    *result = {};                                                              \
    return ::fusec::op::guardFfi(fusecError, "set_threads", [&] {              \
      if (count != 1 || arguments->kind != FUSEC_FFI_INT ||                    \
          arguments->integer < 1 || arguments->integer > 1024)                 \
        throw std::invalid_argument("takes a number from 1 to 1024");          \
      fusecThreads.set(uint32_t(arguments->integer));                          \
    });                                                                        \
  }                                                                            \
  __attribute__((visibility("default"))) const char *fusec_op_error(void) {    \
    return fusecError.text;                                                    \
  }                                                                            \
  }

/// The function of an operator, called `name`.
#define FUSEC_OP_DLPACK_FUNCTION(name, generated)                              \
  extern "C" __attribute__((visibility("default"))) int __tvm_ffi_##name(      \
      void *, const fusec_ffi_any *arguments, int32_t count,                   \
      fusec_ffi_any *result) {                                                 \
    return ::fusec::op::callFfi(generated, fusecThreads, fusecError,           \
                                arguments, count, result);                     \
  }

#endif
