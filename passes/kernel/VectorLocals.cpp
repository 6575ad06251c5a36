// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/VectorLocals.h"

#include "dialects/TargetInfo.h"
#include "passes/kernel/IndexRanges.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fusec::kernel {

namespace {

/// The parts of a load or store of 16 lanes of a local.
struct Access {
  Operation *op;
  AffineForm form;
  Value mask;
};

} // namespace

/// The accesses of `local`, if each is of 16 contiguous elements at a multiple
/// of 16 in the last dimension.
static std::optional<SmallVector<Access>> collectAccesses(LocalOp local) {
  SmallVector<Access> accesses;
  for (Operation *user : local->getUsers()) {
    Access access{user, {}, {}};
    if (auto load = dyn_cast<LoadOp>(user)) {
      if (!load.isVector() || load.getStride() != 1 || load.getFillAttr())
        return std::nullopt;
      access.form = AffineForm(load.getMap(), load.getIndices());
      access.mask = load.getMask();
    } else if (auto store = dyn_cast<StoreOp>(user)) {
      if (!store.isVector() || store.getStride() != 1)
        return std::nullopt;
      access.form = AffineForm(store.getMap(), store.getIndices());
      access.mask = store.getMask();
    } else if (isa<ForOp>(user)) {
      continue; // It carries what its body loads and stores.
    } else {
      return std::nullopt;
    }
    access.form.compose();
    SmallVector<IndexRange> ranges = rangesOf(access.form.operands);
    if (rangeOf(access.form.exprs.back(), ranges).divisor % kLanes != 0)
      return std::nullopt;
    accesses.push_back(std::move(access));
  }
  return accesses;
}

/// Whether all accesses are active in the same elements: those whose last
/// subscript is below one bound, which masks say where a vector goes beyond it.
/// No other element is ever seen then.
static bool haveCommonExtent(ArrayRef<Access> accesses) {
  std::optional<AffineForm> extent;
  int64_t end = 0;
  for (const Access &access : accesses) {
    if (!access.mask) {
      IndexRange last =
          rangeOf(access.form.exprs.back(), rangesOf(access.form.operands));
      end = std::max(end, last.high.value_or(INT64_MAX - kLanes) + kLanes);
      continue;
    }
    auto tail = access.mask.getDefiningOp<TailMaskOp>();
    if (!tail)
      return false;
    AffineForm last = access.form;
    last.exprs = {access.form.exprs.back()};
    if (subtract(last, formOf(tail.getBase())).exprs.front() != 0)
      return false;
    AffineForm bound(tail.getMap(), tail.getIndices());
    bound.compose();
    if (extent &&
        (extent->exprs != bound.exprs || extent->operands != bound.operands))
      return false;
    extent = bound;
  }
  return extent && llvm::all_of(extent->exprs, [&](AffineExpr bound) {
           return rangeOf(bound, rangesOf(extent->operands)).low.value_or(0) >=
                  end;
         });
}

/// Whether the masked lanes are elements beyond the end of the array's last
/// dimension, which is `extent`: they exist in no other access either.
static bool isMaskedAtEnd(const Access &access, int64_t extent) {
  auto tail = access.mask.getDefiningOp<TailMaskOp>();
  if (!tail)
    return false;
  AffineForm last = access.form;
  last.exprs = {access.form.exprs.back()};
  return llvm::all_of(tail.getMap().getResults(), [&](AffineExpr expr) {
    AffineForm bound(tail.getMap(), tail.getIndices());
    bound.exprs = {expr};
    // The first element that is off: last + (bound - base).
    AffineForm end = subtract(last, subtract(formOf(tail.getBase()), bound));
    IndexRange range = rangeOf(end.exprs.front(), rangesOf(end.operands));
    return range.low && *range.low >= extent;
  });
}

/// How many vectors a row takes whose last dimension has `extent` elements: as
/// many as hold it, and those beyond, of which masks leave no lane, that the
/// last tile of several vectors reads and writes.
static int64_t countRowVectors(int64_t extent, ArrayRef<Access> accesses) {
  int64_t end = extent;
  for (const Access &access : accesses) {
    IndexRange last =
        rangeOf(access.form.exprs.back(), rangesOf(access.form.operands));
    end = std::max(end, last.high.value_or(INT64_MAX - kLanes) + kLanes);
  }
  return llvm::divideCeil(end, kLanes);
}

static void useVectors(LocalOp local, int64_t rowVectors,
                       SmallVector<Access> &accesses) {
  auto type = cast<MemRefType>(local.getType());
  auto vector = getVectorOf(type.getElementType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = rowVectors;
  bool dropLast = shape.back() == 1;
  if (dropLast)
    shape.pop_back();
  OpBuilder builder(local);
  auto wide =
      LocalOp::create(builder, local.getLoc(), MemRefType::get(shape, vector));

  bool dropMasks = haveCommonExtent(accesses);
  for (Access &access : accesses) {
    bool atEnd = access.mask && isMaskedAtEnd(access, type.getShape().back());
    SmallVector<IndexRange> ranges = rangesOf(access.form.operands);
    AffineExpr &last = access.form.exprs.back();
    last = simplifyInRange(last.floorDiv(kLanes), ranges);
    if (dropLast)
      access.form.exprs.pop_back();
    access.form.compose();
    AffineMap map = access.form.getMap(local.getContext());
    builder.setInsertionPoint(access.op);
    Location loc = access.op->getLoc();
    if (auto load = dyn_cast<LoadOp>(access.op)) {
      // Lanes outside of a mask have no use that could tell.
      auto whole =
          LoadOp::create(builder, loc, vector, wide, map, access.form.operands);
      load.replaceAllUsesWith(whole.getResult());
    } else {
      Value value = cast<StoreOp>(access.op).getValue();
      if (access.mask && !dropMasks && !atEnd) {
        auto old = LoadOp::create(builder, loc, vector, wide, map,
                                  access.form.operands);
        value = arith::SelectOp::create(builder, loc, access.mask, value, old);
      }
      StoreOp::create(builder, loc, value, wide, map, access.form.operands);
    }
    access.op->erase();
  }
  for (Operation *user : llvm::to_vector(local->getUsers())) {
    auto loop = cast<ForOp>(user);
    loop.setCarry(wide, *loop.getCarry(local));
    loop.dropCarry(local);
  }
  local.erase();
}

void useVectorLocals(FuncOp func) {
  SmallVector<LocalOp> locals;
  func.walk([&](LocalOp local) { locals.push_back(local); });
  for (LocalOp local : locals) {
    auto type = cast<MemRefType>(local.getType());
    if (type.getRank() == 0 || isa<VectorType>(type.getElementType()) ||
        local->use_empty())
      continue;
    auto accesses = collectAccesses(local);
    if (!accesses)
      continue;
    int64_t extent = type.getShape().back();
    int64_t rows = type.getNumElements() / extent;
    int64_t vectors = countRowVectors(extent, *accesses);
    if (vectors <=
        getTargetInfo(func).getMostLocalVectors(getLaneBytes(type)) / rows)
      useVectors(local, vectors, *accesses);
  }
}

} // namespace fusec::kernel
