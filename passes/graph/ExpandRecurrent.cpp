// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrent layers: what does not depend on the state is one contraction over
// all steps; the loop holds the rest.
#include "passes/graph/ConstantData.h"
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

using B = TensorBuilder;

static SmallVector<int64_t> getShape(Value value) {
  return SmallVector<int64_t>(getTensorType(value).getShape());
}

/// Row `index` of `value`, without dimension 0.
static Value pick(B &b, Value value, int64_t index) {
  Value row = b.slice(value, 0, index, 1);
  return b.reshape(row, ArrayRef(getShape(row)).drop_front());
}

/// The same of codes and their zero points. Of constants each row becomes one:
/// what is multiplied depends on the elements, which nothing sees through a
/// part that was reshaped.
static Value pickCodes(B &b, Value value, int64_t index) {
  Value row = b.slice(value, 0, index, 1);
  auto type = getTensorType(row);
  auto picked = RankedTensorType::get(type.getShape().drop_front(),
                                      type.getElementType());
  std::optional<ConstantData> data = getConstantData(row);
  if (!data)
    return b.reshape(row, picked.getShape());
  std::string name =
      (data->weight ? data->weight.getSymName() : StringRef("codes")).str();
  ConstantData packed = packData(*data, type);
  return createConstant(b.builder, b.loc, picked, packed.bytes,
                        name + "_" + std::to_string(index), data->weight);
}

/// x w^T over the last dimensions of both, in the type of x.
static Value project(B &b, Value x, Value w) {
  unsigned outer = getTensorType(x).getRank() - 1;
  auto lhs = llvm::to_vector(llvm::seq(0u, outer)), result = lhs;
  lhs.push_back(outer + 1);
  result.push_back(outer);
  SmallVector<int64_t> shape = getShape(x);
  shape.back() = getTensorType(w).getDimSize(0);
  Value product =
      buildContraction(x, w, lhs, {outer, outer + 1}, result, shape, b);
  return b.cast(product, getTensorType(x).getElementType());
}

/// Adds `vector`, which may be null, along the last dimension.
static Value addVector(B &b, Value value, Value vector) {
  if (!vector)
    return value;
  SmallVector<int64_t> shape = getShape(value);
  return b.add(value, b.broadcast(vector, shape, {int64_t(shape.size()) - 1}));
}

namespace {
/// A matrix [G H, K] of codes of 8 bits, of which each row, or all, has a scale
/// and a zero point. Without a scale it is one of numbers.
struct Matrix {
  Value value, scale, zero;
};
} // namespace

/// A scale or zero point as one, or as one for each column.
static Value layOverColumns(B &b, Value value) {
  if (getTensorType(value).getNumElements() == 1)
    return b.reshape(value, {});
  return value;
}

/// x w^T, of which w may be codes: x becomes codes by its range, then.
static Value project(B &b, Value x, const Matrix &w) {
  if (!w.scale)
    return project(b, x, w.value);
  auto type = getTensorType(x);
  Type u8 = b.builder.getIntegerType(8, /*isSigned=*/false);
  auto coded = DynamicQuantizeOp::create(
      b.builder, b.loc, type.clone(u8),
      RankedTensorType::get({}, type.getElementType()),
      RankedTensorType::get({}, u8), x);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = getTensorType(w.value).getDimSize(0);
  Value columns = b.transpose(w.value, {1, 0});
  Value zero = layOverColumns(b, w.zero);
  Value sum = b.make<MatmulIntegerOp>(
      RankedTensorType::get(shape, b.builder.getI32Type()), coded.getResult(),
      columns, coded.getZeroPoint(), zero);
  Value scale = b.broadcast(layOverColumns(b, w.scale), {shape.back()});
  scale = b.mul(b.broadcast(coded.getScale(), {shape.back()}), scale);
  return b.mul(b.cast(sum, type.getElementType()), b.broadcast(scale, shape));
}

