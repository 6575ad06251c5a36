// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Context.h"

#include "compiler/Pipelines.h"
#include "fusec/runtime.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;

namespace fusec {

/// LLVM's threads end the process where they cannot be started; those of the
/// runtime say so. Null where there is nothing to share.
static std::unique_ptr<llvm::ThreadPoolInterface> makeThreads() {
  fusec_thread_pool *probe = nullptr;
  if (fusec_thread_pool_create(/*threads=*/0, &probe) != FUSEC_OK)
    return nullptr;
  const uint32_t count = fusec_thread_pool_threads(probe);
  fusec_thread_pool_destroy(probe);
  if (count < 2)
    return nullptr;
  return std::make_unique<llvm::DefaultThreadPool>(
      llvm::hardware_concurrency(count));
}

std::shared_ptr<MLIRContext> makeContext(bool serial) {
  DialectRegistry registry;
  registerAllDialects(registry);
  std::shared_ptr<llvm::ThreadPoolInterface> threads =
      serial ? nullptr : makeThreads();
  std::shared_ptr<MLIRContext> context(
      new MLIRContext(registry, MLIRContext::Threading::DISABLED),
      [threads](MLIRContext *context) { delete context; });
  if (threads)
    context->setThreadPool(*threads);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false);
  return context;
}

} // namespace fusec
