// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/quantize/Calibration.h"

#include "compiler/quantize/Apply.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/quantize/ModelCopy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <chrono>

using fusec::quantize::Histogram;

namespace fusec::tool {

//===- The file -----------------------------------------------------------===//

static constexpr int64_t kFormat = 1;

llvm::Error CalibrationState::write(const std::string &file) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("format", kFormat);
    json.attribute("model", model);
    json.attribute("samples", samples);
    json.attribute("done", int64_t(done));
    json.attributeArray("tensors", [&] {
      for (const Histogram &histogram : histograms) {
        Histogram::Parts parts = histogram.parts();
        json.object([&] {
          json.attribute("min", double(parts.min));
          json.attribute("max", double(parts.max));
          json.attribute("zeros", int64_t(parts.zeros));
          json.attributeArray("counts", [&] {
            for (uint64_t count : parts.counts)
              json.value(int64_t(count));
          });
        });
      }
    });
  });
  text += '\n';
  return io::writeFileAside(file, llvm::ArrayRef(text.data(), text.size()));
}

static std::optional<Histogram>
readHistogram(const llvm::json::Object &object) {
  Histogram::Parts parts;
  auto min = object.getNumber("min"), max = object.getNumber("max");
  auto zeros = object.getInteger("zeros");
  const llvm::json::Array *counts = object.getArray("counts");
  if (!min || !max || !zeros || !counts)
    return std::nullopt;
  parts.min = float(*min);
  parts.max = float(*max);
  parts.zeros = uint64_t(*zeros);
  for (const llvm::json::Value &value : *counts) {
    auto count = value.getAsInteger();
    if (!count || *count < 0)
      return std::nullopt;
    parts.counts.push_back(uint64_t(*count));
  }
  return Histogram::make(parts);
}

std::optional<CalibrationState>
CalibrationState::read(const std::string &file, const CalibrationState &like) {
  auto bytes = io::readFile(file);
  if (!bytes) {
    llvm::consumeError(bytes.takeError());
    return std::nullopt;
  }
  auto value = llvm::json::parse((*bytes)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *root = value->getAsObject();
  if (!root || root->getInteger("format") != kFormat ||
      root->getString("model") != like.model ||
      root->getString("samples") != like.samples)
    return std::nullopt;
  auto done = root->getInteger("done");
  const llvm::json::Array *tensors = root->getArray("tensors");
  if (!done || *done < 0 || !tensors ||
      tensors->size() != like.histograms.size())
    return std::nullopt;
  CalibrationState state{like.model, like.samples, size_t(*done), {}};
  for (const llvm::json::Value &tensor : *tensors) {
    const llvm::json::Object *object = tensor.getAsObject();
    auto histogram =
        object ? readHistogram(*object) : std::optional<Histogram>();
    if (!histogram)
      return std::nullopt;
    state.histograms.push_back(std::move(*histogram));
  }
  return state;
}

//===- The runs -----------------------------------------------------------===//

namespace {
/// Where a run leaves the tensor of a site: it is an input, or an output.
struct Place {
  bool isInput = false;
  size_t number = 0;
};
} // namespace

/// Counts the values of one sample.
static llvm::Error count(const quantize::Plan &plan,
                         llvm::ArrayRef<Place> places, Executable &model,
                         const Samples &samples, CalibrationState &state) {
  const std::string &name = samples.name(state.done);
  std::vector<io::Tensor> inputs = samples.read(state.done, model.inputs());
  auto outputs = model.run(inputs);
  if (!outputs)
    return outputs.takeError();
  for (auto [site, place, histogram] :
       llvm::zip_equal(plan.sites, places, state.histograms)) {
    const io::Tensor &tensor =
        place.isInput ? inputs[place.number] : (*outputs)[place.number];
    llvm::ArrayRef<float> values(tensor.data<float>(),
                                 size_t(tensor.numElements()));
    if (auto index = histogram.add(values))
      throw InputError{
          name,
          "makes element " + std::to_string(*index) + " of '" + site.name +
              "' in the model infinite or NaN",
          "ranges of codes are of numbers; leave the sample out, or keep the "
          "node that reads it in f32 with --deny-node"};
  }
  ++state.done;
  return llvm::Error::success();
}

ExitCode calibrate(Driver &driver, const quantize::Plan &plan,
                   const Samples &samples, const SharedPool &pool,
                   const std::string &file, CalibrationState &state) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kBetweenFiles(10), kBetweenLines(2);
  mlir::ModuleOp module = driver.module();
  auto function = *module.getOps<mlir::func::FuncOp>().begin();
  const size_t numOutputs = function.getNumResults();
  std::vector<Place> places;
  std::vector<mlir::Value> observed;
  for (const quantize::Site &site : plan.sites) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(site.value);
    if (argument) {
      places.push_back({true, argument.getArgNumber()});
      continue;
    }
    places.push_back({false, numOutputs + observed.size()});
    observed.push_back(site.value);
  }
  ModelCopy copy;
  if (ExitCode code =
          buildCopy(driver, quantize::makeObserved(module, observed),
                    "the model that is calibrated", pool, copy);
      code != kExitFine)
    return code;
  state.model = copy.key;
  state.samples = samples.identity();
  state.histograms.assign(plan.sites.size(), {});
  if (auto before = CalibrationState::read(file, state);
      before && before->done <= samples.size()) {
    state = std::move(*before);
    if (state.done == samples.size())
      reportStep("takes what was calibrated before, from " + file);
    else if (state.done)
      reportStep("goes on with sample " + std::to_string(state.done + 1) +
                 " of " + std::to_string(samples.size()) + ", from " + file);
  }
  watchInterrupts();
  auto written = Clock::now(), shown = written;
  while (state.done < samples.size()) {
    if (isInterrupted()) {
      if (llvm::Error error = state.write(file))
        return fail(std::move(error));
      clearProgress();
      llvm::errs() << "fusec: stopped after " << state.done << " of "
                   << samples.size() << " samples; the same command goes on "
                   << "from there\n";
      return kExitInterrupted;
    }
    if (llvm::Error error = count(plan, places, *copy.model, samples, state))
      return fail(std::move(error));
    const auto now = Clock::now();
    if (now - shown >= kBetweenLines || state.done == samples.size()) {
      reportStep("calibrating " + drawBar(state.done, samples.size()) + " of " +
                 std::to_string(samples.size()) + " samples");
      shown = now;
    }
    if (now - written >= kBetweenFiles) {
      if (llvm::Error error = state.write(file))
        return fail(std::move(error));
      written = Clock::now();
    }
  }
  clearProgress();
  if (llvm::Error error = state.write(file))
    return fail(std::move(error));
  return kExitFine;
}

} // namespace fusec::tool
