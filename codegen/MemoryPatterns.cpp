// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How loads, stores, gathers and local arrays print.
#include "codegen/KernelEmitter.h"
#include "codegen/RequestedMemory.h"

#include "dialects/kernel/Nibbles.h"

using namespace mlir;

namespace fusec::codegen {

static bool isLocal(Value memref) {
  return memref.getDefiningOp<kernel::LocalOp>() != nullptr;
}

/// Whether vectors go over the end of the rows of an array of scalars: masked
/// lanes are not touched, but compilers warn about their addresses. Then rows
/// are made longer. Lanes further apart count rows as they are.
static bool wantsLongRows(kernel::LocalOp op) {
  if (isa<VectorType>(cast<MemRefType>(op.getType()).getElementType()))
    return false;
  bool vectors = false;
  for (Operation *user : op->getUsers()) {
    auto load = dyn_cast<kernel::LoadOp>(user);
    auto store = dyn_cast<kernel::StoreOp>(user);
    if ((load && load.getStride() != 1) || (store && store.getStride() != 1) ||
        isa<kernel::GatherOp, kernel::StoreTransposedOp>(user))
      return false;
    vectors |= (load && isa<VectorType>(load.getType())) ||
               (store && isa<VectorType>(store.getValue().getType()));
  }
  return vectors;
}

/// An array of one element is a variable.
static bool isVariable(Value memref) {
  auto op = memref.getDefiningOp<kernel::LocalOp>();
  return cast<MemRefType>(op.getType()).getNumElements() == 1 &&
         !wantsLongRows(op);
}

/// `acc[i][j]`: an element of a local array, which is a C array.
static Expr element(Value memref, AffineMap map, ValueRange indices,
                    KernelEmitter &emitter) {
  std::string text = emitter.use(memref).text;
  if (isVariable(memref))
    map = AffineMap::get(map.getNumDims(), 0, {}, map.getContext());
  Expr result; // Not atomic: it is memory, and reading it later may differ.
  for (AffineExpr subscript : map.getResults()) {
    Expr index = emitter.affine(
        indices, map.getNumDims(),
        [&](const AffinePrinter &printer) { return printer.print(subscript); });
    text += "[" + index.text + "]";
    result.operations += index.operations;
  }
  result.text = std::move(text);
  return result;
}

/// `x(i, k)`: an element of a tensor in memory, which is a view.
static Expr viewed(Value memref, AffineMap map, ValueRange operands,
                   KernelEmitter &emitter) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<AffineExpr> subscripts = joinSubscripts(map, type.getShape());
  bool isPlace = subscripts.size() != map.getNumResults();
  SmallVector<Expr> texts;
  for (AffineExpr subscript : subscripts) {
    auto symbol = dyn_cast<AffineSymbolExpr>(subscript);
    texts.push_back(
        symbol ? emitter.use(operands[map.getNumDims() + symbol.getPosition()])
               : emitter.affine(operands, map.getNumDims(),
                                [&](const AffinePrinter &printer) {
                                  return printer.print(subscript);
                                }));
  }
  Expr view = emitter.use(memref);
  if (!isPlace)
    return call(view.text, texts);
  Expr result{view.text + "[" + texts.front().text + "]"};
  result.operations = texts.front().operations + 1;
  return result;
}

/// What loads and stores take: `&x(i, k)`, `&tile[i][0]`. Elements of which two
/// lie in a byte have no address, only a place, which `w(i, k)` is.
Expr address(Value memref, AffineMap map, ValueRange indices,
             KernelEmitter &emitter) {
  if (isLocal(memref))
    return unary("&", element(memref, map, indices, emitter));
  Expr place = viewed(memref, map, indices, emitter);
  return kernel::isNibbles(cast<MemRefType>(memref.getType()))
             ? place
             : unary("&", place);
}

/// Whether an element of `memref` is a `value` as it lies there.
static bool isStoredAs(Value memref, Type value) {
  auto type = cast<MemRefType>(memref.getType());
  if (isLocal(memref))
    return value == type.getElementType();
  return !isa<VectorType>(value) &&
         storageTypeName(type) == valueTypeName(value);
}

/// The element itself, where no vocabulary function must convert it.
static Expr elementOf(Value memref, AffineMap map, ValueRange indices,
                      KernelEmitter &emitter) {
  return isLocal(memref) ? element(memref, map, indices, emitter)
                         : viewed(memref, map, indices, emitter);
}

