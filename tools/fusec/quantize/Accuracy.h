// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which products have to stay in f32 so that a model is good enough. One build
// of the model answers: each product has a switch in it.
#ifndef FUSEC_TOOLS_FUSEC_QUANTIZE_ACCURACY_H
#define FUSEC_TOOLS_FUSEC_QUANTIZE_ACCURACY_H

#include "tools/fusec/quantize/Metric.h"
#include "tools/fusec/quantize/ModelCopy.h"
#include "tools/fusec/quantize/Network.h"
#include "tools/fusec/quantize/Samples.h"

namespace fusec::tool {

/// The model with switches (quantize::makeSwitched), and its samples.
class SwitchedModel {
public:
  SwitchedModel(const Network &network, const Samples &samples)
      : network(network), samples(samples) {}

  /// Compiles and loads it.
  ExitCode build(const SharedPool &pool);

  /// What it computes of a sample where the products `left` stay in f32, by
  /// their numbers in the plan, and all others have codes.
  llvm::Expected<std::vector<io::Tensor>> run(size_t sample,
                                              llvm::ArrayRef<size_t> left);
  size_t countSamples() const { return samples.size(); }
  const std::string &nameOf(size_t sample) const {
    return samples.name(sample);
  }
  llvm::ArrayRef<ref::Port> outputs() const { return copy.model->outputs(); }
  /// All products.
  std::vector<size_t> all() const;

  /// What each product costs where it alone has codes: the signal to noise of
  /// the outputs in dB, over the first samples.
  llvm::Expected<std::vector<double>> rank();
  /// What the metric says of the model with some products left in f32.
  llvm::Expected<double> measure(Metric &metric, llvm::ArrayRef<size_t> left);

private:
  const Network &network;
  const Samples &samples;
  ModelCopy copy;
};

struct AccuracyOptions {
  /// By how much what the metric says may drop.
  std::optional<double> drop;
  std::string metric = "top1", labels;
  /// Whether what does not hold the budget is taken, too.
  bool bestEffort = false;
};

/// What was found.
struct AccuracyResult {
  double before = 0, after = 0; ///< what the metric says of f32, and now
  std::string unit;
  std::vector<size_t> left; ///< products in f32, the costliest first
  bool isMet = true;
};

/// Leaves products in f32, those that cost most first, until the metric drops
/// by no more than the budget; `costs` are those of SwitchedModel::rank. The
/// number of them is found by bisection.
llvm::Expected<AccuracyResult> searchAccuracy(SwitchedModel &model,
                                              llvm::ArrayRef<double> costs,
                                              const AccuracyOptions &options);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_QUANTIZE_ACCURACY_H
