# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of operators that go along dimensions: reductions, running sums, norms, products."""
import numpy as np

from graph import DTYPES, FLOATS
from movement import axes_for
from rows import row


@row("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
     "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare")
def reduce(g, op):
    low = 0.1 if op == "ReduceLogSum" else None
    x = g.tensor(g.dtype(op), low=low, high=4 if low else None)
    axes = g.axes(len(x.shape), 0) if g.chance(0.8) else None
    if g.since(op) < 18 and op != "ReduceSum" and not axes:
        axes = None
    noop = g.choice([None, 0, 1]) if axes is None or not axes else None
    g.emit(op, x, axes=None if axes is None else axes_for(g, op, axes),
           keepdims=g.choice([None, 0, 1]), noop_with_empty_axes=noop)


@row("ArgMax", "ArgMin")
def arg(g, op):
    x = g.tensor(g.dtype(op), exact=True, least=1)
    g.emit(op, x, axis=g.axis(len(x.shape), g.since(op) >= 11), keepdims=g.choice([None, 0, 1]),
           select_last_index=g.choice([None, 0, 1]))


@row("CumSum", "CumProd")
def running(g, op):
    x = g.tensor(g.dtype(op), least=1)
    axis = np.array(g.axis(len(x.shape)), DTYPES[g.choice(["i64", "i32"])])
    g.emit(op, x, axis=axis, exclusive=g.choice([None, 0, 1]), reverse=g.choice([None, 0, 1]))


@row("TopK")
def top(g, op):
    x = g.tensor(g.dtype(op), exact=True)
    axis = g.axis(len(x.shape), g.since(op) >= 11)
    count = g.integer(0 if g.chance(0.1) else min(1, x.shape[axis]), x.shape[axis])
    young = g.since(op) < 10
    g.emit(op, x, results=[True, g.chance(0.7)], K=None if young else np.array([count]),
           k=count if young else None, axis=axis, largest=g.choice([None, 0, 1]),
           sorted=g.choice([None, 1]))


@row("Softmax", "LogSoftmax", "Hardmax")
def softmax(g, op):
    x = g.tensor(g.dtype(op), exact=op == "Hardmax", low=-30 if g.chance(0.5) else None, high=30)
    axis = None
    if x.shape and g.chance(0.8):
        axis = g.axis(len(x.shape), g.since(op) >= 11)
    g.emit(op, x, axis=axis)


@row("LpNormalization")
def lp_norm(g, op):
    x = g.tensor(g.dtype(op), low=0.1, high=4)
    g.emit(op, x, axis=g.axis(len(x.shape)), p=g.choice([None, 1, 2]))


@row("MeanVarianceNormalization")
def mvn(g, op):
    x = g.tensor(g.dtype(op), rank=4 if g.chance(0.5) else range(1, 6), most=17)
    g.emit(op, x, axes=None if len(x.shape) == 4 and g.chance(0.5) else g.axes(len(x.shape)))


def epsilon(g):
    return g.choice([None, float(np.float32(0.01)), 0.5])


@row("BatchNormalization")
def batch_norm(g, op):
    x = g.tensor(g.dtype(op), rank=range(2, 6))
    channels = (x.shape[1],)
    scale = g.dtype(op, 1) if g.since(op) >= 15 and x.dtype == "f32" else x.dtype
    moments = g.dtype(op, 3) if g.since(op) >= 15 and x.dtype == "f32" else x.dtype
    g.emit(op, x, g.tensor(scale, channels), g.tensor(scale, channels),
           g.tensor(moments, channels), g.tensor(moments, channels, low=0.1, high=4),
           epsilon=epsilon(g))


@row("InstanceNormalization")
def instance_norm(g, op):
    x = g.tensor(g.dtype(op), rank=range(3, 6), least=1)
    channels = (x.shape[1],)
    g.emit(op, x, g.tensor(x.dtype, channels), g.tensor(x.dtype, channels), epsilon=epsilon(g))


@row("GroupNormalization")
def group_norm(g, op):
    groups = g.choice([1, 2, 3, 4])
    shape = g.shape(g.choice([3, 4, 5]), least=1, most=8)
    shape = (shape[0], groups * g.choice([1, 2, 3]), *shape[2:])
    x = g.tensor(g.dtype(op), shape)
    channels = (shape[1] if g.since(op) >= 21 else groups,)
    g.emit(op, x, g.tensor(x.dtype, channels), g.tensor(x.dtype, channels), num_groups=groups,
           epsilon=epsilon(g))