/// A distance between elements by the subscript that makes it: `x.stride(0)`.
static Expr distance(Value memref, int64_t elements, KernelEmitter &emitter) {
  if (isLocal(memref))
    return Expr::number(elements);
  auto type = cast<MemRefType>(memref.getType());
  int64_t stride = type.getNumElements();
  for (auto [dim, extent] : llvm::enumerate(type.getShape().drop_back())) {
    if (extent == 0)
      break;
    stride /= extent;
    if (stride == 1 || elements % stride != 0)
      continue;
    Expr one = call(emitter.use(memref).text + ".stride", Expr::number(dim));
    return elements == stride ? one
                              : binary(Expr::number(elements / stride), "*",
                                       one, Precedence::Multiplicative);
  }
  return Expr::number(elements);
}

static Expr fillLiteral(TypedAttr fill) {
  if (auto number = dyn_cast_or_null<FloatAttr>(fill))
    return floatLiteral(number.getValue());
  if (auto number = dyn_cast_or_null<IntegerAttr>(fill))
    return integerLiteral(number.getValue());
  return {};
}

/// `mask ? value : fill`.
static Expr guarded(const Expr &mask, const Expr &value, TypedAttr fill,
                    Type type) {
  Expr other;
  if (fill)
    other = fillLiteral(fill);
  else
    other = Expr::number(type.isF32()         ? "0.0f"
                         : type.isF64()       ? "0.0"
                         : type.isInteger(1)  ? "false"
                         : type.isInteger(64) ? "int64_t(0)"
                                              : "0");
  return conditional(mask, value, other);
}

static Expr load(kernel::LoadOp op, KernelEmitter &emitter) {
  Value memref = op.getMemref();
  bool direct = isStoredAs(memref, op.getType());
  if (!isa<VectorType>(op.getType()) || direct) {
    Expr value =
        direct ? elementOf(memref, op.getMap(), op.getIndices(), emitter)
               : call("load",
                      address(memref, op.getMap(), op.getIndices(), emitter));
    if (!op.getMask())
      return value;
    return guarded(emitter.use(op.getMask()), value, op.getFillAttr(),
                   op.getType());
  }
  SmallVector<Expr> args = {
      address(memref, op.getMap(), op.getIndices(), emitter)};
  std::string name = op.getStride() == 1 ? "load" : "load_strided";
  if (op.getStride() != 1)
    args.push_back(distance(memref, op.getStride(), emitter));
  if (op.getMask())
    args.push_back(asVector(emitter.use(op.getMask())));
  if (op.getMask() && !kernel::fillsZeros(op.getFillAttr()))
    args.push_back(fillLiteral(op.getFillAttr()));
  return call(name + "<" + valueTypeName(op.getType()) + ">", args);
}

/// A run-time subscript of lanes and how far apart the elements are that it
/// counts.
struct LaneSubscript {
  Value lanes;
  int64_t elements;
};

/// The subscripts of `op` that differ from lane to lane; nothing if one of them
/// is not just multiplied by a number.
static std::optional<SmallVector<LaneSubscript>>
laneSubscripts(kernel::GatherOp op) {
  AffineMap map = op.getMap();
  AffineExpr rest = linearIndex(map, op.getMemRefType().getShape());
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  SmallVector<LaneSubscript> result;
  for (auto [number, value] : llvm::enumerate(op.getDynamic())) {
    if (!isa<VectorType>(value.getType()))
      continue;
    AffineExpr symbol = getAffineSymbolExpr(number, op.getContext());
    AffineExpr without = simplifyAffineExpr(
        rest.replace(symbol, zero), map.getNumDims(), map.getNumSymbols());
    AffineExpr term = simplifyAffineExpr(rest - without, map.getNumDims(),
                                         map.getNumSymbols());
    auto product = dyn_cast<AffineBinaryOpExpr>(term);
    auto factor = dyn_cast_if_present<AffineConstantExpr>(
        product ? product.getRHS() : AffineExpr());
    if (term != symbol && (!factor || product.getLHS() != symbol))
      return std::nullopt;
    result.push_back({value, term == symbol ? 1 : factor.getValue()});
    rest = without;
  }
  return result;
}

/// `map` with those of its symbols that differ from lane to lane 0.
static AffineMap withoutLanes(kernel::GatherOp op) {
  AffineMap map = op.getMap();
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  DenseMap<AffineExpr, AffineExpr> zeros;
  for (auto [number, value] : llvm::enumerate(op.getDynamic()))
    if (isa<VectorType>(value.getType()))
      zeros[getAffineSymbolExpr(number, op.getContext())] = zero;
  return simplifyAffineMap(
      map.replace(zeros, map.getNumDims(), map.getNumSymbols()));
}

