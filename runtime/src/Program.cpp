// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include "Model.h"

namespace fusec::rt {

fusec_status Program::prepare(const fusec_model_desc &entry,
                              const fusec_session_options &options,
                              Error &error) {
  desc = &entry;
  if (const fusec_status status = setup.select(*desc, options, error))
    return status;
  const int64_t *values = valuesOf(*desc, options);
  if (!options.tuner)
    return setup.plan(*desc, values, error);
  tuning.begin(options.tuner, *desc, countThreads(options), setup);
  return tuning.plan(*desc, values, setup, error);
}

fusec_status Program::build(Weights &from, const fusec_session_options &options,
                            const void *const *inputs, void *const *outputs,
                            Error &sayTo, Error &error) {
  weights = &from;
  failure = &sayTo;
  if (!symbols.allocate(desc->num_symbols) ||
      !kernels.allocate(desc->num_launches) ||
      !packed.allocate(desc->num_launches))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  if (const fusec_status status = bindDims(valuesOf(*desc, options), error))
    return status;
  runCtx = {&kernelCtx,
            inputs,
            outputs,
            weights->data(),
            nullptr,
            kernels.data(),
            packed.data(),
            symbols.data(),
            options.profile,
            setup.variants.data(),
            nullptr,
            keepExplanation,
            this};
  return desc->device ? FUSEC_OK : chooseKernels(error);
}

void Program::keepExplanation(void *self, const char *text) {
  static_cast<Program *>(self)->explanation.set(FUSEC_OP_FAILED, "%s", text);
}

fusec_status Program::bindDims(const int64_t *values, Error &error) {
  for (uint32_t i = 0; i < desc->num_symbols; ++i)
    symbols[i] = values[i];
  uint64_t ranks = 0;
  for (uint32_t i = 0; i < desc->num_inputs; ++i)
    ranks += desc->inputs[i].rank;
  if (!inputDims.allocate(ranks))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  uint64_t at = 0;
  for (uint32_t i = 0; i < desc->num_inputs; ++i)
    for (uint32_t d = 0; d < desc->inputs[i].rank; ++d)
      inputDims[at++] = resolveDim(desc->inputs[i].dims[d], symbols.data());
  return FUSEC_OK;
}

fusec_status Program::chooseKernels(Error &error) {
  for (uint32_t i = 0; i < desc->num_launches; ++i) {
    const uint32_t group = desc->launches[i].group;
    // What may run later must not have to pack its weights then.
    if (tuning.isActive())
      for (const uint32_t candidate : tuning.getCandidates(group))
        if (const fusec_status status = weights->pack(
                *desc, i,
                variantsOf(*desc, setup.isa, group).variants[candidate],
                &packed[i], error))
          return status;
    if (const fusec_status status = chooseKernel(i, error))
      return status;
  }
  return FUSEC_OK;
}

fusec_status Program::chooseKernel(uint32_t launch, Error &error) {
  const uint32_t group = desc->launches[launch].group;
  const fusec_variant_desc &variant =
      variantsOf(*desc, setup.isa, group).variants[setup.variants[group]];
  kernels[launch] = variant.kernel;
  return weights->pack(*desc, launch, variant, &packed[launch], error);
}

void Program::takeVariant(uint32_t group, uint32_t variant) {
  setup.variants[group] = variant;
  for (uint32_t i = 0; i < desc->num_launches; ++i)
    if (desc->launches[i].group == group) // its weights are packed already
      (void)chooseKernel(i, *failure);
}

void Program::takeArena(void *base) {
  runCtx.arena = base;
  if (!setup.workspaceBytes)
    return;
  kernelCtx.workspace = static_cast<char *>(base) + setup.workspaceOffset();
  kernelCtx.workspace_bytes = setup.workspaceBytes;
}

fusec_status Program::buildOnDevice(fusec_model &of, const fusec_device &on,
                                    const fusec_session_options &options,
                                    Error &error) {
  device = new (std::nothrow) DeviceSession(of, *weights, Target{desc, &on});
  if (!device)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  if (const fusec_status status =
          device->build(options, setup, inputDims.data(), error))
    return status;
  runCtx.arena = device->arena();
  runCtx.weights = device->weights();
  runCtx.device = device->steps();
  return FUSEC_OK;
}

void Program::takeThreads(fusec_parallel_for_fn parallelFor, void *self,
                          uint32_t threads) {
  kernelCtx.parallel_for = parallelFor;
  kernelCtx.parallel_self = self;
  kernelCtx.threads = threads;
}

fusec_status Program::run(const fusec_tensor *in, const fusec_tensor *out,
                          const void **inputs, void **outputs, Error &error) {
  if (device)
    if (const fusec_status status =
            device->begin(in, out, inputs, outputs, error))
      return status;
  explanation.text[0] = 0;
  const fusec_status status = guarded(error, [&] {
    return tuning.isActive() ? tuning.run(*desc, runCtx, *this)
                             : desc->run(&runCtx);
  });
  if (device)
    return device->end(out, outputs, status, explanation.text, error);
  if (status != FUSEC_OK)
    return error.set(status, "model '%s' failed: %s", desc->name,
                     explanation.text[0] ? explanation.text
                                         : fusec_status_name(status));
  error.text[0] = 0;
  return FUSEC_OK;
}

} // namespace fusec::rt
