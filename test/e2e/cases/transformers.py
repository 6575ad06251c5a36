# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and transformer layers, as exporters write them."""
import numpy as np

from builder import Case, Graph, cases

from .norms import layer_norm_primitives


def linear(g, x, inputs, outputs):
    scale = (3.0 / inputs)**0.5
    y = g.op("MatMul", x, g.weight((inputs, outputs), scale=scale))
    return g.op("Add", y, g.weight((outputs,), scale=0.1))


def gelu(g, x):
    erf = g.op("Erf", g.op("Div", x, g.scalar(2.0**0.5)))
    half = g.op("Mul", x, g.op("Add", erf, g.scalar(1.0)))
    return g.op("Mul", half, g.scalar(0.5))


def attend(g, q, k, v, width, mask=None):
    """softmax(Q K^T / sqrt(width) + mask) V over the last two axes."""
    order = list(range(len(g.shape_of[k])))
    order[-1], order[-2] = order[-2], order[-1]
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=order))
    scores = g.op("Div", scores, g.scalar(width**0.5))
    if mask:
        scores = g.op("Add", scores, mask)
    return g.op("MatMul", g.op("Softmax", scores, axis=-1), v)


def split_heads(g, x, batch, length, heads, width):
    x = g.op("Reshape", x, g.const(batch, length, heads, width))
    return g.op("Transpose", x, perm=[0, 2, 1, 3])


def multi_head(g, x, batch, length, hidden, heads, mask=None):
    width = hidden // heads
    q, k, v = (split_heads(g, linear(g, x, hidden, hidden), batch, length, heads, width)
               for _ in range(3))
    g.shape_of = {k: (batch, heads, length, width)}
    y = attend(g, q, k, v, width, mask)
    y = g.op("Transpose", y, perm=[0, 2, 1, 3])
    y = g.op("Reshape", y, g.const(batch, length, hidden))
    return linear(g, y, hidden, hidden)


def padding_mask(g, batch, length, valid):
    """[batch, 1, 1, length]: 0 for tokens, -10000 for padding."""
    mask = np.zeros((batch, 1, 1, length), np.float32)
    for row, count in enumerate(valid):
        mask[row, ..., count:] = -10000
    return g.input("mask", value=mask)


def layer_norm(g, x, hidden, spelling):
    scale, bias = g.weight(g.random((hidden,), low=0.5, high=1.5)), g.weight((hidden,))
    if spelling == "op":
        return g.op("LayerNormalization", x, scale, bias, axis=-1)
    return layer_norm_primitives(g, x, scale, bias)


def encoder_layer(g, x, batch, length, hidden, heads, mask, spelling):
    y = multi_head(g, x, batch, length, hidden, heads, mask)
    x = layer_norm(g, g.op("Add", x, y), hidden, spelling)
    y = gelu(g, linear(g, x, hidden, 4 * hidden))
    y = linear(g, y, 4 * hidden, hidden)
    return layer_norm(g, g.op("Add", x, y), hidden, spelling)


@cases
def attention():
    for name, shape, masked in (("attention", (31, 32), False),
                                ("attention_masked", (17, 16), True),
                                ("attention_batched", (2, 3, 33, 16), True)):
        g = Graph(name)
        q, k, v = (g.input(n, shape) for n in "qkv")
        g.shape_of = {k: shape}
        mask = None
        if masked:
            causal = np.triu(np.full((shape[-2], shape[-2]), -1e9, np.float32), 1)
            mask = g.weight(causal)
        yield Case(g.output(attend(g, q, k, v, shape[-1], mask)), "network")

    g = Graph("attention_multi_head")
    x = g.input("x", (2, 17, 32))
    yield Case(g.output(multi_head(g, x, 2, 17, 32, 4)), "network")

    g = Graph("attention_cross")  # queries and keys of different lengths
    q, k, v = g.input("q", (5, 16)), g.input("k", (33, 16)), g.input("v", (33, 8))
    g.shape_of = {k: (33, 16)}
    yield Case(g.output(attend(g, q, k, v, 16)), "network")


@cases
def layers():
    for spelling in ("op", "primitives"):
        g = Graph(f"bert_layer_{spelling}")
        x, mask = g.input("x", (2, 24, 64)), padding_mask(g, 2, 24, (24, 13))
        yield Case(g.output(encoder_layer(g, x, 2, 24, 64, 4, mask, spelling)), "network")

    g = Graph("bert_tiny")  # embeddings, two layers, pooler
    batch, length, hidden = 1, 16, 64
    tokens = g.input("tokens", (batch, length), "i64", low=0, high=100)
    x = g.op("Add", g.op("Gather", g.weight((100, hidden)), tokens),
             g.weight((length, hidden)))
    x = layer_norm(g, x, hidden, "op")
    mask = padding_mask(g, batch, length, (11,))
    for _ in range(2):
        x = encoder_layer(g, x, batch, length, hidden, 4, mask, "op")
    first = g.op("Gather", x, g.scalar(0, "i64"), axis=1)
    yield Case(g.output(x, g.op("Tanh", linear(g, first, hidden, hidden))), "network")

    g = Graph("feed_forward_swiglu")
    x = g.input("x", (17, 32))
    gate = linear(g, x, 32, 64)
    gate = g.op("Mul", gate, g.op("Sigmoid", gate))
    yield Case(g.output(linear(g, g.op("Mul", gate, linear(g, x, 32, 64)), 64, 32)),
               "network")

    g = Graph("mlp_mixer")
    x = g.input("x", (1, 16, 32))
    y = g.op("Transpose", layer_norm(g, x, 32, "op"), perm=[0, 2, 1])
    y = linear(g, gelu(g, linear(g, y, 16, 48)), 48, 16)
    x = g.op("Add", x, g.op("Transpose", y, perm=[0, 2, 1]))
    y = linear(g, gelu(g, linear(g, layer_norm(g, x, 32, "op"), 32, 64)), 64, 32)
    yield Case(g.output(g.op("Add", x, y)), "network")

    g = Graph("vit_patches")  # patch embedding by a strided convolution
    x = g.op("Conv", g.input("x", (1, 3, 16, 16)), g.weight((32, 3, 4, 4), scale=0.2),
             g.weight((32,)), strides=[4, 4])
    x = g.op("Transpose", g.op("Reshape", x, g.const(1, 32, 16)), perm=[0, 2, 1])
    x = g.op("Concat", g.weight((1, 1, 32)), x, axis=1)
    yield Case(g.output(layer_norm(g, g.op("Add", x, g.weight((17, 32))), 32, "op")),
               "network")

    g = Graph("rotary_embedding")
    x, angle = g.input("x", (2, 4, 9, 16)), g.random((9, 16), low=-3, high=3)
    a, b = g.op("Split", x, outputs=2, axis=-1)
    turned = g.op("Concat", g.op("Neg", b), a, axis=-1)
    left = g.op("Mul", x, g.weight(np.cos(angle)))
    yield Case(g.output(g.op("Add", left, g.op("Mul", turned, g.weight(np.sin(angle))))),
               "elementwise")
