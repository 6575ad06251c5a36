// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How loads, stores, gathers and local arrays print.
#include "codegen/KernelEmitter.h"

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
        isa<kernel::GatherOp>(user))
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
  for (AffineExpr subscript : map.getResults())
    text += "[" +
            emitter
                .affine(indices, map.getNumDims(),
                        [&](const AffinePrinter &printer) {
                          return printer.print(subscript);
                        })
                .text +
            "]";
  Expr result = Expr::name(std::move(text));
  result.atomic = false; // It is memory: reading it later may differ.
  return result;
}

/// A pointer to an element: `x + i * 512 + k`, `&tile[i][0]`. Of two elements
/// to a byte it is `nibble(x, i * 512 + k)`.
static Expr address(Value memref, AffineMap map, ValueRange indices,
                    KernelEmitter &emitter) {
  if (isLocal(memref))
    return unary("&", element(memref, map, indices, emitter));
  auto type = cast<MemRefType>(memref.getType());
  if (kernel::isNibbles(type)) {
    Expr place = emitter.affine(
        indices, map.getNumDims(), [&](const AffinePrinter &printer) {
          return printer.print(linearIndex(map, type.getShape()));
        });
    return call("nibble", {emitter.use(memref), place});
  }
  return emitter.affine(indices, map.getNumDims(),
                        [&](const AffinePrinter &printer) {
                          return printer.printAddress(emitter.use(memref).text,
                                                      map, type.getShape());
                        });
}

static Expr fillLiteral(TypedAttr fill) {
  if (auto number = dyn_cast_or_null<FloatAttr>(fill))
    return floatLiteral(number.getValue());
  if (auto number = dyn_cast_or_null<IntegerAttr>(fill))
    return integerLiteral(number.getValue());
  return {};
}

static bool isZero(TypedAttr fill) {
  if (auto number = dyn_cast_or_null<FloatAttr>(fill))
    return number.getValue().isPosZero();
  if (auto number = dyn_cast_or_null<IntegerAttr>(fill))
    return number.getValue().isZero();
  return !fill;
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
  auto type = cast<MemRefType>(memref.getType());
  bool direct = isLocal(memref) && op.getType() == type.getElementType();
  if (!isa<VectorType>(op.getType()) || direct) {
    Expr value = direct ? element(memref, op.getMap(), op.getIndices(), emitter)
                        : call("load", address(memref, op.getMap(),
                                               op.getIndices(), emitter));
    if (!op.getMask())
      return value;
    return guarded(emitter.use(op.getMask()), value, op.getFillAttr(),
                   op.getType());
  }
  SmallVector<Expr> args = {
      address(memref, op.getMap(), op.getIndices(), emitter)};
  std::string name = op.getStride() == 1 ? "load" : "load_strided";
  if (op.getStride() != 1)
    args.push_back(Expr::number(op.getStride()));
  if (op.getMask())
    args.push_back(asVector(emitter.use(op.getMask())));
  if (op.getMask() && !isZero(op.getFillAttr()))
    args.push_back(fillLiteral(op.getFillAttr()));
  return call(name + "<" + valueTypeName(op.getType()) + ">", args);
}

/// `&tile[0][0]`.
static Expr firstElement(Value memref, KernelEmitter &emitter) {
  MLIRContext *context = memref.getContext();
  SmallVector<AffineExpr> zeros(cast<MemRefType>(memref.getType()).getRank(),
                                getAffineConstantExpr(0, context));
  return address(memref, AffineMap::get(0, 0, zeros, context), {}, emitter);
}

/// A pointer to element `place` of `memref`: `x + i * 64`, or of two elements
/// to a byte `nibble(x, i * 64)`.
static Expr placeOf(Value memref, AffineExpr place, ValueRange operands,
                    unsigned numDims, unsigned numSymbols,
                    KernelEmitter &emitter) {
  Expr pointer = emitter.use(memref);
  if (kernel::isNibbles(cast<MemRefType>(memref.getType())))
    return call("nibble", {pointer, emitter.affine(operands, numDims,
                                                   [&](const AffinePrinter &p) {
                                                     return p.print(place);
                                                   })});
  // The name of a local array with rows is a pointer to rows.
  if (isLocal(memref) && cast<MemRefType>(memref.getType()).getRank() != 1)
    pointer = firstElement(memref, emitter);
  AffineMap linear = AffineMap::get(numDims, numSymbols, place);
  return emitter.affine(operands, numDims, [&](const AffinePrinter &printer) {
    return printer.printAddress(pointer.text, linear, {1});
  });
}

