// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceSession.h"

#include <algorithm>
#include <cstring>

#include "Model.h"
#include "Tensors.h"

namespace fusec::rt {

namespace {

/// Whether `device` loads the model's image.
fusec_status checkImage(const fusec_model_desc &desc,
                        const fusec_device &device,
                        const fusec_device_image *image, Error &error) {
  if (!image)
    return error.set(FUSEC_UNSUPPORTED,
                     "model '%s' was built without the code of its kernels: "
                     "build its folder with CMake and nvcc, or give the code "
                     "(options.image)",
                     desc.name);
  if (!(device.images >> image->kind & 1))
    return error.set(FUSEC_UNSUPPORTED,
                     "model '%s' has its kernels in an image of kind %u, which "
                     "%s does not load",
                     desc.name, image->kind, device.name);
  return FUSEC_OK;
}

} // namespace

DeviceSession::~DeviceSession() {
  queue.finish();
  if (memory)
    device->release(device->self, memory);
  model.leaveDevice(shared);
}

fusec_status DeviceSession::build(const fusec_session_options &options,
                                  const Setup &with, const int64_t *inputDims,
                                  Error &error) {
  const fusec_device_image *image =
      options.image ? options.image : desc.device->image;
  if (const fusec_status bad = checkImage(desc, *device, image, error))
    return bad;
  setup = &with;
  uint32_t mostOperands = 0;
  for (uint32_t g = 0; g < desc.num_kernels; ++g)
    for (uint32_t v = 0; v < desc.device->variants[g]->num_variants; ++v)
      mostOperands =
          std::max(mostOperands, desc.device->kernels[g][v].num_operands);
  if (const fusec_status bad =
          queue.build(options, desc.num_launches, mostOperands + 1, error))
    return bad;
  if (const fusec_status bad =
          model.useDevice(desc, *device, *image, file, queue.getStream(),
                          kernels, shared, error))
    return bad;
  if (const fusec_status bad = allocate(options, inputDims, error))
    return bad;
  run.self = this;
  run.launch = [](void *self, uint32_t number, const void *const *operands) {
    static_cast<DeviceSession *>(self)->launch(number, operands);
  };
  run.copy = [](void *self, void *to, const void *from, uint64_t bytes,
                uint32_t kind) {
    static_cast<DeviceSession *>(self)->copy(to, from, bytes, kind);
  };
  run.fill = [](void *self, void *to, const void *value, uint32_t valueBytes,
                uint64_t count) {
    static_cast<DeviceSession *>(self)->fill(to, value, valueBytes, count);
  };
  run.status = [](void *self) {
    return static_cast<DeviceSession *>(self)->queue.getStatus();
  };
  if (device->within)
    run.enqueue = [](void *self, uint32_t number, const char *name,
                     int32_t (*body)(void *, void *), void *ctx) {
      return static_cast<DeviceSession *>(self)->queue.enqueue(number, name,
                                                               body, ctx);
    };
  run.weights = file.data();
  run.arena = hostArena.data();
  return FUSEC_OK;
}

fusec_status DeviceSession::allocate(const fusec_session_options &options,
                                     const int64_t *inputDims, Error &error) {
  if (!inputPlaces.allocate(desc.num_inputs) ||
      !outputPlaces.allocate(desc.num_outputs) ||
      !toldInputs.allocate(desc.num_inputs) ||
      !toldOutputs.allocate(desc.num_outputs))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  if (options.arena && !device->holds(device->self, options.arena))
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s' runs on %s, and the arena is not in its "
                     "memory: allocate it there, or ask for another target",
                     desc.name, device->name);
  Places places;
  const uint64_t arenaPlace =
      places.take(options.arena ? 0 : setup->totalBytes());
  const int64_t *dims = inputDims;
  for (uint32_t i = 0; i < desc.num_inputs; dims += desc.inputs[i++].rank)
    inputPlaces[i] = places.take(countBytes(desc.inputs[i], dims));
  dims = setup->outputDims.data();
  for (uint32_t i = 0; i < desc.num_outputs; dims += desc.outputs[i++].rank)
    outputPlaces[i] = places.take(countBytes(desc.outputs[i], dims));
  void *made = nullptr;
  if (places.bytes)
    if (const fusec_status bad =
            device->allocate(device->self, places.bytes, &made))
      return queue.fail(bad, "has no memory for a session", error);
  memory = static_cast<char *>(made);
  ownsArena = !options.arena;
  arenaMemory = ownsArena ? memory + arenaPlace : options.arena;
  if (setup->zeroedBytes + setup->workspaceBytes)
    workspaceEnd = static_cast<char *>(arenaMemory) + setup->zeroedOffset();
  if (ownsArena)
    if (const fusec_status bad = zero())
      return queue.fail(bad, "cannot fill the memory of a session", error);
  return setup->hostArenaBytes
             ? hostArena.allocate(setup->hostArenaBytes, error)
             : FUSEC_OK;
}

