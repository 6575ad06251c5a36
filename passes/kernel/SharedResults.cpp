// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/SharedResults.h"

#include "passes/kernel/Reductions.h"

using namespace mlir;

namespace fusec::kernel {

/// Loops over the elements of `array`, with `body` for each.
static void forEachElement(
    OpBuilder &builder, Location loc, Value array,
    llvm::function_ref<void(AffineMap subscripts, ValueRange indices)> body) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices;
  ArrayRef<int64_t> shape = cast<MemRefType>(array.getType()).getShape();
  for (int64_t extent : shape) {
    auto loop = ForOp::create(builder, loc, 0, extent);
    loop.getIndex().setLoc(builder.getUnknownLoc());
    builder.setInsertionPoint(loop.getBody().front().getTerminator());
    indices.push_back(loop.getIndex());
  }
  body(builder.getMultiDimIdentityMap(shape.size()), indices);
}

/// "sum" as "part_sum".
static Location nameAfter(Value array) {
  StringRef name = getNameOf(array.getLoc());
  auto part = StringAttr::get(array.getContext(),
                              name.empty() ? "part" : ("part_" + name).str());
  return NameLoc::get(part, array.getLoc());
}

static void share(ForOp loop, Value array, Combiner combiner) {
  auto type = cast<MemRefType>(array.getType());
  Location loc = loop.getLoc();
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointToStart(&loop.getBody().front());
  Value part = LocalOp::create(builder, nameAfter(array), type);
  forEachElement(builder, loc, part, [&](AffineMap map, ValueRange indices) {
    Value neutral = arith::ConstantOp::create(
        builder, loc, getNeutral(combiner, type.getElementType()));
    StoreOp::create(builder, loc, neutral, part, map, indices);
  });
  array.replaceUsesWithIf(part, [&](OpOperand &use) {
    return loop->isProperAncestor(use.getOwner());
  });
  builder.setInsertionPoint(loop.getBody().front().getTerminator());
  forEachElement(builder, loc, part, [&](AffineMap map, ValueRange indices) {
    Value value =
        LoadOp::create(builder, loc, type.getElementType(), part, map, indices);
    AtomicOp::create(builder, loc, combiner, value, array, map, indices);
  });
}

unsigned shareAmongThreads(ForOp loop) {
  SmallVector<Value> arrays(loop.getCarried());
  for (Value array : arrays) {
    Combiner combiner = *getCombiner(*loop.getCarry(array));
    loop.dropCarry(array);
    share(loop, array, combiner);
  }
  return arrays.size();
}

} // namespace fusec::kernel
