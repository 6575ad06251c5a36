// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "States.h"

#include <algorithm>
#include <cstring>

#include "Tensors.h"
#include "fusec/weights_hash.h"

namespace fusec::rt {

namespace {

/// What saved states begin with; then, for each of them, a SavedState with its
/// dims behind it; then the elements of all.
struct SavedHeader {
  char magic[8];
  uint64_t bytes; ///< of all, this header included
  uint64_t model; ///< States::getIdentity
  uint64_t hash;  ///< of the elements
  uint32_t num_states, reserved;
};
struct SavedState {
  uint32_t dtype, rank;
};
constexpr char kMagic[] = "FUSECST1";

bool sameDims(const fusec_tensor_desc &one, const fusec_tensor_desc &other) {
  return one.rank == other.rank &&
         std::equal(one.dims, one.dims + one.rank, other.dims);
}

/// How many bytes stand before the elements of saved states.
uint64_t countHeader(const fusec_model_desc &desc) {
  uint64_t bytes = sizeof(SavedHeader);
  for (uint32_t s = 0; s < desc.num_states; ++s)
    bytes += sizeof(SavedState) + desc.states[s].tensor.rank * sizeof(int64_t);
  return bytes;
}

/// Whether `at`, behind the header of saved states, says the types of `desc`'s.
bool describes(const char *at, const fusec_model_desc &desc) {
  for (uint32_t s = 0; s < desc.num_states; ++s) {
    const fusec_tensor_desc &tensor = desc.states[s].tensor;
    SavedState saved;
    memcpy(&saved, at, sizeof(saved));
    at += sizeof(saved);
    const uint64_t bytes = tensor.rank * sizeof(int64_t);
    if (saved.dtype != tensor.dtype || saved.rank != tensor.rank ||
        memcmp(at, tensor.dims, bytes) != 0)
      return false;
    at += bytes;
  }
  return true;
}

uint64_t hashOf(const char *data, uint64_t bytes) {
  WeightsHash hash;
  hash.add(data, static_cast<size_t>(bytes));
  return hash.value();
}

} // namespace

States::~States() {
  if (onDevice)
    device->release(device->self, onDevice);
  if (ownsStream)
    device->destroy_stream(device->self, stream);
}

fusec_status States::build(const Entries &all, uint64_t weights,
                           const fusec_device *on, void *with, Error &error) {
  entries = &all;
  weightsId = weights;
  count = getDesc(0).num_states;
  if (!count)
    return FUSEC_OK;
  device = on;
  stream = with;
  if (!buffers.allocate(count))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the states");
  const auto take = [&](uint64_t bytes) {
    const uint64_t place = size;
    size = alignUp(place + bytes, 256); // as devices align their memory
    return place;
  };
  // Both values of a state are of its largest entry; offsets until there is
  // memory.
  Array<uint64_t> values, nexts;
  if (!values.allocate(count) || !nexts.allocate(count))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the states");
  for (uint32_t s = 0; s < count; ++s) {
    if (getDesc(0).states[s].room)
      counter = s;
    bool isInPlace = true;
    for (uint32_t e = 0; e < all.size(); ++e) {
      const fusec_state_desc &state = getDesc(e).states[s];
      buffers[s].bytes = std::max(buffers[s].bytes, countBytes(state.tensor));
      isInPlace &= state.in_place != 0;
    }
    values[s] = take(buffers[s].bytes);
    nexts[s] = isInPlace ? UINT64_MAX : take(buffers[s].bytes);
  }
  if (const fusec_status status = allocate(size, error))
    return status;
  char *base = static_cast<char *>(device ? onDevice : host.data());
  for (uint32_t s = 0; s < count; ++s) {
    buffers[s].value = base + values[s];
    buffers[s].next = nexts[s] == UINT64_MAX ? nullptr : base + nexts[s];
  }
  return device ? reset(error) : FUSEC_OK; // a mapping begins as zeros
}

fusec_status States::allocate(uint64_t bytes, Error &error) {
  if (!device)
    return bytes ? host.allocate(bytes, error) : FUSEC_OK;
  if (!stream) {
    if (const fusec_status status =
            device->create_stream(device->self, &stream))
      return fail(status, error);
    ownsStream = true;
  }
  const fusec_status status =
      bytes ? device->allocate(device->self, bytes, &onDevice) : FUSEC_OK;
  return status ? fail(status, error) : FUSEC_OK;
}

fusec_status States::fail(fusec_status status, Error &error) const {
  return error.set(status, "model '%s': %s cannot hold its states: %s",
                   getDesc(0).name, device->name,
                   device->last_error(device->self));
}

fusec_status States::checkRoom(uint32_t entry, Error &error) const {
  if (counter == kNone)
    return FUSEC_OK;
  const fusec_state_desc &state = getDesc(entry).states[counter];
  if (length >= 0 && length <= static_cast<int64_t>(state.room) - state.rows)
    return FUSEC_OK;
  return error.set(FUSEC_INVALID_ARGUMENT,
                   "state '%s' is %lld, and this run adds %u rows to caches "
                   "that have room for %u: reset the session, or restore an "
                   "earlier state",
                   state.tensor.name, static_cast<long long>(length),
                   state.rows, state.room);
}

fusec_status States::readLength(Error &error) {
  if (counter == kNone)
    return FUSEC_OK;
  if (const fusec_status status =
          copy(&length, buffers[counter].value, sizeof(length),
               FUSEC_COPY_TO_HOST, error))
    return status;
  return finish(error);
}

fusec_status States::check(uint32_t entry, Error &error) const {
  if (const fusec_status status = checkRoom(entry, error))
    return status;
  if (holder == kNone || holder == entry)
    return FUSEC_OK;
  for (uint32_t s = 0; s < count; ++s) {
    const fusec_tensor_desc &held = getDesc(holder).states[s].tensor,
                            &wanted = getDesc(entry).states[s].tensor;
    if (!sameDims(held, wanted))
      return error.set(FUSEC_INVALID_ARGUMENT,
                       "state '%s' is %s from the runs before, and this run "
                       "needs %s: reset the session first",
                       wanted.name,
                       TypeText(held.dtype, held.rank, held.dims).text,
                       TypeText(wanted.dtype, wanted.rank, wanted.dims).text);
  }
  return FUSEC_OK;
}

void States::bind(uint32_t entry, const void **inputs, void **outputs) const {
  const fusec_model_desc &desc = getDesc(entry);
  for (uint32_t s = 0; s < count; ++s) {
    inputs[desc.num_inputs + s] = buffers[s].value;
    outputs[desc.num_outputs + s] =
        desc.states[s].in_place ? buffers[s].value : buffers[s].next;
  }
}

void States::advance(uint32_t entry) {
  for (uint32_t s = 0; s < count; ++s)
    if (!getDesc(entry).states[s].in_place)
      std::swap(buffers[s].value, buffers[s].next);
  holder = entry;
  if (counter != kNone)
    length += getDesc(entry).states[counter].rows;
}

fusec_status States::copy(void *to, const void *from, uint64_t bytes,
                          uint32_t kind, Error &error) {
  if (!bytes)
    return FUSEC_OK;
  if (!device) {
    memcpy(to, from, static_cast<size_t>(bytes));
    return FUSEC_OK;
  }
  const fusec_status status =
      device->copy(device->self, stream, to, from, bytes, kind);
  return status ? fail(status, error) : FUSEC_OK;
}

/// Waits for copies.
fusec_status States::finish(Error &error) {
  const fusec_status status =
      device ? device->synchronize(device->self, stream) : FUSEC_OK;
  return status ? fail(status, error) : FUSEC_OK;
}

fusec_status States::reset(Error &error) {
  for (uint32_t s = 0; s < count; ++s) {
    if (!buffers[s].bytes)
      continue;
    if (!device) {
      memset(buffers[s].value, 0, static_cast<size_t>(buffers[s].bytes));
      continue;
    }
    const char zero = 0;
    if (const fusec_status status = device->fill(
            device->self, stream, buffers[s].value, &zero, 1, buffers[s].bytes))
      return fail(status, error);
  }
  holder = kNone;
  length = 0;
  return count ? finish(error) : FUSEC_OK;
}

fusec_status States::find(uint32_t entry, const char *name, uint32_t &state,
                          Error &error) const {
  const fusec_model_desc &desc = getDesc(entry);
  if (!count)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s' has no states; compiling it with --state "
                     "makes them",
                     desc.name);
  for (state = 0; name && state < count; ++state)
    if (strcmp(desc.states[state].tensor.name, name) == 0)
      return FUSEC_OK;
  return error.set(FUSEC_INVALID_ARGUMENT,
                   "model '%s' has no state '%s'; it has %u, the first of them "
                   "'%s'",
                   desc.name, name ? name : "", count,
                   desc.states[0].tensor.name);
}

