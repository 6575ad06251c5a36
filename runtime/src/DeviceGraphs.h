// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graphs of a session: what it had a device do before, to be done again.
#ifndef FUSEC_RUNTIME_DEVICEGRAPHS_H
#define FUSEC_RUNTIME_DEVICEGRAPHS_H

#include "DeviceSteps.h"

namespace fusec::rt {

class DeviceGraphs {
public:
  /// A launch of fewer steps costs more than they do.
  static constexpr uint32_t kLeastSteps = 4;

  DeviceGraphs() = default;
  DeviceGraphs(const DeviceGraphs &) = delete;
  DeviceGraphs &operator=(const DeviceGraphs &) = delete;

  /// For lists of as many steps, of which errors shall name two spans.
  bool build(const fusec_device &on, uint32_t mostSteps, uint32_t span,
             const volatile uint32_t *mark);
  /// Destroys all, which nobody else does; the device has done what it was
  /// given.
  void clear();
  /// A run begins: what an earlier one had done may be done with other memory.
  void beginRun() { ++run; }

  /// The graph of these steps: one of an earlier run, or a new one. Null: they
  /// are better given one by one.
  fusec_status find(const DeviceSteps &steps, void *&graph);

private:
  struct Graph {
    DeviceSteps steps;
    Array<uint32_t> waits; ///< of its nodes
    uint32_t numWaits = 0;
    void *handle = nullptr;
    uint64_t lastRun = 0;
    Graph *next = nullptr;
  };
  /// A host program makes one for each part between two waits.
  static constexpr uint32_t kMostGraphs = 64;

  fusec_status make(const DeviceSteps &steps, Graph *&made);
  fusec_status update(Graph &graph, const DeviceSteps &steps);
  void destroy(Graph *graph);

  const fusec_device *device = nullptr;
  const volatile uint32_t *mark = nullptr;
  DeviceNodes nodes; ///< of the steps that are looked for
  Graph *graphs = nullptr;
  uint32_t numGraphs = 0;
  uint64_t run = 0;
};

} // namespace fusec::rt

#endif
