// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of scops and statements.
#include "dialects/sched/SchedOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

//===- subscripts --------------------------------------------------------===//

/// x if `expr` is -x, which affine expressions write x * -1; null otherwise.
static AffineExpr getNegated(AffineExpr expr) {
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return {};
  auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
  return factor && factor.getValue() == -1 ? product.getLHS() : AffineExpr();
}

/// Prints `expr`; `tight` asks for parentheses around a sum.
static void formatExpr(llvm::raw_ostream &os, AffineExpr expr,
                       ArrayRef<std::string> dims, bool tight) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    os << constant.getValue();
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    os << dims[dim.getPosition()];
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    os << 's' << symbol.getPosition();
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() != AffineExprKind::Add) {
    // The grammar has one precedence for *, mod and div: nested ones need
    // parentheses.
    StringRef name = expr.getKind() == AffineExprKind::Mul        ? " * "
                     : expr.getKind() == AffineExprKind::Mod      ? " mod "
                     : expr.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                                                                  : " ceildiv ";
    os << (tight ? "(" : "");
    formatExpr(os, binary.getLHS(), dims, true);
    os << name;
    formatExpr(os, binary.getRHS(), dims, true);
    os << (tight ? ")" : "");
    return;
  }
  os << (tight ? "(" : "");
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (AffineExpr negated = getNegated(binary.getLHS()); negated && constant) {
    os << constant.getValue() << " - ";
    formatExpr(os, negated, dims, true);
    os << (tight ? ")" : "");
    return;
  }
  formatExpr(os, binary.getLHS(), dims, false);
  if (constant && constant.getValue() < 0) {
    os << " - " << -constant.getValue();
  } else if (AffineExpr negated = getNegated(binary.getRHS())) {
    os << " - ";
    formatExpr(os, negated, dims, true);
  } else {
    os << " + ";
    formatExpr(os, binary.getRHS(), dims, false);
  }
  os << (tight ? ")" : "");
}

std::string fusec::sched::formatSubscript(AffineExpr expr,
                                          ArrayRef<std::string> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  formatExpr(os, expr, dims, false);
  return text;
}

//===- scop --------------------------------------------------------------===//

static void printArguments(OpAsmPrinter &p, StringRef keyword,
                           ArrayRef<BlockArgument> arguments) {
  if (arguments.empty())
    return;
  p.printNewline();
  p << "    " << keyword << '(';
  llvm::interleaveComma(arguments, p, [&](BlockArgument argument) {
    p.printRegionArgument(argument);
  });
  p << ')';
}

void ScopOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  printArguments(p, "ins", getInputs());
  printArguments(p, "outs", getOutputs());
  printArguments(p, "arrays", getArrays());
  auto printLine = [&](StringRef keyword, Attribute attribute) {
    if (!attribute)
      return;
    p.printNewline();
    p << "    " << keyword << '(' << attribute << ')';
  };
  printLine("config", getConfigAttr());
  printLine("schedule", getScheduleAttr());
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getNumInputsAttrName(), getNumOutputsAttrName(),
       getConfigAttrName(), getScheduleAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

namespace {
/// The types of the arguments of the scop that this thread is parsing, by
/// their names. Accesses do not repeat them, and the parser needs a type to
/// resolve an operand. Lives as long as the parse of the scop's body.
class ArgumentTypes {
public:
  explicit ArgumentTypes(ArrayRef<OpAsmParser::Argument> arguments)
      : outer(current) {
    for (const OpAsmParser::Argument &argument : arguments)
      types[argument.ssaName.name] = argument.type;
    current = this;
  }
  ArgumentTypes(const ArgumentTypes &) = delete;
  ~ArgumentTypes() { current = outer; }

  /// The type of `name` in the innermost scop being parsed, or null.
  static Type lookup(StringRef name) {
    return current ? current->types.lookup(name) : Type();
  }

private:
  llvm::StringMap<Type> types;
  const ArgumentTypes *outer;
  static thread_local const ArgumentTypes *current;
};
thread_local const ArgumentTypes *ArgumentTypes::current = nullptr;
} // namespace