fusec_status States::move(uint32_t entry, const char *name,
                          const fusec_tensor &tensor, bool isFrom,
                          Error &error) {
  uint32_t s = 0;
  if (const fusec_status status = find(entry, name, s, error))
    return status;
  const fusec_tensor_desc &desc = getDesc(entry).states[s].tensor;
  if (const fusec_status status =
          checkTensor("state", desc, desc.dims, tensor, error))
    return status;
  const bool isOnDevice = device && device->holds(device->self, tensor.data);
  const uint32_t kind = isOnDevice ? FUSEC_COPY_ON_DEVICE
                        : isFrom   ? FUSEC_COPY_TO_DEVICE
                                   : FUSEC_COPY_TO_HOST;
  void *value = buffers[s].value;
  return copy(isFrom ? value : tensor.data, isFrom ? tensor.data : value,
              tensor.bytes, kind, error);
}

fusec_status States::get(uint32_t entry, const char *name,
                         const fusec_tensor *to, Error &error) {
  if (const fusec_status status =
          move(getHolder(entry), name, *to, /*isFrom=*/false, error))
    return status;
  return finish(error);
}

fusec_status States::set(uint32_t entry, const char *name,
                         const fusec_tensor *from, Error &error) {
  entry = getHolder(entry);
  if (const fusec_status status =
          move(entry, name, *from, /*isFrom=*/true, error))
    return status;
  holder = entry;
  if (const fusec_status status = finish(error))
    return status;
  return readLength(error);
}

