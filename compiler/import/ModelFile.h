// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A .onnx file in memory: the parsed message, and tensor data where it lies.
#ifndef FUSEC_COMPILER_IMPORT_MODELFILE_H
#define FUSEC_COMPILER_IMPORT_MODELFILE_H

#include "compiler/import/OnnxProto.h"
#include "compiler/io/MappedFile.h"
#include "compiler/io/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <optional>

namespace fusec {

/// The elements of a tensor, little endian and packed, and what keeps them
/// alive. They need not be aligned.
struct TensorBytes {
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
  /// Whether `owner` is a mapped file.
  bool isMapped = false;
};

/// A file of external tensor data that cannot be used, whichever tensor of it
/// is asked for.
class ExternalFileError : public llvm::ErrorInfo<ExternalFileError> {
public:
  static char ID;
  ExternalFileError(std::string location, std::string text)
      : location(std::move(location)), text(std::move(text)) {}

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  const std::string location, text;
};

/// Files that hold a model's external tensor data, each mapped once. Data is
/// found inside the model's folder only: a model must not be able to read
/// other files of the machine that it is compiled on.
class ExternalFiles {
public:
  /// Without a folder every file is refused.
  explicit ExternalFiles(std::optional<std::string> folder)
      : folder(std::move(folder)) {}

  /// Resolves `proto.external_data`. Errors: no location; an absolute path, a
  /// path with `..` or one that a link leads out of the folder; a malformed or
  /// negative offset or length; a range beyond the end of the file; one that
  /// shares some bytes with another tensor's. (Tensors may share all.)
  llvm::Expected<TensorBytes> find(const onnx::TensorProto &proto);

  /// Maps the file at `location`. Errors as `find`'s about the path, each an
  /// ExternalFileError where there is a location.
  llvm::Expected<std::shared_ptr<const io::MappedFile>>
  open(const std::string &location);

  bool hasFolder() const { return folder.has_value(); }

  /// The locations of the files that are mapped, in the order of their names.
  std::vector<std::string> listOpened() const;

private:
  /// Notes that a tensor lies at [begin, end) of the file, by its real path;
  /// false where another one overlaps.
  bool claim(llvm::StringRef path, uint64_t begin, uint64_t end);

  std::optional<std::string> folder;
  llvm::StringMap<std::shared_ptr<const io::MappedFile>> files;
  /// Per file the ends of the tensors found in it, by their beginnings.
  llvm::StringMap<std::map<uint64_t, uint64_t>> claimed;
};

/// A parsed model.
class ModelFile {
public:
  /// Maps and parses `path`. Errors name the file and say what is wrong with
  /// it: not there, truncated or malformed (and where), no graph.
  static llvm::Expected<std::unique_ptr<ModelFile>> read(llvm::StringRef path);

  /// The same for bytes in memory; external data lies in `folder`, if there is
  /// one.
  static llvm::Expected<std::unique_ptr<ModelFile>>
  parse(std::shared_ptr<const io::MappedFile> bytes,
        std::optional<std::string> folder = {});

  const onnx::ModelProto &proto() const { return model; }

  /// Has nodes call `function`, which the model has not.
  void addFunction(const onnx::FunctionProto &function) {
    *model.add_functions() = function;
  }

  /// The elements of the graph's initializer `index`: in place if they are raw
  /// data or external, else converted. Errors as io::tensorBytes and
  /// ExternalFiles::find.
  llvm::Expected<TensorBytes> initializerBytes(int index);

  /// The elements of a tensor in an attribute.
  llvm::Expected<TensorBytes> tensorBytes(const onnx::TensorProto &proto);

  /// Whether there is a folder where external data could lie.
  bool hasFolder() const { return external.hasFolder(); }

  /// The locations of the external files that tensors were taken from.
  std::vector<std::string> listOpened() const { return external.listOpened(); }

  /// How many tensors, anywhere in the model, lie in the file `location`.
  size_t countTensors(const std::string &location) const;

  /// The files that tensors anywhere in the model refer to, by location, each
  /// once; null where ExternalFiles::open refuses.
  std::map<std::string, std::shared_ptr<const io::MappedFile>> externalFiles();

private:
  ModelFile(std::shared_ptr<const io::MappedFile> file,
            std::optional<std::string> folder)
      : file(std::move(file)), external(std::move(folder)) {}

  std::shared_ptr<const io::MappedFile> file;
  ExternalFiles external;
  onnx::ModelProto model;
  std::vector<llvm::ArrayRef<char>> rawData;
};

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_MODELFILE_H
