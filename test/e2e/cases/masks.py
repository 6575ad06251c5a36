# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention whose mask is constant: what it hides is not computed where that is safe."""
import numpy as np

from builder import Case, Graph, cases
from cases.transformers import reference_attention

LOWEST = float(np.finfo(np.float32).min)


def band(queries, keys, left=None, offset=None):
    """Which keys a query sees: up to its own, and `left` before that."""
    offset = keys - queries if offset is None else offset
    distance = np.arange(keys) - np.arange(queries)[:, None] - offset
    seen = distance <= 0
    return seen if left is None else seen & (distance >= -left)


def added(hidden):
    return lambda g, scores, seen: g.op(
        "Add", scores, g.weight(np.where(seen, 0, hidden).astype(np.float32)))


def chosen(hidden, inverted=False):
    def apply(g, scores, seen):
        both = scores, g.scalar(hidden)
        return g.op("Where", g.weight(~seen if inverted else seen),
                    *(both[::-1] if inverted else both))
    return apply


def between(g, scores, seen):
    """Also where it hides nothing, the mask adds something."""
    bias = g.random(seen.shape, "f32", -2, 2)
    return g.op("Add", scores, g.weight(np.where(seen, bias, -np.inf).astype(np.float32)))


def multiplied(g, scores, seen):
    """As GPT-2 was first written."""
    seen = seen.astype(np.float32)
    return g.op("Sub", g.op("Mul", scores, g.weight(seen)), g.weight(1e4 * (1 - seen)))


def apart(g, scores, seen):
    """The mask is made by a choice, and added."""
    mask = g.op("Where", g.weight(seen), g.scalar(0.0), g.scalar(-np.inf))
    return g.op("Add", scores, mask)


# name: mask, heads, queries, keys, width, and what tells the band
MASKS = {
    "infinite": (added(-np.inf), 2, 97, 97, 16, {}),
    "lowest": (added(LOWEST), 2, 130, 130, 33, {}),
    "short": (added(-np.inf), 3, 17, 17, 16, {}),
    "aligned": (chosen(-np.inf), 2, 192, 192, 64, {}),
    "decoded": (added(-1e30), 3, 50, 131, 64, {}),
    "one_query": (added(-np.inf), 4, 1, 131, 32, {}),
    "chosen": (chosen(LOWEST), 2, 131, 131, 20, {}),
    "chosen_above": (chosen(-np.inf, inverted=True), 1, 129, 200, 16, {}),
    "apart": (apart, 2, 150, 150, 16, {}),
    "window": (added(-np.inf), 2, 150, 150, 32, {"left": 20}),
    "window_decoded": (chosen(LOWEST), 2, 70, 260, 17, {"left": 64}),
    "window_of_one": (added(-np.inf), 1, 140, 140, 16, {"left": 0}),
    "rows_hidden": (added(LOWEST), 2, 131, 100, 16, {}),
    "ahead": (added(-np.inf), 2, 90, 190, 16, {"offset": 5}),
    # These stay as they are.
    "ten_thousand": (added(-1e4), 2, 97, 97, 16, {}),
    "rows_hidden_softly": (added(-1e4), 2, 131, 100, 16, {}),
    "between": (between, 2, 97, 97, 16, {}),
    "multiplied": (multiplied, 2, 97, 97, 16, {}),
}


@cases
def constant_masks():
    for name, (mask, heads, queries, keys, width, sees) in MASKS.items():
        g = Graph(f"mask_{name}")
        q = g.input("q", (1, heads, queries, width), low=-2, high=2)
        k = g.input("k", (1, heads, keys, width), low=-2, high=2)
        v = g.input("v", (1, heads, keys, width + 3))
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = g.op("Mul", scores, g.scalar(width**-0.5))
        scores = mask(g, scores, band(queries, keys, **sees))
        weights = g.op("Softmax", scores, axis=-1)
        yield Case(g.output(g.op("MatMul", weights, v)), "network")

    # The probabilities are a result, too: all of them are written.
    g = Graph("mask_returned")
    q, k = g.input("q", (2, 97, 16), low=-2, high=2), g.input("k", (2, 16, 97))
    scores = added(-np.inf)(g, g.op("MatMul", q, k), band(97, 97))
    weights = g.op("Softmax", scores, axis=-1)
    y = g.op("MatMul", weights, g.input("v", (2, 97, 20)))
    yield Case(g.output(y, weights), "network")

    # Rows that the operation's mask hides as a whole give zeros.
    for name, queries, keys, window in (("op_rows_hidden", 131, 100, 10),
                                        ("op_window", 150, 150, 30)):
        g = Graph(f"mask_{name}")
        g.opset = 25
        operands = [g.input(n, (1, 2, length, 16), low=-2, high=2)
                    for n, length in (("q", queries), ("k", keys), ("v", keys))]
        y = g.op("Attention", *operands, is_causal=1, left_window_size=window)

        def reference(*inputs, window=window):
            return reference_attention(inputs, is_causal=True, window=window)
        yield Case(g.output(y, dtype="f32"), "network", reference)


# Of as many keys that they are computed in blocks: mask, queries, keys, width, and
# what tells the band. Of 48 columns, bounds are no multiples of the vectors that a sum has.
BLOCKS = {
    "infinite": (added(-np.inf), 61, 4096, 16, {"offset": 1500}),
    "lowest": (chosen(LOWEST), 50, 4096, 16, {"offset": 900}),
    "decoded": (added(-np.inf), 37, 4096, 16, {}),
    "first": (added(-1e30), 70, 4096, 16, {"offset": 0}),
    "beyond": (chosen(-np.inf), 40, 4100, 16, {"offset": 3000}),
    "window": (added(LOWEST), 50, 4096, 16, {"offset": 2000, "left": 600}),
    "uneven": (chosen(-np.inf), 60, 4000, 48, {"offset": 300, "left": 70}),
    # These have rows that are hidden as a whole.
    "rows_hidden": (chosen(LOWEST), 50, 4096, 16, {"offset": -30}),
    "rows_nan": (chosen(-np.inf), 50, 4096, 16, {"offset": -30}),
    "softly": (chosen(-1e4), 40, 4096, 16, {"offset": 10}),
}


@cases
def blocks_of_keys():
    for name, (mask, queries, keys, width, sees) in BLOCKS.items():
        g = Graph(f"mask_blocks_{name}")
        q = g.input("q", (2, queries, width), low=-2, high=2)
        k = g.input("k", (2, keys, width), low=-2, high=2)
        v = g.input("v", (2, keys, width))
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1]))
        scores = mask(g, scores, band(queries, keys, **sees))
        weights = g.op("Softmax", scores, axis=-1)
        yield Case(g.output(g.op("MatMul", weights, v)), "network",
                   cpu_options=("--sched-verify",))
