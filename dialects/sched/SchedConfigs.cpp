// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Configs: what is well formed of several levels, and what they say. Whether a
// config fits a target and a group is asked in passes/poly.
#include "dialects/TargetInfo.h"
#include "dialects/sched/SchedOps.h"
#include "dialects/words/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

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
      cache.getBlocks().size() != tile.size())
    return emitError() << "needs blocks for each of " << tile.size()
                       << " loops, has [" << cache.getBlocks() << "]";
  if (cache && cache.getDepth() > 0 && registers && registers.getColumns() > 0)
    return emitError() << "has a depth, and columns, which no block of K has";
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
  return with(UnitLevelAttr::get(getContext(), getLaneCount(), loops, {}));
}

ConfigAttr ConfigAttr::withProducts(ArrayRef<StringAttr> units) const {
  return with(
      UnitLevelAttr::get(getContext(), getLaneCount(), getLanes(), units));
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

ArrayRef<StringAttr> ConfigAttr::getProducts() const {
  return ask(*this, &UnitLevelAttr::getProducts);
}

StringRef ConfigAttr::getUnit(size_t stmt) const {
  return getProducts().empty() ? StringRef(kFmaUnit.name)
                               : getProducts()[stmt].getValue();
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

StringRef ConfigAttr::getMatrices() const {
  return ask(*this, &ThreadLevelAttr::getMatrices);
}

int64_t ConfigAttr::getWidth() const {
  return ask<TeamLevelAttr, int64_t>(*this, &TeamLevelAttr::getWidth, 1);
}