namespace {
/// One direction of a layer.
template <typename Op> class Layer {
public:
  Layer(Op op, B &outer, int64_t number, int64_t gates, size_t activations)
      : op(op), outer(outer), number(number), gates(gates),
        firstActivation(number * activations),
        steps(getTensorType(op.getInput()).getDimSize(0)),
        batch(getTensorType(op.getInput()).getDimSize(1)),
        hidden(getTensorType(op.getRecurrence()).getDimSize(2)) {
    isReverse = number == 1 || op.getDirection() == Direction::reverse;
  }

  /// Builds the loop. `step` gets x W^T and the states of a step and returns
  /// the next states, h first. Returns h of all steps, then the last states.
  using Step =
      llvm::function_ref<SmallVector<Value>(B &, Value, ArrayRef<Value>)>;
  SmallVector<Value> run(Value projected, ArrayRef<Value> states, Step step);

  /// This direction's part of an operand [D, ...], or null.
  Value part(Value value) { return value ? pick(outer, value, number) : value; }
  /// The same of a matrix, whose scale and zero point may be null.
  Matrix matrix(Value value, Value scale, Value zero) {
    if (!scale)
      return {part(value), {}, {}};
    return {pickCodes(outer, value, number), part(scale),
            pickCodes(outer, zero, number)};
  }
  /// `count` gates of a part from gate `gate`, or null.
  Value gate(Value value, int64_t gate, int64_t count) {
    return value ? outer.slice(value, 0, gate * hidden, count * hidden) : value;
  }
  /// The sum of both halves of the bias for gates [gate, gate + count).
  Value bias(int64_t gate, int64_t count) {
    Value whole = part(op.getBias());
    if (!whole)
      return whole;
    Value half = this->gate(whole, gate, count);
    return outer.add(half, this->gate(whole, gates + gate, count));
  }
  Value state(Value initial) {
    auto type = getTensorType(op.getInput()).clone({batch, hidden});
    return initial ? part(initial) : outer.splat(0, type);
  }
  /// Gate `gate` of a step's values [B, G H].
  Value gateOf(B &b, Value values, int64_t gate) {
    return b.slice(values, 1, gate * hidden, hidden);
  }
  /// Activation `which` of the direction. Gates are clipped before, not an
  /// LSTM's cell (as in ONNX Runtime).
  Value activate(B &b, size_t which, Value x);
  /// The rows of `x` [T, B, ...] from their last step to their first.
  Value reverseRows(Value x);
  /// Lets rows begin together, and states of rows that have ended be zeros for
  /// `step`. Returns what the layer takes then: the input with zeros in place
  /// of steps that no row takes.
  Value alignRows();

private:
  Value isActive(B &b, Value iteration, Value lengths, CmpPredicate before);

  Op op;
  B &outer;
  int64_t number, gates;
  size_t firstActivation;
  bool isReverse, isAligned = false;

public:
  const int64_t steps, batch, hidden;
};
} // namespace

template <typename Op> Value Layer<Op>::activate(B &b, size_t which, Value x) {
  size_t index = firstActivation + which;
  double alpha = op.getAlphas()[index], beta = op.getBetas()[index];
  auto name = cast<StringAttr>(op.getActivations()[index]).getValue();
  if (op.getClip() && which < 2) {
    double bound = op.getClip()->convertToDouble();
    x = b.min(b.max(x, -bound), bound);
  }
  auto number = [&](double value) { return b.builder.getF64FloatAttr(value); };
  auto make = [&](auto tag, auto... parameters) -> Value {
    return decltype(tag)::create(b.builder, b.loc, x.getType(), x,
                                 number(parameters)...);
  };
  if (name == "Relu")
    return make(ReluOp());
  if (name == "Sigmoid")
    return make(SigmoidOp());
  if (name == "Softsign")
    return make(SoftsignOp());
  if (name == "Softplus")
    return make(SoftplusOp());
  if (name == "LeakyRelu")
    return make(LeakyReluOp(), alpha);
  if (name == "ThresholdedRelu")
    return make(ThresholdedReluOp(), alpha);
  if (name == "Elu")
    return make(EluOp(), alpha);
  if (name == "HardSigmoid")
    return make(HardSigmoidOp(), alpha, beta);
  if (name == "Affine")
    return b.add(b.mul(x, alpha), beta);
  if (name == "ScaledTanh")
    return b.mul(b.unary<TanhOp>(b.mul(x, beta)), alpha);
  return b.unary<TanhOp>(x);
}

/// Whether the step of each row of the batch is `before` its length, [B, H].
template <typename Op>
Value Layer<Op>::isActive(B &b, Value iteration, Value lengths,
                          CmpPredicate before) {
  Type element = getTensorType(lengths).getElementType();
  Value step = b.broadcast(b.cast(iteration, element), {batch}, {});
  if (isReverse && !isAligned)
    step = b.sub(double(steps - 1), step);
  Value active = b.compare(before, step, lengths);
  return b.broadcast(active, {batch, hidden}, {0});
}

