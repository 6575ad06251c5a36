# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same small graphs over awkward extents: 1, primes, tails, zero."""
import random

import numpy as np

from builder import Case, Graph, cases

EXTENTS = (1, 7, 17, 31, 33, 64)


def pick(name, count, extents=EXTENTS):
    """`count` extents that depend on the name only."""
    return tuple(random.Random(name).choice(extents) for _ in range(count))


def chain(g, shape):
    x = g.op("Add", g.input("x", shape), g.input("y", shape[-1:]))
    return g.op("Mul", g.op("Tanh", x), g.input("z", shape))


def softmax(g, shape):
    return g.op("Softmax", g.input("x", shape), axis=-1)


def row_sum(g, shape):
    return g.op("ReduceSum", g.input("x", shape), g.const(-1))


def column_sum(g, shape):
    return g.op("ReduceSum", g.input("x", shape), g.const(0))


def dense_relu(g, shape):
    k, n = pick(g.name + "kn", 2)
    y = g.op("MatMul", g.input("x", shape[:-1] + (k,)), g.input("w", (k, n)))
    return g.op("Relu", g.op("Add", y, g.input("b", (n,))))


def transpose_add(g, shape):
    order = list(reversed(range(len(shape))))
    x = g.op("Transpose", g.input("x", shape), perm=order)
    return g.op("Add", x, g.input("y", shape[::-1]))


def join(g, shape):
    wider = shape[:-1] + (shape[-1] + 5,)
    return g.op("Concat", g.input("x", shape), g.input("y", wider), axis=-1)


TEMPLATES = {chain: "elementwise", softmax: "reduction", row_sum: "reduction",
             column_sum: "reduction", dense_relu: "network", transpose_add: "elementwise",
             join: "exact"}


@cases
def fuzzed():
    for template, tolerance in TEMPLATES.items():
        for rank in (1, 2, 3):
            if rank == 1 and template is dense_relu:
                continue
            g = Graph(f"fuzz_{template.__name__}_rank{rank}")
            yield Case(g.output(template(g, pick(g.name, rank))), tolerance)
    for extent in (1, 15, 16, 17, 31, 32, 33):  # around a vector and two
        g = Graph(f"extent_{extent}_softmax")
        yield Case(g.output(softmax(g, (3, extent))), "reduction")
        g = Graph(f"extent_{extent}_gemm")
        y = g.op("MatMul", g.input("a", (extent, extent)), g.input("b", (extent, extent)))
        yield Case(g.output(y), "contraction")


@cases
def degenerate():
    g = Graph("scalar_chain")
    x = g.op("Exp", g.op("Add", g.input("x", ()), g.input("y", ())))
    yield Case(g.output(x), "elementwise")
    g = Graph("all_ones_conv")
    yield Case(g.output(g.op("Conv", g.input("x", (1, 1, 1, 1)), g.weight((1, 1, 1, 1)))),
               "contraction")
    g = Graph("six_dims")
    x = g.op("Add", g.input("x", (2, 1, 3, 1, 2, 5)), g.input("y", (3, 2, 1, 5)))
    yield Case(g.output(g.op("ReduceSum", x, g.const(1, 3, 4), keepdims=0)), "reduction")


@cases
def empty():
    """Extents of 0: results without elements, and what comes of no elements."""
    g = Graph("empty_elementwise")
    x = g.op("Add", g.input("x", (3, 0, 5)), g.input("y", (5,)))
    yield Case(g.output(g.op("Relu", x), g.op("Exp", "y")), "elementwise")
    g = Graph("empty_everything")  # no kernel is left
    yield Case(g.output(g.op("Tanh", g.input("x", (0,)))), "exact")
    g = Graph("empty_reductions")  # the identity; ONNX Runtime refuses some of them
    x = g.input("x", (3, 0, 2))
    for kind in ("Sum", "Prod", "L1", "SumSquare"):
        g.output(g.op(f"Reduce{kind}", x, g.const(1), keepdims=0) if kind == "Sum"
                 else g.op(f"Reduce{kind}", x, axes=[1], keepdims=0))
    for kind in ("Max", "Min"):
        g.output(g.op(f"Reduce{kind}", x, axes=[1], keepdims=1))
    zero, one = np.zeros((3, 2), np.float32), np.ones((3, 2), np.float32)
    least = np.full((3, 1, 2), -np.inf, np.float32)
    yield Case(g, "exact", lambda x: [zero, one, zero, zero, least, -least])
    g = Graph("empty_integer_reductions")
    x = g.input("x", (0, 3), "i32")
    g.output(g.op("ReduceMax", x, axes=[0], keepdims=0),
             g.op("ReduceMin", x, axes=[0], keepdims=0))
    limits = np.iinfo(np.int32)
    yield Case(g, "exact", lambda x: [np.full((3,), limits.min, np.int32),
                                      np.full((3,), limits.max, np.int32)])
    g = Graph("empty_sum_axis_left")  # the sum of another axis is empty, too
    yield Case(g.output(g.op("ReduceSum", g.input("x", (4, 0, 3)), g.const(0))), "exact")
    g = Graph("empty_contraction")  # nothing to sum: zeros, then a bias
    y = g.op("MatMul", g.input("a", (3, 0)), g.input("b", (0, 17)))
    yield Case(g.output(g.op("Add", y, g.input("c", (17,)))), "elementwise")
    g = Graph("empty_rows")
    y = g.op("MatMul", g.input("a", (0, 5)), g.input("b", (5, 7)))
    yield Case(g.output(g.op("Softmax", y)), "exact")
    g = Graph("empty_concat")
    x = g.op("Concat", g.input("x", (5, 0)), g.input("y", (5, 7)), g.input("z", (5, 0)), axis=1)
    yield Case(g.output(g.op("Neg", x)), "exact")
    g = Graph("empty_slices")
    x = g.input("x", (9, 11))
    none = g.op("Slice", x, g.const(4), g.const(4), g.const(0))
    g.output(g.op("Transpose", none), g.op("Concat", none, x, axis=0))
    yield Case(g, "exact")
    g = Graph("empty_pad")  # only the fill is left
    x = g.op("Pad", g.input("x", (0, 3)), g.const(2, 0, 1, 1), g.scalar(7.0))
    yield Case(g.output(x), "exact", lambda x: [np.full((3, 4), 7, np.float32)])
    g = Graph("empty_reshape")
    x = g.op("Reshape", g.input("x", (0, 6)), g.const(3, 0, 2), allowzero=1)
    yield Case(g.output(g.op("Expand", x, g.const(3, 0, 2))), "exact")
    g = Graph("empty_weight")
    g.weight(np.zeros((0, 4), np.float32), name="w")
    yield Case(g.output(g.op("Concat", "w", g.input("x", (2, 4)), axis=0),
                        g.op("Abs", "w")), "exact")
    g = Graph("empty_split_gather")
    left, right = g.op("Split", g.input("x", (6, 5)), g.const(0, 6), axis=0, outputs=2)
    picks = g.weight(np.zeros((0,), np.int64))
    g.output(left, g.op("Gather", right, picks), g.op("Sigmoid", right))
    yield Case(g, "elementwise")
