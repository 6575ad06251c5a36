// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Arguments.h"
#include "tools/ptx-sim/alu/Numbers.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

using namespace fusec::ptx;

namespace {

constexpr uint64_t kMostElements = 1ull << 32;

struct TypeRow {
  const char *name;
  unsigned size;
  bool isFloat, isSigned;
};
constexpr TypeRow kTypes[] = {
    {"f16", 2, true, true},  {"bf16", 2, true, true},
    {"f32", 4, true, true},  {"f64", 8, true, true},
    {"i8", 1, false, true},  {"u8", 1, false, false},
    {"i16", 2, false, true}, {"u16", 2, false, false},
    {"i32", 4, false, true}, {"u32", 4, false, false},
    {"i64", 8, false, true}, {"u64", 8, false, false}};

const TypeRow *typeNamed(const std::string &name) {
  for (const TypeRow &row : kTypes)
    if (name == row.name)
      return &row;
  return nullptr;
}

[[noreturn]] void fail(const std::string &word, const std::string &what) {
  throw Error(Error::Usage, fmt::format("--args: '{}': {}", word, what));
}

/// The bits of a value in a type.
uint64_t encode(const TypeRow &type, double value, int64_t integer) {
  if (!type.isFloat)
    return static_cast<uint64_t>(integer);
  if (!std::strcmp(type.name, "f16"))
    return toHalf(value).bits;
  if (!std::strcmp(type.name, "bf16"))
    return toBfloat(value).bits;
  if (type.size == 4)
    return bitsTo<uint32_t>(static_cast<float>(value));
  return bitsTo<uint64_t>(value);
}

uint64_t parseValue(const std::string &word, const TypeRow &type,
                    const std::string &text) {
  char *end = nullptr;
  if (type.isFloat) {
    double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end)
      fail(word, "'" + text + "' is no number");
    return encode(type, value, 0);
  }
  errno = 0;
  bool negative = !text.empty() && text[0] == '-';
  uint64_t bits =
      negative ? static_cast<uint64_t>(std::strtoll(text.c_str(), &end, 0))
               : std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end || errno)
    fail(word, "'" + text + "' is no integer");
  unsigned width = 8 * type.size;
  bool fits = width == 64 ||
              (negative ? type.isSigned && static_cast<int64_t>(bits) >=
                                               -(1ll << (width - 1))
                        : bits < (1ull << (type.isSigned ? width - 1 : width)));
  if (!fits)
    fail(word, fmt::format("{} does not fit into {}", text, type.name));
  return bits;
}

} // namespace

unsigned Argument::elementSize() const { return typeNamed(type)->size; }

std::string Argument::format(const uint8_t *element) const {
  const TypeRow &row = *typeNamed(type);
  uint64_t bits = 0;
  std::memcpy(&bits, element, row.size);
  if (!std::strcmp(row.name, "f16"))
    return fmt::format("{}", toFloat(Half{static_cast<uint16_t>(bits)}));
  if (!std::strcmp(row.name, "bf16"))
    return fmt::format("{}", toFloat(Bfloat{static_cast<uint16_t>(bits)}));
  if (row.isFloat)
    return row.size == 4
               ? fmt::format("{}", bitsTo<float>(static_cast<uint32_t>(bits)))
               : fmt::format("{}", bitsTo<double>(bits));
  if (!row.isSigned)
    return fmt::format("{}", bits);
  unsigned shift = 64 - 8 * row.size;
  return fmt::format("{}", static_cast<int64_t>(bits << shift) >> shift);
}