fusec_status DeviceSession::zero() {
  const char value = 0;
  return setup->zeroedBytes
             ? device->fill(device->self, queue.getStream(), workspaceEnd,
                            &value, 1, setup->zeroedBytes)
             : FUSEC_OK;
}

void DeviceSession::launch(uint32_t number, const void *const *operands) {
  const fusec_launch_desc &entry = desc.launches[number];
  const uint32_t taken = setup->variants[entry.group];
  const fusec_variant_desc &variant =
      desc.device->variants[entry.group]->variants[taken];
  const fusec_device_kernel &kernel = desc.device->kernels[entry.group][taken];
  if (!kernel.grid) // there is nothing to do
    return;
  fusec_device_node node = {};
  node.kind = FUSEC_NODE_KERNEL;
  node.kernel = kernels.get(entry.group, taken);
  node.grid = kernel.grid;
  node.block = kernel.block;
  node.shared_bytes = kernel.shared_bytes;
  queue.add(number, "kernel ", entry.name, node, kernel.num_operands + 1);
  // Kernels share what lies before the end of the workspace, and behind it what
  // each of them leaves at zero.
  const uint64_t bytes = variant.workspace_bytes;
  queue.access(bytes ? workspaceEnd - (bytes - kernel.zeroed_bytes) : nullptr,
               bytes, true);
  for (uint32_t i = 0; i < kernel.num_operands; ++i) {
    const fusec_device_operand &of = desc.device->operands[entry.group][i];
    queue.access(operands[i], of.bytes, of.is_written);
  }
  queue.added();
}

void DeviceSession::copy(void *to, const void *from, uint64_t bytes,
                         uint32_t kind) {
  if (!bytes)
    return;
  if (kind == FUSEC_COPY_ON_DEVICE) {
    fusec_device_node node = {};
    node.kind = FUSEC_NODE_COPY;
    node.bytes = bytes;
    queue.add(0, "a copy", "", node, 2);
    queue.access(to, bytes, true);
    queue.access(from, bytes, false);
    queue.added();
    return;
  }
  queue.copyStep(to, from, bytes, kind);
  // A loop of the host would go on for as long as it finds what it found
  // before.
  if (queue.getStatus() && kind == FUSEC_COPY_TO_HOST)
    std::memset(to, 0, bytes);
}

void DeviceSession::fill(void *to, const void *value, uint32_t valueBytes,
                         uint64_t count) {
  if (!count)
    return;
  fusec_device_node node = {};
  node.kind = FUSEC_NODE_FILL;
  node.bytes = valueBytes;
  node.count = count;
  std::memcpy(&node.value, value, valueBytes);
  queue.add(0, "a fill", "", node, 1);
  queue.access(to, valueBytes * count, true);
  queue.added();
}

