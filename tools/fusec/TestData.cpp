// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/TestData.h"

#include "passes/graph/Algorithms.h"

#include "llvm/Support/FileSystem.h"

namespace fs = llvm::sys::fs;

namespace fusec::tool {

io::OpClass lowerClass(io::OpClass opClass, llvm::StringRef algorithm) {
  io::OpClass lowered = algorithm == fuse::kInt8ActivationsName.algorithm
                            ? io::OpClass::LoweredInt8
                        : algorithm == fuse::kBf16ActivationsName.algorithm
                            ? io::OpClass::LoweredBothBf16
                        : algorithm == fuse::kBf16Name.algorithm
                            ? io::OpClass::LoweredBf16
                            : opClass;
  // The least precise one of a model's products decides.
  return std::max(opClass, lowered);
}

io::Tolerance ToleranceOptions::get(io::ElementType type,
                                    io::OpClass opClass) const {
  io::Tolerance tolerance = io::getTolerance(type, opClass);
  // What the user gives replaces the whole row.
  if (relative || absolute)
    tolerance = {absolute.value_or(0), relative.value_or(0), 0};
  return tolerance;
}

static llvm::Error addFiles(llvm::StringRef folder, llvm::StringRef kind,
                            llvm::ArrayRef<ref::Port> ports,
                            std::vector<std::string> &arguments) {
  for (unsigned number = 0;; ++number) {
    std::string file =
        (folder + "/" + kind + "_" + llvm::Twine(number) + ".pb").str();
    if (!fs::exists(file))
      return llvm::Error::success();
    if (number >= ports.size())
      return llvm::createStringError(file + ": the model has only " +
                                     llvm::Twine(ports.size()) + " " + kind +
                                     (ports.size() == 1 ? "" : "s"));
    arguments.push_back(ports[number].name + "=" + file);
  }
}

llvm::Error addTestData(llvm::StringRef folder,
                        llvm::ArrayRef<ref::Port> inputs,
                        llvm::ArrayRef<ref::Port> outputs,
                        std::vector<std::string> &inputArguments,
                        std::vector<std::string> &checkArguments) {
  if (!fs::is_directory(folder))
    return llvm::createStringError(folder + ": no such folder");
  if (llvm::Error error = addFiles(folder, "input", inputs, inputArguments))
    return error;
  size_t before = checkArguments.size();
  if (llvm::Error error = addFiles(folder, "output", outputs, checkArguments))
    return error;
  if (checkArguments.size() == before)
    return llvm::createStringError(
        folder + ": has no output_0.pb; name a folder with input_0.pb, "
                 "output_0.pb, ..., as ONNX's test data sets are");
  return llvm::Error::success();
}

void Verdict::add(const io::Comparison &comparison) {
  passed &= comparison.passed();
  maxAbsError = std::max(maxAbsError, comparison.maxAbsError);
  maxUlp = std::max(maxUlp, comparison.maxUlp);
}

void Verdict::add(const Verdict &other) {
  passed &= other.passed;
  maxAbsError = std::max(maxAbsError, other.maxAbsError);
  maxUlp = std::max(maxUlp, other.maxUlp);
}

} // namespace fusec::tool
