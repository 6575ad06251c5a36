// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session owns everything that a run touches, in one table that is allocated
// once, so that running allocates nothing.
#include <atomic>
#include <new>

#include "Cpu.h"
#include "DeviceSession.h"
#include "Model.h"
#include "SessionTuning.h"
#include "Setup.h"
#include "Target.h"
#include "Tensors.h"

using namespace fusec::rt;

namespace {

void serialFor(void *, int64_t n, int64_t, fusec_range_fn body, void *ctx) {
  if (n > 0)
    body(ctx, 0, n);
}

/// Chooses variants, by the options and the tuner, and plans memory for them.
fusec_status prepare(const fusec_model_desc &desc,
                     const fusec_session_options &options, Setup &setup,
                     SessionTuning &tuning, Error &error) {
  if (const fusec_status status = setup.select(desc, options, error))
    return status;
  if (!options.tuner)
    return setup.plan(desc, options.symbols, error);
  tuning.begin(options.tuner, desc, countThreads(options), setup);
  return tuning.plan(desc, options.symbols, setup, error);
}

} // namespace

struct fusec_session final : VariantSwitch {
  fusec_model *model = nullptr;
  Target target;
  Setup setup;
  SessionTuning tuning;
  Array<int64_t> symbols;
  Array<int64_t> inputDims; // of all inputs, concatenated
  Array<fusec_kernel_fn> kernels;
  Array<const void *> packed;
  Array<const void *> inputs;
  Array<void *> outputs;
  Mapping ownArena;
  DeviceSession *device = nullptr; // of a model for a device
  fusec_thread_pool *ownPool = nullptr;
  fusec_kernel_ctx kernelCtx = {};
  fusec_run_ctx runCtx = {};
  std::atomic<bool> running{false};
  Error lastError;

  ~fusec_session() {
    delete device;
    fusec_thread_pool_destroy(ownPool);
  }

  void takeVariant(uint32_t group, uint32_t variant) override;

  fusec_status build(fusec_model &of, const fusec_session_options &options,
                     Error &error);
  fusec_status chooseThreads(const fusec_session_options &options,
                             Error &error);
  fusec_status chooseArena(const fusec_session_options &options, Error &error);
  fusec_status buildOnDevice(const fusec_session_options &options,
                             Error &error);
  fusec_status run(const fusec_tensor *in, uint32_t numInputs,
                   const fusec_tensor *out, uint32_t numOutputs);
  fusec_status chooseKernels(Error &error);
  fusec_status chooseKernel(uint32_t launch, Error &error);
  fusec_status bindDims(const fusec_session_options &options, Error &error);
  fusec_status checkArguments(const fusec_tensor *in, uint32_t numInputs,
                              const fusec_tensor *out, uint32_t numOutputs);
};

fusec_status fusec_session::build(fusec_model &of,
                                  const fusec_session_options &options,
                                  Error &error) {
  model = &of;
  if (const fusec_status status = pickTarget(of, options, target, error))
    return status;
  const fusec_model_desc &desc = *target.desc;
  if (!symbols.allocate(desc.num_symbols) ||
      !kernels.allocate(desc.num_launches) ||
      !packed.allocate(desc.num_launches) ||
      !inputs.allocate(desc.num_inputs) || !outputs.allocate(desc.num_outputs))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  if (const fusec_status status = prepare(desc, options, setup, tuning, error))
    return status;
  if (tuning.isActive())
    tuning.warn(desc);
  if (const fusec_status status = bindDims(options, error))
    return status;
  if (const fusec_status status =
          target.device ? FUSEC_OK : chooseKernels(error))
    return status;
  if (const fusec_status status = chooseArena(options, error))
    return status;
  if (const fusec_status status = chooseThreads(options, error))
    return status;
  runCtx = {&kernelCtx,
            inputs.data(),
            outputs.data(),
            device ? device->weights() : model->weights,
            runCtx.arena,
            kernels.data(),
            packed.data(),
            symbols.data(),
            options.profile,
            setup.variants.data(),
            device ? device->steps() : nullptr};
  model->remark("model '%s': %s kernels, %u threads, %llu bytes of arena",
                desc.name, target.device ? desc.target : isaName(setup.isa),
                kernelCtx.threads,
                static_cast<unsigned long long>(setup.totalBytes()));
  return FUSEC_OK;
}

fusec_status fusec_session::bindDims(const fusec_session_options &options,
                                     Error &error) {
  const fusec_model_desc &desc = *target.desc;
  for (uint32_t i = 0; i < desc.num_symbols; ++i)
    symbols[i] = options.symbols[i];
  uint64_t ranks = 0;
  for (uint32_t i = 0; i < desc.num_inputs; ++i)
    ranks += desc.inputs[i].rank;
  if (!inputDims.allocate(ranks))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  uint64_t at = 0;
  for (uint32_t i = 0; i < desc.num_inputs; ++i)
    for (uint32_t d = 0; d < desc.inputs[i].rank; ++d)
      inputDims[at++] = resolveDim(desc.inputs[i].dims[d], symbols.data());
  return FUSEC_OK;
}