fusec_status DeviceSession::checkCapture(const fusec_tensor *in,
                                         const fusec_tensor *out,
                                         bool &isCaptured, Error &error) {
  isCaptured = false;
  if (queue.isOwner() || !device->is_captured)
    return FUSEC_OK;
  uint32_t answer = 0;
  // Where it fails for an earlier error, so does the first step, which says of
  // what that is.
  if (device->is_captured(device->self, queue.getStream(), &answer))
    return FUSEC_OK;
  isCaptured = answer != 0;
  if (!isCaptured)
    return FUSEC_OK;
  auto refuse = [&](const char *what, const char *name, const char *hint) {
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s': its stream is captured, and %s%s; %s",
                     desc.name, what, name, hint);
  };
  if (setup->hostArenaBytes)
    return refuse("its host program waits for what the device has computed", "",
                  "run it outside of the capture");
  if (queue.isTimed())
    return refuse("its kernels are to be timed", "",
                  "make a session without a profile");
  const char *move = "give memory of the device";
  for (uint32_t i = 0; i < desc.num_inputs; ++i)
    if (in[i].bytes && !device->holds(device->self, in[i].data))
      return refuse("the host has input ", desc.inputs[i].name, move);
  for (uint32_t i = 0; i < desc.num_outputs; ++i)
    if (out[i].bytes && !device->holds(device->self, out[i].data))
      return refuse("the host has output ", desc.outputs[i].name, move);
  return FUSEC_OK;
}

bool DeviceSession::isUsable(const fusec_tensor &tensor) const {
  return reinterpret_cast<uintptr_t>(tensor.data) % FUSEC_DEVICE_ALIGNMENT ==
             0 &&
         device->holds(device->self, tensor.data);
}

void DeviceSession::tellOfCopy(const char *kind, const fusec_tensor_desc &of,
                               const fusec_tensor &tensor, bool &isTold) {
  if (isTold)
    return;
  isTold = true;
  model.remark("model '%s': %s %s begins at no multiple of %u bytes on %s: "
               "each such run copies its %llu bytes there",
               desc.name, kind, of.name, FUSEC_DEVICE_ALIGNMENT, device->name,
               static_cast<unsigned long long>(tensor.bytes));
}

fusec_status DeviceSession::begin(const fusec_tensor *in,
                                  const fusec_tensor *out, const void **inputs,
                                  void **outputs, Error &error) {
  bool isCaptured = false;
  if (const fusec_status bad = checkCapture(in, out, isCaptured, error))
    return bad;
  // Others may have written to an arena that is not ours, and a launch that
  // failed may have come to an end halfway.
  const bool isZero = ownsArena && queue.getStatus() == FUSEC_OK;
  queue.beginRun(isCaptured);
  if (!isZero)
    queue.hasFailed(zero(), "a fill", "");
  for (uint32_t i = 0; i < desc.num_inputs; ++i) {
    inputs[i] = in[i].data;
    if (!in[i].bytes || isUsable(in[i]))
      continue;
    void *place = memory + inputPlaces[i];
    inputs[i] = place;
    const bool isThere = device->holds(device->self, in[i].data);
    if (isThere)
      tellOfCopy("input", desc.inputs[i], in[i], toldInputs[i]);
    queue.copy(place, in[i].data, in[i].bytes,
               isThere ? FUSEC_COPY_ON_DEVICE : FUSEC_COPY_TO_DEVICE,
               "the copy of input ", desc.inputs[i].name);
  }
  for (uint32_t i = 0; i < desc.num_outputs; ++i) {
    outputs[i] = out[i].data;
    if (out[i].bytes && !isUsable(out[i]))
      outputs[i] = memory + outputPlaces[i];
  }
  if (queue.getStatus())
    error = queue.getError();
  return queue.getStatus();
}

fusec_status DeviceSession::end(const fusec_tensor *out, void *const *outputs,
                                fusec_status result, const char *explanation,
                                Error &error) {
  queue.flush();
  bool mustWait = queue.isOwner();
  for (uint32_t i = 0; i < desc.num_outputs; ++i) {
    if (outputs[i] == out[i].data || result)
      continue;
    const bool isThere = device->holds(device->self, out[i].data);
    if (isThere)
      tellOfCopy("output", desc.outputs[i], out[i], toldOutputs[i]);
    else
      mustWait = true;
    queue.copy(out[i].data, outputs[i], out[i].bytes,
               isThere ? FUSEC_COPY_ON_DEVICE : FUSEC_COPY_TO_HOST,
               "the copy of output ", desc.outputs[i].name);
  }
  if (mustWait)
    queue.wait();
  if (queue.getStatus())
    error = queue.getError();
  else if (result)
    error.set(result, "model '%s' failed: %s", desc.name,
              explanation[0] ? explanation : fusec_status_name(result));
  else
    error.text[0] = 0;
  return queue.getStatus() ? queue.getStatus() : result;
}

} // namespace fusec::rt
