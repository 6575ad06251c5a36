// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Attention, QAttention and MultiHeadAttention of com.microsoft share.
// Hidden keys are penalised by a number, and so count where all keys are
// hidden; only what lies in the future is never seen.
#ifndef FUSEC_COMPILER_IMPORT_OPS_MICROSOFTATTENTION_H
#define FUSEC_COMPILER_IMPORT_OPS_MICROSOFTATTENTION_H

#include "compiler/import/ops/Attention.h"

namespace fusec {

/// Queries, keys and values [batch, heads, length, width], the keys and values
/// with the past in front.
struct AttentionHeads {
  mlir::Value q, k, v;
  int64_t past = 0;

  /// [batch, heads, queries, keys]
  llvm::SmallVector<int64_t> scoresShape() const;
  /// The type that scores are computed in.
  mlir::Type computeType() const;
};

/// The padding in operand `index`: marks [batch, keys] or [batch, queries,
/// keys], or the ends of the samples, behind which their begins may stand.
/// `begins` says whether they may.
void addPadding(Node &node, unsigned index, bool begins,
                const AttentionHeads &heads, AttentionMask &mask);
/// Operand `index`, which is added to the scores, if it is there.
void addScoreBias(Node &node, unsigned index, const AttentionHeads &heads,
                  AttentionMask &mask);
/// Whether a query sees only the keys up to its own.
void addFuture(Node &node, const AttentionHeads &heads, AttentionMask &mask);

/// The attention of `heads`, with its scores if they are wanted.
fuse::AttentionOp attend(Node &node, const AttentionHeads &heads,
                         const AttentionMask &mask, bool wantsScores);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_MICROSOFTATTENTION_H