/// Parses `keyword(%x: type, ...)` if it is there. Arguments without a
/// location of their own are named by their SSA name.
static ParseResult parseArguments(OpAsmParser &parser, StringRef keyword,
                                  SmallVectorImpl<OpAsmParser::Argument> &all,
                                  int64_t &count) {
  count = 0;
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument argument;
        if (parser.parseArgument(argument) ||
            parser.parseColonType(argument.type) ||
            parser.parseOptionalLocationSpecifier(argument.sourceLoc))
          return failure();
        StringRef name = argument.ssaName.name.drop_front();
        if (!argument.sourceLoc && !llvm::all_of(name, llvm::isDigit))
          argument.sourceLoc =
              NameLoc::get(parser.getBuilder().getStringAttr(name));
        all.push_back(argument);
        ++count;
        return success();
      });
}

ParseResult ScopOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  int64_t numInputs, numOutputs, numArrays;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parseArguments(parser, "ins", arguments, numInputs) ||
      parseArguments(parser, "outs", arguments, numOutputs) ||
      parseArguments(parser, "arrays", arguments, numArrays))
    return failure();
  Builder &builder = parser.getBuilder();
  result.addAttribute(getNumInputsAttrName(result.name),
                      builder.getI64IntegerAttr(numInputs));
  result.addAttribute(getNumOutputsAttrName(result.name),
                      builder.getI64IntegerAttr(numOutputs));
  auto parseLine = [&](StringRef keyword, auto attribute,
                       StringAttr attrName) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    return failure(
        parser.parseLParen() ||
        parser.parseAttribute(attribute, attrName, result.attributes) ||
        parser.parseRParen());
  };
  if (parseLine("config", ConfigAttr(), getConfigAttrName(result.name)) ||
      parseLine("schedule", TreeAttr(), getScheduleAttrName(result.name)) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  {
    ArgumentTypes types(arguments);
    if (parser.parseRegion(*body, arguments))
      return failure();
  }
  if (body->empty()) { // A scop without a statement still has its arguments.
    body->emplaceBlock();
    for (OpAsmParser::Argument &argument : arguments)
      body->addArgument(argument.type,
                        argument.sourceLoc.value_or(result.location));
  }
  return success();
}

//===- stmt --------------------------------------------------------------===//

void StmtOp::print(OpAsmPrinter &p) {
  SmallVector<std::string> dims = getDimNames();
  p << ' ';
  p.printSymbolName(getSymName());
  p << " [";
  llvm::interleaveComma(llvm::zip(dims, getExtents()), p, [&](auto dim) {
    p << std::get<0>(dim) << ": " << std::get<1>(dim);
  });
  p << ']';
  if (isReduction()) {
    p << " reduces [";
    llvm::interleaveComma(getReduced(), p, [&](int64_t d) { p << dims[d]; });
    p << ']';
  }
  auto printExprs = [&](StringRef keyword, ArrayRef<AffineExpr> exprs) {
    if (exprs.empty())
      return;
    p << ' ' << keyword << " [";
    llvm::interleaveComma(
        exprs, p, [&](AffineExpr expr) { p << formatSubscript(expr, dims); });
    p << ']';
  };
  printExprs("needed", getNeededExprs());
  printExprs("runs", getRunsExprs());
  auto printAccess = [&](const Access &access) {
    p << access.array << '[';
    llvm::interleaveComma(access.map.getResults(), p, [&](AffineExpr expr) {
      p << formatSubscript(expr, dims);
    });
    p << ']';
    if (access.padding)
      p << " else " << Attribute(access.padding);
  };
  auto printAccesses = [&](StringRef keyword, auto range, auto getAccess) {
    if (range.empty())
      return;
    p.printNewline();
    p << "    " << keyword << ' ';
    llvm::interleaveComma(llvm::seq<unsigned>(0, range.size()), p,
                          [&](unsigned i) { printAccess(getAccess(i)); });
  };
  printAccesses("reads", getReads(),
                [&](unsigned i) { return getReadAccess(i); });
  printAccesses("writes", getWrites(),
                [&](unsigned i) { return getWriteAccess(i); });
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getDimsAttrName(), getExtentsAttrName(),
       getReducedAttrName(), getNeededAttrName(), getRunsAttrName(),
       getReadMapsAttrName(), getPaddingsAttrName(), getWriteMapsAttrName(),
       getOperandSegmentSizesAttrName()});
  p << ' ';
  p.printRegion(getBody());
}

