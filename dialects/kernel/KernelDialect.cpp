// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "dialects/Unoptimised.h"
#include "dialects/kernel/KernelSyntax.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

#include "dialects/kernel/KernelDialect.defs.inc"
#include "dialects/kernel/KernelEnums.defs.inc"

/// `[` affine expressions of the indices `]`
static ParseResult
parseSubscripts(OpAsmParser &parser,
                SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                AffineMapAttr &map) {
  NamedAttrList attributes;
  return parser.parseAffineMapOfSSAIds(indices, map, "map", attributes);
}

static void printSubscripts(OpAsmPrinter &p, Operation *, OperandRange indices,
                            AffineMapAttr map) {
  p << '[';
  p.printAffineMapOfSSAIds(map, indices);
  p << ']';
}

#define GET_ATTRDEF_CLASSES
#include "dialects/kernel/KernelAttrs.defs.inc"

FUSEC_UNOPTIMISED_BEGIN
#define GET_OP_CLASSES
#include "dialects/kernel/KernelOps.defs.inc"
FUSEC_UNOPTIMISED_END

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/kernel/KernelOps.defs.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/kernel/KernelAttrs.defs.inc"
      >();
}

bool kernel::isValueType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1 || vector.isScalable() ||
        vector.getDimSize(0) != kLanes)
      return false;
    type = vector.getElementType();
  }
  return isComputeType(type);
}

StringRef kernel::getNameOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().strref();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = getNameOf(part); !name.empty())
        return name;
  return {};
}

/// The identifier in `%name`, or nothing if the printer made it up.
static StringRef getWrittenName(StringRef name) {
  name.consume_front("%");
  StringRef number = name;
  number.consume_front("arg");
  return number.empty() || llvm::all_of(number, llvm::isDigit) ? StringRef()
                                                               : name;
}

static Location nameLocation(OpAsmParser &parser, StringRef name,
                             Location loc) {
  return NameLoc::get(parser.getBuilder().getStringAttr(name), loc);
}

void syntax::keepArgumentName(OpAsmParser &parser, OpAsmParser::Argument &arg) {
  StringRef name = getWrittenName(arg.ssaName.name);
  if (name.empty() || arg.sourceLoc)
    return;
  arg.sourceLoc = nameLocation(
      parser, name, parser.getEncodedSourceLoc(arg.ssaName.location));
}

void syntax::keepResultName(OpAsmParser &parser, OperationState &state) {
  if (parser.getNumResults() == 0)
    return;
  StringRef name = getWrittenName(parser.getResultName(0).first);
  if (!name.empty())
    state.location = nameLocation(parser, name, state.location);
}

void syntax::printArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  for (BlockArgument arg : region.getArguments())
    if (StringRef name = getNameOf(arg.getLoc()); !name.empty())
      setName(arg, name);
}

void syntax::printResultName(Operation *op, OpAsmSetValueNameFn setName) {
  if (StringRef name = getNameOf(op->getLoc()); !name.empty())
    setName(op->getResult(0), name);
}

LogicalResult syntax::verifyMapOperands(Operation *op, AffineMap map,
                                        size_t operands, StringRef what) {
  if (map.getNumSymbols() != 0)
    return op->emitOpError()
           << "has symbols in its " << what << "; write all operands as dims";
  if (map.getNumDims() != operands)
    return op->emitOpError() << "has " << operands << " operands for its "
                             << what << ", which takes " << map.getNumDims();
  return success();
}

LogicalResult syntax::verifyHasBlocks(Operation *op, StringRef what) {
  const TargetInfo &target = getTargetInfo(op);
  if (target.hasBlocks())
    return success();
  return op->emitOpError() << what << ", which target " << target.name
                           << ", a CPU, does not have";
}

LogicalResult syntax::verifySpace(Operation *op, MemRefType type) {
  auto space = dyn_cast_if_present<SpaceAttr>(type.getMemorySpace());
  return space ? verifyHasBlocks(op,
                                 ("has an array in " +
                                  stringifySpace(space.getValue()) + " memory")
                                     .str())
               : success();
}

LogicalResult syntax::verifyCombiner(Operation *op, Combiner combiner,
                                     Type type) {
  bool logical = combiner == Combiner::And || combiner == Combiner::Or;
  if (logical == getElementTypeOrSelf(type).isInteger(1))
    return success();
  return op->emitOpError() << "cannot combine " << type << " by '"
                           << stringifyCombiner(combiner)
                           << "'; and, or are for i1, the others for numbers";
}
