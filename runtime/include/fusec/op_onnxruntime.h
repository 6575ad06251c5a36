// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that `fusec op gen` has made, as custom operators of ONNX Runtime:
//
//   session_options.register_custom_ops_library("./libnorms.so")
//
// For each choice of element types that there are kernels for, ONNX Runtime has
// an operator of its own, all of one name. Loops run on its threads.
#ifndef FUSEC_OP_ONNXRUNTIME_H
#define FUSEC_OP_ONNXRUNTIME_H

#include "fusec/op_generated.h"
#include "fusec/op_onnxruntime_api.h"

#include <climits>
#include <map>
#include <thread>

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

/// ONNX Runtime's table of functions.
class OrtTable {
public:
  explicit OrtTable(const fusec_ort_function *functions) : table(functions) {}

  template <typename F> F get(int place) const {
    return reinterpret_cast<F>(table[place]);
  }
  OrtStatus *fail(int code, const char *text) const {
    return get<fusec_ort_create_status>(FUSEC_ORT_CreateStatus)(code, text);
  }
  /// Throws what the status says, if anything.
  void require(OrtStatus *status) const {
    if (!status)
      return;
    const std::string text =
        get<fusec_ort_get_error_message>(FUSEC_ORT_GetErrorMessage)(status);
    release(status);
    throw std::runtime_error(text);
  }
  /// Whether it says that all went well.
  bool isFine(OrtStatus *status) const {
    release(status);
    return !status;
  }

private:
  void release(OrtStatus *status) const {
    if (status)
      get<fusec_ort_release_status>(FUSEC_ORT_ReleaseStatus)(status);
  }

  const fusec_ort_function *table;
};

/// Does `body`; what it throws becomes a status.
template <typename Body>
inline OrtStatus *guardOrt(const OrtTable &ort, const char *op,
                           Body body) noexcept {
  try {
    body();
    return nullptr;
  } catch (const std::exception &error) {
    char text[1024];
    std::snprintf(text, sizeof(text), "%s: %s", op, error.what());
    return ort.fail(FUSEC_ORT_INVALID_ARGUMENT, text);
  } catch (...) {
    return ort.fail(FUSEC_ORT_FAIL, op);
  }
}

/// An operator for certain element types.
class OrtOp : private fusec_ort_custom_op {
  using Abi = fusec_ort_custom_op;

public:
  /// The types are those of `kernels`, which is one of `of`'s.
  OrtOp(Generated &of, const Kernels &kernels) : Abi(), op(of), as(kernels) {
    Abi &abi = *this;
    abi.version = FUSEC_ORT_API_VERSION;
    abi.get_name = [](const Abi *self) { return from(self).op.name; };
    abi.get_provider = [](const Abi *) -> const char * { return nullptr; };
    abi.get_input_type = [](const Abi *self, size_t index) {
      return int(from(self).as.inputType(index).abi());
    };
    abi.count_inputs = [](const Abi *self) {
      return from(self).op.numInputs();
    };
    abi.get_output_type = [](const Abi *self, size_t index) {
      return int(from(self).as.outputType(index).abi());
    };
    abi.count_outputs = [](const Abi *self) {
      return from(self).op.numOutputs();
    };
    abi.get_input_kind = abi.get_output_kind =
        abi.get_input_memory = [](const Abi *, size_t) { return 0; };
    abi.count_variadic_inputs = abi.are_inputs_alike =
        abi.count_variadic_outputs =
            abi.are_outputs_alike = [](const Abi *) { return 1; };
    abi.destroy_kernel = [](void *kernel) {
      delete static_cast<Kernel *>(kernel);
    };
    abi.create_kernel_v2 = create;
    abi.compute_v2 = compute;
    abi.get_first_version = [](const Abi *self) {
      return int(from(self).op.version);
    };
    abi.get_last_version = [](const Abi *self) { return from(self).last; };
  }
  OrtOp(const OrtOp &) = delete;

  bool isOf(const Generated &other) const { return &op == &other; }
  bool hasTypesOf(const Kernels &other) const {
    for (size_t i = 0; i < op.numInputs(); ++i)
      if (as.inputType(i) != other.inputType(i))
        return false;
    return true;
  }

  const fusec_ort_custom_op &getAbi() const { return *this; }

  int last = INT_MAX; ///< the version of the domain up to which it counts

private:
  /// A node of a model.
  struct Kernel {
    Generated &op;
    OrtTable ort;
  };

  static const OrtOp &from(const Abi *self) {
    return *static_cast<const OrtOp *>(self);
  }
  static OrtStatus *create(const Abi *self, const fusec_ort_function *api,
                           const OrtKernelInfo *info, void **kernel);
  static OrtStatus *compute(void *kernel, OrtKernelContext *context);
  static void checkParam(const Generated &op, const OrtTable &ort,
                         const OrtKernelInfo *info, const std::string &name);

