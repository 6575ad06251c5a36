// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft: Attention and QAttention, which compute queries, keys and
// values by one product.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Matmul.h"
#include "compiler/import/ops/MicrosoftAttention.h"
#include "compiler/import/ops/Requantize.h"

using namespace mlir;

namespace fusec {
namespace {

//===- What both share ----------------------------------------------------===//

/// How wide queries, keys and values are in a product of `width` columns.
SmallVector<int64_t> readWidths(Node &node, int64_t heads, int64_t width) {
  SmallVector<int64_t> widths =
      llvm::to_vector(node.intsAttribute("qkv_hidden_sizes"));
  if (widths.empty())
    widths.assign(3, width / 3);
  bool fits = widths.size() == 3 && widths[0] == widths[1] &&
              widths[0] + widths[1] + widths[2] == width && heads > 0;
  for (int64_t w : widths)
    fits = fits && w > 0 && w % heads == 0;
  if (!fits)
    node.invalid("cannot split " + llvm::Twine(width) +
                 " columns into queries, keys and values of " +
                 llvm::Twine(heads) + " heads" +
                 (node.hasAttribute("qkv_hidden_sizes")
                      ? " by qkv_hidden_sizes " + shapeText(widths)
                      : ""));
  return widths;
}

/// Keys (0) or values (1) behind those in operand `past`, [2, batch, heads,
/// length, width].
Value behindPast(Node &node, unsigned past, int64_t part, Value current) {
  auto type = fuse::getTensorType(current);
  SmallVector<int64_t> shape(type.getShape());
  if (node.rank(past) == 5)
    shape[2] = node.shape(past)[3];
  SmallVector<int64_t> both = {2};
  llvm::append_range(both, shape);
  if (node.shape(past) != ArrayRef<int64_t>(both) ||
      node.elementType(past) != type.getElementType())
    node.invalid("has a past of type " + typeText(node.type(past)) +
                 " for keys or values of type " + typeText(type));
  if (shape[2] == 0)
    return current;
  Value before = node.reshape(node.slice(node.input(past), 0, part, 1), shape);
  shape[2] += type.getDimSize(2);
  return node.concat({before, current}, 2);
}

/// x W + b
Value project(Node &node) {
  node.requireSameElementType(0, 1);
  auto type = tensorType(productShape(node, 0, 1), node.elementType(0));
  Value input = node.input(0), weights = node.input(1);
  Term y(node, node.make<fuse::MatmulOp>(type, input, weights));
  return addColumnBias(node, y, 2);
}

/// The same of codes: x W a_scale b_scale + b
Value projectCodes(Node &node) {
  requireBytes(node, 0);
  requireBytes(node, 1);
  auto shape = productShape(node, 0, 1);
  Value inputZero = zeroPoint(node, 6, 0);
  Value weightZero = columnZero(node, 7, 1, shape.back());
  Term scale = columnScale(node, 4, shape) * scaleTerm(node, 3);
  Term sum = integerProduct(node, shape, node.input(0), node.input(1),
                            inputZero, weightZero);
  return addColumnBias(node, sum * scale, 2);
}

/// Which operands an attention has its masks and its past in.
struct PackedOperands {
  unsigned mask, past;
  std::optional<unsigned> bias;
};

/// Refuses operands 0 and 1 that are no rows of samples and no weights.
void requireProjection(Node &node) {
  ArrayRef<int64_t> x = node.shape(0), w = node.shape(1);
  if (x.size() != 3 || w.size() != 2)
    node.invalid("cannot project " + shapeText(x) + " by weights of shape " +
                 shapeText(w));
}

/// softmax(scale q k^T + mask) v for the columns q, k, v of `product`, split
/// into heads
void attendToColumns(Node &node, Value product,
                     const PackedOperands &operands) {
  if (node.flag("do_rotary"))
    node.unsupported(
        "rotates queries and keys, which ONNX Runtime's CPU kernel "
        "does not do either",
        "export MultiHeadAttention and RotaryEmbedding");
  if (node.flag("past_present_share_buffer"))
    node.unsupported("works on a cache that past and present share",
                     "export the model without past_present_share_buffer");
  int64_t count = node.intAttribute("num_heads"), offset = 0;
  auto widths = readWidths(node, count, dimOf(product, 2));
  Value parts[3];
  for (auto [part, width] : llvm::zip(parts, widths)) {
    part = node.slice(product, 2, offset, width);
    part = splitHeads(node, part, count);
    offset += width;
  }
  AttentionHeads heads = {parts[0], parts[1], parts[2]};
  if ((node.hasInput(operands.past) || node.wantsOutput(1)) &&
      widths[2] != widths[1])
    node.invalid("has a past or a present, which hold keys and values side by "
                 "side, but values of another width than keys");
  if (node.hasInput(operands.past)) {
    heads.k = behindPast(node, operands.past, 0, heads.k);
    heads.v = behindPast(node, operands.past, 1, heads.v);
    heads.past = node.shape(operands.past)[3];
  }
  auto scores = heads.scoresShape();
  AttentionMask mask(node, scores);
  node.ignoreAttributes({"mask_filter_value"}); // without a mask
  if (node.hasInput(operands.mask)) {
    // One mark for all keys of a sample changes nothing.
    ArrayRef<int64_t> shape = node.shape(operands.mask);
    bool isForAll = shape.size() == 2 && shape[1] == 1 && scores[3] != 1 &&
                    (shape[0] == 1 || shape[0] == scores[0]);
    if (!isForAll)
      addPadding(node, operands.mask, /*begins=*/true, heads, mask);
  }
  if (operands.bias)
    addScoreBias(node, *operands.bias, heads, mask);
  addFuture(node, heads, mask);
  auto op = attend(node, heads, mask, false);
  node.setOutput(0, mergeHeads(node, op.getResult()));
  if (!node.wantsOutput(1))
    return;
  checkHeads(node, heads.k, heads.k, heads.v);
  SmallVector<int64_t> one = {1, scores[0], scores[1], scores[3],
                              dimOf(heads.k, 3)};
  SmallVector<int64_t> both = one;
  both[0] = 2;
  Value k = node.reshape(heads.k, one), v = node.reshape(heads.v, one);
  node.setOutput(1, node.concat({k, v}, 0));
}

//===- The operators ------------------------------------------------------===//

void convertPackedAttention(Node &node) {
  node.requireInputs(2, 7);
  node.requireFloat(0);
  node.ignoreAttributes({"rotary_embedding_dim"});
  requireProjection(node);
  attendToColumns(node, project(node), {/*mask=*/3, /*past=*/4, /*bias=*/5});
}

void convertQAttention(Node &node) {
  node.requireInputs(5, 9);
  requireProjection(node);
  attendToColumns(node, projectCodes(node),
                  {/*mask=*/5, /*past=*/8, /*bias=*/std::nullopt});
}

} // namespace

void registerMicrosoftPackedAttention(Registry &r) {
  r.addTo(kMicrosoft, "Attention", 1, convertPackedAttention);
  r.addTo(kMicrosoft, "QAttention", 1, convertQAttention);
}

} // namespace fusec
