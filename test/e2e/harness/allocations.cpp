// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for malloc and mmap of the whole program, in order to count.
#include "harness.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static std::atomic<bool> counting{false};
static std::atomic<unsigned long> allocations{0};

void start_counting_allocations() {
  allocations = 0;
  counting = true;
}

unsigned long stop_counting_allocations() {
  counting = false;
  return allocations;
}

// A sanitizer has its own malloc; the count is then 0.
#ifndef FUSEC_SANITIZED

static void count() {
  if (counting.load(std::memory_order_relaxed))
    allocations.fetch_add(1, std::memory_order_relaxed);
}

// Reserved names, but those under which glibc exports its own functions.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes) {
  count();
  return __libc_malloc(bytes);
}
void *calloc(size_t n, size_t bytes) {
  count();
  return __libc_calloc(n, bytes);
}
void *realloc(void *old, size_t bytes) {
  count();
  return __libc_realloc(old, bytes);
}
void *memalign(size_t alignment, size_t bytes) {
  count();
  return __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  *out = memalign(alignment, bytes);
  return *out || !bytes ? 0 : ENOMEM;
}
void *mmap(void *address, size_t bytes, int protection, int flags, int fd,
           off_t offset) {
  count();
  return reinterpret_cast<void *>(
      syscall(SYS_mmap, address, bytes, protection, flags, fd, offset));
}
}
// NOLINTEND(bugprone-reserved-identifier)

#endif