@row("LayerNormalization", "RMSNormalization")
def layer_norm(g, op):
    x = g.tensor(g.dtype(op), rank=range(1, 6), least=1)
    axis = g.axis(len(x.shape))
    inner = x.shape[axis:] if axis >= 0 else x.shape[len(x.shape) + axis:]
    results = [True]
    operands = [x, g.tensor(x.dtype, inner)]
    if op == "LayerNormalization":
        results += [g.chance(0.3), g.chance(0.3)]
        operands += [g.tensor(x.dtype, inner)] if g.chance(0.6) else []
    g.emit(op, *operands, results=results, axis=axis if axis != -1 or g.chance(0.5) else None,
           epsilon=epsilon(g))


@row("LRN")
def local_norm(g, op):
    x = g.tensor(g.dtype(op), rank=4)
    g.emit(op, x, size=g.choice([1, 3, 5]), alpha=g.choice([0.5, 0.125]) if g.chance(0.5) else None,
           beta=g.choice([None, 0.5, 1.0]), bias=g.choice([None, 2.0]))


@row("MatMul")
def matmul(g, op):
    m, n, k = (g.extent(33) for _ in range(3))
    batch = g.shape(g.choice([0, 0, 1, 2, 3]), most=5, elements=20)
    left = (m, k) if g.chance(0.85) else (k,)
    right = (k, n) if g.chance(0.85) else (k,)
    dtype = g.dtype(op)
    if len(left) == 2:
        left = (*g.broadcastable(batch), *left)
    if len(right) == 2:
        right = (*g.broadcastable(batch), *right)
    if g.chance(0.3):
        x = g.tensor(dtype, rank=range(1, 6))
        left, right = x.shape, (x.shape[-1], n)
        g.emit(op, x, g.tensor(dtype, right))
        return
    g.emit(op, g.tensor(dtype, left), g.tensor(dtype, right))


@row("Gemm")
def gemm(g, op):
    dtype = g.dtype(op)
    m, n, k = (g.extent(33) for _ in range(3))
    a, b = g.choice([0, 1]), g.choice([0, 1])
    c = None
    if g.since(op) < 11 or g.chance(0.7):
        c = g.tensor(dtype, g.broadcastable((m, n)))
    g.emit(op, g.tensor(dtype, (k, m) if a else (m, k)), g.tensor(dtype, (n, k) if b else (k, n)),
           c, transA=a or None, transB=b or None, alpha=g.real(0.5) if g.chance(0.4) else None,
           beta=g.real(0.5) if g.chance(0.4) else None)


EQUATIONS = ["ij->ji", "ii->i", "ij->", "ij,jk->ik", "ij,jk", "bij,bjk->bik", "i,j->ij", "ij,ij->i",
             "...ij,...jk->...ik", "bhqd,bhkd->bhqk", "bqhd,bkhd->bhqk", "ij,j,jk->ik", "iij->j",
             "...i->...", "ab,cd->abcd", "abc,cd,de->abe", "b...,b...->...", "ji , kj -> ik"]


@row("Einsum")
def einsum(g, op):
    equation = g.choice(EQUATIONS)
    extents = {letter: g.extent(7, 1) for letter in "abcdehijkq"}
    dots = g.shape(g.choice([0, 1, 2]), least=1, most=3)
    dtype = g.dtype(op, among=(*FLOATS, "i32", "i64"))
    operands = []
    for term in equation.split("->")[0].split(","):
        shape = []
        for letter in term.replace("...", ".").strip():
            shape += dots if letter == "." else [extents[letter]]
        operands.append(g.tensor(dtype, tuple(shape)))
    g.emit(op, *operands, equation=equation)


@row("Det")
def det(g, op):
    n = g.choice([1, 2, 3, 4, 5, 7])
    g.emit(op, g.tensor(g.dtype(op), (*g.shape(g.choice([0, 1, 2]), most=5), n, n)))


@row("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(g, op):
    classes = g.integer(2, 7)
    shape = g.shape(g.choice([1, 2, 3]), least=1, most=7)
    x = g.tensor(g.dtype(op), (shape[0], classes, *shape[1:]), low=-4, high=4)
    target = g.rng.integers(0, classes, shape)
    ignored = g.choice([None, None, 1, -1])
    if ignored is not None:
        target = np.where(g.rng.random(shape) < 0.3, ignored, target)
        target.flat[0] = 0
    weight = g.tensor(x.dtype, (classes,), low=0.2, high=3) if g.chance(0.5) else None
    results = [True, g.chance(0.5)] if op == "SoftmaxCrossEntropyLoss" else [True]
    g.emit(op, x, g.leaf(target.astype(DTYPES[g.choice(["i64", "i32"])])), weight,
           results=results, ignore_index=ignored,
           reduction=g.choice([None, "none", "sum", "mean"]))


@row("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(g, op):
    x = g.tensor(g.dtype(op), rank=range(3, 6), least=1)
    g.emit(op, x, p=g.choice([None, 1, 2, 3]))
