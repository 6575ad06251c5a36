// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a model for one target, and which of them a run takes.
#ifndef FUSEC_RUNTIME_ENTRIES_H
#define FUSEC_RUNTIME_ENTRIES_H

#include "Setup.h"

namespace fusec::rt {

class Entries {
public:
  /// Collects those of `first`'s target, of the model `model`; where `extents`
  /// are given, that one alone. A model without entries has one.
  fusec_status collect(const fusec_model_desc &model,
                       const fusec_model_desc &first, const int64_t *extents,
                       Error &error);

  uint32_t size() const { return count; }
  const fusec_model_desc &operator[](uint32_t entry) const {
    return *descs[entry];
  }

  /// Sets `entry` to the one with these extents. FUSEC_INVALID_ARGUMENT lists
  /// all where there is none, and leaves `entry` alone.
  fusec_status find(const int64_t *extents, uint32_t numExtents,
                    uint32_t &entry, Error &error) const;
  /// The same for the dims of inputs; `entry` is tried first. Inputs that are
  /// not the model's, such as of another rank, leave it alone as well, and are
  /// no failure: the check of arguments says what is wrong with them.
  fusec_status findFor(const fusec_tensor *inputs, uint32_t numInputs,
                       uint32_t &entry, Error &error);
  /// The extents that `findFor` has found, of which a negative one is the
  /// entry's own; null where it has looked at none.
  const int64_t *getGiven() const { return hasGiven ? given.data() : nullptr; }

private:
  /// Where the value of a symbol stands.
  struct Place {
    uint32_t input, axis;
    bool exists;
  };

  Place findPlace(uint32_t symbol) const;
  double sizeOf(uint32_t entry) const;
  bool fits(uint32_t entry, const int64_t *extents) const;
  fusec_status search(const int64_t *extents, uint32_t &entry,
                      Error &error) const;

  uint32_t count = 0, numSymbols = 0;
  Array<const fusec_model_desc *> descs;
  Array<int64_t> table; ///< the extents of all entries, concatenated
  Array<int64_t> least; ///< and the least that a run of each may have
  Array<Place> places;  ///< per symbol
  Array<int64_t> given; ///< of a run
  bool hasGiven = false, isPadded = false;
};

} // namespace fusec::rt

#endif
