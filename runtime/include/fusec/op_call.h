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
#include <initializer_list>
#include <mutex>
#include <new>

namespace fusec {

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
  OpSite(fusec_op_query_fn unit, const char *domain, const char *type,
         uint32_t version, const OpTensor *in, uint32_t numIn,
         const OpTensor *out, uint32_t numOut,
         const fusec_op_value *const *parameters, uint32_t numParameters)
      : query(unit), domainName(domain), typeName(type), since(version),
        inputs(in), outputs(out), params(parameters), numInputs(numIn),
        numOutputs(numOut), numParams(numParameters) {}
  OpSite(const OpSite &) = delete;
  ~OpSite() {
    while (Instance *instance = take()) {
      instance->form->destroy(instance->form->self, instance->state);
      delete instance;
    }
  }

  /// Calls the operator: 0, or a fusec_status, and the run knows why.
  int32_t run(const fusec_run_ctx *ctx, const void *const *in, void *const *out,
              void *workspace, uint64_t workspaceBytes) {
    Failure failure = {ctx, domainName, typeName};
    Instance *instance = take();
    if (!instance)
      instance = make(failure);
    if (!instance)
      return FUSEC_OP_FAILED;
    for (uint32_t i = 0; i < numInputs; ++i)
      instance->tensors[i].data = const_cast<void *>(in[i]);
    for (uint32_t i = 0; i < numOutputs; ++i)
      instance->tensors[numInputs + i].data = out[i];
    fusec_op_call call = describe(*instance, failure);
    call.threads = ctx->kernel_ctx->threads;
    call.workspace = workspace;
    call.workspace_bytes = workspaceBytes;
    call.parallel_for = ctx->kernel_ctx->parallel_for;
    call.parallel_self = ctx->kernel_ctx->parallel_self;
    const fusec_op_form &form = *instance->form;
    const int32_t result = form.compute(form.self, instance->state, &call);
    give(instance);
    return result ? int32_t(FUSEC_OP_FAILED) : 0;
  }

private:
  static constexpr uint32_t kMost = 64; // tensors; the compiler refuses more

  struct Instance {
    Instance *next = nullptr;
    const fusec_op_form *form = nullptr;
    void *state = nullptr;
    fusec_op_tensor tensors[kMost];
    const fusec_op_tensor *pointers[kMost];
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
    call.device = FUSEC_OP_CPU;
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

  /// The operator's form for CPUs, or null.
  const fusec_op_form *find(Failure &failure) const {
    const fusec_op_unit *unit = query(FUSEC_OP_ABI_VERSION);
    if (unit->least_abi > FUSEC_OP_ABI_VERSION) {
      char text[96];
      std::snprintf(text, sizeof(text),
                    "it needs version %u of fusec/op_abi.h, and this program "
                    "has %u",
                    unsigned(unit->least_abi), FUSEC_OP_ABI_VERSION);
      Failure::say(&failure, text);
      return nullptr;
    }
    for (uint32_t i = 0; i < unit->num_ops; ++i) {
      const fusec_op_desc &op = *unit->ops[i];
      if (std::strcmp(op.name, typeName) || op.version != since ||
          (op.domain && std::strcmp(op.domain, domainName)))
        continue;
      for (uint32_t f = 0; f < op.num_forms; ++f)
        if (op.forms[f]->device == FUSEC_OP_CPU)
          return op.forms[f];
    }
    Failure::say(&failure, "its sources do not declare it for CPUs");
    return nullptr;
  }

  Instance *make(Failure &failure) {
    const fusec_op_form *found = find(failure);
    if (!found)
      return nullptr;
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
    return instance;
  }

  Instance *take() {
    const std::lock_guard<std::mutex> lock(mutex);
    Instance *instance = idle;
    if (instance)
      idle = instance->next;
    return instance;
  }
  void give(Instance *instance) {
    const std::lock_guard<std::mutex> lock(mutex);
    instance->next = idle;
    idle = instance;
  }

  const fusec_op_query_fn query;
  const char *const domainName, *const typeName;
  const uint32_t since;
  const OpTensor *const inputs, *const outputs;
  const fusec_op_value *const *const params;
  const uint32_t numInputs, numOutputs, numParams;
  std::mutex mutex; // of what follows
  Instance *idle = nullptr;
};

/// Calls the operator of `site` as the step `index`: 0, or a fusec_status.
inline int32_t call_op(const fusec_run_ctx *run, uint32_t index, OpSite &site,
                       std::initializer_list<const void *> inputs,
                       std::initializer_list<void *> outputs, void *workspace,
                       uint64_t workspace_bytes) {
  int32_t status = 0;
  call(run, index, [&] {
    status = site.run(run, inputs.begin(), outputs.begin(), workspace,
                      workspace_bytes);
  });
  return status;
}

} // namespace fusec

#endif
