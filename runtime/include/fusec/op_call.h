// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an emitted host program calls an operator of a user's. Tensors and
// parameters are made at the first calls, as many times as sessions call at
// once; after that nothing allocates.
#ifndef FUSEC_OP_CALL_H
#define FUSEC_OP_CALL_H

#include "fusec/op_abi.h"
#include "fusec/run.h"
#include "fusec/runtime.h"

#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <initializer_list>
#include <mutex>
#include <new>

namespace fusec {

/// The program or library that this is compiled into, as its end knows it.
/// Compilers declare the symbol themselves, each in its way.
extern void *end_of_library __asm__("__dso_handle")
    __attribute__((visibility("hidden")));

/// A tensor of a call, as it is compiled.
struct OpTensor {
  fusec_op_dtype dtype;
  uint32_t rank;
  const int64_t *dims;
  /// Of a quantised input (fusec_op_tensor).
  const float *scales = nullptr;
  const int64_t *zeroPoints = nullptr;
  uint64_t numScales = 0;
  int32_t axis = 0;
};

/// A call of an operator in a host program: what it is called with but for the
/// memory, and states of the operator that nobody uses at the moment.
class OpSite {
public:
  /// `algorithm` is one of several for CPUs; null: the only one. `launchers` is
  /// the unit that has the operator's form for CUDA, if any.
  OpSite(fusec_op_query_fn unit, const char *domain, const char *type,
         uint32_t version, const OpTensor *in, uint32_t numIn,
         const OpTensor *out, uint32_t numOut,
         const fusec_op_value *const *parameters, uint32_t numParameters,
         const char *algorithm = nullptr, fusec_op_query_fn launchers = nullptr)
      : units{unit, launchers}, domainName(domain), typeName(type),
        algorithmName(algorithm), since(version), inputs(in), outputs(out),
        params(parameters), numInputs(numIn), numOutputs(numOut),
        numParams(numParameters) {}
  OpSite(const OpSite &) = delete;
  ~OpSite() {
    for (fusec_op_device device : {FUSEC_OP_CPU, FUSEC_OP_CUDA}) {
      destroyStates(device);
      if (ends[device])
        ends[device]->site = nullptr;
    }
  }

  bool hasLaunchers() const { return units[FUSEC_OP_CUDA]; }
  const char *getType() const { return typeName; }

  /// What a call works on.
  struct Memory {
    const void *const *in;
    void *const *out;
    void *workspace;
    uint64_t workspaceBytes;
  };

  /// Calls the operator: 0, or a fusec_status, and the run knows why. With
  /// CUDA, where the memory is the device's, it gives `stream` its work.
  int32_t run(const fusec_run_ctx *ctx, const Memory &memory,
              fusec_op_device device = FUSEC_OP_CPU, void *stream = nullptr) {
    Failure failure = {ctx, domainName, typeName};
    Instance *instance = takeOrMake(device, failure);
    if (!instance)
      return FUSEC_OP_FAILED;
    const int32_t result = compute(*instance, failure, memory, stream);
    give(instance);
    return result;
  }

  /// The same on the host, of memory of the device, which is copied.
  int32_t runWithCopies(const fusec_run_ctx *ctx, const Memory &memory) {
    Failure failure = {ctx, domainName, typeName};
    if (!find(FUSEC_OP_CPU)) {
      explain(FUSEC_OP_CPU, failure);
      return FUSEC_UNSUPPORTED;
    }
    Instance *instance = takeOrMake(FUSEC_OP_CPU, failure);
    if (!instance)
      return FUSEC_OP_FAILED;
    const uint32_t count = numInputs + numOutputs;
    const void *places[kMost];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; ++i)
      bytes += countBytes(i);
    if (!instance->mirror &&
        !(instance->mirror = static_cast<char *>(
              ::operator new(bytes + memory.workspaceBytes + kAlignment,
                             std::align_val_t(kAlignment), std::nothrow)))) {
      Failure::say(&failure, "there is no memory left");
      give(instance);
      return FUSEC_OP_FAILED;
    }
    const fusec_device_run &device = *ctx->device;
    bytes = 0;
    for (uint32_t i = 0; i < count; bytes += countBytes(i++)) {
      places[i] = instance->mirror + bytes;
      // What lies where an input does finds it there.
      for (uint32_t j = 0; i >= numInputs && j < numInputs; ++j)
        if (memory.out[i - numInputs] == memory.in[j])
          places[i] = places[j];
      if (i < numInputs)
        device.copy(device.self, const_cast<void *>(places[i]), memory.in[i],
                    measure(i), FUSEC_COPY_TO_HOST);
    }
    void *out[kMost];
    for (uint32_t i = 0; i < numOutputs; ++i)
      out[i] = const_cast<void *>(places[numInputs + i]);
    const int32_t result =
        compute(*instance, failure,
                {places, out, instance->mirror + bytes, memory.workspaceBytes},
                nullptr);
    for (uint32_t i = 0; i < numOutputs && !result; ++i)
      device.copy(device.self, memory.out[i], out[i], measure(numInputs + i),
                  FUSEC_COPY_TO_DEVICE);
    give(instance);
    return result ? result : device.status(device.self);
  }

private:
  static constexpr uint32_t kMost = 64; // tensors; the compiler refuses more
  static constexpr uint64_t kAlignment = 64;

