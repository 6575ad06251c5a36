// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/compress/CompressReport.h"

#include "tools/fusec/Json.h"
#include "tools/fusec/ReportPage.h"

#include <fmt/format.h>

using namespace fusec::compress;

namespace fusec::tool {

std::string describe(const WeightChange &change) {
  switch (change.change) {
  case Change::Pruned:
    return fmt::format("{:.1f}% zeros, error {:.4f}",
                       100 * (1 - double(change.left) / change.elements),
                       change.error);
  case Change::LowRank:
    return fmt::format("rank {}, error {:.4f}", change.rank, change.error);
  case Change::None:
    break;
  }
  std::string text = "stays: " + change.reason;
  if (change.leastError)
    text += fmt::format(" (least error {:.4f})", *change.leastError);
  return text;
}

namespace {
struct Totals {
  int64_t bytes = 0, bytesLeft = 0, multiplications = 0,
          multiplicationsLeft = 0;
};
} // namespace

static Totals addUp(const CompressReport &report) {
  Totals totals;
  for (const WeightReport &weight : report.weights) {
    totals.bytes += weight.change.elements * int64_t(sizeof(float));
    totals.bytesLeft += weight.change.left * int64_t(sizeof(float));
    totals.multiplications += weight.change.multiplications;
    totals.multiplicationsLeft += weight.change.multiplicationsLeft;
  }
  return totals;
}

std::string describeGain(const CompressReport &report) {
  const Totals totals = addUp(report);
  return fmt::format(
      "{} of {} bytes of weights are left that are not zeros, and {} of {} "
      "multiplications by such\n",
      totals.bytesLeft, totals.bytes, totals.multiplicationsLeft,
      totals.multiplications);
}

static llvm::StringRef nameOf(Change change) {
  switch (change) {
  case Change::Pruned:
    return "zeros";
  case Change::LowRank:
    return "low_rank";
  case Change::None:
    break;
  }
  return "none";
}

static void writeJson(const CompressReport &report, llvm::raw_ostream &os) {
  const Totals totals = addUp(report);
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("model", llvm::json::fixUTF8(report.model));
    json.attribute("samples", int64_t(report.samples));
    if (report.signalToNoise)
      addNumber(json, "output_db", *report.signalToNoise);
    json.attribute("weight_bytes", totals.bytes);
    json.attribute("weight_bytes_left", totals.bytesLeft);
    json.attribute("multiplications", totals.multiplications);
    json.attribute("multiplications_left", totals.multiplicationsLeft);
    json.attributeArray("weights", [&] {
      for (const WeightReport &weight : report.weights)
        json.object([&] {
          const WeightChange &change = weight.change;
          json.attribute("node", llvm::json::fixUTF8(weight.node));
          json.attribute("operator", weight.operation);
          json.attribute("shape", weight.shape);
          json.attribute("change", nameOf(change.change));
          json.attribute("elements", change.elements);
          json.attribute("left", change.left);
          json.attribute("multiplications", change.multiplications);
          json.attribute("multiplications_left", change.multiplicationsLeft);
          if (change.change == Change::LowRank)
            json.attribute("rank", change.rank);
          addNumber(json, "error", change.error);
          if (change.leastError)
            addNumber(json, "least_error", *change.leastError);
          if (!change.reason.empty())
            json.attribute("reason", change.reason);
          json.attributeArray("curve", [&] {
            for (const Loss &loss : change.curve)
              json.object([&] {
                addNumber(json, "share", loss.share);
                addNumber(json, "error", loss.error);
              });
          });
        });
    });
  });
  os << "\n";
}

static constexpr const char *kCompressStyle = R"(
tr.none td { color: #888; }
.curve { fill: none; stroke: #4878b8; stroke-width: 1.5; }
.taken { fill: #c8452e; }
)";

/// The error against the share of numbers that are left, and what was taken.
static std::string drawCurve(const WeightChange &change) {
  if (change.curve.empty())
    return "";
  constexpr double kWidth = 320, kHeight = 64, kRadius = 3;
  auto xOf = [&](double share) { return std::min(share, 1.0) * kWidth; };
  auto yOf = [&](double error) { return kHeight * (1 - std::min(error, 1.0)); };
  std::string svg = fmt::format(
      "<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"errors from {2:.4g} to {3:.4g}\"><polyline class=\"curve\" "
      "points=\"",
      kWidth, kHeight, change.curve.front().error, change.curve.back().error);
  for (const Loss &loss : change.curve)
    svg += fmt::format("{:.1f},{:.1f} ", xOf(loss.share), yOf(loss.error));
  svg += "\"/>";
  if (change.change != Change::None)
    svg += fmt::format(
        "<circle class=\"taken\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>",
        xOf(double(change.left) / double(change.elements)), yOf(change.error),
        kRadius);
  return svg + "</svg>";
}

static void writeHtml(const CompressReport &report, llvm::raw_ostream &os) {
  beginPage(os, "compress", report.model, kCompressStyle);
  os << "<p>" << escaped(describeGain(report)) << "</p>\n";
  if (report.signalToNoise)
    os << fmt::format("<p>The outputs of {} samples have a signal to noise of "
                      "{:.1f} dB.</p>\n",
                      report.samples, *report.signalToNoise);
  os << "<p>Each picture shows the relative error of a weight, from 0 at the "
        "bottom to 1, against the share of its numbers that are left, from "
        "none to all; the dot is what was taken.</p>\n"
        "<table>\n<tr><th>weight</th><th>of</th><th>error</th><th>left</th>"
        "<th>became</th></tr>\n";
  for (const WeightReport &weight : report.weights) {
    const WeightChange &change = weight.change;
    os << (change.change == Change::None ? "<tr class=\"none\">" : "<tr>")
       << "<td>" << escaped(weight.node) << "</td><td>"
       << escaped(weight.operation) << ", " << weight.shape << "</td><td>"
       << drawCurve(change) << "</td>"
       << fmt::format("<td>{:.1f}%</td>",
                      100 * double(change.left) /
                          double(std::max<int64_t>(change.elements, 1)))
       << "<td>" << escaped(describe(change)) << "</td></tr>\n";
  }
  os << "</table>\n";
  endPage(os);
}

llvm::Error writeReport(const CompressReport &report, const std::string &file) {
  return writeReportFile(
      file, [&](llvm::raw_ostream &os) { writeJson(report, os); },
      [&](llvm::raw_ostream &os) { writeHtml(report, os); });
}

} // namespace fusec::tool
