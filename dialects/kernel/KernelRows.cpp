// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of a thread to elements side by side.
#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelSyntax.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

/// access `to`|`from` row (`[` number `]`)? `:` types
template <class Op>
static ParseResult parseRow(OpAsmParser &parser, OperationState &state,
                            StringRef direction) {
  OpAsmParser::UnresolvedOperand memref, row;
  SmallVector<OpAsmParser::UnresolvedOperand> indices, number;
  AffineMapAttr map;
  MemRefType memrefType, rowType;
  const Type index = parser.getBuilder().getIndexType();
  if (parser.parseOperand(memref) ||
      parser.parseAffineMapOfSSAIds(
          indices, map, Op::getMapAttrName(state.name), state.attributes) ||
      parser.parseKeyword(direction) || parser.parseOperand(row))
    return failure();
  if (succeeded(parser.parseOptionalLSquare()) &&
      (parser.parseOperand(number.emplace_back()) || parser.parseRSquare()))
    return failure();
  state.getOrAddProperties<typename Op::Properties>().operandSegmentSizes = {
      1, int32_t(indices.size()), 1, int32_t(number.size())};
  return failure(parser.parseOptionalAttrDict(state.attributes) ||
                 parser.parseColonType(memrefType) || parser.parseComma() ||
                 parser.parseType(rowType) ||
                 parser.resolveOperand(memref, memrefType, state.operands) ||
                 parser.resolveOperands(indices, index, state.operands) ||
                 parser.resolveOperand(row, rowType, state.operands) ||
                 parser.resolveOperands(number, index, state.operands));
}

template <class Op>
static void printRow(OpAsmPrinter &p, Op op, StringRef direction) {
  p << ' ' << op.getMemref() << '[';
  p.printAffineMapOfSSAIds(op.getMapAttr(), op.getIndices());
  p << "] " << direction << ' ' << op.getRow();
  if (op.getNumber())
    p << '[' << op.getNumber() << ']';
  p.printOptionalAttrDict(
      op->getAttrs(),
      {op.getMapAttrName(), op.getOperandSegmentSizesAttrName()});
  p << " : " << op.getMemref().getType() << ", " << op.getRow().getType();
}

template <class Op> static LogicalResult verifyRow(Op op) {
  if (failed(syntax::verifyHasBlocks(op,
                                     "is an access of one thread to several "
                                     "elements")))
    return failure();
  MemRefType memref = op.getMemRefType(), row = op.getRowType();
  AffineMap map = op.getMap();
  if (failed(syntax::verifyMapOperands(op, map, op.getIndices().size(),
                                       "subscripts")))
    return failure();
  if (memref.getRank() == 0 || int64_t(map.getNumResults()) != memref.getRank())
    return op.emitOpError()
           << "has " << map.getNumResults() << " subscripts for " << memref;
  const TypeInfo *info = getTypeInfo(memref.getElementType());
  if (!isOfThread(row) || row.getRank() != (op.getNumber() ? 2 : 1) || !info ||
      row.getElementType() != getComputeType(memref.getElementType()))
    return op.emitOpError()
           << "has the row " << row << " for elements of "
           << memref.getElementType()
           << ", expected a thread's own array of their compute type, or of "
              "such, and the number of one";
  int64_t elements = row.getShape().back();
  int64_t most = getTargetInfo(op).multiprocessor->accessBytes;
  if (elements < 2 || !llvm::isPowerOf2_64(elements) ||
      elements * int64_t(info->storageBytes()) > most)
    return op.emitOpError()
           << "has " << elements << " elements of " << info->storageBytes()
           << " bytes; an access has a power of two of them, "
              "and up to "
           << most << " bytes";
  if (memref.getShape().back() % elements != 0 ||
      !map.getResults().back().isMultipleOf(elements))
    return op.emitOpError()
           << "begins at no multiple of " << elements << " elements";
  return success();
}

ParseResult LoadRowOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseRow<LoadRowOp>(parser, state, "to");
}
void LoadRowOp::print(OpAsmPrinter &p) { printRow(p, *this, "to"); }
LogicalResult LoadRowOp::verify() { return verifyRow(*this); }

ParseResult StoreRowOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseRow<StoreRowOp>(parser, state, "from");
}
void StoreRowOp::print(OpAsmPrinter &p) { printRow(p, *this, "from"); }
LogicalResult StoreRowOp::verify() { return verifyRow(*this); }
