// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/Winograd.h"

#include "passes/graph/ConstantData.h"
#include "passes/graph/Evaluate.h"
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static constexpr unsigned kTaps = 3;

/// result = transformed^T ((weights g) * (input d)), of `products` products.
struct Winograd::Matrices {
  unsigned rows;
  std::vector<std::vector<double>> input;  ///< B^T: products x products
  std::vector<std::vector<double>> weight; ///< G: products x taps
  std::vector<std::vector<double>> result; ///< A^T: rows x products

  unsigned countProducts() const { return input.size(); }
};

const Winograd::Matrices &Winograd::getMatrices(WinogradRows rows) {
  // Interpolated at 0, 1, -1 and infinity; for four rows at 2 and -2, too.
  static const Matrices two = {
      2,
      {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
      {{1, 0, 0},
       {1 / 2., 1 / 2., 1 / 2.},
       {1 / 2., -1 / 2., 1 / 2.},
       {0, 0, 1}},
      {{1, 1, 1, 0}, {0, 1, -1, -1}}};
  static const Matrices four = {4,
                                {{4, 0, -5, 0, 1, 0},
                                 {0, -4, -4, 1, 1, 0},
                                 {0, 4, -4, -1, 1, 0},
                                 {0, -2, -1, 2, 1, 0},
                                 {0, 2, -1, -2, 1, 0},
                                 {0, 4, 0, -5, 0, 1}},
                                {{1 / 4., 0, 0},
                                 {-1 / 6., -1 / 6., -1 / 6.},
                                 {-1 / 6., 1 / 6., -1 / 6.},
                                 {1 / 24., 1 / 12., 1 / 6.},
                                 {1 / 24., -1 / 12., 1 / 6.},
                                 {0, 0, 1}},
                                {{1, 1, 1, 1, 1, 0},
                                 {0, 1, -1, 2, -2, 0},
                                 {0, 1, 1, 4, 4, 0},
                                 {0, 1, -1, 8, -8, 1}}};
  return rows == WinogradRows::two ? two : four;
}

//===----------------------------------------------------------------------===//
// What the convolution is like
//===----------------------------------------------------------------------===//

/// The iterators that the dimensions of a tensor are indexed by.
static SmallVector<unsigned> getIterators(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  });
}

static std::optional<unsigned> findPosition(ArrayRef<unsigned> iterators,
                                            unsigned iterator) {
  const auto *found = llvm::find(iterators, iterator);
  if (found == iterators.end())
    return std::nullopt;
  return found - iterators.begin();
}

FailureOr<Winograd> Winograd::plan(PrimitiveOpInterface primitive,
                                   std::string &reason) {
  auto refuse = [&](const llvm::Twine &why) {
    reason = why.str();
    return failure();
  };
  auto op = dyn_cast<ContractOp>(primitive.getOperation());
  auto window = op ? op.getLhs().getDefiningOp<WindowOp>() : WindowOp();
  if (!window)
    return refuse("");
  if (window.getSizes().size() < 2)
    return refuse("it has one windowed dimension, along which elements lie "
                  "side by side");
  if (window.getSizes().front() != kTaps || window.getStrides().front() != 1 ||
      window.getDilations().front() != 1)
    return refuse("the first windowed dimension has not three taps side by "
                  "side, or steps over some");
  Type element = op.getType().getElementType();
  if (!isa<FloatType>(element) || getComputeType(element) != element ||
      getTensorType(op.getLhs()).getElementType() != element ||
      getTensorType(op.getRhs()).getElementType() != element)
    return refuse("its elements are not what it computes in");
  if (window.getFill() != OpBuilder(op).getZeroAttr(element))
    return refuse("what surrounds its input is not 0");
  if (!getConstantData(op.getRhs()))
    return refuse("its weights are computed");
  Winograd plan(op, window);
  SmallVector<unsigned> input = getIterators(op.getOperandMap(0)),
                        weight = getIterators(op.getOperandMap(1)),
                        result = getIterators(op.getResultMap(0));
  size_t windowed = window.getSizes().size();
  plan.inputDim = input.size() - 2 * windowed;
  plan.row = input[plan.inputDim];
  plan.tap = input[plan.inputDim + windowed];
  std::optional<unsigned> weightDim = findPosition(weight, plan.tap),
                          resultDim = findPosition(result, plan.row);
  if (!weightDim || !resultDim || llvm::is_contained(weight, plan.row) ||
      llvm::is_contained(result, plan.tap))
    return refuse("rows or taps are other dimensions of the weights and the "
                  "result than a convolution's");
  if (*resultDim + 1 == result.size())
    return refuse("rows of the result lie side by side");
  if (llvm::none_of(weight, [&](unsigned iterator) {
        return llvm::is_contained(result, iterator) &&
               !llvm::is_contained(input, iterator);
      }))
    return refuse("what is computed of a row serves one channel only");
  plan.weightDim = *weightDim;
  plan.resultDim = *resultDim;
  return plan;
}

int64_t Winograd::countTiles(unsigned rows) {
  return llvm::divideCeil(op.getType().getDimSize(resultDim), rows);
}

bool Winograd::savesProducts(WinogradRows choice) {
  const Matrices &by = getMatrices(choice);
  return countTiles(by.rows) * by.countProducts() <
         kTaps * op.getType().getDimSize(resultDim);
}

//===----------------------------------------------------------------------===//
// Its parts
//===----------------------------------------------------------------------===//

/// The sum of `values`, each times its factor, of which one is positive: what
/// is subtracted comes last.
static Value combine(TensorBuilder &b, ArrayRef<double> factors,
                     ArrayRef<Value> values) {
  Value sum;
  for (bool subtracts : {false, true})
    for (auto [factor, value] : llvm::zip(factors, values)) {
      if (factor == 0 || (factor < 0) != subtracts)
        continue;
      Value term =
          std::abs(factor) == 1 ? value : b.mul(value, std::abs(factor));
      sum = !sum ? term : subtracts ? b.sub(sum, term) : b.add(sum, term);
    }
  return sum;
}

