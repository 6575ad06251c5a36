// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/BandAnalysis.h"

#include "passes/fusion/FusionRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

using BandCoordinates = BandAnalysis::Coordinates;

/// The dimensions of the operation's result whose extent is not 1.
static BandCoordinates getWideDims(PrimitiveOpInterface op) {
  BandCoordinates dims;
  for (auto [i, extent] :
       llvm::enumerate(getTensorType(op->getResult(0)).getShape()))
    if (extent != 1)
      dims.push_back(i);
  return dims;
}

static SmallVector<int64_t> getExtents(PrimitiveOpInterface op,
                                       ArrayRef<unsigned> resultDims) {
  auto type = getTensorType(op->getResult(0));
  return llvm::map_to_vector(resultDims,
                             [&](unsigned d) { return type.getDimSize(d); });
}

static std::string print(ArrayRef<int64_t> extents) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(extents, stream << "[");
  stream << "]";
  return text;
}

/// The position of iterator `iterator` among the map's results.
static std::optional<unsigned> findIterator(AffineMap map, unsigned iterator) {
  return map.getResultPosition(getAffineDimExpr(iterator, map.getContext()));
}

BandAnalysis::BandAnalysis(ArrayRef<Operation *> ops)
    : ops(ops), set(ops.begin(), ops.end()) {
  for (analyse(); loose.size() < leaving.size(); analyse())
    loose = leaving;
}

void BandAnalysis::analyse() {
  dependent.clear();
  coordinates.clear();
  refusal.reset();
  reduces = contracts = inRows = false;
  findBand();
  if (!refusal)
    propagateForwards();
  if (!refusal)
    propagateBackwards();
}

bool BandAnalysis::fail(std::string reason) {
  refusal = std::move(reason);
  return false;
}

void BandAnalysis::findBand() {
  PrimitiveOpInterface reference;
  for (Operation *op : ops) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    if (!primitive)
      continue;
    bool contraction = isContraction(primitive);
    contracts |= contraction;
    if (primitive.hasReduction()) {
      // Reductions of a contraction's rows run over more than the band.
      inRows |= contracts && !contraction;
      if (!reduces || (inRows && isContraction(reference)))
        reference = primitive;
      reduces = true;
    }
    // The last operation is one that no other reads.
    if (!reduces)
      reference = primitive;
  }
  if (!reference)
    return;
  BandCoordinates wide = getWideDims(reference);
  numWide = wide.size();
  band = getExtents(reference, dropLoose(wide));
}

BandCoordinates BandAnalysis::dropLoose(BandCoordinates wide) const {
  if (wide.size() != numWide)
    return wide;
  BandCoordinates kept;
  for (auto [place, dim] : llvm::enumerate(wide))
    if (!loose.contains(place))
      kept.push_back(dim);
  return kept;
}

/// Takes dimension `dim` out of the band, in the next analysis. False if it has
/// to be in it: tiles of contractions lie in all of them but where rows are
/// made in parts, lanes or rows run along the last one.
bool BandAnalysis::loosen(unsigned dim) {
  if ((contracts && !inRows) || dim + 1 == band.size())
    return false;
  unsigned place = 0;
  for (unsigned left = dim; loose.contains(place) || left > 0; ++place)
    left -= !loose.contains(place);
  leaving.insert(place);
  return true;
}

/// `expr` without the iterators that are always 0.
static AffineExpr dropUnitIterators(AffineExpr expr,
                                    ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> iterators;
  for (auto [dim, extent] : llvm::enumerate(extents))
    iterators.push_back(extent == 1
                            ? getAffineConstantExpr(0, expr.getContext())
                            : getAffineDimExpr(dim, expr.getContext()));
  return expr.replaceDims(iterators);
}

/// The iterators of `op` that run along the band, as what it reads demands.
/// False if two operands disagree or one is read elsewhere.
bool BandAnalysis::inferFromOperands(
    PrimitiveOpInterface op, std::optional<BandCoordinates> &iterators) {
  SmallVector<int64_t> extents = op.getIterationExtents();
  for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
    Operation *producer = op->getOperand(i).getDefiningOp();
    if (!producer || !dependent.contains(producer))
      continue;
    AffineMap map = op.getOperandMap(i);
    BandCoordinates here;
    for (auto [k, position] : llvm::enumerate(coordinates[producer])) {
      auto dim = dyn_cast<AffineDimExpr>(
          dropUnitIterators(map.getResult(position), extents));
      bool isHere = dim && extents[dim.getPosition()] == band[k];
      if (!isHere && !inRows && loosen(k))
        continue;
      if (!isHere)
        return fail("a reduced value would be read at another point than where "
                    "it is computed");
      here.push_back(dim.getPosition());
    }
    if (iterators && *iterators != here)
      return fail("reduced values would be read at two points at once");
    iterators = here;
  }
  return true;
}

