# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks of attention, finite and infinite, where what they hide may have a part in results."""
import numpy as np

from builder import Case, Graph, cases
from cases.masks import LOWEST, band

QUERIES, KEYS, WIDTH = 48, 48, 16
# Keys that no query is to see, with a mask that the model gets or computes.
PADDED = 11


def padding(hidden):
    return np.where(np.arange(KEYS) < PADDED, hidden, 0).astype(np.float32)


class Attention:
    """Of one head: `scores` is what the mask gets."""

    def __init__(self, name, strength=2, sees=None):
        self.g = Graph(f"mask_limit_{name}")
        self.seen = band(QUERIES, KEYS, **(sees or {}))
        g = self.g
        q = g.input("q", (QUERIES, WIDTH), low=-strength, high=strength)
        k = g.input("k", (KEYS, WIDTH), low=-2, high=2)
        self.scores = g.op("MatMul", q, g.op("Transpose", k, perm=[1, 0]))

    def chosen(self, scores, hidden):
        return self.g.op("Where", self.g.weight(self.seen), scores, self.g.scalar(hidden))

    def multiply(self, weights):
        """The result: weights, times values."""
        g = self.g
        v = g.input("v", (KEYS, WIDTH + 4))
        return g.output(g.op("MatMul", weights, v))

    def softmax(self, scores, lowered=None):
        """As a model may write it: exponentials less `lowered`, or the maximum."""
        g = self.g
        if lowered is None:
            lowered = g.op("ReduceMax", scores, axes=[-1], keepdims=1)
        exps = g.op("Exp", g.op("Sub", scores, lowered))
        total = g.op("ReduceSum", exps, g.const(-1), keepdims=1)
        return g.op("Div", exps, total)


def padded(a, how, hidden):
    """A mask of keys that are the same for all queries, as `how` tells."""
    g, values = a.g, padding(hidden)
    if how == "given":
        return g.input("padding", value=values)
    if how == "weights":
        return g.weight(values)
    if how == "table":
        table = g.weight(np.array([[0], [hidden]], np.float32))
        return g.op("Squeeze", g.op("Gather", table, g.input(
            "padding", value=(values != 0).astype(np.int64))), g.const(1))
    seen = g.input("padding", value=(values == 0).astype(np.int64))
    if how == "logarithm":
        return g.op("Log", g.op("Cast", seen, to=1))
    assert how == "computed"
    return g.op("Mul", g.op("Sub", g.scalar(1.0), g.op("Cast", seen, to=1)), g.scalar(hidden))


# What hides the keys after a query, and where the padding comes from, is added, and is.
BOTH = {
    "given_after": (LOWEST, "given", False, LOWEST),
    "given_before": (-1e30, "given", True, LOWEST),
    "given_infinite": (-np.inf, "given", False, LOWEST),
    "weights": (LOWEST, "weights", True, LOWEST),
    "table": (LOWEST, "table", False, LOWEST),
    "logarithm": (LOWEST, "logarithm", True, -1e30),
    "computed": (LOWEST, "computed", True, LOWEST),
}


@cases
def both_masks():
    """Rows of which the causal mask hides one part of the keys, and padding the rest."""
    for name, (hidden, how, isBefore, other) in BOTH.items():
        a = Attention(name)
        mask = padded(a, how, other)
        scores = a.g.op("Add", a.scores, mask) if isBefore else a.scores
        scores = a.chosen(scores, hidden)
        scores = scores if isBefore else a.g.op("Add", scores, mask)
        yield Case(a.multiply(a.g.op("Softmax", scores, axis=-1)), "network")

    for name, hidden, other in (("two", LOWEST, LOWEST), ("two_values", -1e30, LOWEST)):
        a = Attention(name)
        seen = a.g.input("padding", value=np.arange(KEYS) >= PADDED)
        scores = a.chosen(a.g.op("Where", seen, a.scores, a.g.scalar(other)), hidden)
        yield Case(a.multiply(a.g.op("Softmax", scores, axis=-1)), "network")


# What scores are less by, of which 7 rows are hidden as a whole.
LOWERED = {
    "plain": (LOWEST, 1, lambda g, m: m),
    "infinite": (-np.inf, 1, lambda g, m: m),
    "soft": (-1e4, 1, lambda g, m: m),
    "negated": (LOWEST, -1, lambda g, m: g.op("Neg", m)),
    "scaled": (LOWEST, 0.5, lambda g, m: g.op("Mul", m, g.scalar(2.0))),
    "clamped": (-1e30, 1, lambda g, m: g.op("Max", m, g.scalar(LOWEST))),
    "raised": (LOWEST, 1, lambda g, m: g.op("Add", m, g.scalar(1.0))),
}
HIDDEN_ROWS = {"offset": -7}


@cases
def given_maxima():
    """The maximum of a row is an input, in some form."""
    for name, (hidden, factor, restore) in LOWERED.items():
        a = Attention(f"maximum_{name}", sees=HIDDEN_ROWS)
        maxima = np.where(a.seen.any(axis=1), 30, hidden) * factor
        maxima = a.g.input("m", value=maxima.astype(np.float32)[:, None])
        weights = a.softmax(a.chosen(a.scores, hidden), restore(a.g, maxima))
        yield Case(a.multiply(weights), "network")


def multiple(a, scores):
    return a.g.op("Softmax", a.g.op("Mul", scores, a.g.scalar(0.125)), axis=-1)


def returned(a, scores):
    maxima = a.g.op("ReduceMax", scores, axes=[-1], keepdims=1)
    a.g.output(maxima)
    return a.softmax(scores, maxima)


# What is done with masked scores, what hides, how many rows see nothing, how large scores are.
FUNCTIONS = {
    "exponential": (lambda a, s: a.g.op("Exp", s), -1e4, 0, 2),
    "soft_exponential": (lambda a, s: a.g.op("Exp", s), -10., 7, 2),
    "sigmoid": (lambda a, s: a.g.op("Sigmoid", s), LOWEST, 7, 2),
    "tanh": (lambda a, s: a.g.op("Tanh", s), LOWEST, 0, 2),
    "unmasked": (lambda a, s: a.softmax(
        s, a.g.op("ReduceMax", a.scores, axes=[-1], keepdims=1)), LOWEST, 0, 2),
    "returned": (returned, LOWEST, 1, 2),
    "multiple": (multiple, -1e30, 7, 2),
    "softly": (lambda a, s: a.g.op("Softmax", s, axis=-1), -10., 7, 2),
    "large": (lambda a, s: a.g.op("Softmax", s, axis=-1), -1e4, 1, 3e4),
    "larger": (lambda a, s: a.g.op("Softmax", s, axis=-1), -65504., 0, 3e6),
    "own": (lambda a, s: a.g.op("Softmax", s, axis=-1), LOWEST, 1, 2),
}


@cases
def functions():
    """Masks that hide softly, or are no softmax's; and rows that see nothing."""
    for name, (function, hidden, rows, strength) in FUNCTIONS.items():
        a = Attention(name, sees={"offset": -rows}, strength=strength)
        yield Case(a.multiply(function(a, a.chosen(a.scores, hidden))), "network")
