# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of com.microsoft's operators."""
import numpy as np

from graph import DTYPES, MICROSOFT
from layers import BYTES, scale, zero
from rows import row
from windows import spatial, window

KNOWN = ("initializer", "constant")


def quantised(g, dtype, shape=None, **demands):
    """A tensor of codes with its scale and zero point."""
    return [g.tensor(dtype, shape, **demands), *result(g, dtype)]


def result(g, dtype):
    """Constants: some kernels of ONNX Runtime crash without."""
    return [scale(g, "f32", (), KNOWN), zero(g, dtype, (), KNOWN)]


@row("QLinearAdd", "QLinearMul", domain=MICROSOFT)
def binary(g, op):
    dtype = g.choice(BYTES)
    a = quantised(g, dtype)
    b = quantised(g, dtype, g.broadcastable(a[0].shape))
    g.emit(op, *a, *b, *result(g, dtype), domain=MICROSOFT)


@row("QLinearSigmoid", "QLinearLeakyRelu", domain=MICROSOFT)
def unary(g, op):
    dtype = g.choice(BYTES)
    alpha = g.choice([None, 0.25]) if op == "QLinearLeakyRelu" else None
    g.emit(op, *quantised(g, dtype), *result(g, dtype), alpha=alpha, domain=MICROSOFT)


@row("QLinearSoftmax", domain=MICROSOFT)
def softmax(g, op):
    dtype = g.choice(BYTES)
    x = quantised(g, dtype, g.shape(g.choice([1, 2, 3, 4]), least=1))
    opset = g.choice([12, 13])
    # What is 1 must fit: ONNX Runtime lets it wrap around.
    most = 1 / 255.5 if dtype == "u8" else 1 / 127.5
    y = g.leaf(np.array(g.rng.uniform(most, 4 * most), np.float32), g.choice(KNOWN))
    g.emit(op, *x, y, g.leaf(np.zeros((), DTYPES[dtype]), g.choice(KNOWN)),
           axis=g.axis(len(x[0].shape)), opset=opset, domain=MICROSOFT)


@row("QLinearWhere", domain=MICROSOFT)
def where(g, op):
    dtype = g.choice(BYTES)
    a = quantised(g, dtype)
    b = quantised(g, dtype, g.broadcastable(a[0].shape))
    g.emit(op, g.tensor("bool", g.broadcastable(a[0].shape)), *a, *b, *result(g, dtype),
           domain=MICROSOFT)


@row("QLinearConcat", domain=MICROSOFT)
def concat(g, op):
    dtype = g.choice(BYTES)
    shape = g.shape(g.choice([1, 2, 3, 4]), least=1)
    axis = g.axis(len(shape))
    parts = []
    for _ in range(g.choice([1, 2, 3])):
        part = list(shape)
        part[axis] = g.extent(9, 1)
        parts += quantised(g, dtype, tuple(part))
    g.emit(op, *result(g, dtype), *parts, axis=axis, domain=MICROSOFT)


@row("QLinearAveragePool", "QLinearGlobalAveragePool", domain=MICROSOFT)
def pool(g, op):
    dtype = g.choice(BYTES)
    image = spatial(g, 2, 8)
    last = g.chance(0.3)
    channels = g.choice([1, 2, 3])
    shape = (1, *image, channels) if last else (1, channels, *image)
    kernel, named = window(g, image, dilated=False, auto=("NOTSET",))
    if op == "QLinearGlobalAveragePool":
        kernel, named = None, {}
    named.pop("auto_pad", None)
    g.emit(op, *quantised(g, dtype, shape), *result(g, dtype), kernel_shape=kernel,
           channels_last=1 if last else None, domain=MICROSOFT, **named)


@row("QGemm", domain=MICROSOFT)
def gemm(g, op):
    m, n, k = (g.extent(17, 1) for _ in range(3))
    a, b = g.choice([0, 1]), g.choice([0, 1])
    ta = g.choice(BYTES)
    c = g.tensor("i32", g.choice([(n,), (1, n), (m, n)])) if g.chance(0.5) else None
    to = result(g, ta) if g.chance(0.6) else []
    g.emit(op, *quantised(g, ta, (k, m) if a else (m, k)),
           *quantised(g, g.choice(BYTES), (n, k) if b else (k, n)), c, *to, transA=a, transB=b,
           alpha=g.choice([None, 0.5]), domain=MICROSOFT)