/// Of the dimensions `wide` of the contraction `op`, those that are not of its
/// row. That is the last one, unless the first reduction of the set that reads
/// it runs over others and leaves that one: over sums of blocks.
BandCoordinates BandAnalysis::dropRow(Operation *op,
                                      BandCoordinates wide) const {
  BandCoordinates left = wide;
  SmallVector<Operation *> open{op};
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val()->getUses()) {
      auto reader = dyn_cast<PrimitiveOpInterface>(use.getOwner());
      if (!reader || !set.contains(reader))
        continue;
      if (reader.isElementwise())
        open.push_back(reader);
      if (!reader.hasReduction() || isContraction(reader))
        continue;
      AffineMap from = reader.getOperandMap(use.getOperandNumber());
      llvm::erase_if(left, [&](unsigned d) {
        return !reader.getResultMap(0).getResultPosition(from.getResult(d));
      });
      open.clear();
      break;
    }
  const bool isOfBlocks =
      left.size() < wide.size() && !left.empty() && left.back() == wide.back();
  if (!isOfBlocks && !wide.empty())
    wide.pop_back();
  return isOfBlocks ? left : wide;
}

/// Sets the coordinates of a reducing operation; `iterators` are those that its
/// operands demand, if any.
bool BandAnalysis::placeReduction(PrimitiveOpInterface op,
                                  std::optional<BandCoordinates> iterators) {
  BandCoordinates wide = getWideDims(op);
  if (!iterators) {
    if (inRows && isContraction(op))
      wide = dropRow(op, std::move(wide));
    wide = dropLoose(wide);
    if (SmallVector<int64_t> extents = getExtents(op, wide);
        ArrayRef<int64_t>(extents) != ArrayRef<int64_t>(band))
      return fail("reductions leave " + print(band) + " and " + print(extents) +
                  ", no common iteration space");
    coordinates[op] = wide;
    return true;
  }
  BandCoordinates result;
  for (auto [k, iterator] : llvm::enumerate(*iterators)) {
    std::optional<unsigned> position =
        findIterator(op.getResultMap(0), iterator);
    // Rows in parts: a loop over these stands in the band.
    if (!position && inRows && !isContraction(op) && loosen(k))
      continue;
    if (!position)
      return fail("a reduction would run over what the group is parallel over");
    result.push_back(*position);
  }
  // A product with a row makes another row.
  const size_t more = wide.size() - result.size();
  const bool fits = inRows ? more <= loose.size() + (isContraction(op) ? 1 : 0)
                           : more == 0 || more == loose.size();
  if (!fits)
    return fail("a reduction leaves more dimensions than the group's others");
  coordinates[op] = result;
  return true;
}

void BandAnalysis::propagateForwards() {
  for (Operation *op : ops) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    if (!primitive)
      continue;
    std::optional<BandCoordinates> iterators;
    if (!inferFromOperands(primitive, iterators))
      return;
    if (primitive.hasReduction()) {
      if (!placeReduction(primitive, iterators))
        return;
    } else if (iterators) {
      if (contracts && !inRows &&
          getWideDims(primitive).size() != band.size()) {
        fail("a contraction's epilogue would run over more than its result");
        return;
      }
      coordinates[op] = *iterators;
    } else {
      continue;
    }
    dependent.insert(op);
  }
}

/// Where a pointwise operation is computed if it is stored: at the point where
/// its users read it. Nothing if they read it elsewhere or disagree.
std::optional<BandCoordinates>
BandAnalysis::inferFromUsers(PrimitiveOpInterface op) {
  std::optional<BandCoordinates> agreed;
  auto type = getTensorType(op->getResult(0));
  for (OpOperand &use : op->getResult(0).getUses()) {
    auto user = dyn_cast<PrimitiveOpInterface>(use.getOwner());
    if (!user || !set.contains(user))
      continue;
    auto known = coordinates.find(user);
    if (known == coordinates.end())
      return std::nullopt;
    AffineMap map = user.getOperandMap(use.getOperandNumber());
    AffineMap resultMap = user.getResultMap(0);
    BandCoordinates found;
    for (auto [k, position] : llvm::enumerate(known->second)) {
      auto iterator = cast<AffineDimExpr>(resultMap.getResult(position));
      std::optional<unsigned> dim = findIterator(map, iterator.getPosition());
      if (!dim || type.getDimSize(*dim) != band[k])
        return std::nullopt;
      found.push_back(*dim);
    }
    if (agreed && *agreed != found)
      return std::nullopt;
    agreed = found;
  }
  return agreed;
}

void BandAnalysis::propagateBackwards() {
  for (Operation *op : llvm::reverse(ops)) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    if (!primitive || coordinates.contains(op))
      continue;
    BandCoordinates wide = getWideDims(primitive);
    bool isSink = llvm::none_of(
        op->getUsers(), [&](Operation *user) { return set.contains(user); });
    std::optional<BandCoordinates> found;
    if (!isSink)
      found = inferFromUsers(primitive);
    else if (getExtents(primitive, wide) == band)
      found = wide;
    if (found && !reduces && found->size() != wide.size())
      found = std::nullopt;
    if (found) {
      coordinates[op] = *found;
      continue;
    }
    if (isSink) {
      fail("results have the iteration spaces " + print(band) + " and " +
           print(getExtents(primitive, wide)));
      return;
    }
    if (isNeededOutside(op, set)) {
      fail("a value that is needed outside would be read at other points than "
           "where it is computed");
      return;
    }
  }
}
