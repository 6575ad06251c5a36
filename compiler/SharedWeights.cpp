// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/SharedWeights.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace fusec {

void SharedWeights::add(ModuleOp module) {
  // Bytes that two weights of the module have in common are there once already.
  llvm::DenseSet<const char *> own;
  for (auto weight : module.getOps<fuse::WeightOp>()) {
    auto value = dyn_cast<DenseResourceElementsAttr>(weight.getValue());
    llvm::ArrayRef<char> bytes = weight.getBytes();
    if (!value || bytes.empty() || !own.insert(bytes.data()).second)
      continue;
    const uint64_t hash = llvm::xxh3_64bits(llvm::ArrayRef(
        reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
    auto &equal = known[hash];
    const auto *same = llvm::find_if(equal, [&](llvm::ArrayRef<char> other) {
      return other.size() == bytes.size() &&
             std::memcmp(other.data(), bytes.data(), bytes.size()) == 0;
    });
    if (same == equal.end()) {
      equal.push_back(bytes);
      continue;
    }
    value.getRawHandle().getResource()->setBlob(
        UnmanagedAsmResourceBlob::allocateInferAlign(*same));
    own.insert(same->data());
  }
}

void lendBytes(fuse::WeightOp weight) {
  auto data = dyn_cast<DenseResourceElementsAttr>(weight.getValue());
  if (!data)
    return;
  AsmResourceBlob *owner = data.getRawHandle().getBlob();
  if (owner)
    weight.setValueAttr(DenseResourceElementsAttr::get(
        cast<ShapedType>(data.getType()), weight.getSymName(),
        UnmanagedAsmResourceBlob::allocateWithAlign(
            owner->getData(), owner->getDataAlignment())));
}

} // namespace fusec
