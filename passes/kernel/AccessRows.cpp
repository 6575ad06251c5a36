// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/AccessRows.h"

#include "dialects/TargetInfo.h"
#include "dialects/TypeInfo.h"
#include "dialects/kernel/Nibbles.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fusec::kernel {

const char *explainNoRow(AffineForm form, MemRefType type, Value index,
                         int64_t width) {
  AffineExpr own = form.getDim(index);
  unsigned dim = cast<AffineDimExpr>(own).getPosition();
  bool isApart = type.getRank() == 0;
  for (AffineExpr expr : ArrayRef(form.exprs).drop_back(isApart ? 0 : 1))
    isApart |= expr.isFunctionOfDim(dim);
  AffineExpr rest = isApart ? own
                            : simplifyAffineExpr(form.exprs.back() - own,
                                                 form.operands.size(), 0);
  if (rest.isFunctionOfDim(dim))
    return "the elements are not side by side";
  if (type.getShape().back() % width != 0 || !rest.isMultipleOf(width))
    return "they begin at no multiple of their number";
  return nullptr;
}

template <class Op>
static const char *explainNoRowOf(Op op, Value index, int64_t width) {
  MemRefType type = op.getMemRefType();
  const TypeInfo *info = getTypeInfo(type.getElementType());
  if (op.getMask())
    return "not all of them may be there";
  if (isNibbles(type))
    return "an element is half a byte";
  if (width * int64_t(info->storageBytes()) >
      getTargetInfo(op).multiprocessor->accessBytes)
    return "they have more bytes than an access";
  return explainNoRow(AffineForm(op.getMap(), op.getIndices()), type, index,
                      width);
}

const char *explainNoRow(LoadOp op, Value index, int64_t width) {
  return explainNoRowOf(op, index, width);
}

const char *explainNoRow(StoreOp op, Value index, int64_t width) {
  return explainNoRowOf(op, index, width);
}

/// What it asks to be positive is `c + i`, or `c - i`, with such a rest of the
/// constant that no boundary lies within a row.
bool holdsForRow(IntegerSet set, ValueRange operands, Value index,
                 int64_t width) {
  AffineForm form = formOf(set, operands);
  AffineExpr own = form.getDim(index);
  unsigned dim = cast<AffineDimExpr>(own).getPosition();
  for (auto [number, expr] : llvm::enumerate(form.exprs)) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (set.isEq(number))
      return false;
    unsigned dims = form.operands.size();
    AffineExpr up = simplifyAffineExpr(expr - own, dims, 0),
               down = simplifyAffineExpr(expr + own, dims, 0);
    if (!up.isFunctionOfDim(dim) && up.isMultipleOf(width))
      continue;
    if (!down.isFunctionOfDim(dim) && (down + 1).isMultipleOf(width))
      continue;
    return false;
  }
  return true;
}

static bool isUnrolled(Operation *op) {
  auto loop = dyn_cast<ForOp>(op);
  return loop && loop.getMapping() == Mapping::unroll;
}

bool isRowLoop(ForOp each) {
  std::optional<int64_t> width = each.getConstantTripCount();
  if (each.getMapping() != Mapping::unroll || each.getStep() != 1 ||
      each.getConstantLower() != 0 || !width || !llvm::isPowerOf2_64(*width))
    return false;
  Operation *around = each->getParentOp();
  while (isUnrolled(around) || isa<IfOp>(around))
    around = around->getParentOp();
  auto threads = dyn_cast<ForOp>(around);
  return threads && threads.getMapping() == Mapping::thread;
}

/// A condition around all of the loop's body goes around the loop.
static void hoistCondition(ForOp each, int64_t width) {
  Block &body = each.getBody().front();
  auto inner = dyn_cast<IfOp>(body.front());
  if (!inner || !llvm::hasSingleElement(body.without_terminator()) ||
      !inner.getElseBody().empty() ||
      !holdsForRow(inner.getCondition(), inner.getOperands(), each.getIndex(),
                   width))
    return;
  AffineForm form = formOf(inner.getCondition(), inner.getOperands());
  AffineExpr own = form.getDim(each.getIndex());
  OpBuilder builder(each);
  for (AffineExpr &expr : form.exprs)
    expr = expr.replace(own, builder.getAffineConstantExpr(0));
  form.compose();
  auto outer = IfOp::create(builder, inner.getLoc(),
                            IntegerSet::get(form.operands.size(), 0, form.exprs,
                                            inner.getCondition().getEqFlags()),
                            form.operands);
  Block &content = inner.getBody().front();
  content.getTerminator()->erase();
  body.getOperations().splice(inner->getIterator(), content.getOperations());
  inner.erase();
  each->moveBefore(outer.getBody().front().getTerminator());
}

/// Whether what follows from the order of accesses to `memref` in `each` stays
/// if those of `op` come before the loop, or after it.
static bool isAlone(ForOp each, Operation *op, Value memref) {
  return llvm::all_of(memref.getUsers(), [&](Operation *user) {
    return user == op || !each->isProperAncestor(user) ||
           (isa<LoadOp>(op) && isa<LoadOp, GatherOp>(user));
  });
}

