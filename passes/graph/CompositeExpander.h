// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites composites into primitives, for the pass and for the evaluator.
#ifndef FUSEC_PASSES_GRAPH_COMPOSITEEXPANDER_H
#define FUSEC_PASSES_GRAPH_COMPOSITEEXPANDER_H

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace fusec::fuse {

class CompositeExpander {
public:
  explicit CompositeExpander(mlir::MLIRContext *context);

  /// Whether the composite's formula covers its element type.
  static bool coversElements(mlir::Operation *composite);
  /// Leaves no composite within `root`.
  void expand(mlir::Operation *root) const;
  /// Replaces one composite by what it stands for, among which there may be
  /// composites.
  void expandOne(mlir::Operation *composite) const;

private:
  mlir::FrozenRewritePatternSet layers, patterns;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_COMPOSITEEXPANDER_H
