// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a primitive over blocks of its iteration domain. A block is many points
// of the parallel iterators whatever their extents: the rows of a filter are 3
// elements, or 1. Reductions take a block through all points of the others.
#include "passes/graph/Evaluate.h"

#include "passes/graph/OperandReader.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Enough points to forget what a block costs, few enough for the columns of a
/// body to stay in the cache.
static constexpr int64_t kPointsAtOnce = 4096;

namespace {
/// Points along the last parallel iterator.
struct Run {
  SmallVector<int64_t> point;
  size_t count, at;
};

/// One primitive in evaluation.
class Evaluation {
public:
  explicit Evaluation(PrimitiveOpInterface op)
      : op(op), extents(op.getIterationExtents()),
        numParallel(
            llvm::count(op.getIterators(), utils::IteratorType::parallel)),
        reduces(op.hasReduction()) {}

  bool prepare(DataOf getData);
  bool run();
  std::vector<std::vector<char>> take() { return std::move(results); }

private:
  bool readRuns();
  bool runBlock();
  void startAccumulators();
  void keepAccumulators();
  void place();

  unsigned operandColumn(unsigned operand) const {
    return extents.size() + operand;
  }
  unsigned accumulatorColumn(unsigned result) const {
    return extents.size() + op->getNumOperands() + result;
  }

  PrimitiveOpInterface op;
  SmallVector<int64_t> extents;
  size_t numParallel;
  bool reduces;
  std::vector<OperandReader> readers;
  std::optional<ScalarProgram> program;
  std::vector<ElementAccess> elements;
  std::vector<std::vector<char>> results;
  /// The block: runs of points, the others' iterators 0 or where a reduction
  /// is.
  std::vector<Run> runs;
  size_t count = 0, done = 0;
};
} // namespace

bool Evaluation::prepare(DataOf getData) {
  unsigned along = numParallel ? numParallel - 1 : 0;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    std::optional<ConstantData> data = getData(op->getOperand(i));
    if (!data)
      return false;
    readers.emplace_back(op, i, std::move(*data), along);
  }
  std::optional<ScalarProgram> compiled = ScalarProgram::compile(op);
  if (!compiled)
    return false;
  program.emplace(std::move(*compiled));
  int64_t points = ShapedType::getNumElements(
      ArrayRef<int64_t>(extents).take_front(numParallel));
  size_t room = std::min(points, kPointsAtOnce);
  unsigned numColumns =
      accumulatorColumn(reduces ? unsigned(op->getNumResults()) : 0);
  for (unsigned i = 0; i < numColumns; ++i)
    program->input(i).resize(room);
  for (Value result : op->getResults()) {
    auto type = getTensorType(result);
    elements.emplace_back(type.getElementType());
    results.emplace_back(type.getNumElements() * elements.back().size());
  }
  return true;
}

/// Fills in the columns of the block's points.
bool Evaluation::readRuns() {
  for (const Run &run : runs)
    for (size_t d = 0; d < extents.size(); ++d) {
      if (!program->reads(d))
        continue;
      int64_t *to = program->input(d).ints.data() + run.at;
      bool isAlong = d + 1 == numParallel;
      for (size_t i = 0; i < run.count; ++i)
        to[i] = run.point[d] + (isAlong ? i : 0);
    }
  // Positions before what they are positions of.
  for (bool indirect : {false, true})
    for (auto [i, reader] : llvm::enumerate(readers)) {
      if (reader.getIndirect().empty() == indirect)
        continue;
      SmallVector<const Column *> symbols;
      for (unsigned operand : reader.getIndirect())
        symbols.push_back(&program->input(operandColumn(operand)));
      for (const Run &run : runs)
        if (!reader.read(run.point, run.count, program->input(operandColumn(i)),
                         run.at, symbols))
          return false;
    }
  return true;
}

void Evaluation::startAccumulators() {
  for (unsigned r = 0; r < op->getNumResults(); ++r) {
    Column &column = program->input(accumulatorColumn(r));
    TypedAttr init = op.getInit(r);
    if (auto number = dyn_cast<FloatAttr>(init))
      std::fill_n(column.floats.begin(), count, number.getValueAsDouble());
    else
      std::fill_n(column.ints.begin(), count,
                  init.getType().isInteger(1)
                      ? cast<IntegerAttr>(init).getValue().getZExtValue()
                      : cast<IntegerAttr>(init).getValue().getSExtValue());
  }
}

