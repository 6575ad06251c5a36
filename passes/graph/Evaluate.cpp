// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a primitive over blocks of its iteration domain. A block is many points
// whatever the extents: the rows of a filter are 3 elements, or 1.
#include "passes/graph/Evaluate.h"

#include "dialects/AffineRanges.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/Elements.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Enough points to forget what a block costs, few enough for the columns of a
/// body to stay in the cache.
static constexpr size_t kPointsAtOnce = 4096;

namespace {
/// A linear function of points.
struct Linear {
  int64_t origin = 0;
  SmallVector<int64_t> steps;

  int64_t at(ArrayRef<int64_t> point) const {
    int64_t value = origin;
    for (auto [index, step] : llvm::zip(point, steps))
      value += index * step;
    return value;
  }
  /// How much it grows along the last iterator.
  int64_t slope() const { return steps.empty() ? 0 : steps.back(); }
};

/// Reads an operand at runs of points along the last iterator.
class OperandReader {
public:
  /// The reader of `data` at `map`, which leads outside of `shape` only where
  /// `fill` (may be null) is read; nothing if the map divides.
  static std::optional<OperandReader> create(ConstantData data, AffineMap map,
                                             ArrayRef<int64_t> shape,
                                             TypedAttr fill) {
    std::optional<SmallVector<Linear>> place = getLinear(data.map.compose(map));
    std::optional<SmallVector<Linear>> indices = getLinear(map);
    if (!place || !indices)
      return std::nullopt;
    Linear offset{0, SmallVector<int64_t>(map.getNumDims(), 0)};
    for (auto [index, extent] : llvm::zip(*place, data.type.getShape())) {
      offset.origin = offset.origin * extent + index.origin;
      for (auto [sum, step] : llvm::zip(offset.steps, index.steps))
        sum = sum * extent + step;
    }
    return OperandReader(std::move(data), std::move(offset),
                         std::move(*indices), shape, fill);
  }

  /// Reads `count` points from `point` on into values `at`... of the column.
  void read(ArrayRef<int64_t> point, size_t count, Column &to,
            size_t at) const {
    auto [begin, end] =
        fill ? insideOf(point, count) : std::pair(size_t(0), count);
    int64_t first = offset.at(point) + int64_t(begin) * offset.slope();
    if (begin < end)
      access.read(data.bytes.data() + first * access.size(), offset.slope(),
                  end - begin, to, at + begin);
    if (!fill)
      return;
    auto pad = [&, begin = begin, end = end](auto &values, auto value) {
      auto run = values.begin() + at;
      std::fill(run, run + begin, value);
      std::fill(run + end, run + count, value);
    };
    if (auto number = dyn_cast<FloatAttr>(fill))
      pad(to.floats, number.getValueAsDouble());
    else
      pad(to.ints, widen(cast<IntegerAttr>(fill)));
  }

private:
  OperandReader(ConstantData data, Linear offset, SmallVector<Linear> indices,
                ArrayRef<int64_t> shape, TypedAttr fill)
      : data(std::move(data)), access(this->data.type.getElementType()),
        offset(std::move(offset)), indices(std::move(indices)), shape(shape),
        fill(fill) {}

  static std::optional<SmallVector<Linear>> getLinear(AffineMap map) {
    SmallVector<int64_t> origins =
        map.compose(SmallVector<int64_t>(map.getNumDims(), 0));
    SmallVector<Linear> functions;
    for (auto [expr, origin] : llvm::zip(map.getResults(), origins)) {
      Linear &function = functions.emplace_back(Linear{origin, {}});
      for (unsigned d = 0; d < map.getNumDims(); ++d) {
        std::optional<int64_t> slope = getSlope(expr, d);
        if (!slope)
          return std::nullopt;
        function.steps.push_back(*slope);
      }
    }
    return functions;
  }

  /// An integer as columns hold it.
  static int64_t widen(IntegerAttr value) {
    Type type = value.getType();
    bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
    return isUnsigned ? int64_t(value.getValue().getZExtValue())
                      : value.getValue().getSExtValue();
  }

