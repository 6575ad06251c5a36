// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/Tiles.h"

using namespace mlir;

namespace fusec::kernel {

bool isInside(Value value, Block &block) {
  Operation *owner = value.getParentBlock()->getParentOp();
  return value.getParentBlock() != &block &&
         block.findAncestorOpInBlock(*owner);
}

/// Whether a loop that is not on lanes carries the array.
static bool isAccumulated(LocalOp local) {
  return llvm::any_of(local->getUsers(), [](Operation *user) {
    auto loop = dyn_cast<ForOp>(user);
    return loop && loop.getMapping() != Mapping::vector;
  });
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
