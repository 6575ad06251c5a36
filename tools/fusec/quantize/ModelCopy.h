// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changed copies of a model, compiled for this machine and run in this process.
#ifndef FUSEC_TOOLS_FUSEC_QUANTIZE_MODELCOPY_H
#define FUSEC_TOOLS_FUSEC_QUANTIZE_MODELCOPY_H

#include "tools/fusec/Executable.h"

namespace fusec {
class Driver;
}

namespace fusec::tool {

/// A model that was built, and what tells it from others.
struct ModelCopy {
  std::string key;
  std::unique_ptr<Executable> model;
};

/// Compiles and loads `module`, which was made from that of `driver`, or takes
/// what the cache of builds has of it. What went wrong is said, and the code
/// says what kind. `what` is for progress.
ExitCode buildCopy(const Driver &driver,
                   mlir::OwningOpRef<mlir::ModuleOp> module,
                   const std::string &what, const SharedPool &pool,
                   ModelCopy &copy);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_QUANTIZE_MODELCOPY_H
