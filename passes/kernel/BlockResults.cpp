// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/BlockResults.h"

#include "passes/kernel/Reductions.h"

using namespace mlir;

namespace fusec::kernel {

static constexpr llvm::StringLiteral kWorkspaceBytes = "workspace_bytes";
static constexpr llvm::StringLiteral kZeroedBytes = "zeroed_bytes";

static int64_t getBytes(FuncOp func, StringRef name) {
  auto attr = func->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

namespace {

/// Takes the reductions of one loop apart.
class BlockSplitter {
public:
  explicit BlockSplitter(ForOp loop)
      : loop(loop), func(loop->getParentOfType<FuncOp>()), builder(loop) {
    for (auto around = loop->getParentOfType<ForOp>(); around;
         around = around->getParentOfType<ForOp>())
      outer.insert(outer.begin(), around);
  }

  void run();

private:
  Value addWorkspace(ArrayRef<int64_t> shape, Type element, StringRef name,
                     int64_t offset);
  SmallVector<int64_t> getOuterShape();
  SmallVector<Value> getOuterIndices();

  ForOp loop;
  FuncOp func;
  OpBuilder builder;
  /// The loops of blocks around, outermost first.
  SmallVector<ForOp> outer;
};

} // namespace

Value BlockSplitter::addWorkspace(ArrayRef<int64_t> shape, Type element,
                                  StringRef name, int64_t offset) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&func.getBody().front());
  auto type = MemRefType::get(shape, element);
  Location loc = NameLoc::get(builder.getStringAttr(name), loop.getLoc());
  int64_t bytes = type.getNumElements() *
                  llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  func->setAttr(kWorkspaceBytes, builder.getI64IntegerAttr(offset + bytes));
  return WorkspaceOp::create(builder, loc, type, offset);
}

SmallVector<int64_t> BlockSplitter::getOuterShape() {
  SmallVector<int64_t> shape;
  for (ForOp around : outer)
    shape.push_back(*around.getConstantTripCount());
  return shape;
}

SmallVector<Value> BlockSplitter::getOuterIndices() {
  SmallVector<Value> indices;
  for (ForOp around : outer)
    indices.push_back(around.getIndex());
  return indices;
}

void BlockSplitter::run() {
  Location loc = loop.getLoc();
  Block *body = &loop.getBody().front();
  int64_t blocks = *loop.getConstantTripCount();
  SmallVector<Operation *> before, after;
  for (Operation &op : loop->getBlock()->without_terminator())
    if (&op != loop && !isa<WorkspaceOp>(op))
      (op.isBeforeInBlock(loop) ? before : after).push_back(&op);
  for (Operation *op : llvm::reverse(before))
    op->moveBefore(body, body->begin());

  // Partial results, and where they lie when a block is done.
  SmallVector<int64_t> shape = getOuterShape();
  SmallVector<int64_t> partShape = shape;
  partShape.push_back(blocks);
  struct Shared {
    Value array, part, parts;
    Carry carry;
  };
  SmallVector<Shared> shared;
  AffineMap none = builder.getMultiDimIdentityMap(0);
  Operation *first =
      before.empty() ? &body->front() : before.back()->getNextNode();
  for (Value array : SmallVector<Value>(loop.getCarried())) {
    Carry carry = *loop.getCarry(array);
    auto type = cast<MemRefType>(array.getType());
    loop.dropCarry(array);
    builder.setInsertionPoint(first);
    std::string name = getNameOf(array.getLoc()).str();
    Value part = LocalOp::create(
        builder,
        NameLoc::get(
            builder.getStringAttr(name.empty() ? "part" : "part_" + name), loc),
        type);
    Value neutral = arith::ConstantOp::create(
        builder, loc, getNeutral(*getCombiner(carry), type.getElementType()));
    StoreOp::create(builder, loc, neutral, part, none, ValueRange());
    int64_t offset = llvm::alignTo(getBytes(func, kWorkspaceBytes), 8);
    Value parts =
        addWorkspace(partShape, type.getElementType(),
                     name.empty() ? "parts" : name + "_parts", offset);
    array.replaceUsesWithIf(part, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return loop->isProperAncestor(user) && !llvm::is_contained(before, user);
    });
    shared.push_back({array, part, parts, carry});
  }

  builder.setInsertionPoint(body->getTerminator());
  auto one = ForOp::create(builder, loc, 0, 1, 1, Mapping::thread);
  one.getIndex().setLoc(builder.getUnknownLoc());
  builder.setInsertionPoint(one.getBody().front().getTerminator());
  SmallVector<Value> place = getOuterIndices();
  place.push_back(loop.getIndex());
  AffineMap all = builder.getMultiDimIdentityMap(place.size());
  for (const Shared &each : shared) {
    Type element = cast<MemRefType>(each.array.getType()).getElementType();
    Value value =
        LoadOp::create(builder, loc, element, each.part, none, ValueRange());
    StoreOp::create(builder, loc, value, each.parts, all, place);
  }

  int64_t offset = llvm::alignTo(getBytes(func, kWorkspaceBytes), 8);
  int64_t zeroed = getBytes(func, kZeroedBytes);
  Value tickets = addWorkspace(shape, builder.getI32Type(), "tickets", offset);
  func->setAttr(kZeroedBytes,
                builder.getI64IntegerAttr(
                    zeroed + getBytes(func, kWorkspaceBytes) - offset));
  builder.setInsertionPointAfter(one);
  auto last =
      LastBlockOp::create(builder, loc, blocks, tickets, getOuterIndices());
  Block *inLast = builder.createBlock(&last.getBody());
  YieldOp::create(builder, loc);
  builder.setInsertionPointToStart(inLast);
  for (const Shared &each : shared) {
    OpBuilder::InsertionGuard guard(builder);
    Type element = cast<MemRefType>(each.array.getType()).getElementType();
    auto parts = ForOp::create(builder, loc, 0, blocks, 1, Mapping::thread);
    parts.getIndex().setLoc(loop.getIndex().getLoc());
    parts.setCarry(each.array, each.carry);
    builder.setInsertionPoint(parts.getBody().front().getTerminator());
    place.back() = parts.getIndex();
    Value value = LoadOp::create(builder, loc, element, each.parts, all, place);
    Value held =
        LoadOp::create(builder, loc, element, each.array, none, ValueRange());
    StoreOp::create(
        builder, loc,
        createCombination(builder, loc, *getCombiner(each.carry), held, value),
        each.array, none, ValueRange());
  }
  for (Operation *op : after)
    op->moveBefore(inLast->getTerminator());
}

unsigned combineBlocks(ForOp loop) {
  unsigned count = loop.getCarried().size();
  if (count > 0)
    BlockSplitter(loop).run();
  return count;
}

} // namespace fusec::kernel
