// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/AsyncCopies.h"
#include "dialects/TargetInfo.h"

using namespace mlir;

namespace fusec::kernel {

static int64_t getBytes(MemRefType type) {
  return type.getElementTypeBitWidth() / 8;
}

static bool isZero(TypedAttr fill) {
  if (auto number = dyn_cast_or_null<FloatAttr>(fill))
    return number.getValue().isPosZero();
  if (auto number = dyn_cast_or_null<IntegerAttr>(fill))
    return number.getValue().isZero();
  return !fill;
}

bool isAsyncCopy(StoreOp store) {
  auto load = store.getValue().getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != store->getBlock() || !load->hasOneUse() ||
      load.getMemref().getDefiningOp<LocalOp>() || load.getStride() != 1 ||
      store.getStride() != 1 || store.getMask() || !isZero(load.getFillAttr()))
    return false;
  Type element = load.getMemRefType().getElementType();
  int64_t bytes = getBytes(load.getMemRefType());
  return element == store.getMemRefType().getElementType() &&
         (bytes == 4 || bytes == 8) &&
         getTargetInfo(store).multiprocessor->copyBytes >= bytes;
}

/// Whether the last subscript of `form` counts with `index`, from multiples of
/// `width`, in rows of whole words, and no other one does.
static bool isRow(AffineForm form, MemRefType type, Value index,
                  int64_t width) {
  if (type.getRank() == 0 || type.getShape().back() % width != 0)
    return false;
  AffineExpr dim = form.getDim(index);
  unsigned position = cast<AffineDimExpr>(dim).getPosition();
  for (AffineExpr expr : ArrayRef(form.exprs).drop_back())
    if (expr.isFunctionOfDim(position))
      return false;
  AffineExpr rest =
      simplifyAffineExpr(form.exprs.back() - dim, form.operands.size(), 0);
  return !rest.isFunctionOfDim(position) && rest.isMultipleOf(width);
}

/// Whether `mask` is the same for all of `width` iterations side by side.
static bool isOfRows(Value mask, Value index, int64_t width) {
  if (!mask)
    return true;
  auto test = mask.getDefiningOp<InBoundsOp>();
  if (!test)
    return false;
  AffineForm form = formOf(test.getCondition(), test.getOperands());
  AffineExpr dim = form.getDim(index);
  unsigned position = cast<AffineDimExpr>(dim).getPosition(),
           dims = form.operands.size();
  // `c + i >= 0` and `c - i >= 0` change where rows begin.
  return llvm::all_of(llvm::enumerate(form.exprs), [&](const auto &constraint) {
    auto [number, expr] = constraint;
    if (!expr.isFunctionOfDim(position))
      return true;
    AffineExpr up = simplifyAffineExpr(expr - dim, dims, 0),
               down = simplifyAffineExpr(expr + dim, dims, 0);
    return !test.getCondition().isEq(number) &&
           ((!up.isFunctionOfDim(position) && up.isMultipleOf(width)) ||
            (!down.isFunctionOfDim(position) &&
             (down + 1).isMultipleOf(width)));
  });
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
  int64_t most = getTargetInfo(store).multiprocessor->copyBytes;
  for (int64_t width = most / getBytes(load.getMemRefType()); width > 1;
       width /= 2) {
    Value index = loop.getIndex();
    if (*loop.getConstantTripCount() % width == 0 &&
        isRow({load.getMap(), load.getIndices()}, load.getMemRefType(), index,
              width) &&
        isRow({store.getMap(), store.getIndices()}, store.getMemRefType(),
              index, width) &&
        isOfRows(load.getMask(), index, width))
      return width;
  }
  return 1;
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
