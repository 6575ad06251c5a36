// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that the compiler computes with.
#ifndef FUSEC_DIALECTS_LIBRARY_COLUMN_H
#define FUSEC_DIALECTS_LIBRARY_COLUMN_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fusec {

/// Elements, or values of one scalar at many points. Floats are held as
/// doubles; integers and booleans are sign- or zero-extended to 64 bits.
struct Column {
  bool isFloat = true;
  std::vector<double> floats;
  std::vector<int64_t> ints;

  void resize(size_t count) {
    isFloat ? floats.resize(count) : ints.resize(count);
  }
};

} // namespace fusec

#endif // FUSEC_DIALECTS_LIBRARY_COLUMN_H
