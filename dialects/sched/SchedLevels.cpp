// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels and configs: what is well formed whatever a group is, and what they
// say. Whether a config fits a target and a group is asked in passes/poly.
#include "dialects/TargetInfo.h"
#include "dialects/sched/SchedOps.h"
#include "dialects/words/Words.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

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
                                    ArrayRef<int64_t> along) {
  if (lanes < 2)
    return emitError() << "needs two lanes or more, has " << lanes
                       << "; a kernel of scalars has no unit";
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
                                      ArrayRef<int64_t> points,
                                      int64_t unroll) {
  if (llvm::any_of(points, [](int64_t count) { return count < 1; }))
    return emitError() << "needs points of 1 or more, has [" << points << "]";
  return verifyUnroll(emitError, unroll);
}

bool ThreadLevelAttr::isEmpty() const {
  return getPoints().empty() && getUnroll() == 1;
}

//===- a config ----------------------------------------------------------===//

/// Whether `levels` are some of a target of `kind`, outermost first.
static bool areOf(TargetKind kind, ArrayRef<LevelAttr> levels) {
  ArrayRef<StringLiteral> places = getLevelKinds(kind);
  for (LevelAttr level : levels) {
    const auto *place = llvm::find(places, level.getKind());
    if (place == places.end())
      return false;
    places = ArrayRef(place + 1, places.end());
  }
  return true;
}

static LogicalResult verifyLevels(EmitError emitError,
                                  ArrayRef<LevelAttr> levels) {
  for (LevelAttr level : levels)
    if (level.isEmpty())
      return emitError() << "has a level '" << level.getKind()
                         << "' that says nothing; leave it out";
  if (areOf(TargetKind::cpu, levels) || areOf(TargetKind::gpu, levels))
    return success();
  auto list = [](ArrayRef<StringLiteral> kinds) {
    return llvm::join(kinds, ", ");
  };
  return emitError() << "needs levels of one target, each once, outermost "
                        "first: some of "
                     << list(getLevelKinds(TargetKind::cpu)) << ", or some of "
                     << list(getLevelKinds(TargetKind::gpu));
}

LogicalResult ConfigAttr::verify(EmitError emitError, StringRef name,
                                 ArrayRef<LevelAttr> levels) {
  if (!isWord(name))
    return emitError() << "has the name '" << name
                       << "'; it needs letters, digits and underscores, and no "
                          "digit first";
  if (failed(verifyLevels(emitError, levels)))
    return failure();
  auto find = [&](auto level) -> decltype(level) {
    for (LevelAttr each : levels)
      if (auto found = dyn_cast<decltype(level)>(each))
        return found;
    return {};
  };
  auto cores = find(CoresLevelAttr());
  auto cache = find(CacheLevelAttr());
  auto registers = find(RegistersLevelAttr());
  auto unit = find(UnitLevelAttr());
  ArrayRef<int64_t> tile =
      registers ? registers.getTile() : ArrayRef<int64_t>();
  if (cores && cores.getGrain() > 0 && tile.empty() && cores.getSplit() == 0)
    return emitError() << "has a grain, and no loop that threads share";
  if (cache && !cache.getBlocks().empty() &&
      (cache.getBlocks().size() != tile.size() || registers.getColumns() > 0))
    return emitError() << "needs blocks for each of " << tile.size()
                       << " loops, and no columns, has [" << cache.getBlocks()
                       << "]";
  if (registers && !unit &&
      (registers.getColumns() > 0 || registers.getUnroll() > 1 ||
       registers.getAccumulators() > 0))
    return emitError() << "says what runs on lanes, but has none";
  auto block = find(BlockLevelAttr());
  auto thread = find(ThreadLevelAttr());
  ArrayRef<int64_t> points = thread ? thread.getPoints() : ArrayRef<int64_t>();
  if (block && block.getDepth() > 0 && points.empty())
    return emitError() << "has a depth, and no points of a thread that parts "
                          "of a reduction in shared memory are for";
  ArrayRef<int64_t> ofBlock = block ? block.getTile() : ArrayRef<int64_t>();
  if (!points.empty() &&
      (points.size() != ofBlock.size() || find(TeamLevelAttr()) ||
       llvm::any_of(llvm::zip_equal(points, ofBlock), [](auto pair) {
         auto [count, size] = pair;
         return size % count != 0;
       })))
    return emitError() << "needs points that divide the tile sizes of "
                       << ofBlock.size() << " loops, and no team, has ["
                       << points << "]";
  return success();
}

ConfigAttr ConfigAttr::of(MLIRContext *context, StringRef name,
                          ArrayRef<LevelAttr> levels) {
  SmallVector<LevelAttr> said;
  for (LevelAttr level : levels)
    if (level && !level.isEmpty())
      said.push_back(level);
  return get(context, name, said);
}

ConfigAttr ConfigAttr::withName(StringRef name) const {
  return get(getContext(), name, getLevels());
}

