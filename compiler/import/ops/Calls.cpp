// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ops/Calls.h"

#include "dialects/fuse/Growing.h"

#include "dialects/library/Library.h"

using namespace mlir;

namespace fusec {

fuse::CallOp callRoutine(Node &node, StringRef routine, ArrayRef<Type> results,
                         ArrayRef<Value> operands,
                         ArrayRef<std::pair<StringRef, Attribute>> parameters) {
  OpBuilder &builder = node.builder;
  SmallVector<NamedAttribute> attributes;
  for (auto [name, value] : parameters)
    attributes.push_back(builder.getNamedAttr(name, value));
  DictionaryAttr dictionary = builder.getDictionaryAttr(attributes);
  if (library::Refusal reason =
          library::refuse(routine, {ValueRange(operands).getTypes(),
                                    TypeRange(results), dictionary}))
    node.invalid(*reason);
  return fuse::CallOp::create(builder, node.loc, results,
                              builder.getStringAttr(routine), dictionary,
                              operands);
}

/// `cache` with the rows of `update` at these numbers along `axis`: `rows` has
/// one per position before the axis and row of the update.
static Value scatterRows(Node &node, Value cache, Value update, Value rows,
                         int64_t axis, bool isGrowing) {
  ArrayRef<int64_t> shape = fuse::getTensorType(cache).getShape();
  int64_t slabs = 1, inner = 1;
  for (int64_t extent : shape.take_front(axis))
    slabs *= extent;
  for (int64_t extent : shape.drop_front(axis + 1))
    inner *= extent;
  const int64_t length = fuse::getTensorType(update).getShape()[axis];
  const int64_t room = shape[axis];
  // An index is a slab, one for each position before the axis, and a row of it.
  Type i64 = node.builder.getI64Type();
  Value indices = node.reshape(rows, {slabs, length, 1});
  if (slabs > 1) {
    Value slab = node.iota(tensorType({slabs, length, 1}, i64), 0);
    indices = node.concat({slab, indices}, 2);
  }
  SmallVector<int64_t> whole = {slabs, room, inner},
                       part = {slabs, length, inner};
  if (slabs == 1) {
    whole.erase(whole.begin());
    part.erase(part.begin());
    indices = node.reshape(indices, {length, 1});
  }
  Value from = node.reshape(cache, whole), fresh = node.reshape(update, part);
  fuse::CallOp written =
      callRoutine(node, "scatter_nd", {from.getType()}, {from, indices, fresh},
                  {{"reduction", node.builder.getStringAttr("none")}});
  if (isGrowing)
    written->setAttr(fuse::kGrownAttr, node.builder.getUnitAttr());
  return node.reshape(written.getResult(0), shape);
}

Value appendRows(Node &node, Value cache, Value update, int64_t axis) {
  ArrayRef<int64_t> shape = fuse::getTensorType(cache).getShape();
  const int64_t length = fuse::getTensorType(update).getShape()[axis];
  auto rowType =
      tensorType({ShapedType::getNumElements(shape.take_front(axis)), length},
                 node.builder.getI64Type());
  Value first = node.reshape(node.cacheLength(), {});
  first = node.broadcast(first, rowType.getShape(), {});
  Value row = node.add(node.iota(rowType, 1), first);
  return scatterRows(node, cache, update, row, axis, /*isGrowing=*/true);
}

Value writeRows(Node &node, Value cache, Value update, Value start,
                int64_t axis, bool circular) {
  ArrayRef<int64_t> shape = fuse::getTensorType(cache).getShape();
  const int64_t batch = shape[0];
  const int64_t slabs = ShapedType::getNumElements(shape.take_front(axis));
  const int64_t length = fuse::getTensorType(update).getShape()[axis];
  const int64_t room = shape[axis];
  Type i64 = node.builder.getI64Type();
  auto rowType = tensorType({batch, slabs / batch, length}, i64);
  Value first = node.reshape(node.cast(start, i64), {batch});
  first = node.broadcast(first, rowType.getShape(), {0});
  Value row = node.iota(rowType, 2);
  row = node.add(row, first);
  if (circular) {
    row = node.binary<fuse::ModOp>(row, room);
  } else {
    // Those below 0 would count from the end.
    Value begun = node.compare(fuse::CmpPredicate::ge, row, 0);
    row = node.select(begun, row, double(room));
  }
  return scatterRows(node, cache, update, row, axis, /*isGrowing=*/false);
}

} // namespace fusec
