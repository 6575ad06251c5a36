/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linked into a program, AllocationCounter.c replaces malloc and its relatives
 * and mmap by versions that count, on all threads.
 */
#ifndef FUSEC_TEST_ALLOCATION_COUNTER_H
#define FUSEC_TEST_ALLOCATION_COUNTER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls of malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign and
 * mmap since the program began; operator new comes by way of malloc. */
uint64_t fusec_allocations(void);

#ifdef __cplusplus
}
#endif

#endif