fusec_status fusec_session::chooseKernels(Error &error) {
  const fusec_model_desc &desc = *target.desc;
  for (uint32_t i = 0; i < desc.num_launches; ++i) {
    const uint32_t group = desc.launches[i].group;
    // What may run later must not have to pack its weights then.
    if (tuning.isActive())
      for (const uint32_t candidate : tuning.getCandidates(group))
        if (const fusec_status status = model->packedWeights(
                i, variantsOf(desc, setup.isa, group).variants[candidate],
                &packed[i], error))
          return status;
    if (const fusec_status status = chooseKernel(i, error))
      return status;
  }
  return FUSEC_OK;
}

fusec_status fusec_session::chooseKernel(uint32_t launch, Error &error) {
  const fusec_model_desc &desc = *target.desc;
  const uint32_t group = desc.launches[launch].group;
  const fusec_variant_desc &variant =
      variantsOf(desc, setup.isa, group).variants[setup.variants[group]];
  kernels[launch] = variant.kernel;
  return model->packedWeights(launch, variant, &packed[launch], error);
}

void fusec_session::takeVariant(uint32_t group, uint32_t variant) {
  const fusec_model_desc &desc = *target.desc;
  setup.variants[group] = variant;
  for (uint32_t i = 0; i < desc.num_launches; ++i)
    if (desc.launches[i].group == group) // its weights are packed already
      (void)chooseKernel(i, lastError);
}

fusec_status fusec_session::chooseArena(const fusec_session_options &options,
                                        Error &error) {
  const uint64_t bytes = setup.totalBytes();
  void *base = options.arena;
  if (base) {
    if (reinterpret_cast<uintptr_t>(base) % FUSEC_ALIGNMENT != 0)
      return error.set(FUSEC_INVALID_ARGUMENT,
                       "the arena must be aligned to %u bytes",
                       FUSEC_ALIGNMENT);
    if (options.arena_bytes < bytes)
      return error.set(FUSEC_INVALID_ARGUMENT,
                       "the arena has %llu bytes, needed are %llu",
                       static_cast<unsigned long long>(options.arena_bytes),
                       static_cast<unsigned long long>(bytes));
  } else if (bytes && !target.device) {
    if (const fusec_status status = ownArena.allocate(bytes, error))
      return status;
    base = ownArena.data();
  }
  if (target.device)
    return buildOnDevice(options, error);
  runCtx.arena = base;
  if (setup.workspaceBytes) {
    kernelCtx.workspace = static_cast<char *>(base) + setup.workspaceOffset();
    kernelCtx.workspace_bytes = setup.workspaceBytes;
  }
  return FUSEC_OK;
}

fusec_status fusec_session::buildOnDevice(const fusec_session_options &options,
                                          Error &error) {
  if (options.tuner)
    return error.set(FUSEC_UNSUPPORTED,
                     "model '%s' runs on a device, where a session cannot find "
                     "out which variants are fastest: leave out the tuner",
                     target.desc->name);
  device = new (std::nothrow) DeviceSession(*model, target);
  if (!device)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  if (const fusec_status status =
          device->build(options, setup, inputDims.data(), error))
    return status;
  runCtx.arena = device->arena();
  return FUSEC_OK;
}

fusec_status fusec_session::chooseThreads(const fusec_session_options &options,
                                          Error &error) {
  kernelCtx.parallel_for = serialFor;
  kernelCtx.threads = 1;
  if (options.parallel_for) {
    kernelCtx.parallel_for = options.parallel_for;
    kernelCtx.parallel_self = options.parallel_self;
    kernelCtx.threads = options.threads ? options.threads : 1;
    return FUSEC_OK;
  }
  fusec_thread_pool *pool = options.pool;
  if (!pool && options.threads > 1) {
    if (const fusec_status status =
            fusec_thread_pool_create(options.threads, &ownPool)) {
      // The text lies in the thread's error, which may be `error` itself.
      if (&error != &threadError())
        error = threadError();
      return status;
    }
    pool = ownPool;
  }
  if (pool) {
    kernelCtx.parallel_for = fusec_thread_pool_parallel_for;
    kernelCtx.parallel_self = pool;
    kernelCtx.threads = fusec_thread_pool_threads(pool);
  }
  return FUSEC_OK;
}

