# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rows.py's table goes on: layers, each with parameters of its own."""
import math

import numpy as np

from graph import Enum, Invalid, Segments, Verbatim
from rows import ROWS, row, windows

BLOCKS = ("i8", "u8")


@row
def matmul(a):
    lhs = a.pick((a.dtype,) * 8 + ("i32", "i64"), low=1)
    inner, rank = lhs.shape[-1], a.rng.randint(1, 4)
    shape = [inner] if rank == 1 else [inner, a.extent(33)]
    for i in range(rank - 2):
        batch = lhs.shape[:-2][::-1]
        shape.insert(0, batch[i] if i < len(batch) and a.chance(0.7) else 1)
    if rank == 2 and a.chance(0.5):
        rhs = a.fresh(lhs.dtype, shape)
    else:
        rhs = a.like(lhs.dtype, tuple(shape))
    a.emit("matmul", [lhs, rhs], inner * lhs.bound * rhs.bound)


ROWS["matmul_more"] = matmul


@row
def gemm(a):
    lhs = a.pick(low=2, high=2)
    given = {"trans_lhs": a.chance(0.3), "trans_rhs": a.chance(0.3)}
    m, k = lhs.shape[::-1] if given["trans_lhs"] else lhs.shape
    n = a.extent(33)
    rhs = a.like(lhs.dtype, (n, k) if given["trans_rhs"] else (k, n))
    operands, bound = [lhs, rhs], k * lhs.bound * rhs.bound
    if a.chance(0.7):
        shape = a.rng.choice([(), (n,), (1, n), (m, 1), (m, n), (1,)])
        operands.append(a.like(lhs.dtype, shape))
        bound += operands[-1].bound
    a.emit("gemm", operands, bound, alpha=a.rng.choice([1.0, 0.5]),
           beta=a.rng.choice([1.0, 0.5]), **given)


def image(a, dtypes=None, exact=False):
    """A value with batch, channels and one or two spatial dimensions."""
    if a.chance(0.6):
        try:
            return a.pick(dtypes, 3, 4, exact, lambda v: v.size <= 1500)
        except Invalid:
            pass
    spatial = [a.rng.choice([1, 2, 5, 7, 9]) for _ in range(a.rng.choice([1, 2, 2]))]
    shape = (a.rng.choice([1, 1, 2]), a.rng.choice([1, 2, 3, 4, 6, 8]), *spatial)
    return a.leaf(dtypes[0] if dtypes else a.dtype, shape)


