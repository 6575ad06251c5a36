// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Weights.h"

#include <cstring>
#include <new>

#include "fusec/weights_hash.h"

namespace fusec::rt {

namespace {

unsigned long long wide(uint64_t number) { return number; }

/// Whether `bytes` bytes at `weights` are a weights file that the model runs
/// with; `header` is its header then.
fusec_status checkHeader(const fusec_model_desc &desc, const void *weights,
                         uint64_t bytes, fusec_weights_header &header,
                         Error &error) {
  if (bytes < sizeof(header))
    return error.set(FUSEC_BAD_WEIGHTS,
                     "the weights of model '%s' have %llu bytes, expected %llu",
                     desc.name, wide(bytes), wide(desc.weights_bytes));
  memcpy(&header, weights, sizeof(header));
  if (memcmp(header.magic, FUSEC_WEIGHTS_MAGIC, sizeof(header.magic)) != 0)
    return error.set(FUSEC_BAD_WEIGHTS,
                     "the weights of model '%s' are no fusec weights file",
                     desc.name);
  const bool isOwn = header.id == desc.weights_id;
  if (!isOwn && desc.weights_structure &&
      header.structure != desc.weights_structure)
    return error.set(FUSEC_BAD_WEIGHTS,
                     "the weights are not of the structure that model '%s' "
                     "has (%llx, expected %llx): they are another model's, or "
                     "were compiled with other options",
                     desc.name, wide(header.structure),
                     wide(desc.weights_structure));
  if (bytes != desc.weights_bytes || header.file_bytes != bytes)
    return error.set(FUSEC_BAD_WEIGHTS,
                     "the weights of model '%s' have %llu bytes, expected %llu",
                     desc.name, wide(bytes), wide(desc.weights_bytes));
  if (!isOwn && !desc.weights_structure)
    return error.set(FUSEC_BAD_WEIGHTS,
                     "the weights are not those that model '%s' was compiled "
                     "with (id %llx, expected %llx)",
                     desc.name, wide(header.id), wide(desc.weights_id));
  return FUSEC_OK;
}

} // namespace

Weights::~Weights() {
  while (packs) {
    Packed *next = packs->next;
    delete packs;
    packs = next;
  }
}

fusec_status Weights::open(const fusec_model_desc &desc, const char *path,
                           const fusec_model_options &options, bool readsAll,
                           Error &error) {
  id = desc.weights_id;
  if (desc.weights_bytes == 0)
    return FUSEC_OK;
  uint64_t bytes = options.weights_bytes;
  if (options.weights) {
    if (reinterpret_cast<uintptr_t>(options.weights) % FUSEC_ALIGNMENT != 0)
      return error.set(FUSEC_INVALID_ARGUMENT,
                       "weights in memory must be aligned to %u bytes",
                       FUSEC_ALIGNMENT);
    start = options.weights;
  } else if (path) {
    if (const fusec_status status = file.mapFile(path, error))
      return status;
    start = file.data();
    bytes = file.size();
  } else if (desc.weights) {
    start = desc.weights;
    bytes = desc.weights_bytes;
  } else {
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s' needs its weights: a path or memory",
                     desc.name);
  }
  fusec_weights_header header;
  if (const fusec_status status =
          checkHeader(desc, start, bytes, header, error))
    return status;
  id = header.id;
  return readsAll ? check(desc, error) : FUSEC_OK;
}

fusec_status Weights::check(const fusec_model_desc &desc, Error &error) const {
  if (!start)
    return FUSEC_OK;
  WeightsHash hash;
  hash.add(static_cast<const char *>(start) + sizeof(fusec_weights_header),
           static_cast<size_t>(desc.weights_bytes) -
               sizeof(fusec_weights_header));
  if (hash.value() == id)
    return FUSEC_OK;
  return error.set(FUSEC_BAD_WEIGHTS,
                   "the weights of model '%s' have changed since it was "
                   "compiled: their hash is %llx, expected %llx",
                   desc.name, wide(hash.value()), wide(id));
}

fusec_status Weights::pack(const fusec_model_desc &desc, uint32_t launch,
                           const fusec_variant_desc &variant,
                           const void **packed, Error &error) {
  *packed = nullptr;
  if (!variant.pack)
    return FUSEC_OK;
  // Packing under the lock: two sessions that want the same pack make it once.
  std::lock_guard<std::mutex> lock(mutex);
  for (const Packed *p = packs; p; p = p->next) {
    if (p->launch == launch && p->variant == &variant) {
      *packed = p->memory.data();
      return FUSEC_OK;
    }
  }
  Packed *made = new (std::nothrow) Packed;
  if (!made)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot pack the weights of '%s'",
                     desc.name);
  made->launch = launch;
  made->variant = &variant;
  const uint64_t bytes = variant.pack_bytes ? variant.pack_bytes : 1;
  if (const fusec_status status = made->memory.allocate(bytes, error)) {
    delete made;
    return status;
  }
  variant.pack(start, launch, made->memory.data());
  made->next = packs;
  packs = made;
  *packed = made->memory.data();
  return FUSEC_OK;
}

} // namespace fusec::rt
