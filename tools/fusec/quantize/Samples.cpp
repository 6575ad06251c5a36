// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/quantize/Samples.h"

#include "compiler/io/ElementValue.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/DataShapes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool {

static constexpr const char *kLayout =
    "a model of one input takes a .npy or .pb file for each sample, one of "
    "several inputs a folder for each, with NAME.npy or input_0.pb, ... in it";

static bool isTensorFile(llvm::StringRef file) {
  return io::tensorFormatOf(file) != io::TensorFormat::Raw;
}

Samples::Samples(const std::string &folder) : folder(folder) {
  std::vector<std::string> files, folders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error)) {
    llvm::StringRef name = path::filename(entry->path());
    if (fs::is_directory(entry->path()))
      folders.push_back(name.str());
    else if (isTensorFile(name))
      files.push_back(name.str());
  }
  if (error)
    throw InputError{folder, "cannot be read: " + error.message(),
                     "--calib names the folder with the samples"};
  areFolders = files.empty();
  names = areFolders ? folders : files;
  if (names.empty())
    throw InputError{folder, "has no samples to calibrate with", kLayout};
  llvm::sort(names, [](llvm::StringRef one, llvm::StringRef other) {
    const int order = one.compare_numeric(other);
    return order ? order < 0 : one < other;
  });
}

std::string Samples::path(size_t number) const {
  llvm::SmallString<128> file(folder);
  path::append(file, names[number]);
  return file.str().str();
}

std::string Samples::identity() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (size_t number = 0; number < size(); ++number) {
    os << names[number] << '\0';
    fs::file_status status;
    if (!fs::status(path(number), status))
      os << status.getSize() << ' '
         << status.getLastModificationTime().time_since_epoch().count() << '\n';
  }
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  return llvm::utohexstr(hash.high64, true, 16) +
         llvm::utohexstr(hash.low64, true, 16);
}

void Samples::takeShapes(CompileOptions &options) const {
  const std::string first = path(0);
  if (!areFolders)
    return tool::takeShapes(options, {first}, "");
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(first, error), end; entry != end && !error;
       entry.increment(error))
    if (isTensorFile(entry->path()))
      files.push_back(path::stem(entry->path()).str() + "=" + entry->path());
  tool::takeShapes(options, files, first);
}

std::string Samples::findFile(size_t number, llvm::ArrayRef<ref::Port> inputs,
                              size_t input) const {
  const std::string sample = path(number);
  if (!areFolders)
    return sample;
  std::string tried;
  for (const std::string &name :
       {inputs[input].name + ".npy", inputs[input].name + ".pb",
        "input_" + std::to_string(input) + ".pb"}) {
    llvm::SmallString<128> file(sample);
    path::append(file, name);
    if (fs::exists(file))
      return file.str().str();
    tried += (tried.empty() ? "" : ", ") + name;
  }
  throw InputError{sample,
                   "has no file for the input '" + inputs[input].name + "'",
                   "it may be " + tried};
}

/// Says which element of a tensor is none to calibrate with.
static void checkValues(const std::string &file, const io::Tensor &tensor) {
  if (tensor.numElements() == 0)
    throw InputError{file, "has no elements",
                     "leave it out of the samples, or give it some"};
  if (!io::isFloat(tensor.type))
    return;
  for (auto [index, value] : llvm::enumerate(io::toDoubles(tensor)))
    if (!std::isfinite(value))
      throw InputError{file,
                       "element " + std::to_string(index) + " is " +
                           (std::isnan(value) ? "NaN" : "infinite"),
                       "ranges of codes are of numbers; leave the sample out, "
                       "or repair it"};
}

std::vector<io::Tensor> Samples::read(size_t number,
                                      llvm::ArrayRef<ref::Port> inputs) const {
  if (!areFolders && inputs.size() != 1)
    throw InputError{folder,
                     "has files as samples, and the model has " +
                         std::to_string(inputs.size()) + " inputs",
                     kLayout};
  std::vector<io::Tensor> tensors;
  for (size_t input = 0; input < inputs.size(); ++input) {
    const std::string file = findFile(number, inputs, input);
    const ref::Port &port = inputs[input];
    auto tensor = io::readTensor(file);
    if (!tensor) {
      std::string reason = llvm::toString(tensor.takeError());
      llvm::StringRef text(reason);
      text.consume_front(file + ": ");
      throw InputError{file, text.str(), kLayout};
    }
    if (tensor->type != port.spec.type || tensor->shape != port.spec.shape)
      throw InputError{
          file,
          "is " + io::describe(tensor->type, tensor->shape) +
              ", and the model's input '" + port.name + "' is " +
              io::describe(port.spec.type, port.spec.shape),
          "each sample has the type and the shape of the input, with its "
          "batch; --dim and --shape fix what the model leaves open"};
    checkValues(file, *tensor);
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

} // namespace fusec::tool
