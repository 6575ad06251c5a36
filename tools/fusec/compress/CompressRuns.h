// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the samples of a folder say about a model that becomes smaller.
#ifndef FUSEC_TOOLS_FUSEC_COMPRESS_COMPRESSRUNS_H
#define FUSEC_TOOLS_FUSEC_COMPRESS_COMPRESSRUNS_H

#include "compiler/compress/Compress.h"
#include "tools/fusec/quantize/ModelCopy.h"
#include "tools/fusec/quantize/Samples.h"

namespace fusec::tool {

/// The model before it is compressed, compiled with the inputs of its products
/// as further outputs. No more than one sample is in memory.
class CompressRuns {
public:
  CompressRuns(Driver &driver, const Samples &samples, const SharedPool &pool)
      : driver(driver), samples(samples), pool(pool) {}

  /// Runs the model on all samples; for each product of `plan` whose weight may
  /// become two, the root mean squares of its input for each term of the sums,
  /// and nothing for others. Such as are next to zero count a thousandth of the
  /// largest. Throws InputError for samples that cannot be used.
  ExitCode measureInputs(const quantize::Plan &plan,
                         std::vector<std::vector<double>> &scales);

  /// Compiles the driver's module, which is compressed by now, and sets the
  /// signal to noise of its outputs in dB against those from before.
  ExitCode measureOutputs(double &noise);

private:
  Driver &driver;
  const Samples &samples;
  const SharedPool &pool;
  ModelCopy before;
  size_t numOutputs = 0;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_COMPRESS_COMPRESSRUNS_H
