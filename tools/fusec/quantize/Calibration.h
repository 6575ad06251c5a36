// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the values of tensors are distributed over the samples of a folder.
#ifndef FUSEC_TOOLS_FUSEC_QUANTIZE_CALIBRATION_H
#define FUSEC_TOOLS_FUSEC_QUANTIZE_CALIBRATION_H

#include "compiler/Driver.h"
#include "compiler/quantize/Histogram.h"
#include "compiler/quantize/Plan.h"
#include "tools/fusec/Executable.h"
#include "tools/fusec/quantize/Samples.h"

namespace fusec::tool {

/// What a calibration has found out so far; a file of it is JSON.
struct CalibrationState {
  /// What it is of: the build of the model, and the samples.
  std::string model, samples;
  size_t done = 0; ///< of the samples
  /// Of each site of the plan.
  std::vector<quantize::Histogram> histograms;

  /// What the file holds, if it is of the same model and samples; nothing if
  /// there is none, if it is of others, or damaged.
  static std::optional<CalibrationState> read(const std::string &file,
                                              const CalibrationState &like);
  /// Writes the file aside and renames it.
  llvm::Error write(const std::string &file) const;
};

/// Runs the model, compiled with the tensors of `plan` as outputs, on all
/// samples, one after the other. What it has found is kept in `file` from time
/// to time, and after ^C; it goes on from what is there. Throws InputError for
/// samples that cannot be used, and where the model computes what is no number.
ExitCode calibrate(Driver &driver, const quantize::Plan &plan,
                   const Samples &samples, const SharedPool &pool,
                   const std::string &file, CalibrationState &state);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_QUANTIZE_CALIBRATION_H