/// What all lanes share stands in the subscripts of the pointer, the rest in a
/// vector of distances from it.
static std::optional<Expr> gather(kernel::GatherOp op, KernelEmitter &emitter) {
  Value memref = op.getMemref();
  SmallVector<Value> operands(op.getIndices());
  llvm::append_range(operands, op.getDynamic());
  if (!isa<VectorType>(op.getType())) {
    Expr value =
        isStoredAs(memref, op.getType())
            ? elementOf(memref, op.getMap(), operands, emitter)
            : call("load", address(memref, op.getMap(), operands, emitter));
    return op.getMask() ? guarded(emitter.use(op.getMask()), value,
                                  op.getFillAttr(), op.getType())
                        : value;
  }
  auto subscripts = laneSubscripts(op);
  if (!subscripts)
    return std::nullopt;
  SmallVector<Expr> args = {
      address(memref, withoutLanes(op), operands, emitter)};
  // A distance has the 32 bits of its subscripts where no element is farther
  // away: what wraps on the way to it, or in a masked lane, does no harm.
  MemRefType type = op.getMemRefType();
  const bool isNear =
      type.hasStaticShape() && type.getNumElements() <= INT32_MAX &&
      llvm::all_of(*subscripts, [](const LaneSubscript &subscript) {
        return getElementTypeOrSelf(subscript.lanes).isInteger(32);
      });
  auto widened = [&](const Expr &term) {
    return isNear ? term : call("to<i64x16>", term);
  };
  Expr lanes;
  for (const LaneSubscript &subscript : *subscripts) {
    Expr term = emitter.arguments(subscript.lanes).front();
    if (subscript.elements != 1) {
      Expr apart = distance(memref, subscript.elements, emitter);
      if (isNear && !isLocal(memref))
        apart = call("int32_t", apart);
      term = binary(widened(term), "*", apart, Precedence::Multiplicative);
    }
    lanes = lanes.text.empty() ? term
                               : binary(widened(lanes), "+", widened(term),
                                        Precedence::Additive);
  }
  if (!subscripts->empty())
    args.push_back(lanes);
  if (op.getMask())
    args.push_back(asVector(emitter.use(op.getMask())));
  if (op.getMask() && !kernel::fillsZeros(op.getFillAttr()))
    args.push_back(fillLiteral(op.getFillAttr()));
  std::string name = subscripts->empty() ? "load<" : "gather<";
  return call(name + valueTypeName(op.getType()) + ">", args);
}

/// `statement`, under the scalar mask of `op` if it has one.
static void emitMasked(kernel::StoreOp op, const std::string &statement,
                       KernelEmitter &emitter) {
  if (!op.getMask()) {
    emitter.out.line(statement);
    return;
  }
  emitter.out.open("if (" + emitter.use(op.getMask()).text + ")");
  emitter.out.line(statement);
  emitter.out.close("", /*elide=*/true);
}

static LogicalResult store(kernel::StoreOp op, KernelEmitter &emitter) {
  Value memref = op.getMemref();
  Expr value = emitter.use(op.getValue());
  Type valueType = op.getValue().getType();
  if (isStoredAs(memref, valueType)) {
    Expr target = elementOf(memref, op.getMap(), op.getIndices(), emitter);
    std::string type = emitter.takeDeclaration(memref);
    if (!type.empty())
      type += " ";
    emitMasked(op, type + target.text + " = " + value.text + ";", emitter);
    return success();
  }
  Expr pointer = address(memref, op.getMap(), op.getIndices(), emitter);
  if (!isa<VectorType>(valueType)) {
    emitMasked(op, call("store", {pointer, value}).text + ";", emitter);
    return success();
  }
  SmallVector<Expr> args = {pointer};
  if (op.getStride() != 1)
    args.push_back(distance(memref, op.getStride(), emitter));
  args.push_back(emitter.arguments(op.getValue()).front());
  if (op.getMask())
    args.push_back(asVector(emitter.use(op.getMask())));
  StringRef name = op.isStreamed()       ? "store_streamed"
                   : op.getStride() == 1 ? "store"
                                         : "store_strided";
  emitter.out.line(call(name, args).text + ";");
  return success();
}

static LogicalResult storeTransposed(kernel::StoreTransposedOp op,
                                     KernelEmitter &emitter) {
  SmallVector<Expr> args = {
      address(op.getMemref(), op.getMap(), op.getIndices(), emitter),
      distance(op.getMemref(), op.getStride(), emitter),
      element(op.getRows(), op.getRowsMap(), op.getRowsIndices(), emitter)};
  if (op.getMask())
    args.push_back(asVector(emitter.use(op.getMask())));
  emitter.out.line(call("store_transposed", args).text + ";");
  return success();
}

