// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels: what is well formed of each, whatever a target and a group are, and
// their text.
#include "dialects/Units.h"
#include "dialects/sched/SchedOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

//===- of a CPU ----------------------------------------------------------===//

LogicalResult CoresLevelAttr::verify(EmitError emitError, int64_t grain,
                                     int64_t split) {
  if (grain < 0)
    return emitError() << "needs a grain of 0 or more, has " << grain;
  if (split < 0)
    return emitError() << "needs a split of 0 or more, has " << split;
  return success();
}

bool CoresLevelAttr::isEmpty() const {
  return getGrain() == 0 && getSplit() == 0;
}

/// Blocks of one iteration are the loop itself.
static LogicalResult verifyDepth(EmitError emitError, int64_t depth) {
  if (depth >= 0 && depth != 1)
    return success();
  return emitError() << "needs a depth of 0, or of 2 or more, has " << depth;
}

LogicalResult CacheLevelAttr::verify(EmitError emitError,
                                     ArrayRef<int64_t> blocks, int64_t depth,
                                     ArrayRef<int64_t> prefetch,
                                     ArrayRef<int64_t> stream) {
  if (llvm::any_of(blocks, [](int64_t count) { return count < 0; }))
    return emitError() << "needs blocks of 0 tiles or more, has [" << blocks
                       << "]";
  if (failed(verifyDepth(emitError, depth)))
    return failure();
  if (depth > 0 && llvm::none_of(blocks, [](int64_t n) { return n > 0; }))
    return emitError() << "has a depth, and no blocks of tiles that share it";
  for (auto [arguments, purpose] :
       {std::pair(prefetch, "prefetch"), std::pair(stream, "stream")})
    for (auto [index, argument] : llvm::enumerate(arguments))
      if (argument < 0 || (index > 0 && argument <= arguments[index - 1]))
        return emitError() << "needs arguments in order, each once, to "
                           << purpose << ", has [" << arguments << "]";
  for (int64_t argument : stream)
    if (llvm::is_contained(prefetch, argument))
      return emitError() << "prefetches argument " << argument
                         << ", and streams it past the caches";
  return success();
}

bool CacheLevelAttr::isEmpty() const {
  return getBlocks().empty() && getPrefetch().empty() && getStream().empty();
}

static LogicalResult verifyTile(EmitError emitError, ArrayRef<int64_t> tile,
                                ArrayRef<int64_t> order) {
  if (llvm::any_of(tile, [](int64_t size) { return size < 1; }))
    return emitError() << "needs tile sizes of 1 or more, has [" << tile << "]";
  if (!order.empty() &&
      (order.size() != tile.size() || !isPermutationVector(order)))
    return emitError() << "needs an order that is empty or a permutation of "
                       << tile.size() << " loops, has [" << order << "]";
  return success();
}

static LogicalResult verifyUnroll(EmitError emitError, int64_t unroll) {
  if (unroll >= 1)
    return success();
  return emitError() << "needs to unroll to 1 copy or more, has " << unroll;
}

LogicalResult RegistersLevelAttr::verify(EmitError emitError,
                                         ArrayRef<int64_t> tile,
                                         ArrayRef<int64_t> order,
                                         int64_t columns, int64_t unroll,
                                         int64_t accumulators) {
  if (failed(verifyTile(emitError, tile, order)) ||
      failed(verifyUnroll(emitError, unroll)))
    return failure();
  if (columns < 0)
    return emitError() << "needs columns of 0 or more, has " << columns;
  if (columns > 0 && tile.empty())
    return emitError() << "has columns, and no band that rows of them are of";
  if (accumulators < 0)
    return emitError() << "needs accumulators of 0 or more, has "
                       << accumulators;
  return success();
}

bool RegistersLevelAttr::isEmpty() const {
  return getTile().empty() && getUnroll() == 1 && getAccumulators() == 0;
}

static LogicalResult verifyIterators(EmitError emitError, StringRef name,
                                     ArrayRef<int64_t> iterators) {
  if (llvm::none_of(iterators, [](int64_t number) { return number < -1; }))
    return success();
  return emitError() << "needs iterators, or -1, in " << name << ", has ["
                     << iterators << "]";
}

