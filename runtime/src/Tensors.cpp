// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tensors.h"

#include <cstdio>

namespace fusec::rt {

namespace {

/// A caller's type: with another rank than expected, its dimensions are not
/// looked at, as nobody knows how many there are.
TypeText describe(const fusec_tensor &given, uint32_t expectedRank) {
  TypeText type(given.dtype, given.rank == expectedRank ? given.rank : 0,
                given.dims);
  if (given.rank != expectedRank && given.rank != 0)
    snprintf(type.text, sizeof(type.text), "%s of rank %u",
             fusec_dtype_name(given.dtype), given.rank);
  return type;
}

bool sameDims(const fusec_tensor &given, uint32_t rank, const int64_t *dims) {
  if (given.rank != rank || (rank && !given.dims))
    return false;
  for (uint32_t i = 0; i < rank; ++i)
    if (given.dims[i] != dims[i])
      return false;
  return true;
}

bool overlap(const fusec_tensor &a, const fusec_tensor &b) {
  const uintptr_t p = reinterpret_cast<uintptr_t>(a.data);
  const uintptr_t q = reinterpret_cast<uintptr_t>(b.data);
  return a.bytes && b.bytes && p < q + b.bytes && q < p + a.bytes;
}

} // namespace

TypeText::TypeText(fusec_dtype dtype, uint32_t rank, const int64_t *dims) {
  size_t used = 0;
  const auto print = [&](const char *format, auto value) {
    if (used < sizeof(text)) {
      const int n = snprintf(text + used, sizeof(text) - used, format, value);
      used += n > 0 ? static_cast<size_t>(n) : 0;
    }
  };
  print("%s[", fusec_dtype_name(dtype));
  for (uint32_t i = 0; i < rank; ++i) {
    print("%s", i ? ", " : "");
    print("%lld", dims ? static_cast<long long>(dims[i]) : -1LL);
  }
  print("%s", "]");
}

fusec_status checkTensor(const char *kind, const fusec_tensor_desc &expected,
                         const int64_t *dims, const fusec_tensor &given,
                         Error &error) {
  if (given.dtype != expected.dtype || !sameDims(given, expected.rank, dims))
    return error.set(FUSEC_INVALID_ARGUMENT, "%s '%s': expected %s, got %s",
                     kind, expected.name,
                     TypeText(expected.dtype, expected.rank, dims).text,
                     describe(given, expected.rank).text);
  uint64_t bytes = fusec_dtype_bytes(expected.dtype);
  for (uint32_t i = 0; i < expected.rank; ++i)
    bytes *= static_cast<uint64_t>(dims[i]);
  if (given.bytes != bytes)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "%s '%s': expected %llu bytes for %s, got %llu", kind,
                     expected.name, static_cast<unsigned long long>(bytes),
                     TypeText(expected.dtype, expected.rank, dims).text,
                     static_cast<unsigned long long>(given.bytes));
  if (bytes == 0)
    return FUSEC_OK;
  if (!given.data)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "%s '%s': expected %s, got a null pointer", kind,
                     expected.name,
                     TypeText(expected.dtype, expected.rank, dims).text);
  if (expected.alignment > 1 &&
      reinterpret_cast<uintptr_t>(given.data) % expected.alignment != 0)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "%s '%s': expected a pointer aligned to %u bytes, got %p",
                     kind, expected.name, expected.alignment, given.data);
  return FUSEC_OK;
}

fusec_status checkOverlap(const fusec_model_desc &desc,
                          const fusec_tensor *inputs,
                          const fusec_tensor *outputs, Error &error) {
  for (uint32_t o = 0; o < desc.num_outputs; ++o) {
    const char *name = desc.outputs[o].name;
    for (uint32_t i = 0; i < desc.num_inputs; ++i) {
      if (!overlap(outputs[o], inputs[i]))
        continue;
      const bool declared = desc.outputs[o].alias_of == static_cast<int32_t>(i);
      if (!declared || outputs[o].data != inputs[i].data)
        return error.set(FUSEC_INVALID_ARGUMENT,
                         "output '%s' overlaps input '%s'%s", name,
                         desc.inputs[i].name,
                         declared ? " but does not start where it does"
                                  : ", which it is not declared to alias");
    }
    for (uint32_t other = 0; other < o; ++other)
      if (overlap(outputs[o], outputs[other]))
        return error.set(FUSEC_INVALID_ARGUMENT,
                         "output '%s' overlaps output '%s'", name,
                         desc.outputs[other].name);
  }
  return FUSEC_OK;
}

fusec_status checkArguments(const fusec_model_desc &desc,
                            const int64_t *inputDims, const int64_t *outputDims,
                            const fusec_tensor *in, uint32_t numInputs,
                            const fusec_tensor *out, uint32_t numOutputs,
                            Error &error) {
  if (numInputs != desc.num_inputs || numOutputs != desc.num_outputs)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s' has %u inputs and %u outputs, got %u and %u",
                     desc.name, desc.num_inputs, desc.num_outputs, numInputs,
                     numOutputs);
  if ((numInputs && !in) || (numOutputs && !out))
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "the array of inputs or of outputs is null");
  const int64_t *dims = inputDims;
  for (uint32_t i = 0; i < numInputs; ++i) {
    if (const fusec_status status =
            checkTensor("input", desc.inputs[i], dims, in[i], error))
      return status;
    dims += desc.inputs[i].rank;
  }
  dims = outputDims;
  for (uint32_t i = 0; i < numOutputs; ++i) {
    if (const fusec_status status =
            checkTensor("output", desc.outputs[i], dims, out[i], error))
      return status;
    dims += desc.outputs[i].rank;
  }
  return checkOverlap(desc, in, out, error);
}

} // namespace fusec::rt
