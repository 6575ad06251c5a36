// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/TransposeStores.h"

#include "passes/kernel/AffineForms.h"
#include "passes/kernel/TileRows.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace fusec::kernel {

namespace {

/// A store of vectors whose lanes lie apart, in the loop that gives its rows.
class ApartStore {
public:
  explicit ApartStore(StoreOp store)
      : store(store), place(store.getMap(), store.getIndices()) {
    place.compose();
  }

  /// Finds the loop around that the rows are of; false if there is none, or if
  /// what it writes cannot wait for its end.
  bool findRows();
  /// Stores to an array, and that to memory after the loop.
  void transpose();

private:
  bool isRow(ForOp loop);
  bool isBeside(StoreOp other);
  bool canWait();
  /// The subscripts of the array for the loops between that run more than once.
  AffineForm getRowsForm() const;

  StoreOp store;
  AffineForm place;
  ForOp rows;
  /// Between `rows` and the store, from the outermost.
  SmallVector<ForOp> between;
  /// What the mask is computed with in `rows`.
  SetVector<Operation *> maskOps;
};

} // namespace

/// Whether iterations of `loop` write side by side.
bool ApartStore::isRow(ForOp loop) {
  return loop.getMapping() == Mapping::unroll &&
         loop.getConstantTripCount().value_or(0) >= kLeastTransposed &&
         isRowOf(loop, store);
}

/// Whether `other` writes other lanes of the same rows, such as those that are
/// left of whole vectors.
bool ApartStore::isBeside(StoreOp other) {
  auto mine = dyn_cast<ForOp>(store->getParentOp());
  auto its = dyn_cast<ForOp>(other->getParentOp());
  if (mine == rows || mine->getBlock() != its->getBlock() ||
      store.getStride() != other.getStride())
    return false;
  AffineForm there(other.getMap(), other.getIndices());
  IRMapping mapping;
  mapping.map(its.getIndex(), mine.getIndex());
  there.remap(mapping);
  there.compose();
  return there.operands == place.operands && there.exprs == place.exprs &&
         its.getConstantTripCount() &&
         (*its.getConstantUpper() <= *mine.getConstantLower() ||
          *mine.getConstantUpper() <= *its.getConstantLower());
}

/// Whether nothing else in the loop accesses what it writes, and what says
/// where that is does not change with its iterations.
bool ApartStore::canWait() {
  Region &body = rows.getBody();
  for (Operation *user : store.getMemref().getUsers()) {
    auto other = dyn_cast<StoreOp>(user);
    if (user != store && body.isAncestor(user->getParentRegion()) &&
        !(other && isBeside(other)))
      return false;
  }
  auto isKnown = [&](Value value) {
    return !body.isAncestor(value.getParentRegion()) ||
           llvm::any_of(between,
                        [&](ForOp loop) { return value == loop.getIndex(); });
  };
  if (!llvm::all_of(place.operands, [&](Value value) {
        return value == rows.getIndex() || isKnown(value);
      }))
    return false;
  if (!store.getMask() || isKnown(store.getMask()))
    return true;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return !isa<ForOp>(op) && body.isAncestor(op->getParentRegion());
  };
  if (failed(getBackwardSlice(store.getMask(), &maskOps, options)))
    return false;
  return llvm::all_of(maskOps, [&](Operation *op) {
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(), [&](Value value) {
             return isKnown(value) || maskOps.contains(value.getDefiningOp());
           });
  });
}

bool ApartStore::findRows() {
  for (auto loop = dyn_cast<ForOp>(store->getParentOp()); loop;
       loop = dyn_cast<ForOp>(loop->getParentOp())) {
    if (isRow(loop)) {
      rows = loop;
      return canWait();
    }
    if (!loop.getConstantTripCount())
      return false;
    between.insert(between.begin(), loop);
  }
  return false;
}

AffineForm ApartStore::getRowsForm() const {
  AffineForm form;
  for (ForOp loop : between)
    if (loop.getConstantTripCount() != 1)
      form.exprs.push_back(
          (form.getDim(loop.getIndex()) - *loop.getConstantLower())
              .floorDiv(loop.getStep()));
  return form;
}

void ApartStore::transpose() {
  MLIRContext *context = store.getContext();
  OpBuilder builder(rows);
  SmallVector<int64_t> shape;
  for (ForOp loop : between)
    if (loop.getConstantTripCount() != 1)
      shape.push_back(*loop.getConstantTripCount());
  shape.push_back(*rows.getConstantTripCount());
  Location loc = store.getLoc();
  Value array =
      LocalOp::create(builder, NameLoc::get(builder.getStringAttr("tile")),
                      MemRefType::get(shape, store.getValue().getType()));

  builder.setInsertionPoint(store);
  AffineForm vector = getRowsForm();
  vector.exprs.push_back(
      (vector.getDim(rows.getIndex()) - *rows.getConstantLower())
          .floorDiv(rows.getStep()));
  vector.compose();
  StoreOp::create(builder, loc, store.getValue(), array, vector.getMap(context),
                  vector.operands);

  builder.setInsertionPointAfter(rows);
  IRMapping mapping;
  mapping.map(rows.getIndex(), Value(arith::ConstantIndexOp::create(
                                   builder, loc, *rows.getConstantLower())));
  for (ForOp loop : between) {
    auto copy = ForOp::create(builder, loop.getLoc(), *loop.getConstantLower(),
                              *loop.getConstantUpper(), loop.getStep());
    copy.getIndex().setLoc(loop.getIndex().getLoc());
    mapping.map(loop.getIndex(), copy.getIndex());
    builder.setInsertionPoint(copy.getBody().front().getTerminator());
  }
  for (Operation *op : maskOps)
    builder.clone(*op, mapping);
  AffineForm row = getRowsForm();
  row.remap(mapping);
  row.compose();
  place.remap(mapping);
  place.compose();
  Value mask = store.getMask();
  StoreTransposedOp::create(
      builder, loc, array, row.getMap(context), row.operands, store.getMemref(),
      place.getMap(context), place.operands,
      mask ? mapping.lookupOrDefault(mask) : mask, store.getStride());
  store.erase();
}

void transposeStores(FuncOp func) {
  SmallVector<StoreOp> stores;
  func.walk([&](StoreOp store) {
    if (store.isVector() && store.getStride() != 1)
      stores.push_back(store);
  });
  for (StoreOp store : stores) {
    ApartStore apart(store);
    if (apart.findRows())
      apart.transpose();
  }
}

} // namespace fusec::kernel