fusec_status fusec_session::checkArguments(const fusec_tensor *in,
                                           uint32_t numInputs,
                                           const fusec_tensor *out,
                                           uint32_t numOutputs) {
  const fusec_model_desc &desc = *target.desc;
  if (numInputs != desc.num_inputs || numOutputs != desc.num_outputs)
    return lastError.set(
        FUSEC_INVALID_ARGUMENT,
        "model '%s' has %u inputs and %u outputs, got %u and %u", desc.name,
        desc.num_inputs, desc.num_outputs, numInputs, numOutputs);
  if ((numInputs && !in) || (numOutputs && !out))
    return lastError.set(FUSEC_INVALID_ARGUMENT,
                         "the array of inputs or of outputs is null");
  const int64_t *dims = inputDims.data();
  for (uint32_t i = 0; i < numInputs; ++i) {
    if (const fusec_status status =
            checkTensor("input", desc.inputs[i], dims, in[i], lastError))
      return status;
    dims += desc.inputs[i].rank;
    inputs[i] = in[i].data;
  }
  dims = setup.outputDims.data();
  for (uint32_t i = 0; i < numOutputs; ++i) {
    if (const fusec_status status =
            checkTensor("output", desc.outputs[i], dims, out[i], lastError))
      return status;
    dims += desc.outputs[i].rank;
    outputs[i] = out[i].data;
  }
  return checkOverlap(desc, in, out, lastError);
}

fusec_status fusec_session::run(const fusec_tensor *in, uint32_t numInputs,
                                const fusec_tensor *out, uint32_t numOutputs) {
  if (const fusec_status status =
          checkArguments(in, numInputs, out, numOutputs))
    return status;
  if (device)
    if (const fusec_status status =
            device->begin(in, out, inputs.data(), outputs.data(), lastError))
      return status;
  const fusec_model_desc &desc = *target.desc;
  const fusec_status status = guarded(lastError, [&] {
    return tuning.isActive() ? tuning.run(desc, runCtx, *this)
                             : desc.run(&runCtx);
  });
  if (device)
    return device->end(out, outputs.data(), status, lastError);
  if (status != FUSEC_OK)
    return lastError.set(status, "model '%s' failed: %s", desc.name,
                         fusec_status_name(status));
  lastError.text[0] = 0;
  return FUSEC_OK;
}

extern "C" fusec_status
fusec_session_memory(fusec_model *model, const fusec_session_options *options,
                     uint64_t *bytes) {
  Error &error = threadError();
  if (!model || !bytes)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "fusec_session_memory: null argument");
  const fusec_session_options none = {};
  Setup setup;
  SessionTuning tuning;
  if (!options)
    options = &none;
  const fusec_status status = guarded(error, [&] {
    Target target;
    const fusec_status picked = pickTarget(*model, *options, target, error);
    return picked ? picked
                  : prepare(*target.desc, *options, setup, tuning, error);
  });
  *bytes = status == FUSEC_OK ? setup.totalBytes() : 0;
  return status;
}

extern "C" fusec_status
fusec_session_create(fusec_model *model, const fusec_session_options *options,
                     fusec_session **result) {
  Error &error = threadError();
  if (result)
    *result = nullptr;
  if (!model || !result)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "fusec_session_create: null argument");
  fusec_session *session = new (std::nothrow) fusec_session;
  if (!session)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  const fusec_session_options none = {};
  const fusec_status status = guarded(error, [&] {
    return session->build(*model, options ? *options : none, error);
  });
  if (status != FUSEC_OK) {
    delete session;
    return status;
  }
  *result = session;
  return FUSEC_OK;
}

extern "C" void fusec_session_destroy(fusec_session *session) {
  delete session;
}

extern "C" const fusec_model_desc *
fusec_session_descriptor(const fusec_session *session) {
  return session->target.desc;
}

extern "C" const char *fusec_session_isa(const fusec_session *session) {
  return isaName(session->setup.isa);
}

extern "C" const char *fusec_session_variant(const fusec_session *session,
                                             uint32_t group) {
  const fusec_model_desc &desc = *session->target.desc;
  if (group >= desc.num_groups)
    return nullptr;
  const Setup &setup = session->setup;
  return variantsOf(desc, setup.isa, group)
      .variants[setup.variants[group]]
      .name;
}

extern "C" fusec_status fusec_session_run(fusec_session *session,
                                          const fusec_tensor *inputs,
                                          uint32_t num_inputs,
                                          const fusec_tensor *outputs,
                                          uint32_t num_outputs) {
  if (!session)
    return threadError().set(FUSEC_INVALID_ARGUMENT,
                             "fusec_session_run: no session");
  // The text would race with that of the run in progress, so there is none.
  if (session->running.exchange(true))
    return FUSEC_BUSY;
  const fusec_status status =
      session->run(inputs, num_inputs, outputs, num_outputs);
  session->running.store(false);
  return status;
}

extern "C" const char *fusec_last_error(const fusec_session *session) {
  return session ? session->lastError.text : threadError().text;
}