  Generated &op;
  const Kernels &as;
};

/// Reads an attribute of the node, if it has it.
inline void OrtOp::checkParam(const Generated &op, const OrtTable &ort,
                              const OrtKernelInfo *info,
                              const std::string &name) {
  float number;
  int64_t integer;
  if (ort.isFine(ort.get<fusec_ort_get_float>(
          FUSEC_ORT_KernelInfoGetAttribute_float)(info, name.c_str(), &number)))
    return op.checkParam(name, number);
  if (ort.isFine(
          ort.get<fusec_ort_get_int>(FUSEC_ORT_KernelInfoGetAttribute_int64)(
              info, name.c_str(), &integer)))
    return op.checkParam(name, integer);
  size_t bytes = 0;
  if (ort.isFine(
          ort.get<fusec_ort_get_text>(FUSEC_ORT_KernelInfoGetAttribute_string)(
              info, name.c_str(), nullptr, &bytes)))
    throw std::invalid_argument("its attribute " + name + " is no number");
  const auto readList = [&](auto get, auto item) {
    size_t count = 0;
    if (!ort.isFine(get(info, name.c_str(), nullptr, &count)) || !count)
      return;
    std::vector<decltype(item)> items(count);
    ort.require(get(info, name.c_str(), items.data(), &count));
    op.checkParam(name, items);
  };
  readList(ort.get<fusec_ort_get_floats>(
               FUSEC_ORT_KernelInfoGetAttributeArray_float),
           float());
  readList(
      ort.get<fusec_ort_get_ints>(FUSEC_ORT_KernelInfoGetAttributeArray_int64),
      int64_t());
}

inline OrtStatus *OrtOp::create(const Abi *self, const fusec_ort_function *api,
                                const OrtKernelInfo *info, void **kernel) {
  const OrtTable ort(api);
  Generated &op = from(self).op;
  return guardOrt(ort, op.name, [&] {
    for (const auto &[name, expected] : op.params)
      checkParam(op, ort, info, name);
    *kernel = new Kernel{op, ort};
  });
}

/// A tensor of a node.
inline View viewOf(const OrtTable &ort, const OrtValue *value) {
  View view;
  OrtTensorTypeAndShapeInfo *type;
  ort.require(ort.get<fusec_ort_get_type>(FUSEC_ORT_GetTensorTypeAndShape)(
      value, &type));
  int element = 0;
  size_t rank = 0;
  int64_t dims[FUSEC_OP_MAX_RANK] = {};
  const bool isFine = ort.isFine(ort.get<fusec_ort_get_element>(
                          FUSEC_ORT_GetTensorElementType)(type, &element)) &&
                      ort.isFine(ort.get<fusec_ort_get_rank>(
                          FUSEC_ORT_GetDimensionsCount)(type, &rank)) &&
                      rank <= FUSEC_OP_MAX_RANK &&
                      ort.isFine(ort.get<fusec_ort_get_dims>(
                          FUSEC_ORT_GetDimensions)(type, dims, rank));
  ort.get<fusec_ort_release_type>(FUSEC_ORT_ReleaseTensorTypeAndShapeInfo)(
      type);
  if (!isFine)
    throw std::invalid_argument("an input is no tensor of up to 16 dimensions");
  view.type = DType::ofCode(fusec_op_dtype(element));
  view.shape = Shape(dims, rank);
  ort.require(ort.get<fusec_ort_get_data>(FUSEC_ORT_GetTensorMutableData)(
      const_cast<OrtValue *>(value), &view.data));
  return view;
}

