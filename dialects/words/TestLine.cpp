// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/words/TestLine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fusec {

void TestLine::addInput(llvm::StringRef element, llvm::ArrayRef<int64_t> dims) {
  const char *comma = shapes.empty() ? "" : ",";
  shapes += comma;
  shapes += dims.empty() ? "scalar" : fmt::format("{}", fmt::join(dims, "x"));
  types += comma;
  if (element == "i1")
    types += "bool";
  else
    types += element.consume_front("ui") ? "u" + element.str() : element.str();
}

void TestLine::addQuantized(llvm::StringRef input,
                            llvm::ArrayRef<double> scales,
                            llvm::ArrayRef<int64_t> zeroPoints, int64_t axis) {
  addOption("--quantized", input,
            fmt::format("{}:{}:{}", write(scales), write(zeroPoints), axis));
}

std::string TestLine::text() const {
  return fmt::format("--op {} --shapes {} --types {}{}", op, shapes, types,
                     options);
}

std::string TestLine::write(double number) { return fmt::format("{}", number); }

/// Adds " OPTION NAME=VALUE", where a shell reads it as that.
void TestLine::addOption(llvm::StringRef option, llvm::StringRef name,
                         llvm::StringRef value) {
  const bool isPlain = llvm::all_of(value, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_.,:+-/").contains(c);
  });
  std::string quoted = value.str();
  if (!isPlain) {
    quoted = "'";
    for (char c : value)
      quoted += c == '\'' ? "'\\''" : std::string(1, c);
    quoted += "'";
  }
  options += fmt::format(" {} {}={}", option.str(), name.str(), quoted);
}

} // namespace fusec
