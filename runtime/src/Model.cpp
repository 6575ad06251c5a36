// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Model.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "Cpu.h"

using fusec::rt::Error;
using fusec::rt::isaName;
using fusec::rt::threadError;
using fusec::rt::variantsOf;
using fusec::rt::Weights;

fusec_model::~fusec_model() {
  leaveWeights(weights);
  if (opened)
    close(opened);
}

Weights *fusec_model::useWeights() const {
  std::lock_guard<std::mutex> lock(mutex);
  ++weights->users;
  return weights;
}

void fusec_model::leaveWeights(Weights *used) const {
  if (!used)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (--used->users)
      return;
  }
  delete used;
}

fusec_status fusec_model::takeWeights(const char *path,
                                      const fusec_model_options &options,
                                      bool readsAll, Error &error) {
  Weights *made = new (std::nothrow) Weights;
  if (!made)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the weights");
  if (const fusec_status status =
          made->open(*desc, path, options, readsAll, error)) {
    delete made;
    return status;
  }
  made->users = 1; // the model's own
  Weights *before = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    before = weights;
    weights = made;
  }
  leaveWeights(before);
  return FUSEC_OK;
}

void fusec_model::remark(const char *format, ...) {
  if (!log)
    return;
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  log(logSelf, text);
}

namespace {

/// Whether what a variant runs is there.
fusec_status checkVariant(const fusec_model_desc &desc,
                          const fusec_group_desc &group,
                          const fusec_variant_desc &variant, Error &error) {
  for (uint32_t i = 0; i < variant.num_launches; ++i)
    if (variant.launches[i] >= desc.num_launches &&
        !(variant.launches[i] & FUSEC_CALL))
      return error.set(FUSEC_ABI_MISMATCH,
                       "variant '%s' of group '%s' names launch %u of %u",
                       variant.name, group.name, variant.launches[i],
                       desc.num_launches);
  if (!variant.kernel && !variant.launches && !desc.device)
    return error.set(FUSEC_ABI_MISMATCH,
                     "variant '%s' of group '%s' has neither a kernel nor "
                     "launches",
                     variant.name, group.name);
  return FUSEC_OK;
}

/// Whether the device, or each instruction set that the model is compiled for,
/// has variants of group `number`.
fusec_status checkGroup(const fusec_model_desc &desc, uint32_t number,
                        Error &error) {
  const fusec_group_desc &group = desc.groups[number];
  const bool isInTables = number < desc.num_kernels && !group.variants;
  for (fusec_isa isa = 0; isa < FUSEC_ISA_COUNT; ++isa) {
    if (isInTables && !desc.device && !desc.kernels[isa])
      continue;
    const fusec_variant_list *list = !isInTables ? group.variants
                                     : desc.device
                                         ? desc.device->variants[number]
                                         : desc.kernels[isa][number];
    if (!list || !list->num_variants)
      return error.set(FUSEC_ABI_MISMATCH, "group '%s' has no variant for %s%s",
                       group.name,
                       desc.device ? "the device" : "instruction set ",
                       desc.device ? "" : isaName(isa));
    for (uint32_t v = 0; v < list->num_variants; ++v)
      if (const fusec_status status =
              checkVariant(desc, group, list->variants[v], error))
        return status;
    for (uint32_t i = 0; i < list->num_selectors; ++i)
      if (list->selectors[i].variant >= list->num_variants)
        return error.set(FUSEC_ABI_MISMATCH,
                         "group '%s' selects variant %u, and has %u of them",
                         group.name, list->selectors[i].variant,
                         list->num_variants);
  }
  return FUSEC_OK;
}

/// Whether a group is computed by launches of others.
bool isChoice(const fusec_group_desc &group) {
  return group.variants && !group.variants->variants->kernel;
}

/// What a model is for one of its targets.
fusec_status checkTarget(const fusec_model_desc *desc, Error &error) {
  if (!desc)
    return error.set(FUSEC_ABI_MISMATCH,
                     "the model has no descriptor for ABI version %u; compile "
                     "it again with the fusec of this runtime",
                     FUSEC_ABI_VERSION);
  if (desc->abi_version != FUSEC_ABI_VERSION ||
      desc->struct_bytes != sizeof(fusec_model_desc))
    return error.set(FUSEC_ABI_MISMATCH,
                     "the model has ABI version %u (%u bytes), the runtime %u "
                     "(%zu bytes); compile it again with the fusec of this "
                     "runtime",
                     desc->abi_version, desc->struct_bytes, FUSEC_ABI_VERSION,
                     sizeof(fusec_model_desc));
  for (uint32_t i = 0; i < desc->num_groups; ++i)
    if (const fusec_status status = checkGroup(*desc, i, error))
      return status;
  for (uint32_t i = 0; i < desc->num_launches; ++i)
    if (desc->launches[i].group >= desc->num_groups ||
        isChoice(desc->groups[desc->launches[i].group]))
      return error.set(FUSEC_ABI_MISMATCH, "launch '%s' names group %u of %u",
                       desc->launches[i].name, desc->launches[i].group,
                       desc->num_groups);
  return FUSEC_OK;
}

fusec_status checkDescriptor(const fusec_model_desc *desc, Error &error) {
  if (const fusec_status status = checkTarget(desc, error))
    return status;
  for (uint32_t i = 0; i < desc->num_others; ++i) {
    const fusec_model_desc *other = desc->others[i];
    if (const fusec_status status = checkTarget(other, error))
      return status;
    if (other->num_inputs != desc->num_inputs ||
        other->num_outputs != desc->num_outputs ||
        other->weights_bytes != desc->weights_bytes ||
        other->weights_id != desc->weights_id ||
        other->weights_structure != desc->weights_structure ||
        other->num_others || other->num_symbols != desc->num_symbols ||
        other->num_states != desc->num_states ||
        !other->extents != !desc->extents)
      return error.set(FUSEC_ABI_MISMATCH,
                       "model '%s' is another one for target '%s'", desc->name,
                       other->target);
  }
  return FUSEC_OK;
}

} // namespace

