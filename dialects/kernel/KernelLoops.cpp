// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/KernelSyntax.h"
#include "dialects/kernel/Steps.h"

using namespace mlir;
using namespace fusec::kernel;

//===----------------------------------------------------------------------===//
// kernel.for
//===----------------------------------------------------------------------===//

void ForOp::build(OpBuilder &builder, OperationState &state, AffineMap lower,
                  ValueRange lowerOperands, AffineMap upper,
                  ValueRange upperOperands, int64_t step, Mapping mapping) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(lowerOperands);
  state.addOperands(upperOperands);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.lower_map = AffineMapAttr::get(lower);
  properties.upper_map = AffineMapAttr::get(upper);
  properties.step = builder.getI64IntegerAttr(step);
  properties.mapping = MappingAttr::get(builder.getContext(), mapping);
  properties.operandSegmentSizes = {static_cast<int32_t>(lowerOperands.size()),
                                    static_cast<int32_t>(upperOperands.size()),
                                    /*carried=*/0};
  Region *body = state.addRegion();
  builder.createBlock(body, {}, builder.getIndexType(), state.location);
  ensureTerminator(*body, builder, state.location);
}

void ForOp::build(OpBuilder &builder, OperationState &state, int64_t lower,
                  int64_t upper, int64_t step, Mapping mapping) {
  build(builder, state, builder.getConstantAffineMap(lower), {},
        builder.getConstantAffineMap(upper), {}, step, mapping);
}

static std::optional<int64_t> getConstant(AffineMap map) {
  if (map.isSingleConstant())
    return map.getSingleConstantResult();
  return std::nullopt;
}

std::optional<int64_t> ForOp::getConstantLower() {
  return getConstant(getLowerMap());
}
std::optional<int64_t> ForOp::getConstantUpper() {
  return getConstant(getUpperMap());
}

std::optional<int64_t> ForOp::getConstantTripCount() {
  std::optional<int64_t> lower = getConstantLower(), upper = getConstantUpper();
  if (!lower || !upper)
    return std::nullopt;
  int64_t step = getStep();
  return std::max<int64_t>(0, (*upper - *lower + step - 1) / step);
}

void ForOp::setLower(AffineMap map, ValueRange operands) {
  setLowerMapAttr(AffineMapAttr::get(map));
  getLowerOperandsMutable().assign(operands);
}

void ForOp::setUpper(AffineMap map, ValueRange operands) {
  setUpperMapAttr(AffineMapAttr::get(map));
  getUpperOperandsMutable().assign(operands);
}

/// bound := integer | [`min` | `max`] affine-map `(` operands `)`
static ParseResult parseBound(OpAsmParser &parser, StringRef combiner,
                              AffineMap &map,
                              SmallVectorImpl<Value> &operands) {
  int64_t constant = 0;
  OptionalParseResult number = parser.parseOptionalInteger(constant);
  if (number.has_value()) {
    map = parser.getBuilder().getConstantAffineMap(constant);
    return *number;
  }
  bool several = succeeded(parser.parseOptionalKeyword(combiner));
  SmallVector<OpAsmParser::UnresolvedOperand> names;
  llvm::SMLoc loc = parser.getCurrentLocation();
  AffineMapAttr attr;
  if (parser.parseAttribute(attr) ||
      parser.parseOperandList(names, OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(names, parser.getBuilder().getIndexType(),
                             operands))
    return failure();
  map = attr.getValue();
  if (!several && map.getNumResults() > 1)
    return parser.emitError(loc) << "a bound of several results needs '"
                                 << combiner << "' before its map";
  return success();
}

static void printBound(OpAsmPrinter &p, AffineMap map, ValueRange operands,
                       StringRef combiner) {
  if (map.isSingleConstant() && operands.empty()) {
    p << map.getSingleConstantResult();
    return;
  }
  if (map.getNumResults() > 1)
    p << combiner << ' ';
  p << AffineMapAttr::get(map) << '(';
  p.printOperands(operands);
  p << ')';
}

/// carries := `(` (word array `:` type)* `)`
static ParseResult parseCarries(OpAsmParser &parser, OperationState &state,
                                SmallVectorImpl<Attribute> &words) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        StringRef keyword;
        llvm::SMLoc loc = parser.getCurrentLocation();
        OpAsmParser::UnresolvedOperand array;
        Type type;
        if (parser.parseKeyword(&keyword))
          return failure();
        std::optional<Carry> carry = symbolizeCarry(keyword);
        if (!carry)
          return parser.emitError(loc)
                 << "unknown way to carry '" << keyword
                 << "', expected add, mul, max, min, and, or, select or update";
        words.push_back(CarryAttr::get(parser.getContext(), *carry));
        return failure(parser.parseOperand(array) ||
                       parser.parseColonType(type) ||
                       parser.resolveOperand(array, type, state.operands));
      });
}