/// A thread's own array for the elements of a row.
static Value createRow(OpBuilder &builder, Location loc, Value memref,
                       int64_t width) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  MLIRContext *context = builder.getContext();
  auto type = MemRefType::get({width}, getComputeType(element), AffineMap(),
                              SpaceAttr::get(context, Space::thread));
  StringRef name = getNameOf(memref.getLoc());
  if (!name.empty())
    loc = NameLoc::get(builder.getStringAttr(name + "_row"), loc);
  return LocalOp::create(builder, loc, type);
}

/// Of the first iteration.
template <class Op> static AffineForm getBegin(Op op, ForOp each) {
  AffineForm form(op.getMap(), op.getIndices());
  AffineExpr own = form.getDim(each.getIndex());
  for (AffineExpr &expr : form.exprs)
    expr = expr.replace(own, getAffineConstantExpr(0, each.getContext()));
  form.compose();
  return form;
}

/// The store that alone writes what `load` gives to a row of a thread's own
/// array, element by element; null if there is none.
static StoreOp findKeeper(LoadOp load, ForOp each, int64_t width) {
  for (Operation *user : load.getResult().getUsers()) {
    auto store = dyn_cast<StoreOp>(user);
    if (!store || store.getValue() != load.getResult() ||
        store->getBlock() != load->getBlock())
      continue;
    MemRefType type = store.getMemRefType();
    ValueRange indices = store.getIndices();
    if (isOfThread(type) && store.getMap().isIdentity() &&
        (type.getRank() == 1 || type.getRank() == 2) &&
        type.getShape().back() == width && indices.back() == each.getIndex() &&
        isAlone(each, store, store.getMemref()))
      return store;
  }
  return {};
}

static void makeRow(LoadOp load, ForOp each, int64_t width) {
  OpBuilder builder(each);
  Location loc = load.getLoc();
  StoreOp keeper = findKeeper(load, each, width);
  Value row = keeper ? keeper.getMemref()
                     : createRow(builder, loc, load.getMemref(), width);
  SmallVector<Value> indices = {each.getIndex()};
  if (keeper)
    indices = keeper.getIndices();
  AffineForm begin = getBegin(load, each);
  LoadRowOp::create(builder, loc, load.getMemref(),
                    begin.getMap(each.getContext()), begin.operands, row,
                    indices.size() > 1 ? indices.front() : Value());
  builder.setInsertionPoint(load);
  Value element =
      LoadOp::create(builder, loc, load.getType(), row,
                     builder.getMultiDimIdentityMap(indices.size()), indices);
  if (keeper)
    keeper.erase();
  load.getResult().replaceAllUsesWith(element);
  load.erase();
}

/// The row that `value` is an element of as it was loaded; null if it is none.
static Value findLoaded(Value value, ForOp each) {
  auto load = value.getDefiningOp<LoadOp>();
  if (!load || !llvm::hasSingleElement(load.getIndices()) ||
      load.getIndices().front() != each.getIndex() ||
      !load.getMap().isIdentity())
    return {};
  bool isLoaded = false, isStored = false;
  for (Operation *user : load.getMemref().getUsers()) {
    auto row = dyn_cast<LoadRowOp>(user);
    isLoaded |= row && row.getRow() == load.getMemref();
    isStored |= isa<StoreOp>(user);
  }
  return isLoaded && !isStored ? load.getMemref() : Value();
}

static void makeRow(StoreOp store, ForOp each, int64_t width) {
  OpBuilder builder(each);
  Value row = findLoaded(store.getValue(), each);
  const bool isCopy = bool(row);
  if (!isCopy)
    row = createRow(builder, store.getLoc(), store.getMemref(), width);
  builder.setInsertionPointAfter(each);
  AffineForm begin = getBegin(store, each);
  StoreRowOp::create(builder, store.getLoc(), store.getMemref(),
                     begin.getMap(each.getContext()), begin.operands, row);
  builder.setInsertionPoint(store);
  if (!isCopy)
    StoreOp::create(builder, store.getLoc(), store.getValue(), row,
                    builder.getMultiDimIdentityMap(1),
                    ValueRange(each.getIndex()));
  Operation *value = store.getValue().getDefiningOp();
  store.erase();
  if (isCopy && value->use_empty())
    value->erase();
}

unsigned makeRows(ForOp each,
                  llvm::function_ref<void(Operation *, StringRef)> tell) {
  const int64_t width = *each.getConstantTripCount();
  hoistCondition(each, width);
  unsigned count = 0;
  auto attempt = [&](auto op) {
    Value memref = op.getMemref();
    auto changes = [&](Value index) {
      return each.getBody().isAncestor(index.getParentRegion());
    };
    if (isOfThread(memref.getType()) || llvm::none_of(op.getIndices(), changes))
      return;
    if (const char *reason = explainNoRow(op, each.getIndex(), width))
      return tell(op, reason);
    if (llvm::any_of(op.getIndices(), [&](Value index) {
          return index != each.getIndex() && changes(index);
        }))
      return tell(op, "a subscript is computed there");
    if (!isAlone(each, op, memref))
      return tell(op, "it is accessed there again");
    makeRow(op, each, width);
    ++count;
  };
  Block &body = each.getBody().front();
  for (LoadOp load : llvm::to_vector(body.getOps<LoadOp>()))
    attempt(load);
  // What is loaded to a row that stays is stored no more.
  for (StoreOp store : llvm::to_vector(body.getOps<StoreOp>()))
    attempt(store);
  if (body.without_terminator().empty())
    each.erase();
  return count;
}

} // namespace fusec::kernel
