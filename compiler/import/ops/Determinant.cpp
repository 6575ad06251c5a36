// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Determinants of small matrices, by expansion along rows.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"

using namespace mlir;

namespace fusec {
namespace {

/// Element (row, column) of each matrix in operand 0, [batch..., M, M].
Term element(Node &node, int64_t row, int64_t column) {
  RankedTensorType type = node.type(0);
  size_t batch = type.getRank() - 2;
  SmallVector<int64_t> offsets(batch, 0), strides(type.getRank(), 1);
  SmallVector<int64_t> shape(type.getShape().take_front(batch));
  offsets.append({row, column});
  SmallVector<int64_t> one = shape;
  one.append({1, 1});
  Value slice = node.make<fuse::SliceOp>(type.clone(one), node.input(0),
                                         offsets, strides);
  return Term(node, node.reshape(slice, shape));
}

/// The determinant of the rows from `row` on without all but `columns`:
/// sum over i of (-1)^i times element (row, columns[i]) times its minor.
Term minorOf(Node &node, int64_t row, ArrayRef<int64_t> columns) {
  std::optional<Term> sum;
  for (size_t i = 0; i < columns.size(); ++i) {
    Term term = element(node, row, columns[i]);
    if (columns.size() > 1) {
      SmallVector<int64_t> rest(columns);
      rest.erase(rest.begin() + i);
      term = term * minorOf(node, row + 1, rest);
    }
    sum = !sum ? term : i % 2 ? *sum - term : *sum + term;
  }
  return *sum;
}

void convertDet(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  ArrayRef<int64_t> shape = node.shape(0);
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2])
    node.invalid("needs square matrices, has " + shapeText(shape));
  constexpr int64_t kMost = 4; // M! products
  int64_t size = shape.back();
  if (size > kMost)
    node.unsupported("needs the determinant of a matrix of more than " +
                     llvm::Twine(kMost) +
                     " rows, which takes a factorisation with pivots");
  if (size == 0)
    node.unsupported("has matrices without elements");
  auto columns = llvm::to_vector(llvm::seq<int64_t>(0, size));
  node.setOutput(0, minorOf(node, 0, columns).get());
}

} // namespace

void registerDeterminant(Registry &r) { r.add("Det", 11, convertDet); }

} // namespace fusec
