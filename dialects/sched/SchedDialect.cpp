// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/sched/SchedOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusec::sched;

#include "dialects/sched/SchedDialect.defs.inc"

/// `[1, 2, 3]`, possibly empty.
static ParseResult parseIntegerList(AsmParser &parser,
                                    SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

static void printIntegerList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[' << values << ']';
}

static constexpr llvm::StringLiteral kLastBlock = "last_block";

static ParseResult parseCombine(AsmParser &parser, Combine &combine) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (word != kLastBlock && word != "atomic")
    return parser.emitError(loc, "expected atomic or ")
           << kLastBlock << ", not '" << word << "'";
  combine = word == kLastBlock ? Combine::last_block : Combine::atomic;
  return success();
}

/// `16, columns = 64, unroll = 9, accumulators = 4, blocks = [13, 0],
/// depth = 16, lanes = [1, 2], prefetch = [0], stream = [1], split = 4096,
/// combine = last_block, grain = 2, points = [4, 4], width = 4,
/// stages = 2`: all but the first only where there is something to say.
static ParseResult
parseLoopFields(AsmParser &parser, int64_t &vector, int64_t &columns,
                int64_t &unroll, int64_t &accumulators,
                SmallVector<int64_t> &blocks, int64_t &depth,
                SmallVector<int64_t> &lanes, SmallVector<int64_t> &prefetch,
                SmallVector<int64_t> &stream, int64_t &split, Combine &combine,
                int64_t &grain, SmallVector<int64_t> &points, int64_t &width,
                int64_t &stages) {
  combine = Combine::atomic;
  columns = accumulators = depth = split = grain = 0;
  unroll = width = stages = 1;
  if (parser.parseInteger(vector))
    return failure();
  llvm::StringSet<> seen;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef field;
    if (parser.parseKeyword(&field) || parser.parseEqual())
      return failure();
    if (!seen.insert(field).second)
      return parser.emitError(loc, "'") << field << "' is there twice";
    ParseResult parsed =
        field == "columns"        ? parser.parseInteger(columns)
        : field == "unroll"       ? parser.parseInteger(unroll)
        : field == "accumulators" ? parser.parseInteger(accumulators)
        : field == "blocks"       ? parseIntegerList(parser, blocks)
        : field == "depth"        ? parser.parseInteger(depth)
        : field == "lanes"        ? parseIntegerList(parser, lanes)
        : field == "prefetch"     ? parseIntegerList(parser, prefetch)
        : field == "stream"       ? parseIntegerList(parser, stream)
        : field == "split"        ? parser.parseInteger(split)
        : field == "combine"      ? parseCombine(parser, combine)
        : field == "grain"        ? parser.parseInteger(grain)
        : field == "points"       ? parseIntegerList(parser, points)
        : field == "width"        ? parser.parseInteger(width)
        : field == "stages"       ? parser.parseInteger(stages)
                                  : parser.emitError(loc)
                                  << "expected columns, unroll, accumulators, "
                                     "blocks, depth, lanes, prefetch, stream, "
                                     "split, combine, grain, points, "
                                     "width or stages, not '"
                                  << field << "'";
    if (failed(parsed))
      return failure();
  }
  return success();
}

static void
printLoopFields(AsmPrinter &printer, int64_t vector, int64_t columns,
                int64_t unroll, int64_t accumulators, ArrayRef<int64_t> blocks,
                int64_t depth, ArrayRef<int64_t> lanes,
                ArrayRef<int64_t> prefetch, ArrayRef<int64_t> stream,
                int64_t split, Combine combine, int64_t grain,
                ArrayRef<int64_t> points, int64_t width, int64_t stages) {
  printer << vector;
  if (columns > 0)
    printer << ", columns = " << columns;
  if (unroll > 1)
    printer << ", unroll = " << unroll;
  if (accumulators > 0)
    printer << ", accumulators = " << accumulators;
  if (!blocks.empty())
    printer << ", blocks = [" << blocks << ']';
  if (depth > 0)
    printer << ", depth = " << depth;
  if (!lanes.empty())
    printer << ", lanes = [" << lanes << ']';
  if (!prefetch.empty())
    printer << ", prefetch = [" << prefetch << ']';
  if (!stream.empty())
    printer << ", stream = [" << stream << ']';
  if (split > 0)
    printer << ", split = " << split;
  if (combine == Combine::last_block)
    printer << ", combine = " << kLastBlock;
  if (grain > 0)
    printer << ", grain = " << grain;
  if (!points.empty())
    printer << ", points = [" << points << ']';
  if (width > 1)
    printer << ", width = " << width;
  if (stages != 1)
    printer << ", stages = " << stages;
}