inline OrtStatus *OrtOp::compute(void *kernel, OrtKernelContext *context) {
  Generated &op = static_cast<Kernel *>(kernel)->op;
  const OrtTable &ort = static_cast<Kernel *>(kernel)->ort;
  return guardOrt(ort, op.name, [&] {
    std::vector<View> inputs, outputs;
    for (size_t i = 0; i < op.numInputs(); ++i) {
      const OrtValue *value;
      ort.require(ort.get<fusec_ort_get_input>(
          FUSEC_ORT_KernelContext_GetInput)(context, i, &value));
      inputs.push_back(viewOf(ort, value));
    }
    std::vector<Shape> shapes;
    Kernels &kernels = op.find(inputs, shapes);
    for (size_t i = 0; i < shapes.size(); ++i) {
      OrtValue *value;
      ort.require(
          ort.get<fusec_ort_get_output>(FUSEC_ORT_KernelContext_GetOutput)(
              context, i, shapes[i].data(), shapes[i].rank(), &value));
      outputs.push_back({kernels.outputType(i), shapes[i], nullptr});
      ort.require(ort.get<fusec_ort_get_data>(FUSEC_ORT_GetTensorMutableData)(
          value, &outputs.back().data));
    }
    struct Pool {
      const OrtTable &ort;
      OrtKernelContext *context;
      int64_t most; ///< ranges of a loop
    } pool{ort, context,
           4 * std::max<int64_t>(std::thread::hardware_concurrency(), 1)};
    const auto loop = [](void *self, int64_t n, int64_t grain,
                         fusec_range_fn body, void *ctx) {
      const Pool &own = *static_cast<const Pool *>(self);
      struct Ranges {
        int64_t n, count;
        fusec_range_fn body;
        void *ctx;
      } ranges{n, std::min(n / std::max<int64_t>(grain, 1), own.most), body,
               ctx};
      if (n > 0 && ranges.count <= 1)
        return body(ctx, 0, n);
      if (n <= 0)
        return;
      const auto part = [](void *all, size_t i) {
        const Ranges &range = *static_cast<const Ranges *>(all);
        const auto at = [&](size_t number) {
          return int64_t(number) * range.n / range.count;
        };
        range.body(range.ctx, at(i), at(i + 1));
      };
      // Nothing throws through kernels.
      if (!own.ort.isFine(own.ort.get<fusec_ort_parallel_for>(
              FUSEC_ORT_KernelContext_ParallelFor)(
              own.context, part, size_t(ranges.count), 0, &ranges)))
        body(ctx, 0, n);
    };
    kernels.run(inputs, outputs, {loop, &pool, uint32_t(pool.most / 4)});
  });
}

/// Adds all operators to a session's options. Domains are ONNX Runtime's
/// objects, and stay as long as the library does.
class OrtDomains {
public:
  explicit OrtDomains(const std::vector<Generated *> &all) {
    for (Generated *op : all) {
      for (const Kernels &kernels : op->kernels)
        if (std::none_of(ops.begin(), ops.end(), [&](const OrtOp &known) {
              return known.isOf(*op) && known.hasTypesOf(kernels);
            }))
          ops.emplace_back(*op, kernels);
      for (Generated *other : all)
        if (other->domain == std::string(op->domain) &&
            other->name == std::string(op->name) &&
            other->version > op->version)
          for (OrtOp &known : ops)
            if (known.isOf(*op))
              known.last = std::min(known.last, int(other->version) - 1);
    }
    generated = all;
  }
  ~OrtDomains() {
    for (auto &[name, domain] : domains)
      release(domain);
  }

  OrtStatus *add(OrtSessionOptions *options, const OrtApiBase *base) {
    const fusec_ort_function *table = base->get_api(FUSEC_ORT_API_VERSION);
    if (!table)
      return OrtTable(base->get_api(1))
          .fail(FUSEC_ORT_FAIL,
                "these operators need ONNX Runtime 1.17 or a later one");
    const OrtTable ort(table);
    const std::lock_guard<std::mutex> lock(mutex);
    return guardOrt(ort, "RegisterCustomOps", [&] {
      if (domains.empty())
        create(ort);
      for (auto &[name, domain] : domains)
        ort.require(ort.get<fusec_ort_add_domain>(FUSEC_ORT_AddCustomOpDomain)(
            options, domain));
    });
  }

private:
  void create(const OrtTable &ort) {
    release =
        ort.get<fusec_ort_release_domain>(FUSEC_ORT_ReleaseCustomOpDomain);
    for (OrtOp &op : ops)
      for (Generated *known : generated) {
        if (!op.isOf(*known))
          continue;
        OrtCustomOpDomain *&domain = domains[known->domain];
        if (!domain)
          ort.require(ort.get<fusec_ort_create_domain>(
              FUSEC_ORT_CreateCustomOpDomain)(known->domain, &domain));
        ort.require(ort.get<fusec_ort_add_op>(FUSEC_ORT_CustomOpDomain_Add)(
            domain, &op.getAbi()));
      }
  }

  std::vector<Generated *> generated;
  std::deque<OrtOp> ops;
  std::mutex mutex; // of what follows
  std::map<std::string, OrtCustomOpDomain *> domains;
  fusec_ort_release_domain release = nullptr;
};

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

/// The function that ONNX Runtime looks for, for a list of Generated.
#define FUSEC_OP_ONNXRUNTIME(generated)                                        \
  extern "C" __attribute__((visibility("default"))) OrtStatus *                \
  RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {      \
    static ::fusec::op::OrtDomains domains(generated);                         \
    return domains.add(options, base);                                         \
  }

#endif
