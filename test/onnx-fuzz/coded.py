# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of codes: QuantizeLinear and DequantizeLinear around each layer, dynamic ones whose
rows become codes, and weights that alone are codes; by tensors, channels and blocks, with all
zero points. What becomes codes again has scales that are powers of two, so that sums have the
same bits in all orders (rounding.py)."""
import numpy as np

from graph import DTYPES, Invalid, limits_of
from windows import spatial, window

OPSET = 13           # from which on channels have scales
BLOCKS = 21          # from which on blocks have, and codes may have 16 and 4 bits
KNOWN = ("initializer", "constant")


def power(g, low, high, shape=()):
    return (2.0 ** g.rng.integers(low, high + 1, shape)).astype(np.float32)


def point(g, code, shape=()):
    """Zero points: the middle, the ends, or any."""
    low, high = limits_of(code)
    some = [0, 0, low, high, (low + high + 1) // 2, g.integer(low, high)]
    data = g.rng.choice(some, shape) if shape else g.choice(some)
    return g.leaf(np.asarray(data).astype(DTYPES[code]), g.choice(KNOWN))


def activation_code(g):
    return g.choice(["u8", "u8", "i8"] + ["u16", "i16"] * (g.opset >= BLOCKS and g.chance(0.15)))


def decode(g, x, factor, zero, **named):
    return g.emit("DequantizeLinear", x, factor, zero, **named)


class Layer:
    """Codes, and what decodes them."""

    def __init__(self, g, x, factor, zero):
        self.x, self.factor, self.zero = x, factor, zero

    def numbers(self, g):
        return decode(g, self.x, self.factor, self.zero)


def first(g, shape):
    code = activation_code(g)
    low, high = limits_of(code)
    x = g.leaf(g.numbers(code, shape, max(low, -128), min(high, 255)), "input")
    return Layer(g, x, g.leaf(power(g, -4, 1), g.choice(KNOWN)), point(g, code))


def encoded(g, y, like=None):
    """As codes again, as those that `like` has where it is given."""
    if like is None:
        code = activation_code(g)
        like = Layer(g, None, g.leaf(power(g, -3, 2), g.choice(KNOWN)), point(g, code))
    return Layer(g, g.emit("QuantizeLinear", y, like.factor, like.zero), like.factor, like.zero)


def weight(g, shape, channel, along=None, real=False):
    """A constant of codes, decoded: with one scale, one for each index of the dimension
    `channel`, or by blocks along another one. `real`: with any scales."""
    codes = ["i8", "i8", "u8"] + ["i4", "u4"] * (g.opset >= BLOCKS)
    code = g.choice(codes)
    low, high = limits_of(code)
    if code == "i8":  # ONNX Runtime adds pairs in 16 bits on some machines
        low, high = -64, 63
    kinds = ["tensor", "channel"] + ["blocks"] * (along is not None and g.opset >= BLOCKS)
    kind, named, scales = g.choice(kinds), {}, ()
    if kind == "channel":
        named, scales = {"axis": channel}, (shape[channel],)
    elif kind == "blocks":
        size = g.choice([2, 4, 16, 32])
        scales = list(shape)
        scales[along] = -(-shape[along] // size)
        named = {"axis": along, "block_size": size}
    w = g.leaf(np.asarray(g.rng.integers(low, high + 1, shape)).astype(DTYPES[code]),
               "initializer")
    factors = np.asarray(g.rng.uniform(0.01, 0.05, scales), np.float32) if real else \
        power(g, -8, -5, tuple(scales))
    zero = point(g, code, tuple(scales)) if g.chance(0.6) else None
    return decode(g, w, g.leaf(factors, g.choice(KNOWN)), zero, **named)


def bias(g, count):
    return g.leaf((g.rng.integers(-64, 64, count) * 2.0**-6).astype(np.float32), g.choice(KNOWN))


def activated(g, y):
    return g.emit("Relu", y) if g.chance(0.4) else y


def convolve(g, layer):
    channels, *image = layer.x.shape[1:]
    kernel, named = window(g, image, most=3)
    group = channels if g.chance(0.3) else 1
    outs = group * g.choice([1, 2]) if group > 1 else g.choice([1, 3, 8, 16, 17])
    w = weight(g, (outs, channels // group, *kernel), 0)
    y = g.emit("Conv", layer.numbers(g), w, bias(g, outs) if g.chance(0.5) else None, group=group,
               **named)
    return encoded(g, activated(g, y))


def multiply(g, layer):
    """By a constant, or by codes that were computed."""
    k, n = layer.x.shape[-1], g.choice([1, 3, 8, 16, 17, 33])
    if g.chance(0.25):
        w = first(g, (k, n)).numbers(g)
    else:
        w = weight(g, (k, n), 1, along=0)
    if len(layer.x.shape) == 2 and g.chance(0.4):
        y = g.emit("Gemm", layer.numbers(g), w, bias(g, n) if g.chance(0.5) else None)
    else:
        y = g.emit("MatMul", layer.numbers(g), w)
        y = g.emit("Add", y, bias(g, n)) if g.chance(0.4) else y
    return encoded(g, activated(g, y))


def join(g, layer):
    other = first(g, layer.x.shape) if g.chance(0.5) else layer
    op = g.choice(["Add", "Mul", "Concat"])
    operands = layer.numbers(g), other.numbers(g)
    y = g.emit("Concat", *operands, axis=g.axis(len(layer.x.shape))) if op == "Concat" else \
        g.emit(op, *operands)
    return encoded(g, activated(g, y))


def move(g, layer):
    x = layer.numbers(g)
    op = g.choice(["Transpose", "Reshape", "MaxPool", "Relu"])
    if op == "Transpose":
        y = g.emit(op, x, perm=[int(a) for a in g.rng.permutation(len(x.shape))])
    elif op == "Reshape":
        y = g.emit(op, x, shape=np.array(g.split_shape(x.shape) or [1], np.int64))
    elif op == "MaxPool" and len(x.shape) > 2:
        kernel, named = window(g, x.shape[2:], dilated=False, auto=("NOTSET",))
        y = g.emit(op, x, kernel_shape=kernel, **named)
    else:
        y = g.emit("Relu", x)
    return encoded(g, y, layer if g.chance(0.6) else None)


def layers(g):
    """Codes that go through some layers."""
    shape = (g.choice([1, 2]), g.choice([1, 2, 3, 8, 16, 17]), *spatial(g, 2, 8)) \
        if g.chance(0.5) else (g.choice([1, 3, 8, 17]), g.choice([1, 4, 7, 16, 33]))
    layer = first(g, shape)
    for _ in range(g.integer(1, 4)):
        steps = [convolve] * 2 + [move, join] if len(layer.x.shape) == 4 else \
            [multiply] * 2 + [move, join]
        nodes, values = len(g.nodes), len(g.values)
        try:
            layer = g.choice(steps)(g, layer)
        except Invalid:
            del g.nodes[nodes:], g.values[values:]
    if g.chance(0.5):
        layer.numbers(g)


def dynamic(g):
    """Rows of floats that become codes by their range, times a constant of codes."""
    m, k, n = g.choice([1, 3, 8, 17]), g.choice([1, 4, 7, 16, 33]), g.choice([1, 3, 8, 17])
    shape = (*g.shape(g.choice([0, 0, 1]), least=1, most=3), m, k)
    codes = g.emit("DynamicQuantizeLinear", g.leaf(g.numbers("f32", shape, -3, 4), "input"),
                   results=3)
    code = g.choice(["i8", "u8"])
    low, high = (-64, 63) if code == "i8" else (0, 255)
    w = g.leaf(g.rng.integers(low, high + 1, (k, n)).astype(DTYPES[code]), "initializer")
    zero = point(g, code, g.choice([(), (n,)])) if g.chance(0.7) else None
    y = g.emit("MatMulInteger", codes[0], w, codes[2], zero)
    y = g.emit("Cast", y, to=1)
    factors = np.asarray(g.rng.uniform(0.01, 0.05, g.choice([(), (n,)])), np.float32)
    factor = g.emit("Mul", codes[1], g.leaf(factors, "initializer"))
    y = g.emit("Mul", y, factor)
    if g.chance(0.5):
        g.emit("Add", y, bias(g, n))


def weights(g):
    """Floats times a constant of codes."""
    m, k, n = g.choice([1, 2, 4, 17, 33]), g.choice([4, 16, 32, 48, 64]), g.choice([1, 8, 17, 33])
    x = g.tensor("f32", (m, k), -2, 2)
    if g.chance(0.3):
        g.emit("Gemm", x, weight(g, (n, k), 0, along=1, real=True),
               bias(g, n) if g.chance(0.5) else None, transB=1)
    else:
        g.emit("MatMul", x, weight(g, (k, n), 1, along=0, real=True))


def draw(g):
    """Appends such a network, if the opset has what it needs."""
    if g.opset < OPSET:
        return
    nodes, values = len(g.nodes), len(g.values)
    try:
        g.choice([layers, layers, dynamic, weights])(g)
    except Invalid:
        del g.nodes[nodes:], g.values[values:]
