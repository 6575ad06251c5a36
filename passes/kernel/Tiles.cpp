// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/Tiles.h"

#include "passes/kernel/AffineForms.h"

using namespace mlir;

namespace fusec::kernel {

bool isInside(Value value, Block &block) {
  Operation *owner = value.getParentBlock()->getParentOp();
  return value.getParentBlock() != &block &&
         block.findAncestorOpInBlock(*owner);
}

/// Whether a loop within the tile reads and writes elements of the array that do not
/// change with its iterations.
static bool isAccumulated(LocalOp local) {
  auto keeps = [](ForOp loop, Operation *access, AffineMap map,
                  ValueRange indices) {
    AffineForm form(map, indices);
    form.compose();
    return loop->isProperAncestor(access) &&
           !llvm::is_contained(form.operands, loop.getIndex());
  };
  for (Operation *user : local->getUsers()) {
    auto store = dyn_cast<StoreOp>(user);
    if (!store)
      continue;
    for (auto loop = store->getParentOfType<ForOp>();
         loop && !loop->isAncestor(local);
         loop = loop->getParentOfType<ForOp>()) {
      if (loop.getMapping() == Mapping::vector ||
          !keeps(loop, store, store.getMap(), store.getIndices()))
        continue;
      for (Operation *other : local->getUsers())
        if (auto load = dyn_cast<LoadOp>(other);
            load && keeps(loop, load, load.getMap(), load.getIndices()))
          return true;
    }
  }
  return false;
}

SmallVector<Block *> findTiles(FuncOp func) {
  SetVector<Block *> tiles;
  func.walk([&](LocalOp local) {
    if (isAccumulated(local))
      tiles.insert(local->getBlock());
  });
  // Rows of a block accumulate too, outside of the tiles that multiply them.
  auto holdsTile = [&](Block *block) {
    return llvm::any_of(tiles, [&](Block *tile) {
      return tile != block &&
             block->findAncestorOpInBlock(*tile->getParentOp());
    });
  };
  SmallVector<Block *> innermost;
  llvm::copy_if(tiles, std::back_inserter(innermost),
                [&](Block *block) { return !holdsTile(block); });
  return innermost;
}

} // namespace fusec::kernel
