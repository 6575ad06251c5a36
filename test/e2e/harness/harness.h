// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs compiled models for the end-to-end tests (test/e2e/project.py).
#ifndef HARNESS_H
#define HARNESS_H

#include "fusec/abi.h"

/// A model that was linked in. project.py writes the table.
struct HarnessModel {
  const char *name;
  fusec_query_fn query;
  const char *weights; ///< path of weights.bin
};
extern const HarnessModel harness_models[];
extern const unsigned num_harness_models;

/// Counts the calls of malloc and its kin and of mmap, by any thread.
void start_counting_allocations();
unsigned long stop_counting_allocations();

#endif