std::vector<Argument> fusec::ptx::parseArguments(const std::string &text) {
  std::vector<Argument> arguments;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    Argument argument;
    argument.text = word;
    size_t equals = word.find('=');
    if (equals == std::string::npos)
      fail(word, "it must be TYPE=VALUE or TYPE[COUNT]=FILL");
    argument.type = word.substr(0, equals);
    argument.fill = word.substr(equals + 1);
    size_t open = argument.type.find('[');
    if (open != std::string::npos) {
      argument.isBuffer = true;
      std::string count = argument.type.substr(open + 1);
      char *end = nullptr;
      argument.count = std::strtoull(count.c_str(), &end, 10);
      if (!std::isdigit(static_cast<unsigned char>(count[0])) ||
          std::strcmp(end, "]") || !argument.count)
        fail(word, "[COUNT] must be a number of elements, 1 or more");
      if (argument.count > kMostElements)
        fail(word, fmt::format("these are too many elements: a buffer has at "
                               "most {}",
                               kMostElements));
      argument.type.resize(open);
    }
    const TypeRow *type = typeNamed(argument.type);
    if (!type) {
      std::string names;
      for (const TypeRow &row : kTypes)
        names += std::string(names.empty() ? "" : ", ") + row.name;
      fail(word, "there is no type '" + argument.type + "', only " + names);
    }
    if (!argument.isBuffer) {
      uint64_t bits = parseValue(word, *type, argument.fill);
      argument.bytes.resize(type->size);
      std::memcpy(argument.bytes.data(), &bits, type->size);
    } else if (argument.fill != "rand" && argument.fill != "zero" &&
               argument.fill != "nan" && argument.fill != "iota") {
      parseValue(word, *type, argument.fill);
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

void fusec::ptx::checkKinds(const Module &module, const Function &kernel,
                            const std::vector<Argument> &arguments) {
  const size_t count = std::min(arguments.size(), kernel.params.size());
  for (size_t i = 0; i < count; ++i) {
    const Scalar type = kernel.params[i].type;
    const Argument &argument = arguments[i];
    const bool wantsFloat = isFloat(type);
    const bool isGivenFloat =
        !argument.isBuffer && typeNamed(argument.type)->isFloat;
    if (type < Scalar::U8 || wantsFloat == isGivenFloat)
      continue;
    throw Error(Error::BadInput,
                fmt::format("{}:{}: argument {} of {}, '{}', is {}, where the "
                            "parameter is .{}, {}: give {}{}=VALUE",
                            module.path, kernel.line, i + 1, kernel.name,
                            argument.text,
                            argument.isBuffer ? "an address"
                            : isGivenFloat    ? "a float"
                                              : "an integer",
                            nameOf(type), wantsFloat ? "a float" : "an integer",
                            wantsFloat       ? "f"
                            : isSigned(type) ? "i"
                                             : "u",
                            8 * sizeOf(type)));
  }
}

void fusec::ptx::place(Device &device, Argument &argument, size_t number) {
  if (!argument.isBuffer)
    return;
  const TypeRow &type = *typeNamed(argument.type);
  uint64_t bytes = argument.count * type.size;
  argument.address = device.allocate(
      bytes, fmt::format("argument {} ({})", number, argument.text));
  argument.bytes.resize(8);
  std::memcpy(argument.bytes.data(), &argument.address, 8);
  if (argument.fill == "nan")
    return; // fresh: all bits set, and nobody may read it
  std::vector<uint8_t> data(bytes);
  uint64_t state = 0x9e3779b97f4a7c15 * number;
  bool isRandom = argument.fill == "rand", isIota = argument.fill == "iota";
  uint64_t constant = isRandom || isIota || argument.fill == "zero"
                          ? 0
                          : parseValue(argument.text, type, argument.fill);
  for (uint64_t i = 0; i < argument.count; ++i) {
    uint64_t bits = constant;
    if (isRandom) { // -1 to 1, integers 0 to 127
      state = state * 6364136223846793005u + 1442695040888963407u;
      bits = encode(type, static_cast<double>(state >> 40) / (1 << 23) - 1,
                    static_cast<int64_t>(state >> 57));
    } else if (isIota) {
      bits = encode(type, static_cast<double>(i), static_cast<int64_t>(i));
    }
    std::memcpy(data.data() + i * type.size, &bits, type.size);
  }
  device.copyIn(argument.address, data.data(), bytes);
}

Dim3 fusec::ptx::parseDim(const std::string &option, const std::string &text) {
  uint32_t values[3] = {1, 1, 1};
  std::istringstream parts(text);
  std::string part;
  int count = 0;
  while (std::getline(parts, part, ',')) {
    char *end = nullptr;
    unsigned long value = std::strtoul(part.c_str(), &end, 10);
    if (part.empty() || *end || part[0] == '-' || !value ||
        value > 0x7fffffff || count == 3)
      throw Error(
          Error::Usage,
          fmt::format("{}: '{}' must be X, X,Y or X,Y,Z, each 1 or more",
                      option, text));
    values[count++] = static_cast<uint32_t>(value);
  }
  if (!count || text.back() == ',')
    throw Error(Error::Usage,
                fmt::format("{}: '{}' must be X, X,Y or X,Y,Z", option, text));
  return {values[0], values[1], values[2]};
}
