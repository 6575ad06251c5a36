// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The network's function becomes the host program; its groups become scops.
#include "passes/OptionWords.h"
#include "passes/schedule/HostConversion.h"
#include "passes/schedule/Passes.h"

namespace fusec::sched {
#define GEN_PASS_DEF_CONVERTFUSETOSCHED
#include "passes/schedule/Passes.h.inc"
} // namespace fusec::sched

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

namespace {
struct ConvertFuseToSched
    : fusec::sched::impl::ConvertFuseToSchedBase<ConvertFuseToSched> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return checkWord(context, getArgument(), "precision", precision,
                     {"auto", "strict", "relaxed"});
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      bool hasTensors = llvm::any_of(func.getFunctionType().getResults(),
                                     llvm::IsaPred<RankedTensorType>);
      if (func.isExternal() || !hasTensors)
        continue;
      HostConversion conversion(func, symbols,
                                {/*rounds=*/precision != "relaxed", ordered,
                                 batchInvariant, packed, remarks});
      if (failed(conversion.run()))
        return signalPassFailure();
      numScops += conversion.numScops;
      numStatements += conversion.numStatements;
    }
  }
};
} // namespace
