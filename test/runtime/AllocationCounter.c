/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "test/runtime/AllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* glibc's own names of the functions that are replaced. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_uint_fast64_t allocations;

uint64_t fusec_allocations(void) { return atomic_load(&allocations); }

void *malloc(size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_calloc(count, size);
}

void *realloc(void *p, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_realloc(p, size);
}

void *memalign(size_t alignment, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  atomic_fetch_add(&allocations, 1);
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

void *mmap(void *address, size_t length, int protection, int flags, int file,
           off_t offset) {
  atomic_fetch_add(&allocations, 1);
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file,
                         offset);
}
