// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceGraphs.h"

#include <algorithm>

namespace fusec::rt {

void DeviceGraphs::clear() {
  while (Graph *first = graphs) {
    graphs = first->next;
    destroy(first);
  }
}

bool DeviceGraphs::build(const fusec_device &on, uint32_t mostSteps,
                         uint32_t span, const volatile uint32_t *with) {
  device = &on;
  mark = with;
  return nodes.allocate(mostSteps, span);
}

void DeviceGraphs::destroy(Graph *graph) {
  if (graph->handle)
    device->destroy_graph(device->self, graph->handle);
  delete graph;
}

fusec_status DeviceGraphs::make(const DeviceSteps &steps, Graph *&made) {
  made = new (std::nothrow) Graph;
  if (!made || !made->steps.copy(steps) ||
      !made->waits.allocate(nodes.countWaits())) {
    delete made;
    made = nullptr; // one by one, they need no memory
    return FUSEC_OK;
  }
  made->numWaits = nodes.countWaits();
  std::copy_n(nodes.getWaits(), made->numWaits, made->waits.data());
  if (const fusec_status bad = device->make_graph(
          device->self, nodes.data(), nodes.size(), &made->handle)) {
    destroy(made);
    made = nullptr;
    return bad;
  }
  ++numGraphs;
  made->next = graphs;
  graphs = made;
  return FUSEC_OK;
}

fusec_status DeviceGraphs::update(Graph &graph, const DeviceSteps &steps) {
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (steps.hasMemoryOf(graph.steps, i))
      continue;
    const uint32_t place = nodes.getPlace(i);
    if (const fusec_status bad = device->update_graph(
            device->self, graph.handle, place, nodes.data() + place))
      return bad;
  }
  graph.steps.takeMemory(steps);
  return FUSEC_OK;
}

fusec_status DeviceGraphs::find(const DeviceSteps &steps, void *&graph) {
  graph = nullptr;
  if (steps.size() < kLeastSteps)
    return FUSEC_OK;
  Graph *similar = nullptr; ///< does the same with other memory
  for (Graph *known = graphs; known; known = known->next) {
    if (!known->steps.doTheSame(steps))
      continue;
    uint32_t i = 0;
    while (i < steps.size() && steps.hasMemoryOf(known->steps, i))
      ++i;
    if (i == steps.size()) {
      known->lastRun = run;
      graph = known->handle;
      return FUSEC_OK;
    }
    if (known->lastRun != run)
      similar = known;
  }
  nodes.order(steps, mark);
  Graph *taken = nullptr;
  if (similar &&
      std::equal(nodes.getWaits(), nodes.getWaits() + nodes.countWaits(),
                 similar->waits.data(),
                 similar->waits.data() + similar->numWaits)) {
    taken = similar;
    if (const fusec_status bad = update(*similar, steps))
      return bad;
  } else if (numGraphs < kMostGraphs) {
    if (const fusec_status bad = make(steps, taken))
      return bad;
  }
  if (taken) {
    taken->lastRun = run;
    graph = taken->handle;
  }
  return FUSEC_OK;
}

} // namespace fusec::rt
