// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The routines that shapes, masks and tables are made with, over columns of
// all elements. What they compute stands at their rows (dialects/library).
#include "passes/graph/EvaluateCalls.h"

#include "dialects/library/Library.h"
#include "passes/graph/Elements.h"
#include "passes/graph/Evaluator.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static Column makeColumn(RankedTensorType type) {
  Column column{isa<FloatType>(type.getElementType()), {}, {}};
  column.resize(type.getNumElements());
  return column;
}

/// Operand and result columns of a call.
namespace {
struct CallColumns {
  library::Call call;
  SmallVector<Column> operands, results;
  bool isUnsigned; // the first operand's elements, of 64 bits
};
} // namespace

/// Calls `use` with the numbers of `column`.
template <typename Use> static void withNumbers(Column &column, Use use) {
  column.isFloat ? use(column.floats) : use(column.ints);
}

//===- top_k --------------------------------------------------------------===//

static void computeTopK(CallColumns &c) {
  ArrayRef<int64_t> shape = c.call.operandShape(0);
  int64_t axis = c.call.getInt("axis"), k = c.call.getInt("k");
  bool largest = c.call.getFlag("largest");
  int64_t outer = ShapedType::getNumElements(shape.take_front(axis));
  int64_t inner = ShapedType::getNumElements(shape.drop_front(axis + 1));
  // NaN is above all numbers.
  auto isLess = [&](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), double>)
      return std::isnan(b) ? !std::isnan(a) : a < b;
    else
      return c.isUnsigned ? uint64_t(a) < uint64_t(b) : a < b;
  };
  withNumbers(c.operands[0], [&](auto &x) {
    auto &values = [&]() -> auto & {
      if constexpr (std::is_same_v<decltype(x), std::vector<double> &>)
        return c.results[0].floats;
      else
        return c.results[0].ints;
    }
    ();
    std::vector<int64_t> order(shape[axis]);
    for (int64_t line = 0; line < outer * inner; ++line) {
      int64_t from = line / inner * shape[axis] * inner + line % inner;
      int64_t to = line / inner * k * inner + line % inner;
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        auto p = x[from + a * inner], q = x[from + b * inner];
        bool isBefore = largest ? isLess(q, p) : isLess(p, q);
        bool isBehind = largest ? isLess(p, q) : isLess(q, p);
        return isBefore || (!isBehind && a < b);
      });
      for (int64_t i = 0; i < k; ++i) {
        values[to + i * inner] = x[from + order[i] * inner];
        c.results[1].ints[to + i * inner] = order[i];
      }
    }
  });
}

//===- scatter_elements, scatter_nd ---------------------------------------===//

template <typename T>
static void update(StringRef reduction, bool isUnsigned, T &place, T element) {
  constexpr bool isFloat = std::is_same_v<T, double>;
  using Wrapping = std::conditional_t<isFloat, double, uint64_t>;
  bool isLess =
      isUnsigned ? uint64_t(element) < uint64_t(place) : element < place;
  bool isGreater =
      isUnsigned ? uint64_t(element) > uint64_t(place) : element > place;
  if (reduction == "add")
    place = T(Wrapping(place) + Wrapping(element));
  else if (reduction == "mul")
    place = T(Wrapping(place) * Wrapping(element));
  else if (reduction == "max")
    place = isGreater || element != element ? element : place;
  else if (reduction == "min")
    place = isLess || element != element ? element : place;
  else
    place = element;
}

/// Element `from` of the updates goes to element `to` of the result.
static void scatter(CallColumns &c, int64_t from, int64_t to) {
  StringRef reduction = c.call.getText("reduction");
  if (c.results[0].isFloat)
    update(reduction, false, c.results[0].floats[to],
           c.operands[2].floats[from]);
  else
    update(reduction, c.isUnsigned, c.results[0].ints[to],
           c.operands[2].ints[from]);
}

/// An index counted from the front; -1 if it is outside.
static int64_t wrapIndex(int64_t index, int64_t extent) {
  index += index < 0 ? extent : 0;
  return index >= 0 && index < extent ? index : -1;
}

static void computeScatterElements(CallColumns &c) {
  c.results[0] = c.operands[0];
  ArrayRef<int64_t> dims = c.call.operandShape(0);
  ArrayRef<int64_t> counts = c.call.operandShape(1);
  int64_t axis = c.call.getInt("axis");
  const std::vector<int64_t> &indices = c.operands[1].ints;
  for (int64_t from = 0; from < int64_t(indices.size()); ++from) {
    int64_t index = wrapIndex(indices[from], dims[axis]);
    if (index < 0)
      continue;
    int64_t to = 0, rest = from, stride = 1;
    for (int64_t d = int64_t(dims.size()); d-- > 0;) {
      to += (d == axis ? index : rest % counts[d]) * stride;
      rest /= counts[d];
      stride *= dims[d];
    }
    scatter(c, from, to);
  }
}

static void computeScatterNd(CallColumns &c) {
  c.results[0] = c.operands[0];
  ArrayRef<int64_t> dims = c.call.operandShape(0);
  int64_t depth = c.call.operandShape(1).back();
  int64_t size = ShapedType::getNumElements(dims.drop_front(depth));
  const std::vector<int64_t> &indices = c.operands[1].ints;
  for (int64_t slice = 0; slice < int64_t(indices.size()) / depth; ++slice) {
    int64_t to = 0;
    bool isInside = true;
    for (int64_t d = 0; d < depth; ++d) {
      int64_t index = wrapIndex(indices[slice * depth + d], dims[d]);
      isInside &= index >= 0;
      to = to * dims[d] + index;
    }
    for (int64_t i = 0; isInside && i < size; ++i)
      scatter(c, slice * size + i, to * size + i);
  }
}

//===- The table ----------------------------------------------------------===//

static constexpr std::pair<StringLiteral, void (*)(CallColumns &)> kRoutines[] =
    {{"top_k", computeTopK},
     {"scatter_elements", computeScatterElements},
     {"scatter_nd", computeScatterNd}};

std::optional<std::vector<std::vector<char>>>
fusec::fuse::evaluateCall(CallOp op, DataOf getData) {
  const auto *routine = llvm::find_if(
      kRoutines, [&](const auto &row) { return row.first == op.getCallee(); });
  if (routine == std::end(kRoutines))
    return std::nullopt;
  CallColumns columns{
      {op.getOperandTypes(), op->getResultTypes(), op.getParameters()},
      {},
      {},
      isWideUnsigned(getTensorType(op.getOperands().front()).getElementType())};
  for (Value operand : op.getOperands()) {
    std::optional<ConstantData> data = getData(operand);
    if (!data)
      return std::nullopt;
    RankedTensorType type = getTensorType(operand);
    ConstantData packed = packData(*data, type);
    Column &column = columns.operands.emplace_back(makeColumn(type));
    ElementAccess(type.getElementType())
        .read(packed.bytes.data(), /*stride=*/1, type.getNumElements(), column,
              0);
  }
  for (Value result : op->getResults())
    columns.results.push_back(makeColumn(getTensorType(result)));
  routine->second(columns);
  std::vector<std::vector<char>> results;
  for (auto [value, column] : llvm::zip(op->getResults(), columns.results)) {
    RankedTensorType type = getTensorType(value);
    ElementAccess access(type.getElementType());
    auto &bytes = results.emplace_back(type.getNumElements() * access.size());
    access.write(column, type.getNumElements(), bytes.data());
  }
  return results;
}