void Evaluation::keepAccumulators() {
  // All are read before one is written: a body may exchange them.
  SmallVector<Column> next;
  for (unsigned r = 0; r < op->getNumResults(); ++r)
    next.push_back(program->result(r));
  for (unsigned r = 0; r < op->getNumResults(); ++r)
    program->input(accumulatorColumn(r)) = std::move(next[r]);
}

bool Evaluation::runBlock() {
  if (!reduces) {
    if (!readRuns())
      return false;
    program->run(count);
    return true;
  }
  startAccumulators();
  Cursor reduced(ArrayRef<int64_t>(extents).drop_front(numParallel));
  for (; !reduced.isAtEnd(); reduced.advance(1)) {
    for (Run &run : runs)
      llvm::copy(reduced.point(), run.point.begin() + numParallel);
    if (!readRuns())
      return false;
    program->run(count);
    keepAccumulators();
  }
  return true;
}

bool Evaluation::run() {
  SmallVector<int64_t> outer(
      ArrayRef<int64_t>(extents).take_front(numParallel));
  for (Cursor cursor(outer); !cursor.isAtEnd();) {
    runs.clear();
    count = 0;
    while (!cursor.isAtEnd() && count < size_t(kPointsAtOnce)) {
      size_t length = std::min(cursor.left(), kPointsAtOnce - count);
      SmallVector<int64_t> point(cursor.point());
      point.resize(extents.size(), 0);
      runs.push_back({std::move(point), length, count});
      count += length;
      cursor.advance(length);
    }
    if (!runBlock())
      return false;
    for (auto [r, access] : llvm::enumerate(elements))
      access.write(reduces ? program->input(accumulatorColumn(r))
                           : program->result(r),
                   count, results[r].data() + done * access.size());
    done += count;
  }
  place();
  return true;
}

/// Moves results, which lie in the order of their points, to where the maps of
/// the results say.
void Evaluation::place() {
  SmallVector<int64_t> outer(
      ArrayRef<int64_t>(extents).take_front(numParallel));
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(numParallel, op->getContext());
  for (auto [r, bytes] : llvm::enumerate(results)) {
    AffineMap map = op.getResultMap(r);
    if (map.getResults() == identity.getResults())
      continue;
    SmallVector<Linear> indices = *getLinear(map);
    auto type = getTensorType(op->getResult(r));
    size_t size = elements[r].size();
    std::vector<char> placed(bytes.size());
    const char *from = bytes.data();
    for (Cursor cursor(outer); !cursor.isAtEnd(); cursor.advance(1)) {
      int64_t to = 0;
      for (auto [index, extent] : llvm::zip(indices, type.getShape()))
        to = to * extent + index.at(cursor.point());
      std::copy_n(from, size, placed.data() + to * size);
      from += size;
    }
    bytes = std::move(placed);
  }
}

std::optional<std::vector<std::vector<char>>>
fusec::fuse::evaluate(PrimitiveOpInterface op, DataOf getData) {
  Evaluation evaluation(op);
  if (!evaluation.prepare(getData) || !evaluation.run())
    return std::nullopt;
  return evaluation.take();
}

int64_t fusec::fuse::countSteps(PrimitiveOpInterface op) {
  constexpr int64_t kStepsOfRun = 16;
  SmallVector<int64_t> extents = op.getIterationExtents();
  int64_t points = 1;
  for (int64_t extent : extents)
    points = llvm::SaturatingMultiply<uint64_t>(points, extent) > INT64_MAX
                 ? INT64_MAX
                 : points * extent;
  size_t numParallel =
      llvm::count(op.getIterators(), utils::IteratorType::parallel);
  int64_t length = numParallel ? extents[numParallel - 1] : 1;
  int64_t runs = length ? points / length : 0;
  int64_t steps;
  if (llvm::MulOverflow(runs, kStepsOfRun, steps) ||
      llvm::AddOverflow(steps, points, steps))
    return INT64_MAX;
  return std::max(steps, kStepsOfRun);
}
