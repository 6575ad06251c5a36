# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers that read a whole text at once."""
import numpy as np

from cases.transformers import encoder_layer, layer_norm, linear, split_heads

from . import model
from .layers import bare_linear, merge_heads, rms_norm


def bert(g, layers, hidden, heads, length=128):
    """Devlin et al. 2018; the mask is made in the graph, as exporters leave it."""
    tokens = g.input("input_ids", (1, length), "i64", low=0, high=30522)
    types = g.input("token_type_ids", (1, length), "i64", low=0, high=2)
    keep = np.ones((1, length), np.int64)
    keep[:, 101:] = 0
    mask = g.op("Cast", g.input("attention_mask", value=keep), to=1)
    mask = g.op("Unsqueeze", mask, g.const(1, 2))
    mask = g.op("Mul", g.op("Sub", g.scalar(1.0), mask), g.scalar(-10000.0))
    x = g.op("Add", g.op("Gather", g.weight((30522, hidden)), tokens),
             g.op("Gather", g.weight((2, hidden)), types))
    x = g.op("Add", x, g.op("Gather", g.weight((512, hidden)),
                            g.weight(np.arange(length)[None])))
    x = layer_norm(g, x, hidden, "op")
    for _ in range(layers):
        x = encoder_layer(g, x, 1, length, hidden, heads, mask, "op")
    first = g.op("Gather", x, g.scalar(0, "i64"), axis=1)
    return g.output(x, g.op("Tanh", linear(g, first, hidden, hidden)), dtype="f32")


@model("BERT-base as published, 128 tokens")
def bert_base(g):
    return bert(g, 12, 768, 12)


def relative_buckets(g, length, buckets=32, farthest=128):
    """T5's bucket of each distance: exact when near, logarithmic when far; both
    directions (Raffel et al. 2019, appendix; written as exporters trace it)."""
    positions = np.arange(length)
    distance = g.weight(positions[None, :] - positions[:, None], "i64")
    half, near = buckets // 2, buckets // 4
    behind = g.op("Cast", g.op("Greater", distance, g.scalar(0, "i64")), to=7)
    behind = g.op("Mul", behind, g.scalar(half, "i64"))
    distance = g.op("Abs", distance)
    far = g.op("Div", g.op("Cast", distance, to=1), g.scalar(float(near)))
    far = g.op("Div", g.op("Log", g.op("Max", far, g.scalar(1.0))),
               g.scalar(np.log(farthest / near)))
    far = g.op("Cast", g.op("Mul", far, g.scalar(float(half - near))), to=7)
    far = g.op("Min", g.op("Add", far, g.scalar(near, "i64")), g.scalar(half - 1, "i64"))
    is_near = g.op("Less", distance, g.scalar(near, "i64"))
    return g.op("Add", behind, g.op("Where", is_near, distance, far))


@model("T5-small's encoder as published, 64 tokens")
def t5_encoder(g):
    """Raffel et al. 2019: no biases, scores that are not scaled, one table of relative
    positions for all layers."""
    length, hidden, heads, width = 64, 512, 8, 64
    tokens = g.input("input_ids", (1, length), "i64", low=0, high=32128)
    bias = g.op("Gather", g.weight((32, heads)), relative_buckets(g, length))
    bias = g.op("Unsqueeze", g.op("Transpose", bias, perm=[2, 0, 1]), g.const(0))
    x = g.op("Gather", g.weight((32128, hidden)), tokens)
    for _ in range(6):
        y = rms_norm(g, x, hidden)
        # Unscaled scores of width 64 would be of size 8.
        q, k, v = (split_heads(g, bare_linear(g, y, hidden, hidden, scale), 1, length,
                               heads, width) for scale in (0.125, 1, 1))
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
        weights = g.op("Softmax", g.op("Add", scores, bias), axis=-1)
        y = merge_heads(g, g.op("MatMul", weights, v), length, hidden)
        x = g.op("Add", x, bare_linear(g, y, hidden, hidden))
        y = g.op("Relu", bare_linear(g, rms_norm(g, x, hidden), hidden, 2048))
        x = g.op("Add", x, bare_linear(g, y, 2048, hidden))
    return g.output(rms_norm(g, x, hidden), dtype="f32")
