// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph of a fusec_device as one of CUDA's.
#ifndef FUSEC_RUNTIME_CUDA_GRAPH_H
#define FUSEC_RUNTIME_CUDA_GRAPH_H

#include "fusec/device.h"
#include "runtime/cuda/Driver.h"
#include "runtime/src/Setup.h"

namespace fusec::rt {

/// Allows a kernel the shared memory that it is launched with.
CuResult allowShared(const CuDriver &cu, CuFunction *function, uint32_t bytes);

/// How `count` values of 1, 2, 4 or 8 bytes are written. There is no fill of 8
/// bytes that differ: each half of them is a column.
struct CuFills {
  CuFills(void *to, uint64_t value, uint64_t valueBytes, uint64_t count);

  CuFillNode columns[2] = {};
  uint32_t numColumns = 1;
};

/// Its functions are called where the context is current.
class CudaGraph {
public:
  CudaGraph(const CuDriver &driver, CuContext *of) : cu(driver), context(of) {}
  CudaGraph(const CudaGraph &) = delete;
  CudaGraph &operator=(const CudaGraph &) = delete;
  ~CudaGraph();

  CuResult build(const fusec_device_node *from, uint32_t count);
  CuResult update(uint32_t number, const fusec_device_node &node);
  CuResult launch(CuStream *stream) const {
    return cu.cuGraphLaunch(made, stream);
  }

private:
  CuResult add(const fusec_device_node &node, CuGraphNode **made,
               CuGraphNode *const *before, size_t numBefore);

  const CuDriver &cu;
  CuContext *context;
  CuGraph *graph = nullptr; ///< by its nodes those of `made` are known
  CuGraphExec *made = nullptr;
  /// Two per node, the second one where a fill has two columns: it is done
  /// when the last of them is.
  Array<CuGraphNode *> nodes;
};

} // namespace fusec::rt

#endif
