// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model of the pack is given, and what it should compute: data.bin,
// which tools/bench/cuda/data.py of fusec writes, numbers with their lowest
// byte first.
//
//   file    = "FUSECPK1" u32 inputs { input } u32 outputs { output }
//   input   = u32 0, u64 bytes, the bytes
//           | u32 1, u64 seed, f64 low, f64 high    uniform: makeInput
//   output  = u32 0, u64 n, u64 places[n], f64 values[n], f64 allowed[n],
//   simulated
//           | u32 1, u64 n, u64 places[n], n elements,                the same
//             u64 m, m times { u64 number, u8 element }, simulated    bits, or
//             those that the element of this number may have, too
//   simulated = u32 0 | u32 1, n elements    of the simulator, for the same
//   places
#ifndef PACK_DATA_H
#define PACK_DATA_H

#include "fusec/runtime.h"

#include <string>
#include <vector>

struct Expected {
  bool isExact = false;
  std::vector<uint64_t> places;        ///< of elements
  std::vector<double> values, allowed; ///< unless it is exact
  std::vector<char> elements;          ///< if it is
  std::vector<std::pair<uint64_t, char>> others; ///< what those may be, too
  std::vector<char> simulated;         ///< empty: the simulator did not run
};

struct Data {
  std::vector<std::vector<char>> inputs;
  std::vector<Expected> outputs;
};

uint64_t countElements(const fusec_tensor_desc &tensor);

/// Throws std::runtime_error.
Data readData(const std::string &file, const fusec_model_desc &model);

struct Difference {
  std::string text;      ///< of the worst element; empty: all are as expected
  uint64_t compared = 0; ///< with the simulator
  uint64_t same = 0;     ///< of those, with the same bits
};
Difference compare(const fusec_tensor_desc &tensor, const char *result,
                   const Expected &expected);

#endif
