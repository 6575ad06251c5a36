// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/Pieces.h"

#include <set>

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

/// More pieces than this are one statement that selects.
static constexpr size_t kMaxPieces = 64;

namespace {
/// Finds where the domain of a value is cut: per dimension, without the ends.
class CutFinder {
public:
  CutFinder(ArrayRef<int64_t> shape, const GroupPlan &plan)
      : cuts(shape.size()), shape(shape), plan(plan) {}

  void find(Value value, AffineMap map);

  std::vector<std::set<int64_t>> cuts;
  std::set<unsigned> whole; ///< dimensions that are not cut

private:
  void keepRows(Value array, AffineMap map);

  ArrayRef<int64_t> shape;
  const GroupPlan &plan;
  llvm::DenseSet<std::pair<Value, AffineMap>> visited;
};
} // namespace

/// The group computes something for each index of a dimension, a sum of each
/// row say, that is read here: pieces of its loop would not fit what runs in
/// it.
void CutFinder::keepRows(Value array, AffineMap map) {
  Operation *op = array.getDefiningOp();
  ArrayRef<int64_t> extents = fuse::getTensorType(array).getShape();
  if (!op || !plan.isUsed(op) || extents.size() >= shape.size())
    return;
  for (auto [expr, extent] : llvm::zip(map.getResults(), extents))
    if (auto d = dyn_cast<AffineDimExpr>(expr);
        d && extent == shape[d.getPosition()])
      whole.insert(d.getPosition());
}

/// `map` leads from the domain to the points of `value` that are needed.
void CutFinder::find(Value value, AffineMap map) {
  Operation *op = value.getDefiningOp();
  std::optional<Primitive> primitive =
      op && plan.isUsed(op) ? Primitive::get(op) : std::nullopt;
  if (!primitive || primitive->reduces() ||
      !visited.insert({value, map}).second)
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (!primitive->getIndirect(number).empty())
      continue;
    AffineMap operandMap = primitive->getOperandMap(number).compose(map);
    if (primitive->getPlacement(number))
      for (auto [expr, extent] :
           llvm::zip(operandMap.getResults(),
                     fuse::getTensorType(operand.get()).getShape())) {
        // For the subscript d + c, the operand begins and ends at these d.
        for (unsigned d = 0; d < shape.size(); ++d) {
          auto offset = dyn_cast<AffineConstantExpr>(
              simplifyAffineExpr(expr - getAffineDimExpr(d, map.getContext()),
                                 shape.size(), map.getNumSymbols()));
          if (!offset)
            continue;
          for (int64_t cut : {-offset.getValue(), extent - offset.getValue()})
            if (cut > 0 && cut < shape[d])
              cuts[d].insert(cut);
        }
      }
    if (plan.isRead(operand.get()))
      keepRows(operand.get(), operandMap);
    else
      find(operand.get(), operandMap);
  }
}

std::vector<Box> fusec::sched::cutIntoPieces(OpResult value,
                                             const GroupPlan &plan) {
  ArrayRef<int64_t> shape = fuse::getTensorType(value).getShape();
  CutFinder finder(shape, plan);
  finder.find(value, AffineMap::getMultiDimIdentityMap(shape.size(),
                                                       value.getContext()));
  for (unsigned d : finder.whole)
    finder.cuts[d].clear();
  std::vector<Box> boxes = {{}};
  for (auto [extent, cuts] : llvm::zip(shape, finder.cuts)) {
    SmallVector<int64_t> ends(cuts.begin(), cuts.end());
    ends.push_back(extent);
    std::vector<Box> finer;
    for (const Box &box : boxes) {
      int64_t begin = 0;
      for (int64_t end : ends) {
        finer.push_back(box);
        finer.back().emplace_back(begin, end - begin);
        begin = end;
      }
    }
    boxes = std::move(finer);
    if (boxes.size() > kMaxPieces)
      break;
  }
  if (boxes.size() <= kMaxPieces)
    return boxes;
  Box all;
  for (int64_t extent : shape)
    all.emplace_back(0, extent);
  return {all};
}
