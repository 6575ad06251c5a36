// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/quantize/Metric.h"

#include "compiler/io/ElementValue.h"
#include "compiler/io/MappedFile.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/Interrupt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>

namespace fusec::tool {

namespace {

class Top1 : public Metric {
public:
  Top1(std::string file, std::vector<int64_t> labels)
      : file(std::move(file)), labels(std::move(labels)) {}

  llvm::Error add(llvm::StringRef, llvm::ArrayRef<io::Tensor> outputs,
                  llvm::ArrayRef<io::Tensor> inF32) override {
    std::vector<int64_t> found = findLargest(outputs[0]);
    std::vector<int64_t> wanted;
    if (file.empty())
      wanted = findLargest(inF32[0]);
    for (auto [row, largest] : llvm::enumerate(found)) {
      if (!file.empty() && rows + row >= labels.size())
        return llvm::createStringError(tooFew());
      hits += largest == (file.empty() ? wanted[row] : labels[rows + row]);
    }
    rows += found.size();
    return llvm::Error::success();
  }
  llvm::Expected<double> finish() override {
    if (!file.empty() && rows != labels.size())
      return llvm::createStringError(tooFew());
    const double score = 100 * double(hits) / double(std::max<size_t>(rows, 1));
    hits = rows = 0;
    return score;
  }
  std::string unit() const override { return " points of top-1"; }

private:
  std::string tooFew() const {
    return file + ": has " + std::to_string(labels.size()) +
           " labels, and the samples have another number of rows";
  }
  /// Where each row of the last dimension is largest.
  static std::vector<int64_t> findLargest(const io::Tensor &tensor) {
    std::vector<double> values = io::toDoubles(tensor);
    const size_t length =
        tensor.shape.empty() ? 1 : size_t(tensor.shape.back());
    std::vector<int64_t> found;
    for (size_t begin = 0; begin < values.size(); begin += length)
      found.push_back(std::max_element(values.begin() + begin,
                                       values.begin() + begin + length) -
                      (values.begin() + begin));
    return found;
  }

  std::string file;
  std::vector<int64_t> labels;
  size_t hits = 0, rows = 0;
};

class SquaredError : public Metric {
public:
  llvm::Error add(llvm::StringRef, llvm::ArrayRef<io::Tensor> outputs,
                  llvm::ArrayRef<io::Tensor> inF32) override {
    for (auto [output, wanted] : llvm::zip_equal(outputs, inF32))
      for (auto [one, other] :
           llvm::zip_equal(io::toDoubles(output), io::toDoubles(wanted))) {
        sum += (one - other) * (one - other);
        ++count;
      }
    return llvm::Error::success();
  }
  llvm::Expected<double> finish() override {
    const double score = count ? -sum / double(count) : 0;
    sum = 0;
    count = 0;
    return score;
  }
  std::string unit() const override { return " of mean squared error"; }

private:
  double sum = 0;
  size_t count = 0;
};

/// A command of the user's.
class CommandMetric : public Metric {
public:
  CommandMetric(std::string command, std::vector<std::string> names)
      : command(std::move(command)), names(std::move(names)) {
    if (std::error_code error =
            llvm::sys::fs::createUniqueDirectory("fusec-metric", folder))
      throw InputError{folder.str().str(), "cannot be made: " + error.message(),
                       "the outputs for --metric lie there"};
  }
  ~CommandMetric() override { llvm::sys::fs::remove_directories(folder); }

  llvm::Error add(llvm::StringRef sample, llvm::ArrayRef<io::Tensor> outputs,
                  llvm::ArrayRef<io::Tensor>) override {
    llvm::SmallString<128> place(folder);
    llvm::sys::path::append(place, "samples", sample);
    if (std::error_code error = llvm::sys::fs::create_directories(place))
      return io::fileError(place, error.message());
    for (auto [name, output] : llvm::zip_equal(names, outputs)) {
      llvm::SmallString<128> file(place);
      llvm::sys::path::append(file, name + ".npy");
      if (llvm::Error error = io::writeTensor(file, output))
        return error;
    }
    return llvm::Error::success();
  }
  llvm::Expected<double> finish() override {
    const std::string log = (folder + "/log").str();
    const int code = runProgram({"/bin/sh", "-c", command + " \"$1\"", "sh",
                                 (folder + "/samples").str()},
                                log);
    auto bytes = io::readFile(log);
    if (!bytes)
      return bytes.takeError();
    llvm::StringRef text = (*bytes)->getBuffer().rtrim();
    llvm::StringRef last = text.substr(text.rfind('\n') + 1).trim();
    double score = 0;
    if (code != 0 || !llvm::to_float(last, score))
      return llvm::createStringError(
          "--metric '" + command + "': " +
          (code ? "ended with the code " + std::to_string(code)
                : std::string("printed no number in its last line")) +
          (last.empty() ? "" : ": " + last.str()));
    return score;
  }
  std::string unit() const override { return ""; }

private:
  std::string command;
  std::vector<std::string> names;
  llvm::SmallString<128> folder;
};

} // namespace

std::unique_ptr<Metric> Metric::make(const std::string &name,
                                     const std::string &labels,
                                     llvm::ArrayRef<ref::Port> outputs) {
  if (name == "mse")
    return std::make_unique<SquaredError>();
  if (name != "top1") {
    std::vector<std::string> names;
    for (const ref::Port &output : outputs)
      names.push_back(output.name);
    return std::make_unique<CommandMetric>(name, std::move(names));
  }
  if (labels.empty())
    return std::make_unique<Top1>("", std::vector<int64_t>());
  auto tensor = io::readTensor(labels);
  if (!tensor)
    throw InputError{labels,
                     "cannot be read: " + llvm::toString(tensor.takeError()),
                     "--labels names a .npy file of integers, one for each row "
                     "of all samples"};
  if (io::isFloat(tensor->type))
    throw InputError{labels, "is " + io::describe(tensor->type, tensor->shape),
                     "labels are integers, one for each row of all samples"};
  return std::make_unique<Top1>(labels, io::toInts(*tensor));
}

} // namespace fusec::tool
