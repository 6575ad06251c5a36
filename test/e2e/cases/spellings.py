# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One computation as different people and exporters write it; which of them must have
equal kernels, `structure.py` says."""
import numpy as np

from builder import Case, Graph, cases

# name: mask, batch, heads of queries and of keys, queries, keys, width, width of values
ATTENTION = {
    "plain": (None, 2, 3, 3, 33, 33, 16, 16),
    "plain_grouped": (None, 1, 4, 2, 7, 512, 64, 64),
    "causal": ("causal", 1, 2, 2, 128, 128, 64, 64),
    "causal_grouped": ("causal", 2, 4, 2, 33, 33, 32, 32),
    "added": ("added", 2, 2, 2, 33, 384, 16, 32),
    "added_grouped": ("added", 1, 6, 2, 512, 7, 128, 128),
    "allowed": ("allowed", 1, 2, 2, 7, 33, 128, 128),
    "allowed_grouped": ("allowed", 1, 8, 4, 1, 512, 32, 16),
    "one_head": ("causal", 1, 1, 1, 33, 33, 16, 16),
    "long": ("added", 1, 1, 1, 512, 512, 128, 128),
}


def shared_heads(g, x, batch, groups, heads, length, width):
    """What each of `groups` heads says to several heads of queries."""
    if groups == heads:
        return x
    x = g.op("Expand", g.op("Unsqueeze", x, g.const(2)),
             g.const(batch, groups, heads // groups, length, width))
    return g.op("Reshape", x, g.const(batch, heads, length, width))


def by_hand(g, scores):
    top = g.op("ReduceMax", scores, axes=[-1], keepdims=1)
    exp = g.op("Exp", g.op("Sub", scores, top))
    return g.op("Div", exp, g.op("ReduceSum", exp, g.const(-1), keepdims=1))


def zeros_for_nan(g, scores):
    """As PyTorch writes it: rows that are masked as a whole give zeros."""
    weights = g.op("Softmax", scores, axis=-1)
    return g.op("Where", g.op("IsNaN", weights), g.scalar(0.0), weights)


def masked(g, scores, kind, mask, spelling, length, keys):
    if kind == "added":
        return g.op("Add", scores, mask)
    if spelling == "negated":
        return g.op("Where", g.op("Not", mask), g.scalar(-np.inf), scores)
    if kind == "allowed":
        return g.op("Where", mask, scores, g.scalar(-np.inf))
    if kind != "causal":
        return scores
    seen = np.tril(np.ones((length, keys), np.bool_))
    if spelling == "exported":
        return g.op("Add", scores, g.weight(np.where(seen, 0, -np.inf).astype(np.float32)))
    return g.op("Where", g.weight(seen), scores, g.scalar(np.finfo(np.float32).min))


def from_parts(g, spelling, q, k, v, mask, kind, sizes):
    batch, heads, groups, length, keys, width, out = sizes
    k = shared_heads(g, k, batch, groups, heads, keys, width)
    v = shared_heads(g, v, batch, groups, heads, keys, out)
    k = g.op("Transpose", k, perm=[0, 1, 3, 2])
    if spelling == "exported":  # the root of the scale on both sides
        root = g.scalar(width**-0.25)
        scores = g.op("MatMul", g.op("Mul", q, root), g.op("Mul", k, root))
    elif spelling == "divided":
        scores = g.op("Div", g.op("MatMul", q, k), g.scalar(width**0.5))
    else:
        scores = g.op("MatMul", g.op("Mul", g.scalar(width**-0.5), q), k)
    scores = masked(g, scores, kind, mask, spelling, length, keys)
    if spelling == "by_hand":
        weights = by_hand(g, scores)
    elif spelling == "exported" and kind:
        weights = zeros_for_nan(g, scores)
    else:
        weights = g.op("Softmax", scores, axis=-1)
    return g.op("MatMul", weights, v)


@cases
def attention_spellings():
    for name, (kind, *sizes) in ATTENTION.items():
        batch, heads, groups, length, keys, width, out = sizes
        for spelling in ("op", "exported", "divided", "by_hand",
                         *["negated"] * (kind == "allowed")):
            g = Graph(f"spelled_attention_{name}_{spelling}")
            q = g.input("q", (batch, heads, length, width), low=-2, high=2)
            k = g.input("k", (batch, groups, keys, width), low=-2, high=2)
            v, mask = g.input("v", (batch, groups, keys, out)), None
            if kind == "allowed":
                seen = g.rng.random((batch, 1, length, keys)) < 0.7
                seen[..., 0] = True
                if spelling in ("op", "exported") and length > 1:
                    seen[:, :, -1] = False  # gives zeros, by the others NaN
                mask = g.input("mask", value=seen)
            elif kind == "added":
                mask = g.input("mask", (batch, 1, length, keys), low=-4, high=4)
            if spelling != "op":
                y = from_parts(g, spelling, q, k, v, mask, kind, sizes)
                yield Case(g.output(y), "network")
                continue
            g.opset = 23
            y = g.op("Attention", q, k, v, *[mask] * (mask is not None),
                     is_causal=int(kind == "causal"))
            yield Case(g.output(y, dtype="f32"), "network")


SILU = {
    "sigmoid": lambda g, x: g.op("Mul", x, g.op("Sigmoid", x)),
    "swapped": lambda g, x: g.op("Mul", g.op("Sigmoid", x), x),
    "quotient": lambda g, x: g.op("Div", x, g.op(
        "Add", g.scalar(1.0), g.op("Exp", g.op("Neg", x)))),
    "reciprocal": lambda g, x: g.op("Mul", x, g.op("Reciprocal", g.op(
        "Add", g.op("Exp", g.op("Mul", x, g.scalar(-1.0))), g.scalar(1.0)))),
}


def one_plus_erf(g, x):
    return g.op("Add", g.op("Erf", g.op("Div", x, g.scalar(np.sqrt(2)))), g.scalar(1.0))


def gelu(g, x):
    g.opset = 20
    return g.op("Gelu", x)


GELU = {
    "op": gelu,
    "last": lambda g, x: g.op("Mul", g.op("Mul", x, one_plus_erf(g, x)), g.scalar(0.5)),
    "first": lambda g, x: g.op("Mul", g.op("Mul", x, g.scalar(0.5)), one_plus_erf(g, x)),
    "other": lambda g, x: g.op("Mul", g.op("Mul", one_plus_erf(g, x), g.scalar(0.5)), x),
}


def relu6(g, x):
    return g.op("Clip", x, g.scalar(0.0), g.scalar(6.0))


HARD_SWISH = {
    "op": lambda g, x: g.op("HardSwish", x),
    "hard_sigmoid": lambda g, x: g.op("Mul", x, g.op(
        "HardSigmoid", x, alpha=1 / 6, beta=0.5)),
    "divided": lambda g, x: g.op("Div", g.op("Mul", x, relu6(g, g.op(
        "Add", x, g.scalar(3.0)))), g.scalar(6.0)),
    "divided_first": lambda g, x: g.op("Mul", g.op("Div", relu6(g, g.op(
        "Add", g.scalar(3.0), x)), g.scalar(6.0)), x),
    "multiplied": lambda g, x: g.op("Mul", g.op("Mul", x, g.op("Min", g.op(
        "Relu", g.op("Add", x, g.scalar(3.0))), g.scalar(6.0))), g.scalar(1 / 6)),
}


def spread(g, x):
    """The mean square of a row, and what keeps it from zero."""
    mean = g.op("ReduceMean", g.op("Pow", x, g.scalar(2.0)), axes=[-1])
    return g.op("Add", mean, g.scalar(1e-5))


NORM = {
    "root": lambda g, x: g.op("Div", x, g.op("Sqrt", spread(g, x))),
    "power": lambda g, x: g.op("Mul", x, g.op("Pow", spread(g, x), g.scalar(-0.5))),
    "half_power": lambda g, x: g.op("Div", x, g.op("Pow", spread(g, x), g.scalar(0.5))),
    "reciprocal": lambda g, x: g.op("Mul", g.op("Reciprocal", g.op(
        "Sqrt", spread(g, x))), x),
}


@cases
def elementwise_spellings():
    for kind, spellings, tolerance in (("silu", SILU, "elementwise"), ("gelu", GELU, "elementwise"),
                                       ("hard_swish", HARD_SWISH, "elementwise"),
                                       ("norm", NORM, "reduction")):
        for name, spell in spellings.items():
            g = Graph(f"spelled_{kind}_{name}")
            x = g.input("x", (5, 67), low=-9, high=9)
            yield Case(g.output(spell(g, x)), tolerance)

    g = Graph("powers_of_edges")  # where a root is not a power
    x = g.input("x", value=np.array([-np.inf, -1, -0.0, 0, 1e-40, 2, np.inf, np.nan],
                                    np.float32))
    yield Case(g.output(g.op("Pow", x, g.scalar(-0.5)), g.op("Pow", x, g.scalar(0.5))),
               "elementwise")


@cases
def reshaped_between():
    """Reshapes that merge or split what is reduced, which is one kernel all the same."""
    g = Graph("reshaped_mean")
    x = g.op("Reshape", g.op("Relu", g.input("x", (4, 7, 16))), g.const(4, 112))
    yield Case(g.output(g.op("Mul", x, g.op("ReduceMean", x, axes=[1], keepdims=1))),
               "reduction")
    for name, shape, groups in (("", (2, 32, 8, 9), 8), ("_odd", (3, 15, 7), 5),
                                ("_one", (1, 6, 4, 4, 3), 1)):
        g = Graph(f"group_norm_by_instances{name}")  # as PyTorch exports it
        x = g.op("Reshape", g.input("x", shape), g.const(shape[0], groups, -1))
        x = g.op("InstanceNormalization", x, g.weight(np.ones(groups, np.float32)),
                 g.weight(np.zeros(groups, np.float32)))
        ones = [1] * (len(shape) - 2)
        y = g.op("Mul", g.op("Reshape", x, g.const(*shape)), g.weight((shape[1], *ones)))
        yield Case(g.output(g.op("Add", y, g.weight((shape[1], *ones)))), "reduction")
