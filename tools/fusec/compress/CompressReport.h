// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fewer weights gain, and what they cost, weight by weight.
#ifndef FUSEC_TOOLS_FUSEC_COMPRESS_COMPRESSREPORT_H
#define FUSEC_TOOLS_FUSEC_COMPRESS_COMPRESSREPORT_H

#include "compiler/compress/Compress.h"

#include "llvm/Support/Error.h"

namespace fusec::tool {

/// A product, and what became of its weight.
struct WeightReport {
  std::string node, operation, shape;
  compress::WeightChange change;
};

struct CompressReport {
  std::string model;
  std::vector<WeightReport> weights;
  size_t samples = 0;
  /// Of the outputs over all samples, in dB; nothing without samples.
  std::optional<double> signalToNoise;
};

/// What became of a weight, in a few words.
std::string describe(const compress::WeightChange &change);

/// What all weights have gained, in a line.
std::string describeGain(const CompressReport &report);

/// Writes it as JSON, or, to a file called .html or .htm, as a page that loads
/// nothing, with a picture of each weight; aside and renamed.
llvm::Error writeReport(const CompressReport &report, const std::string &file);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_COMPRESS_COMPRESSREPORT_H
