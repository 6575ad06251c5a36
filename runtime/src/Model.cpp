// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Model.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "Cpu.h"
#include "fusec/weights_hash.h"

using fusec::rt::Error;
using fusec::rt::isaName;
using fusec::rt::Packed;
using fusec::rt::threadError;
using fusec::rt::variantsOf;

fusec_model::~fusec_model() {
  while (packed) {
    Packed *next = packed->next;
    delete packed;
    packed = next;
  }
  if (opened)
    close(opened);
}

fusec_status fusec_model::packedWeights(uint32_t launch,
                                        const fusec_variant_desc &variant,
                                        const void **data, Error &error) {
  *data = nullptr;
  if (!variant.pack)
    return FUSEC_OK;
  // Packing under the lock: two sessions that want the same pack make it once.
  std::lock_guard<std::mutex> lock(mutex);
  for (const Packed *p = packed; p; p = p->next) {
    if (p->launch == launch && p->variant == &variant) {
      *data = p->memory.data();
      return FUSEC_OK;
    }
  }
  Packed *made = new (std::nothrow) Packed;
  if (!made)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot pack the weights of '%s'",
                     desc->name);
  made->launch = launch;
  made->variant = &variant;
  const uint64_t bytes = variant.pack_bytes ? variant.pack_bytes : 1;
  if (const fusec_status status = made->memory.allocate(bytes, error)) {
    delete made;
    return status;
  }
  variant.pack(weights, launch, made->memory.data());
  made->next = packed;
  packed = made;
  *data = made->memory.data();
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
        other->weights_id != desc->weights_id || other->num_others ||
        other->num_symbols != desc->num_symbols ||
        other->num_states != desc->num_states ||
        !other->extents != !desc->extents)
      return error.set(FUSEC_ABI_MISMATCH,
                       "model '%s' is another one for target '%s'", desc->name,
                       other->target);
  }
  return FUSEC_OK;
}

fusec_status checkWeights(const fusec_model_desc &desc, const void *weights,
                          uint64_t bytes, Error &error) {
  fusec_weights_header header;
  if (bytes < sizeof(header))
    return error.set(FUSEC_BAD_WEIGHTS,
                     "the weights of model '%s' have %llu bytes, expected %llu",
                     desc.name, static_cast<unsigned long long>(bytes),
                     static_cast<unsigned long long>(desc.weights_bytes));
  memcpy(&header, weights, sizeof(header));
  if (memcmp(header.magic, FUSEC_WEIGHTS_MAGIC, sizeof(header.magic)) != 0)
    return error.set(FUSEC_BAD_WEIGHTS,
                     "the weights of model '%s' are no fusec weights file",
                     desc.name);
  if (bytes != desc.weights_bytes || header.file_bytes != bytes)
    return error.set(FUSEC_BAD_WEIGHTS,
                     "the weights of model '%s' have %llu bytes, expected %llu",
                     desc.name, static_cast<unsigned long long>(bytes),
                     static_cast<unsigned long long>(desc.weights_bytes));
  if (header.id != desc.weights_id)
    return error.set(FUSEC_BAD_WEIGHTS,
                     "the weights are not those that model '%s' was compiled "
                     "with (id %llx, expected %llx)",
                     desc.name, static_cast<unsigned long long>(header.id),
                     static_cast<unsigned long long>(desc.weights_id));
  return FUSEC_OK;
}

fusec_status attachWeights(fusec_model &model, const char *path,
                           const fusec_model_options &options, Error &error) {
  const fusec_model_desc &desc = *model.desc;
  if (desc.weights_bytes == 0)
    return FUSEC_OK;
  uint64_t bytes = options.weights_bytes;
  if (options.weights) {
    if (reinterpret_cast<uintptr_t>(options.weights) % FUSEC_ALIGNMENT != 0)
      return error.set(FUSEC_INVALID_ARGUMENT,
                       "weights in memory must be aligned to %u bytes",
                       FUSEC_ALIGNMENT);
    model.weights = options.weights;
  } else if (path) {
    if (const fusec_status status = model.file.mapFile(path, error))
      return status;
    model.weights = model.file.data();
    bytes = model.file.size();
  } else if (desc.weights) {
    model.weights = desc.weights;
    bytes = desc.weights_bytes;
  } else {
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s' needs its weights: a path or memory",
                     desc.name);
  }
  return checkWeights(desc, model.weights, bytes, error);
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
  if (const fusec_status status =
          attachWeights(*model, weights_path, *options, error)) {
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
  const fusec_model_desc &desc = *model->desc;
  if (desc.weights_bytes == 0)
    return FUSEC_OK;
  fusec::WeightsHash hash;
  hash.add(
      static_cast<const char *>(model->weights) + sizeof(fusec_weights_header),
      static_cast<size_t>(desc.weights_bytes) - sizeof(fusec_weights_header));
  if (hash.value() == desc.weights_id)
    return FUSEC_OK;
  return threadError().set(FUSEC_BAD_WEIGHTS,
                           "the weights of model '%s' have changed since it "
                           "was compiled: their hash is %llx, expected %llx",
                           desc.name,
                           static_cast<unsigned long long>(hash.value()),
                           static_cast<unsigned long long>(desc.weights_id));
}

extern "C" void fusec_model_destroy(fusec_model *model) { delete model; }

extern "C" const fusec_model_desc *
fusec_model_descriptor(const fusec_model *model) {
  return model->desc;
}
