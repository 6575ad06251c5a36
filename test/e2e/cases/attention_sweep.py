# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over lengths, heads, widths and masks, which are drawn."""
import itertools

import numpy as np

from builder import Case, Graph, cases
from cases.transformers import reference_attention

WIDTHS = (1, 15, 17, 33, 64, 80, 128)
LENGTHS = (1, 2, 15, 16, 17, 33, 50, 65, 97, 130)
HEADS = ((1, 1), (2, 2), (3, 3), (4, 2), (4, 1), (6, 3))
MASKS = ("none", "added", "infinite", "bool")


def draw_mask(kind, shape, rng):
    """A mask of `shape`, whose first row lets nothing through where it may."""
    if kind == "none":
        return None
    allowed = rng.random(shape) < 0.7
    allowed[..., 0, :] = False
    if kind == "bool":
        return allowed
    added = rng.uniform(-2, 2, shape).astype(np.float32)
    return np.where(allowed, added, -np.inf).astype(np.float32) if kind == "infinite" else added


@cases
def attention_sweep():
    for width, kind in itertools.product(WIDTHS, MASKS):
        for causal in (0, 1):
            g = Graph(f"attention_{width}_{kind}{'_causal' if causal else ''}")
            g.opset = 23
            heads, groups = HEADS[g.rng.integers(len(HEADS))]
            queries, keys = (int(n) for n in g.rng.choice(LENGTHS, 2))
            values = int(g.rng.choice([width, 16, 19]))
            batch = int(g.rng.integers(1, 3))
            operands = [g.input("q", (batch, heads, queries, width)),
                        g.input("k", (batch, groups, keys, width)),
                        g.input("v", (batch, groups, keys, values))]
            shape = [(queries, keys), (batch, 1, queries, keys), (heads, queries, keys)]
            mask = draw_mask(kind, shape[g.rng.integers(3)], g.rng)
            if mask is not None:
                operands.append(g.input("mask", value=mask))
            softcap = float(g.rng.choice([0, 0, 3]))
            y = g.op("Attention", *operands, is_causal=causal, softcap=softcap)

            def reference(*inputs, causal=causal, softcap=softcap):
                return reference_attention(inputs, is_causal=bool(causal), softcap=softcap)
            yield Case(g.output(y, dtype="f32"), "network", reference)


@cases
def attention_in_blocks():
    """More keys than stay in a cache: in blocks, of which masks leave some empty. The
    second number of keys has no divisor."""
    for keys, (queries, heads, groups, width, values), kind in (
            (4096, (37, 2, 2, 64, 64), "none"), (4099, (13, 4, 2, 33, 19), "none"),
            (4096, (3, 4, 1, 16, 80), "infinite"), (2500, (50, 1, 1, 64, 128), "bool"),
            (4099, (1, 8, 2, 32, 32), "bool"), (5000, (65, 2, 1, 17, 33), "window")):
        g = Graph(f"attention_of_{keys}_keys_{queries}_{kind}")
        g.opset = 23
        operands = [g.input("q", (1, heads, queries, width)),
                    g.input("k", (1, groups, keys, width)),
                    g.input("v", (1, groups, keys, values))]
        mask = draw_mask("infinite" if kind == "window" else kind, (queries, keys), g.rng)
        if kind == "window":  # most blocks of a row are empty
            near = np.abs(np.arange(queries)[:, None] * (keys // queries) - np.arange(keys)) < 99
            mask = np.where(near, mask, -np.inf).astype(np.float32)
        if mask is not None:
            operands.append(g.input("mask", value=mask))
        y = g.op("Attention", *operands)

        def reference(*inputs):
            return reference_attention(inputs)
        yield Case(g.output(y, dtype="f32"), "network", reference)
    for keys in (4096, 4099):  # every operator rounds
        g = Graph(f"attention_of_{keys}_keys_half")
        q, k, v = (g.input(name, (2, rows, 40), "f16")
                   for name, rows in (("q", 70), ("k", keys), ("v", keys)))
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1]))
        weights = g.op("Softmax", g.op("Mul", scores, g.scalar(0.2, "f16")), axis=-1)
        yield Case(g.output(g.op("MatMul", weights, v)), "network")
