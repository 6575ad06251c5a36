// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/LanesApart.h"

#include "passes/kernel/IndexRanges.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

/// An access as a place in a row-major array.
struct LanePlace {
  MemRefType type;
  AffineForm form;
};

/// Why a loop does not run on lanes, with an operation to point to or null.
struct Obstacle {
  std::string reason;
  Operation *op = nullptr;
};

} // namespace

static std::optional<LanePlace> getPlace(Operation *op) {
  std::optional<LanePlace> place;
  if (auto load = dyn_cast<LoadOp>(op))
    place = {load.getMemRefType(), {load.getMap(), load.getIndices()}};
  else if (auto store = dyn_cast<StoreOp>(op))
    place = {store.getMemRefType(), {store.getMap(), store.getIndices()}};
  else if (auto gather = dyn_cast<GatherOp>(op))
    place = {gather.getMemRefType(), {gather.getMap(), gather.getIndices()}};
  if (place)
    place->form.compose();
  return place;
}

/// How many elements apart 16 neighbouring iterations of a loop access; nothing
/// if it is not always the same.
static std::optional<int64_t> getStride(const LanePlace &place, Value index) {
  const AffineForm &form = place.form;
  if (!place.type.hasStaticShape())
    return std::nullopt;
  auto found = llvm::find(form.operands, index);
  if (found == form.operands.end())
    return 0;
  unsigned position = found - form.operands.begin();
  unsigned numDims = form.operands.size();
  MLIRContext *context = place.type.getContext();
  AffineExpr lane = getAffineDimExpr(numDims, context),
             vector = getAffineDimExpr(position, context) * kLanes;
  SmallVector<IndexRange> ranges = rangesOf(form.operands);
  ranges[position] = {};
  ranges.push_back({0, kLanes - 1, 1});
  AffineExpr linear = form.linearize(place.type.getShape());
  AffineExpr inLane =
      linear.replace(getAffineDimExpr(position, context), vector + lane);
  return getSlope(simplifyInRange(inLane, ranges, form.numSymbols), numDims);
}

static std::string nameOf(ForOp loop) {
  StringRef name = getNameOf(loop.getIndex().getLoc());
  return name.empty() ? "a loop without a name" : "'" + name.str() + "'";
}

/// What is in the way of lanes along `loop`, which takes its neighbours side by
/// side for `access`.
static std::optional<Obstacle> findObstacle(ForOp loop, Operation *access) {
  std::optional<int64_t> trips;
  if (loop.getLowerMap().getNumResults() == 1)
    trips = getMostTrips({loop.getLowerMap(), loop.getLowerOperands()},
                         {loop.getUpperMap(), loop.getUpperOperands()});
  if (trips && *trips < kLanes / 2)
    return Obstacle{nameOf(loop) + " has " + std::to_string(*trips) +
                    " iterations only"};
  std::optional<Obstacle> obstacle;
  loop.walk([&](Operation *op) {
    std::optional<LanePlace> place = getPlace(op);
    if (obstacle || op == access || !place ||
        loop.getBody().isAncestor(
            op->getOperand(isa<StoreOp>(op) ? 1 : 0).getParentRegion()))
      return;
    std::optional<int64_t> stride = getStride(*place, loop.getIndex());
    if (stride && (*stride == 0 || *stride == 1))
      return;
    obstacle = Obstacle{
        "along " + nameOf(loop) + " those of another access would be", op};
  });
  return obstacle;
}

static Obstacle explain(Operation *access, const LanePlace &place,
                        ForOp lanes) {
  if (auto gather = dyn_cast<GatherOp>(access))
    if (llvm::any_of(gather.getDynamic(), [&](Value value) {
          return lanes.getBody().isAncestor(value.getParentRegion());
        }))
      return {"the subscripts are values of each iteration"};
  Obstacle result{"no loop around goes from one element to the next"};
  for (auto loop = access->getParentOfType<ForOp>(); loop;
       loop = loop->getParentOfType<ForOp>()) {
    if (loop == lanes || getStride(place, loop.getIndex()) != 1)
      continue;
    std::optional<Obstacle> obstacle = findObstacle(loop, access);
    if (!obstacle)
      return {"along " + nameOf(loop) + " they would not"};
    result = *obstacle;
  }
  return result;
}

void fusec::kernel::remarkApart(Operation *access, ForOp lanes) {
  LanePlace place = *getPlace(access);
  std::optional<int64_t> stride = getStride(place, lanes.getIndex());
  InFlightDiagnostic remark = access->emitRemark("lanes along ")
                              << nameOf(lanes) << " access elements ";
  if (isa<GatherOp>(access) || !stride)
    remark << "at irregular places: ";
  else
    remark << *stride << " apart: ";
  Obstacle obstacle = explain(access, place, lanes);
  remark << obstacle.reason;
  if (obstacle.op)
    remark.attachNote(obstacle.op->getLoc()) << "this is the other access";
}
