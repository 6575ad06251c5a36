// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tiles of a GPU the threads of a warp multiply as matrices.
#include "passes/poly/levels/ThreadTiles.h"
#include "passes/poly/tree/Strides.h"

#include <fmt/format.h>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;

namespace fusec::poly {

std::optional<MatrixMembers> findMatrixMembers(ConfigAttr config) {
  const unsigned columns = getStridedMember(config);
  std::optional<unsigned> rows;
  for (auto [m, size] : llvm::enumerate(config.getTile())) {
    if (m == columns || size == 1)
      continue;
    if (rows)
      return std::nullopt;
    rows = unsigned(m);
  }
  if (!rows)
    return std::nullopt;
  return MatrixMembers{*rows, columns};
}

std::optional<unsigned> findMatrixTerms(StmtOp stmt, unsigned rows) {
  std::optional<unsigned> last;
  for (int64_t dim : stmt.getReduced())
    if (stmt.getExtents()[dim] > 1)
      last = unsigned(dim);
  for (const Access &access : getAccesses(stmt))
    if (last && !access.write && getStride(access, rows).value_or(0) != 0 &&
        getStride(access, *last) == 1)
      return last;
  return std::nullopt;
}

std::string findMatrixMisfit(const TargetInfo &target, ConfigAttr config,
                             const OuterBand *band) {
  const Multiprocessor &mp = *target.multiprocessor;
  const MatrixUnit *unit = mp.getMatrixUnit(config.getMatrices());
  if (!unit)
    return fmt::format("{} has no unit '{}' for matrices",
                       mp.architecture.str(), config.getMatrices().str());
  std::optional<MatrixMembers> members = findMatrixMembers(config);
  if (!members)
    return "matrices have rows and columns, and the tile has other dimensions";
  SmallVector<int64_t> threads = countThreads(config);
  int64_t all = 1;
  for (auto [m, along, what] :
       {std::tuple(members->rows, unit->rowThreads, "rows"),
        std::tuple(members->columns, unit->columnThreads, "columns")}) {
    // Two matrices of rows are loaded together.
    const int64_t least = m == members->rows ? 4 : 2;
    if (config.getPoints()[m] % least != 0)
      return fmt::format("a thread has multiples of {} {} of a matrix, not {}",
                         least, what, config.getPoints()[m]);
    if (threads[m] % along != 0)
      return fmt::format("a warp has {} threads along {} of a matrix, and a "
                         "block {}",
                         along, what, threads[m]);
    if (band && config.getTile()[m] >= band->getExtent(m) + along)
      return fmt::format("threads along {} of a matrix would have nothing of "
                         "a loop of {}",
                         what, band->getExtent(m));
    all *= threads[m];
  }
  if (all != config.getThreads())
    return fmt::format("matrices have points for {} threads, not {}", all,
                       config.getThreads());
  if (config.getDepth() % unit->terms != 0)
    return fmt::format("matrices have {} terms a step, which {} are no "
                       "multiple of",
                       unit->terms, config.getDepth());
  return "";
}

} // namespace fusec::poly
