// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows and weights that signal processing computes once, at import.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

/// The type of the elements that output_datatype names.
Type readOutputType(Node &node) {
  Type type = elementTypeFromOnnx(int(node.intAttribute("output_datatype", 1)),
                                  node.builder.getContext());
  if (!type || !isa<FloatType>(type))
    node.unsupported("computes elements that are no floats");
  return type;
}

double readFloat(Node &node, unsigned index, llvm::StringRef what) {
  const HostTensor *value = node.constant(index);
  if (!value)
    node.unsupported("the " + what + " is " + node.runTimeText(index));
  if (!value->isFloat() || value->size() != 1)
    node.invalid("needs a float as " + what);
  return value->floats[0];
}

/// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N) for n < size, with N the size
/// of a periodic window, or one less for a symmetric one.
void window(Node &node, double a0, double a1, double a2) {
  node.requireInputs(1, 1);
  int64_t size = node.constantInt(0, "size");
  if (size < 0)
    node.invalid("has the size " + llvm::Twine(size));
  double period = double(node.flag("periodic", true) ? size : size - 1);
  RankedTensorType type = tensorType({size}, readOutputType(node));
  node.requireComputable(type);
  std::vector<double> values;
  for (int64_t n = 0; n < size; ++n) {
    double angle = period > 0 ? 2 * llvm::numbers::pi * double(n) / period : 0;
    values.push_back(a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  node.setOutput(0, HostTensor::fromFloats(type, std::move(values)));
}

void convertHann(Node &node) { window(node, 0.5, 0.5, 0); }
void convertHamming(Node &node) {
  window(node, 25.0 / 46.0, 1 - 25.0 / 46.0, 0);
}
void convertBlackman(Node &node) { window(node, 0.42, 0.5, 0.08); }

/// Triangles over the bins of a spectrum, equally far apart in
/// mel(f) = 2595 log10(1 + f / 700), as [spectrum, bands].
void convertMelWeightMatrix(Node &node) {
  node.requireInputs(5, 5);
  int64_t bands = node.constantInt(0, "number of bands");
  int64_t length = node.constantInt(1, "length of the transform");
  int64_t rate = node.constantInt(2, "sample rate");
  double lowest = readFloat(node, 3, "lower edge");
  double highest = readFloat(node, 4, "upper edge");
  int64_t spectrum = length / 2 + 1;
  if (bands < 1 || length < 1 || rate < 1)
    node.invalid(
        "needs positive numbers of bands, samples and a positive rate");
  RankedTensorType type = tensorType({spectrum, bands}, readOutputType(node));
  int64_t count = node.requireComputable(type);
  auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  double step = (mel(highest) - mel(lowest)) / double(bands + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    double at = mel(lowest) + double(i) * step;
    double hertz = 700 * (std::pow(10.0, at / 2595) - 1);
    edges.push_back(
        int64_t(std::floor(double(length + 1) * hertz / double(rate))));
    if (edges.back() < 0 || edges.back() >= spectrum)
      node.invalid("has a band edge at " + std::to_string(hertz) +
                   " Hz, outside the spectrum");
  }
  std::vector<double> values(count);
  for (int64_t i = 0; i < bands; ++i) {
    int64_t low = edges[i], centre = edges[i + 1], high = edges[i + 2];
    for (int64_t j = low; j < centre; ++j)
      values[j * bands + i] = double(j - low) / double(centre - low);
    values[centre * bands + i] = 1;
    for (int64_t j = centre + 1; j < high; ++j)
      values[j * bands + i] = double(high - j) / double(high - centre);
  }
  node.setOutput(0, HostTensor::fromFloats(type, std::move(values)));
}

} // namespace

void registerSignal(Registry &r) {
  r.add("HannWindow", 17, convertHann);
  r.add("HammingWindow", 17, convertHamming);
  r.add("BlackmanWindow", 17, convertBlackman);
  r.add("MelWeightMatrix", 17, convertMelWeightMatrix);
}

} // namespace fusec