/// The affine part of a gather's linear index as an address, and the run-time
/// part as a vector or scalar expression.
static std::optional<Expr> gather(kernel::GatherOp op, KernelEmitter &emitter) {
  AffineMap map = op.getMap();
  auto type = op.getMemRefType();
  unsigned numDims = map.getNumDims();
  AffineExpr index = linearIndex(map, type.getShape());
  bool vectorIndex = llvm::any_of(op.getDynamic(), [](Value value) {
    return isa<VectorType>(value.getType());
  });
  SmallVector<Value> operands(op.getIndices());
  llvm::append_range(operands, op.getDynamic());
  auto print = [&](AffineExpr expr) {
    return emitter.affine(operands, numDims, [&](const AffinePrinter &printer) {
      return printer.print(expr);
    });
  };
  auto address = [&](AffineExpr place) {
    return placeOf(op.getMemref(), place, operands, numDims,
                   map.getNumSymbols(), emitter);
  };
  std::string vector = valueTypeName(op.getType());
  if (!vectorIndex && !isa<VectorType>(op.getType())) {
    Expr value = call("load", address(index));
    return op.getMask() ? guarded(emitter.use(op.getMask()), value,
                                  op.getFillAttr(), op.getType())
                        : value;
  }
  SmallVector<Expr> args;
  std::string name = "load<" + vector + ">";
  if (!vectorIndex) {
    args.push_back(address(index));
  } else {
    // What the lanes share goes into the pointer.
    MLIRContext *context = op.getContext();
    AffineExpr zero = getAffineConstantExpr(0, context), shared = index;
    Expr lanes;
    for (auto [number, value] : llvm::enumerate(op.getDynamic())) {
      if (!isa<VectorType>(value.getType()))
        continue;
      AffineExpr symbol = getAffineSymbolExpr(number, context);
      AffineExpr rest = simplifyAffineExpr(shared.replace(symbol, zero),
                                           numDims, map.getNumSymbols());
      AffineExpr scaled =
          simplifyAffineExpr(shared - rest, numDims, map.getNumSymbols());
      shared = rest;
      Expr term = emitter.arguments(value).front();
      if (scaled != symbol) {
        auto product = dyn_cast<AffineBinaryOpExpr>(scaled);
        if (!product || product.getLHS() != symbol ||
            !isa<AffineConstantExpr>(product.getRHS()))
          return std::nullopt;
        // A product of 32 bits might overflow.
        term = binary(call("to<i64x16>", term), "*", print(product.getRHS()),
                      Precedence::Multiplicative);
      }
      lanes = lanes.text.empty()
                  ? term
                  : binary(call("to<i64x16>", lanes), "+",
                           call("to<i64x16>", term), Precedence::Additive);
    }
    args.push_back(address(shared));
    args.push_back(lanes);
    name = "gather<" + vector + ">";
  }
  if (op.getMask())
    args.push_back(asVector(emitter.use(op.getMask())));
  if (op.getMask() && !isZero(op.getFillAttr()))
    args.push_back(fillLiteral(op.getFillAttr()));
  return call(name, args);
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
  auto type = cast<MemRefType>(memref.getType());
  Expr value = emitter.use(op.getValue());
  Type valueType = op.getValue().getType();
  if (isLocal(memref) && valueType == type.getElementType()) {
    Expr target = element(memref, op.getMap(), op.getIndices(), emitter);
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
    args.push_back(Expr::number(op.getStride()));
  args.push_back(emitter.arguments(op.getValue()).front());
  if (op.getMask())
    args.push_back(asVector(emitter.use(op.getMask())));
  emitter.out.line(
      call(op.getStride() == 1 ? "store" : "store_strided", args).text + ";");
  return success();
}

static LogicalResult prefetch(kernel::PrefetchOp op, KernelEmitter &emitter) {
  Expr pointer = address(op.getMemref(), op.getMap(), op.getIndices(), emitter);
  StringRef name = op.getWrite() ? "prefetch_write" : "prefetch";
  emitter.out.line(call(name, {pointer}).text + ";");
  return success();
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
  auto type = cast<MemRefType>(op.getType());
  std::string element = valueTypeName(type.getElementType());
  if (element.empty())
    return op.emitOpError("has elements of type ")
           << type.getElementType() << ", which emitted source has no name for";
  bool variable = isVariable(op);
  Expr name =
      emitter.declare(op, arrayName(op.getLoc()), variable ? "acc" : "tile");
  if (variable) {
    // As memory: reads of it must not move past stores.
    name.atomic = false;
    emitter.bind(op, name);
    if (startsWithStore(op)) {
      emitter.deferDeclaration(op, element);
      return success();
    }
  }
  std::string text = element + " " + name.text;
  if (!variable && !isa<VectorType>(type.getElementType()))
    text = emitter.syntax.arrayQualifier.str() + text;
  if (!variable) {
    SmallVector<int64_t> shape(type.getShape());
    if (wantsLongRows(op) && !shape.empty())
      shape.back() = llvm::alignTo(shape.back(), kernel::kLanes);
    for (int64_t extent : shape)
      text += "[" + std::to_string(extent) + "]";
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
  emitter.out.line(element + " *" + name.text + " = workspace<" + element +
                   ">(" + emitter.syntax.contextName + ", " +
                   Twine(op.getOffset()) + ");");
  return success();
}

void addMemoryPatterns(PatternSet &patterns) {
  patterns.expression<kernel::LoadOp>(load);
  patterns.expression<kernel::GatherOp>(gather);
  patterns.statement<kernel::StoreOp>(store);
  patterns.statement<kernel::PrefetchOp>(prefetch);
  patterns.statement<kernel::LocalOp>(local);
  patterns.statement<kernel::WorkspaceOp>(workspace);
}

} // namespace fusec::codegen
