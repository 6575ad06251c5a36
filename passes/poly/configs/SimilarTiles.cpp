// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/SimilarTiles.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/arrays/SharedTiles.h"
#include "passes/poly/configs/TileSpace.h"
#include "passes/poly/levels/DepthBlocks.h"
#include "passes/poly/levels/ThreadTiles.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/CostModel.h"

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;

namespace fusec::poly {

SimilarTiles::SimilarTiles(const PolyScop &poly, const isl::schedule &schedule)
    : scop(poly.getOp()), stmt(findHeaviest(poly)), band(scop, schedule) {
  if (!stmt || !stmt.isReduction())
    return;
  isl::schedule_node loop =
      findReduction(schedule, poly.getStmt(stmt.getSymName()));
  if (loop.is_null())
    return;
  auto outermost = getMemberIterators(loop.as<isl::schedule_node_band>(), 0);
  if (auto found = outermost.find(stmt.getSymName().str());
      found != outermost.end())
    reduced = found->second;
}

std::optional<unsigned> SimilarTiles::getReduced(ConfigAttr config) const {
  if (config.getMatrices().empty())
    return reduced;
  auto members = findMatrixMembers(config);
  auto rows = members ? band.getIterator(stmt, members->rows) : std::nullopt;
  return rows ? findMatrixTerms(stmt, *rows) : std::nullopt;
}

/// All that says which loops there are, but for their sizes.
std::optional<SimilarTiles::Kind>
SimilarTiles::getKind(ConfigAttr config) const {
  if (!reduced || config.getPoints().empty())
    return std::nullopt;
  const std::optional<unsigned> inBlocks = getReduced(config);
  if (!inBlocks)
    return std::nullopt;
  const int64_t split = config.getSplit();
  const int64_t part = split > 0 ? split : stmt.getExtents()[*inBlocks];
  Kind kind = {!config.getMatrices().empty(),
               config.getDepth() > 0 && config.getDepth() < part,
               std::min<int64_t>(split, 2), int64_t(config.getCombine())};
  for (auto [m, size] : llvm::enumerate(config.getTile())) {
    kind.push_back(size > 1);
    kind.push_back(config.getPoints()[m] > 1);
    kind.push_back(size > config.getPoints()[m]);
    kind.push_back(size < band.getExtent(m));
  }
  llvm::append_range(kind, config.getOrder());
  return kind;
}

/// `local` as it is with `config`: of an operand what a block reads of it, of
/// accumulators those of a thread's points. Nothing if it is something else.
std::optional<LocalArray> SimilarTiles::resize(LocalArray local,
                                               ConfigAttr config) const {
  if (local.isOperand()) {
    SmallVector<IndexRange> block =
        getBlockRanges(band, stmt, *getReduced(config), config);
    unsigned reads = 0;
    for (StmtOp reader : scop.getBody().getOps<StmtOp>())
      for (auto [number, array] : llvm::enumerate(reader.getReads())) {
        if (array != local.array)
          continue;
        ++reads;
        AffineMap map = reader.getReadMap(number);
        for (auto [d, expr] : llvm::enumerate(map.getResults())) {
          IndexRange range = rangeOf(expr, block);
          if (reader != stmt || !range.low || !range.high)
            return std::nullopt;
          local.shape[d] = *range.high - *range.low + 1;
        }
      }
    return reads == 1 ? std::optional(local) : std::nullopt;
  }
  if (local.apart.empty())
    return std::nullopt;
  for (auto [number, array] : llvm::enumerate(stmt.getWrites())) {
    if (array != local.array)
      continue;
    for (auto [d, expr] :
         llvm::enumerate(stmt.getWriteMap(number).getResults())) {
      local.shape[d] = 1;
      for (auto [m, points] : llvm::enumerate(config.getPoints()))
        if (auto iterator = band.getIterator(stmt, m);
            iterator && expr.isFunctionOfDim(*iterator))
          local.shape[d] *= points;
    }
    return local;
  }
  return std::nullopt;
}

void SimilarTiles::add(ConfigAttr config, ArrayRef<LocalMark> marks,
                       int64_t workspace) {
  std::optional<Kind> kind = getKind(config);
  if (!kind)
    return;
  Known found{{}, workspace};
  for (const LocalMark &mark : marks) {
    // What its size is found to be has to be what it is.
    std::optional<LocalArray> same = resize(mark.local, config);
    if (!same || same->shape != mark.local.shape)
      return;
    found.locals.push_back(mark.local);
  }
  known.try_emplace(std::move(*kind), std::move(found));
}

std::optional<SimilarTiles::Result>
SimilarTiles::find(ConfigAttr config) const {
  std::optional<Kind> kind = getKind(config);
  auto found = kind ? known.find(*kind) : known.end();
  if (found == known.end())
    return std::nullopt;
  const TargetInfo &target = getTargetInfo(scop);
  int64_t shared = 0;
  for (const LocalArray &local : found->second.locals) {
    LocalArray own = *resize(local, config);
    auto isOne = [](int64_t extent) { return extent == 1; };
    if (local.isOperand()) {
      // Dimensions of one element lie in no order.
      if (llvm::map_to_vector(own.shape, isOne) !=
          llvm::map_to_vector(local.shape, isOne))
        return std::nullopt;
      shared += countSharedBytes(own, config);
    } else if (getWorkspaceType(own.array).getElementTypeBitWidth() / 8 *
                   own.countElements() >
               target.stackBytes) {
      return std::nullopt;
    }
  }
  return Result{explainSharedBytes(*target.multiprocessor, shared),
                found->second.workspace};
}

} // namespace fusec::poly
