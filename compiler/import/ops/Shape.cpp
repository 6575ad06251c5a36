// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that give the same elements another shape or order.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

#include <numeric>

using namespace mlir;

namespace fusec {
namespace {

//===- Reshape and its kin -----------------------------------------------===//

/// The shape that Reshape asks for: 0 copies the operand's extent (unless
/// `allowzero`), one -1 takes what is left.
SmallVector<int64_t> reshapeTarget(Node &node) {
  std::vector<int64_t> wanted = node.opset() < 5
                                    ? node.intsAttribute("shape")
                                    : node.constantInts(1, "shape");
  node.ignoreAttributes({"consumed_inputs"});
  bool allowZero = node.flag("allowzero");
  ArrayRef<int64_t> from = node.shape(0);
  std::string text = shapeText(from) + " to " + shapeText(wanted);
  int64_t known = 1, free = -1;
  for (auto [i, extent] : llvm::enumerate(wanted)) {
    if (extent == 0 && !allowZero) {
      if (i >= from.size())
        node.invalid("cannot reshape " + text + ": there is no extent to copy");
      extent = from[i];
    }
    if (extent < -1 || (extent == -1 && free >= 0))
      node.invalid("cannot reshape " + text);
    if (extent == -1)
      free = int64_t(i);
    else if (llvm::MulOverflow(known, extent, known))
      node.invalid("cannot reshape " + text + ": that is too large");
  }
  int64_t total = ShapedType::getNumElements(from);
  if (free >= 0) {
    if (known == 0 || total % known != 0)
      node.invalid("cannot reshape " + text);
    wanted[free] = total / known;
  } else if (known != total) {
    node.invalid("cannot reshape " + text + ": " + llvm::Twine(total) +
                 " elements become " + llvm::Twine(known));
  }
  return llvm::to_vector(wanted);
}

SmallVector<int64_t> flattenTarget(Node &node) {
  int64_t rank = node.rank(0), axis = node.intAttribute("axis", 1);
  if (axis != rank)
    axis = node.normalizeAxis(axis, rank);
  return {ShapedType::getNumElements(node.shape(0).take_front(axis)),
          ShapedType::getNumElements(node.shape(0).drop_front(axis))};
}

/// The axes of Squeeze and Unsqueeze: an attribute before opset 13.
std::vector<int64_t> axesOf(Node &node) {
  if (node.opset() < 13)
    return node.intsAttribute("axes");
  return node.hasInput(1) ? node.constantInts(1, "axes")
                          : std::vector<int64_t>();
}

SmallVector<int64_t> squeezeTarget(Node &node) {
  std::vector<int64_t> axes = node.normalizeAxes(axesOf(node), node.rank(0));
  SmallVector<int64_t> shape;
  for (auto [i, extent] : llvm::enumerate(node.shape(0))) {
    bool named = llvm::is_contained(axes, int64_t(i));
    if (named && extent != 1)
      node.invalid("cannot squeeze axis " + llvm::Twine(i) + " of " +
                   shapeText(node.shape(0)));
    if (!named && (!axes.empty() || extent != 1))
      shape.push_back(extent);
  }
  return shape;
}

SmallVector<int64_t> unsqueezeTarget(Node &node) {
  std::vector<int64_t> axes = axesOf(node);
  int64_t rank = node.rank(0) + int64_t(axes.size());
  axes = node.normalizeAxes(axes, rank);
  SmallVector<int64_t> shape;
  size_t next = 0;
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(axes, i) ? 1 : node.shape(0)[next++]);
  return shape;
}

template <SmallVector<int64_t> (*Target)(Node &)>
void convertReshaping(Node &node) {
  SmallVector<int64_t> shape = Target(node);
  if (shape == node.shape(0))
    return node.forward(0, 0);
  node.setOutput(0, node.reshape(node.input(0), shape));
}

void convertIdentity(Node &node) {
  if (node.numInputs() != 1)
    node.invalid("has " + llvm::Twine(node.numInputs()) + " operands, needs 1");
  // An optional value that is not there has a name all the same.
  if (!node.hasInput(0) && !node.flat().proto->input(0).empty())
    return node.setAbsent(0);
  node.forward(0, 0);
}
//===- Transpose ----------------------------------------------------------===//

std::vector<int64_t> permutation(Node &node) {
  std::vector<int64_t> perm = node.intsAttribute("perm");
  int64_t rank = node.rank(0);
  if (!node.hasAttribute("perm")) {
    perm.resize(rank);
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  perm = node.normalizeAxes(perm, rank);
  if (int64_t(perm.size()) != rank)
    node.invalid("has a permutation of " + llvm::Twine(perm.size()) +
                 " axes for rank " + llvm::Twine(rank));
  return perm;
}

void convertTranspose(Node &node) {
  node.setOutput(0, node.transpose(node.input(0), permutation(node)));
}

//===- Expand, Tile -------------------------------------------------------===//

SmallVector<int64_t> expandTarget(Node &node) {
  std::vector<int64_t> wanted = node.constantInts(1, "shape");
  if (llvm::any_of(wanted, [](int64_t e) { return e < 0; }))
    node.invalid("cannot expand to " + shapeText(wanted));
  auto shape = node.broadcastShape({node.shape(0), wanted});
  node.requireSize(tensorType(shape, node.elementType(0)));
  return shape;
}

void convertExpand(Node &node) {
  node.requireInputs(2, 2);
  SmallVector<int64_t> shape = expandTarget(node);
  if (shape == node.shape(0))
    return node.forward(0, 0);
  node.setOutput(0, node.broadcast(node.input(0), shape));
}

std::vector<int64_t> tileRepeats(Node &node) {
  node.requireInputs(2, 2);
  std::vector<int64_t> repeats = node.constantInts(1, "repeats");
  if (int64_t(repeats.size()) != node.rank(0) ||
      llvm::any_of(repeats, [](int64_t r) { return r < 0; }))
    node.invalid("has the repeats " + shapeText(repeats) + " for the shape " +
                 shapeText(node.shape(0)));
  return repeats;
}

/// [a, b] tiled r x s times is [1, a, 1, b] broadcast to [r, a, s, b].
void convertTile(Node &node) {
  std::vector<int64_t> repeats = tileRepeats(node);
  SmallVector<int64_t> split, repeated, shape;
  for (auto [extent, count] : llvm::zip(node.shape(0), repeats)) {
    if (count != 1) {
      split.push_back(1);
      repeated.push_back(count);
    }
    split.push_back(extent);
    repeated.push_back(extent);
    if (llvm::MulOverflow(extent, count, shape.emplace_back()))
      node.unsupported("repeats an extent of " + llvm::Twine(extent) + " " +
                       llvm::Twine(count) + " times");
  }
  if (shape == node.shape(0))
    return node.forward(0, 0);
  node.requireSize(tensorType(shape, node.elementType(0)));
  Value value = node.reshape(node.input(0), split);
  node.setOutput(0, node.reshape(node.broadcast(value, repeated), shape));
}

//===- Space to depth and back --------------------------------------------===//

/// The block size of a node on [N, C, H, W].
int64_t blockSize(Node &node) {
  node.requireInputs(1, 1);
  int64_t block = node.intAttribute("blocksize");
  constexpr int64_t kMost = 1 << 15; // its square and more must not overflow
  if (node.rank(0) != 4 || block < 1 || block > kMost)
    node.invalid("needs an operand of rank 4 and a block size between 1 and " +
                 llvm::Twine(kMost) + ", has " + shapeText(node.shape(0)) +
                 " and " + llvm::Twine(block));
  return block;
}

void convertDepthToSpace(Node &node) {
  int64_t b = blockSize(node);
  std::string mode = node.stringAttribute("mode", "DCR");
  int64_t n = node.shape(0)[0], c = node.shape(0)[1];
  int64_t h = node.shape(0)[2], w = node.shape(0)[3];
  if (c % (b * b) != 0 || (mode != "DCR" && mode != "CRD"))
    node.invalid("cannot move " + llvm::Twine(c) + " channels into blocks of " +
                 llvm::Twine(b));
  int64_t depth = c / (b * b);
  Value value = node.input(0);
  if (mode == "DCR")
    value = node.transpose(node.reshape(value, {n, b, b, depth, h, w}),
                           {0, 3, 4, 1, 5, 2});
  else
    value = node.transpose(node.reshape(value, {n, depth, b, b, h, w}),
                           {0, 1, 4, 2, 5, 3});
  node.setOutput(0, node.reshape(value, {n, depth, h * b, w * b}));
}

void convertSpaceToDepth(Node &node) {
  int64_t b = blockSize(node);
  int64_t n = node.shape(0)[0], c = node.shape(0)[1];
  int64_t h = node.shape(0)[2], w = node.shape(0)[3];
  std::string mode =
      node.opset() < 28 ? "DCR" : node.stringAttribute("mode", "DCR");
  if (h % b != 0 || w % b != 0)
    node.invalid("cannot cut " + shapeText(node.shape(0)) + " into blocks of " +
                 llvm::Twine(b));
  if (mode != "DCR" && mode != "CRD")
    node.invalid("has the unknown mode '" + mode + "'");
  Value value = node.reshape(node.input(0), {n, c, h / b, b, w / b, b});
  value = mode == "DCR" ? node.transpose(value, {0, 3, 5, 1, 2, 4})
                        : node.transpose(value, {0, 1, 3, 5, 2, 4});
  node.setOutput(0, node.reshape(value, {n, c * b * b, h / b, w / b}));
}

} // namespace

void registerShape(Registry &r) {
  r.add("Reshape", 1, convertReshaping<reshapeTarget>).takesCodes = true;
  r.add("Flatten", 1, convertReshaping<flattenTarget>).takesCodes = true;
  r.add("Squeeze", 1, convertReshaping<squeezeTarget>).takesCodes = true;
  r.add("Unsqueeze", 1, convertReshaping<unsqueezeTarget>).takesCodes = true;
  Operator &identity = r.add("Identity", 1, convertIdentity);
  identity.takesCodes = identity.takesSequences = true;
  r.add("Transpose", 1, convertTranspose).takesCodes = true;
  r.add("Expand", 8, convertExpand).takesCodes = true;
  r.add("Tile", 6, convertTile);
  r.add("DepthToSpace", 1, convertDepthToSpace);
  r.add("SpaceToDepth", 1, convertSpaceToDepth);
}

} // namespace fusec
