// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceQueue.h"

#include <algorithm>

#include "fusec/runtime.h"

namespace fusec::rt {

void DeviceQueue::finish() {
  if (stream)
    device.synchronize(device.self, stream);
  graphs.clear();
}

DeviceQueue::~DeviceQueue() {
  for (void *event : events)
    if (event)
      device.destroy_event(device.self, event);
  for (const volatile uint32_t *of : {mark, graphMark})
    if (of)
      device.destroy_mark(device.self, of);
  if (ownsStream)
    device.destroy_stream(device.self, stream);
}

fusec_status DeviceQueue::fail(fusec_status with, const char *what,
                               Error &error) const {
  return error.set(with, "model '%s': %s %s: %s", model, device.name, what,
                   device.last_error(device.self));
}

fusec_status DeviceQueue::build(const fusec_session_options &options,
                                uint32_t numLaunches, uint32_t mostArguments,
                                Error &error) {
  profile = options.profile;
  if (options.mark_every)
    markEvery = options.mark_every;
  span = std::min(std::max(markEvery / 2, 1u), DeviceNodes::kMostSpan);
  stream = options.stream;
  if (!stream) {
    if (const fusec_status bad = device.create_stream(device.self, &stream))
      return fail(bad, "has no stream", error);
    ownsStream = true;
  }
  for (const volatile uint32_t **of : {&mark, &graphMark})
    if (const fusec_status bad = device.create_mark(device.self, of))
      return fail(bad, "has no memory for a mark", error);
  if (profile && profile->took)
    for (void *&event : events)
      if (const fusec_status bad = device.create_event(device.self, &event))
        return fail(bad, "has no event", error);
  const uint32_t mostSteps =
      std::min(std::max(2 * numLaunches, 256u), kRecent / 4);
  if (!recent.allocate(kRecent) ||
      !pending.allocate(mostSteps, std::max(8 * mostSteps, mostArguments)) ||
      !graphs.build(device, mostSteps, span, graphMark))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  return FUSEC_OK;
}

void DeviceQueue::beginRun(bool isCapturedNow) {
  isCaptured = isCapturedNow;
  isDeferred = device.make_graph && !profile && markEvery > 1 && !isCaptured;
  graphs.beginRun();
  if (status == FUSEC_OK)
    return;
  status = FUSEC_OK;
  // A graph that failed may have left its mark.
  hasFailed(device.set_mark(device.self, stream, graphMark, 0), "a step", "");
}

bool DeviceQueue::hasFailed(fusec_status with, const char *what,
                            const char *name) {
  if (with == FUSEC_OK || status != FUSEC_OK)
    return status != FUSEC_OK;
  status = with;
  why.set(with, "model '%s': %s%s failed on %s: %s", model, what, name,
          device.name, device.last_error(device.self));
  if (isCaptured) // who waits ends the capture
    return true;
  // It may have been told of what failed before.
  if (const fusec_status before = device.synchronize(device.self, stream))
    blame(before);
  return true;
}

bool DeviceQueue::blame(fusec_status with) {
  const uint32_t marked = *mark;
  if (marked == numSteps)
    return false;
  uint32_t done = marked, last = marked;
  if (const uint32_t size = recent[done % kRecent].graph) {
    // Of a graph no more steps than those of two spans are done at one time.
    const uint32_t end = done + size;
    done += *graphMark;
    last = std::min(done + 2 * span, end) - 1;
  } else {
    while (last + 1 != numSteps && !recent[last % kRecent].isMarked)
      ++last;
  }
  const uint32_t count = last - done + 1;
  const Step &first = recent[done % kRecent], &end = recent[last % kRecent];
  const char *said = device.last_error(device.self);
  if (count == 1)
    status = why.set(with, "model '%s': %s%s failed on %s: %s", model,
                     first.what, first.name, device.name, said);
  else
    status = why.set(with,
                     "model '%s': one of %u steps, from %s%s to %s%s, failed "
                     "on %s: %s; with mark_every = 1 (fusec run --mark-every "
                     "1) an error names the one",
                     model, count, first.what, first.name, end.what, end.name,
                     device.name, said);
  numSteps = numMarked = marked; // what is next is counted from here
  return true;
}

void DeviceQueue::note(Step step) {
  if (status || isCaptured) // it would be noted whenever the graph is launched
    return;
  recent[numSteps++ % kRecent] = step;
  if (numSteps - numMarked >= markEvery)
    setMark();
}

void DeviceQueue::setMark() {
  if (status || numMarked == numSteps)
    return;
  recent[(numSteps - 1) % kRecent].isMarked = true;
  numMarked = numSteps;
  hasFailed(device.set_mark(device.self, stream, mark, numSteps), "a step", "");
}

void DeviceQueue::wait() {
  setMark();
  const fusec_status with = device.synchronize(device.self, stream);
  if (with && !status && !blame(with))
    hasFailed(with, "a copy of an input or output", "");
}

template <typename Give>
void DeviceQueue::profiled(uint32_t number, const char *what, const char *name,
                           Give give) {
  if (profile)
    profile->begin(profile->self, number);
  if (isTimed())
    hasFailed(device.record(device.self, stream, events[0]), what, name);
  give();
  if (isTimed())
    hasFailed(device.record(device.self, stream, events[1]), what, name);
  note({what, name});
  if (isTimed())
    wait();
  double milliseconds = 0;
  if (isTimed() && !status &&
      !hasFailed(
          device.elapsed(device.self, events[0], events[1], &milliseconds),
          "the time of ", name))
    profile->took(profile->self, number, milliseconds);
  if (profile)
    profile->end(profile->self, number);
}

void DeviceQueue::add(uint32_t number, const char *what, const char *name,
                      const fusec_device_node &node, uint32_t memories) {
  if (!pending.hasRoom(memories))
    flush();
  pending.add(number, what, name, node);
}

void DeviceQueue::flush() {
  if (!status && pending.size() && !(isDeferred && flushAsGraph()))
    for (uint32_t i = 0; i < pending.size(); ++i)
      give(i);
  pending.clear();
}

/// False where the steps are to be given one by one.
bool DeviceQueue::flushAsGraph() {
  void *graph = nullptr;
  if (hasFailed(graphs.find(pending, graph), "a graph of steps", ""))
    return true;
  if (!graph)
    return false;
  setMark(); // the marks of a graph count from here
  hasFailed(device.launch_graph(device.self, stream, graph), "a graph of steps",
            "");
  for (uint32_t i = 0; i < pending.size() && !status; ++i)
    recent[numSteps++ % kRecent] = {pending[i].what, pending[i].name, false,
                                    i ? 0 : pending.size()};
  setMark();
  return true;
}

void DeviceQueue::give(uint32_t step) {
  if (status)
    return;
  const DeviceStep &of = pending[step];
  const fusec_device_node node = pending.getNode(step);
  if (node.kind == FUSEC_NODE_KERNEL) {
    profiled(of.number, of.what, of.name, [&] {
      hasFailed(device.launch(device.self, stream, node.kernel, node.grid,
                              node.block, node.shared_bytes, node.arguments,
                              node.num_arguments),
                of.what, of.name);
    });
    return;
  }
  hasFailed(node.kind == FUSEC_NODE_COPY
                ? device.copy(device.self, stream, node.to, node.from,
                              node.bytes, FUSEC_COPY_ON_DEVICE)
                : device.fill(device.self, stream, node.to, &node.value,
                              static_cast<uint32_t>(node.bytes), node.count),
            of.what, of.name);
  note({of.what, of.name});
}

void DeviceQueue::copy(void *to, const void *from, uint64_t bytes,
                       uint32_t kind, const char *what, const char *name) {
  if (!status)
    hasFailed(device.copy(device.self, stream, to, from, bytes, kind), what,
              name);
}

void DeviceQueue::copyStep(void *to, const void *from, uint64_t bytes,
                           uint32_t kind) {
  flush();
  if (status)
    return;
  copy(to, from, bytes, kind, "a copy", "");
  note({"a copy", ""});
  if (kind == FUSEC_COPY_TO_HOST)
    wait();
}

int32_t DeviceQueue::enqueue(uint32_t number, const char *name,
                             int32_t (*body)(void *, void *), void *ctx) {
  flush();
  if (status)
    return status;
  struct Work {
    int32_t (*body)(void *, void *);
    void *ctx, *stream;
    int32_t result;
  } work = {body, ctx, stream, FUSEC_OK};
  setMark(); // so that an error says whose code it is of
  profiled(number, "the operator ", name, [&] {
    hasFailed(device.within(
                  device.self,
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

} // namespace fusec::rt
