// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Determinants: of small matrices by expansion along rows, of others by
// elimination, which takes of each column the greatest element as the pivot.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"

using namespace mlir;

namespace fusec {
namespace {

/// Element (row, column) of each matrix in operand 0, [batch..., M, M], in the
/// type that it is computed in.
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
  return Term(node, node.castToCompute(node.reshape(slice, shape)));
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

/// Elimination column by column: a loop that carries matrices [batch, M, M] and
/// the products of the pivots so far.
class Elimination {
public:
  Elimination(Node &node, RankedTensorType matrices)
      : node(node), b(node.builder), matrices(matrices),
        rows(matrices.clone(matrices.getShape().drop_back())),
        places(rows.clone(b.getI64Type())) {}

  Value run(Value from) {
    RankedTensorType scalars = rows.clone(rows.getShape().drop_back());
    SmallVector<Type> types{matrices, scalars};
    Value inits[] = {from, node.splat(1, scalars)};
    auto loop = fuse::LoopOp::create(
        b, node.loc, types, b.getI64IntegerAttr(matrices.getDimSize(1)),
        Value(), Value(), inits, ValueRange(), ArrayRef<int64_t>(),
        ArrayRef<int64_t>());
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&loop.getBody(), {},
                  {tensorType({}, b.getI64Type()), matrices, scalars},
                  {node.loc, node.loc, node.loc});
    step(loop.getIteration(), loop.getCarried(0), loop.getCarried(1));
    return loop.getResult(1);
  }

private:
  /// Row or column `at` of the matrices, with the dimension as 1.
  Value pick(Value from, Value at, uint64_t dim) {
    RankedTensorType type = fuse::getTensorType(from);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = 1;
    return node.make<fuse::GatherOp>(type.clone(shape), from,
                                     node.reshape(at, {1}), dim);
  }

  /// The matrices with their rows in the order of `order` [batch, M].
  Value permute(Value from, Value order) {
    AffineExpr d0, d1, d2, s0;
    bindDims(b.getContext(), d0, d1, d2);
    bindSymbols(b.getContext(), s0);
    AffineMap maps[] = {AffineMap::get(3, 1, {d0, s0, d2}, b.getContext()),
                        AffineMap::get(3, 0, {d0, d1}, b.getContext())};
    return node.make<fuse::GatherOp>(matrices, from, order,
                                     b.getAffineMapArrayAttr(maps));
  }

  void step(Value iteration, Value from, Value product) {
    ArrayRef<int64_t> shape = rows.getShape();
    Value row = node.iota(places, 1);
    Value current = node.broadcast(iteration, shape);
    // The greatest of what is left of the column goes to the diagonal.
    Value column = node.reshape(pick(from, iteration, 2), shape);
    Value isLeft = node.compare(fuse::CmpPredicate::ge, row, current);
    Value size = node.select(isLeft, node.unary<fuse::AbsOp>(column), -1);
    Value greatest = node.make<fuse::ArgMaxOp>(
        tensorType({shape[0], 1}, b.getI64Type()), size, 1, /*last=*/false);
    Value there = node.broadcast(greatest, shape);
    Value order = node.select(node.compare(fuse::CmpPredicate::eq, row, there),
                              current, row);
    order = node.select(node.compare(fuse::CmpPredicate::eq, row, current),
                        there, order);
    Value swapped = permute(from, order);
    Value top = pick(swapped, iteration, 1);
    Value pivot = node.reshape(pick(top, iteration, 2), {shape[0]});
    // A column of zeros has nothing to eliminate.
    Value isZero = node.compare(fuse::CmpPredicate::eq, pivot, 0);
    Value divisor = node.select(isZero, node.splatLike(1, pivot), pivot);
    Value below = node.reshape(pick(swapped, iteration, 2), shape);
    Value factor = node.div(below, node.broadcast(divisor, shape, {0}));
    Value isBelow = node.compare(fuse::CmpPredicate::gt, row, current);
    factor = node.select(isBelow, factor, 0);
    Value repeated = node.broadcast(factor, matrices.getShape(), {0, 1});
    Value tops = node.broadcast(top, matrices.getShape());
    Value next = node.sub(swapped, node.mul(repeated, tops));
    Value isSwapped =
        node.compare(fuse::CmpPredicate::ne, node.reshape(greatest, {shape[0]}),
                     node.broadcast(iteration, {shape[0]}));
    Value minus = node.unary<fuse::NegOp>(pivot);
    Value signedPivot = node.select(isSwapped, minus, pivot);
    product = node.mul(product, signedPivot);
    fuse::YieldOp::create(b, node.loc, ValueRange{next, product});
  }

  Node &node;
  OpBuilder &b;
  /// [batch, M, M], [batch, M], and the numbers of rows.
  RankedTensorType matrices, rows, places;
};

Value eliminate(Node &node) {
  ArrayRef<int64_t> shape = node.shape(0);
  int64_t size = shape.back(), batch = 1;
  for (int64_t extent : shape.drop_back(2))
    batch *= extent;
  Value x = node.castToCompute(node.input(0));
  x = node.reshape(x, {batch, size, size});
  Value product = Elimination(node, fuse::getTensorType(x)).run(x);
  return node.reshape(node.cast(product, node.elementType(0)),
                      shape.drop_back(2));
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
    return node.setOutput(0, eliminate(node));
  if (size == 0)
    node.unsupported("has matrices without elements");
  auto columns = llvm::to_vector(llvm::seq<int64_t>(0, size));
  Value result = minorOf(node, 0, columns).get();
  node.setOutput(0, node.cast(result, node.elementType(0)));
}

} // namespace

void registerDeterminant(Registry &r) { r.add("Det", 11, convertDet); }

} // namespace fusec
