// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/KernelSyntax.h"
#include "dialects/kernel/Nibbles.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

void ApplyOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

Type kernel::getFragmentType(Type type) {
  Type i32 = IntegerType::get(type.getContext(), 32);
  return isa<VectorType>(type) ? Type(getVectorOf(i32)) : i32;
}

ParseResult TermsOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> terms;
  Type type;
  if (parser.parseOperandList(terms) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(terms, type, state.operands))
    return failure();
  state.addTypes(kernel::getFragmentType(type));
  return success();
}

void TermsOp::print(OpAsmPrinter &printer) {
  printer << " " << getTerms();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getTerms().front().getType();
}

/// Whether `type` is f32, or lanes of it.
static bool isFloats(Type type) { return getElementTypeOrSelf(type).isF32(); }

LogicalResult LookUpOp::verify() {
  if (getTable().size() != 256)
    return emitOpError() << "has a table of " << getTable().size()
                         << " entries, needs 256";
  const bool isUnsigned =
      llvm::all_of(getTable(), [](int32_t entry) { return entry >= 0; });
  for (int32_t entry : getTable())
    if (isUnsigned ? entry > 255 : !llvm::isInt<8>(entry))
      return emitOpError() << "has the entry " << entry
                           << ", which does not fit 8 bits beside the others";
  return success();
}

LogicalResult TermsOp::verify() {
  if (getTerms().size() != 2 && getTerms().size() != 4)
    return emitOpError() << "needs 2 terms or 4, has " << getTerms().size();
  Type type = getTerms().front().getType();
  if (!llvm::all_equal(getTerms().getTypes()) ||
      getType() != kernel::getFragmentType(type))
    return emitOpError() << "has terms and a result of different kinds";
  if (isFloats(type) && getTerms().size() != 2)
    return emitOpError() << "has 2 terms of bf16 at a time, not "
                         << getTerms().size();
  return success();
}

bool TermsOp::lieSideBySide() {
  const int64_t count = getTerms().size();
  auto first = getTerms().front().getDefiningOp<LoadOp>();
  if (!first || first.getMemref().getDefiningOp<LocalOp>())
    return false;
  MemRefType type = first.getMemRefType();
  Type element = type.getElementType();
  // Of 4 bits, lanes whose terms are whole groups have instructions.
  const bool areNibbles = count == 4 && first.isVector() && isNibbles(type);
  const TypeInfo *info = getTypeInfo(element);
  if (!(isa<IntegerType>(element) || element.isBF16()) || !info ||
      (!areNibbles && (isNibbles(type) || info->storageBits * count != 32)) ||
      !type.hasStaticShape())
    return false;
  AffineMap map = first.getMap();
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (auto [number, term] : llvm::enumerate(getTerms())) {
    auto load = term.getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || load.getMask() != first.getMask() ||
        load.getFillAttr() != first.getFillAttr() ||
        (load.isVector() && (load.getMask() || load.getStride() != count)) ||
        load.getMemref() != first.getMemref() ||
        load.getIndices() != first.getIndices())
      return false;
    AffineExpr distance = getAffineConstantExpr(0, getContext());
    for (auto [subscript, base, stride] :
         llvm::zip_equal(load.getMap().getResults(), map.getResults(), strides))
      distance = distance + (subscript - base) * stride;
    if (simplifyAffineExpr(distance, map.getNumDims(), map.getNumSymbols()) !=
        int64_t(number))
      return false;
  }
  return true;
}

bool kernel::isReadWithOthers(Operation *op) {
  if (!isa<LoadOp>(op) || !op->hasOneUse())
    return false;
  auto terms = dyn_cast<TermsOp>(*op->user_begin());
  return terms && terms.lieSideBySide();
}

LogicalResult DotOp::verify() {
  if (getTerms() != 2 && getTerms() != 4)
    return emitOpError() << "needs 2 terms or 4, has " << getTerms();
  if (isFloats(getType()) && getTerms() != 2)
    return emitOpError() << "adds 2 products of bf16 at a time, not "
                         << getTerms();
  for (Value side : {getLhs(), getRhs()})
    if (auto terms = side.getDefiningOp<TermsOp>()) {
      if (int64_t(terms.getTerms().size()) != getTerms())
        return emitOpError()
               << "multiplies " << getTerms()
               << " terms, and has an operand of " << terms.getTerms().size();
      if (isFloats(terms.getTerms().front().getType()) != isFloats(getType()))
        return emitOpError() << "multiplies terms that are of another kind "
                                "than its sum";
    }
  return success();
}

LogicalResult ApplyOp::verify() {
  if (getMap().getNumResults() != 1)
    return emitOpError() << "has a map of " << getMap().getNumResults()
                         << " results, expected one";
  return syntax::verifyMapOperands(*this, getMap(), getOperands().size(),
                                   "map");
}

void MinOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

LogicalResult MinOp::verify() {
  if (getMap().getNumResults() == 0)
    return emitOpError("has a map without results");
  return syntax::verifyMapOperands(*this, getMap(), getOperands().size(),
                                   "map");
}

LogicalResult InBoundsOp::verify() {
  IntegerSet set = getCondition();
  if (set.getNumSymbols() != 0)
    return emitOpError(
        "has symbols in its condition; write all operands as dims");
  if (set.getNumDims() != getOperands().size())
    return emitOpError() << "has " << getOperands().size()
                         << " operands for a condition of " << set.getNumDims()
                         << " dims";
  if (!getLaneDim()) {
    if (!getType().isInteger(1))
      return emitOpError()
             << "result is " << getType()
             << ", expected i1 (or 16 lanes of it with a lane_dim)";
    return success();
  }
  if (*getLaneDim() < 0 || *getLaneDim() >= int64_t(set.getNumDims()))
    return emitOpError() << "lane_dim is " << *getLaneDim()
                         << ", expected one of the " << set.getNumDims()
                         << " dims of the condition";
  if (!isa<VectorType>(getType()))
    return emitOpError() << "result is " << getType()
                         << ", expected 16 lanes of i1";
  return success();
}

LogicalResult TailMaskOp::verify() {
  if (getMap().getNumResults() == 0)
    return emitOpError("has a bound without results");
  return syntax::verifyMapOperands(*this, getMap(), getIndices().size(),
                                   "bound");
}

LogicalResult BroadcastOp::verify() {
  VectorType expected = getVectorOf(getValue().getType());
  if (getType() != expected)
    return emitOpError() << "result is " << getType() << ", expected "
                         << expected;
  return success();
}

LogicalResult ReduceOp::verify() {
  VectorType vector = getVector().getType();
  Type scalar = vector.getElementType();
  if (getType() != scalar)
    return emitOpError() << "result is " << getType() << ", expected "
                         << scalar;
  return syntax::verifyCombiner(*this, getCombiner(), vector);
}
