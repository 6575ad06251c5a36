# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same small graphs over awkward extents: 1, primes, tails, zero."""
import random

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
