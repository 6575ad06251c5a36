// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fusec::rt {

namespace {
constexpr uint64_t hugePage = 2u << 20;
constexpr uint64_t page = 4096;
} // namespace

Mapping::~Mapping() {
  if (base)
    munmap(base, bytes);
}

fusec_status Mapping::mapFile(const char *path, Error &error) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return error.set(FUSEC_IO_ERROR, "cannot open weights file '%s': %s", path,
                     strerror(errno));
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
    close(file);
    return error.set(FUSEC_IO_ERROR,
                     "weights file '%s' is empty or no regular file", path);
  }
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  void *p = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int why = errno;
  close(file);
  if (p == MAP_FAILED)
    return error.set(FUSEC_IO_ERROR, "cannot map weights file '%s': %s", path,
                     strerror(why));
  base = p;
  bytes = size;
  return FUSEC_OK;
}

fusec_status Mapping::allocate(uint64_t wanted, Error &error) {
  // Whole huge pages where there is more than one to fill.
  const bool huge = wanted >= hugePage;
  const uint64_t unit = huge ? hugePage : page;
  const uint64_t size = alignUp(wanted, unit);
  // A mapping is aligned to small pages only: take one more unit, trim the
  // ends.
  const uint64_t slack = huge ? hugePage : 0;
  void *p = size < wanted ? MAP_FAILED
                          : mmap(nullptr, size + slack, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate %llu bytes",
                     static_cast<unsigned long long>(wanted));
  char *start = static_cast<char *>(p);
  if (huge) {
    const uint64_t address = reinterpret_cast<uintptr_t>(start);
    const uint64_t before = alignUp(address, hugePage) - address;
    if (before)
      munmap(start, before);
    if (slack > before)
      munmap(start + before + size, slack - before);
    start += before;
#ifdef MADV_HUGEPAGE
    madvise(start, size, MADV_HUGEPAGE);
#endif
  }
  base = start;
  bytes = size;
  for (uint64_t i = 0; i < size; i += page)
    static_cast<volatile char *>(base)[i] = 0;
  return FUSEC_OK;
}

} // namespace fusec::rt
