// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates a block of scalar arith and math operations: the combiner of a
// fuse.reduce.
#ifndef FUSEC_TOOLS_FUSEC_REF_SCALARS_H
#define FUSEC_TOOLS_FUSEC_REF_SCALARS_H

#include "mlir/IR/Block.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace fusec::ref {

/// A scalar value. Floats are doubles whatever their type (only truncf
/// rounds); integers are sign-extended, booleans 0 or 1.
union Scalar {
  double f;
  int64_t i;
};

/// A block, prepared to run many times.
class ScalarProgram {
public:
  /// One operation: slots[result] = f(slots[operand...]).
  struct Step {
    void (*run)(const Step &step, Scalar *slots);
    unsigned result;
    unsigned operands[3];
    unsigned bits;    ///< width of the integers
    unsigned variant; ///< a predicate, or the element type to round to
  };

  /// Prepares `block`, whose terminator yields. Errors: an operation that is
  /// not in the table, or a value from outside the block that is no constant.
  static llvm::Expected<ScalarProgram> create(mlir::Block &block);

  /// The slots of one run: the block's arguments come first, in order.
  std::vector<Scalar> makeSlots() const { return initial; }
  /// Runs the block on `slots`; what it yields is in slots[yielded()[r]] then.
  void run(std::vector<Scalar> &slots) const {
    for (const Step &step : steps)
      step.run(step, slots.data());
  }
  const std::vector<unsigned> &yielded() const { return outputs; }

private:
  std::vector<Scalar> initial; // constants in their slots
  std::vector<Step> steps;
  std::vector<unsigned> outputs;
};

} // namespace fusec::ref

#endif // FUSEC_TOOLS_FUSEC_REF_SCALARS_H
