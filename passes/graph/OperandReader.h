// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the points of a primitive read its constant operands.
#ifndef FUSEC_PASSES_GRAPH_OPERANDREADER_H
#define FUSEC_PASSES_GRAPH_OPERANDREADER_H

#include "passes/graph/ConstantData.h"
#include "passes/graph/Domain.h"
#include "passes/graph/Elements.h"

namespace fusec::fuse {

/// Reads an operand at runs of points along one iterator.
class OperandReader {
public:
  /// The reader of operand `index` of `op`, which is `data`, at runs along
  /// iterator `along`.
  OperandReader(PrimitiveOpInterface op, unsigned index, ConstantData data,
                unsigned along);

  /// The operands whose elements say where this one is read. They are to be
  /// read before.
  llvm::ArrayRef<unsigned> getIndirect() const { return indirect; }

  /// Reads `count` points from `point` on into values `at`... of the column;
  /// `symbols` are the columns of the operands that say where. False if it is
  /// outside of the operand.
  bool read(llvm::ArrayRef<int64_t> point, size_t count, Column &to, size_t at,
            llvm::ArrayRef<const Column *> symbols) const;

private:
  void readLinear(llvm::ArrayRef<int64_t> point, size_t count, Column &to,
                  size_t at) const;
  bool readEach(llvm::ArrayRef<int64_t> point, size_t count, Column &to,
                size_t at, llvm::ArrayRef<const Column *> symbols) const;
  std::pair<size_t, size_t> insideOf(llvm::ArrayRef<int64_t> point,
                                     size_t count) const;

  ConstantData data;
  ElementAccess access;
  mlir::AffineMap map;
  llvm::SmallVector<int64_t> shape;
  mlir::TypedAttr fill;
  llvm::SmallVector<unsigned> indirect;
  unsigned along;
  /// Where the map is linear: the element that a point reads, and its indices
  /// into the operand, which tell whether it is inside.
  bool isLinear = false;
  Linear offset;
  llvm::SmallVector<Linear> indices;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_OPERANDREADER_H