extern "C" fusec_status fusec_model_create(const fusec_model_desc *desc,
                                           const char *weights_path,
                                           const fusec_model_options *options,
                                           fusec_model **result) {
  Error &error = threadError();
  if (!result)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "fusec_model_create: no place for the model");
  *result = nullptr;
  const fusec_model_options none = {};
  if (!options)
    options = &none;
  if (const fusec_status status = checkDescriptor(desc, error))
    return status;
  fusec_model *model = new (std::nothrow) fusec_model;
  if (!model)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the model");
  model->desc = desc;
  model->log = options->log;
  model->logSelf = options->log_self;
  if (const fusec_status status = model->takeWeights(
          weights_path, *options, /*readsAll=*/false, error)) {
    delete model;
    return status;
  }
  *result = model;
  return FUSEC_OK;
}

extern "C" fusec_status fusec_model_check_weights(const fusec_model *model) {
  if (!model)
    return threadError().set(FUSEC_INVALID_ARGUMENT,
                             "fusec_model_check_weights: no model");
  Weights *weights = model->useWeights();
  const fusec_status status = weights->check(*model->desc, threadError());
  model->leaveWeights(weights);
  return status;
}

extern "C" fusec_status
fusec_model_swap_weights(fusec_model *model, const char *weights_path,
                         const fusec_model_options *options) {
  Error &error = threadError();
  if (!model)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "fusec_model_swap_weights: no model");
  const fusec_model_desc &desc = *model->desc;
  if (!desc.weights_bytes)
    return error.set(FUSEC_UNSUPPORTED, "model '%s' has no weights to swap",
                     desc.name);
  if (!desc.weights_structure)
    return error.set(FUSEC_UNSUPPORTED,
                     "model '%s' was compiled for the weights that it has: "
                     "compile it with --swappable-weights",
                     desc.name);
  const fusec_model_options none = {};
  if (const fusec_status status =
          model->takeWeights(weights_path, options ? *options : none,
                             /*readsAll=*/true, error))
    return status;
  model->remark("model '%s': other weights, for the sessions that are created "
                "from now on",
                desc.name);
  return FUSEC_OK;
}

extern "C" void fusec_model_destroy(fusec_model *model) { delete model; }

extern "C" const fusec_model_desc *
fusec_model_descriptor(const fusec_model *model) {
  return model->desc;
}
