// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/quantize/QuantizeReport.h"

#include "compiler/quantize/Weights.h"
#include "passes/Terms.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/ReportPage.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <fmt/format.h>
#include <limits>

using namespace fusec::quantize;

namespace fusec::tool {

//===- Gain ---------------------------------------------------------------===//

double ExpectedGain::atMost() const {
  const double share = double(codedMultiplications) /
                       double(std::max<int64_t>(multiplications, 1));
  return 1 / (1 - share + share / double(terms));
}

ExpectedGain expectGain(const Network &network) {
  ExpectedGain gain;
  const Plan everything = makePlan(network.driver.module(), network.nodes, {});
  auto bytesOf = [](const Product &product) {
    return fuse::getTensorType(product.weight).getNumElements() *
           int64_t(sizeof(float));
  };
  gain.products = int64_t(everything.products.size());
  gain.coded = int64_t(network.plan.products.size());
  for (const Product &product : everything.products) {
    gain.multiplications += product.multiplications;
    gain.weightBytes += bytesOf(product);
    gain.codedWeightBytes += bytesOf(product);
  }
  for (const Product &product : network.plan.products) {
    gain.codedMultiplications += product.multiplications;
    gain.codedWeightBytes -= bytesOf(product) - bytesOf(product) / 4;
  }
  if (const Unit *unit = fuse::getByteUnit(getNativeTarget()))
    gain.terms = unit->terms;
  return gain;
}

void printGain(const ExpectedGain &gain, llvm::raw_ostream &os) {
  os << fmt::format(
      "expected: {:.1f}% of {} multiplications of {} products become "
      "integers', and {} bytes of weights {}\n",
      100.0 * double(gain.codedMultiplications) /
          double(std::max<int64_t>(gain.multiplications, 1)),
      gain.multiplications, gain.products, gain.weightBytes,
      gain.codedWeightBytes);
  if (gain.terms > 1)
    os << fmt::format("expected: products at most {:.1f} times as fast here, "
                      "where an instruction adds {} of 8 bits in place of one "
                      "of f32\n",
                      gain.atMost(), gain.terms);
  else
    os << "expected: no products that are faster here: this machine has no "
          "instruction that adds several of 8 bits; only memory is saved\n";
}

//===- Layers -------------------------------------------------------------===//

/// In dB, of the weight's codes.
static double rateWeights(const Product &product, bool byChannel) {
  std::vector<float> values = *readFloats(product.weight);
  auto shape = fuse::getTensorType(product.weight).getShape();
  CodedWeights coded =
      codeWeights(values, shape,
                  byChannel ? std::optional(product.channels) : std::nullopt);
  int64_t inner = 1;
  for (int64_t extent : shape.drop_front(product.channels + 1))
    inner *= extent;
  double signal = 0, noise = 0;
  for (auto [index, value] : llvm::enumerate(values)) {
    const size_t channel =
        byChannel ? (index / size_t(inner)) % coded.scales.size() : 0;
    const double error = value - coded.codes[index] * coded.scales[channel];
    signal += double(value) * value;
    noise += error * error;
  }
  return noise > 0 ? 10 * std::log10(signal / noise)
                   : std::numeric_limits<double>::infinity();
}

std::vector<LayerReport> describeLayers(const Network &network,
                                        const CalibrationState &state,
                                        llvm::ArrayRef<double> costs,
                                        llvm::ArrayRef<size_t> left) {
  std::vector<LayerReport> layers;
  for (auto [number, product] : llvm::enumerate(network.plan.products)) {
    const Site *site = network.plan.find(product.input);
    LayerReport layer;
    layer.node = product.name;
    layer.operation = product.operation;
    layer.tensor = site->name;
    layer.multiplications = product.multiplications;
    layer.isCoded = !llvm::is_contained(left, number);
    layer.histogram = state.histograms[site - network.plan.sites.data()];
    layer.low = layer.histogram.min();
    layer.high = layer.histogram.max();
    layer.coding = network.codings.lookup(product.input);
    layer.loss = estimateLoss(layer.histogram, layer.coding);
    layer.weightSignalToNoise =
        rateWeights(product, network.apply.perChannel || product.isDepthwise);
    layer.signalToNoise = costs[number];
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// What the codes of a layer stand for.
static std::pair<double, double> codedRange(const LayerReport &layer) {
  const double scale = layer.coding.scale;
  return {-scale * layer.coding.zero, scale * (255 - layer.coding.zero)};
}

/// The histogram in so many bars of equal width from low to high.
static std::vector<double> drawBars(const LayerReport &layer, size_t count) {
  std::vector<double> bars(count, 0);
  const double span = std::max(layer.high - layer.low, 1e-30);
  for (auto [index, values] : llvm::enumerate(layer.histogram.bins())) {
    const double at = (layer.histogram.middle(index) - layer.low) / span;
    const auto bar = ptrdiff_t(at * double(count));
    bars[size_t(std::clamp<ptrdiff_t>(bar, 0, ptrdiff_t(count) - 1))] +=
        double(values);
  }
  return bars;
}

//===- JSON ---------------------------------------------------------------===//

static constexpr size_t kBars = 64;

static void writeJson(const QuantizeReport &report, llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("model", llvm::json::fixUTF8(report.model));
    json.attribute("method", report.method);
    json.attribute("samples", int64_t(report.samples));
    json.attributeObject("expected", [&] {
      json.attribute("products", report.gain.products);
      json.attribute("coded_products", report.gain.coded);
      json.attribute("multiplications", report.gain.multiplications);
      json.attribute("coded_multiplications", report.gain.codedMultiplications);
      json.attribute("weight_bytes", report.gain.weightBytes);
      json.attribute("coded_weight_bytes", report.gain.codedWeightBytes);
      addNumber(json, "at_most_times_as_fast", report.gain.atMost());
    });
    if (report.accuracy)
      json.attributeObject("accuracy", [&] {
        addNumber(json, "f32", report.accuracy->before);
        addNumber(json, "quantised", report.accuracy->after);
        json.attribute("met", report.accuracy->isMet);
      });
    json.attributeArray("layers", [&] {
      for (const LayerReport &layer : report.layers)
        json.object([&] {
          json.attribute("node", llvm::json::fixUTF8(layer.node));
          json.attribute("operator", layer.operation);
          json.attribute("quantised", layer.isCoded);
          json.attribute("multiplications", layer.multiplications);
          json.attribute("input", llvm::json::fixUTF8(layer.tensor));
          addNumber(json, "min", layer.low);
          addNumber(json, "max", layer.high);
          addNumber(json, "scale", layer.coding.scale);
          json.attribute("zero_point", layer.coding.zero);
          addNumber(json, "clipped", layer.loss.clipped);
          addNumber(json, "input_db", layer.loss.signalToNoise);
          addNumber(json, "weight_db", layer.weightSignalToNoise);
          addNumber(json, "output_db", layer.signalToNoise);
          json.attributeArray("histogram", [&] {
            for (double bar : drawBars(layer, kBars))
              json.value(int64_t(bar));
          });
        });
    });
  });
  os << "\n";
}

//===- HTML ---------------------------------------------------------------===//

static constexpr const char *kStyle = R"(
tr.f32 td { color: #888; }
.bar { fill: #4878b8; } .cut { fill: #c8452e; opacity: .16; }
.end { stroke: #c8452e; stroke-width: 1.5; } .zero { stroke: #888; }
)";

/// The bars of what the layer reads, whose heights are logarithms; what its
/// codes do not have is shaded.
static std::string drawLayer(const LayerReport &layer) {
  constexpr double kWidth = 320, kHeight = 64;
  const double span = std::max(layer.high - layer.low, 1e-30);
  auto xOf = [&](double value) {
    return std::clamp((value - layer.low) / span, 0.0, 1.0) * kWidth;
  };
  std::string svg = fmt::format(
      "<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"values from {2:.4g} to {3:.4g}\">",
      kWidth, kHeight, layer.low, layer.high);
  std::vector<double> bars = drawBars(layer, kBars);
  double most = 1;
  for (double bar : bars)
    most = std::max(most, bar);
  const double each = kWidth / double(bars.size());
  for (auto [index, bar] : llvm::enumerate(bars)) {
    const double height = kHeight * std::log1p(bar) / std::log1p(most);
    if (bar > 0)
      svg += fmt::format("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" "
                         "width=\"{:.1f}\" height=\"{:.1f}\"/>",
                         double(index) * each, kHeight - height, each - 0.5,
                         height);
  }
  auto [from, to] = codedRange(layer);
  const double left = xOf(from), right = xOf(to);
  svg += fmt::format("<rect class=\"cut\" x=\"0\" y=\"0\" width=\"{:.1f}\" "
                     "height=\"{}\"/>",
                     left, kHeight);
  svg += fmt::format("<rect class=\"cut\" x=\"{:.1f}\" y=\"0\" "
                     "width=\"{:.1f}\" height=\"{}\"/>",
                     right, kWidth - right, kHeight);
  for (double x : {left, right})
    svg += fmt::format("<line class=\"end\" x1=\"{0:.1f}\" y1=\"0\" "
                       "x2=\"{0:.1f}\" y2=\"{1}\"/>",
                       x, kHeight);
  if (layer.low < 0 && layer.high > 0)
    svg += fmt::format("<line class=\"zero\" x1=\"{0:.1f}\" y1=\"0\" "
                       "x2=\"{0:.1f}\" y2=\"{1}\"/>",
                       xOf(0), kHeight);
  return svg + "</svg>";
}

static std::string decibels(double value) {
  return std::isinf(value) ? "exact" : fmt::format("{:.1f} dB", value);
}

static void writeHtml(const QuantizeReport &report, llvm::raw_ostream &os) {
  beginPage(os, "quantize", report.model, kStyle);
  os << "<p>" << report.samples << " samples, ranges by " << report.method
     << ".</p>\n<p>";
  std::string gain;
  llvm::raw_string_ostream lines(gain);
  printGain(report.gain, lines);
  os << escaped(gain) << "</p>\n";
  if (report.accuracy)
    os << fmt::format("<p>{:.6g} in f32, {:.6g} quantised{}.</p>\n",
                      report.accuracy->before, report.accuracy->after,
                      escaped(report.accuracy->unit));
  os << "<p>Each picture shows how the values of a layer's input are "
        "distributed (heights are logarithms); shaded is what its codes do not "
        "have. The last column is the signal to noise of the outputs where "
        "that "
        "layer alone is quantised: what costs most has the least.</p>\n"
        "<table>\n<tr><th>layer</th><th>input</th><th>values</th>"
        "<th>codes</th><th>cut off</th><th>input</th><th>weights</th>"
        "<th>outputs</th></tr>\n";
  for (const LayerReport &layer : report.layers) {
    auto [from, to] = codedRange(layer);
    os << (layer.isCoded ? "<tr>" : "<tr class=\"f32\">") << "<td>"
       << escaped(layer.node) << "<br>" << layer.operation
       << (layer.isCoded ? "" : ", stays f32") << "</td><td>"
       << drawLayer(layer) << escaped(layer.tensor) << "</td>"
       << fmt::format("<td>{:.4g} to {:.4g}</td><td>{:.4g} to {:.4g}</td>"
                      "<td>{:.3g}%</td>",
                      layer.low, layer.high, from, to, 100 * layer.loss.clipped)
       << "<td>" << decibels(layer.loss.signalToNoise) << "</td><td>"
       << decibels(layer.weightSignalToNoise) << "</td><td>"
       << decibels(layer.signalToNoise) << "</td></tr>\n";
  }
  os << "</table>\n";
  endPage(os);
}

llvm::Error writeReport(const QuantizeReport &report, const std::string &file) {
  return writeReportFile(
      file, [&](llvm::raw_ostream &os) { writeJson(report, os); },
      [&](llvm::raw_ostream &os) { writeHtml(report, os); });
}

} // namespace fusec::tool
