// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the composites of transformers and of losses.
#include "dialects/fuse/FuseOps.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

LogicalResult AttentionOp::verify() {
  auto q = getTensorType(getQuery()), k = getTensorType(getKey());
  auto v = getTensorType(getValue()), y = getTensorType(getResult());
  if (q.getRank() != 4 || k.getRank() != 4 || v.getRank() != 4)
    return emitOpError("needs query, key and value of rank 4");
  int64_t heads = q.getDimSize(1), shared = k.getDimSize(1);
  if (k.getDimSize(0) != q.getDimSize(0) || k.getDimSize(3) != q.getDimSize(3))
    return emitOpError() << "has keys of shape [" << k.getShape()
                         << "] for queries of shape [" << q.getShape() << "]";
  if (v.getShape().take_front(3) != k.getShape().take_front(3))
    return emitOpError() << "has values of shape [" << v.getShape()
                         << "] for keys of shape [" << k.getShape() << "]";
  if (shared < 1 || heads % shared != 0)
    return emitOpError() << "cannot share " << shared << " heads of keys among "
                         << heads << " heads of queries";
  SmallVector<int64_t> scores = {q.getDimSize(0), heads, q.getDimSize(2),
                                 k.getDimSize(2)};
  SmallVector<int64_t> expected = scores;
  expected.back() = v.getDimSize(3);
  if (y.getShape() != ArrayRef<int64_t>(expected))
    return emitOpError() << "has result shape [" << y.getShape()
                         << "] but computes [" << expected << "]";
  for (Value mask : {getBias(), getAllowed()}) {
    if (!mask)
      continue;
    ArrayRef<int64_t> shape = getTensorType(mask).getShape();
    if (shape.size() != 4 || llvm::any_of(llvm::zip(shape, scores), [](auto p) {
          return std::get<0>(p) != 1 && std::get<0>(p) != std::get<1>(p);
        }))
      return emitOpError() << "cannot repeat a mask of shape [" << shape
                           << "] to [" << scores << "]";
  }
  auto computed = [](Value value) {
    return getComputeType(getTensorType(value).getElementType());
  };
  for (Value other : {getKey(), getValue(), getBias()})
    if (other && computed(other) != computed(getQuery()))
      return emitOpError() << "computes in " << computed(getQuery())
                           << ", and has an operand that is computed in "
                           << computed(other);
  if (getAllowed() &&
      !getTensorType(getAllowed()).getElementType().isInteger(1))
    return emitOpError("needs booleans that say what is allowed");
  if (getScores() &&
      getTensorType(getScores()).getShape() != ArrayRef<int64_t>(scores))
    return emitOpError() << "has scores of shape ["
                         << getTensorType(getScores()).getShape()
                         << "] but computes [" << scores << "]";
  return success();
}

LogicalResult RotaryEmbeddingOp::verify() {
  auto x = getTensorType(getInput()), cos = getTensorType(getCos());
  if (x.getRank() != 4 || cos.getRank() != 3 ||
      getTensorType(getSin()).getShape() != cos.getShape())
    return emitOpError("needs an input of rank 4, and cosines and sines of "
                       "rank 3 and one shape");
  if ((cos.getDimSize(0) != 1 && cos.getDimSize(0) != x.getDimSize(0)) ||
      cos.getDimSize(1) != x.getDimSize(1) ||
      cos.getDimSize(2) * 2 > x.getDimSize(3))
    return emitOpError() << "has angles of shape [" << cos.getShape()
                         << "] for an input of shape [" << x.getShape() << "]";
  return success();
}

LogicalResult NllLossOp::verify() {
  auto x = getTensorType(getInput()), target = getTensorType(getTarget());
  if (x.getRank() < 2)
    return emitOpError("needs an input of rank 2 or more");
  SmallVector<int64_t> expected(x.getShape());
  expected.erase(expected.begin() + 1);
  if (target.getShape() != ArrayRef<int64_t>(expected) ||
      !isa<IntegerType>(target.getElementType()))
    return emitOpError() << "needs integer targets of shape [" << expected
                         << "]";
  if (getWeight() &&
      getTensorType(getWeight()).getShape() != x.getShape().slice(1, 1))
    return emitOpError() << "needs weights for " << x.getDimSize(1)
                         << " classes";
  if (getReduction() != LossReduction::none)
    expected.clear();
  if (getTensorType(getResult()).getShape() != ArrayRef<int64_t>(expected))
    return emitOpError() << "has result shape ["
                         << getTensorType(getResult()).getShape()
                         << "] but computes [" << expected << "]";
  return success();
}
