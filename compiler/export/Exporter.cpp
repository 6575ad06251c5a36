// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model as files.
#include "compiler/export/Exporter.h"

#include "codegen/Names.h"
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

/// The first version of the operator set with a type of elements; bf16: whose
/// operators take it wherever they take f16.
static int64_t firstOpsetWith(Type type) {
  Type element = getElementTypeOrSelf(type);
  const TypeInfo *info = getTypeInfo(element);
  switch (info ? info->onnxCode : onnx::TensorProto::UNDEFINED) {
  case onnx::TensorProto::BFLOAT16:
    return kFirstOpsetWithBf16;
  case onnx::TensorProto::FLOAT8E4M3FN:
  case onnx::TensorProto::FLOAT8E4M3FNUZ:
  case onnx::TensorProto::FLOAT8E5M2:
  case onnx::TensorProto::FLOAT8E5M2FNUZ:
    return 19;
  case onnx::TensorProto::UINT4:
  case onnx::TensorProto::INT4:
    return 21;
  case onnx::TensorProto::FLOAT4E2M1:
    return 23;
  case onnx::TensorProto::FLOAT8E8M0:
    return 24;
  case onnx::TensorProto::UINT2:
  case onnx::TensorProto::INT2:
    return 25;
  case onnx::TensorProto::FLOAT6E2M3:
  case onnx::TensorProto::FLOAT6E3M2:
    return 28;
  default:
    return kOldestExportedOpset;
  }
}

/// The operation with elements that came last.
static std::pair<int64_t, Operation *> findNewestType(ModuleOp module) {
  std::pair<int64_t, Operation *> newest{kOldestExportedOpset, nullptr};
  module.walk([&](Operation *op) {
    for (Type type :
         llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                  llvm::to_vector(op->getResultTypes())))
      if (int64_t first = firstOpsetWith(type); first > newest.first)
        newest = {first, op};
  });
  return newest;
}

int64_t chooseOpset(ModuleOp module, const ExportOptions &options) {
  int64_t least =
      std::min(std::max(options.least, findNewestType(module).first),
               kNewestExportedOpset);
  return options.opset.value_or(
      std::clamp(ownOpset(module), least, kNewestExportedOpset));
}

/// Whether `opset` has all element types; says which it has not.
static bool checkTypes(ModuleOp module, int64_t opset,
                       std::vector<Problem> &problems) {
  auto [first, op] = findNewestType(module);
  if (first <= opset)
    return true;
  Problem problem;
  problem.kind = ProblemKind::Unsupported;
  problem.node = codegen::firstName(op->getLoc()).str();
  problem.op = op->getName().getStringRef().str();
  problem.reason = "has elements of a type that ONNX's operators take from "
                   "operator set " +
                   std::to_string(first) + " on; set " + std::to_string(opset) +
                   " is written";
  if (first <= kNewestExportedOpset)
    problem.hint = "write --opset " + std::to_string(first) + " or a newer one";
  problems.push_back(std::move(problem));
  return false;
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
  if (!checkTypes(module, summary.opset, problems))
    return summary;
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
        return error;
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
    return error;
  return summary;
}

} // namespace fusec
