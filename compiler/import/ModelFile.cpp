// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ModelFile.h"

#include "compiler/import/WireScan.h"
#include "dialects/Limits.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <climits>
#include <google/protobuf/io/coded_stream.h>

namespace fusec {

char ExternalFileError::ID = 0;

llvm::Expected<std::shared_ptr<const io::MappedFile>>
ExternalFiles::open(const std::string &location) {
  auto refuse = [&](const llvm::Twine &why) {
    return llvm::make_error<ExternalFileError>(
        location, ("external data '" + location + "' " + why).str());
  };
  if (location.empty())
    return llvm::createStringError("external data has no location");
  if (!folder)
    return refuse("lies beside the model's file, and the model was read from "
                  "memory");
  if (llvm::sys::path::is_absolute(location))
    return refuse("is an absolute path; it must lie in the model's folder");
  for (llvm::StringRef part : llvm::make_range(llvm::sys::path::begin(location),
                                               llvm::sys::path::end(location)))
    if (part == "..")
      return refuse("leads out of the model's folder");
  auto known = files.find(location);
  if (known != files.end())
    return known->second;

  llvm::SmallString<256> path(*folder), realFolder, realPath;
  llvm::sys::path::append(path, location);
  if (std::error_code error = llvm::sys::fs::real_path(path, realPath))
    return refuse("cannot be opened in the model's folder: " + error.message());
  if (std::error_code error = llvm::sys::fs::real_path(*folder, realFolder))
    return llvm::createStringError(*folder + ": " + error.message());
  llvm::StringRef inside = realPath;
  if (!inside.consume_front(realFolder) ||
      (!realFolder.str().ends_with("/") && !inside.starts_with("/")))
    return refuse("is a link that leads out of the model's folder");
  auto file = io::MappedFile::open(realPath);
  if (!file)
    return llvm::make_error<ExternalFileError>(
        location, llvm::toString(file.takeError()));
  files[location] = *file;
  return *file;
}

std::vector<std::string> ExternalFiles::listOpened() const {
  std::vector<std::string> locations;
  for (const auto &file : files)
    locations.push_back(file.getKey().str());
  llvm::sort(locations);
  return locations;
}

bool ExternalFiles::claim(llvm::StringRef path, uint64_t begin, uint64_t end) {
  if (begin == end)
    return true;
  std::map<uint64_t, uint64_t> &ends = claimed[path];
  auto next = ends.lower_bound(begin);
  if (next != ends.end() && next->first == begin && next->second == end)
    return true;
  if (next != ends.end() && next->first < end)
    return false;
  if (next != ends.begin() && std::prev(next)->second > begin)
    return false;
  ends[begin] = end;
  return true;
}

/// The elements of a file, each in bytes of its own.
static TensorBytes unpacked(io::ElementType type, llvm::ArrayRef<int64_t> shape,
                            TensorBytes bytes) {
  if (!io::getInfo(type).packedBits)
    return bytes;
  auto storage = std::make_shared<io::Bytes>(
      io::unpack(type, bytes.bytes, *io::byteSize(shape, 1)));
  return {*storage, storage};
}

llvm::Expected<TensorBytes>
ExternalFiles::find(const onnx::TensorProto &proto) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const onnx::StringStringEntryProto &entry : proto.external_data()) {
    llvm::StringRef value = entry.value();
    uint64_t number = 0;
    if (entry.key() == "location") {
      location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      if (value.getAsInteger(10, number))
        return llvm::createStringError("external data has the " + entry.key() +
                                       " '" + value + "', not a number");
      if (entry.key() == "offset")
        offset = number;
      else
        length = number;
    }
  }
  auto type = io::elementTypeFromOnnx(proto.data_type());
  if (!type)
    return llvm::createStringError("element type " +
                                   io::onnxTypeName(proto.data_type()) +
                                   " is not supported");
  llvm::SmallVector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  auto size = io::fileSize(*type, shape);
  if (!size)
    return llvm::createStringError("the shape " + io::describe(*type, shape) +
                                   " is negative or too large");
  if (length && *length != uint64_t(*size))
    return llvm::createStringError(
        "external data has " + llvm::Twine(*length) + " bytes where " +
        io::describe(*type, shape) + " needs " + llvm::Twine(*size));
  auto file = open(location);
  if (!file)
    return file.takeError();
  uint64_t end = (*file)->bytes().size();
  if (offset > end || uint64_t(*size) > end - offset)
    return llvm::createStringError(
        "external data '" + location + "' ends at byte " + llvm::Twine(end) +
        ", before the tensor's " + llvm::Twine(*size) + " bytes at offset " +
        llvm::Twine(offset));
  if (!claim((*file)->path(), offset, offset + uint64_t(*size)))
    return llvm::createStringError("external data '" + location +
                                   "' at offset " + llvm::Twine(offset) +
                                   " overlaps another tensor's");
  return unpacked(*type, shape,
                  {(*file)->bytes().slice(offset, *size), *file,
                   /*isMapped=*/true});
}

llvm::Expected<std::unique_ptr<ModelFile>>
ModelFile::read(llvm::StringRef path) {
  auto file = io::MappedFile::open(path);
  if (!file)
    return file.takeError();
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return parse(*file, folder.empty() ? "." : folder.str());
}

