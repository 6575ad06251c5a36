// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/TileRows.h"

#include "passes/kernel/IndexRanges.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace fusec::kernel {

bool isRowOf(ForOp loop, StoreOp store) {
  AffineForm place(store.getMap(), store.getIndices());
  place.compose();
  auto found = llvm::find(place.operands, loop.getIndex());
  if (found == place.operands.end())
    return false;
  AffineExpr linear =
      simplifyInRange(place.linearize(store.getMemRefType().getShape()),
                      rangesOf(place.operands));
  std::optional<int64_t> slope =
      getSlope(linear, found - place.operands.begin());
  return slope && *slope * loop.getStep() == 1;
}

/// Whether loops in `rows` store rows of vectors, and nothing else happens
/// there: they may run in any order, as nothing that is stored is loaded.
static bool storesRows(ForOp rows) {
  if (rows.getMapping() != Mapping::sequential || rows.getStep() != 1 ||
      !rows.getCarried().empty() ||
      rows.getConstantTripCount().value_or(0) < kLeastTransposed)
    return false;
  llvm::SmallPtrSet<Value, 2> stored, loaded;
  for (Operation &inner : rows.getBody().front().without_terminator()) {
    auto vectors = dyn_cast<ForOp>(inner);
    if (!vectors || !vectors.getConstantTripCount() ||
        !vectors.getCarried().empty())
      return false;
    for (Operation &op : vectors.getBody().front().without_terminator()) {
      auto load = dyn_cast<LoadOp>(op);
      auto store = dyn_cast<StoreOp>(op);
      if (load)
        loaded.insert(load.getMemref());
      else if (store)
        stored.insert(store.getMemref());
      else if (op.getNumRegions() > 0 || !isMemoryEffectFree(&op))
        return false;
      if (store && (!store.isVector() || store.getStride() == 1 ||
                    !isRowOf(rows, store)))
        return false;
    }
  }
  return !stored.empty() && llvm::none_of(stored, [&](Value memref) {
    return loaded.contains(memref);
  });
}

/// Puts a copy of the loops in `rows` before `builder`'s place, in each of
/// which `count` iterations of `rows` are unrolled, from `first` on.
static void unrollRows(OpBuilder &builder, ForOp rows, AffineExpr first,
                       ValueRange operands, int64_t count) {
  Location loc = rows.getLoc();
  for (ForOp vectors : rows.getBody().front().getOps<ForOp>()) {
    OpBuilder::InsertionGuard guard(builder);
    auto outer =
        ForOp::create(builder, vectors.getLoc(), *vectors.getConstantLower(),
                      *vectors.getConstantUpper(), vectors.getStep());
    outer.getIndex().setLoc(vectors.getIndex().getLoc());
    builder.setInsertionPoint(outer.getBody().front().getTerminator());
    auto inner = ForOp::create(builder, loc, 0, count, 1, Mapping::unroll);
    inner.getIndex().setLoc(rows.getIndex().getLoc());
    builder.setInsertionPoint(inner.getBody().front().getTerminator());
    SmallVector<Value> all(operands);
    all.push_back(inner.getIndex());
    AffineExpr row = first + builder.getAffineDimExpr(operands.size());
    IRMapping mapping;
    auto index = ApplyOp::create(builder, loc, builder.getIndexType(),
                                 AffineMap::get(all.size(), 0, row), all);
    mapping.map(rows.getIndex(), index.getResult());
    mapping.map(vectors.getIndex(), outer.getIndex());
    for (Operation &op : vectors.getBody().front().without_terminator())
      rewriteForms(builder.clone(op, mapping),
                   [](AffineForm &form) { form.compose(); });
    if (index->use_empty())
      index.erase();
  }
}

static void tile(ForOp rows, int64_t lanes) {
  OpBuilder builder(rows);
  const int64_t lower = *rows.getConstantLower();
  const int64_t trips = *rows.getConstantTripCount();
  const int64_t whole = trips / lanes * lanes;
  if (whole > 0) {
    OpBuilder::InsertionGuard guard(builder);
    auto tiles =
        ForOp::create(builder, rows.getLoc(), lower, lower + whole, lanes);
    tiles.getIndex().setLoc(rows.getIndex().getLoc());
    builder.setInsertionPoint(tiles.getBody().front().getTerminator());
    unrollRows(builder, rows, builder.getAffineDimExpr(0), tiles.getIndex(),
               lanes);
  }
  const int64_t rest = trips - whole;
  if (rest >= kLeastTransposed)
    unrollRows(builder, rows, builder.getAffineConstantExpr(lower + whole), {},
               rest);
  if (rest == 0 || rest >= kLeastTransposed) {
    rows.erase();
    return;
  }
  rows.setLower(builder.getConstantAffineMap(lower + whole), {});
}

void tileRows(FuncOp func) {
  SmallVector<ForOp> all;
  func.walk([&](ForOp loop) {
    if (storesRows(loop))
      all.push_back(loop);
  });
  for (ForOp rows : all)
    tile(rows, getTargetInfo(rows).lanes);
}

} // namespace fusec::kernel