  /// The positions [begin, end) of a run whose indices lie inside.
  std::pair<size_t, size_t> insideOf(ArrayRef<int64_t> point,
                                     size_t count) const {
    int64_t begin = 0, end = count;
    for (auto [index, extent] : llvm::zip(indices, shape)) {
      int64_t first = index.at(point), slope = index.slope();
      if (slope == 0 && (first < 0 || first >= extent))
        return {0, 0};
      // 0 <= first + i * slope < extent, solved for i.
      if (slope > 0) {
        begin = std::max(begin, llvm::divideCeilSigned(-first, slope));
        end = std::min(end, llvm::divideCeilSigned(extent - first, slope));
      } else if (slope < 0) {
        begin = std::max(begin,
                         llvm::divideFloorSigned(first - extent, -slope) + 1);
        end = std::min(end, llvm::divideFloorSigned(first, -slope) + 1);
      }
    }
    return begin < end ? std::pair(size_t(begin), size_t(end))
                       : std::pair(size_t(0), size_t(0));
  }

  ConstantData data;
  ElementAccess access;
  Linear offset;
  SmallVector<Linear> indices;
  ArrayRef<int64_t> shape;
  TypedAttr fill;
};

/// A place in a domain that is walked in row-major order.
class Cursor {
public:
  explicit Cursor(ArrayRef<int64_t> extents)
      : extents(extents), position(extents.size(), 0),
        ended(llvm::is_contained(extents, 0)) {}

  bool isAtEnd() const { return ended; }
  ArrayRef<int64_t> point() const { return position; }
  /// How many points follow along the last iterator.
  size_t left() const {
    return position.empty() ? 1 : extents.back() - position.back();
  }
  /// Moves on by `count` points, at most those that are left.
  void advance(size_t count) {
    size_t d = position.size();
    for (int64_t by = count; d-- > 0; by = 1) {
      position[d] += by;
      if (position[d] < extents[d])
        return;
      position[d] = 0;
    }
    ended = true;
  }

private:
  ArrayRef<int64_t> extents;
  SmallVector<int64_t> position;
  bool ended;
};
} // namespace

static std::optional<std::vector<OperandReader>>
getReaders(PrimitiveOpInterface op) {
  std::vector<OperandReader> readers;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    std::optional<ConstantData> data = getConstantData(op->getOperand(i));
    if (!data || !op.getIndirect(i).empty())
      return std::nullopt;
    std::optional<OperandReader> reader = OperandReader::create(
        std::move(*data), op.getOperandMap(i),
        getTensorType(op->getOperand(i)).getShape(), op.getFill(i));
    if (!reader)
      return std::nullopt;
    readers.push_back(std::move(*reader));
  }
  return readers;
}

/// The points of a run as the columns of the iterators.
static void readIndices(ScalarProgram &program, ArrayRef<int64_t> point,
                        size_t count, size_t at) {
  for (size_t d = 0; d < point.size(); ++d) {
    if (!program.reads(d))
      continue;
    int64_t *to = program.input(d).ints.data() + at;
    bool isLast = d + 1 == point.size();
    for (size_t i = 0; i < count; ++i)
      to[i] = point[d] + (isLast ? i : 0);
  }
}

std::optional<std::vector<std::vector<char>>>
fusec::fuse::evaluate(PrimitiveOpInterface op) {
  if (op.hasReduction())
    return std::nullopt;
  std::optional<std::vector<OperandReader>> readers = getReaders(op);
  if (!readers)
    return std::nullopt;
  std::optional<ScalarProgram> program = ScalarProgram::compile(op);
  if (!program)
    return std::nullopt;
  SmallVector<int64_t> extents = op.getIterationExtents();
  size_t rank = extents.size();
  for (size_t i = 0; i < rank + readers->size(); ++i)
    program->input(i).resize(kPointsAtOnce);

  std::vector<ElementAccess> elements;
  std::vector<std::vector<char>> results;
  for (auto [r, result] : llvm::enumerate(op->getResults())) {
    // Points and elements of the results then follow each other alike.
    if (!op.getResultMap(r).isIdentity())
      return std::nullopt;
    auto type = getTensorType(result);
    elements.emplace_back(type.getElementType());
    results.emplace_back(type.getNumElements() * elements.back().size());
  }
  size_t done = 0;
  for (Cursor cursor(extents); !cursor.isAtEnd();) {
    size_t count = 0;
    while (!cursor.isAtEnd() && count < kPointsAtOnce) {
      size_t run = std::min(cursor.left(), kPointsAtOnce - count);
      readIndices(*program, cursor.point(), run, count);
      for (auto [i, reader] : llvm::enumerate(*readers))
        reader.read(cursor.point(), run, program->input(rank + i), count);
      count += run;
      cursor.advance(run);
    }
    program->run(count);
    for (auto [r, access] : llvm::enumerate(elements))
      access.write(program->result(r), count,
                   results[r].data() + done * access.size());
    done += count;
  }
  return results;
}
