// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/WeightPanels.h"

#include "dialects/TargetInfo.h"
#include "passes/kernel/IndexRanges.h"
#include "passes/model/Variants.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using fusec::kernel::kLanes;

namespace fusec::model {

namespace {
/// How loops go through the elements of a weight.
enum class Way { along, down, downWhole };
} // namespace

/// Which way the innermost loop that moves the access takes it: along the rows,
/// or down, with one around it to other columns, or without: then rows are
/// loaded whole, or it is the copy for the columns at their ends.
static Way getWay(kernel::LoadOp load, const kernel::AffineForm &form) {
  bool down = false;
  for (auto loop = load->getParentOfType<kernel::ForOp>(); loop;
       loop = loop->getParentOfType<kernel::ForOp>()) {
    auto place = llvm::find(form.operands, loop.getIndex());
    if (loop.getMapping() == kernel::Mapping::unroll ||
        loop.getConstantTripCount() == 1 || place == form.operands.end())
      continue;
    unsigned dim = place - form.operands.begin();
    if (form.exprs.back().isFunctionOfDim(dim))
      return down ? Way::down : Way::along;
    down = true;
  }
  return down ? Way::downWhole : Way::along;
}

static kernel::AffineForm getForm(kernel::LoadOp load) {
  kernel::AffineForm form(load.getMap(), load.getIndices());
  form.compose();
  return form;
}

/// Whether `load`, whose subscripts are `form`, has no mask, or one that leaves
/// out lanes past the last column alone, of a vector that begins before it: a
/// panel has zeros there, as such a load.
static bool loadsColumns(kernel::LoadOp load, const kernel::AffineForm &form) {
  if (!load.getMask())
    return true;
  auto tail = load.getMask().getDefiningOp<kernel::TailMaskOp>();
  if (!tail || !kernel::fillsZeros(load.getFillAttr()))
    return false;
  const int64_t columns = load.getMemRefType().getShape().back();
  kernel::AffineForm column = form;
  column.exprs = {form.exprs.back()};
  // The lanes up to each end of the mask: all, or those of the columns left.
  auto leavesColumns = [&](AffineExpr expr) {
    kernel::AffineForm end(tail.getMap(), tail.getIndices());
    end.exprs = {expr};
    kernel::AffineForm lanes =
        kernel::subtract(end, kernel::formOf(tail.getBase()));
    lanes.compose();
    IndexRange range =
        kernel::rangeOf(lanes.exprs.front(), kernel::rangesOf(lanes.operands));
    if (range.low && *range.low >= kLanes)
      return true;
    kernel::AffineForm negated = column;
    negated.exprs = {-column.exprs.front()};
    kernel::AffineForm sum = kernel::subtract(lanes, negated);
    sum.compose();
    return sum.exprs.front() == columns;
  };
  if (!llvm::all_of(tail.getMap().getResults(), leavesColumns))
    return false;
  const IndexRange begin =
      kernel::rangeOf(column.exprs.front(), kernel::rangesOf(column.operands));
  return tail.getMap().isSingleConstant() ||
         (begin.high && *begin.high < columns);
}

/// How many rows `load` is one of that a step multiplies: as many loads, of one
/// row after the other from a multiple of their number on, are the terms of the
/// columns, and have no other use. 1 if they are not.
static int64_t countTerms(kernel::LoadOp load) {
  auto terms = load->hasOneUse()
                   ? dyn_cast<kernel::TermsOp>(*load->user_begin())
                   : kernel::TermsOp();
  if (!terms)
    return 1;
  const int64_t count = terms.getTerms().size();
  ArrayRef<int64_t> shape = load.getMemRefType().getShape();
  const size_t row = shape.size() - 2;
  const int64_t bits =
      getTypeInfo(load.getMemRefType().getElementType())->storageBits;
  auto first = terms.getTerms().front().getDefiningOp<kernel::LoadOp>();
  if (!first || bits * count != 32 || shape[row] % count != 0)
    return 1;
  kernel::AffineForm base = getForm(first);
  if (kernel::rangeOf(base.exprs[row], kernel::rangesOf(base.operands))
              .divisor %
          count !=
      0)
    return 1;
  for (auto [number, term] : llvm::enumerate(terms.getTerms())) {
    auto each = term.getDefiningOp<kernel::LoadOp>();
    if (!each || each.getMemref() != load.getMemref())
      return 1;
    kernel::AffineForm form = getForm(each);
    if (form.operands != base.operands || !loadsColumns(each, form))
      return 1;
    for (auto [place, exprs] :
         llvm::enumerate(llvm::zip_equal(form.exprs, base.exprs)))
      if (std::get<0>(exprs) - std::get<1>(exprs) !=
          int64_t(place == row ? number : 0))
        return 1;
  }
  return count;
}

/// The terms of all vectors that are loaded of `value`; 1 if they differ.
static int64_t findTerms(BlockArgument value) {
  std::optional<int64_t> terms;
  for (Operation *user : value.getUsers())
    if (auto load = dyn_cast<kernel::LoadOp>(user); load && load.isVector()) {
      const int64_t count = countTerms(load);
      terms = terms && *terms != count ? 1 : count;
    }
  return terms.value_or(1);
}

/// How many times the loops around `load` run it, if that is known.
static std::optional<int64_t> countRuns(kernel::LoadOp load) {
  int64_t runs = 1;
  for (auto loop = load->getParentOfType<kernel::ForOp>(); loop;
       loop = loop->getParentOfType<kernel::ForOp>()) {
    std::optional<int64_t> trips = loop.getConstantTripCount();
    if (!trips)
      return std::nullopt;
    runs *= *trips;
  }
  return runs;
}

/// The columns that the unrolled loops around `load` take together, from a
/// multiple of so many on; those of a vector if there are none such.
static int64_t findTileColumns(kernel::LoadOp load) {
  kernel::AffineForm form = getForm(load);
  const unsigned numDims = form.operands.size();
  MLIRContext *context = load.getContext();
  AffineExpr all = form.exprs.back(), first = all;
  for (auto [dim, operand] : llvm::enumerate(form.operands)) {
    auto index = dyn_cast<BlockArgument>(operand);
    auto loop = index ? dyn_cast<kernel::ForOp>(index.getOwner()->getParentOp())
                      : kernel::ForOp();
    if (loop && loop.getMapping() == kernel::Mapping::unroll)
      first = first.replace(getAffineDimExpr(dim, context),
                            getAffineConstantExpr(0, context));
  }
  auto ranges = kernel::rangesOf(form.operands);
  const IndexRange place = rangeOf(
      simplifyAffineExpr(all - first, numDims, form.numSymbols), ranges);
  if (place.low != 0 || !place.high)
    return kLanes;
  const int64_t columns = (*place.high / kLanes + 1) * kLanes;
  const bool isWhole = load.getMemRefType().getShape().back() % columns == 0 &&
                       kernel::rangeOf(first, ranges).divisor % columns == 0;
  return isWhole ? columns : kLanes;
}

/// The columns of a panel of `value`: those of a tile, where tiles load each
/// element once, of so many that no core's cache has them in the next run. What
/// does stay there is the same for kernels of all tiles.
static int64_t findColumns(BlockArgument value) {
  auto type = cast<MemRefType>(value.getType());
  const int64_t bytes = type.getNumElements() *
                        getTypeInfo(type.getElementType())->storageBits / 8;
  if (bytes <= getTargetInfo(value.getOwner()->getParentOp()).secondCache)
    return kLanes;
  int64_t loaded = 0;
  std::optional<int64_t> columns;
  for (Operation *user : value.getUsers()) {
    auto load = cast<kernel::LoadOp>(user);
    std::optional<int64_t> runs = countRuns(load);
    if (!load.isVector() || load.getMask() || !runs)
      return kLanes;
    const int64_t own = findTileColumns(load);
    if (columns && columns != own)
      return kLanes;
    columns = own;
    loaded += *runs * kLanes;
  }
  return loaded == type.getNumElements() ? columns.value_or(kLanes) : kLanes;
}

Loads findLoads(BlockArgument value) {
  auto type = cast<MemRefType>(value.getType());
  const TypeInfo *info = getTypeInfo(type.getElementType());
  auto refuse = [](llvm::StringRef reason, bool wantsPanels = false) {
    return Loads{wantsPanels, 1, kLanes, reason.str()};
  };
  if (type.getRank() < 2 || !type.hasStaticShape() ||
      type.getNumElements() == 0 || !info || info->storageBits % 8 != 0)
    return refuse("it has no rows");
  Loads loads;
  // Terms are worth panels however they are loaded.
  loads.terms = findTerms(value);
  if (loads.terms == 1 && type.getShape().back() <= kLanes)
    return refuse("it has no rows that are longer than a vector");
  bool isLoadedWhole = false;
  for (Operation *user : value.getUsers()) {
    auto load = dyn_cast<kernel::LoadOp>(user);
    if (!load)
      return refuse("a kernel does more than to load it", loads.wantsPanels);
    if (!load.isVector())
      continue;
    kernel::AffineForm form = getForm(load);
    auto ranges = kernel::rangesOf(form.operands);
    if (load.getStride() != 1 ||
        kernel::rangeOf(form.exprs.back(), ranges).divisor % kLanes != 0)
      return refuse("lanes are not loaded panel by panel", loads.wantsPanels);
    Way way = loads.terms > 1 ? Way::down : getWay(load, form);
    if (way == Way::along)
      return refuse("lanes are loaded along its rows", loads.wantsPanels);
    (way == Way::down ? loads.wantsPanels : isLoadedWhole) = true;
  }
  if (isLoadedWhole && !loads.wantsPanels)
    return refuse("rows are loaded whole");
  loads.columns = findColumns(value);
  return loads;
}

SmallVector<int64_t> getPackedShape(ArrayRef<int64_t> rows,
                                    const Loads &loads) {
  SmallVector<int64_t> shape{
      int64_t(llvm::divideCeil(rows.back(), loads.columns))};
  llvm::append_range(shape, rows.drop_back());
  shape.back() /= loads.terms;
  shape.push_back(loads.columns);
  if (loads.terms > 1)
    shape.push_back(loads.terms);
  return shape;
}

void packRows(ArrayRef<char> bytes, ArrayRef<int64_t> rows, const Loads &loads,
              size_t elementBytes, MutableArrayRef<char> packed) {
  const size_t columns = rows.back(), terms = loads.terms,
               width = loads.columns;
  const size_t count = bytes.size() / (columns * elementBytes);
  // What lies side by side in a row and in a panel is copied at once.
  const size_t run = terms == 1 ? width : 1;
  for (size_t row = 0; row < count; ++row)
    for (size_t column = 0; column < columns; column += run) {
      const size_t panel = column / width, place = column % width;
      const size_t step = panel * (count / terms) + row / terms;
      const size_t to = (step * width + place) * terms + row % terms;
      std::memcpy(packed.data() + to * elementBytes,
                  bytes.data() + (row * columns + column) * elementBytes,
                  std::min(run, columns - column) * elementBytes);
    }
}

void rewriteLoads(BlockArgument value, MemRefType packed, const Loads &loads) {
  setArgumentType(value, packed);
  for (Operation *user : llvm::to_vector(value.getUsers())) {
    kernel::rewriteForms(user, [&](kernel::AffineForm &form) {
      form.compose();
      AffineExpr column = form.exprs.pop_back_val();
      SmallVector<AffineExpr> subscripts{column.floorDiv(loads.columns)};
      llvm::append_range(subscripts, form.exprs);
      AffineExpr row = subscripts.back();
      subscripts.back() = row.floorDiv(loads.terms);
      subscripts.push_back(column % loads.columns);
      if (loads.terms > 1)
        subscripts.push_back(row % loads.terms);
      auto ranges = kernel::rangesOf(form.operands);
      for (AffineExpr &subscript : subscripts)
        subscript = simplifyInRange(subscript, ranges);
      form.exprs = subscripts;
      form.compose();
    });
    auto load = dyn_cast<kernel::LoadOp>(user);
    if (loads.terms == 1 || !load || !load.isVector())
      continue;
    load.setStride(loads.terms);
    load.getMaskMutable().clear();
    load.removeFillAttr();
  }
}

} // namespace fusec::model
