// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/StageOptions.h"

#include "compiler/Rules.h"
#include "mlir/Pass/PassManager.h"
#include "passes/model/Passes.h"
#include "passes/poly/Passes.h"

using namespace mlir;

namespace fusec {

bool keepsBits(const CompileOptions &options) { return options.level < 2; }

bool isBatchInvariant(const CompileOptions &options) {
  return options.numerics == kBatchInvariant;
}

std::string getNumerics(const CompileOptions &options) {
  return isBatchInvariant(options) ? "reproducible" : options.numerics;
}

std::string getPrecision(const CompileOptions &options) {
  return isBatchInvariant(options) ? "strict" : options.precision;
}

fuse::MarkPreciseOptions getMarks(const CompileOptions &options) {
  fuse::MarkPreciseOptions mark;
  mark.precision = getPrecision(options);
  return mark;
}

sched::ConvertFuseToSchedOptions getConversion(const CompileOptions &options) {
  sched::ConvertFuseToSchedOptions convert;
  convert.precision = getPrecision(options);
  convert.ordered = keepsBits(options);
  convert.batchInvariant = isBatchInvariant(options);
  convert.packed = isApplied(model::kPanelsRule, options);
  convert.remarks = options.remarks == Remarks::All;
  return convert;
}

bool skipsMasked(const CompileOptions &options) {
  return getPrecision(options) != "strict" &&
         isApplied(sched::kMaskedRule, options);
}

weigh::AddScheduling getScheduling(const CompileOptions &options) {
  poly::SchedComputeOptions compute;
  compute.proposer = options.proposer;
  compute.target = options.target;
  return [mark = getMarks(options), convert = getConversion(options),
          skips = skipsMasked(options), compute](OpPassManager &passes) {
    passes.addPass(fuse::createMarkPrecise(mark));
    passes.addPass(sched::createConvertFuseToSched(convert));
    passes.addPass(sched::createCoalesceDims());
    if (skips)
      passes.addPass(sched::createSkipMasked());
    passes.addPass(poly::createSchedCompute(compute));
  };
}

} // namespace fusec
