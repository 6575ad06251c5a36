// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceSteps.h"

#include <algorithm>

namespace fusec::rt {

bool DeviceSteps::allocate(uint32_t forSteps, uint32_t forMemories) {
  mostSteps = forSteps;
  mostMemories = forMemories;
  if (!steps.allocate(forSteps) || !memories.allocate(forMemories) ||
      !arguments.allocate(forMemories))
    return false;
  for (uint32_t i = 0; i < forMemories; ++i)
    arguments[i] = &memories[i].pointer;
  return true;
}

bool DeviceSteps::copy(const DeviceSteps &other) {
  if (!allocate(other.numSteps, other.numMemories))
    return false;
  numSteps = other.numSteps;
  numMemories = other.numMemories;
  std::copy_n(other.steps.data(), numSteps, steps.data());
  takeMemory(other);
  return true;
}

void DeviceSteps::add(uint32_t number, const char *what, const char *name,
                      const fusec_device_node &node) {
  steps[numSteps++] = {number, what, name, node, numMemories, 0};
}

void DeviceSteps::access(const void *pointer, uint64_t bytes, bool isWritten) {
  memories[numMemories++] = {pointer, bytes, isWritten};
  ++steps[numSteps - 1].numMemories;
}

fusec_device_node DeviceSteps::getNode(uint32_t step) const {
  const DeviceStep &of = steps[step];
  const StepMemory *memory = memories.data() + of.firstMemory;
  fusec_device_node node = of.node;
  if (node.kind == FUSEC_NODE_KERNEL) {
    node.arguments = arguments.data() + of.firstMemory;
    node.num_arguments = of.numMemories;
    return node;
  }
  node.to = const_cast<void *>(memory[0].pointer);
  node.from = node.kind == FUSEC_NODE_COPY ? memory[1].pointer : nullptr;
  return node;
}

static bool overlap(const StepMemory &a, const StepMemory &b) {
  const auto begin = reinterpret_cast<uintptr_t>(a.pointer),
             other = reinterpret_cast<uintptr_t>(b.pointer);
  return begin < other ? other - begin < a.bytes : begin - other < b.bytes;
}

bool DeviceSteps::conflict(uint32_t one, uint32_t other) const {
  const DeviceStep &a = steps[one], &b = steps[other];
  for (uint32_t i = 0; i < a.numMemories; ++i)
    for (uint32_t k = 0; k < b.numMemories; ++k) {
      const StepMemory &x = memories[a.firstMemory + i],
                       &y = memories[b.firstMemory + k];
      if ((x.isWritten || y.isWritten) && x.bytes && y.bytes && overlap(x, y))
        return true;
    }
  return false;
}

bool DeviceSteps::doTheSame(const DeviceSteps &others) const {
  if (numSteps != others.numSteps || numMemories != others.numMemories)
    return false;
  for (uint32_t i = 0; i < numSteps; ++i) {
    const fusec_device_node &a = steps[i].node, &b = others.steps[i].node;
    if (a.kind != b.kind || a.kernel != b.kernel || a.grid != b.grid ||
        a.block != b.block || a.shared_bytes != b.shared_bytes ||
        a.bytes != b.bytes || a.count != b.count || a.value != b.value ||
        steps[i].numMemories != others.steps[i].numMemories)
      return false;
  }
  return true;
}

bool DeviceSteps::hasMemoryOf(const DeviceSteps &others, uint32_t step) const {
  const uint32_t first = steps[step].firstMemory;
  for (uint32_t i = 0; i < steps[step].numMemories; ++i)
    if (memories[first + i].pointer != others.memories[first + i].pointer)
      return false;
  return true;
}

void DeviceSteps::takeMemory(const DeviceSteps &others) {
  std::copy_n(others.memories.data(), numMemories, memories.data());
}

bool DeviceNodes::allocate(uint32_t mostSteps, uint32_t stepsOfSpan) {
  span = stepsOfSpan;
  const uint64_t mostNodes = mostSteps + mostSteps / span + 1;
  return nodes.allocate(mostNodes) &&
         waits.allocate(mostNodes * (2 * span + 2)) &&
         ancestors.allocate(mostSteps);
}

/// Adds a node, for which `waitFor` then says what it waits for.
void DeviceNodes::begin(const fusec_device_node &node) {
  nodes[numNodes] = node;
  nodes[numNodes].num_before = 0;
  nodes[numNodes].before = waits.data() + numWaits;
}

void DeviceNodes::waitFor(uint32_t node) {
  waits[numWaits++] = node;
  ++nodes[numNodes].num_before;
}

void DeviceNodes::end() { waits[numWaits++] = numNodes++; }

void DeviceNodes::order(const DeviceSteps &of, const volatile uint32_t *mark) {
  numNodes = numWaits = 0;
  const uint32_t numSteps = of.size();
  hasMarks = numSteps > 2 * span;
  for (uint32_t start = 0; start < numSteps; start += span) {
    const uint32_t stop = std::min(start + span, numSteps);
    // Steps before the span before are done when the mark behind them is set.
    const uint32_t first = start < span ? 0 : start - span;
    const bool isThird = start >= 2 * span;
    uint32_t awaited = 0; ///< bit i: a step of this span waits for start + i
    for (uint32_t i = start; i < stop; ++i) {
      begin(of.getNode(i));
      uint32_t known = 0;
      bool isFirst = true;
      for (uint32_t k = i; k-- > first;) {
        const uint32_t distance = i - k;
        if (known >> (distance - 1) & 1 || !of.conflict(k, i))
          continue;
        waitFor(getPlace(k));
        known |= ancestors[k] << distance | 1u << (distance - 1);
        if (k >= start) {
          isFirst = false;
          awaited |= 1u << (k - start);
        }
      }
      ancestors[i] = known;
      if (isThird && isFirst)
        waitFor(getPlace(start - span) - 1);
      end();
    }
    if (!hasMarks)
      continue;
    fusec_device_node node = {};
    node.kind = FUSEC_NODE_MARK;
    node.mark = mark;
    node.value = stop < numSteps ? stop : 0;
    begin(node);
    if (start)
      waitFor(getPlace(start) - 1);
    for (uint32_t i = start; i < stop; ++i)
      if (!(awaited >> (i - start) & 1))
        waitFor(getPlace(i));
    end();
  }
}

} // namespace fusec::rt
