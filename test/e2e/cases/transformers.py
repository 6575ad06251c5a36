# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and transformer layers, as exporters write them."""
import numpy as np
from onnx import numpy_helper as helper

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

    # One kernel makes a row of scores and its softmax, and multiplies it where values
    # are wide enough for lanes: one row, one score, tails.
    for rows, keys, width, values in ((1, 37, 16, 17), (13, 1, 16, 16), (5, 19, 31, 5),
                                      (2, 130, 67, 33), (3, 11, 16, 70),
                                      (13, 37, 16, 33)):
        g = Graph(f"attention_rows_{rows}_{keys}_{width}")
        q, k = g.input("q", (2, 3, rows, width)), g.input("k", (2, 3, keys, width))
        v = g.input("v", (2, 3, keys, values))
        g.shape_of = {k: (2, 3, keys, width)}
        yield Case(g.output(attend(g, q, k, v, width, g.input("mask", (2, 1, 1, keys)))),
                   "network")

    g = Graph("scores_reduced")  # each score and what rows of them come to
    q, k = g.input("q", (3, 7, 19)), g.input("k", (3, 17, 19))
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1]))
    total = g.op("ReduceSum", g.op("Abs", scores), g.const(2), keepdims=1)
    yield Case(g.output(scores, g.op("Div", scores, total)), "network")

    g = Graph("attention_multi_head")
    x = g.input("x", (2, 17, 32))
    yield Case(g.output(multi_head(g, x, 2, 17, 32, 4)), "network")

    g = Graph("attention_cross")  # queries and keys of different lengths
    q, k, v = g.input("q", (5, 16)), g.input("k", (33, 16)), g.input("v", (33, 8))
    g.shape_of = {k: (33, 16)}
    yield Case(g.output(attend(g, q, k, v, 16)), "network")


def turn(g, x, cos, sin):
    """Rotary position embedding."""
    first, second = g.op("Split", x, outputs=2, axis=-1)
    turned = g.op("Concat", g.op("Neg", second), first, axis=-1)
    return g.op("Add", g.op("Mul", x, cos), g.op("Mul", turned, sin))


@cases
def turned_heads():
    """Queries and keys of one product, turned alike: queries of several heads for each
    of keys; without a third product; in batches, so that parts are no neighbours in
    memory."""
    for name, batch, length, heads, groups, products in (
            ("grouped", 1, 5, 6, 2, 3), ("alone", 1, 7, 3, 3, 2), ("batched", 2, 13, 4, 1, 3),
            ("one_token", 1, 1, 2, 1, 3)):
        g = Graph(f"attention_turned_{name}")
        width, hidden = 16, 24
        x = g.input("x", (batch, length, hidden))
        cos, sin = g.input("cos", (length, width)), g.input("sin", (length, width))
        q, k, *v = (split_heads(g, g.op("MatMul", x, g.weight((hidden, count * width))),
                                batch, length, count, width)
                    for count in (heads, groups, groups)[:products])
        q, k = turn(g, q, cos, sin), turn(g, k, cos, sin)
        v = v[0] if v else g.input("v", (batch, groups, length, width))
        k, v = (g.op("Reshape",
                     g.op("Expand", g.op("Unsqueeze", part, g.const(2)),
                          g.const(batch, groups, heads // groups, length, width)),
                     g.const(batch, heads, length, width)) for part in (k, v))
        g.shape_of = {k: (batch, heads, length, width)}
        yield Case(g.output(attend(g, q, k, v, width)), "network")


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

    for rows, inner in ((1, 33), (7, 5), (13, 48)):  # two products of one operand
        g = Graph(f"gated_products_{rows}_{inner}")
        x = g.input("x", (rows, 19))
        gate = g.op("Sigmoid", g.op("MatMul", x, g.input("w", (19, inner))))
        up = g.op("MatMul", x, g.input("v", (19, inner)))
        yield Case(g.output(g.op("Mul", gate, up), up), "network")

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
    x = g.op("Conv", g.input("x", (1, 3, 64, 64)), g.weight((64, 3, 4, 4), scale=0.2),
             g.weight((64,)), strides=[4, 4])
    x = g.op("Transpose", g.op("Reshape", x, g.const(1, 64, 256)), perm=[0, 2, 1])
    x = g.op("Concat", g.weight((1, 1, 64)), x, axis=1)
    yield Case(g.output(layer_norm(g, g.op("Add", x, g.weight((257, 64))), 64, "op")),
               "network")

    g = Graph("rotary_embedding")
    x, angle = g.input("x", (2, 4, 9, 16)), g.random((9, 16), low=-3, high=3)
    a, b = g.op("Split", x, outputs=2, axis=-1)
    turned = g.op("Concat", g.op("Neg", b), a, axis=-1)
    left = g.op("Mul", x, g.weight(np.cos(angle)))
    yield Case(g.output(g.op("Add", left, g.op("Mul", turned, g.weight(np.sin(angle))))),
               "elementwise")


def causal(length, keys, past=0):
    return np.tril(np.ones((length, keys), np.bool_), past)


def reference_attention(inputs, *, heads=None, is_causal=False, softcap=0.0, scale=None,
                        window=None):
    """What ONNX defines, in double; ONNX Runtime lacks most of its forms."""
    q, k, v = (x.astype(np.float64) for x in inputs[:3])
    mask = inputs[3] if len(inputs) > 3 else None
    if heads:
        def split(x, count):
            return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)
        q, k, v = split(q, heads[0]), split(k, heads[1]), split(v, heads[1])
    past = 0
    present = []
    if len(inputs) > 4:
        past = inputs[4].shape[2]
        k = np.concatenate([inputs[4].astype(np.float64), k], 2)
        v = np.concatenate([inputs[5].astype(np.float64), v], 2)
        present = [k, v]
    repeat = q.shape[1] // k.shape[1]
    scores = q @ np.repeat(k, repeat, 1).swapaxes(-1, -2) * (scale or q.shape[3]**-0.5)
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    if mask is not None:
        scores = scores + (np.where(mask, 0, -np.inf) if mask.dtype == np.bool_ else mask)
    allowed = np.ones(scores.shape[-2:], np.bool_)
    if is_causal:
        allowed &= causal(*allowed.shape, past)
    if window:
        allowed &= ~causal(*allowed.shape, past - window - 1)
    scores = np.where(allowed, scores, -np.inf)
    largest = scores.max(-1, keepdims=True)
    largest[np.isinf(largest)] = 0
    weights = np.exp(scores - largest)
    total = weights.sum(-1, keepdims=True)
    y = weights / np.where(total == 0, 1, total) @ np.repeat(v, repeat, 1)
    if heads:
        y = y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)
    return [y, *present]


