// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/ExpectedGains.h"

#include "compiler/Driver.h"
#include "passes/graph/Algorithms.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"

#include <fmt/format.h>

namespace fusec::tool {

ExpectedGains expectGains(const CompileOptions &options) {
  CompileOptions lowered = options;
  lowered.until = "sched-skip-masked"; // the stage before choices are made
  lowered.allowed.clear();
  for (const fuse::LowerPrecisionName &name : fuse::kLowerPrecisionNames)
    lowered.allowed.push_back(name.allowed.str());
  // What was decided does not matter to what could be.
  lowered.lock.clear();
  lowered.frozen = false;
  lowered.advisor = nullptr;
  Driver driver(lowered);
  ExitCode code = driver.lower(reportStage);
  clearProgress();
  ExpectedGains expected;
  if (code != kExitFine)
    return expected;
  expected.gains = model::predictGains(driver.module(), options.allowed,
                                       options.numerics == "fast");
  if (!expected.gains.empty())
    expected.row = getTargetInfo(driver.module()).name.str();
  return expected;
}

/// What makes a model or a program of that precision, and what it changes.
static std::pair<std::string, const char *> describe(llvm::StringRef name) {
  if (name == "int8-weights")
    return {"fusec quantize --weights-only=8",
            "weights of 8 bits, products in f32"};
  if (name == "int8")
    return {"fusec quantize --calib", "codes of 8 bits with known scales"};
  std::string option = "--allow=" + name.str();
  if (name == fuse::kInt8ActivationsName.allowed)
    return {option, "codes of 8 bits, found as it runs"};
  if (name == fuse::kBf16ActivationsName.allowed)
    return {option, "bf16 on both sides"};
  return {option, "constants of bf16"};
}

static double getMilliseconds(const model::PrecisionGain &gain,
                              double contractions) {
  return contractions * std::clamp(gain.saved, 0.0, 1.0);
}

static double getShare(double ms, double total) {
  return total > 0 ? std::min(ms / total, 1.0) : 0;
}

void printGains(const ExpectedGains &expected, double contractions,
                double total, llvm::raw_ostream &os) {
  if (expected.gains.empty())
    return;
  os << fmt::format("\nwhat products in another precision are predicted to "
                    "gain, in parts of a run (by the\ncosts of the row {}, not "
                    "measured):\n",
                    expected.row);
  for (const model::PrecisionGain &gain : expected.gains) {
    auto [how, what] = describe(gain.name);
    const double ms = getMilliseconds(gain, contractions);
    os << fmt::format("  {:5.1f}%  {} ({}): {} product{}\n",
                      100 * getShare(ms, total), what, how, gain.products,
                      gain.products == 1 ? "" : "s");
  }
}

void addGains(llvm::json::OStream &json, const ExpectedGains &expected,
              double contractions, double total) {
  json.attribute("row", expected.row);
  json.attributeArray("precisions", [&] {
    for (const model::PrecisionGain &gain : expected.gains)
      json.object([&] {
        const double ms = getMilliseconds(gain, contractions);
        json.attribute("name", gain.name);
        json.attribute("how", describe(gain.name).first);
        json.attribute("products", int64_t(gain.products));
        addNumber(json, "ms", ms);
        addNumber(json, "gain", getShare(ms, total));
      });
  });
}

} // namespace fusec::tool