/// The same for whatever is the same model, with the same weights and states.
uint64_t States::getIdentity() const {
  const fusec_model_desc &desc = getDesc(0);
  WeightsHash hash;
  const auto add = [&](const char *text) { hash.add(text, strlen(text) + 1); };
  add(desc.name);
  hash.add(&weightsId, sizeof(weightsId));
  for (uint32_t s = 0; s < count; ++s) {
    add(desc.states[s].tensor.name);
    add(desc.states[s].output);
  }
  return hash.value();
}

fusec_status States::save(uint32_t entry, void *to, uint64_t capacity,
                          uint64_t *bytes, Error &error) {
  const fusec_model_desc &desc = getDesc(getHolder(entry));
  const uint64_t head = countHeader(desc);
  uint64_t elements = 0;
  for (uint32_t s = 0; s < count; ++s)
    elements += countBytes(desc.states[s].tensor);
  *bytes = head + elements;
  if (!to)
    return FUSEC_OK;
  if (capacity < *bytes)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "the states of model '%s' take %llu bytes, and there is "
                     "room for %llu",
                     desc.name, static_cast<unsigned long long>(*bytes),
                     static_cast<unsigned long long>(capacity));
  char *at = static_cast<char *>(to) + head;
  for (uint32_t s = 0; s < count; ++s) {
    const uint64_t own = countBytes(desc.states[s].tensor);
    if (const fusec_status status =
            copy(at, buffers[s].value, own, FUSEC_COPY_TO_HOST, error))
      return status;
    at += own;
  }
  if (const fusec_status status = finish(error))
    return status;
  at = static_cast<char *>(to);
  SavedHeader header = {};
  memcpy(header.magic, kMagic, sizeof(header.magic));
  header.bytes = *bytes;
  header.model = getIdentity();
  header.hash = hashOf(at + head, elements);
  header.num_states = count;
  memcpy(at, &header, sizeof(header));
  at += sizeof(header);
  for (uint32_t s = 0; s < count; ++s) {
    const fusec_tensor_desc &tensor = desc.states[s].tensor;
    const SavedState saved = {tensor.dtype, tensor.rank};
    memcpy(at, &saved, sizeof(saved));
    at += sizeof(saved);
    memcpy(at, tensor.dims, tensor.rank * sizeof(int64_t));
    at += tensor.rank * sizeof(int64_t);
  }
  return FUSEC_OK;
}

fusec_status States::restore(const void *from, uint64_t bytes, Error &error) {
  const char *at = static_cast<const char *>(from);
  const char *name = getDesc(0).name;
  SavedHeader header = {};
  if (bytes >= sizeof(header))
    memcpy(&header, at, sizeof(header));
  if (memcmp(header.magic, kMagic, sizeof(header.magic)) != 0)
    return error.set(FUSEC_BAD_STATE,
                     "these %llu bytes are no states that "
                     "fusec_session_save writes",
                     static_cast<unsigned long long>(bytes));
  if (header.model != getIdentity() || header.num_states != count)
    return error.set(FUSEC_BAD_STATE,
                     "the saved states are another model's than '%s', or of "
                     "one with other weights",
                     name);
  for (uint32_t e = 0; e < entries->size(); ++e) {
    const fusec_model_desc &desc = getDesc(e);
    const uint64_t head = countHeader(desc);
    if (bytes < head || !describes(at + sizeof(header), desc))
      continue;
    uint64_t elements = 0;
    for (uint32_t s = 0; s < count; ++s)
      elements += countBytes(desc.states[s].tensor);
    at += head;
    if (bytes != head + elements || header.bytes != bytes)
      return error.set(FUSEC_BAD_STATE,
                       "the saved states of model '%s' are damaged: they have "
                       "%llu bytes, and had %llu",
                       name, static_cast<unsigned long long>(bytes),
                       static_cast<unsigned long long>(head + elements));
    if (header.reserved != 0 || header.hash != hashOf(at, elements))
      return error.set(FUSEC_BAD_STATE,
                       "the saved states of model '%s' are damaged: they are "
                       "not those that were written",
                       name);
    for (uint32_t s = 0; s < count; ++s) {
      const uint64_t own = countBytes(desc.states[s].tensor);
      if (const fusec_status status =
              copy(buffers[s].value, at, own, FUSEC_COPY_TO_DEVICE, error))
        return status;
      at += own;
    }
    holder = e;
    if (const fusec_status status = finish(error))
      return status;
    return readLength(error);
  }
  return error.set(FUSEC_BAD_STATE,
                   "the saved states have shapes or types that no entry of "
                   "model '%s' has",
                   name);
}

} // namespace fusec::rt
