// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of scalars in bodies and kernels (dialects/TypeInfo.h).
#ifndef FUSEC_COMPUTE_TYPE
#define FUSEC_COMPUTE_TYPE

include "mlir/IR/OpBase.td"

def ComputeType : Type<CPred<"::fusec::isComputeType($_self)">, "scalar of a compute type">;

#endif // FUSEC_COMPUTE_TYPE
