// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Graph.h"

#include <algorithm>

namespace fusec::rt {

static CuAddress address(const volatile void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

CuResult allowShared(const CuDriver &cu, CuFunction *function, uint32_t bytes) {
  return bytes > kCuDeclaredShared
             ? cu.cuFuncSetAttribute(function, kCuMostShared,
                                     static_cast<int>(bytes))
             : 0;
}

CuFills::CuFills(void *to, uint64_t value, uint64_t valueBytes,
                 uint64_t count) {
  const auto low = static_cast<uint32_t>(value),
             high = static_cast<uint32_t>(value >> 32);
  if (valueBytes == 8 && low != high) {
    columns[0] = {address(to), 8, low, 4, 1, count};
    columns[1] = {address(to) + 4, 8, high, 4, 1, count};
    numColumns = 2;
    return;
  }
  const auto bytes = static_cast<unsigned>(std::min<uint64_t>(valueBytes, 4));
  columns[0] = {address(to), 0, low, bytes, count * (valueBytes / bytes), 1};
}

static CuKernelNode describeKernel(const fusec_device_node &node) {
  CuKernelNode what = {};
  what.function = static_cast<CuFunction *>(node.kernel);
  what.gridX = node.grid;
  what.blockX = node.block;
  what.gridY = what.gridZ = what.blockY = what.blockZ = 1;
  what.shared = node.shared_bytes;
  what.arguments = const_cast<void **>(node.arguments);
  return what;
}

static CuCopyNode describeCopy(const fusec_device_node &node) {
  CuCopyNode what = {};
  what.from.kind = what.to.kind = kCuOnDevice;
  what.from.device = address(node.from);
  what.to.device = address(node.to);
  what.bytes = node.bytes;
  what.height = what.depth = 1;
  return what;
}

CudaGraph::~CudaGraph() {
  if (made)
    cu.cuGraphExecDestroy(made);
  if (graph)
    cu.cuGraphDestroy(graph);
}

CuResult CudaGraph::build(const fusec_device_node *from, uint32_t count) {
  size_t mostBefore = 1;
  for (uint32_t i = 0; i < count; ++i)
    mostBefore = std::max<size_t>(mostBefore, from[i].num_before);
  Array<CuGraphNode *> before;
  if (!nodes.allocate(2 * uint64_t(count)) || !before.allocate(mostBefore))
    return kCuOutOfMemory;
  CuResult result = cu.cuGraphCreate(&graph, 0);
  for (uint32_t i = 0; i < count && !result; ++i) {
    for (uint32_t k = 0; k < from[i].num_before; ++k) {
      CuGraphNode **other = nodes.data() + 2 * from[i].before[k];
      before[k] = other[1] ? other[1] : other[0];
    }
    result =
        add(from[i], nodes.data() + 2 * i, before.data(), from[i].num_before);
  }
  return result ? result : cu.cuGraphInstantiateWithFlags(&made, graph, 0);
}

CuResult CudaGraph::add(const fusec_device_node &node, CuGraphNode **added,
                        CuGraphNode *const *before, size_t numBefore) {
  switch (node.kind) {
  case FUSEC_NODE_KERNEL: {
    const CuKernelNode what = describeKernel(node);
    const CuResult result = allowShared(cu, what.function, what.shared);
    return result ? result
                  : cu.cuGraphAddKernelNode_v2(added, graph, before, numBefore,
                                               &what);
  }
  case FUSEC_NODE_COPY: {
    const CuCopyNode what = describeCopy(node);
    return cu.cuGraphAddMemcpyNode(added, graph, before, numBefore, &what,
                                   context);
  }
  case FUSEC_NODE_FILL: {
    const CuFills fills(node.to, node.value, node.bytes, node.count);
    CuResult result = cu.cuGraphAddMemsetNode(added, graph, before, numBefore,
                                              &fills.columns[0], context);
    if (!result && fills.numColumns == 2)
      result = cu.cuGraphAddMemsetNode(added + 1, graph, added, 1,
                                       &fills.columns[1], context);
    return result;
  }
  }
  CuMemoryOp write = {};
  write.operation = kCuWriteValue32;
  write.value = node.value;
  const CuMemoryOpsNode what = {context, 1, &write, 0};
  const CuResult result = cu.cuMemHostGetDevicePointer_v2(
      &write.address, const_cast<uint32_t *>(node.mark), 0);
  return result ? result
                : cu.cuGraphAddBatchMemOpNode(added, graph, before, numBefore,
                                              &what);
}

CuResult CudaGraph::update(uint32_t number, const fusec_device_node &node) {
  CuGraphNode **of = nodes.data() + 2 * uint64_t(number);
  if (node.kind == FUSEC_NODE_KERNEL) {
    const CuKernelNode what = describeKernel(node);
    return cu.cuGraphExecKernelNodeSetParams_v2(made, of[0], &what);
  }
  if (node.kind == FUSEC_NODE_COPY) {
    const CuCopyNode what = describeCopy(node);
    return cu.cuGraphExecMemcpyNodeSetParams(made, of[0], &what, context);
  }
  const CuFills fills(node.to, node.value, node.bytes, node.count);
  CuResult result = 0;
  for (uint32_t i = 0; i < fills.numColumns && !result; ++i)
    result = cu.cuGraphExecMemsetNodeSetParams(made, of[i], &fills.columns[i],
                                               context);
  return result;
}

} // namespace fusec::rt
