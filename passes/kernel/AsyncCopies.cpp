// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/AsyncCopies.h"
#include "dialects/TargetInfo.h"
#include "passes/kernel/AccessRows.h"

using namespace mlir;

namespace fusec::kernel {

static int64_t getBytes(MemRefType type) {
  return type.getElementTypeBitWidth() / 8;
}

/// Whether `mask` is the same for all of `width` iterations side by side.
static bool isOfRows(Value mask, Value index, int64_t width) {
  auto test = mask ? mask.getDefiningOp<InBoundsOp>() : InBoundsOp();
  return !mask || (test && holdsForRow(test.getCondition(), test.getOperands(),
                                       index, width));
}

/// The loop of threads whose body is nothing but this copy; null if there is
/// none with constant bounds from 0.
static ForOp findLoop(StoreOp store) {
  auto loop = dyn_cast<ForOp>(store->getParentOp());
  if (!loop || loop.getMapping() != Mapping::thread || loop.getStep() != 1 ||
      loop.getConstantLower() != 0 || !loop.getConstantTripCount())
    return {};
  for (Operation &op : loop.getBody().front().without_terminator())
    if (&op != store && &op != store.getValue().getDefiningOp() &&
        !isMemoryEffectFree(&op))
      return {};
  return loop;
}

/// How many elements side by side one copy may have.
static int64_t findWidth(StoreOp store, LoadOp load, ForOp loop) {
  int64_t most = getTargetInfo(store).getCopyBytes();
  for (int64_t width = most / getBytes(load.getMemRefType()); width > 1;
       width /= 2) {
    Value index = loop.getIndex();
    if (*loop.getConstantTripCount() % width == 0 &&
        !explainNoRow({load.getMap(), load.getIndices()}, load.getMemRefType(),
                      index, width) &&
        !explainNoRow({store.getMap(), store.getIndices()},
                      store.getMemRefType(), index, width) &&
        isOfRows(load.getMask(), index, width))
      return width;
  }
  return 1;
}

bool isAsyncCopy(StoreOp store) {
  auto load = store.getValue().getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != store->getBlock() || !load->hasOneUse() ||
      load.getMemref().getDefiningOp<LocalOp>() || load.getStride() != 1 ||
      store.getStride() != 1 || store.getMask() ||
      !fillsZeros(load.getFillAttr()) ||
      load.getMemRefType().getElementType() !=
          store.getMemRefType().getElementType())
    return false;
  int64_t bytes = getBytes(load.getMemRefType());
  // Of less than 4 bytes there are no copies: they have several elements.
  if (ForOp loop = findLoop(store); loop && bytes < 4)
    bytes *= findWidth(store, load, loop);
  return bytes > 2 && llvm::isPowerOf2_64(bytes) &&
         getTargetInfo(store).getCopyBytes() >= bytes;
}

void makeAsyncCopy(StoreOp store) {
  auto load = store.getValue().getDefiningOp<LoadOp>();
  OpBuilder builder(store);
  ForOp loop = findLoop(store);
  int64_t width = loop ? findWidth(store, load, loop) : 1;
  CopyAsyncOp::create(builder, load.getLoc(), load.getMemref(), load.getMap(),
                      load.getIndices(), store.getMemref(), store.getMap(),
                      store.getIndices(), load.getMask(), /*elements=*/1);
  auto copy = cast<CopyAsyncOp>(store->getPrevNode());
  store.erase();
  load.erase();
  if (width == 1)
    return;
  // Iteration n becomes that of the n-th row.
  for (Operation &op : loop.getBody().front())
    rewriteForms(&op, [&](AffineForm &form) {
      AffineExpr dim = form.getDim(loop.getIndex());
      for (AffineExpr &expr : form.exprs)
        expr = expr.replace(dim, dim * width);
      form.compose();
    });
  copy.setElements(width);
  loop.setUpper(AffineMap::getConstantMap(*loop.getConstantTripCount() / width,
                                          builder.getContext()),
                {});
}

} // namespace fusec::kernel