namespace {
/// What the reads or writes of a statement parse into.
struct AccessList {
  SmallVector<OpAsmParser::UnresolvedOperand> arrays;
  SmallVector<Attribute> maps, paddings;
};
} // namespace

/// Parses `%x[2 * i + 1, j] else 0.0 : f32, ...`. `names` are the identifiers
/// that subscripts may use.
static ParseResult
parseAccesses(OpAsmParser &parser, unsigned numDims, bool areReads,
              ArrayRef<std::pair<StringRef, AffineExpr>> names,
              AccessList &list) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    SmallVector<AffineExpr> exprs;
    if (parser.parseOperand(list.arrays.emplace_back()) ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseAffineExpr(names, exprs.emplace_back());
        }))
      return failure();
    list.maps.push_back(AffineMapAttr::get(
        AffineMap::get(numDims, 0, exprs, parser.getContext())));
    Attribute padding = parser.getBuilder().getUnitAttr();
    if (areReads && succeeded(parser.parseOptionalKeyword("else")) &&
        parser.parseAttribute(padding))
      return failure();
    list.paddings.push_back(padding);
    return success();
  });
}

ParseResult StmtOp::parse(OpAsmParser &parser, OperationState &result) {
  Properties &properties = result.getOrAddProperties<Properties>();
  Builder &builder = parser.getBuilder();
  SmallVector<StringRef> dims;
  SmallVector<int64_t> extents, reduced;
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return failure(parser.parseKeyword(&dims.emplace_back()) ||
                       parser.parseColon() ||
                       parser.parseInteger(extents.emplace_back()));
      }))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reduces")) &&
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            StringRef name;
            SMLoc loc = parser.getCurrentLocation();
            if (parser.parseKeyword(&name))
              return failure();
            auto *found = llvm::find(dims, name);
            if (found == dims.end())
              return parser.emitError(loc) << "no iterator is named " << name;
            reduced.push_back(found - dims.begin());
            return success();
          }))
    return failure();
  SmallVector<std::pair<StringRef, AffineExpr>> names;
  for (auto [position, name] : llvm::enumerate(dims))
    names.emplace_back(name, builder.getAffineDimExpr(position));
  auto parseExprs = [&](StringRef keyword, AffineMapAttr &map) -> ParseResult {
    SmallVector<AffineExpr> exprs;
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseAffineExpr(names, exprs.emplace_back());
        }))
      return failure();
    map = AffineMapAttr::get(
        AffineMap::get(dims.size(), 0, exprs, parser.getContext()));
    return success();
  };
  if (parseExprs("needed", properties.needed) ||
      parseExprs("runs", properties.runs))
    return failure();
  AccessList reads, writes;
  if (succeeded(parser.parseOptionalKeyword("reads")) &&
      parseAccesses(parser, dims.size(), true, names, reads))
    return failure();
  if (parser.parseKeyword("writes") ||
      parseAccesses(parser, dims.size(), false, names, writes) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  properties.dims = builder.getStrArrayAttr(dims);
  properties.extents = builder.getDenseI64ArrayAttr(extents);
  properties.reduced = builder.getDenseI64ArrayAttr(reduced);
  properties.read_maps = builder.getArrayAttr(reads.maps);
  properties.paddings = builder.getArrayAttr(reads.paddings);
  properties.write_maps = builder.getArrayAttr(writes.maps);
  properties.operandSegmentSizes = {int32_t(reads.arrays.size()),
                                    int32_t(writes.arrays.size())};
  for (const AccessList *list : {&reads, &writes})
    for (const OpAsmParser::UnresolvedOperand &array : list->arrays) {
      Type type = ArgumentTypes::lookup(array.name);
      if (!type)
        return parser.emitError(array.location)
               << array.name
               << " is not an argument of the enclosing sched.scop";
      if (parser.resolveOperand(array, type, result.operands))
        return failure();
    }
  return parser.parseRegion(*result.addRegion());
}
