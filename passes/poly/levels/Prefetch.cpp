// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/levels/Prefetch.h"

#include "dialects/OperationCost.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/OuterBand.h"
#include "passes/poly/tree/Strides.h"

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

namespace {

/// The rows that the loops below the outer band of a proposed tree run over.
class RowFinder {
public:
  RowFinder(const PolyScop &poly, const isl::schedule &schedule)
      : scop(poly.getOp()), band(scop, schedule) {
    if (band.size() > 0)
      findPasses(poly, schedule);
  }

  /// Why no row of `argument` can be prefetched; empty if one can.
  std::string findMisfit(BlockArgument argument) const;

private:
  void findPasses(const PolyScop &poly, const isl::schedule &schedule);
  bool isRow(StmtOp stmt, const Access &access) const;
  bool touches(ArrayRef<StmtOp> pass, Value array) const;
  std::string findMisfitOfInput(BlockArgument argument) const;
  std::string findMisfitOfOutput(BlockArgument argument) const;

  mutable ScopOp scop;
  OuterBand band;
  /// The statements of each loop that stands in the outer band, in order.
  std::vector<SmallVector<StmtOp>> passes;
  /// The first of them that computes functions.
  std::optional<unsigned> computing;
};

} // namespace

void RowFinder::findPasses(const PolyScop &poly,
                           const isl::schedule &schedule) {
  isl::schedule_node below = getOuterBand(schedule).child(0);
  below.foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!node.isa<isl::schedule_node_band>())
      return true;
    SmallVector<StmtOp> &pass = passes.emplace_back();
    getDomain(node).foreach_set([&](isl::set set) {
      pass.push_back(poly.getStmt(getTupleName(set)).op);
    });
    return false;
  });
  for (auto [number, pass] : llvm::enumerate(passes))
    for (StmtOp stmt : pass)
      for (Operation &op : stmt.getBody().getOps())
        if (!computing && isFunction(&op))
          computing = number;
}

/// Whether `access` goes along a row that the outer band's innermost loop
/// chooses: the last subscript is of the loops below, the others are not.
bool RowFinder::isRow(StmtOp stmt, const Access &access) const {
  AffineMap map = access.map;
  if (map.getNumResults() == 0 || map.getNumSymbols() > 0)
    return false;
  std::optional<unsigned> rows;
  for (unsigned m = 0; m < band.size(); ++m) {
    std::optional<unsigned> iterator = band.getIterator(stmt, m);
    if (!iterator || stmt.getExtents()[*iterator] != band.getExtent(m))
      return false;
    if (band.getExtent(m) > 1)
      rows = iterator;
  }
  bool moves = false;
  AffineExpr column = map.getResults().back();
  for (unsigned dim = 0; dim < stmt.getNumIterators(); ++dim) {
    if (!map.isFunctionOfDim(dim))
      continue;
    if (column.isFunctionOfDim(dim) == band.contains(stmt, dim))
      return false;
    moves |= rows == dim;
  }
  return moves;
}

bool RowFinder::touches(ArrayRef<StmtOp> pass, Value array) const {
  return llvm::any_of(pass, [&](StmtOp stmt) {
    return llvm::is_contained(stmt.getReads(), array) ||
           llvm::is_contained(stmt.getWrites(), array);
  });
}

std::string RowFinder::findMisfitOfInput(BlockArgument argument) const {
  for (StmtOp stmt : passes[*computing])
    for (auto [read, array] : llvm::enumerate(stmt.getReads()))
      if (array == argument && !stmt.getPadding(read) &&
          isRow(stmt, {array, stmt.getReadMap(read), /*write=*/false}))
        return "";
  return "the loop that computes functions does not read it row by row";
}

/// The row is fetched beside another one, of as many elements.
std::string RowFinder::findMisfitOfOutput(BlockArgument argument) const {
  int64_t elements = cast<MemRefType>(argument.getType()).getShape().back();
  bool beside = llvm::any_of(scop.getInputs(), [&](BlockArgument input) {
    auto type = cast<MemRefType>(input.getType());
    return type.getRank() > 0 && type.getShape().back() == elements &&
           findMisfitOfInput(input).empty();
  });
  if (!beside)
    return "the loop that computes functions reads no row as long as its";
  ArrayRef<SmallVector<StmtOp>> all(passes);
  for (const SmallVector<StmtOp> &pass : all.take_front(*computing + 1))
    if (touches(pass, argument))
      return "it is there when the loop that computes functions is done";
  for (const SmallVector<StmtOp> &pass : all.drop_front(*computing + 1))
    for (StmtOp stmt : pass)
      for (auto [write, array] : llvm::enumerate(stmt.getWrites()))
        if (array == argument &&
            isRow(stmt, {array, stmt.getWriteMap(write), /*write=*/true}))
          return "";
  return "no loop after the one that computes functions writes it row by row";
}

std::string RowFinder::findMisfit(BlockArgument argument) const {
  if (!computing)
    return "no loop inside of its iterations computes functions";
  if (passes.size() < 2)
    return "its iterations run over rows once, and loads are under way while "
           "they compute";
  if (cast<MemRefType>(argument.getType()).getRank() == 0)
    return "it has no rows";
  return argument.getArgNumber() < scop.getNumInputs()
             ? findMisfitOfInput(argument)
             : findMisfitOfOutput(argument);
}

/// Arrays up to the size of a second-level cache are in it anyway.
static bool isLarge(BlockArgument argument, const TargetInfo &target) {
  auto type = cast<MemRefType>(argument.getType());
  return type.getRank() > 0 &&
         getBytes(type, type.getNumElements()) > target.secondCache;
}

