// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What caches, locks and builds tell libraries, and functions of kernels, by.
#include "compiler/operators/Manifest.h"

#include "llvm/Support/xxhash.h"
#include <fmt/format.h>

namespace fusec::operators {

static void add(llvm::StringRef text, std::string &all) {
  all += std::to_string(text.size()) + ":" + text.str();
}

std::string hashOf(const ScalarFunction &scalar, llvm::StringRef file) {
  std::string all;
  add(file, all);
  add(scalar.name, all);
  all += scalar.takesLanes ? "lanes" : "lane";
  return fmt::format("{:016x}", llvm::xxh3_64bits(all));
}

std::string hashOf(const Manifest &manifest) {
  std::string all;
  for (const auto &[path, text] : manifest.sources) {
    add(path, all);
    add(text, all);
  }
  for (const auto *list :
       {&manifest.units, &manifest.flags, &manifest.cudaUnits})
    for (const std::string &text : *list)
      add(text, all);
  return fmt::format("{:016x}", llvm::xxh3_64bits(all));
}

} // namespace fusec::operators
