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

std::string describeEntry(llvm::ArrayRef<std::string> symbols,
                          llvm::ArrayRef<int64_t> extents) {
  std::string text;
  for (auto [symbol, extent] : llvm::zip_equal(symbols, extents))
    text += (text.empty() ? "" : " ") + symbol + "=" + std::to_string(extent);
  return text;
}

} // namespace fusec