static LogicalResult prefetch(kernel::PrefetchOp op, KernelEmitter &emitter) {
  Expr pointer = address(op.getMemref(), op.getMap(), op.getIndices(), emitter);
  StringRef name = op.getWrite() ? "prefetch_write" : "prefetch";
  emitter.out.line(call(name, {pointer}).text + ";");
  return success();
}

static LogicalResult atomic(kernel::AtomicOp op, KernelEmitter &emitter) {
  std::string name = "atomic_" + stringifyCombiner(op.getCombiner()).str();
  Expr to = elementOf(op.getMemref(), op.getMap(), op.getIndices(), emitter);
  Expr value = emitter.use(op.getValue());
  emitter.out.line(call(name, {to, value}).text + ";");
  return success();
}

static LogicalResult lastBlock(kernel::LastBlockOp op, KernelEmitter &emitter) {
  auto subscripts = AffineMap::getMultiDimIdentityMap(op.getIndices().size(),
                                                      op.getContext());
  Expr ticket = address(op.getTickets(), subscripts, op.getIndices(), emitter);
  Expr blocks = Expr::number(op.getBlocks());
  emitter.names.pushScope();
  emitter.out.open("if (" + call("is_last_block", {ticket, blocks}).text + ")");
  LogicalResult result = emitter.emitBlock(op.getBody().front());
  emitter.out.close("", /*elide=*/true);
  emitter.names.popScope();
  return result;
}

/// Whether the first thing that happens to a variable is an unconditional store
/// in the block that declares it.
static bool startsWithStore(kernel::LocalOp op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    bool touches =
        next->walk([&](Operation *inner) {
              return llvm::is_contained(inner->getOperands(), op.getResult())
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (!touches)
      continue;
    auto store = dyn_cast<kernel::StoreOp>(next);
    return store && !store.getMask() && store.getMemref() == op.getResult();
  }
  return false;
}

static LogicalResult local(kernel::LocalOp op, KernelEmitter &emitter) {
  if (emitter.isDeclared(op))
    return success();
  auto type = cast<MemRefType>(op.getType());
  FailureOr<std::string> element = elementTypeName(op);
  if (failed(element))
    return failure();
  bool variable = isVariable(op);
  Expr name =
      emitter.declare(op, arrayName(op.getLoc()), variable ? "acc" : "tile");
  if (variable) {
    // As memory: reads of it must not move past stores.
    name.atomic = false;
    emitter.bind(op, name);
    if (!kernel::isShared(type) && startsWithStore(op)) {
      emitter.deferDeclaration(op, *element);
      return success();
    }
  }
  std::string text = *element + " " + name.text;
  if (kernel::isShared(type))
    text = emitter.syntax.sharedQualifier.str() + text;
  else if (!variable && !isa<VectorType>(type.getElementType()))
    text = emitter.syntax.arrayQualifier.str() + text;
  if (!variable) {
    SmallVector<int64_t> shape(type.getShape());
    if (wantsLongRows(op) && !shape.empty())
      shape.back() = llvm::alignTo(shape.back(), kernel::kLanes);
    text += writeExtents(shape);
  }
  emitter.out.line(text + ";");
  return success();
}

static LogicalResult workspace(kernel::WorkspaceOp op, KernelEmitter &emitter) {
  std::string element =
      storageTypeName(cast<MemRefType>(op.getType()).getElementType());
  if (element.empty())
    return op.emitOpError("has elements that emitted source has no name for");
  Expr name = emitter.declare(op, arrayName(op.getLoc()), "scratch");
  emitter.out.line("const " +
                   viewTypeName(cast<MemRefType>(op.getType()),
                                /*isInput=*/false, emitter.getIndexSyntax()) +
                   " " + name.text + "{workspace<" + element + ">(" +
                   emitter.syntax.contextName + ", " + Twine(op.getOffset()) +
                   ")};");
  return success();
}

void addMemoryPatterns(PatternSet &patterns) {
  patterns.expression<kernel::LoadOp>(load);
  patterns.expression<kernel::GatherOp>(gather);
  patterns.statement<kernel::StoreOp>(store);
  patterns.statement<kernel::StoreTransposedOp>(storeTransposed);
  patterns.statement<kernel::AtomicOp>(atomic);
  patterns.statement<kernel::LastBlockOp>(lastBlock);
  patterns.statement<kernel::PrefetchOp>(prefetch);
  patterns.statement<kernel::LocalOp>(local);
  patterns.statement<kernel::WorkspaceOp>(workspace);
}

} // namespace fusec::codegen
