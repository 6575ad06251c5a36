// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a GPU with several points side by side: --kernel-widen-accesses
// makes rows of their accesses.
#include "passes/poly/CostModel.h"
#include "passes/poly/Enumerator.h"

#include "dialects/TypeInfo.h"

using namespace mlir;

namespace fusec::poly {

int64_t Enumerator::findRowWidth(unsigned along) const {
  if (band.hasLoopsBelow())
    return 1;
  int64_t bytes = 1, elements = band.getExtent(along);
  for (const PolyStmt &stmt : poly.getStmts()) {
    std::optional<unsigned> iterator = band.getIterator(stmt.op, along);
    if (!iterator)
      return 1;
    for (const Access &access : getAccesses(stmt.op)) {
      auto type = cast<MemRefType>(access.memref.getType());
      std::optional<int64_t> stride = getStride(access, *iterator);
      if (isLocal(scop, access.memref) || stride == 0)
        continue;
      if (stride != 1)
        return 1;
      bytes = std::max<int64_t>(
          bytes, getTypeInfo(type.getElementType())->storageBytes());
      // What the last extents have in common with a power of two.
      elements |= type.getShape().back();
    }
  }
  int64_t width = target.multiprocessor->accessBytes / bytes;
  while (width > 1 && elements % width != 0)
    width /= 2;
  return width;
}

double Enumerator::countPoints() const {
  double points = 1;
  for (unsigned m = 0; m < band.size(); ++m)
    points *= double(std::max<int64_t>(1, band.getExtent(m)));
  return points;
}

double Enumerator::getRowShare(int64_t width) const {
  double all = 0, inRows = 0;
  for (const PolyStmt &stmt : poly.getStmts()) {
    double instances = double(getInstances(stmt.op));
    all += getScalarCost(scop, stmt.op);
    double accesses = getScalarCost(scop, stmt.op) - instances;
    inRows += instances + accesses / double(width);
  }
  return all > 0 ? inRows / all : 1;
}

} // namespace fusec::poly