def conv_attributes(a, x):
    given = windows(a, len(x.shape) - 2)
    sizes = given.pop("sizes")
    groups = a.rng.choice([1, 1, x.shape[1], 2])
    if groups < 1 or x.shape[1] % groups:
        groups = 1
    outputs = groups * a.rng.choice([1, 2, 3])
    if x.size * math.prod(sizes) * outputs > 60000:
        raise Invalid("much work")
    return given | {"groups": groups}, (outputs, x.shape[1] // groups, *sizes)


@row
def conv(a):
    x = image(a)
    given, shape = conv_attributes(a, x)
    weight = a.fresh(x.dtype, shape)
    operands = [x, weight]
    if a.chance(0.7):
        operands.append(a.fresh(x.dtype, shape[:1]))
    a.emit("conv", operands, math.prod(shape[1:]) * x.bound * weight.bound + 1, **given)


ROWS["conv_more"] = conv


@row
def conv_transpose(a):
    x = image(a)
    given, shape = conv_attributes(a, x)
    groups, high = given["groups"], given.pop("pad_high")
    weight = a.fresh(x.dtype, (x.shape[1], shape[0] // groups, *shape[2:]))
    operands = [x, weight]
    if a.chance(0.5):
        operands.append(a.fresh(x.dtype, (weight.shape[1] * groups,)))
    more = tuple(a.rng.choice([0, 0, 1, -h]) for h in high)
    a.emit("conv_transpose", operands, x.shape[1] * math.prod(shape[2:]) * x.bound + 1,
           _more=more, **given)


def pooling(name, kind=None, exact=False):
    def write(a):
        x = image(a, exact=exact)
        given, extra = windows(a, len(x.shape) - 2), {}
        if kind:
            extra = {"kind": Enum("pool_kind", kind), "count_pad": a.chance(0.4)}
        else:
            given["_high"] = given.pop("pad_high")
            extra = {"column_major": a.chance(0.2)} if exact else {"p": a.rng.choice([1, 2, 3])}
        points = math.prod(given["sizes"])
        a.emit(name, [x], x.bound * (points if name == "lp_pool" else 1), **given, **extra)
    ROWS[f"{name}_{kind}" if kind else name] = write


pooling("pool", "max")
pooling("pool", "average")
pooling("lp_pool")
pooling("max_pool_indices", exact=True)

EPSILON = 1e-3  # with a small one, a norm of nearly equal numbers is noise


@row
def batch_norm(a):
    x = a.pick(low=2)
    scale, bias, mean = (a.fresh(x.dtype, x.shape[1:2]) for _ in range(3))
    variance = a.fresh(x.dtype, x.shape[1:2], 0.5, 2.0)
    a.emit("batch_norm", [x, scale, bias, mean, variance], 1.5 * (x.bound + 1) + 1, epsilon=EPSILON)


@row
def group_norm(a):
    x = a.pick(low=2, where=lambda v: v.shape[1] > 0)
    groups = a.rng.choice([g for g in range(1, x.shape[1] + 1) if x.shape[1] % g == 0])
    scale, bias = (a.fresh(x.dtype, x.shape[1:2]) for _ in range(2))
    a.emit("group_norm", [x, scale, bias], 8.0, groups=groups, epsilon=EPSILON)


@row
def layer_norm(a):
    x = a.pick(low=1)
    axis = a.rng.randrange(len(x.shape)) if a.chance(0.3) else len(x.shape) - 1
    operands = [x, a.like(x.dtype, x.shape[axis:])]
    if a.chance(0.7):
        operands.append(a.like(x.dtype, x.shape[axis:]))
    more = a.rng.choice([(0, 0), (0, 0), (1, 1), (1, 0), (0, 1)]) if x.dtype in ("f32", "f64") else (0, 0)
    bound = 8.0 * max(v.bound for v in operands[1:]) + 1
    a.emit("layer_norm", operands, max(bound, 32.0), axis=axis, epsilon=EPSILON,
           resultSegmentSizes=Segments((1,) + more))


@row
def rms_norm(a):
    x = a.pick(low=1)
    axis = a.rng.randrange(len(x.shape)) if a.chance(0.3) else len(x.shape) - 1
    scale = a.like(x.dtype, x.shape[axis:])
    a.emit("rms_norm", [x, scale], 8.0 * scale.bound, axis=axis, epsilon=EPSILON)


@row
def mean_variance_norm(a):
    x = a.pick(low=1)
    a.emit("mean_variance_norm", [x], 8.0, dims=a.subset(len(x.shape)), epsilon=EPSILON)


@row
def local_response_norm(a):
    x = a.pick(low=2)
    a.emit("local_response_norm", [x], size=a.rng.choice([1, 2, 3, 5]), alpha=0.25, beta=0.75, bias=1.0)


# Transformers and losses.

@row
def attention(a):
    batch, heads, queries, keys = (a.rng.choice(c) for c in ([1, 2], [1, 2, 4], [1, 3, 8], [1, 4, 7, 16]))
    width, out = a.rng.choice([1, 4, 8]), a.rng.choice([1, 4, 5])
    served = a.rng.choice([h for h in (1, 2, 4) if heads % h == 0])
    dtype = a.dtype
    q = a.like(dtype, (batch, heads, queries, width))
    k = a.like(dtype, (batch, served, keys, width))
    v = a.like(dtype, (batch, served, keys, out))
    operands, counts, scores = [q, k, v], [1, 1, 1, 0, 0], (batch, heads, queries, keys)
    for at, kind in ((3, dtype), (4, "bool")):
        if a.chance(0.3):
            shape = tuple(1 if a.chance(0.4) else extent for extent in scores)
            operands.append(a.fresh(kind, shape))
            counts[at] = 1
    given = {"_scores": a.chance(0.2), "stage": Enum("attention_stage", "product")}
    if given["_scores"]:
        given["stage"] = Enum("attention_stage", a.rng.choice("product capped biased softmax".split()))
    bound = max(width * q.bound * k.bound, v.bound) + 1
    a.emit("attention", operands, bound, scale=width ** -0.5, softcap=a.rng.choice([0.0, 0.0, 2.0]),
           operandSegmentSizes=Segments(tuple(counts)), **given)


@row
def rotary_embedding(a):
    x = a.pick(low=4)
    half = a.rng.randint(0, x.shape[3] // 2)
    if not half:
        raise Invalid("nothing to rotate")
    angles = (a.rng.choice([1, x.shape[0]]), x.shape[1], half)
    a.emit("rotary_embedding", [x, a.fresh(x.dtype, angles), a.fresh(x.dtype, angles)],
           2 * x.bound, interleaved=a.chance(0.5))


@row
def nll_loss(a):
    x = a.pick(low=2, where=lambda v: v.shape[1] > 0 and v.size)
    target = a.leaf(a.rng.choice(["i32", "i64"]), x.shape[:1] + x.shape[2:], 0, max(2, x.shape[1] - 1))
    target.data = (target.data % x.shape[1]).astype(target.data.dtype)
    operands = [x, target]
    if a.chance(0.5):
        operands.append(a.fresh(x.dtype, x.shape[1:2], 0.5, 1.5))
    a.emit("nll_loss", operands, x.bound * 1.5 * max(target.size, 1),
           reduction=Enum("loss_reduction", a.rng.choice("none sum mean".split())))


# Quantised. Scales are powers of two, so that no rounding hangs on an ulp.

def scale_of(a, dtype, shape=(), powers=(1 / 64, 1 / 32, 1 / 16)):
    scale = a.fresh(dtype, shape, 1.0, 1.0)
    scale.data = (scale.data * a.rng.choice(powers)).astype(scale.data.dtype)
    return scale


@row
def quantize(a):
    x = a.pick(exact=True)
    shape = a.rng.choice([(), tuple(a.rng.choice([1, e]) for e in x.shape)])
    to = a.rng.choice(["i8", "u8", "i16", "u16"])
    operands = [x, scale_of(a, x.dtype, shape)]
    if a.chance(0.7):
        operands.append(a.fresh(to, shape))
    a.emit("quantize", operands, 65535.0, _dtype=to)


@row
def dequantize(a):
    x = a.pick(BLOCKS + ("i16", "i32"))
    scale = a.fresh(a.dtype, a.rng.choice([(), x.shape[-1:]]), 0.01, 0.05)
    operands = [x, scale]
    if a.chance(0.7):
        operands.append(a.fresh(x.dtype, scale.shape))
    a.emit("dequantize", operands, min(x.bound, 600.0) * scale.bound + 1)


@row
def dynamic_quantize(a):
    """Of numbers within a quarter of a code, or an ulp of the scale would move a tie."""
    x = a.fresh("f32", a.shape(low=1))
    if x.size < 2:
        raise Invalid("no range")
    zero = a.rng.randrange(1, 255)
    codes = a.numbers.integers(0, 255, x.shape, endpoint=True) + a.numbers.choice([-0.25, 0, 0.25], x.shape)
    codes.flat[:2] = 0, 255
    x.data = ((np.clip(codes, 0, 255) - zero) * 0.0117).astype(np.float32)
    x.bound = 3.0
    a.emit("dynamic_quantize", [x], 200.0)


def zero(a, like):
    return a.fresh(like.dtype, (), 0, 3)


@row
def matmul_integer(a):
    lhs = a.pick(BLOCKS, low=1)
    rhs = a.fresh(a.rng.choice(BLOCKS), (lhs.shape[-1], a.extent(17)), 0, 100)
    counts = (1, 1, int(a.chance(0.6)), int(a.chance(0.6)))
    zeros = [zero(a, v) for v, count in zip((lhs, rhs), counts[2:]) if count]
    a.emit("matmul_integer", [lhs, rhs] + zeros, 1e9, operandSegmentSizes=Segments(counts))


@row
def conv_integer(a):
    x = image(a, (a.rng.choice(BLOCKS),))
    given, shape = conv_attributes(a, x)
    weight = a.fresh(a.rng.choice(BLOCKS), shape, 0, 100)
    counts = (1, 1, int(a.chance(0.6)), int(a.chance(0.6)))
    zeros = [zero(a, v) for v, count in zip((x, weight), counts[2:]) if count]
    a.emit("conv_integer", [x, weight] + zeros, 1e9, operandSegmentSizes=Segments(counts), **given)


def parameters(a, lhs, rhs):
    scales = [scale_of(a, "f32") for _ in range(3)]
    return [lhs, scales[0], zero(a, lhs), rhs, scales[1], zero(a, rhs), scales[2], zero(a, lhs)]


@row
def qlinear_matmul(a):
    lhs = a.pick(BLOCKS, low=1)
    rhs = a.fresh(a.rng.choice(BLOCKS), (lhs.shape[-1], a.extent(17)))
    a.emit("qlinear_matmul", parameters(a, lhs, rhs), 255.0)


@row
def qlinear_conv(a):
    x = image(a, (a.rng.choice(BLOCKS),))
    given, shape = conv_attributes(a, x)
    operands = parameters(a, x, a.fresh(a.rng.choice(BLOCKS), shape))
    if a.chance(0.5):
        operands.append(a.fresh("i32", shape[:1]))
    a.emit("qlinear_conv", operands, 255.0, **given)


# Recurrent.

def recurrent(kind, gates, activations, states):
    def write(a):
        steps, batch, inputs, hidden = (a.rng.choice(c) for c in ([1, 2, 5], [1, 2], [1, 3, 4], [1, 2, 5]))
        direction = a.rng.choice("forward reverse bidirectional".split())
        d, dtype = 2 if direction == "bidirectional" else 1, a.dtype
        operands = [a.like(dtype, (steps, batch, inputs)), a.fresh(dtype, (d, gates * hidden, inputs)),
                    a.fresh(dtype, (d, gates * hidden, hidden))]
        counts = [1, 1, 1]
        optional = [(dtype, (d, 2 * gates * hidden)), ("i32", (batch,))]
        optional += [(dtype, (d, batch, hidden))] * min(states, 2)
        optional += [(dtype, (d, 3 * hidden))] * (states > 2)
        for element, shape in optional:
            counts.append(int(a.chance(0.4)))
            if counts[-1]:
                operands.append(a.fresh(element, shape, *((1, steps) if element == "i32" else ())))
                if element == "i32":
                    operands[-1].data = operands[-1].data.clip(0, steps)
        counts += [0] * 4 * (states > 2)  # scales and zero points of codes
        names = ", ".join(f'"{name}"' for name in activations * d)
        given = {"gru": {"reset_after": a.chance(0.5)}, "lstm": {"coupled": a.chance(0.2)}}.get(kind, {})
        zeros = Verbatim(f"array<f64: {', '.join(['0.0'] * len(activations) * d)}>")
        a.emit(kind, operands, 2.0 * steps + 1, direction=Enum("direction", direction),
               activations=Verbatim(f"[{names}]"), alphas=zeros, betas=zeros,
               operandSegmentSizes=Segments(tuple(counts)), **given)
    ROWS[kind] = write


recurrent("rnn", 1, ["Tanh"], 1)
recurrent("gru", 3, ["Sigmoid", "Tanh"], 1)
recurrent("lstm", 4, ["Sigmoid", "Tanh", "Tanh"], 3)
RARE = ("rnn", "gru", "lstm", "nll_loss", "qlinear_conv", "qlinear_matmul", "conv_integer",
        "matmul_integer", "max_pool_indices", "local_response_norm", "acosh", "atanh")
