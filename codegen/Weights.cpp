// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights file: a header, then the blobs as they lie in memory.
#include "codegen/Emitters.h"
#include "codegen/Entries.h"
#include "dialects/fuse/SwappableWeights.h"
#include "fusec/abi.h"
#include "fusec/weights_hash.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <map>

namespace fusec::codegen {

namespace {
/// Bytes that weights of one or several targets have.
struct Blob {
  llvm::ArrayRef<char> bytes;
  uint64_t hash;
  size_t first, last; ///< the targets
  size_t number;      ///< in the order of the programs
  llvm::SmallVector<WeightInfo *> users;
};
} // namespace

/// Whether two weights of equal bytes, of entries of a model, may be one: where
/// they can get other values, only if they will be equal then, too.
static bool staysEqual(fuse::WeightOp a, fuse::WeightOp b) {
  return !fuse::hasSwappableWeights(a) ||
         (a.getSymName() == b.getSymName() &&
          a.getTensorType() == b.getTensorType());
}

static std::vector<Blob> findBlobs(llvm::MutableArrayRef<ModelInfo> targets) {
  std::vector<Blob> blobs;
  std::map<std::pair<uint64_t, uint64_t>, size_t> known;
  for (auto [number, target] : llvm::enumerate(targets))
    for (WeightInfo &weight : target.weights) {
      llvm::ArrayRef<char> bytes = fuse::WeightOp(weight.op).getBytes();
      uint64_t hash = llvm::xxh3_64bits(llvm::ArrayRef(
          reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
      auto [at, isNew] = known.try_emplace({bytes.size(), hash}, blobs.size());
      if (isNew || blobs[at->second].bytes != bytes ||
          !staysEqual(blobs[at->second].users.front()->op, weight.op)) {
        at->second = blobs.size();
        blobs.push_back({bytes, hash, number, number, blobs.size(), {}});
      }
      blobs[at->second].last = number;
      blobs[at->second].users.push_back(&weight);
    }
  return blobs;
}

/// A device is given the weights of all entries at once.
static void uniteWeights(llvm::MutableArrayRef<ModelInfo> entries) {
  uint64_t begin = UINT64_MAX, end = 0;
  for (const ModelInfo &entry : entries)
    if (entry.weightsEnd) {
      begin = std::min(begin, entry.weightsBegin);
      end = std::max(end, entry.weightsEnd);
    }
  for (ModelInfo &entry : entries) {
    entry.weightsBegin = end ? begin : 0;
    entry.weightsEnd = end;
  }
}

/// Puts what several targets have in common into one file.
static void placeBlobs(llvm::MutableArrayRef<ModelInfo> targets) {
  std::vector<Blob> blobs = findBlobs(targets);
  if (targets.size() == 1 || blobs.empty())
    return;
  // What a target reads lies together as far as that can be: a device is given
  // no more of the file.
  llvm::sort(blobs, [](const Blob &a, const Blob &b) {
    return std::tie(a.first, a.last, a.number) <
           std::tie(b.first, b.last, b.number);
  });
  uint64_t offset = sizeof(fusec_weights_header);
  for (const Blob &blob : blobs) {
    for (WeightInfo *user : blob.users)
      user->offset = offset;
    offset = llvm::alignTo(offset + blob.bytes.size(), FUSEC_ALIGNMENT);
  }
  for (ModelInfo &target : targets) {
    target.weightsBytes = offset;
    target.weightsBegin = target.weightsEnd = 0;
    for (const WeightInfo &weight : target.weights) {
      uint64_t end =
          weight.offset + fuse::WeightOp(weight.op).getBytes().size();
      bool isFirst = target.weightsEnd == 0;
      target.weightsBegin = isFirst
                                ? weight.offset
                                : std::min(target.weightsBegin, weight.offset);
      target.weightsEnd =
          std::max(target.weightsEnd, llvm::alignTo(end, FUSEC_ALIGNMENT));
    }
  }
  for (llvm::MutableArrayRef<ModelInfo> entries : splitByTarget(targets))
    uniteWeights(entries);
}

/// The bytes of the file behind its header, in order: `add` is given those of
/// weights, and how many zeros stand before them. Zeros at the end have none
/// behind them.
static void
visitBytes(llvm::ArrayRef<ModelInfo> targets,
           llvm::function_ref<void(uint64_t, llvm::ArrayRef<char>)> add) {
  std::map<uint64_t, llvm::ArrayRef<char>> places;
  for (const ModelInfo &target : targets)
    for (const WeightInfo &weight : target.weights)
      // One of no bytes lies where the next one begins.
      if (auto bytes = fuse::WeightOp(weight.op).getBytes(); !bytes.empty())
        places.emplace(weight.offset, bytes);
  uint64_t end = sizeof(fusec_weights_header);
  for (auto [offset, bytes] : places) {
    add(offset - end, bytes);
    end = offset + bytes.size();
  }
  add(targets.front().weightsBytes - end, {});
}

void shareWeights(llvm::MutableArrayRef<ModelInfo> targets) {
  placeBlobs(targets);
  if (!targets.front().weightsBytes)
    return;
  const uint64_t structure = hashStructure(targets);
  WeightsHash hash;
  visitBytes(targets, [&](uint64_t zeros, llvm::ArrayRef<char> bytes) {
    hash.addZeros(zeros);
    hash.add(bytes.data(), bytes.size());
  });
  for (ModelInfo &target : targets) {
    target.weightsId = hash.value();
    target.structure = structure;
  }
}

std::vector<FurtherPanels>
listFurtherPanels(llvm::ArrayRef<ModelInfo> targets) {
  llvm::ArrayRef<ModelInfo> entries = getEntries(targets);
  auto countBytes = [](const ModelInfo &entry) {
    uint64_t bytes = 0;
    for (const WeightInfo &weight : entry.weights)
      bytes += fuse::WeightOp(weight.op).getBytes().size();
    return bytes;
  };
  const ModelInfo &largest =
      *llvm::max_element(entries, [&](const ModelInfo &a, const ModelInfo &b) {
        return countBytes(a) < countBytes(b);
      });
  std::set<uint64_t> known;
  for (const WeightInfo &weight : largest.weights)
    known.insert(weight.offset);
  std::vector<FurtherPanels> further;
  for (const ModelInfo &entry : entries)
    for (const WeightInfo &weight : entry.weights)
      if (known.insert(weight.offset).second)
        further.push_back(
            {weight.identifier, fuse::WeightOp(weight.op).getBytes().size()});
  return further;
}

llvm::Error writeWeights(llvm::ArrayRef<ModelInfo> targets,
                         llvm::StringRef path) {
  const ModelInfo &model = targets.front();
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error)
    return llvm::createStringError(error, path + ": " + error.message());
  fusec_weights_header header = {};
  std::memcpy(header.magic, FUSEC_WEIGHTS_MAGIC, sizeof(header.magic));
  header.file_bytes = model.weightsBytes;
  header.id = model.weightsId;
  header.structure = model.structure;
  out.write(reinterpret_cast<const char *>(&header), sizeof(header));
  visitBytes(targets, [&](uint64_t zeros, llvm::ArrayRef<char> bytes) {
    out.write_zeros(zeros);
    out.write(bytes.data(), bytes.size());
  });
  out.close();
  if (!out.has_error())
    return llvm::Error::success();
  error = out.error();
  out.clear_error();
  return llvm::createStringError(error, path + ": " + error.message());
}

} // namespace fusec::codegen
