// Emitted by fusec. This file may be used under any terms.
// The kernels of `device` for GPUs as plain loops in the order of the model, to
// compare with: the first argument is scratch memory, then come inputs and
// outputs.
#pragma once

#include "fusec/cuda/kernel.h"

namespace fusec::device {

} // namespace fusec::device
