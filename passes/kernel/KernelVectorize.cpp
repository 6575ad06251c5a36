// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-vectorize: see passes/kernel/Passes.td.
#include "dialects/TargetInfo.h"
#include "passes/kernel/IndexRanges.h"
#include "passes/kernel/LaneRewriter.h"
#include "passes/kernel/LanesApart.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/RollStores.h"
#include "passes/kernel/TileRows.h"
#include "passes/kernel/TransposeStores.h"
#include "passes/kernel/VectorLocals.h"

#include <vector>

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELVECTORIZE
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

/// A range of a loop's iterations that runs in steps of 16.
struct Segment {
  AffineForm lower, upper;
  Mapping mapping;
  /// Lanes from the loop's upper bound on are off; in the last of several
  /// vectors perhaps all are.
  bool masked = false, maybeNone = false;
};

/// `form + offset`.
AffineForm plus(AffineForm form, AffineExpr offset) {
  form.exprs.front() = form.exprs.front() + offset;
  return form;
}

/// Bytes of a lane of the widest vector that the loop stores.
int64_t getStoredLaneBytes(ForOp loop) {
  int64_t most = getLaneBytes(Float32Type::get(loop.getContext()));
  loop.walk([&](StoreOp store) {
    most = std::max(most, getLaneBytes(store.getMemRefType()));
  });
  return most;
}

struct KernelVectorize
    : fusec::kernel::impl::KernelVectorizeBase<KernelVectorize> {
  void runOnOperation() override {
    SmallVector<ForOp> loops;
    getOperation().walk([&](ForOp loop) {
      if (loop.getMapping() == Mapping::vector)
        loops.push_back(loop);
    });
    for (ForOp loop : loops) {
      if (succeeded(vectorize(loop)))
        ++numVectorized;
      else
        loop.setMapping(Mapping::sequential);
    }
    useVectorLocals(getOperation());
    tileRows(getOperation());
    transposeStores(getOperation());
    rollStores(getOperation());
  }

  LogicalResult vectorize(ForOp loop);
  std::vector<Segment> cut(ForOp loop, OpBuilder &builder);
};

LogicalResult KernelVectorize::vectorize(ForOp loop) {
  auto refuse = [&](const Twine &why) {
    return loop.emitRemark("not vectorized: ") << why;
  };
  if (loop.getStep() != 1) {
    refuse("its step is not 1");
    return failure();
  }
  OpBuilder builder(loop);
  std::vector<Segment> segments = cut(loop, builder);
  AffineForm upper(loop.getUpperMap(), loop.getUpperOperands());
  upper.compose();
  SmallVector<ForOp> created;
  llvm::SetVector<Operation *> apart; // of any segment
  for (Segment &segment : segments) {
    builder.setInsertionPoint(loop);
    ForOp vectors =
        createLoop(builder, loop.getLoc(), loop.getIndex().getLoc(),
                   segment.lower, segment.upper, kLanes, segment.mapping);
    created.push_back(vectors);
    builder.setInsertionPoint(vectors.getBody().front().getTerminator());
    Value mask;
    if (segment.masked)
      mask = TailMaskOp::create(
          builder, loop.getLoc(), getVectorOf(builder.getI1Type()),
          vectors.getIndex(), upper.getMap(loop.getContext()), upper.operands);
    LaneRewriter lanes(builder, loop.getIndex(), vectors.getIndex());
    if (succeeded(
            lanes.rewrite(loop.getBody().front(), mask, segment.maybeNone))) {
      apart.insert_range(lanes.getApart());
      continue;
    }
    refuse(lanes.getReason()).attachNote(lanes.getCulprit()->getLoc())
        << "because of this";
    for (ForOp other : created)
      other.erase();
    return failure();
  }
  for (Operation *access : apart)
    remarkApart(access, loop);
  loop.erase();
  return success();
}

/// Cuts the iterations into segments of whole vectors and a masked rest.
std::vector<Segment> KernelVectorize::cut(ForOp loop, OpBuilder &builder) {
  MLIRContext *context = loop.getContext();
  AffineForm lower(loop.getLowerMap(), loop.getLowerOperands());
  AffineForm upper(loop.getUpperMap(), loop.getUpperOperands());
  lower.compose();
  upper.compose();
  const bool isWhole = hasWholeVectors(lower, upper),
             isShort = mayEndBefore(lower, upper, kLanes);
  auto number = [&](int64_t value) {
    return getAffineConstantExpr(value, context);
  };

  auto makeUpperOne = [&] {
    if (upper.exprs.size() == 1)
      return;
    Value least = MinOp::create(builder, loop.getLoc(), builder.getIndexType(),
                                upper.getMap(context), upper.operands);
    upper = formOf(least);
    loop.setUpper(upper.getMap(context), upper.operands);
  };
  // The end less the fewest iterations from any beginning.
  if (lower.exprs.size() > 1) {
    makeUpperOne();
    SmallVector<AffineExpr> dims;
    for (Value operand : upper.operands)
      dims.push_back(lower.getDim(operand));
    AffineExpr end = upper.exprs.front().replaceDims(dims);
    for (AffineExpr &expr : lower.exprs)
      expr = end - expr;
    lower.compose();
    Value trips = MinOp::create(builder, loop.getLoc(), builder.getIndexType(),
                                lower.getMap(context), lower.operands);
    lower = subtract(upper, formOf(trips));
  }

  // The largest trip count, and whether it is the only one.
  std::optional<int64_t> most = getMostTrips(lower, upper);
  if (most)
    most = std::max<int64_t>(*most, 0);
  bool exact = most && upper.exprs.size() == 1;
  // A loop of a few vectors is unrolled.
  int64_t unrolled =
      getTargetInfo(loop).getVectorsInFlight(getStoredLaneBytes(loop)) * kLanes;

  if (exact) {
    int64_t full = *most / kLanes * kLanes;
    Mapping mapping = full <= unrolled ? Mapping::unroll : Mapping::sequential;
    std::vector<Segment> segments;
    if (full > 0)
      segments.push_back({lower, plus(lower, number(full)), mapping});
    if (full < *most)
      segments.push_back({plus(lower, number(full)), plus(lower, number(*most)),
                          Mapping::sequential, /*masked=*/true});
    return segments;
  }
  if (most && *most <= unrolled) {
    int64_t all = (*most + kLanes - 1) / kLanes * kLanes;
    return {{lower, plus(lower, number(all)), Mapping::unroll, /*masked=*/true,
             /*maybeNone=*/all > kLanes}};
  }
  makeUpperOne();
  if (isWhole)
    return {{lower, upper, Mapping::sequential}};
  if (isShort)
    upper = endAtLeast(builder, loop.getLoc(), lower, upper);
  AffineForm trips = subtract(upper, lower);
  AffineForm middle = lower;
  SmallVector<AffineExpr> dims;
  for (Value operand : trips.operands)
    dims.push_back(middle.getDim(operand));
  middle = plus(middle, trips.exprs.front().replaceDims(dims).floorDiv(kLanes) *
                            kLanes);
  return {{lower, middle, Mapping::sequential},
          {middle, upper, Mapping::sequential, /*masked=*/true}};
}

} // namespace
