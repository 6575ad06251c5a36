// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failure texts in fixed buffers: nothing here allocates.
#ifndef FUSEC_RUNTIME_ERROR_H
#define FUSEC_RUNTIME_ERROR_H

#include <new>

#include "fusec/runtime.h"

namespace fusec::rt {

struct Error {
  char text[512] = {};

  /// Formats as printf and returns `status`.
  fusec_status set(fusec_status status, const char *format, ...)
      __attribute__((format(printf, 3, 4)));
};

/// For failures that no session owns.
Error &threadError();

/// What `body` returns. Where it uses containers, and memory runs out, that is
/// an error, too; in programs without exceptions it is their end.
template <typename Body> fusec_status guarded(Error &error, Body body) {
#ifdef __cpp_exceptions
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return error.set(FUSEC_OUT_OF_MEMORY, "there is no memory left");
  }
#else
  (void)error;
  return body();
#endif
}

} // namespace fusec::rt

#endif
