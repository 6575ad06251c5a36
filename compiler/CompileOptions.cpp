// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/CompileOptions.h"

#include "llvm/ADT/STLExtras.h"

namespace fusec {

CompileOptions CompileOptions::forEntry(size_t number) const {
  CompileOptions result = *this;
  result.entry = number;
  if (hasEntries())
    for (auto [symbol, extent] : llvm::zip_equal(symbols, entries[number]))
      result.import.dims[symbol] = extent;
  return result;
}

std::vector<CompileOptions> CompileOptions::forEachShape() const {
  if (!hasEntries())
    return {*this};
  std::vector<CompileOptions> all;
  for (size_t number = 0; number < entries.size(); ++number) {
    CompileOptions &one = all.emplace_back(forEntry(number));
    one.entries.clear();
    one.symbols.clear();
    one.entry = 0;
  }
  return all;
}

std::string describeEntry(llvm::ArrayRef<std::string> symbols,
                          llvm::ArrayRef<int64_t> extents) {
  std::string text;
  for (auto [symbol, extent] : llvm::zip_equal(symbols, extents))
    text += (text.empty() ? "" : " ") + symbol + "=" + std::to_string(extent);
  return text;
}

} // namespace fusec