ConfigAttr ConfigAttr::with(LevelAttr level) const {
  for (TargetKind kind : {TargetKind::cpu, TargetKind::gpu}) {
    if (!llvm::is_contained(getLevelKinds(kind), level.getKind()))
      continue;
    SmallVector<LevelAttr> levels;
    for (StringRef place : getLevelKinds(kind)) {
      const auto *found = llvm::find_if(
          getLevels(), [&](LevelAttr each) { return each.getKind() == place; });
      if (place == level.getKind())
        levels.push_back(level);
      else if (found != getLevels().end())
        levels.push_back(*found);
    }
    return of(getContext(), getName(), levels);
  }
  llvm_unreachable("a level is of a kind of target");
}

ConfigAttr ConfigAttr::withLanes(ArrayRef<int64_t> loops) const {
  if (auto team = getLevel<TeamLevelAttr>())
    return with(
        TeamLevelAttr::get(getContext(), team.getOf(), loops, team.getWidth()));
  return with(UnitLevelAttr::get(getContext(), getLaneCount(), loops));
}

/// What `get` gives of the config's level, or `otherwise` where it has none.
template <typename Level, typename T>
static T ask(ConfigAttr config, T (Level::*get)() const, T otherwise = T()) {
  auto level = config.getLevel<Level>();
  return level ? (level.*get)() : otherwise;
}

ArrayRef<int64_t> ConfigAttr::getTile() const {
  return ask(*this, &BlockLevelAttr::getTile,
             ask(*this, &RegistersLevelAttr::getTile));
}

ArrayRef<int64_t> ConfigAttr::getOrder() const {
  return ask(*this, &BlockLevelAttr::getOrder,
             ask(*this, &RegistersLevelAttr::getOrder));
}

int64_t ConfigAttr::countTilePoints() const {
  int64_t points = 1;
  for (int64_t size : getTile())
    if (llvm::MulOverflow(points, size, points))
      return std::numeric_limits<int64_t>::max();
  return points;
}

ArrayRef<int64_t> ConfigAttr::getLanes() const {
  return ask(*this, &TeamLevelAttr::getLoops,
             ask(*this, &UnitLevelAttr::getAlong));
}

bool ConfigAttr::needsLanes() const {
  return (getLevel<TeamLevelAttr>() || getLevel<UnitLevelAttr>()) &&
         getLanes().empty();
}

bool ConfigAttr::hasColumns() const {
  auto team = getLevel<TeamLevelAttr>();
  return team && team.getOf() == Team::column;
}

int64_t ConfigAttr::getGrain() const {
  return ask(*this, &CoresLevelAttr::getGrain);
}

int64_t ConfigAttr::getSplit() const {
  return ask(*this, &GridLevelAttr::getSplit,
             ask(*this, &CoresLevelAttr::getSplit));
}

Combine ConfigAttr::getCombine() const {
  return ask(*this, &GridLevelAttr::getCombine, Combine::atomic);
}

ArrayRef<int64_t> ConfigAttr::getBlocks() const {
  return ask(*this, &CacheLevelAttr::getBlocks);
}

ArrayRef<int64_t> ConfigAttr::getPrefetch() const {
  return ask(*this, &CacheLevelAttr::getPrefetch);
}

ArrayRef<int64_t> ConfigAttr::getStream() const {
  return ask(*this, &CacheLevelAttr::getStream);
}

int64_t ConfigAttr::getDepth() const {
  return ask(*this, &BlockLevelAttr::getDepth,
             ask(*this, &CacheLevelAttr::getDepth));
}

int64_t ConfigAttr::getColumns() const {
  return ask(*this, &RegistersLevelAttr::getColumns);
}

int64_t ConfigAttr::getUnroll() const {
  return ask<ThreadLevelAttr, int64_t>(
      *this, &ThreadLevelAttr::getUnroll,
      ask<RegistersLevelAttr, int64_t>(*this, &RegistersLevelAttr::getUnroll,
                                       1));
}

int64_t ConfigAttr::getAccumulators() const {
  return ask(*this, &RegistersLevelAttr::getAccumulators);
}

int64_t ConfigAttr::getLaneCount() const {
  return ask<UnitLevelAttr, int64_t>(*this, &UnitLevelAttr::getLanes, 1);
}

int64_t ConfigAttr::getThreads() const {
  return ask<BlockLevelAttr, int64_t>(*this, &BlockLevelAttr::getThreads, 1);
}

int64_t ConfigAttr::getStages() const {
  return ask<BlockLevelAttr, int64_t>(*this, &BlockLevelAttr::getStages, 1);
}

ArrayRef<int64_t> ConfigAttr::getPoints() const {
  return ask(*this, &ThreadLevelAttr::getPoints);
}

int64_t ConfigAttr::getWidth() const {
  return ask<TeamLevelAttr, int64_t>(*this, &TeamLevelAttr::getWidth, 1);
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
