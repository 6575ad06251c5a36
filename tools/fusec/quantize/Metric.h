// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How good the results of a model are, as a number.
#ifndef FUSEC_TOOLS_FUSEC_QUANTIZE_METRIC_H
#define FUSEC_TOOLS_FUSEC_QUANTIZE_METRIC_H

#include "tools/fusec-ref/ModelIo.h"
#include <memory>

namespace fusec::tool {

class Metric {
public:
  virtual ~Metric() = default;
  /// Adds what the model computes of a sample, and what it computes in f32.
  virtual llvm::Error add(llvm::StringRef sample,
                          llvm::ArrayRef<io::Tensor> outputs,
                          llvm::ArrayRef<io::Tensor> inF32) = 0;
  /// What was added so far, after which it begins again; more is better.
  virtual llvm::Expected<double> finish() = 0;
  /// What it counts, behind a number.
  virtual std::string unit() const = 0;

  /// `name` is
  ///  - top1: how many of a hundred rows of the first output have their largest
  ///    element where `labels` says, a file with an integer for each row of all
  ///    samples, or, where it is empty, where the model has it in f32;
  ///  - mse: minus the mean of the squared errors of all outputs;
  ///  - else a command line for sh, which is given a folder with a folder for
  ///    each sample, in which outputs are NAME.npy, and prints a number in its
  ///    last line.
  /// Throws InputError for labels that are none.
  static std::unique_ptr<Metric> make(const std::string &name,
                                      const std::string &labels,
                                      llvm::ArrayRef<ref::Port> outputs);
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_QUANTIZE_METRIC_H