#define GET_ATTRDEF_CLASSES
#include "dialects/sched/SchedAttrs.defs.inc"

ConfigAttr ConfigAttr::withName(StringRef name) const {
  return get(getContext(), name, getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), getAccumulators(), getBlocks(),
             getDepth(), getLanes(), getPrefetch(), getStream(), getSplit(),
             getCombine(), getGrain(), getPoints(), getWidth(), getStages());
}

ConfigAttr ConfigAttr::withAccumulators(int64_t accumulators) const {
  return get(getContext(), getName(), getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), accumulators, getBlocks(), getDepth(),
             getLanes(), getPrefetch(), getStream(), getSplit(), getCombine(),
             getGrain(), getPoints(), getWidth(), getStages());
}

ConfigAttr ConfigAttr::withLanes(ArrayRef<int64_t> lanes) const {
  return get(getContext(), getName(), getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), getAccumulators(), getBlocks(),
             getDepth(), lanes, getPrefetch(), getStream(), getSplit(),
             getCombine(), getGrain(), getPoints(), getWidth(), getStages());
}

ConfigAttr ConfigAttr::withPrefetch(ArrayRef<int64_t> prefetch) const {
  return get(getContext(), getName(), getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), getAccumulators(), getBlocks(),
             getDepth(), getLanes(), prefetch, getStream(), getSplit(),
             getCombine(), getGrain(), getPoints(), getWidth(), getStages());
}

ConfigAttr ConfigAttr::withStream(ArrayRef<int64_t> stream) const {
  return get(getContext(), getName(), getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), getAccumulators(), getBlocks(),
             getDepth(), getLanes(), getPrefetch(), stream, getSplit(),
             getCombine(), getGrain(), getPoints(), getWidth(), getStages());
}

ConfigAttr ConfigAttr::withGrain(int64_t grain) const {
  return get(getContext(), getName(), getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), getAccumulators(), getBlocks(),
             getDepth(), getLanes(), getPrefetch(), getStream(), getSplit(),
             getCombine(), grain, getPoints(), getWidth(), getStages());
}

ConfigAttr ConfigAttr::withPoints(ArrayRef<int64_t> points) const {
  return get(getContext(), getName(), getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), getAccumulators(), getBlocks(),
             getDepth(), getLanes(), getPrefetch(), getStream(), getSplit(),
             getCombine(), getGrain(), points, getWidth(), getStages());
}

ConfigAttr ConfigAttr::withWidth(int64_t width) const {
  return get(getContext(), getName(), getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), getAccumulators(), getBlocks(),
             getDepth(), getLanes(), getPrefetch(), getStream(), getSplit(),
             getCombine(), getGrain(), getPoints(), width, getStages());
}

ConfigAttr ConfigAttr::withStages(int64_t stages) const {
  return get(getContext(), getName(), getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), getAccumulators(), getBlocks(),
             getDepth(), getLanes(), getPrefetch(), getStream(), getSplit(),
             getCombine(), getGrain(), getPoints(), getWidth(), stages);
}

ConfigAttr ConfigAttr::withSplit(int64_t split, Combine combine) const {
  return get(getContext(), getName(), getTile(), getOrder(), getVector(),
             getColumns(), getUnroll(), getAccumulators(), getBlocks(),
             getDepth(), getLanes(), getPrefetch(), getStream(), split, combine,
             getGrain(), getPoints(), getWidth(), getStages());
}

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
