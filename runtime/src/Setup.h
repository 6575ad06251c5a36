// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the options of a session and the descriptor of its model determine
// before any memory is taken.
#ifndef FUSEC_RUNTIME_SETUP_H
#define FUSEC_RUNTIME_SETUP_H

#include <new>

#include "Error.h"
#include "Memory.h"

namespace fusec::rt {

/// An array without exceptions; zeroed.
template <typename T> class Array {
public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { delete[] items; }

  bool allocate(uint64_t count) {
    items = new (std::nothrow) T[count ? count : 1]();
    return items != nullptr;
  }
  T &operator[](uint64_t i) { return items[i]; }
  const T &operator[](uint64_t i) const { return items[i]; }
  T *data() { return items; }
  const T *data() const { return items; }

private:
  T *items = nullptr;
};

/// How many threads a session with these options has.
uint32_t countThreads(const fusec_session_options &options);

/// The values of the symbols: the entry's own, or those that were chosen.
const int64_t *valuesOf(const fusec_model_desc &desc,
                        const fusec_session_options &options);

struct Setup {
  fusec_isa isa = FUSEC_ISA_BASELINE;
  Array<uint32_t> variants; // per group: in the list of `isa`
  Array<bool> chosen;       // per group: the options name its variant
  Array<int64_t> outputDims;
  uint64_t arenaBytes = 0;
  uint64_t hostArenaBytes = 0; // beside that, where `arenaBytes` is a device's
  uint64_t workspaceBytes = 0; // without those that follow
  uint64_t zeroedBytes = 0;    // behind it, which launches leave at zero

  uint64_t workspaceOffset() const {
    return alignUp(arenaBytes, FUSEC_ALIGNMENT);
  }
  uint64_t zeroedOffset() const {
    return workspaceOffset() + alignUp(workspaceBytes, FUSEC_ALIGNMENT);
  }
  uint64_t totalBytes() const {
    return zeroedOffset() + alignUp(zeroedBytes, FUSEC_ALIGNMENT);
  }

  /// All but sizes: which instruction set and which variants.
  fusec_status select(const fusec_model_desc &desc,
                      const fusec_session_options &options, Error &error);
  /// Sizes for the variants; more of it where it was called for others before.
  fusec_status plan(const fusec_model_desc &desc, const int64_t *symbols,
                    Error &error);

private:
  fusec_status pickIsa(const fusec_model_desc &desc, const char *limit,
                       Error &error);
  /// What runs where neither a choice nor a tuner says otherwise.
  fusec_status selectVariant(const fusec_model_desc &desc,
                             const fusec_session_options &options,
                             uint32_t group, Error &error);
  fusec_status choose(const fusec_model_desc &desc, const fusec_choice &choice,
                      Error &error);
};

} // namespace fusec::rt

#endif
