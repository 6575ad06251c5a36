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
  if (stream)
    device->synchronize(device->self, stream);
  for (void *event : events)
    if (event)
      device->destroy_event(device->self, event);
  if (mark)
    device->destroy_mark(device->self, mark);
  if (memory)
    device->release(device->self, memory);
  model.leaveDevice(shared);
  if (ownsStream)
    device->destroy_stream(device->self, stream);
}

fusec_status DeviceSession::fail(fusec_status with, const char *what,
                                 Error &error) {
  return error.set(with, "model '%s': %s %s: %s", desc.name, device->name, what,
                   device->last_error(device->self));
}

fusec_status DeviceSession::build(const fusec_session_options &options,
                                  const Setup &with, const int64_t *inputDims,
                                  Error &error) {
  const fusec_device_image *image =
      options.image ? options.image : desc.device->image;
  if (const fusec_status bad = checkImage(desc, *device, image, error))
    return bad;
  setup = &with;
  profile = options.profile;
  if (options.mark_every)
    markEvery = options.mark_every;
  stream = options.stream;
  if (!stream) {
    if (const fusec_status bad = device->create_stream(device->self, &stream))
      return fail(bad, "has no stream", error);
    ownsStream = true;
  }
  if (const fusec_status bad = model.useDevice(desc, *device, *image, file,
                                               stream, kernels, shared, error))
    return bad;
  if (const fusec_status bad = device->create_mark(device->self, &mark))
    return fail(bad, "has no memory for a mark", error);
  if (const fusec_status bad = allocate(options, inputDims, error))
    return bad;
  if (profile && profile->took)
    for (void *&event : events)
      if (const fusec_status bad = device->create_event(device->self, &event))
        return fail(bad, "has no event", error);
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
    return static_cast<DeviceSession *>(self)->status;
  };
  if (device->within)
    run.enqueue = [](void *self, uint32_t number, const char *name,
                     int32_t (*body)(void *, void *), void *ctx) {
      return static_cast<DeviceSession *>(self)->enqueue(number, name, body,
                                                         ctx);
    };
  run.weights = file.data();
  run.arena = hostArena.data();
  return FUSEC_OK;
}

fusec_status DeviceSession::allocate(const fusec_session_options &options,
                                     const int64_t *inputDims, Error &error) {
  uint32_t mostOperands = 0;
  for (uint32_t g = 0; g < desc.num_kernels; ++g)
    for (uint32_t v = 0; v < desc.device->variants[g]->num_variants; ++v)
      mostOperands =
          std::max(mostOperands, desc.device->kernels[g][v].num_operands);
  if (!inputPlaces.allocate(desc.num_inputs) ||
      !outputPlaces.allocate(desc.num_outputs) ||
      !arguments.allocate(mostOperands + 1) || !recent.allocate(kRecent))
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
      return fail(bad, "has no memory for a session", error);
  memory = static_cast<char *>(made);
  ownsArena = !options.arena;
  arenaMemory = ownsArena ? memory + arenaPlace : options.arena;
  if (setup->zeroedBytes + setup->workspaceBytes)
    workspaceEnd = static_cast<char *>(arenaMemory) + setup->zeroedOffset();
  if (ownsArena)
    if (const fusec_status bad = zero())
      return fail(bad, "cannot fill the memory of a session", error);
  return setup->hostArenaBytes
             ? hostArena.allocate(setup->hostArenaBytes, error)
             : FUSEC_OK;
}

fusec_status DeviceSession::zero() {
  const char value = 0;
  return setup->zeroedBytes ? device->fill(device->self, stream, workspaceEnd,
                                           &value, 1, setup->zeroedBytes)
                            : FUSEC_OK;
}

bool DeviceSession::hasFailed(fusec_status with, const char *what,
                              const char *name) {
  if (with == FUSEC_OK || status != FUSEC_OK)
    return status != FUSEC_OK;
  status = with;
  why.set(with, "model '%s': %s%s failed on %s: %s", desc.name, what, name,
          device->name, device->last_error(device->self));
  // It may have been told of what failed before.
  if (const fusec_status before = device->synchronize(device->self, stream))
    blame(before);
  return true;
}

bool DeviceSession::blame(fusec_status with) {
  const uint32_t done = *mark;
  if (done == numSteps)
    return false;
  uint32_t last = done;
  while (last + 1 != numSteps && !recent[last % kRecent].isMarked)
    ++last;
  const uint32_t count = last - done + 1;
  const Step &first = recent[done % kRecent], &end = recent[last % kRecent];
  const char *said = device->last_error(device->self);
  if (count == 1)
    status = why.set(with, "model '%s': %s%s failed on %s: %s", desc.name,
                     first.what, first.name, device->name, said);
  else
    status = why.set(with,
                     "model '%s': one of %u steps, from %s%s to %s%s, failed "
                     "on %s: %s; with mark_every = 1 (fusec run --mark-every "
                     "1) an error names the one",
                     desc.name, count, first.what, first.name, end.what,
                     end.name, device->name, said);
  numSteps = numMarked = done; // what is next is counted from here
  return true;
}

void DeviceSession::note(Step step) {
  if (status)
    return;
  recent[numSteps++ % kRecent] = step;
  if (numSteps - numMarked >= markEvery)
    setMark();
}

void DeviceSession::setMark() {
  if (status || numMarked == numSteps)
    return;
  recent[(numSteps - 1) % kRecent].isMarked = true;
  numMarked = numSteps;
  hasFailed(device->set_mark(device->self, stream, mark, numSteps), "a step",
            "");
}

void DeviceSession::wait() {
  setMark();
  const fusec_status with = device->synchronize(device->self, stream);
  if (with && !status && !blame(with))
    hasFailed(with, "a copy of an input or output", "");
}

