// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights file: a header, then the blobs as they lie in memory.
#include "codegen/Emitters.h"
#include "fusec/abi.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::codegen {

llvm::Error writeWeights(const ModelInfo &model, llvm::StringRef path) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error)
    return llvm::createStringError(error, path + ": " + error.message());
  fusec_weights_header header = {};
  std::memcpy(header.magic, FUSEC_WEIGHTS_MAGIC, sizeof(header.magic));
  header.file_bytes = model.weightsBytes;
  header.id = model.weightsId;
  out.write(reinterpret_cast<const char *>(&header), sizeof(header));
  for (const WeightInfo &weight : model.weights) {
    out.write_zeros(weight.offset - out.tell());
    llvm::ArrayRef<char> bytes = fuse::WeightOp(weight.op).getBytes();
    out.write(bytes.data(), bytes.size());
  }
  out.write_zeros(model.weightsBytes - out.tell());
  out.close();
  if (!out.has_error())
    return llvm::Error::success();
  error = out.error();
  out.clear_error();
  return llvm::createStringError(error, path + ": " + error.message());
}

} // namespace fusec::codegen
