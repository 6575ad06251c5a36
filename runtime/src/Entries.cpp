// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Entries.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "Target.h"

namespace fusec::rt {

namespace {

/// The value of a symbol that no input has: every entry fits it.
constexpr int64_t kAny = -1;

/// Text in a buffer of fixed size; what does not fit is left out.
class Text {
public:
  void add(const char *format, ...) __attribute__((format(printf, 2, 3))) {
    va_list args;
    va_start(args, format);
    const int length =
        vsnprintf(text + used, sizeof(text) - used, format, args);
    va_end(args);
    if (length > 0)
      used = std::min(used + static_cast<size_t>(length), sizeof(text) - 1);
  }
  /// "batch=4 seq=64".
  void addExtents(const fusec_model_desc &desc, const int64_t *extents) {
    const char *separator = "";
    for (uint32_t s = 0; s < desc.num_symbols; ++s) {
      if (extents[s] == kAny)
        continue;
      add("%s%s=%lld", separator, desc.symbols[s],
          static_cast<long long>(extents[s]));
      separator = " ";
    }
  }
  size_t size() const { return used; }
  const char *get() const { return text; }

private:
  char text[320] = {};
  size_t used = 0;
};

/// "batch=1 seq=64, batch=4 seq=64 and 10 more".
void addAll(const Entries &entries, Text &text) {
  constexpr size_t kMostCharacters = 200;
  for (uint32_t e = 0; e < entries.size(); ++e) {
    if (text.size() > kMostCharacters && e + 1 < entries.size()) {
      text.add(" and %u more", entries.size() - e);
      return;
    }
    text.add("%s", e ? ", " : "");
    text.addExtents(entries[e], entries[e].extents);
  }
}

} // namespace

fusec_status Entries::collect(const fusec_model_desc &model,
                              const fusec_model_desc &first,
                              const int64_t *extents, Error &error) {
  const uint32_t all = model.num_others + 1;
  numSymbols = first.extents ? first.num_symbols : 0;
  isPadded = first.least != nullptr;
  if (!descs.allocate(all) || !table.allocate(uint64_t{all} * numSymbols) ||
      !least.allocate(uint64_t{all} * numSymbols) ||
      !places.allocate(numSymbols) || !given.allocate(numSymbols))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  for (uint32_t i = 0; i < all; ++i) {
    const fusec_model_desc &next = getTarget(model, i);
    if (strcmp(next.target, first.target) == 0)
      descs[count++] = &next;
  }
  for (uint32_t e = 0; e < count; ++e)
    for (uint32_t s = 0; s < numSymbols; ++s) {
      const int64_t *from = descs[e]->least;
      table[uint64_t{e} * numSymbols + s] = descs[e]->extents[s];
      least[uint64_t{e} * numSymbols + s] =
          (from ? from : descs[e]->extents)[s];
    }
  for (uint32_t s = 0; s < numSymbols; ++s)
    places[s] = findPlace(s);
  if (!extents || !numSymbols)
    return FUSEC_OK;
  uint32_t wanted = 0;
  if (const fusec_status status = find(extents, numSymbols, wanted, error))
    return status;
  descs[0] = descs[wanted];
  for (uint32_t s = 0; s < numSymbols; ++s) {
    table[s] = table[uint64_t{wanted} * numSymbols + s];
    least[s] = least[uint64_t{wanted} * numSymbols + s];
  }
  count = 1;
  return FUSEC_OK;
}

/// The first dimension of an input that has the symbol's extent in every entry.
Entries::Place Entries::findPlace(uint32_t symbol) const {
  for (uint32_t input = 0; input < descs[0]->num_inputs; ++input)
    for (uint32_t axis = 0; axis < descs[0]->inputs[input].rank; ++axis) {
      bool has = true;
      for (uint32_t e = 0; e < count && has; ++e) {
        const fusec_tensor_desc &tensor = descs[e]->inputs[input];
        has = axis < tensor.rank &&
              tensor.dims[axis] == descs[e]->extents[symbol];
      }
      if (has)
        return {input, axis, true};
    }
  return {0, 0, false};
}

bool Entries::fits(uint32_t entry, const int64_t *extents) const {
  const int64_t *own = table.data() + uint64_t{entry} * numSymbols;
  const int64_t *from = least.data() + uint64_t{entry} * numSymbols;
  for (uint32_t s = 0; s < numSymbols; ++s)
    if (extents[s] != kAny && (extents[s] > own[s] || extents[s] < from[s]))
      return false;
  return true;
}

/// How much an entry computes, to compare those that fit by.
double Entries::sizeOf(uint32_t entry) const {
  double size = 1;
  for (uint32_t s = 0; s < numSymbols; ++s)
    size *= static_cast<double>(table[uint64_t{entry} * numSymbols + s]);
  return size;
}

fusec_status Entries::search(const int64_t *extents, uint32_t &entry,
                             Error &error) const {
  if (!isPadded && fits(entry, extents))
    return FUSEC_OK;
  uint32_t best = count;
  for (uint32_t e = 0; e < count; ++e)
    if (fits(e, extents) && (best == count || sizeOf(e) < sizeOf(best)))
      best = e;
  if (best != count) {
    entry = best;
    return FUSEC_OK;
  }
  Text wanted, known;
  wanted.addExtents(*descs[0], extents);
  addAll(*this, known);
  return error.set(FUSEC_INVALID_ARGUMENT,
                   "model '%s' has no entry for %s; its entries are %s%s",
                   descs[0]->name, wanted.get(), known.get(),
                   isPadded ? ", to which smaller extents are padded" : "");
}

fusec_status Entries::find(const int64_t *extents, uint32_t numExtents,
                           uint32_t &entry, Error &error) const {
  const fusec_model_desc &desc = *descs[0];
  if (!numSymbols)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s' is compiled for one shape, and has no entries "
                     "to pick from",
                     desc.name);
  if (numExtents != numSymbols || !extents)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s' has %u symbols, the first of them '%s'; got "
                     "%u extents",
                     desc.name, numSymbols, desc.symbols[0],
                     extents ? numExtents : 0);
  for (uint32_t s = 0; s < numSymbols; ++s)
    if (extents[s] < 0)
      return error.set(FUSEC_INVALID_ARGUMENT,
                       "model '%s': %lld is no extent of '%s'", desc.name,
                       static_cast<long long>(extents[s]), desc.symbols[s]);
  return search(extents, entry, error);
}

fusec_status Entries::findFor(const fusec_tensor *inputs, uint32_t numInputs,
                              uint32_t &entry, Error &error) {
  hasGiven = false;
  if (count == 1 && !isPadded)
    return FUSEC_OK;
  const fusec_model_desc &desc = *descs[0];
  if (numInputs != desc.num_inputs || !inputs)
    return FUSEC_OK;
  for (uint32_t s = 0; s < numSymbols; ++s) {
    const Place &place = places[s];
    given[s] = kAny;
    if (!place.exists)
      continue;
    const fusec_tensor &tensor = inputs[place.input];
    if (tensor.rank != desc.inputs[place.input].rank || !tensor.dims ||
        tensor.dims[place.axis] < 0)
      return FUSEC_OK;
    given[s] = tensor.dims[place.axis];
  }
  hasGiven = true;
  return search(given.data(), entry, error);
}

} // namespace fusec::rt
