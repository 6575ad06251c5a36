// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights of a model as its sessions read them.
#ifndef FUSEC_RUNTIME_WEIGHTS_H
#define FUSEC_RUNTIME_WEIGHTS_H

#include <mutex>

#include "Memory.h"
#include "fusec/runtime.h"

struct fusec_model;

namespace fusec::rt {

/// A weights file, and what kernels for CPUs have packed of it. It does not
/// change but for further packs, and lasts until the model has other weights
/// and the last session that was created with these is gone.
class Weights {
public:
  Weights() = default;
  Weights(const Weights &) = delete;
  Weights &operator=(const Weights &) = delete;
  ~Weights();

  /// Finds the weights of a model in the memory of `options`, in the file
  /// `path`, or in the program. FUSEC_BAD_WEIGHTS where they are not those that
  /// it was compiled with, nor others that it runs with; with `readsAll` also
  /// where they are damaged.
  fusec_status open(const fusec_model_desc &desc, const char *path,
                    const fusec_model_options &options, bool readsAll,
                    Error &error);

  /// Whether the bytes have the hash that the header says.
  fusec_status check(const fusec_model_desc &desc, Error &error) const;

  /// Those of `launch` as `variant` wants them, made on first use; null where
  /// it reads them as they lie.
  fusec_status pack(const fusec_model_desc &desc, uint32_t launch,
                    const fusec_variant_desc &variant, const void **packed,
                    Error &error);

  /// The start of the file; null of a model that has none.
  const void *data() const { return start; }
  /// The hash that the header says.
  uint64_t getId() const { return id; }

private:
  friend struct ::fusec_model;

  /// The weights of one launch as one variant wants them.
  struct Packed {
    uint32_t launch = 0;
    const fusec_variant_desc *variant = nullptr;
    Mapping memory;
    Packed *next = nullptr;
  };

  const void *start = nullptr;
  uint64_t id = 0;
  Mapping file;
  uint32_t users = 0; ///< guarded by the model's lock

  std::mutex mutex; // guards what follows
  Packed *packs = nullptr;
};

} // namespace fusec::rt

#endif