/// Messages within messages: a graph is one of an attribute of a node, and has
/// others.
static constexpr int kMaxMessageDepth = 3 * int(kMaxGraphDepth) + 8;

/// Whether `bytes` are a message, nested no deeper than `depth`.
static bool parseWithin(int depth, llvm::StringRef bytes,
                        onnx::ModelProto &model) {
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(bytes.data()), int(bytes.size()));
  stream.SetRecursionLimit(depth);
  return model.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

llvm::Expected<std::unique_ptr<ModelFile>>
ModelFile::parse(std::shared_ptr<const io::MappedFile> file,
                 std::optional<std::string> folder) {
  llvm::StringRef path = file->path();
  if (file->bytes().empty())
    return io::fileError(path, "is empty");
  auto slim = scanModel(file->bytes());
  if (!slim)
    return io::fileError(path, llvm::toString(slim.takeError()));

  std::unique_ptr<ModelFile> result(new ModelFile(file, std::move(folder)));
  if (slim->bytes.size() > INT_MAX)
    return io::fileError(path, "has more than 2 GiB of structure");
  if (!parseWithin(kMaxMessageDepth, slim->bytes, result->model)) {
    // One that is only nested too deeply is a valid one.
    constexpr int kAnyDepth = 10000;
    if (parseWithin(kAnyDepth, slim->bytes, result->model))
      return io::fileError(path, "has graphs or types nested deeper than " +
                                     llvm::Twine(kMaxGraphDepth) + " levels");
    return io::fileError(path, "is not a valid ONNX model: a field inside the "
                               "graph is truncated or malformed");
  }
  if (!result->model.has_graph())
    return io::fileError(path, "is not an ONNX model: it has no graph");
  result->rawData = std::move(slim->rawData);
  return result;
}

llvm::Expected<TensorBytes>
ModelFile::tensorBytes(const onnx::TensorProto &proto) {
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    return external.find(proto);
  auto storage = std::make_shared<io::Bytes>();
  auto bytes = io::tensorBytes(proto, *storage);
  if (!bytes)
    return bytes.takeError();
  if (bytes->data() != storage->data())
    storage->assign(bytes->begin(), bytes->end());
  return TensorBytes{*storage, storage};
}

llvm::Expected<TensorBytes> ModelFile::initializerBytes(int index) {
  const onnx::TensorProto &proto = model.graph().initializer(index);
  llvm::ArrayRef<char> raw = rawData[index];
  if (raw.empty() || proto.data_location() == onnx::TensorProto::EXTERNAL)
    return tensorBytes(proto);
  auto type = io::elementTypeFromOnnx(proto.data_type());
  if (!type)
    return llvm::createStringError("element type " +
                                   io::onnxTypeName(proto.data_type()) +
                                   " is not supported");
  llvm::SmallVector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  auto size = io::fileSize(*type, shape);
  if (!size || *size != int64_t(raw.size()))
    return llvm::createStringError(
        "has " + llvm::Twine(raw.size()) + " bytes of data where its type " +
        io::describe(*type, shape) + " needs " +
        (size ? std::to_string(*size) : "more than fits into memory"));
  return unpacked(*type, shape, {raw, file, file->isMapped()});
}

namespace {
/// Where the tensors of a model lie, if not in its file.
struct Locations {
  std::map<std::string, size_t> found; // and how many tensors each has

  void add(const onnx::TensorProto &tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
      return;
    for (const onnx::StringStringEntryProto &entry : tensor.external_data())
      if (entry.key() == "location")
        ++found[entry.value()];
  }

  void add(const onnx::SparseTensorProto &tensor) {
    add(tensor.values());
    add(tensor.indices());
  }

  template <typename Nodes> void addNodes(const Nodes &nodes) {
    for (const onnx::NodeProto &node : nodes)
      for (const onnx::AttributeProto &attribute : node.attribute()) {
        add(attribute.t());
        add(attribute.sparse_tensor());
        for (const onnx::TensorProto &tensor : attribute.tensors())
          add(tensor);
        if (attribute.has_g())
          add(attribute.g());
        for (const onnx::GraphProto &graph : attribute.graphs())
          add(graph);
      }
  }

  void add(const onnx::GraphProto &graph) {
    for (const onnx::TensorProto &tensor : graph.initializer())
      add(tensor);
    for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
      add(tensor);
    addNodes(graph.node());
  }

  void add(const onnx::ModelProto &model) {
    add(model.graph());
    for (const onnx::FunctionProto &function : model.functions())
      addNodes(function.node());
  }
};
} // namespace

size_t ModelFile::countTensors(const std::string &location) const {
  Locations locations;
  locations.add(model);
  return locations.found[location];
}

std::map<std::string, std::shared_ptr<const io::MappedFile>>
ModelFile::externalFiles() {
  Locations locations;
  locations.add(model);
  std::map<std::string, std::shared_ptr<const io::MappedFile>> files;
  for (const auto &[location, count] : locations.found) {
    auto opened = external.open(location);
    if (!opened)
      llvm::consumeError(opened.takeError());
    files[location] = opened ? *opened : nullptr;
  }
  return files;
}

} // namespace fusec
