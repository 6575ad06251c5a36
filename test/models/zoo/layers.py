# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that several models share, as exporters write them."""


def bare_linear(g, x, inputs, outputs, scale=1):
    """A product with a weight, no bias."""
    return g.op("MatMul", x, g.weight((inputs, outputs), scale=scale * (3.0 / inputs)**0.5))


def rms_norm(g, x, hidden, epsilon=1e-6):
    """x / sqrt(mean(x^2) + epsilon) * scale, from primitives."""
    square = g.op("Pow", x, g.scalar(2.0))
    mean = g.op("ReduceMean", square, axes=[-1], keepdims=1)
    root = g.op("Sqrt", g.op("Add", mean, g.scalar(epsilon)))
    x = g.op("Mul", x, g.op("Reciprocal", root))
    return g.op("Mul", g.weight(g.random((hidden,), low=0.5, high=1.5)), x)


def merge_heads(g, x, length, hidden):
    """[1, heads, length, width] -> [1, length, hidden]"""
    x = g.op("Transpose", x, perm=[0, 2, 1, 3])
    return g.op("Reshape", x, g.const(1, length, hidden))


def take(g, x, begin, end, axis):
    return g.op("Slice", x, g.const(begin), g.const(end), g.const(axis))
