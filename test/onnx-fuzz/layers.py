# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of quantised operators, recurrent and attention layers, and signals."""
import numpy as np

from author import schema_of
from graph import CODES, DTYPES, Invalid, onnx_type
from rows import row
from windows import spatial, window

BYTES = ("i8", "u8")


def scale(g, dtype, shape=(), kinds=("initializer", "constant", "input")):
    """Powers of two mostly: what is scaled by them is not rounded."""
    if g.chance(0.7):
        data = 2.0 ** g.rng.integers(-4, 2, shape)
    else:
        data = g.rng.uniform(0.05, 0.9, shape)
    return g.leaf(np.asarray(data).astype(DTYPES[dtype]), g.choice(kinds))


def zero(g, dtype, shape=(), kinds=("initializer", "initializer", "input")):
    if dtype in CODES or dtype == "i32":
        return g.leaf(np.zeros(shape, DTYPES[dtype]), "initializer")
    return g.leaf(g.numbers(dtype, shape), g.choice(kinds))


@row("QuantizeLinear", "DequantizeLinear")
def quantize(g, op):
    isQuantize = op == "QuantizeLinear"
    code = g.dtype(op, "T3" if isQuantize and g.since(op) > 22 else 2 if isQuantize else 0)
    real = g.dtype(op, 0 if isQuantize else 1)
    if isQuantize and real == "i32" or not isQuantize and code == "i32" and g.chance(0.5):
        raise Invalid("rare")
    x = g.tensor(real if isQuantize else code, least=1, exact=True)
    shape, named = (), {}
    kind = g.choice(["tensor", "axis", "blocks"])
    if kind != "tensor" and g.since(op) >= 13 and x.shape:
        axis = g.axis(len(x.shape))
        named["axis"] = axis
        if kind == "axis":
            shape = (x.shape[axis],)
        elif g.since(op) >= 21:
            size = g.choice([1, 2, 3, 4])
            if x.shape[axis] % size and g.chance(0.8):
                size = x.shape[axis]
            named["block_size"] = size
            shape = list(x.shape)
            shape[axis] = -(-shape[axis] // size)
    point = zero(g, code, shape) if g.chance(0.7) or isQuantize and code != "u8" else None
    g.emit(op, x, scale(g, real if g.since(op) < 23 else x.dtype if isQuantize else real, shape),
           point, saturate=0 if code in CODES and g.chance(0.2) else None, **named)


@row("DynamicQuantizeLinear")
def dynamic(g, op):
    g.emit(op, g.tensor("f32", exact=True, low=-3, high=9), results=3)


@row("MatMulInteger")
def matmul_integer(g, op):
    a, b = g.choice(BYTES), g.choice(BYTES)
    m, n, k = (g.extent(17, 1) for _ in range(3))
    batch = g.shape(g.choice([0, 0, 1, 2]), most=3, least=1)
    g.emit(op, g.tensor(a, (*batch, m, k)), g.tensor(b, (k, n)),
           zero(g, a) if g.chance(0.6) else None,
           zero(g, b, g.choice([(), (n,)])) if g.chance(0.6) else None)


@row("QLinearMatMul")
def qlinear_matmul(g, op):
    a, b = g.choice(BYTES), g.choice(BYTES)
    y = a
    real = "f32" if g.since(op) < 21 else g.dtype(op, 1)
    m, n, k = (g.extent(17, 1) for _ in range(3))
    per = g.choice([(), (n,)])
    g.emit(op, g.tensor(a, (m, k)), scale(g, real), zero(g, a), g.tensor(b, (k, n)),
           scale(g, real, per), zero(g, b, per), scale(g, real), zero(g, y))


def quantised_window(g):
    rank = g.choice([1, 2, 2])
    image, groups = spatial(g, rank, 8), g.choice([1, 1, 2])
    kernel, named = window(g, image, most=3)
    ins, outs = groups * g.choice([1, 2, 3]), groups * g.choice([1, 2])
    named["group"] = groups
    return (g.choice([1, 2]), ins, *image), (outs, ins // groups, *kernel), named


@row("ConvInteger")
def conv_integer(g, op):
    image, kernel, named = quantised_window(g)
    a, b = g.dtype(op, 0), g.dtype(op, 1)
    g.emit(op, g.tensor(a, image), g.tensor(b, kernel), zero(g, a) if g.chance(0.6) else None,
           zero(g, b) if g.chance(0.6) else None, **named)


@row("QLinearConv")
def qlinear_conv(g, op):
    image, kernel, named = quantised_window(g)
    a, b = g.dtype(op, 0), g.dtype(op, 3)
    per = g.choice([(), (kernel[0],)])
    bias = g.tensor("i32", (kernel[0],)) if g.chance(0.5) else None
    g.emit(op, g.tensor(a, image), scale(g, "f32"), zero(g, a), g.tensor(b, kernel),
           scale(g, "f32", per), g.leaf(np.zeros(per, DTYPES[b]), "initializer"), scale(g, "f32"),
           zero(g, a), bias, **named)


# The functions of a gate, and those that take numbers.
FUNCTIONS = ["Sigmoid", "Tanh", "Relu", "HardSigmoid", "LeakyRelu", "Softsign", "Softplus", "Elu",
             "ThresholdedRelu", "ScaledTanh", "Affine"]


@row("RNN", "GRU", "LSTM")
def recurrent(g, op):
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[op]
    per = {"RNN": 1, "GRU": 2, "LSTM": 3}[op]
    dtype = g.dtype(op)
    steps, batch = g.extent(7, 1), g.choice([1, 2, 3])
    width, hidden = g.extent(7, 1), g.extent(7, 1)
    direction = g.choice([None, "forward", "reverse", "bidirectional"])
    ways = 2 if direction == "bidirectional" else 1
    layout = 1 if g.since(op) >= 14 and g.chance(0.15) else None

    def tensor(*shape):
        return g.leaf(g.numbers(dtype, shape, -0.8, 0.8))

    def state():
        return tensor(batch, ways, hidden) if layout else tensor(ways, batch, hidden)
    x = g.tensor(dtype, (batch, steps, width) if layout else (steps, batch, width), -2, 2)
    operands = [x, tensor(ways, gates * hidden, width), tensor(ways, gates * hidden, hidden),
                tensor(ways, 2 * gates * hidden) if g.chance(0.6) else None,
                g.leaf(g.rng.integers(1, steps + 1, batch).astype(np.int32))
                if g.chance(0.3) else None, state() if g.chance(0.5) else None]
    if op == "LSTM":
        operands += [state() if g.chance(0.5) else None,
                     tensor(ways, 3 * hidden) if g.chance(0.3) else None]
    named = {}
    if g.chance(0.3):
        chosen = [g.choice(FUNCTIONS) for _ in range(per * ways)]
        if not set(chosen) & {"LeakyRelu", "ThresholdedRelu", "ScaledTanh", "Affine"}:
            named["activations"] = chosen
    if g.chance(0.2):
        named["clip"] = g.choice([0.25, 1.0])
    results = [g.chance(0.7) for _ in range(3 if op == "LSTM" else 2)]
    results[g.integer(0, len(results) - 1)] = True
    g.emit(op, *operands, results=results, hidden_size=hidden, direction=direction, layout=layout,
           linear_before_reset=g.choice([None, 0, 1]), input_forget=g.choice([None, None, 0]),
           **named)


@row("Attention")
def attention(g, op):
    dtype = g.dtype(op)
    batch, heads, width = g.choice([1, 2]), g.choice([1, 2, 4]), g.choice([1, 2, 3, 8])
    groups = g.choice([h for h in (1, 2, 4) if heads % h == 0])
    queries, keys, deep = g.extent(11, 1), g.extent(11, 1), g.choice([width, 5])
    past = g.extent(5, 1) if g.chance(0.3) else 0
    flat = g.chance(0.4)

    def tensor(count, length, last):
        shape = (batch, length, count * last) if flat else (batch, count, length, last)
        return g.tensor(dtype, shape, -2, 2)
    operands = [tensor(heads, queries, width), tensor(groups, keys, width),
                tensor(groups, keys, deep), None]
    total = keys + past
    if g.chance(0.5):
        kind = g.choice(["bool", dtype])
        shape = g.choice([(queries, total), (batch, 1, queries, total),
                          (batch, heads, queries, total)])
        data = g.numbers(kind, shape, -2, 2)
        if kind == "bool":
            data[..., 0] = True  # a row that sees nothing is open
        operands[3] = g.leaf(data)
    if past:
        operands += [g.tensor(dtype, (batch, groups, past, width), -2, 2),
                     g.tensor(dtype, (batch, groups, past, deep), -2, 2)]
    results = [True, bool(past), bool(past), g.chance(0.2)]
    named = {"q_num_heads": heads, "kv_num_heads": groups} if flat else {}
    g.emit(op, *operands, results=results, is_causal=g.choice([None, 0, 1]),
           scale=g.choice([None, 0.25]), softcap=g.choice([None, None, 2.0]),
           qk_matmul_output_mode=g.choice([0, 1, 2, 3]) if results[3] else None, **named)


@row("RotaryEmbedding")
def rotary(g, op):
    batch, heads, length = g.choice([1, 2]), g.choice([1, 2, 3]), g.extent(7, 1)
    width = g.choice([2, 4, 8, 6])
    part = g.choice([d for d in (2, 4, 8) if d <= width] + [0])
    flat = g.chance(0.4)
    x = g.tensor(g.dtype(op), (batch, length, heads * width) if flat
                 else (batch, heads, length, width))
    half = (part or width) // 2
    positions = g.leaf(g.rng.integers(0, 9, (batch, length))) if g.chance(0.6) else None
    shape = (9, half) if positions else (batch, length, half)
    g.emit(op, x, g.tensor(x.dtype, shape, -1, 1), g.tensor(x.dtype, shape, -1, 1), positions,
           interleaved=g.choice([None, 0, 1]), num_heads=heads if flat else None,
           rotary_embedding_dim=part or None)


@row("HannWindow", "HammingWindow", "BlackmanWindow")
def signal_window(g, op):
    size = np.array(g.choice([1, 2, 5, 8, 16, 31]), DTYPES[g.dtype(op)])
    kind = g.dtype(op, "T2") if g.chance(0.6) else None
    g.emit(op, size=size, periodic=g.choice([None, 0, 1]),
           output_datatype=onnx_type(kind) if kind else None)


@row("MelWeightMatrix")
def mel(g, op):
    at = DTYPES[g.dtype(op)]
    real = DTYPES[g.dtype(op, 3)]
    g.emit(op, num_mel_bins=np.array(g.choice([3, 8]), at),
           dft_length=np.array(g.choice([16, 64]), at), sample_rate=np.array(g.choice([8000, 8192]), at),
           lower_edge_hertz=np.array(g.choice([0, 100]), real),
           upper_edge_hertz=np.array(g.choice([2000, 4000]), real))


@row("DFT")
def dft(g, op):
    inverse, onesided = g.choice([None, 0, 1]), g.choice([None, 0, 1])
    length = g.choice([1, 2, 3, 5, 8, 12, 16, 17])
    shape = list(g.shape(g.choice([1, 2, 3]), least=1, most=5))
    axis = g.integer(0, len(shape) - 1)
    shape[axis] = length
    x = g.tensor(g.dtype(op), (*shape, 1 if onesided or g.chance(0.5) else 2))
    wanted = np.array(g.choice([length, max(1, length - 2), length + 3])) if g.chance(0.4) else None
    g.emit(op, x, dft_length=wanted, inverse=inverse, onesided=onesided,
           axis=np.array(axis) if "axis" not in schema_of(op, "", g.opset).attributes else axis)


@row("STFT")
def stft(g, op):
    frame, length = g.choice([3, 4, 8]), g.choice([16, 21, 32])
    x = g.tensor(g.dtype(op), (g.choice([1, 2]), length, 1))
    hasWindow = g.chance(0.7)
    w = g.tensor(x.dtype, (frame,)) if hasWindow else None
    g.emit(op, x, frame_step=np.array(g.choice([1, 3, 4])), window=w,
           frame_length=np.array(frame) if not hasWindow or g.chance(0.5) else None,
           onesided=g.choice([None, 0, 1]))


@row("Dropout")
def dropout(g, op):
    dtype = g.dtype(op)
    young = g.since(op) < 12
    ratio = g.choice([None, 0.3]) if young else \
        np.array(0.3, np.float32) if g.chance(0.5) else None
    g.emit(op, g.tensor(dtype), ratio=ratio, results=[True, not young and g.chance(0.4)])
