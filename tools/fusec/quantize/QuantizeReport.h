// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What quantising a model may gain, and what it costs, layer by layer.
#ifndef FUSEC_TOOLS_FUSEC_QUANTIZE_QUANTIZEREPORT_H
#define FUSEC_TOOLS_FUSEC_QUANTIZE_QUANTIZEREPORT_H

#include "tools/fusec/quantize/Accuracy.h"
#include "tools/fusec/quantize/Calibration.h"

namespace fusec::tool {

/// What is known before anything is run.
struct ExpectedGain {
  int64_t products = 0, coded = 0; ///< how many, and of these on codes
  /// How many multiplications they have.
  int64_t multiplications = 0, codedMultiplications = 0;
  /// Bytes of their weights.
  int64_t weightBytes = 0, codedWeightBytes = 0;
  /// How many products of 8 bits this machine adds in the place of one of f32;
  /// 1 where it has no instruction for that.
  int64_t terms = 1;
  /// By which factor the products' time shrinks at most.
  double atMost() const;
};

ExpectedGain expectGain(const Network &network);
void printGain(const ExpectedGain &gain, llvm::raw_ostream &os);

/// A product, and the tensor that it reads.
struct LayerReport {
  std::string node, operation, tensor;
  int64_t multiplications = 0;
  bool isCoded = true;
  /// Of what it reads: the values that were seen, and those that codes have.
  double low = 0, high = 0;
  quantize::Coding coding;
  quantize::CodingLoss loss;
  quantize::Histogram histogram;
  double weightSignalToNoise = 0; ///< in dB
  /// The outputs' where this product alone has codes, in dB.
  double signalToNoise = 0;
};

struct QuantizeReport {
  std::string model, method;
  size_t samples = 0;
  ExpectedGain gain;
  std::vector<LayerReport> layers;
  std::optional<AccuracyResult> accuracy;
};

/// Describes the layers of `network`; `costs` are those of SwitchedModel::rank.
std::vector<LayerReport> describeLayers(const Network &network,
                                        const CalibrationState &state,
                                        llvm::ArrayRef<double> costs,
                                        llvm::ArrayRef<size_t> left);

/// Writes it as JSON, or, to a file called .html or .htm, as a page that loads
/// nothing, with a picture of each layer; aside and renamed.
llvm::Error writeReport(const QuantizeReport &report, const std::string &file);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_QUANTIZE_QUANTIZEREPORT_H
