// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wire format is protobuf's: fields of (number << 3 | wire type) as a
// varint, then a varint (0), 8 bytes (1), a length and that many bytes (2) or
// 4 bytes (5). https://protobuf.dev/programming-guides/encoding
#include "compiler/import/WireScan.h"

#include "compiler/import/OnnxProto.h"
#include "llvm/ADT/Twine.h"

namespace fusec {
namespace {

/// The messages on the way to raw_data; others are copied whole.
enum class Level { Model, Graph, Initializer };

constexpr size_t kKeepBytes = 64;

class Scanner {
public:
  explicit Scanner(llvm::ArrayRef<char> all) : all(all) {}

  bool scan(size_t begin, size_t end, Level level, std::string &out);

  std::vector<llvm::ArrayRef<char>> rawData;
  std::string error;

private:
  bool fail(size_t at, const char *what) {
    error = ("is not a valid ONNX model: " + llvm::Twine(what) + " at byte " +
             llvm::Twine(at))
                .str();
    return false;
  }

  /// Reads a varint at `at`, which moves behind it.
  bool varint(size_t &at, size_t end, uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at >= end)
        return fail(at, "truncated");
      uint8_t byte = static_cast<uint8_t>(all[at++]);
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return true;
    }
    return fail(at, "malformed number");
  }

  static void putVarint(std::string &out, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out += char(value | 0x80);
    out += char(value);
  }

  bool nested(size_t tagBegin, size_t lengthBegin, size_t begin, size_t end,
              Level level, std::string &out);

  llvm::ArrayRef<char> all;
};

bool Scanner::nested(size_t tagBegin, size_t lengthBegin, size_t begin,
                     size_t end, Level level, std::string &out) {
  std::string inner;
  if (level == Level::Initializer)
    rawData.emplace_back();
  if (!scan(begin, end, level, inner))
    return false;
  out.append(all.data() + tagBegin, lengthBegin - tagBegin);
  putVarint(out, inner.size());
  out += inner;
  return true;
}

bool Scanner::scan(size_t begin, size_t end, Level level, std::string &out) {
  size_t at = begin;
  while (at < end) {
    size_t tagBegin = at;
    uint64_t tag, length = 0;
    if (!varint(at, end, tag))
      return false;
    unsigned field = unsigned(tag >> 3), wireType = tag & 7;
    if (field == 0)
      return fail(tagBegin, "malformed field");
    size_t lengthBegin = at;
    switch (wireType) {
    case 0:
      if (!varint(at, end, length))
        return false;
      out.append(all.data() + tagBegin, at - tagBegin);
      continue;
    case 1:
      length = 8;
      break;
    case 2:
      if (!varint(at, end, length))
        return false;
      break;
    case 5:
      length = 4;
      break;
    default:
      return fail(tagBegin, "malformed field");
    }
    if (length > end - at)
      return fail(end, "truncated");
    size_t contents = at;
    at += length;
    if (wireType == 2) {
      if (level == Level::Model &&
          field == onnx::ModelProto::kGraphFieldNumber) {
        if (!nested(tagBegin, lengthBegin, contents, at, Level::Graph, out))
          return false;
        continue;
      }
      if (level == Level::Graph &&
          field == onnx::GraphProto::kInitializerFieldNumber) {
        if (!nested(tagBegin, lengthBegin, contents, at, Level::Initializer,
                    out))
          return false;
        continue;
      }
      if (level == Level::Initializer &&
          field == onnx::TensorProto::kRawDataFieldNumber &&
          length > kKeepBytes) {
        rawData.back() = all.slice(contents, length);
        continue;
      }
    }
    out.append(all.data() + tagBegin, at - tagBegin);
  }
  return true;
}

} // namespace

llvm::Expected<SlimModel> scanModel(llvm::ArrayRef<char> model) {
  Scanner scanner(model);
  SlimModel slim;
  if (!scanner.scan(0, model.size(), Level::Model, slim.bytes))
    return llvm::createStringError(scanner.error);
  slim.rawData = std::move(scanner.rawData);
  return slim;
}

} // namespace fusec