template <typename Op> Value Layer<Op>::reverseRows(Value x) {
  Builder &builder = outer.builder;
  auto type = RankedTensorType::get({steps, batch}, builder.getI64Type());
  Value length = outer.cast(op.getLengths(), builder.getI64Type());
  length = outer.broadcast(length, type.getShape(), {1});
  Value t = outer.iota(type, 0);
  Value last = outer.sub(length, 1);
  Value mirrored = outer.sub(last, t);
  Value isInside = outer.compare(CmpPredicate::lt, t, length);
  Value position = outer.select(isInside, mirrored, t);
  AffineMap whole = builder.getMultiDimIdentityMap(3);
  AffineMap maps[] = {AffineMap::get(3, 1,
                                     {builder.getAffineSymbolExpr(0),
                                      whole.getResult(1), whole.getResult(2)},
                                     builder.getContext()),
                      AffineMap::get(3, 0, whole.getResults().take_front(2),
                                     builder.getContext())};
  return outer.make<GatherOp>(x.getType(), x, position,
                              builder.getAffineMapArrayAttr(maps));
}

template <typename Op> Value Layer<Op>::alignRows() {
  Value x = op.getInput();
  if (!op.getLengths())
    return x;
  isAligned = true;
  Value longest = outer.reduce(Combiner::Max, op.getLengths(), {0});
  auto type = getTensorType(x).clone(getTensorType(longest).getElementType());
  Value t = outer.iota(type, 0);
  Value isTaken = outer.compare(CmpPredicate::lt, t,
                                outer.broadcast(longest, type.getShape()));
  x = outer.select(isTaken, x, 0);
  return isReverse ? reverseRows(x) : x;
}

template <typename Op>
SmallVector<Value> Layer<Op>::run(Value projected, ArrayRef<Value> states,
                                  Step step) {
  OpBuilder &builder = outer.builder;
  SmallVector<int64_t> reversal(isReverse && !isAligned ? 1 : 0, 0);
  SmallVector<Type> types(ValueRange(states).getTypes());
  auto stateType = cast<RankedTensorType>(types.front());
  types.push_back(stateType.clone({steps, batch, hidden}));
  auto loop = LoopOp::create(builder, outer.loc, types,
                             builder.getI64IntegerAttr(steps), Value(), Value(),
                             states, projected, reversal, reversal);
  SmallVector<Type> taken = {RankedTensorType::get({}, builder.getI64Type())};
  llvm::append_range(taken, ValueRange(states).getTypes());
  taken.push_back(stateType.clone({batch, gates * hidden}));
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block =
        builder.createBlock(&loop.getBody(), {}, taken,
                            SmallVector<Location>(taken.size(), outer.loc));
    B b(builder, outer.loc);
    SmallVector<Value> now(block->getArguments().slice(1, states.size()));
    SmallVector<Value> seen = now;
    if (isAligned) {
      Value took =
          isActive(b, loop.getIteration(), op.getLengths(), CmpPredicate::le);
      Value isFirst = b.compare(CmpPredicate::eq, loop.getIteration(), 0);
      took = b.binary<OrOp>(took, b.broadcast(isFirst, getShape(took), {}));
      seen.front() = b.select(took, now.front(), 0);
    }
    SmallVector<Value> next = step(b, loop.getSlice(0), seen);
    Value row = next.front();
    if (Value lengths = op.getLengths()) {
      Value active =
          isActive(b, loop.getIteration(), lengths, CmpPredicate::lt);
      row = b.select(active, row, 0);
      for (auto [before, after] : llvm::zip(now, next))
        after = b.select(active, after, before);
    }
    next.push_back(row);
    YieldOp::create(builder, outer.loc, next);
  }
  SmallVector<Value> results = {loop.getStack(0)};
  if (isReverse && isAligned)
    results.front() = reverseRows(results.front());
  llvm::append_range(results, loop.getResults().drop_back());
  return results;
}

// h = f(W x + R h + b)
static SmallVector<Value> expandDirection(RnnOp op, B &b, int64_t d) {
  Layer<RnnOp> layer(op, b, d, 1, 1);
  Value recurrence = layer.part(op.getRecurrence());
  Value x = project(b, op.getInput(), layer.part(op.getWeights()));
  x = addVector(b, x, layer.bias(0, 1));
  return layer.run(x, layer.state(op.getInitialH()),
                   [&](B &b, Value x, ArrayRef<Value> now) {
                     Value sum = b.add(x, project(b, now[0], recurrence));
                     return SmallVector<Value>{layer.activate(b, 0, sum)};
                   });
}

