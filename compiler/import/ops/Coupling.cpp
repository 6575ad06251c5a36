// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ops/Coupling.h"

#include "compiler/import/ops/Formula.h"

using namespace mlir;
using fusec::fuse::CmpPredicate;
using fusec::fuse::ReductionKind;

namespace fusec {
namespace {

/// Minimises p Q p over probabilities p, one class after the other, in a loop
/// over iterations around one over classes. Rows that have come near enough to
/// the minimum stay where they are.
class Coupling {
public:
  Coupling(Node &node, int64_t numRows, int64_t numClasses)
      : node(node), b(node.builder), numRows(numRows), numClasses(numClasses),
        matrix(tensorType({numRows, numClasses}, b.getF32Type())) {}

  Value solve(ArrayRef<std::pair<int64_t, int64_t>> pairs, Value probabilities);

private:
  using Body = llvm::function_ref<SmallVector<Value>(fuse::LoopOp)>;

  Value makeQuadratic(ArrayRef<std::pair<int64_t, int64_t>> pairs,
                      Value probabilities);
  Value makeLoop(int64_t trips, Value condition, ArrayRef<Value> starts,
                 Body build);
  SmallVector<Value> iterate(Value quadratic, Value at);
  SmallVector<Value> improve(Value quadratic, Value position, Term p,
                             Term gradient, Term value);

  RankedTensorType vector() { return tensorType({numRows}, b.getF32Type()); }
  /// A number per row, for each class.
  Term repeat(Term numbers) {
    return Term(node, node.broadcast(numbers.get(), matrix.getShape(), {0}));
  }
  /// Over the classes.
  Term reduce(ReductionKind kind, Term of) {
    Value reduced = node.reduction(kind, of.get(), {1});
    return Term(node, node.reshape(reduced, {numRows}));
  }
  /// Column `position` of dimension 1.
  Term pick(Value from, Value position) {
    SmallVector<int64_t> shape(fuse::getTensorType(from).getShape());
    shape.erase(shape.begin() + 1);
    return Term(node, node.make<fuse::GatherOp>(matrix.clone(shape), from,
                                                position, uint64_t(1)));
  }