  struct Instance {
    Instance() = default;
    Instance(const Instance &) = delete;
    ~Instance() {
      if (mirror)
        ::operator delete(mirror, std::align_val_t(kAlignment));
    }
    Instance *next = nullptr;
    const fusec_op_form *form = nullptr;
    void *state = nullptr;
    char *mirror = nullptr; // memory of the host for what lies on a device
    fusec_op_tensor tensors[kMost];
    const fusec_op_tensor *pointers[kMost];
  };

  /// The end of the program, for the site as long as that is there.
  struct End {
    OpSite *site;
    fusec_op_device device;

    static void come(void *self) {
      End *end = static_cast<End *>(self);
      if (end->site) {
        end->site->destroyStates(end->device);
        end->site->ends[end->device] = nullptr;
      }
      delete end;
    }
  };

  /// Who is told why a call fails.
  struct Failure {
    const fusec_run_ctx *ctx;
    const char *domain, *type;

    static void say(void *self, const char *text) {
      const Failure &failure = *static_cast<const Failure *>(self);
      char whole[512];
      std::snprintf(whole, sizeof(whole), "the operator %s.%s: %s",
                    failure.domain, failure.type, text);
      failure.ctx->explain(failure.ctx->explain_self, whole);
    }
  };

  fusec_op_call describe(const Instance &instance, Failure &failure) const {
    fusec_op_call call = {};
    call.struct_bytes = sizeof(call);
    call.device = instance.tensors[0].device; // it has one at least
    call.num_inputs = numInputs;
    call.num_outputs = numOutputs;
    call.num_params = numParams;
    call.threads = 1;
    call.inputs = instance.pointers;
    call.outputs = instance.pointers + numInputs;
    call.params = params;
    call.fail = Failure::say;
    call.fail_self = &failure;
    return call;
  }

  /// Whether it is the form for a device that the site calls. Algorithms are
  /// the CPU's.
  bool isWanted(const fusec_op_form &form, fusec_op_device device) const {
    return form.device == device && (device != FUSEC_OP_CPU || !algorithmName ||
                                     !std::strcmp(form.name, algorithmName));
  }

  /// The operator's form for a device, or null.
  const fusec_op_form *find(fusec_op_device device) const {
    const fusec_op_unit *unit = units[device](FUSEC_OP_ABI_VERSION);
    if (unit->least_abi > FUSEC_OP_ABI_VERSION)
      return nullptr;
    for (uint32_t i = 0; i < unit->num_ops; ++i) {
      const fusec_op_desc &op = *unit->ops[i];
      if (std::strcmp(op.name, typeName) || op.version != since ||
          (op.domain && std::strcmp(op.domain, domainName)))
        continue;
      for (uint32_t f = 0; f < op.num_forms; ++f)
        if (isWanted(*op.forms[f], device))
          return op.forms[f];
    }
    return nullptr;
  }

  /// Says why there is no form.
  void explain(fusec_op_device device, Failure &failure) const {
    const uint32_t least = units[device](FUSEC_OP_ABI_VERSION)->least_abi;
    const char *name = device == FUSEC_OP_CPU ? algorithmName : nullptr;
    char text[96];
    if (least > FUSEC_OP_ABI_VERSION)
      std::snprintf(text, sizeof(text),
                    "it needs version %u of fusec/op_abi.h, and this program "
                    "has %u",
                    unsigned(least), FUSEC_OP_ABI_VERSION);
    else
      std::snprintf(text, sizeof(text),
                    "its sources do not declare it for %s%s%.32s",
                    device == FUSEC_OP_CUDA ? "CUDA" : "CPUs",
                    name ? ", by the algorithm " : "", name ? name : "");
    Failure::say(&failure, text);
  }

  /// Bytes of tensor `number`, inputs first, and the room that it takes.
  uint64_t measure(uint32_t number) const {
    const OpTensor &type =
        number < numInputs ? inputs[number] : outputs[number - numInputs];
    uint64_t bytes = sizeOf(type.dtype);
    for (uint32_t axis = 0; axis < type.rank; ++axis)
      bytes *= uint64_t(type.dims[axis]);
    return bytes;
  }
  uint64_t countBytes(uint32_t number) const {
    return (measure(number) + kAlignment - 1) / kAlignment * kAlignment;
  }
  static uint64_t sizeOf(fusec_op_dtype type) {
    switch (type) {
    case FUSEC_OP_U8:
    case FUSEC_OP_I8:
    case FUSEC_OP_BOOL:
      return 1;
    case FUSEC_OP_U16:
    case FUSEC_OP_I16:
    case FUSEC_OP_F16:
    case FUSEC_OP_BF16:
      return 2;
    case FUSEC_OP_I64:
    case FUSEC_OP_U64:
    case FUSEC_OP_F64:
      return 8;
    default:
      return 4;
    }
  }

