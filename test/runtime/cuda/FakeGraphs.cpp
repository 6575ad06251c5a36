// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of the driver without a GPU: their nodes run one after another.
#include "runtime/cuda/Driver.h"
#include "test/runtime/cuda/FakeDriver.h"

#include <cstring>
#include <functional>
#include <vector>

using namespace fake_cuda;
using namespace fusec::rt;

namespace {

/// What a node of a graph does, and how many it waits for.
struct Node {
  std::string name; ///< a kernel's, or "copy", "fill", "mark"
  std::string before;
  std::function<int()> run;
};
struct Graph {
  std::vector<Node *> nodes;
};
int addNode(void **made, void *graph, void *const *before, size_t count,
            const std::string &name, std::function<int()> run) {
  auto &nodes = static_cast<Graph *>(graph)->nodes;
  auto *node = new Node{name, "", std::move(run)};
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < nodes.size(); ++k)
      if (nodes[k] == before[i])
        node->before += " " + text(k);
  note("node " + text(nodes.size()) + " " + name +
       (count ? " after" + node->before : ""));
  nodes.push_back(node);
  *made = node;
  return check(true);
}

const std::string &kernelOf(const CuKernelNode *what) {
  return *reinterpret_cast<std::string *>(what->function);
}

// What nodes do, who take what they are to work on when they are made.
std::function<int()> runKernel(const CuKernelNode *what) {
  std::vector<uint64_t> values;
  for (unsigned i = 0; i < countParameters(kernelOf(what)); ++i)
    values.push_back(*static_cast<uint64_t *>(what->arguments[i]));
  return [name = kernelOf(what), grid = what->gridX, block = what->blockX,
          values]() mutable {
    std::vector<void *> arguments;
    for (uint64_t &value : values)
      arguments.push_back(&value);
    launchKernel(name, grid, block, arguments.data());
    return 0;
  };
}
std::function<int()> runCopy(const CuCopyNode *what) {
  return [copy = *what] {
    if (copy.from.kind != 2 || copy.to.kind != 2 || copy.height != 1 ||
        copy.depth != 1 || !has(copy.from.device, copy.bytes) ||
        !has(copy.to.device, copy.bytes))
      return kInvalid;
    memcpy(inHost(copy.to.device), inHost(copy.from.device), copy.bytes);
    return 0;
  };
}
std::function<int()> runFill(const CuFillNode *what) {
  return [fill = *what] {
    for (size_t y = 0; y < fill.height; ++y)
      for (size_t x = 0; x < fill.width; ++x) {
        const uint64_t to = fill.to + y * fill.pitch + x * fill.valueBytes;
        if (!has(to, fill.valueBytes))
          return kInvalid;
        memcpy(inHost(to), &fill.value, fill.valueBytes);
      }
    return 0;
  };
}
int setNode(void *graph, void *node, std::function<int()> run) {
  const auto &nodes = static_cast<Graph *>(graph)->nodes;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i] == node) {
      note("update " + text(i));
      nodes[i]->run = std::move(run);
      return check(true);
    }
  return kInvalid;
}

} // namespace

extern "C" {
int cuGraphCreate(void **graph, unsigned) {
  ++live;
  *graph = new Graph;
  return check(true);
}
int cuGraphDestroy(void *graph) {
  for (Node *node : static_cast<Graph *>(graph)->nodes)
    delete node;
  delete static_cast<Graph *>(graph);
  return --live, 0;
}
int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *before,
                            size_t count, const CuKernelNode *what) {
  return addNode(node, graph, before, count, kernelOf(what), runKernel(what));
}
int cuGraphAddMemcpyNode(void **node, void *graph, void *const *before,
                         size_t count, const CuCopyNode *what, void *context) {
  use(context);
  return addNode(node, graph, before, count, "copy", runCopy(what));
}
int cuGraphAddMemsetNode(void **node, void *graph, void *const *before,
                         size_t count, const CuFillNode *what, void *context) {
  use(context);
  return addNode(node, graph, before, count, "fill", runFill(what));
}
int cuGraphAddBatchMemOpNode(void **node, void *graph, void *const *before,
                             size_t count, const CuMemoryOpsNode *what) {
  const CuMemoryOp write = what->operations[0];
  use(what->context);
  if (what->count != 1 || write.operation != 2)
    return kInvalid;
  return addNode(node, graph, before, count, "mark " + text(write.value),
                 [write] {
                   memcpy(inHost(write.address), &write.value, 4);
                   return 0;
                 });
}
int cuGraphInstantiateWithFlags(void **made, void *graph, unsigned long long) {
  ++live;
  *made = new Graph(*static_cast<Graph *>(graph));
  return check(true);
}
int cuGraphExecDestroy(void *made) {
  delete static_cast<Graph *>(made);
  return --live, 0;
}
int cuGraphExecKernelNodeSetParams_v2(void *graph, void *node,
                                      const CuKernelNode *what) {
  return setNode(graph, node, runKernel(what));
}
int cuGraphExecMemcpyNodeSetParams(void *graph, void *node,
                                   const CuCopyNode *what, void *) {
  return setNode(graph, node, runCopy(what));
}
int cuGraphExecMemsetNodeSetParams(void *graph, void *node,
                                   const CuFillNode *what, void *) {
  return setNode(graph, node, runFill(what));
}
int cuGraphLaunch(void *graph, void *) {
  note("launch graph");
  for (Node *node : static_cast<Graph *>(graph)->nodes)
    if (!late) // behind a kernel that fails nothing is done
      if (int error = node->run())
        return error;
  return check(true);
}
}