// z = f(W_z x + R_z h + b_z), r = f(W_r x + R_r h + b_r),
// n = g(W_h x + c_h + R_h (r h) + b_h), h = (1 - z) n + z h
static SmallVector<Value> expandDirection(GruOp op, B &b, int64_t d) {
  Layer<GruOp> layer(op, b, d, 3, 2);
  Value recurrence = layer.part(op.getRecurrence());
  Value updateReset = layer.gate(recurrence, 0, 2);
  Value candidate = layer.gate(recurrence, 2, 1);
  bool after = op.getResetAfter();
  // With `reset_after`, b_h is multiplied by r and cannot join c_h.
  Value bias = layer.bias(0, after ? 2 : 3), late;
  if (after && bias) {
    Value whole = layer.part(op.getBias());
    bias = b.make<ConcatOp>(getTensorType(bias).clone({3 * layer.hidden}),
                            ValueRange{bias, layer.gate(whole, 2, 1)}, 0);
    late = layer.gate(whole, 5, 1);
  }
  Value x = addVector(b, project(b, op.getInput(), layer.part(op.getWeights())),
                      bias);
  return layer.run(
      x, layer.state(op.getInitialH()),
      [&](B &b, Value x, ArrayRef<Value> now) {
        Value h = now[0];
        Value sums = b.slice(x, 1, 0, 2 * layer.hidden);
        Value early =
            layer.activate(b, 0, b.add(sums, project(b, h, updateReset)));
        Value z = layer.gateOf(b, early, 0), r = layer.gateOf(b, early, 1);
        Value state =
            after ? b.mul(r, addVector(b, project(b, h, candidate), late))
                  : project(b, b.mul(r, h), candidate);
        Value n = layer.activate(b, 1, b.add(layer.gateOf(b, x, 2), state));
        Value fresh = b.mul(b.sub(1.0, z), n);
        return SmallVector<Value>{b.add(fresh, b.mul(z, h))};
      });
}

// i = f(W_i x + R_i h + p_i c + b_i), e = f(W_f x + R_f h + p_f c + b_f) or
// 1 - i, c' = e c + i g(W_c x + R_c h + b_c),
// o = f(W_o x + R_o h + p_o c' + b_o), h = o k(c')
static SmallVector<Value> expandDirection(LstmOp op, B &b, int64_t d) {
  enum { kInput, kOutput, kForget, kCell, kGates };
  Layer<LstmOp> layer(op, b, d, kGates, 3);
  Matrix weights =
      layer.matrix(op.getWeights(), op.getWeightScale(), op.getWeightZero());
  Matrix recurrence = layer.matrix(op.getRecurrence(), op.getRecurrenceScale(),
                                   op.getRecurrenceZero());
  Value peepholes = layer.part(op.getPeepholes());
  Value peeps[] = {layer.gate(peepholes, 0, 1), layer.gate(peepholes, 1, 1),
                   layer.gate(peepholes, 2, 1)};
  Value taken = weights.scale ? layer.alignRows() : op.getInput();
  Value product = project(b, taken, weights);
  Value x = addVector(b, product, layer.bias(0, kGates));
  Value states[] = {layer.state(op.getInitialH()),
                    layer.state(op.getInitialC())};
  return layer.run(x, states, [&](B &b, Value x, ArrayRef<Value> now) {
    Value c = now[1];
    Value sums = b.add(x, project(b, now[0], recurrence));
    auto gate = [&](unsigned which, Value cell) {
      Value sum = layer.gateOf(b, sums, which);
      if (peeps[which])
        sum = b.add(
            sum, b.mul(cell, b.broadcast(peeps[which], getShape(cell), {1})));
      return layer.activate(b, 0, sum);
    };
    Value input = gate(kInput, c);
    Value forget = op.getCoupled() ? b.sub(1.0, input) : gate(kForget, c);
    Value fresh = layer.activate(b, 1, layer.gateOf(b, sums, kCell));
    Value kept = b.mul(forget, c), added = b.mul(input, fresh);
    Value next = b.add(kept, added);
    Value output = gate(kOutput, next);
    return SmallVector<Value>{b.mul(output, layer.activate(b, 2, next)), next};
  });
}

/// Both directions' results side by side: all steps [T, D, B, H], states
/// [D, B, H].
template <typename Op> static SmallVector<Value> expand(Op op, B &b) {
  int64_t directions = getTensorType(op.getWeights()).getDimSize(0);
  SmallVector<SmallVector<Value>> parts(op->getNumResults());
  for (int64_t d = 0; d < directions; ++d)
    for (auto [number, value] : llvm::enumerate(expandDirection(op, b, d))) {
      SmallVector<int64_t> shape = getShape(value);
      shape.insert(shape.begin() + (number == 0 ? 1 : 0), 1);
      parts[number].push_back(b.reshape(value, shape));
    }
  SmallVector<Value> results;
  for (auto [number, values] : llvm::enumerate(parts))
    results.push_back(b.concat(values, number == 0 ? 1 : 0));
  return results;
}

void fusec::fuse::populateExpandRecurrent(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<RnnOp>>(context, expand<RnnOp>);
  patterns.add<Expansion<GruOp>>(context, expand<GruOp>);
  patterns.add<Expansion<LstmOp>>(context, expand<LstmOp>);
}
