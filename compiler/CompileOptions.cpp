// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/CompileOptions.h"

#include "llvm/ADT/STLExtras.h"

namespace fusec {

std::vector<int64_t> CompileOptions::getLeast(size_t number) const {
  const std::vector<int64_t> &entry = entries[number];
  std::vector<int64_t> least = entry;
  for (auto [axis, symbol] : llvm::enumerate(symbols)) {
    if (!llvm::is_contained(padded, symbol))
      continue;
    least[axis] = std::min<int64_t>(entry[axis], 1);
    for (std::vector<int64_t> other : entries) {
      if (other[axis] >= entry[axis])
        continue;
      const int64_t next = other[axis] + 1;
      other[axis] = entry[axis];
      if (other == entry)
        least[axis] = std::max(least[axis], next);
    }
  }
  return least;
}

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
    one.padded.clear();
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