static void printCarries(OpAsmPrinter &p, ForOp loop) {
  p << " carries(";
  llvm::interleaveComma(llvm::zip(loop.getCarried(), *loop.getCarries()), p,
                        [&](auto pair) {
                          auto [array, word] = pair;
                          p << stringifyCarry(cast<CarryAttr>(word).getValue())
                            << ' ' << array << " : " << array.getType();
                        });
  p << ')';
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::Argument index;
  index.type = builder.getIndexType();
  AffineMap lower, upper;
  SmallVector<Value> lowerOperands, upperOperands;
  if (parser.parseArgument(index) || parser.parseEqual() ||
      parseBound(parser, "max", lower, lowerOperands) ||
      parser.parseKeyword("to") ||
      parseBound(parser, "min", upper, upperOperands))
    return failure();
  state.addOperands(lowerOperands);
  state.addOperands(upperOperands);
  state.addAttribute(getLowerMapAttrName(state.name),
                     AffineMapAttr::get(lower));
  state.addAttribute(getUpperMapAttrName(state.name),
                     AffineMapAttr::get(upper));
  if (succeeded(parser.parseOptionalKeyword("step"))) {
    int64_t step = 0;
    if (parser.parseInteger(step))
      return failure();
    state.addAttribute(getStepAttrName(state.name),
                       builder.getI64IntegerAttr(step));
  }
  if (succeeded(parser.parseOptionalKeyword("map"))) {
    StringRef keyword;
    llvm::SMLoc loc;
    if (parser.parseLParen() || parser.getCurrentLocation(&loc) ||
        parser.parseKeyword(&keyword))
      return failure();
    std::optional<Mapping> mapping = symbolizeMapping(keyword);
    if (!mapping)
      return parser.emitError(loc)
             << "unknown mapping '" << keyword
             << "', expected sequential, parallel, vector or unroll";
    state.addAttribute(getMappingAttrName(state.name),
                       MappingAttr::get(builder.getContext(), *mapping));
    if (parser.parseRParen())
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("grain"))) {
    int64_t grain = 0;
    if (parser.parseEqual() || parser.parseInteger(grain))
      return failure();
    state.addAttribute(getGrainAttrName(state.name),
                       builder.getI64IntegerAttr(grain));
  }
  if (succeeded(parser.parseOptionalKeyword("atomic")))
    state.addAttribute(getAtomicAttrName(state.name), builder.getUnitAttr());
  SmallVector<Attribute> words;
  if (succeeded(parser.parseOptionalKeyword("carries"))) {
    if (parseCarries(parser, state, words))
      return failure();
    state.addAttribute(getCarriesAttrName(state.name),
                       builder.getArrayAttr(words));
  }
  state.addAttribute(
      getOperandSegmentSizeAttr(),
      builder.getDenseI32ArrayAttr({int32_t(lowerOperands.size()),
                                    int32_t(upperOperands.size()),
                                    int32_t(words.size())}));
  syntax::keepArgumentName(parser, index);
  Region *body = state.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*body, index))
    return failure();
  ensureTerminator(*body, builder, state.location);
  return success();
}

void ForOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printRegionArgument(getIndex(), /*argAttrs=*/{}, /*omitType=*/true);
  p << " = ";
  printBound(p, getLowerMap(), getLowerOperands(), "max");
  p << " to ";
  printBound(p, getUpperMap(), getUpperOperands(), "min");
  if (getStep() != 1)
    p << " step " << getStep();
  if (getMapping() != Mapping::sequential)
    p << " map(" << stringifyMapping(getMapping()) << ')';
  if (getGrain())
    p << " grain = " << *getGrain();
  if (getAtomic())
    p << " atomic";
  if (getCarries())
    printCarries(p, *this);
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getLowerMapAttrName(), getUpperMapAttrName(), getStepAttrName(),
       getMappingAttrName(), getGrainAttrName(), getAtomicAttrName(),
       getCarriesAttrName(), getOperandSegmentSizeAttr()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
}

void ForOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setName) {
  syntax::printArgumentNames(region, setName);
}

LogicalResult ForOp::verify() {
  for (auto [map, operands, what] :
       {std::tuple(getLowerMap(), getLowerOperands().size(), "lower bound"),
        std::tuple(getUpperMap(), getUpperOperands().size(), "upper bound")}) {
    if (map.getNumResults() == 0)
      return emitOpError() << "has a " << what << " without results";
    if (failed(syntax::verifyMapOperands(*this, map, operands, what)))
      return failure();
  }
  if (getBody().getNumArguments() != 1 || !getIndex().getType().isIndex())
    return emitOpError("needs a body with one index argument, the iteration");
  if (getStep() < 1)
    return emitOpError() << "has step " << getStep() << ", expected 1 or more";
  if (llvm::is_contained(
          {Mapping::block, Mapping::warp, Mapping::column, Mapping::thread},
          getMapping()) &&
      failed(syntax::verifyHasBlocks(
          *this,
          ("is mapped to " + stringifyMapping(getMapping()) + "s").str())))
    return failure();
  if (getGrain() && getMapping() != Mapping::parallel)
    return emitOpError("has a grain but is not mapped parallel");
  if (getGrain() && *getGrain() < 1)
    return emitOpError() << "has grain " << *getGrain()
                         << ", expected 1 or more";
  if (getAtomic() && getMapping() != Mapping::block)
    return emitOpError("is atomic but not mapped to blocks");
  size_t words = getCarries() ? getCarries()->size() : 0;
  if (words != getCarried().size())
    return emitOpError() << "carries " << getCarried().size()
                         << " arrays, and says how of " << words;
  llvm::SmallPtrSet<Value, 4> arrays;
  for (Value array : getCarried())
    if (!arrays.insert(array).second)
      return emitOpError("carries an array twice");
  if (getMapping() == Mapping::parallel)
    for (Value array : getCarried())
      if (!getCombiner(*getCarry(array)))
        return emitOpError() << "is mapped parallel and carries an array by '"
                             << stringifyCarry(*getCarry(array))
                             << "', one iteration after the other; threads run "
                                "at once";
  return success();
}

//===----------------------------------------------------------------------===//
// kernel.if
//===----------------------------------------------------------------------===//

void IfOp::build(OpBuilder &builder, OperationState &state,
                 IntegerSet condition, ValueRange operands, bool withElse) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(operands);
  state.getOrAddProperties<Properties>().condition =
      IntegerSetAttr::get(condition);
  for (bool present : {true, withElse}) {
    Region *body = state.addRegion();
    if (!present)
      continue;
    builder.createBlock(body);
    ensureTerminator(*body, builder, state.location);
  }
}

LogicalResult IfOp::verify() {
  IntegerSet set = getCondition();
  if (set.getNumSymbols() != 0)
    return emitOpError(
        "has symbols in its condition; write all operands as dims");
  if (set.getNumDims() != getOperands().size())
    return emitOpError() << "has " << getOperands().size()
                         << " operands for a condition of " << set.getNumDims()
                         << " dims";
  return success();
}
