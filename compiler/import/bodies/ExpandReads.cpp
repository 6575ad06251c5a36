// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts: slices and paddings where each dimension has an index of its own,
// windows where two walk along one, and gathers.
#include "compiler/import/bodies/Expansion.h"

#include "compiler/io/ElementValue.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using fusec::fop::Entry;
using fusec::fop::Expr;
using fusec::fop::Fact;
using fusec::fop::Indices;
using fusec::fop::Linear;
using fusec::fuse::CmpPredicate;

namespace fusec {

std::optional<Expansion::Term>
Expansion::readPlain(const Stored &tensor, const std::vector<Entry> &entries) {
  Term term{tensor.value, Indices(entries.size(), 0)};
  Indices seen;
  for (auto [slot, entry] : llvm::enumerate(entries)) {
    if (!entry.plain || llvm::is_contained(seen, *entry.plain))
      return std::nullopt;
    seen.push_back(*entry.plain);
    term.indices[tensor.dims[slot]] = *entry.plain;
  }
  return term;
}

std::optional<Expansion::Term>
Expansion::readSlice(const Expr &expr, const Stored &tensor,
                     const std::vector<Entry> &entries) {
  const std::optional<fop::Number> fill =
      expr.fill ? at.get(*expr.fill).number : std::nullopt;
  const size_t rank = entries.size();
  SmallVector<int64_t> low(rank, 0), high(rank, 0), offsets(rank, 0),
      strides(rank, 1), shape(rank, 1), kept;
  ArrayRef<int64_t> from = fuse::getTensorType(tensor.value).getShape();
  Indices indices;
  SmallVector<std::optional<unsigned>> indexOf(rank);
  for (auto [slot, entry] : llvm::enumerate(entries)) {
    const int64_t d = tensor.dims[slot];
    Linear linear;
    if (entry.plain)
      linear.factors[*entry.plain] = 1;
    else if (at.get(*entry.expr).linear)
      linear = *at.get(*entry.expr).linear;
    else
      return std::nullopt;
    if (linear.factors.size() > 1 || (entry.mayLeave && !fill))
      return std::nullopt;
    int64_t first = linear.constant, last = first;
    if (!linear.factors.empty()) {
      auto [index, factor] = *linear.factors.begin();
      if (llvm::is_contained(indexOf, index))
        return std::nullopt;
      indexOf[d] = index;
      shape[d] = at.indices[index].extent;
      strides[d] = factor;
      last += factor * (shape[d] - 1);
    }
    low[d] = std::max<int64_t>(0, -std::min(first, last));
    high[d] = std::max<int64_t>(0, std::max(first, last) - (from[d] - 1));
    offsets[d] = first + low[d];
  }
  // What lies far outside would be memory for nothing.
  constexpr int64_t kMostPadding = 1 << 16;
  for (auto [before, behind, extent] : llvm::zip(low, high, from))
    if (before + behind > kMostPadding + extent)
      return std::nullopt;
  for (auto [d, index] : llvm::enumerate(indexOf))
    if (index) {
      indices.push_back(*index);
      kept.push_back(shape[d]);
    }
  Value value = tensor.value;
  auto type = fuse::getTensorType(value);
  if (llvm::any_of(entries,
                   [](const Entry &entry) { return entry.mayLeave; })) {
    SmallVector<int64_t> padded;
    for (auto [before, behind, extent] : llvm::zip(low, high, from))
      padded.push_back(before + extent + behind);
    value = b.make<fuse::PadOp>(type.clone(padded), value, low, high,
                                attributeOf(*fill, type.getElementType()));
  }
  value = b.make<fuse::SliceOp>(type.clone(shape), value, offsets, strides);
  return Term{b.reshape(value, kept), indices};
}

std::optional<Expansion::Term>
Expansion::readWindow(const Expr &expr, const Stored &tensor,
                      const std::vector<Entry> &entries) {
  const std::optional<fop::Number> fill =
      expr.fill ? at.get(*expr.fill).number : fop::Number(int64_t(0));
  if (!fill)
    return std::nullopt;
  SmallVector<int64_t> perm, sizes, strides, dilations, low, windowed;
  Indices outer, positions, taps, seen;
  for (auto [slot, entry] : llvm::enumerate(entries)) {
    SmallVector<unsigned, 2> own;
    if (entry.plain) {
      own.push_back(*entry.plain);
      outer.push_back(*entry.plain);
      perm.push_back(tensor.dims[slot]);
    } else {
      const std::optional<Linear> &linear = at.get(*entry.expr).linear;
      if (!linear || linear->factors.size() != 2)
        return std::nullopt;
      for (auto [index, factor] : linear->factors) {
        if (factor < 1)
          return std::nullopt;
        own.push_back(index);
      }
      // What is summed, or comes last, walks within the window.
      if (llvm::find(scope, own[1]) < llvm::find(scope, own[0]))
        std::swap(own[0], own[1]);
      positions.push_back(own[0]);
      taps.push_back(own[1]);
      strides.push_back(linear->factors.at(own[0]));
      dilations.push_back(linear->factors.at(own[1]));
      sizes.push_back(at.indices[own[1]].extent);
      low.push_back(-linear->constant);
      windowed.push_back(tensor.dims[slot]);
    }
    for (unsigned index : own) {
      if (llvm::is_contained(seen, index))
        return std::nullopt;
      seen.push_back(index);
    }
  }
  llvm::append_range(perm, windowed);
  Value value = b.transpose(tensor.value, perm);
  auto type = fuse::getTensorType(value);
  Indices indices = outer;
  llvm::append_range(indices, positions);
  llvm::append_range(indices, taps);
  Term windows{b.make<fuse::WindowOp>(
                   type.clone(shapeOf(indices)), value, sizes, strides,
                   dilations, low, attributeOf(*fill, type.getElementType())),
               indices};
  // What is computed from them lies in memory as the text has its indices.
  return spread(windows, sorted(indices));
}

AffineExpr Expansion::makeAffine(const Linear &linear,
                                 const Indices &dims) const {
  MLIRContext *context = b.builder.getContext();
  AffineExpr sum = getAffineConstantExpr(linear.constant, context);
  for (auto [index, factor] : linear.factors)
    sum = sum +
          getAffineDimExpr(llvm::find(dims, index) - dims.begin(), context) *
              factor;
  return sum;
}

std::pair<Expansion::Term, std::optional<Expansion::Term>>
Expansion::readPosition(const Entry &entry, int64_t extent, bool hasFill) {
  if (!entry.mayLeave)
    return {entry.plain ? iota(*entry.plain) : expand(*entry.expr),
            std::nullopt};
  const Expr &expr = *entry.expr;
  const Fact &fact = at.get(expr);
  Term position =
      operand(expr, fact.number ? io::ElementType::I64 : fact.element);
  // A type that has all positions as numbers of its own.
  constexpr int64_t kMostOfF32 = 1 << 24;
  if (io::isFloat(fact.element) && !fact.number) {
    if (fact.element != io::ElementType::F64)
      position.value = b.cast(position.value, extent > kMostOfF32
                                                  ? Type(b.builder.getF64Type())
                                                  : b.builder.getF32Type());
  } else if (fact.element != io::ElementType::U64 &&
             (fact.element != io::ElementType::I32 || extent > INT32_MAX)) {
    position.value = b.cast(position.value, b.builder.getI64Type());
  }
  auto last = double(extent - 1);
  // NaN is not behind the first one.
  Value isBehind = b.compare(CmpPredicate::ge, position.value, 0);
  std::optional<Term> inside;
  if (hasFill) {
    Value isBefore = b.compare(CmpPredicate::le, position.value, last);
    inside = Term{b.binary<fuse::AndOp>(isBehind, isBefore), position.indices};
    position.value = b.select(inside->value, position.value, 0);
  } else {
    position.value = b.select(isBehind, position.value, 0);
    position.value = b.min(position.value, last);
  }
  position.value = b.cast(position.value, b.getInteger(double(extent)));
  return {position, inside};
}

Expansion::Term Expansion::readAnywhere(const Expr &expr, const Stored &tensor,
                                        const std::vector<Entry> &entries) {
  Indices dims;
  for (const Entry &entry : entries) {
    if (entry.plain)
      dims = join(dims, {*entry.plain});
    else
      dims = join(dims, at.get(*entry.expr).indices);
  }
  dims = sorted(dims);
  MLIRContext *context = b.builder.getContext();
  // Of a dimension that an index takes a part of, that part is all there is.
  Value source = tensor.value;
  for (auto [slot, entry] : llvm::enumerate(entries)) {
    if (entry.plain || entry.mayLeave || !at.get(*entry.expr).linear)
      continue;
    const Linear &linear = *at.get(*entry.expr).linear;
    if (linear.constant == 0 && linear.factors.size() == 1 &&
        linear.factors.begin()->second == 1)
      source = b.slice(source, tensor.dims[slot], 0,
                       at.indices[linear.factors.begin()->first].extent);
  }
  auto from = fuse::getTensorType(source);
  SmallVector<AffineExpr> place(entries.size());
  SmallVector<AffineMap> maps(1);
  SmallVector<Value> positions;
  std::optional<Term> inside;
  auto isAffine = [&](const Entry &entry) {
    return entry.plain || (at.get(*entry.expr).linear && !entry.mayLeave);
  };
  // A gather has an index tensor, also where none is needed.
  const bool needsNone = llvm::all_of(entries, isAffine);
  for (auto [slot, entry] : llvm::enumerate(entries)) {
    const int64_t d = tensor.dims[slot];
    if (isAffine(entry) && (!needsNone || slot > 0)) {
      place[d] = makeAffine(entry.plain ? Linear{{{*entry.plain, 1}}, 0}
                                        : *at.get(*entry.expr).linear,
                            dims);
      continue;
    }
    auto [position, isInside] =
        readPosition(entry, from.getDimSize(d), bool(expr.fill));
    place[d] = getAffineSymbolExpr(positions.size(), context);
    positions.push_back(position.value);
    SmallVector<AffineExpr> own;
    for (unsigned index : position.indices)
      own.push_back(
          getAffineDimExpr(llvm::find(dims, index) - dims.begin(), context));
    maps.push_back(AffineMap::get(dims.size(), 0, own, context));
    if (isInside)
      inside = inside ? fold<fuse::AndOp>(*inside, *isInside) : *isInside;
  }
  maps[0] = AffineMap::get(dims.size(), positions.size(), place, context);
  Term read{b.make<fuse::GatherOp>(from.clone(shapeOf(dims)), source, positions,
                                   b.builder.getAffineMapArrayAttr(maps)),
            dims};
  if (!inside)
    return read;
  Term fill = operand(*expr.fill, at.get(expr).element);
  Indices all = join(join(read.indices, inside->indices), fill.indices);
  Term condition = spread(*inside, all);
  read = spread(read, all);
  fill = spread(fill, all);
  return {b.select(condition.value, read.value, fill.value), all};
}

Expansion::Term Expansion::expandSubscript(const Expr &expr) {
  const Stored &tensor = tensors.at(expr.text);
  const std::vector<Entry> &entries = at.entriesOf(expr);
  if (std::optional<Term> made = readPlain(tensor, entries))
    return *made;
  const Indices &indices = at.get(expr).indices;
  if (llvm::is_contained(shapeOf(indices), 0)) {
    auto type = fuse::getTensorType(tensor.value).clone(shapeOf(indices));
    return {b.splat(0, type), indices};
  }
  // Of nothing, all that is asked for lies outside.
  if (fuse::getTensorType(tensor.value).getNumElements() == 0)
    return spread(operand(*expr.fill, at.get(expr).element), indices);
  if (std::optional<Term> made = readSlice(expr, tensor, entries))
    return *made;
  if (std::optional<Term> made = readWindow(expr, tensor, entries))
    return *made;
  return readAnywhere(expr, tensor, entries);
}

} // namespace fusec