  int32_t compute(Instance &instance, Failure &failure, const Memory &memory,
                  void *stream) const {
    for (uint32_t i = 0; i < numInputs; ++i)
      instance.tensors[i].data = const_cast<void *>(memory.in[i]);
    for (uint32_t i = 0; i < numOutputs; ++i)
      instance.tensors[numInputs + i].data = memory.out[i];
    fusec_op_call call = describe(instance, failure);
    const fusec_kernel_ctx &kernel = *failure.ctx->kernel_ctx;
    call.threads = kernel.threads;
    call.workspace = memory.workspaceBytes ? memory.workspace : nullptr;
    call.workspace_bytes = memory.workspaceBytes;
    call.parallel_for = kernel.parallel_for;
    call.parallel_self = kernel.parallel_self;
    call.stream = stream;
    const fusec_op_form &form = *instance.form;
    return form.compute(form.self, instance.state, &call)
               ? int32_t(FUSEC_OP_FAILED)
               : 0;
  }

  Instance *takeOrMake(fusec_op_device device, Failure &failure) {
    Instance *instance = take(device);
    return instance ? instance : make(device, failure);
  }

  Instance *make(fusec_op_device device, Failure &failure) {
    const fusec_op_form *found = find(device);
    if (!found) {
      explain(device, failure);
      return nullptr;
    }
    Instance *instance = new (std::nothrow) Instance;
    if (!instance) {
      Failure::say(&failure, "there is no memory left");
      return nullptr;
    }
    for (uint32_t i = 0; i < numInputs + numOutputs; ++i) {
      const OpTensor &type = i < numInputs ? inputs[i] : outputs[i - numInputs];
      instance->tensors[i] = {};
      instance->tensors[i].struct_bytes = sizeof(fusec_op_tensor);
      instance->tensors[i].dtype = type.dtype;
      instance->tensors[i].device = device;
      instance->tensors[i].rank = type.rank;
      instance->tensors[i].dims = type.dims;
      instance->tensors[i].scales = type.scales;
      instance->tensors[i].zero_points = type.zeroPoints;
      instance->tensors[i].num_scales = type.numScales;
      instance->tensors[i].quantized_axis = type.axis;
      instance->pointers[i] = &instance->tensors[i];
    }
    const fusec_op_call call = describe(*instance, failure);
    if (found->create(found->self, &call, &instance->state)) {
      delete instance;
      return nullptr;
    }
    instance->form = found;
    destroyAtEnd(device);
    return instance;
  }

  /// Has the states for a device destroyed when the program ends: before the
  /// unit that has the operator, as that was there when this was asked for. The
  /// site itself may have been made earlier than the unit, and go after it.
  void destroyAtEnd(fusec_op_device device) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (ends[device] || !(ends[device] = new (std::nothrow) End{this, device}))
      return;
    abi::__cxa_atexit(End::come, ends[device], &end_of_library);
  }
  void destroyStates(fusec_op_device device) {
    while (Instance *instance = take(device)) {
      instance->form->destroy(instance->form->self, instance->state);
      delete instance;
    }
  }

  Instance *take(fusec_op_device device) {
    const std::lock_guard<std::mutex> lock(mutex);
    Instance *instance = idle[device];
    if (instance)
      idle[device] = instance->next;
    return instance;
  }
  void give(Instance *instance) {
    const std::lock_guard<std::mutex> lock(mutex);
    Instance *&first = idle[instance->form->device];
    instance->next = first;
    first = instance;
  }

  const fusec_op_query_fn units[2]; // by fusec_op_device
  const char *const domainName, *const typeName, *const algorithmName;
  const uint32_t since;
  const OpTensor *const inputs, *const outputs;
  const fusec_op_value *const *const params;
  const uint32_t numInputs, numOutputs, numParams;
  std::mutex mutex;       // of what follows
  Instance *idle[2] = {}; // by fusec_op_device
  End *ends[2] = {};
};

/// Calls the operator of `site` as the step `index`: 0, or a fusec_status.
inline int32_t call_op(const fusec_run_ctx *run, uint32_t index, OpSite &site,
                       std::initializer_list<const void *> inputs,
                       std::initializer_list<void *> outputs, void *workspace,
                       uint64_t workspace_bytes) {
  int32_t status = 0;
  call(run, index, [&] {
    status = site.run(
        run, {inputs.begin(), outputs.begin(), workspace, workspace_bytes});
  });
  return status;
}

} // namespace fusec

#endif