template <typename Give>
void DeviceSession::profiled(uint32_t number, const char *what,
                             const char *name, Give give) {
  const bool isTimed = events[1];
  if (profile)
    profile->begin(profile->self, number);
  if (isTimed)
    hasFailed(device->record(device->self, stream, events[0]), what, name);
  give();
  if (isTimed)
    hasFailed(device->record(device->self, stream, events[1]), what, name);
  note({what, name});
  if (isTimed)
    wait();
  double milliseconds = 0;
  if (isTimed && !status &&
      !hasFailed(
          device->elapsed(device->self, events[0], events[1], &milliseconds),
          "the time of ", name))
    profile->took(profile->self, number, milliseconds);
  if (profile)
    profile->end(profile->self, number);
}

void DeviceSession::launch(uint32_t number, const void *const *operands) {
  if (status)
    return;
  const fusec_launch_desc &entry = desc.launches[number];
  const uint32_t taken = setup->variants[entry.group];
  const fusec_variant_desc &variant =
      desc.device->variants[entry.group]->variants[taken];
  const fusec_device_kernel &kernel = desc.device->kernels[entry.group][taken];
  if (!kernel.grid) // there is nothing to do
    return;
  // Kernels share what lies before the end of the workspace, and behind it what
  // each of them leaves at zero.
  void *scratch =
      variant.workspace_bytes
          ? workspaceEnd - (variant.workspace_bytes - kernel.zeroed_bytes)
          : nullptr;
  arguments[0] = &scratch;
  for (uint32_t i = 0; i < kernel.num_operands; ++i)
    arguments[i + 1] = operands + i;
  profiled(number, "kernel ", entry.name, [&] {
    hasFailed(device->launch(device->self, stream,
                             kernels.get(entry.group, taken), kernel.grid,
                             kernel.block, kernel.shared_bytes,
                             arguments.data(), kernel.num_operands + 1),
              "kernel ", entry.name);
  });
}

int32_t DeviceSession::enqueue(uint32_t number, const char *name,
                               int32_t (*body)(void *, void *), void *ctx) {
  if (status)
    return status;
  struct Work {
    int32_t (*body)(void *, void *);
    void *ctx, *stream;
    int32_t result;
  } work = {body, ctx, stream, FUSEC_OK};
  setMark(); // so that an error says whose code it is of
  profiled(number, "the operator ", name, [&] {
    hasFailed(device->within(
                  device->self,
                  [](void *self) {
                    Work &of = *static_cast<Work *>(self);
                    of.result = of.body(of.ctx, of.stream);
                    return int32_t(FUSEC_OK);
                  },
                  &work),
              "the operator ", name);
  });
  setMark();
  return status ? int32_t(status) : work.result;
}

void DeviceSession::copy(void *to, const void *from, uint64_t bytes,
                         uint32_t kind) {
  if (!status && bytes) {
    hasFailed(device->copy(device->self, stream, to, from, bytes, kind),
              "a copy", "");
    note({"a copy", ""});
    if (kind == FUSEC_COPY_TO_HOST)
      wait();
  }
  // A loop of the host would go on for as long as it finds what it found
  // before.
  if (status && kind == FUSEC_COPY_TO_HOST)
    std::memset(to, 0, bytes);
}

void DeviceSession::fill(void *to, const void *value, uint32_t valueBytes,
                         uint64_t count) {
  if (status || !count)
    return;
  hasFailed(device->fill(device->self, stream, to, value, valueBytes, count),
            "a fill", "");
  note({"a fill", ""});
}

fusec_status DeviceSession::begin(const fusec_tensor *in,
                                  const fusec_tensor *out, const void **inputs,
                                  void **outputs, Error &error) {
  // Others may have written to an arena that is not ours, and a launch that
  // failed may have come to an end halfway.
  const bool isZero = ownsArena && status == FUSEC_OK;
  status = FUSEC_OK;
  if (!isZero)
    hasFailed(zero(), "a fill", "");
  for (uint32_t i = 0; i < desc.num_inputs; ++i) {
    inputs[i] = in[i].data;
    if (!in[i].bytes || device->holds(device->self, in[i].data))
      continue;
    void *place = memory + inputPlaces[i];
    inputs[i] = place;
    hasFailed(device->copy(device->self, stream, place, in[i].data, in[i].bytes,
                           FUSEC_COPY_TO_DEVICE),
              "the copy of input ", desc.inputs[i].name);
  }
  for (uint32_t i = 0; i < desc.num_outputs; ++i) {
    outputs[i] = out[i].data;
    if (out[i].bytes && !device->holds(device->self, out[i].data))
      outputs[i] = memory + outputPlaces[i];
  }
  if (status)
    error = why;
  return status;
}

fusec_status DeviceSession::end(const fusec_tensor *out, void *const *outputs,
                                fusec_status result, const char *explanation,
                                Error &error) {
  bool mustWait = ownsStream;
  for (uint32_t i = 0; i < desc.num_outputs; ++i) {
    if (outputs[i] == out[i].data || status || result)
      continue;
    mustWait = true;
    hasFailed(device->copy(device->self, stream, out[i].data, outputs[i],
                           out[i].bytes, FUSEC_COPY_TO_HOST),
              "the copy of output ", desc.outputs[i].name);
  }
  if (mustWait)
    wait();
  if (status)
    error = why;
  else if (result)
    error.set(result, "model '%s' failed: %s", desc.name,
              explanation[0] ? explanation : fusec_status_name(result));
  else
    error.text[0] = 0;
  return status ? status : result;
}

} // namespace fusec::rt