Value Winograd::buildInput(TensorBuilder &b, const Matrices &by) {
  int64_t tiles = countTiles(by.rows), products = by.countProducts();
  Value input = window->getOperand(0);
  auto type = getTensorType(input);
  SmallVector<int64_t> low(type.getRank(), 0), high = low,
                                               shape(type.getShape());
  low[inputDim] = window.getPadLow().front();
  high[inputDim] =
      std::max<int64_t>(0, (tiles - 1) * by.rows + products - low[inputDim] -
                               type.getDimSize(inputDim));
  shape[inputDim] += low[inputDim] + high[inputDim];
  input = b.make<PadOp>(type.clone(shape), input, low, high, window.getFill());
  SmallVector<Value> rows, parts;
  for (int64_t number = 0; number < products; ++number)
    rows.push_back(b.slice(input, inputDim, number, tiles, by.rows));
  for (const std::vector<double> &factors : by.input)
    parts.push_back(combine(b, factors, rows));
  SmallVector<int64_t> split(getTensorType(parts.front()).getShape());
  split.insert(split.begin(), products);
  return b.reshape(b.concat(parts, 0), split);
}

Value Winograd::buildWeights(TensorBuilder &b, const Matrices &by) {
  Value weights = op.getRhs();
  auto type = getTensorType(weights);
  SmallVector<int64_t> shape = {by.countProducts()};
  // Iterators: the product, what is left of the weights, the tap.
  SmallVector<unsigned> dims;
  unsigned next = 1, tap = type.getRank();
  SmallVector<unsigned> results = {0};
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    dims.push_back(dim == weightDim ? tap : next++);
    if (dim == weightDim)
      continue;
    shape.push_back(extent);
    results.push_back(dims.back());
  }
  SmallVector<Attribute> factors;
  for (const std::vector<double> &row : by.weight)
    for (double factor : row)
      factors.push_back(b.builder.getFloatAttr(type.getElementType(), factor));
  auto matrix = b.make<ConstantOp>(
      DenseElementsAttr::get(type.clone({by.countProducts(), kTaps}), factors));
  Value product =
      buildContraction(matrix, weights, {0, tap}, dims, results, shape, b);
  Operation *computed = product.getDefiningOp();
  auto bytes = evaluate(cast<PrimitiveOpInterface>(computed));
  computed->erase();
  matrix.getDefiningOp()->erase();
  std::optional<ConstantData> data = getConstantData(weights);
  std::string name = data->weight ? data->weight.getSymName().str() : "weights";
  return createConstant(
      b.builder, weights.getLoc(), type.clone(shape), bytes->front(),
      name + "_winograd_" + std::to_string(by.rows), data->weight);
}

Value Winograd::buildProducts(TensorBuilder &b, Value input, Value weights) {
  auto drop = [](ArrayRef<int64_t> list) { return list.drop_front(); };
  ArrayRef<int64_t> sizes = drop(window.getSizes());
  auto type = getTensorType(input);
  size_t outer = type.getRank() - sizes.size();
  SmallVector<int64_t> shape(type.getShape().take_front(outer));
  // Behind the rows, the result has what the windows are at, and what is in
  // them.
  ArrayRef<int64_t> windows = getTensorType(op.getLhs()).getShape();
  llvm::append_range(shape, windows.slice(inputDim + 1, sizes.size()));
  llvm::append_range(shape, sizes);
  Value rest = b.make<WindowOp>(
      type.clone(shape), input, sizes, drop(window.getStrides()),
      drop(window.getDilations()), drop(window.getPadLow()), window.getFill());
  // Iterators: the product, then as before without the tap.
  auto renumber = [&](AffineMap map) {
    SmallVector<unsigned> iterators = {0};
    for (unsigned iterator : getIterators(map))
      if (iterator != tap)
        iterators.push_back(iterator < tap ? iterator + 1 : iterator);
    return iterators;
  };
  SmallVector<int64_t> result(op.getType().getShape());
  result[resultDim] = type.getDimSize(inputDim + 1);
  result.insert(result.begin(), type.getDimSize(0));
  return buildContraction(rest, weights, renumber(op.getOperandMap(0)),
                          renumber(op.getOperandMap(1)),
                          renumber(op.getResultMap(0)), result, b);
}

Value Winograd::buildResult(TensorBuilder &b, const Matrices &by,
                            Value products) {
  auto type = op.getType();
  SmallVector<int64_t> shape(type.getShape());
  shape[resultDim] = countTiles(by.rows);
  // One behind the other in the first dimension.
  int64_t first = shape.front();
  shape.front() *= by.countProducts();
  products = b.reshape(products, shape);
  SmallVector<Value> parts, rows;
  for (unsigned number = 0; number < by.countProducts(); ++number)
    parts.push_back(b.slice(products, 0, number * first, first));
  for (const std::vector<double> &factors : by.result)
    rows.push_back(combine(b, factors, parts));
  // One behind the other within a tile, which are rows in the order of memory.
  Value result = b.concat(rows, resultDim + 1);
  shape.front() = first;
  shape[resultDim] *= by.rows;
  return b.slice(b.reshape(result, shape), resultDim, 0,
                 type.getDimSize(resultDim));
}

Value Winograd::build(OpBuilder &builder, WinogradRows rows) {
  TensorBuilder b(builder, op->getLoc());
  const Matrices &by = getMatrices(rows);
  Value input = buildInput(b, by);
  Value weights = buildWeights(b, by);
  return buildResult(b, by, buildProducts(b, input, weights));
}