/// Why the rows of `argument` are too short to hide anything, or too long to
/// stay in the first-level cache until they are used; empty if they are not.
static std::string findWrongLength(BlockArgument argument,
                                   const TargetInfo &target) {
  auto type = cast<MemRefType>(argument.getType());
  int64_t least = target.fetchedLines * target.cacheLine;
  int64_t most = target.getBlockBytes();
  int64_t row = getBytes(type, type.getShape().back());
  if (row >= least && row <= most)
    return "";
  return "rows of argument " + std::to_string(argument.getArgNumber()) +
         " have " + std::to_string(row) + " bytes, outside of " +
         std::to_string(least) + " to " + std::to_string(most);
}

SmallVector<int64_t>
findPrefetches(const PolyScop &poly, const isl::schedule &schedule,
               llvm::function_ref<void(const std::string &)> refuse) {
  SmallVector<int64_t> result;
  ScopOp scop = poly.getOp();
  const TargetInfo &target = getTargetInfo(scop);
  std::optional<RowFinder> rows;
  for (BlockArgument argument : scop.getBody().getArguments().take_front(
           scop.getNumInputs() + scop.getNumOutputs())) {
    if (!isLarge(argument, target))
      continue;
    if (!rows)
      rows.emplace(poly, schedule);
    if (!rows->findMisfit(argument).empty())
      continue;
    if (std::string reason = findWrongLength(argument, target); !reason.empty())
      refuse(reason);
    else
      result.push_back(argument.getArgNumber());
  }
  // What is computed on is waited for first.
  if (!result.empty() && result.front() >= int64_t(scop.getNumInputs()))
    result.clear();
  return result;
}

SmallVector<int64_t> findTilePrefetches(const OuterBand &band, StmtOp stmt,
                                        ArrayRef<int64_t> tile,
                                        ArrayRef<unsigned> order,
                                        std::optional<unsigned> vector) {
  auto scop = stmt->getParentOfType<ScopOp>();
  const TargetInfo &target = getTargetInfo(scop);
  std::optional<unsigned> innermost;
  for (unsigned position = 0; position < band.size(); ++position) {
    unsigned m = order.empty() ? position : order[position];
    if (band.getExtent(m) > tile[m])
      innermost = band.getIterator(stmt, m);
  }
  SmallVector<int64_t> result;
  for (const Access &access : getAccesses(stmt)) {
    auto argument = dyn_cast<BlockArgument>(access.memref);
    if (!argument || access.write || !innermost ||
        argument.getArgNumber() >= scop.getNumInputs() ||
        llvm::is_contained(result, int64_t(argument.getArgNumber())))
      continue;
    auto type = cast<MemRefType>(argument.getType());
    bool isFar = llvm::any_of(stmt.getReduced(), [&](int64_t dim) {
      return std::abs(getBytes(type,
                               getStride(access, unsigned(dim)).value_or(0))) >=
             target.cacheLine;
    });
    if (isFar && getStride(access, *innermost).value_or(0) > 0 &&
        (!vector || getStride(access, *vector) == 0) &&
        getBytes(type, type.getNumElements()) > target.getNearBytes())
      result.push_back(argument.getArgNumber());
  }
  llvm::sort(result); // Statements read in any order.
  return result;
}

/// Why no tile of `config` fetches what the next one reads of an argument.
static std::string findTileMisfit(const PolyScop &poly, const OuterBand &band,
                                  ConfigAttr config, int64_t argument) {
  SmallVector<unsigned> order(config.getOrder());
  for (const PolyStmt &stmt : poly.getStmts())
    if (llvm::is_contained(findTilePrefetches(band, stmt.op, config.getTile(),
                                              order, std::nullopt),
                           argument))
      return "";
  return "no step of a reduction in a tile is in another line of a large input "
         "that the next tile reads elsewhere";
}

std::string findPrefetchMisfit(const PolyScop &poly,
                               const isl::schedule &schedule,
                               ConfigAttr config) {
  if (config.getPrefetch().empty())
    return "";
  ScopOp scop = poly.getOp();
  auto refuse = [&](int64_t number, const std::string &reason) {
    return "rows of argument " + std::to_string(number) +
           " cannot be prefetched: " + reason;
  };
  bool tiled =
      config.getColumns() > 0 || !config.getBlocks().empty() ||
      llvm::any_of(config.getTile(), [](int64_t size) { return size != 1; });
  RowFinder rows(poly, schedule);
  OuterBand band(scop, schedule);
  for (int64_t number : config.getPrefetch()) {
    if (number >= int64_t(scop.getNumInputs() + scop.getNumOutputs()))
      return refuse(number, "the group has " +
                                std::to_string(scop.getNumInputs() +
                                               scop.getNumOutputs()) +
                                " inputs and outputs");
    if (tiled && config.getColumns() == 0) {
      if (std::string misfit = findTileMisfit(poly, band, config, number);
          !misfit.empty())
        return refuse(number, misfit);
      continue;
    }
    if (tiled || config.getTile().empty())
      return refuse(number, "an iteration has to be one row");
    if (!config.getOrder().empty())
      return refuse(number, "the order of the rows has to be the band's");
    std::string misfit =
        rows.findMisfit(scop.getBody().getArgument(unsigned(number)));
    if (!misfit.empty())
      return refuse(number, misfit);
  }
  return "";
}

double countLines(ScopOp scop, ArrayRef<int64_t> arguments) {
  int64_t bytes = 0;
  for (int64_t number : arguments) {
    auto type = cast<MemRefType>(
        scop.getBody().getArgument(unsigned(number)).getType());
    bytes += getBytes(type, type.getNumElements());
  }
  return double(bytes) / double(getTargetInfo(scop).cacheLine);
}

} // namespace fusec::poly
