// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failure texts in fixed buffers: nothing here allocates.
#ifndef FUSEC_RUNTIME_ERROR_H
#define FUSEC_RUNTIME_ERROR_H

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

} // namespace fusec::rt

#endif
