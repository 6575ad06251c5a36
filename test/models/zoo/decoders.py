# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers that write a text token by token."""
import numpy as np

from cases.transformers import layer_norm, split_heads

from . import model
from .layers import bare_linear, merge_heads, rms_norm, take


def gelu_tanh(g, x):
    """GPT-2's approximation of GELU, from primitives."""
    cubic = g.op("Mul", g.op("Pow", x, g.scalar(3.0)), g.scalar(0.044715))
    inner = g.op("Mul", g.op("Add", x, cubic), g.scalar((2 / np.pi)**0.5))
    gate = g.op("Add", g.op("Tanh", inner), g.scalar(1.0))
    return g.op("Mul", g.op("Mul", x, g.scalar(0.5)), gate)


def flat_linear(g, x, length, inputs, outputs):
    """GPT-2's Conv1D: a Gemm on the rows, and the shape back."""
    x = g.op("Reshape", x, g.const(-1, inputs))
    weight = g.weight((inputs, outputs), scale=(3.0 / inputs)**0.5)
    x = g.op("Gemm", x, weight, g.weight((outputs,), scale=0.1))
    return g.op("Reshape", x, g.const(1, length, outputs))


def gpt2(g, length, past, layers=12, hidden=768, heads=12, vocabulary=50257):
    """Radford et al. 2019. `past` tokens come in as keys and values, `length` new ones
    as numbers; out go the logits and the keys and values of all tokens."""
    total, width = past + length, hidden // heads
    tokens = g.input("input_ids", (1, length), "i64", low=0, high=vocabulary)
    embedding = g.weight((vocabulary, hidden))
    positions = g.op("Gather", g.weight((1024, hidden), scale=0.1),
                     g.weight(np.arange(past, total)[None]))
    x = g.op("Add", g.op("Gather", embedding, tokens), positions)
    causal = g.weight(np.tri(1024, dtype=bool)[None, None])
    causal = take(g, take(g, causal, past, total, 2), 0, total, 3)
    presents = []
    for layer in range(layers):
        y = flat_linear(g, layer_norm(g, x, hidden, "op"), length, hidden, 3 * hidden)
        q, k, v = (split_heads(g, part, 1, length, heads, width)
                   for part in g.op("Split", y, outputs=3, axis=2))
        if past:
            k, v = (g.op("Concat", g.input(f"past_{name}_{layer}", (1, heads, past, width)),
                         new, axis=2) for name, new in (("key", k), ("value", v)))
        presents += [k, v]
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = g.op("Div", scores, g.scalar(float(width)**0.5))
        scores = g.op("Where", causal, scores, g.scalar(np.finfo(np.float32).min))
        y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
        y = merge_heads(g, y, length, hidden)
        x = g.op("Add", flat_linear(g, y, length, hidden, hidden), x)
        y = flat_linear(g, layer_norm(g, x, hidden, "op"), length, hidden, 4 * hidden)
        x = g.op("Add", x, flat_linear(g, gelu_tanh(g, y), length, 4 * hidden, hidden))
    x = layer_norm(g, x, hidden, "op")
    # The embedding again: of size 1, so that the logits are of size sqrt(hidden).
    logits = g.op("MatMul", x, g.op("Transpose", embedding))
    return g.output(logits, *presents, dtype="f32")


@model("GPT-2 small as published, 64 new tokens")
def gpt2_prefill(g):
    return gpt2(g, 64, 0)


@model("GPT-2 small as published, one token after 64 in the cache")
def gpt2_decode(g):
    return gpt2(g, 1, 64)


@model("2 of 12 layers, 192 wide, 1000 tokens known; one token after 31", quick=True)
def gpt2_small_decode(g):
    return gpt2(g, 1, 31, layers=2, hidden=192, heads=6, vocabulary=1000)


def rotate(g, x, cos, sin, width):
    """Rotary position embedding (Su et al. 2021) in the spelling of Llama's code."""
    half = width // 2
    first, second = take(g, x, 0, half, 3), take(g, x, half, 2**62, 3)
    turned = g.op("Concat", g.op("Neg", second), first, axis=-1)
    return g.op("Add", g.op("Mul", x, cos), g.op("Mul", turned, sin))


def repeat_heads(g, x, groups, repeats, length, width):
    """Each key and value serves several queries' heads."""
    x = g.op("Unsqueeze", x, g.const(2))
    x = g.op("Expand", x, g.const(1, groups, repeats, length, width))
    return g.op("Reshape", x, g.const(1, groups * repeats, length, width))


def llama_layer(g, x, length, hidden, heads, groups, inner, cos, sin, mask, past=()):
    """`past`, where there is one, holds the names of the keys and values of the tokens
    before, turned already; returns x, and the keys and values of all tokens."""
    width = hidden // heads
    y = rms_norm(g, x, hidden)
    q = split_heads(g, bare_linear(g, y, hidden, hidden), 1, length, heads, width)
    k, v = (split_heads(g, bare_linear(g, y, hidden, groups * width), 1, length, groups,
                        width) for _ in range(2))
    q, k = rotate(g, q, cos, sin, width), rotate(g, k, cos, sin, width)
    if past:
        k, v = (g.op("Concat", old, new, axis=2) for old, new in zip(past, (k, v)))
    total = length + (g.inputs[past[0]].shape[2] if past else 0)
    presents = k, v
    k, v = (repeat_heads(g, part, groups, heads // groups, total, width)
            for part in presents)
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    scores = g.op("Add", g.op("Div", scores, g.scalar(float(width)**0.5)), mask)
    y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
    y = merge_heads(g, y, length, hidden)
    x = g.op("Add", x, bare_linear(g, y, hidden, hidden))
    y = rms_norm(g, x, hidden)
    gate = bare_linear(g, y, hidden, inner)
    gate = g.op("Mul", gate, g.op("Sigmoid", gate))
    y = g.op("Mul", gate, bare_linear(g, y, hidden, inner))
    return g.op("Add", x, bare_linear(g, y, inner, hidden)), presents


def angles(g, position, width, most=256):
    """The tables of cosines and sines, gathered by the positions."""
    angle = np.outer(np.arange(most), 1e4**(-np.arange(0, width, 2) / width))
    angle = np.concatenate([angle, angle], -1).astype(np.float32)
    return (g.op("Unsqueeze", g.op("Gather", g.weight(table), position), g.const(1))
            for table in (np.cos(angle), np.sin(angle)))


@model("2 layers of 1024 with 16 heads in 4 groups, 64 tokens", quick=True)
def llama(g):
    """Touvron et al. 2023, Ainslie et al. 2023."""
    length, hidden, heads, groups = 64, 1024, 16, 4
    x = g.input("embeddings", (1, length, hidden))
    position = g.input("position_ids", value=np.arange(length)[None])
    cos, sin = angles(g, position, hidden // heads)
    mask = g.weight(np.triu(np.full((length, length), -1e9, np.float32), 1)[None, None])
    for _ in range(2):
        x, _ = llama_layer(g, x, length, hidden, heads, groups, 2816, cos, sin, mask)
    return g.output(rms_norm(g, x, hidden), dtype="f32")
