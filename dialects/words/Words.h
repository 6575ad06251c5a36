// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What texts in attributes may be that end up in sources: words and hashes.
#ifndef FUSEC_DIALECTS_WORDS_WORDS_H
#define FUSEC_DIALECTS_WORDS_WORDS_H

#include "mlir/IR/Operation.h"

namespace fusec {

/// Whether `text` is an identifier: ASCII letters, digits and underscores, no
/// digit first.
bool isWord(llvm::StringRef text);

/// Whether it is words with :: between, the name of a C++ function.
bool isScopedWord(llvm::StringRef text);

/// Whether it is words, each behind a space.
bool isPhrase(llvm::StringRef text);

/// Whether it is a hash as fusec writes them: 16 lower-case hexadecimal digits.
bool isHash(llvm::StringRef text);

/// Checks that the attribute `name` of `op`, where there is one, is such
/// a text, or an array of them.
mlir::LogicalResult verifyWord(mlir::Operation *op, llvm::StringRef name);
mlir::LogicalResult verifyPhrase(mlir::Operation *op, llvm::StringRef name);
mlir::LogicalResult verifyHash(mlir::Operation *op, llvm::StringRef name);

} // namespace fusec

#endif // FUSEC_DIALECTS_WORDS_WORDS_H
