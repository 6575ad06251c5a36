// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run is expected to gain where its products have another precision.
#ifndef FUSEC_TOOLS_FUSEC_EXPECTEDGAINS_H
#define FUSEC_TOOLS_FUSEC_EXPECTEDGAINS_H

#include "compiler/CompileOptions.h"
#include "compiler/Diagnostics.h"
#include "passes/model/PrecisionGains.h"
#include "llvm/Support/JSON.h"

namespace fusec::tool {

/// Predictions: costs of the target's row, of which the measured time of
/// contractions is the scale.
struct ExpectedGains {
  std::string row; ///< of targets; empty where nothing was predicted
  std::vector<model::PrecisionGain> gains;
};

/// Lowers the model as far as choices between precisions are open, with all of
/// them. Text that is past this, and programs for GPUs, have no gains.
ExpectedGains expectGains(const CompileOptions &options);

/// A line for each precision, in parts of a run of `total` ms, of which
/// contractions take `contractions`.
void printGains(const ExpectedGains &expected, double contractions,
                double total, llvm::raw_ostream &os);
/// The same as the members "row" and "precisions".
void addGains(llvm::json::OStream &json, const ExpectedGains &expected,
              double contractions, double total);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_EXPECTEDGAINS_H