@row("DynamicQuantizeMatMul", "MatMulIntegerToFloat", domain=MICROSOFT)
def product(g, op):
    m, n, k = (g.extent(17, 1) for _ in range(3))
    b = quantised(g, g.choice(BYTES), (k, n))
    bias = g.tensor("f32", (n,)) if g.chance(0.5) else None
    if op == "DynamicQuantizeMatMul":
        x = g.tensor("f32", (m, k), -2, 2, exact=True)
        g.emit(op, x, *b, bias, domain=MICROSOFT)
        return
    x = quantised(g, g.choice(BYTES), (m, k))
    g.emit(op, x[0], b[0], x[1], b[1], x[2] if g.chance(0.6) else None,
           b[2] if g.chance(0.6) else None, bias, domain=MICROSOFT)


@row("QuantizeLinear", "DequantizeLinear", domain=MICROSOFT)
def quantize(g, op):
    code = g.choice(["i8", "u8", "i16", "u16"])
    x = g.tensor("f32" if op == "QuantizeLinear" else code, least=1, exact=True)
    named, shape = {}, ()
    if x.shape and g.chance(0.4):
        named["axis"] = g.axis(len(x.shape))
        shape = (x.shape[named["axis"]],)
    g.emit(op, x, scale(g, "f32", shape), zero(g, code, shape), domain=MICROSOFT, **named)


@row("FusedMatMul", domain=MICROSOFT)
def fused_matmul(g, op):
    m, n, k = (g.extent(17, 1) for _ in range(3))
    batch = g.shape(g.choice([0, 0, 1, 2]), least=1, most=3)
    a, b = g.choice([None, 1]), g.choice([None, 1])
    dtype = g.dtype(op, domain=MICROSOFT)
    g.emit(op, g.tensor(dtype, (*batch, *((k, m) if a else (m, k)))),
           g.tensor(dtype, (*batch, *((n, k) if b else (k, n)))), transA=a, transB=b,
           alpha=g.choice([None, 0.5]), domain=MICROSOFT)


@row("Gelu", "FastGelu", "QuickGelu", "BiasGelu", domain=MICROSOFT)
def gelu(g, op):
    x = g.tensor(g.dtype(op, domain=MICROSOFT), rank=range(1, 5), least=1, low=-4, high=4)
    bias = None
    if op == "BiasGelu" or op == "FastGelu" and g.chance(0.5):
        bias = g.tensor(x.dtype, (x.shape[-1],))
    g.emit(op, x, *([bias] if bias else []), alpha=g.choice([None, 1.5]), domain=MICROSOFT)


@row("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_norm(g, op):
    shape = g.shape(g.choice([2, 3]), least=1)
    x, skip = g.tensor("f32", shape), g.tensor("f32", shape)
    gamma = g.tensor("f32", (shape[-1],))
    beta = [g.tensor("f32", (shape[-1],)) if g.chance(0.6) else None] \
        if op == "SkipLayerNormalization" else []
    bias = g.tensor("f32", (shape[-1],)) if g.chance(0.4) else None
    g.emit(op, x, skip, gamma, *beta, bias, results=[True, False, False, g.chance(0.4)],
           epsilon=g.choice([None, float(np.float32(0.01))]), domain=MICROSOFT)


@row("FusedGemm", domain=MICROSOFT)
def fused_gemm(g, op):
    m, n, k = (g.extent(17, 1) for _ in range(3))
    a, b = g.choice([None, 1]), g.choice([None, 1])
    g.emit(op, g.tensor("f32", (k, m) if a else (m, k)), g.tensor("f32", (n, k) if b else (k, n)),
           g.tensor("f32", g.broadcastable((m, n))) if g.chance(0.7) else None, transA=a, transB=b,
           activation=g.choice(["Relu", "Tanh", "Sigmoid"]), alpha=g.choice([None, 0.5]),
           domain=MICROSOFT)


@row("FusedConv", domain=MICROSOFT)
def fused_conv(g, op):
    image = spatial(g, 2, 8)
    kernel, named = window(g, image, most=3)
    ins, outs = g.choice([1, 2, 3]), g.choice([1, 2, 5])
    w = g.tensor("f32", (outs, ins, *kernel), fresh=1)
    bias = g.tensor("f32", (outs,)) if g.chance(0.5) else None
    g.emit(op, g.tensor("f32", (g.choice([1, 2]), ins, *image)), w, bias, kernel_shape=kernel,
           activation=g.choice(["Relu", "Tanh", "Sigmoid"]), domain=MICROSOFT, **named)