LogicalResult UnitLevelAttr::verify(EmitError emitError, int64_t lanes,
                                    ArrayRef<int64_t> along,
                                    ArrayRef<StringAttr> products) {
  if (lanes < 2)
    return emitError() << "needs two lanes or more, has " << lanes
                       << "; a kernel of scalars has no unit";
  if (!products.empty() && products.size() != along.size())
    return emitError() << "has products of " << products.size()
                       << " statements, and lanes of " << along.size();
  auto isFma = [](StringAttr unit) { return unit == kFmaUnit.name; };
  if (!products.empty() && llvm::all_of(products, isFma))
    return emitError() << "has products by fma alone; leave them out";
  return verifyIterators(emitError, "along", along);
}

bool UnitLevelAttr::isEmpty() const { return false; }

//===- of a GPU ----------------------------------------------------------===//

LogicalResult GridLevelAttr::verify(EmitError emitError, int64_t split,
                                    Combine combine) {
  if (split < 0)
    return emitError() << "needs a split of 0 or more, has " << split;
  if (split == 0 && combine != Combine::atomic)
    return emitError() << "combines parts, and splits no reduction into them";
  return success();
}

bool GridLevelAttr::isEmpty() const { return getSplit() == 0; }

LogicalResult BlockLevelAttr::verify(EmitError emitError, int64_t threads,
                                     ArrayRef<int64_t> tile,
                                     ArrayRef<int64_t> order, int64_t depth,
                                     int64_t stages) {
  if (threads < 1)
    return emitError() << "needs 1 thread or more, has " << threads;
  if (failed(verifyTile(emitError, tile, order)) ||
      failed(verifyDepth(emitError, depth)))
    return failure();
  if (stages < 1)
    return emitError() << "needs 1 stage or more, has " << stages;
  if (stages > 1 && depth == 0)
    return emitError() << "has " << stages
                       << " stages, and no depth: parts of a reduction that "
                          "are loaded ahead";
  return success();
}

bool BlockLevelAttr::isEmpty() const {
  return getThreads() == 1 && getTile().empty() && getDepth() == 0;
}

LogicalResult TeamLevelAttr::verify(EmitError emitError, Team of,
                                    ArrayRef<int64_t> loops, int64_t width) {
  if (width < 1 || !llvm::isPowerOf2_64(width))
    return emitError() << "needs a width that is a power of two, has " << width;
  return verifyIterators(emitError, "loops", loops);
}

bool TeamLevelAttr::isEmpty() const { return false; }

LogicalResult ThreadLevelAttr::verify(EmitError emitError,
                                      ArrayRef<int64_t> points, int64_t unroll,
                                      StringRef matrices) {
  if (llvm::any_of(points, [](int64_t count) { return count < 1; }))
    return emitError() << "needs points of 1 or more, has [" << points << "]";
  if (!matrices.empty() && points.empty())
    return emitError() << "multiplies matrices, and threads have no points of "
                          "a tile that these are of";
  return verifyUnroll(emitError, unroll);
}

bool ThreadLevelAttr::isEmpty() const {
  return getPoints().empty() && getUnroll() == 1;
}

//===- text --------------------------------------------------------------===//

/// `[1, 2, 3]`, possibly empty.
FailureOr<SmallVector<int64_t>> fusec::sched::parseIntegers(AsmParser &parser) {
  SmallVector<int64_t> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(values.emplace_back());
      }))
    return failure();
  return values;
}

FailureOr<SmallVector<StringAttr>> fusec::sched::parseWords(AsmParser &parser) {
  SmallVector<StringAttr> words;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        StringRef word;
        if (parser.parseKeyword(&word))
          return failure();
        words.push_back(parser.getBuilder().getStringAttr(word));
        return success();
      }))
    return failure();
  return words;
}

void fusec::sched::printWords(AsmPrinter &printer, ArrayRef<StringAttr> words) {
  printer << '[';
  llvm::interleaveComma(words, printer.getStream(), [&](StringAttr word) {
    printer.printKeywordOrString(word.getValue());
  });
  printer << ']';
}