  Node &node;
  OpBuilder &b;
  int64_t numRows, numClasses;
  RankedTensorType matrix;
};

/// Q, [rows, classes, classes], of r(i, j), how probable i is among i and j:
/// the sum over j of r(j, i)^2 at (i, i), and -r(j, i) r(i, j) at (i, j).
Value Coupling::makeQuadratic(ArrayRef<std::pair<int64_t, int64_t>> pairs,
                              Value probabilities) {
  int64_t numPairs = int64_t(pairs.size());
  // r is laid out from the pairs, their opposites, and 0 for its diagonal.
  Term first(node, probabilities);
  RankedTensorType part = first.type();
  Value zero = first.like(0).get();
  Value all = node.concat({probabilities, (1.0 - first).get(), zero}, 1);
  std::vector<int64_t> places(numClasses * numClasses, 2 * numPairs);
  for (auto [p, pair] : llvm::enumerate(pairs)) {
    places[pair.first * numClasses + pair.second] = int64_t(p);
    places[pair.second * numClasses + pair.first] = numPairs + int64_t(p);
  }
  Value places2d = node.tensor(HostTensor::fromInts(
      tensorType({numClasses, numClasses}, b.getI64Type()), std::move(places)));
  RankedTensorType cube = part.clone({numRows, numClasses, numClasses});
  Term r(node, node.make<fuse::GatherOp>(cube, all, places2d, uint64_t(1)));
  Term opposite(node, node.transpose(r.get(), {0, 2, 1}));
  Value sums = node.reduction(ReductionKind::sum_square, opposite.get(), {2});
  Term diagonal(node, node.broadcast(node.reshape(sums, {numRows, numClasses}),
                                     cube.getShape(), {0, 1}));
  auto indices = cube.clone(b.getI64Type());
  Term row(node, node.iota(indices, 1));
  Term column(node, node.iota(indices, 2));
  return select(row.compare(CmpPredicate::eq, column), diagonal,
                0.0 - opposite * r)
      .get();
}

/// A loop whose body yields what `build` returns: the condition, if there is
/// one, and the carried values. Returns the first of these.
Value Coupling::makeLoop(int64_t trips, Value condition, ArrayRef<Value> starts,
                         Body build) {
  SmallVector<Type> types(ValueRange(starts).getTypes());
  auto loop = fuse::LoopOp::create(
      b, node.loc, types, b.getI64IntegerAttr(trips), Value(), condition,
      starts, ValueRange(), ArrayRef<int64_t>(), ArrayRef<int64_t>());
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> arguments = {tensorType({}, b.getI64Type())};
  llvm::append_range(arguments, types);
  SmallVector<Location> locations(arguments.size(), node.loc);
  b.createBlock(&loop.getBody(), {}, arguments, locations);
  SmallVector<Value> yielded = build(loop);
  fuse::YieldOp::create(b, node.loc, yielded);
  return loop.getResult(0);
}

/// A step for the class at `position`: p' is p with more of it, scaled to the
/// sum 1; `gradient` is Q p, and `value` p Q p.
SmallVector<Value> Coupling::improve(Value quadratic, Value position, Term p,
                                     Term gradient, Term value) {
  Term row = pick(quadratic, position);
  Term own = pick(row.get(), position);
  Term slope = pick(gradient.get(), position);
  Term step = (value - slope) / own;
  Term scale = step + 1.0;
  Term index(node, node.iota(matrix.clone(b.getI64Type()), 1));
  Term wanted(node, node.broadcast(position, matrix.getShape()));
  Value isClass = index.compare(CmpPredicate::eq, wanted);
  Term more = select(isClass, p + repeat(step), p);
  Term next = (value + step * (step * own + 2.0 * slope)) / scale / scale;
  Term nextGradient = (gradient + repeat(step) * row) / repeat(scale);
  return {(more / repeat(scale)).get(), nextGradient.get(), next.get()};
}

/// One step for each class from `at` on, where that is not near enough yet;
/// whether it was anywhere, and where that leads.
SmallVector<Value> Coupling::iterate(Value quadratic, Value at) {
  RankedTensorType cube = fuse::getTensorType(quadratic);
  Term p(node, at);
  Term factors(node, node.broadcast(at, cube.getShape(), {0, 2}));
  Value sums = node.reduction(ReductionKind::sum,
                              (Term(node, quadratic) * factors).get(), {2});
  Term gradient(node, node.reshape(sums, {numRows, numClasses}));
  Term value = reduce(ReductionKind::sum, p * gradient);
  Term error = reduce(ReductionKind::max,
                      (gradient - repeat(value)).unary<fuse::AbsOp>());
  Value isFar = error.compare(CmpPredicate::ge, double(0.005f) / numClasses);
  Value next = makeLoop(numClasses, Value(), {at, gradient.get(), value.get()},
                        [&](fuse::LoopOp loop) {
                          return improve(quadratic, loop.getIteration(),
                                         Term(node, loop.getCarried(0)),
                                         Term(node, loop.getCarried(1)),
                                         Term(node, loop.getCarried(2)));
                        });
  Term far(node, node.cast(isFar, b.getI32Type()));
  Value any = node.reduction(ReductionKind::max, far.get(), {0});
  Term goesOn(node, node.reshape(any, {}));
  Value moves = node.make<fuse::BroadcastOp>(matrix.clone(b.getI1Type()), isFar,
                                             ArrayRef<int64_t>{0});
  return {goesOn.compare(CmpPredicate::gt, 0.0),
          select(moves, Term(node, next), p).get()};
}

Value Coupling::solve(ArrayRef<std::pair<int64_t, int64_t>> pairs,
                      Value probabilities) {
  constexpr int64_t kMostIterations = 100;
  Value quadratic = makeQuadratic(pairs, probabilities);
  Value start =
      node.splat(1 / double(numClasses), matrix.clone(b.getF32Type()));
  return makeLoop(kMostIterations, node.scalar(1, b.getI1Type()), {start},
                  [&](fuse::LoopOp loop) {
                    return iterate(quadratic, loop.getCarried(0));
                  });
}

} // namespace

Value couplePairs(Node &node, ArrayRef<std::pair<int64_t, int64_t>> pairs,
                  int64_t numClasses, Value probabilities) {
  int64_t numRows = fuse::getTensorType(probabilities).getDimSize(0);
  node.requireSize(
      tensorType({numRows, numClasses, numClasses}, node.builder.getF32Type()));
  return Coupling(node, numRows, numClasses).solve(pairs, probabilities);
}

} // namespace fusec
