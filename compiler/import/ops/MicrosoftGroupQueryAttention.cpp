// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft's GroupQueryAttention: causal attention over a cache of keys
// and values, whose samples may be of different lengths.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Attention.h"
#include "compiler/import/ops/Calls.h"

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {
namespace {

enum Operand : unsigned {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kLengths,
  kTotal,
  kCos,
  kSin,
  kPositions,
  kBias,
  kSink,
  kKeyScale,
  kValueScale,
  kQueryNorm,
  kKeyNorm
};

class GroupQueryAttention {
public:
  explicit GroupQueryAttention(Node &node) : node(node) {}

  /// softmax(cap(scale q k^T) + bias) v with the sink in the softmax, over the
  /// keys of the past and the new ones
  void convert();

private:
  void refuseOthers();
  void readHeads();
  void readLengths();
  void rotate();
  Value angles(unsigned table, Value positions);
  Value place(unsigned past, unsigned present, Value fresh);
  void restrict(AttentionMask &mask);
  void addSink(AttentionMask &mask);
  void setScores(fuse::AttentionOp op, const AttentionMask &mask);

  Value pad(Value value, unsigned dim, int64_t low, int64_t high,
            TypedAttr fill = {});
  Value indices(ArrayRef<int64_t> shape, unsigned dim) {
    return node.iota(intType(shape), dim);
  }
  RankedTensorType intType(ArrayRef<int64_t> shape) {
    return tensorType(shape, node.builder.getI32Type());
  }

  Node &node;
  int64_t batch = 0, length = 0, heads = 0, shared = 0;
  /// Extents of the past's buffer and of the result's, and the longest sample.
  int64_t pastExtent = 0, extent = 0, total = 0;
  /// The prompt: no past, whatever its buffer holds.
  bool isPrompt = false;
  /// [batch, length, heads, width], rotated; then [batch, heads, length,
  /// width].
  Value q, k, v;
  /// How many keys each sample has with the new ones, i32 [batch, 1, 1, 1], and
  /// how many were there before.
  Value lengths, before;
};

void GroupQueryAttention::refuseOthers() {
  if (node.hasInput(kKeyScale) || node.hasInput(kValueScale) ||
      node.stringAttribute("k_quant_type", "NONE") != "NONE" ||
      node.stringAttribute("v_quant_type", "NONE") != "NONE")
    node.unsupported("has a quantised cache",
                     "export the model with a cache of floats");
  node.ignoreAttributes({"kv_cache_bit_width", "qk_norm_epsilon"});
  if (node.hasInput(kQueryNorm) || node.hasInput(kKeyNorm))
    node.unsupported("normalises queries and keys, which ONNX Runtime's CPU "
                     "kernel does not do either",
                     "export the norms as nodes of their own");
  if (node.flag("sliding_window_cache"))
    node.unsupported("drops keys from its cache",
                     "export the model with a cache of all keys");
}

void GroupQueryAttention::readHeads() {
  heads = node.intAttribute("num_heads");
  shared = node.intAttribute("kv_num_heads");
  if (node.rank(kQuery) != 3 || heads < 1 || shared < 1)
    node.invalid("has a query of shape " + shapeText(node.shape(kQuery)) +
                 " for " + llvm::Twine(heads) + " heads, and " +
                 llvm::Twine(shared) + " of keys");
  batch = node.shape(kQuery)[0];
  length = node.shape(kQuery)[1];
  if (node.hasInput(kKey) != node.hasInput(kValue))
    node.invalid("needs both a key and a value, or neither");
  if (node.hasInput(kKey)) {
    for (unsigned i : {kKey, kValue}) {
      node.requireSameElementType(kQuery, i);
      if (node.rank(i) != 3 || node.shape(i)[1] != length)
        node.invalid("has keys or values of shape " + shapeText(node.shape(i)) +
                     " for a query of shape " + shapeText(node.shape(kQuery)));
    }
    q = splitWidth(node, node.input(kQuery), heads);
    k = splitWidth(node, node.input(kKey), shared);
    v = splitWidth(node, node.input(kValue), shared);
    return;
  }
  Value packed = splitWidth(node, node.input(kQuery), heads + 2 * shared);
  q = node.slice(packed, 2, 0, heads);
  k = node.slice(packed, 2, heads, shared);
  v = node.slice(packed, 2, heads + shared, shared);
}

void GroupQueryAttention::readLengths() {
  if (node.hasInput(kPastKey) != node.hasInput(kPastValue))
    node.invalid("needs both a past key and a past value, or neither");
  if (node.hasInput(kPastKey))
    pastExtent = node.rank(kPastKey) == 4 ? node.shape(kPastKey)[2] : 0;
  for (unsigned i : {kLengths, kTotal})
    if (!node.elementType(i).isInteger(32))
      node.invalid("needs lengths of i32, has " + typeText(node.type(i)));
  if (node.type(kLengths).getNumElements() != batch)
    node.invalid("needs one length for each of " + llvm::Twine(batch) +
                 " samples, has " + typeText(node.type(kLengths)));
  total = node.constantInt(kTotal, "total_sequence_length");
  extent = std::max(total, pastExtent);
  isPrompt = total == length;
  if (total < length)
    node.invalid("has " + llvm::Twine(length) + " queries and a total of " +
                 llvm::Twine(total) + " keys");
  if (!isPrompt && !node.hasInput(kPastKey))
    node.invalid("has " + llvm::Twine(length) + " queries, a total of " +
                 llvm::Twine(total) + " keys, and no past");
  if (!isPrompt && total > pastExtent + length)
    node.invalid("has a total of " + llvm::Twine(total) +
                 " keys, more than the " + llvm::Twine(pastExtent) +
                 " of its past and " + llvm::Twine(length) + " new ones");
  Value last = node.reshape(node.input(kLengths), {batch, 1, 1, 1});
  lengths = node.add(last, 1);
  if (!isPrompt)
    before = node.add(last, 1 - length);
}

/// The angles of operand `table` at each query's position, or at `positions`.
Value GroupQueryAttention::angles(unsigned table, Value positions) {
  node.requireSameElementType(kQuery, table);
  ArrayRef<int64_t> shape = node.shape(table);
  if (shape.size() != 2 || shape[0] < total || 2 * shape[1] > dimOf(q, 3))
    node.invalid("has angles of shape " + shapeText(shape) + " for " +
                 llvm::Twine(total) + " positions and heads of width " +
                 llvm::Twine(dimOf(q, 3)));
  if (positions)
    return pickRows(node, table, positions);
  Value rows = node.slice(node.input(table), 0, 0, length);
  return node.reshape(rows, {1, length, shape[1]});
}

void GroupQueryAttention::rotate() {
  bool interleaved = node.flag("rotary_interleaved");
  if (!node.flag("do_rotary"))
    return;
  if (!node.hasInput(kCos) || !node.hasInput(kSin))
    node.invalid("rotates without tables of angles");
  Value positions;
  if (node.hasInput(kPositions)) {
    ArrayRef<int64_t> shape = node.shape(kPositions);
    if (shape != ArrayRef<int64_t>{batch, length} ||
        !node.elementType(kPositions).isInteger(64))
      node.invalid("needs positions " + shapeText({batch, length}) +
                   " of i64, has " + typeText(node.type(kPositions)));
    positions = node.input(kPositions);
    if (isPrompt && length > 0) {
      // Of a prompt the kernel reads the first position, for all samples.
      auto row = tensorType({1, length}, node.elementType(kPositions));
      Value first = node.slice(node.slice(positions, 0, 0, 1), 1, 0, 1);
      Value steps = node.iota(row, 1);
      first = node.broadcast(first, row.getShape());
      positions = node.add(steps, first);
    }
  } else if (!isPrompt) {
    SmallVector<int64_t> shape = {batch, length};
    Value start = node.broadcast(node.reshape(before, {batch, 1}), shape);
    positions = node.add(indices(shape, 1), start);
  }
  Value cos = angles(kCos, positions), sin = angles(kSin, positions);
  for (Value *x : {&q, &k})
    *x = node.make<fuse::RotaryEmbeddingOp>((*x).getType(), *x, cos, sin,
                                            interleaved);
}

Value GroupQueryAttention::pad(Value value, unsigned dim, int64_t low,
                               int64_t high, TypedAttr fill) {
  if (low == 0 && high == 0)
    return value;
  auto type = fuse::getTensorType(value);
  SmallVector<int64_t> shape(type.getShape()), lows(type.getRank(), 0), highs;
  highs = lows;
  lows[dim] = low;
  highs[dim] = high;
  shape[dim] += low + high;
  if (!fill)
    fill = node.builder.getZeroAttr(type.getElementType());
  return node.make<fuse::PadOp>(type.clone(shape), value, lows, highs, fill);
}

/// The buffer after this run, [batch, heads, extent, width], which is output
/// `present`: what operand `past` had, behind it `fresh`, and zeros. Of a state
/// what the past has behind them stays as it was, as where ONNX Runtime has one
/// buffer for both: nothing reads it, and only the new rows are written.
Value GroupQueryAttention::place(unsigned past, unsigned present, Value fresh) {
  auto type = fuse::getTensorType(fresh);
  SmallVector<int64_t> shape(type.getShape());
  if (node.hasInput(past)) {
    node.requireSameElementType(kQuery, past);
    shape[2] = pastExtent;
    if (node.shape(past) != ArrayRef<int64_t>(shape))
      node.invalid("has a past of shape " + shapeText(node.shape(past)) +
                   " for keys or values of shape " +
                   shapeText(type.getShape()));
  }
  if (isPrompt)
    return pad(fresh, 2, 0, extent - length);
  if (node.isState(past, present) && extent == pastExtent)
    return writeRows(node, node.input(past), fresh, before, /*axis=*/2,
                     /*circular=*/false);
  shape[2] = extent;
  Value old = pad(node.input(past), 2, 0, extent - pastExtent);
  // Row t is number t - before of the fresh ones, if there is such a one.
  SmallVector<int64_t> rows = {batch, 1, extent, 1};
  Value row = indices(rows, 2), start = node.broadcast(before, rows);
  Value index = node.sub(row, start);
  auto holds = [&](CmpPredicate predicate, int64_t bound) {
    Value condition = node.compare(predicate, index, bound);
    return node.broadcast(condition, shape);
  };
  Value isOld = holds(CmpPredicate::lt, 0);
  Value isFresh = holds(CmpPredicate::lt, length);
  index = node.max(index, 0);
  index = node.min(index, length - 1);
  Builder &b = node.builder;
  SmallVector<AffineExpr> dims(b.getMultiDimIdentityMap(4).getResults());
  AffineExpr zero = b.getAffineConstantExpr(0);
  AffineExpr place[] = {dims[0], zero, dims[2], zero};
  SmallVector<AffineExpr> subscripts = dims;
  subscripts[2] = b.getAffineSymbolExpr(0);
  AffineMap maps[] = {AffineMap::get(4, 1, subscripts, b.getContext()),
                      AffineMap::get(4, 0, place, b.getContext())};
  auto result = type.clone(shape);
  Value moved = node.make<fuse::GatherOp>(result, fresh, ValueRange{index},
                                          b.getAffineMapArrayAttr(maps));
  Value behind = node.select(isFresh, moved, 0);
  return node.select(isOld, old, behind);
}

/// Who sees which key, without the sink.
void GroupQueryAttention::restrict(AttentionMask &mask) {
  bool isCausal = node.flag("causal", true);
  int64_t window = node.intAttribute("local_window_size", -1);
  if (window == 0 || window < -1 || window > INT32_MAX ||
      (window > 0 && !isCausal))
    node.invalid("has the local_window_size " + llvm::Twine(window));
  if (node.hasInput(kBias)) {
    node.requireSameElementType(kQuery, kBias);
    SmallVector<int64_t> shape = {batch, heads, length, total};
    checkMask(node, "an attention_bias", kBias, node.shape(kBias), shape);
    if (node.shape(kBias)[3] != total)
      node.invalid("has an attention_bias of shape " +
                   shapeText(node.shape(kBias)) + " for " + llvm::Twine(total) +
                   " keys");
    Value bias =
        node.cast(node.input(kBias), getComputeType(node.elementType(kQuery)));
    mask.addBias(pad(bias, 3, 0, dimOf(k, 2) - total));
  }
  mask.addLengths(lengths);
  mask.addBand(window > 0 ? window - 1 : -1, isCausal ? 0 : -1, 0,
               isPrompt ? Value() : lengths);
}

/// One more key, whose score is a head's sink or 0, and whose value is 0: it
/// takes its part of the softmax and gives nothing.
void GroupQueryAttention::addSink(AttentionMask &mask) {
  bool isSmooth = node.intAttribute("smooth_softmax", 0) == 1;
  if (!isSmooth && !node.hasInput(kSink))
    return;
  int64_t keys = dimOf(k, 2);
  k = pad(k, 2, 0, 1);
  v = pad(v, 2, 0, 1);
  mask.allowed = pad(mask.allowed, 3, 0, 1, node.builder.getBoolAttr(true));
  if (mask.bias)
    mask.bias = pad(mask.bias, 3, 0, 1);
  if (!node.hasInput(kSink))
    return;
  node.requireSameElementType(kQuery, kSink);
  if (node.shape(kSink) != ArrayRef<int64_t>{heads})
    node.invalid("has sinks of shape " + shapeText(node.shape(kSink)) +
                 " for " + llvm::Twine(heads) + " heads");
  Value sink =
      node.cast(node.input(kSink), getComputeType(node.elementType(kQuery)));
  mask.addBias(pad(node.reshape(sink, {1, heads, 1, 1}), 3, keys, 0));
}

/// The scores of all keys up to the longest sample's last, 0 where hidden.
void GroupQueryAttention::setScores(fuse::AttentionOp op,
                                    const AttentionMask &mask) {
  Value scores = op.getScores();
  auto type = fuse::getTensorType(scores);
  if (op.getStage() == fuse::AttentionStage::biased) {
    Value allowed = node.broadcast(mask.allowed, type.getShape());
    scores = node.select(allowed, scores, 0);
  }
  node.setOutput(3, node.slice(scores, 3, 0, total));
}

void GroupQueryAttention::convert() {
  node.requireInputs(1, 16);
  node.requireFloat(kQuery);
  refuseOthers();
  readHeads();
  readLengths();
  rotate();
  for (Value *x : {&q, &k, &v})
    *x = node.transpose(*x, {0, 2, 1, 3});
  checkHeads(node, q, k, v);
  Value presentKey = place(kPastKey, 1, k);
  Value presentValue = place(kPastValue, 2, v);
  if (!isPrompt) {
    k = presentKey;
    v = presentValue;
  }
  AttentionMask mask(node, {batch, heads, length, dimOf(k, 2)});
  restrict(mask);
  addSink(mask);
  double scale = node.floatAttribute("scale", 0);
  if (scale == 0)
    scale = defaultScale(q);
  std::optional<fuse::AttentionStage> wanted;
  int64_t mode = node.intAttribute("qk_output", 0);
  if (node.wantsOutput(3)) {
    if (mode != 1 && mode != 2)
      node.invalid("has the result output_qk with qk_output " +
                   llvm::Twine(mode));
    wanted = mode == 1 ? fuse::AttentionStage::biased
                       : fuse::AttentionStage::softmax;
  }
  auto op = attend(node, q, k, v, mask, scale,
                   node.floatAttribute("softcap", 0), wanted);
  node.setOutput(0, mergeHeads(node, op.getResult()));
  if (node.wantsOutput(1))
    node.setOutput(1, presentKey);
  if (node.wantsOutput(2))
    node.setOutput(2, presentValue);
  if (wanted)
    setScores(op, mask);
}

void convertGroupQueryAttention(Node &node) {
  GroupQueryAttention(node).convert();
}

} // namespace

void registerMicrosoftGroupQueryAttention(Registry &r) {
  r.addTo("com.microsoft", "GroupQueryAttention", 1,
          convertGroupQueryAttention);
}

} // namespace fusec
