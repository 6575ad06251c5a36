// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model as files.
#include "compiler/export/Exporter.h"

#include "compiler/export/Writer.h"
#include "compiler/io/MappedFile.h"
#include "dialects/fuse/ModelSource.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace fusec {

/// What protobuf's messages hold at most is 2 GB; nodes and names take some.
static constexpr uint64_t kMostInOneFile = 2'000'000'000;
/// Tensors in a file of data begin at multiples of this, so that they can be
/// mapped.
static constexpr uint64_t kAlignment = 4096;
/// Smaller ones stay in the model, where a reader sees shapes and the like.
static constexpr uint64_t kLeastOutside = 1024;

/// The version of ONNX's operator set that the module was imported from, or 0.
static int64_t ownOpset(ModuleOp module) {
  auto source = module->getAttrOfType<DictionaryAttr>(fuse::kSourceAttr);
  auto opsets = source ? source.getAs<ArrayAttr>("opsets") : ArrayAttr();
  if (opsets)
    for (auto opset : opsets.getAsRange<DictionaryAttr>())
      if (opset.getAs<StringAttr>("domain").empty())
        return opset.getAs<IntegerAttr>("version").getInt();
  return 0;
}

int64_t chooseOpset(ModuleOp module, const ExportOptions &options) {
  return options.opset.value_or(
      std::clamp(ownOpset(module), options.least, kNewestExportedOpset));
}

/// Moves weights of some size to `dataFile`, and returns what it consists of.
static std::vector<ArrayRef<char>> moveOutside(Writer &writer,
                                               llvm::StringRef dataFile) {
  static const std::vector<char> kZeros(kAlignment, 0);
  std::vector<ArrayRef<char>> parts;
  uint64_t offset = 0;
  for (auto &[tensor, bytes] : writer.weights()) {
    if (bytes.size() < kLeastOutside)
      continue;
    uint64_t begin = llvm::alignTo(offset, kAlignment);
    parts.push_back(ArrayRef(kZeros).take_front(begin - offset));
    parts.push_back(bytes);
    offset = begin + bytes.size();
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    auto add = [tensor = tensor](llvm::StringRef key,
                                 const std::string &value) {
      onnx::StringStringEntryProto &entry = *tensor->add_external_data();
      entry.set_key(key.str());
      entry.set_value(value);
    };
    add("location", dataFile.str());
    add("offset", std::to_string(begin));
    add("length", std::to_string(bytes.size()));
  }
  return parts;
}

llvm::Expected<ExportSummary> exportOnnx(ModuleOp module, llvm::StringRef path,
                                         const ExportOptions &options,
                                         std::vector<Problem> &problems) {
  ExportSummary summary;
  summary.opset = chooseOpset(module, options);
  Writer writer(module, summary.opset, problems);
  writer.writeModel();
  if (!problems.empty())
    return summary;
  summary.numNodes = writer.model().graph().node_size();
  summary.numWeights = writer.weights().size();
  for (auto &[tensor, bytes] : writer.weights())
    summary.weightBytes += bytes.size();
  if (options.externalData || summary.weightBytes > kMostInOneFile) {
    std::string name = llvm::sys::path::filename(path).str() + ".data";
    std::vector<ArrayRef<char>> parts = moveOutside(writer, name);
    llvm::SmallString<128> file(path);
    llvm::sys::path::remove_filename(file);
    llvm::sys::path::append(file, name);
    if (!parts.empty()) {
      if (llvm::Error error = io::writeFileAside(file, parts))
        return std::move(error);
      summary.dataFile = name;
    }
  }
  for (auto &[tensor, bytes] : writer.weights())
    if (tensor->data_location() != onnx::TensorProto::EXTERNAL)
      tensor->set_raw_data(bytes.data(), bytes.size());
  std::string text;
  if (!writer.model().SerializeToString(&text))
    return io::fileError(path, "is too large for one file of ONNX");
  if (llvm::Error error =
          io::writeFileAside(path, ArrayRef<char>(text.data(), text.size())))
    return std::move(error);
  return summary;
}

} // namespace fusec
