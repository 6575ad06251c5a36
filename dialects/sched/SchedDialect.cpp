// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/sched/SchedOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusec::sched;

#include "dialects/sched/SchedDialect.defs.inc"

#include "dialects/sched/SchedEnums.defs.inc"

#include "dialects/sched/SchedInterfaces.defs.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/sched/SchedAttrs.defs.inc"

void SchedDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/sched/SchedOps.defs.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/sched/SchedAttrs.defs.inc"
      >();
}

Attribute TreeAttr::parse(AsmParser &parser, Type) {
  std::string text;
  bool first = true;
  auto parseLine = [&]() -> ParseResult {
    std::string line;
    if (parser.parseString(&line))
      return failure();
    text += (first ? "" : "\n") + line;
    first = false;
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseLine) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), text);
}

void TreeAttr::print(AsmPrinter &printer) const {
  SmallVector<StringRef> lines;
  getText().split(lines, '\n');
  printer << "<[";
  // One line of isl's text per line of ours, unless there is only one.
  StringRef separator = lines.size() > 1 ? "\n      " : "";
  for (auto [index, line] : llvm::enumerate(lines)) {
    printer << (index ? "," : "") << separator << '"';
    llvm::printEscapedString(line, printer.getStream());
    printer << '"';
  }
  printer << "]>";
}

Attribute ConfigAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SmallVector<LevelAttr> levels;
  SMLoc begin = parser.getCurrentLocation();
  auto parseLevel = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef kind = "another attribute";
    Attribute level;
    OptionalParseResult parsed =
        generatedAttributeParser(parser, &kind, {}, level);
    if (parsed.has_value() && failed(*parsed))
      return failure();
    if (!isa_and_nonnull<LevelAttr>(level))
      return parser.emitError(loc, "expected a level, not '") << kind << "'";
    levels.push_back(cast<LevelAttr>(level));
    return success();
  };
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseLevel) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(begin); },
                    parser.getContext(), name, levels);
}

void ConfigAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getName());
  printer << ", [";
  llvm::interleaveComma(getLevels(), printer, [&](LevelAttr level) {
    (void)generatedAttributePrinter(level, printer);
  });
  printer << "]>";
}
