// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/sched/SchedOps.h"
#include "passes/kernel/Simplify.h"

using namespace mlir;

namespace fusec::kernel {

/// Whether the body is one parallel loop: the two run as one.
static bool isCollapsed(ForOp loop) {
  Block &body = loop.getBody().front();
  auto inner = dyn_cast<ForOp>(body.front());
  return inner && inner.getMapping() == Mapping::parallel &&
         llvm::hasSingleElement(body.without_terminator());
}

void setGrains(FuncOp func) {
  auto config = func->getAttrOfType<sched::ConfigAttr>(kConfigAttr);
  if (!config || config.getGrain() == 0)
    return;
  func.walk([&](ForOp loop) {
    if (loop.getMapping() == Mapping::parallel && !isCollapsed(loop))
      loop.setGrain(config.getGrain());
  });
}

} // namespace fusec::kernel
