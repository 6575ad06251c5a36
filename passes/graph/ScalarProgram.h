// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the scalar body of a primitive on the compiler's machine, over columns
// of values, for constant folding.
#ifndef FUSEC_PASSES_GRAPH_SCALARPROGRAM_H
#define FUSEC_PASSES_GRAPH_SCALARPROGRAM_H

#include "dialects/fuse/FuseOps.h"
#include "dialects/library/Column.h"

#include <optional>
#include <vector>

namespace fusec::fuse {

/// The body of a primitive: indices, elements and accumulators in, results out.
/// Floats are rounded to their type after each step, but for accumulators:
/// kernels add in an order of their own, and the exact sum is near all of
/// theirs.
class ScalarProgram {
public:
  /// Nothing if the body holds an operation that cannot be run here.
  static std::optional<ScalarProgram> compile(PrimitiveOpInterface op);

  ScalarProgram(ScalarProgram &&) = default;

  /// The columns to fill in: one per iterator, then one per operand, then (for
  /// reductions) one per result. Integers for iterators.
  Column &input(unsigned index) { return columns[index]; }
  /// Whether the body needs that column.
  bool reads(unsigned index) const {
    return !block->getArgument(index).use_empty() ||
           llvm::is_contained(results, index);
  }
  /// Runs the body for the first `count` values of every input.
  void run(size_t count);
  const Column &result(unsigned index) const { return columns[results[index]]; }

private:
  ScalarProgram() = default;

  struct Step {
    mlir::Operation *op;
    llvm::SmallVector<unsigned, 3> operands;
    unsigned result;
    /// What it computes, if a function of one or two values says it. A
    /// reduction runs each step once per reduced point.
    double (*floatUnary)(double);
    double (*floatBinary)(double, double);
    int64_t (*intBinary)(int64_t, int64_t);
    /// An accumulator of floats, which is rounded when it is stored.
    bool isAccumulator = false;
  };
  void runStep(const Step &step, size_t count);
  void runFloat(const Step &step, size_t count);
  void runInteger(const Step &step, size_t count);

  std::unique_ptr<mlir::Block> block;
  std::vector<Column> columns;
  std::vector<Step> steps;
  llvm::SmallVector<unsigned> results;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_SCALARPROGRAM_H
