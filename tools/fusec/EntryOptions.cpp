// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/EntryOptions.h"

#include "compiler/Padding.h"
#include "compiler/io/MappedFile.h"
#include "tools/fusec/ModelOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec::tool {

int64_t parseExtent(llvm::StringRef text, const std::string &option) {
  int64_t extent = 0;
  if (text.getAsInteger(10, extent) || extent < 0 || extent > kMaxTensorBytes)
    throw UsageError{option + ": '" + text.str() +
                     "' is not an extent; expected a number from 0 (an empty "
                     "tensor) to 2^40"};
  return extent;
}

void EntryOptions::add(CLI::App &command) {
  command
      .add_option("--dim", dims,
                  takesSeveral
                      ? "Binds a symbolic dimension, as in --dim N=1; with "
                        "several extents, as in --dim N=1,4,16, one program "
                        "has an entry for each combination of all of them"
                      : "Binds a symbolic dimension, as in --dim N=1")
      ->type_name(takesSeveral ? "NAME=N[,N...]" : "NAME=N")
      ->allow_extra_args(false);
  if (!takesSeveral)
    return;
  command
      .add_option("--entries", file,
                  "A file with one combination of extents a line, as in "
                  "batch=1 seq=64, each of which is an entry of the program")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--pad", padded,
                  "A run with another extent of this dimension takes the next "
                  "larger entry: its inputs are padded, its outputs cut; "
                  "refused where what is padded could reach a result")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

/// "several extents" is a mistake where a command works on one model.
static void refuseSeveral(const std::string &option) {
  throw UsageError{option + ": one extent at a time here; leave out all but "
                            "one (groups have their shapes in their keys: what "
                            "is found for each goes into the same cache or "
                            "lock)"};
}

void EntryOptions::takeDims(CompileOptions &options) const {
  const std::string dim = optionName(options.import.hints, "dim");
  std::vector<std::vector<int64_t>> several;
  for (const std::string &text : dims) {
    auto [name, value] = splitAssignment(text, dim);
    if (options.import.dims.count(name))
      throw UsageError{dim + " " + name + " is given twice"};
    std::vector<int64_t> extents;
    for (llvm::StringRef part : llvm::split(value, ',')) {
      extents.push_back(parseExtent(part, dim + " " + text));
      if (llvm::count(extents, extents.back()) > 1)
        throw UsageError{dim + " " + text + ": names the extent " + part.str() +
                         " twice"};
    }
    options.import.dims[name] = extents.front();
    if (extents.size() == 1)
      continue;
    if (!takesSeveral)
      refuseSeveral(dim + " " + text);
    options.symbols.push_back(name);
    several.push_back(std::move(extents));
  }
  if (several.empty())
    return;
  size_t count = 1;
  for (const std::vector<int64_t> &extents : several)
    if (__builtin_mul_overflow(count, extents.size(), &count))
      count = SIZE_MAX;
  if (count > kMostEntries)
    throw UsageError{
        dim + ": these are " + std::to_string(count) +
        " combinations, each of which is compiled as a model of its own, and " +
        std::to_string(kMostEntries) +
        " are the most; name those that are needed in a file, with " +
        optionName(options.import.hints, "entries")};
  // The last dimension's extents are next to each other.
  options.entries = {{}};
  for (const std::vector<int64_t> &extents : several) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t> &entry : options.entries)
      for (int64_t extent : extents) {
        longer.push_back(entry);
        longer.back().push_back(extent);
      }
    options.entries = std::move(longer);
  }
}

void EntryOptions::takeFile(CompileOptions &options) const {
  auto buffer = io::readFile(file);
  if (!buffer)
    throw InputError{"fusec", llvm::toString(buffer.takeError()),
                     "--entries names a file with a line such as 'batch=1 "
                     "seq=64' for each entry"};
  size_t number = 0;
  auto refuse = [&](const std::string &reason, const std::string &hint) {
    throw InputError{file + ":" + std::to_string(number), reason, hint};
  };
  for (llvm::StringRef line : llvm::split((*buffer)->getBuffer(), '\n')) {
    ++number;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(line.split('#').first, words, " \t\r,");
    if (words.empty())
      continue;
    std::vector<std::string> symbols;
    std::vector<int64_t> entry;
    for (llvm::StringRef word : words) {
      auto [name, value] = word.rsplit('=');
      int64_t extent = 0;
      if (name.empty() || value.getAsInteger(10, extent) || extent < 0 ||
          extent > kMaxTensorBytes)
        refuse("'" + word.str() + "' is no extent of a dimension",
               "write NAME=N, with a number from 0 to 2^40");
      if (llvm::is_contained(symbols, name.str()))
        refuse("'" + name.str() + "' is there twice", "leave out one");
      symbols.push_back(name.str());
      entry.push_back(extent);
    }
    if (options.symbols.empty())
      options.symbols = symbols;
    else if (symbols != options.symbols)
      refuse("has other dimensions than the first entry, or in another order",
             "each line needs the same dimensions, in the same order");
    if (llvm::is_contained(options.entries, entry))
      refuse("is there twice", "leave out one");
    options.entries.push_back(std::move(entry));
    if (options.entries.size() > kMostEntries)
      refuse("is entry " + std::to_string(options.entries.size()) +
                 ", and a model is compiled for at most " +
                 std::to_string(kMostEntries) + ", each as one of its own",
             "leave out some");
  }
  if (options.entries.empty())
    throw InputError{file, "has no entry",
                     "write a line such as 'batch=1 seq=64' for each"};
  options.entriesFile = file;
  for (auto [symbol, extent] :
       llvm::zip_equal(options.symbols, options.entries.front()))
    if (!options.import.dims.emplace(symbol, extent).second)
      throw UsageError{"--dim " + symbol + ": " + file +
                       " names its extents; leave out one of the two"};
}

void EntryOptions::takePadded(CompileOptions &options) const {
  const std::string pad = optionName(options.import.hints, "pad");
  for (const std::string &name : padded) {
    if (!options.hasEntries() || !llvm::is_contained(options.symbols, name))
      throw UsageError{
          pad + " " + name + ": is no dimension of several extents" +
          (options.symbols.empty()
               ? "; name those to choose from, as in " +
                     optionName(options.import.hints, "dim") + " " + name +
                     "=64,128"
               : "; those are " + llvm::join(options.symbols, ", "))};
    if (llvm::is_contained(options.padded, name))
      throw UsageError{pad + " " + name + " is given twice"};
    options.padded.push_back(name);
  }
  if (padded.empty())
    return;
  size_t count = 0;
  for (size_t entry = 0; entry < options.entries.size(); ++entry) {
    size_t own = 1;
    for (auto [extent, least] :
         llvm::zip_equal(options.entries[entry], options.getLeast(entry)))
      if (__builtin_mul_overflow(own, size_t(extent - least + 1), &own))
        own = SIZE_MAX;
    if (__builtin_add_overflow(count, own, &count))
      count = SIZE_MAX;
  }
  if (count > kMostPadded)
    throw UsageError{pad + ": runs could have " + std::to_string(count) +
                     " combinations of extents, for each of which the model is "
                     "imported to prove that it may be padded, and " +
                     std::to_string(kMostPadded) +
                     " are the most; pad fewer dimensions, or name smaller "
                     "extents"};
}

void EntryOptions::take(CompileOptions &options) const {
  takeDims(options);
  if (!file.empty()) {
    if (!options.entries.empty())
      throw UsageError{"--entries names all combinations; give --dim one "
                       "extent each, or leave out --entries"};
    takeFile(options);
  }
  takePadded(options);
}

} // namespace fusec::tool
