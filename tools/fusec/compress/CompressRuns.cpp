// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/compress/CompressRuns.h"

#include "compiler/io/ElementValue.h"
#include "compiler/quantize/Apply.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

#include <cmath>
#include <limits>
#include <numeric>

using fusec::quantize::Product;

namespace fusec::tool {

namespace {
/// Sums of squares of a product's input, by terms.
struct Moments {
  bool isArgument = false;
  size_t number = 0; ///< of the input or output that has the tensor
  int64_t dim = 0;
  std::vector<double> squares;
  int64_t count = 0; ///< of elements of a term
};
} // namespace

static void add(const io::Tensor &tensor, Moments &moments) {
  llvm::ArrayRef<int64_t> shape = tensor.shape;
  int64_t inner = 1;
  for (int64_t extent : shape.drop_front(moments.dim + 1))
    inner *= extent;
  const int64_t terms = shape[moments.dim];
  const float *values = tensor.data<float>();
  for (int64_t i = 0, end = tensor.numElements(); i < end; ++i)
    moments.squares[i / inner % terms] += double(values[i]) * values[i];
  moments.count += tensor.numElements() / terms;
}

/// The root mean squares, none of which is 0. A term that no sample shows still
/// has a weight.
static std::vector<double> finish(const Moments &moments) {
  constexpr double kLeastShare = 1e-3;
  std::vector<double> scales;
  double largest = 0;
  for (double squares : moments.squares) {
    scales.push_back(std::sqrt(squares / double(moments.count)));
    largest = std::max(largest, scales.back());
  }
  if (largest == 0)
    return {};
  for (double &scale : scales)
    scale = std::max(scale, kLeastShare * largest);
  return scales;
}

ExitCode CompressRuns::measureInputs(const quantize::Plan &plan,
                                     std::vector<std::vector<double>> &scales) {
  mlir::ModuleOp module = driver.module();
  numOutputs = (*module.getOps<mlir::func::FuncOp>().begin()).getNumResults();
  std::vector<mlir::Value> observed;
  std::vector<Moments> all;
  for (const Product &product : plan.products) {
    if (!compress::mayBeLowRank(product))
      continue;
    const int64_t dim = compress::getTermDim(product);
    Moments moments;
    moments.dim = dim;
    moments.squares.assign(
        llvm::cast<mlir::RankedTensorType>(product.input.getType())
            .getDimSize(dim),
        0);
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(product.input)) {
      moments.isArgument = true;
      moments.number = argument.getArgNumber();
    } else {
      moments.number = numOutputs + observed.size();
      observed.push_back(product.input);
    }
    all.push_back(std::move(moments));
  }
  if (ExitCode code =
          buildCopy(driver, quantize::makeObserved(module, observed),
                    "the model as it is", pool, before);
      code != kExitFine)
    return code;
  for (size_t sample = 0; sample < samples.size(); ++sample) {
    reportProgress("running it, " + drawBar(sample, samples.size()) + " of " +
                   std::to_string(samples.size()) + " samples");
    std::vector<io::Tensor> inputs =
        samples.read(sample, before.model->inputs());
    auto outputs = before.model->run(inputs);
    if (!outputs)
      return fail(outputs.takeError());
    for (Moments &moments : all) {
      add(moments.isArgument ? inputs[moments.number]
                             : (*outputs)[moments.number],
          moments);
      if (!std::isfinite(std::accumulate(moments.squares.begin(),
                                         moments.squares.end(), 0.0)))
        throw InputError{samples.name(sample),
                         "makes what a product reads infinite or NaN",
                         "leave the sample out, or its node with --deny-node"};
    }
  }
  clearProgress();
  auto next = all.begin();
  for (const Product &product : plan.products)
    scales.push_back(compress::mayBeLowRank(product) ? finish(*next++)
                                                     : std::vector<double>());
  return kExitFine;
}

ExitCode CompressRuns::measureOutputs(double &noise) {
  ModelCopy after;
  if (ExitCode code =
          buildCopy(driver, quantize::makeObserved(driver.module(), {}),
                    "the compressed model", pool, after);
      code != kExitFine)
    return code;
  double signal = 0, error = 0;
  for (size_t sample = 0; sample < samples.size(); ++sample) {
    reportProgress("comparing, " + drawBar(sample, samples.size()) + " of " +
                   std::to_string(samples.size()) + " samples");
    std::vector<io::Tensor> inputs =
        samples.read(sample, before.model->inputs());
    auto wanted = before.model->run(inputs);
    if (!wanted)
      return fail(wanted.takeError());
    auto outputs = after.model->run(inputs);
    if (!outputs)
      return fail(outputs.takeError());
    wanted->resize(numOutputs);
    for (auto [one, other] : llvm::zip_equal(*wanted, *outputs))
      for (auto [was, is] :
           llvm::zip_equal(io::toDoubles(one), io::toDoubles(other))) {
        signal += was * was;
        error += (was - is) * (was - is);
      }
  }
  clearProgress();
  noise = error > 0 ? 10 * std::log10(signal / error)
                    : std::numeric_limits<double>::infinity();
  return kExitFine;
}

} // namespace fusec::tool
