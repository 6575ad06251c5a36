// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all matrix products share.
#ifndef FUSEC_COMPILER_IMPORT_OPS_MATMUL_H
#define FUSEC_COMPILER_IMPORT_OPS_MATMUL_H

#include "compiler/import/Node.h"

namespace fusec {

/// The shape of numpy.matmul of two operands: leading dimensions are batches
/// and broadcast; vectors are matrices whose added dimension the result lacks.
llvm::SmallVector<int64_t> productShape(Node &node, unsigned lhs, unsigned rhs);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_MATMUL_H
