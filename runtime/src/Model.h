// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_RUNTIME_MODEL_H
#define FUSEC_RUNTIME_MODEL_H

#include <mutex>

#include "Memory.h"

namespace fusec::rt {

/// The weights of one launch as one variant wants them; made once per model.
struct Packed {
  uint32_t launch = 0;
  uint32_t variant = 0;
  Mapping memory;
  Packed *next = nullptr;
};

/// Whether the table of `isa`, for which the model is compiled, has that
/// variant of a group.
bool hasVariant(const fusec_model_desc &desc, fusec_isa isa, uint32_t group,
                uint32_t variant);

} // namespace fusec::rt

struct fusec_model {
  const fusec_model_desc *desc = nullptr;
  const void *weights = nullptr;
  fusec::rt::Mapping file;
  fusec_log_fn log = nullptr;
  void *logSelf = nullptr;

  std::mutex mutex; // guards `packed`
  fusec::rt::Packed *packed = nullptr;

  ~fusec_model();

  /// The packed weights for `launch`, made on first use.
  fusec_status packedWeights(uint32_t launch, uint32_t variant,
                             const void **data, fusec::rt::Error &error);

  void remark(const char *format, ...) __attribute__((format(printf, 2, 3)));
};

#endif
