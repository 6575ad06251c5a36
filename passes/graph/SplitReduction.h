// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Split reduction: the parts of a long reduction by themselves, then the parts.
#ifndef FUSEC_PASSES_GRAPH_SPLITREDUCTION_H
#define FUSEC_PASSES_GRAPH_SPLITREDUCTION_H

#include "dialects/TargetInfo.h"
#include "passes/Merges.h"
#include "passes/graph/TensorBuilder.h"

#include "llvm/ADT/SetVector.h"

#include <optional>

namespace fusec::fuse {

/// How many tasks `op`, which reduces, gives to the cores of `target`.
int64_t countTasks(PrimitiveOpInterface op, const TargetInfo &target);

/// An iterator of extent `parts * length + tail`, cut into parts and a tail.
struct Cut {
  unsigned iterator = 0;
  int64_t parts = 0, length = 0, tail = 0;
};

/// The best cut of one reduced iterator into at least `cores` parts, if any:
/// one without a tail, else one whose tail is at most a sixteenth; of several
/// the longest iterator.
std::optional<Cut> findCut(PrimitiveOpInterface op, int64_t cores);

/// A reduction or contraction, cut. It reads `producers`, pointwise operations
/// in program order, which are computed again for each part; everything else
/// that it reads is read from memory.
class SplitReduction {
public:
  /// Fails with `reason` if `op` cannot be split.
  static mlir::FailureOr<SplitReduction>
  plan(PrimitiveOpInterface op, const TargetInfo &target, std::string &reason);

  /// Builds it and returns what stands for the results of the operation.
  llvm::SmallVector<mlir::Value> build(mlir::OpBuilder &builder) const;

  llvm::ArrayRef<mlir::Operation *> getProducers() const {
    return producers.getArrayRef();
  }

private:
  explicit SplitReduction(PrimitiveOpInterface op) : op(op) {}

  /// The dimension of operand `operand` that is cut, if any.
  std::optional<unsigned> getCutDim(unsigned operand) const;
  /// Reduces operands [parts, .., length, ..] to [parts, kept...].
  mlir::SmallVector<mlir::Value> buildParts(TensorBuilder &b) const;
  /// Reduces what is left beside the parts.
  mlir::SmallVector<mlir::Value> buildTail(TensorBuilder &b) const;

  PrimitiveOpInterface op;
  Cut cut;
  llvm::SmallVector<Combiner> merges;
  llvm::SetVector<mlir::Operation *> producers;
};

/// Whether `value`, whose dimension `dim` is cut, can be computed part by part
/// in `block`, or read in parts; adds to `producers` what is computed: what is
/// pointwise, an index or repeats, and with `contractsToo` contractions whose
/// result has the dimension, with the copies of operands in another layout.
bool collectParts(mlir::Value value, unsigned dim, mlir::Block *block,
                  llvm::SetVector<mlir::Operation *> &producers,
                  bool contractsToo);

/// Computes values part by part: dimension `dim` of a value [.., N, ..] is cut,
/// the result is [parts, .., length, ..]: in the order of memory. What
/// `producers` hold is built again on these shapes, other values are read in
/// windows.
class PartBuilder {
public:
  PartBuilder(TensorBuilder &b, const Cut &cut,
              const llvm::SetVector<mlir::Operation *> &producers)
      : b(b), cut(cut), producers(producers) {}

  mlir::Value build(mlir::Value value, unsigned dim);
  /// `like`, whose iterator `iterator` is cut, of `operands`: those that it
  /// runs over are in parts, and so is the result, whose iterators are the part
  /// and then those of `like`.
  mlir::Value contract(ContractOp like, unsigned iterator,
                       llvm::ArrayRef<mlir::Value> operands);
  /// The contractions among the values built.
  llvm::ArrayRef<ContractOp> getContractions() const { return contractions; }

private:
  mlir::Value buildElementwise(mlir::Operation *op, unsigned dim);
  mlir::Value buildIndex(IotaOp op, unsigned dim);
  mlir::Value buildContraction(ContractOp op, unsigned dim);
  mlir::Value buildTranspose(TransposeOp op, unsigned dim);
  mlir::Value buildRepetition(PrimitiveOpInterface op, unsigned dim);
  mlir::Value read(mlir::Value value, unsigned dim);

  TensorBuilder &b;
  const Cut &cut;
  const llvm::SetVector<mlir::Operation *> &producers;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> built;
  llvm::SmallVector<ContractOp> contractions;
};

/// Whether `op` computes each element from those of its operands at the same
/// point.
bool isPointwise(PrimitiveOpInterface op);
/// Whether `op` does nothing but repeat its operand along other dimensions.
bool isRepetition(PrimitiveOpInterface op);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_SPLITREDUCTION_H
