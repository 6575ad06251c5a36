// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of what the caller hands to a run.
#ifndef FUSEC_RUNTIME_TENSORS_H
#define FUSEC_RUNTIME_TENSORS_H

#include "Error.h"

namespace fusec::rt {

/// The value of a dimension of a descriptor.
inline int64_t resolveDim(int64_t dim, const int64_t *symbols) {
  return dim < 0 ? symbols[-1 - dim] : dim;
}

/// The bytes of a tensor of these dims; of its own ones, where they are known.
inline uint64_t countBytes(const fusec_tensor_desc &tensor,
                           const int64_t *dims) {
  uint64_t bytes = fusec_dtype_bytes(tensor.dtype);
  for (uint32_t i = 0; i < tensor.rank; ++i)
    bytes *= static_cast<uint64_t>(dims[i]);
  return bytes;
}
inline uint64_t countBytes(const fusec_tensor_desc &tensor) {
  return countBytes(tensor, tensor.dims);
}

/// "f32[10, 20]".
struct TypeText {
  char text[160];

  /// Where there are no dims, each is -1.
  TypeText(fusec_dtype dtype, uint32_t rank, const int64_t *dims);
};

/// Compares `given` with `expected`, whose dims are `dims`; `kind` is "input",
/// "output" or "state". FUSEC_INVALID_ARGUMENT names the tensor, what was
/// expected, and what came.
fusec_status checkTensor(const char *kind, const fusec_tensor_desc &expected,
                         const int64_t *dims, const fusec_tensor &given,
                         Error &error);

/// Checks all that the caller hands to a run; `inputDims` and `outputDims` are
/// those of all inputs and outputs, concatenated.
fusec_status checkArguments(const fusec_model_desc &desc,
                            const int64_t *inputDims, const int64_t *outputDims,
                            const fusec_tensor *in, uint32_t numInputs,
                            const fusec_tensor *out, uint32_t numOutputs,
                            Error &error);

/// Outputs must not overlap each other or an input, unless declared so.
fusec_status checkOverlap(const fusec_model_desc &desc,
                          const fusec_tensor *inputs,
                          const fusec_tensor *outputs, Error &error);

} // namespace fusec::rt

#endif