@cases
def attention_ops():
    def case(name, shapes, mask=None, past=0, opset=23, **attributes):
        g = Graph(f"attention_op_{name}")
        g.opset = opset
        operands = [g.input(n, s) for n, s in zip("qkv", shapes)]
        if mask is not None:
            operands.append(g.input("mask", value=mask))
        if past:
            operands += [None] * (mask is None)
            for n, s in zip(("past_key", "past_value"), shapes[1:]):
                operands.append(g.input(n, (*s[:2], past, s[3])))
        outputs = g.op("Attention", *operands, outputs=3 if past else 1, **attributes)
        names = outputs if past else [outputs]
        keywords = {n: attributes[n] for n in ("softcap", "scale") if n in attributes}
        keywords["is_causal"] = bool(attributes.get("is_causal"))
        if "q_num_heads" in attributes:
            keywords["heads"] = (attributes["q_num_heads"], attributes["kv_num_heads"])
        if "left_window_size" in attributes:
            keywords["window"] = attributes["left_window_size"]

        def reference(*inputs):
            inputs = list(inputs)
            if past and mask is None:
                inputs.insert(3, None)
            return reference_attention(inputs, **keywords)
        return Case(g.output(*names, dtype="f32"), "network", reference)

    square = ((2, 3, 7, 8), (2, 3, 7, 8), (2, 3, 7, 8))
    cross = ((2, 4, 5, 8), (2, 4, 9, 8), (2, 4, 9, 6))
    shared = ((1, 6, 5, 8), (1, 2, 9, 8), (1, 2, 9, 8))
    rng = np.random.default_rng(5)
    yield case("4d", square)
    yield case("cross", cross, scale=0.3)
    yield case("causal", square, is_causal=1)
    yield case("grouped_queries", shared, softcap=2.0)
    yield case("3d", ((2, 5, 24), (2, 7, 12), (2, 7, 12)), q_num_heads=4, kv_num_heads=2)
    yield case("heads", ((2, 5, 24),) * 3, is_causal=1, q_num_heads=3, kv_num_heads=3)
    yield case("float_mask", cross, rng.uniform(-2, 2, (4, 5, 9)).astype(np.float32))
    yield case("double_mask", cross, np.linspace(-2, 2, 45).reshape(5, 9))
    seen = rng.random((2, 1, 5, 9)) < 0.6
    seen[0, 0, 2] = False  # a query that sees nothing gives zeros
    yield case("bool_mask", cross, seen)
    yield case("past", ((1, 4, 1, 8), (1, 2, 1, 8), (1, 2, 1, 8)), past=12, is_causal=1)
    yield case("past_causal", ((2, 4, 3, 8), (2, 2, 3, 8), (2, 2, 3, 8)), past=5,
               is_causal=1)
    yield case("window", square, opset=25, is_causal=1, left_window_size=2)


def rotate(x, cos, sin, interleaved):
    """x [batch, heads, length, width]; cos and sin [batch, length, half]."""
    half = cos.shape[-1]
    cos, sin = cos[:, None], sin[:, None]
    y = x.copy()
    first, second = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else \
        (slice(0, half), slice(half, 2 * half))
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., second] * cos + x[..., first] * sin
    return y


@cases
def rotary_embeddings():
    for interleaved in (0, 1):
        for part in (8, 4):  # of a width of 8
            g = Graph(f"rotary_{'interleaved' if interleaved else 'halves'}_{part}")
            g.opset = 23
            x = g.input("x", (2, 3, 5, 8))
            caches = [g.weight((17, part // 2)) for _ in range(2)]
            ids = g.input("ids", value=g.rng.integers(0, 17, (2, 5)))
            y = g.op("RotaryEmbedding", x, *caches, ids, interleaved=interleaved,
                     rotary_embedding_dim=part if part < 8 else 0)
            values = [helper.to_array(w) for w in g.initializers]

            def reference(x, ids, values=values, interleaved=interleaved):
                return [rotate(x, *(v[ids] for v in values), interleaved)]
            yield Case(g.output(y, dtype="f32"), "elementwise", reference)
    g = Graph("rotary_3d")
    g.opset = 23
    angles = [g.input(n, (2, 5, 4)) for n in ("cos", "sin")]
    y = g.op("RotaryEmbedding", g.input("x", (2, 5, 24)), *angles, num_heads=3)

    def reference_3d(cos, sin, x):
        split = x.reshape(2, 5, 3, 8).transpose(0, 2, 1, 3)
        return [rotate(split, cos, sin, 0).transpose(0, 2, 1, 3).reshape(2, 5, 24)]
    yield Case(g.output(y, dtype="f32"), "elementwise", reference_3d)
