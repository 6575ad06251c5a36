// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel.atomic.
#include "dialects/TypeInfo.h"
#include "dialects/kernel/KernelSyntax.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

void AtomicOp::build(OpBuilder &builder, OperationState &state,
                     Combiner combiner, Value value, Value memref,
                     AffineMap map, ValueRange indices) {
  build(builder, state, CombinerAttr::get(builder.getContext(), combiner),
        value, memref, indices, AffineMapAttr::get(map));
}

ParseResult AtomicOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand value, memref;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  AffineMapAttr map;
  Type valueType;
  MemRefType memrefType;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Combiner> combiner = symbolizeCombiner(word);
  if (!combiner)
    return parser.emitError(loc,
                            "expected add, mul, max, min, and or or, not '")
           << word << "'";
  state.addAttribute(getCombinerAttrName(state.name),
                     CombinerAttr::get(parser.getContext(), *combiner));
  return failure(
      parser.parseOperand(value) || parser.parseComma() ||
      parser.parseOperand(memref) ||
      parser.parseAffineMapOfSSAIds(indices, map, getMapAttrName(state.name),
                                    state.attributes) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(valueType) || parser.parseComma() ||
      parser.parseType(memrefType) ||
      parser.resolveOperand(value, valueType, state.operands) ||
      parser.resolveOperand(memref, memrefType, state.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getIndexType(),
                             state.operands));
}

void AtomicOp::print(OpAsmPrinter &p) {
  p << ' ' << stringifyCombiner(getCombiner()) << ' ' << getValue() << ", "
    << getMemref() << '[';
  p.printAffineMapOfSSAIds(getMapAttr(), getIndices());
  p << ']';
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getCombinerAttrName(), getMapAttrName()});
  p << " : " << getValue().getType() << ", " << getMemref().getType();
}

LogicalResult AtomicOp::verify() {
  MemRefType memref = getMemRefType();
  if (failed(syntax::verifyMapOperands(*this, getMap(), getIndices().size(),
                                       "subscripts")))
    return failure();
  if (int64_t(getMap().getNumResults()) != memref.getRank())
    return emitOpError() << "has " << getMap().getNumResults()
                         << " subscripts for " << memref << ", which has rank "
                         << memref.getRank();
  // What is narrower is rounded to by each store, which no order makes right.
  Type element = memref.getElementType();
  if (getValue().getType() != element || !getTypeInfo(element) ||
      getComputeType(element) != element)
    return emitOpError() << "combines " << getValue().getType()
                         << " with elements of " << element
                         << "; both are to be one type that is computed in";
  return success();
}

bool AtomicOp::isReproducible() {
  // Sums and products are rounded; extremes may be zeros of two signs or NaNs
  // of several bits.
  return !isa<FloatType>(getValue().getType());
}
