# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces of one array, or outputs beside each other, that are large enough for threads to
share: where a piece begins is inside of a tile, at its end, or nowhere near."""
from builder import Case, Graph, cases


def roll(g, x, axis, by, extent):
    """The elements along `axis`, those before `by` last."""
    first = g.op("Slice", x, g.const(by), g.const(extent), g.const(axis))
    last = g.op("Slice", x, g.const(0), g.const(by), g.const(axis))
    return g.op("Concat", first, last, axis=axis)


@cases
def concats():
    for name, axis, *shapes in (
            ("rows", 0, (64, 96), (64, 96)), ("channels", 1, (2, 8, 30, 30), (2, 5, 30, 30)),
            ("odd", 0, (5001,), (77,), (9000,)), ("one", 0, (8192,), (1,)),
            ("one_column", 1, (130, 64), (130, 1)), ("few_columns", 1, (700, 3), (700, 5)),
            ("tokens", 1, (3, 1, 80), (3, 49, 80))):
        g = Graph(f"pieces_{name}")
        parts = [g.input(f"x{i}", shape) for i, shape in enumerate(shapes)]
        yield Case(g.output(g.op("Concat", *parts, axis=axis)), "exact")
    g = Graph("pieces_skip")  # what a decoder of U-Net takes beside what comes from below
    y = g.op("Concat", g.input("up", (1, 6, 40, 40)), g.input("skip", (1, 7, 40, 40)), axis=1)
    yield Case(g.output(g.op("Relu", y), y), "exact")
    g = Graph("pieces_skip_conv")
    y = g.op("Concat", g.input("up", (1, 6, 30, 30)), g.input("skip", (1, 7, 30, 30)), axis=1)
    yield Case(g.output(g.op("Conv", y, g.weight((5, 13, 3, 3), scale=0.1)), y), "contraction")
    g = Graph("pieces_of_computed")
    a, b = g.input("a", (40, 120)), g.input("b", (30, 120))
    y = g.op("Concat", g.op("Relu", a), g.op("Neg", b), g.op("Add", a, a), axis=0)
    yield Case(g.output(g.op("Abs", y), y), "exact")


@cases
def rolls():
    g = Graph("roll_rows")
    yield Case(g.output(roll(g, g.input("x", (1, 28, 28, 12)), 1, 3, 28)), "exact")
    g = Graph("roll_both")
    x = roll(g, g.input("x", (1, 28, 28, 12)), 1, 3, 28)
    yield Case(g.output(roll(g, x, 2, 25, 28)), "exact")
    g = Graph("roll_norm")
    x = roll(g, roll(g, g.input("x", (1, 14, 14, 32)), 1, 3, 14), 2, 3, 14)
    norm = g.op("LayerNormalization", x, g.weight((32,)), axis=-1)
    yield Case(g.output(g.op("Add", x, norm), x), "reduction")


@cases
def splits():
    for name, shape, axis, parts in (("rows", (100, 90), 0, (70, 30)),
                                     ("columns", (100, 90), 1, (70, 20)),
                                     ("batch", (3, 90, 40), 1, (64, 26))):
        g = Graph(f"split_{name}_apart")
        x = g.input("x", shape)
        a, b = g.op("Split", x, g.const(*parts), axis=axis, outputs=2)
        yield Case(g.output(g.op("Relu", a), g.op("Neg", b)), "exact")
    g = Graph("pad_of_pieces")
    y = g.op("Concat", g.input("x", (1, 3, 40, 40)), g.input("y", (1, 2, 40, 40)), axis=1)
    yield Case(g.output(g.op("Pad", y, g.const(0, 1, 2, 0, 0, 0, 2, 3)), y), "exact")


@cases
def products():
    """Behind a product, what consists of pieces: a bias of two inputs, parts that go on in
    different ways."""
    for name, rows, depth, *parts in (("gates", 15, 9, 66, 33), ("tiles", 64, 40, 64, 64),
                                      ("inside", 70, 33, 5, 90, 30)):
        g = Graph(f"product_pieces_{name}")
        y = g.op("MatMul", g.input("x", (rows, depth)), g.weight((depth, sum(parts))))
        biases = [g.input(f"b{i}", (width,)) for i, width in enumerate(parts)]
        y = g.op("Add", y, g.op("Concat", *biases, axis=0))
        yield Case(g.output(g.op("Relu", y)), "contraction")
    g = Graph("product_pieces_head")
    y = g.op("Conv", g.input("x", (1, 24, 20, 20)), g.weight((85, 24, 1, 1), scale=0.2))
    boxes, scores = g.op("Split", y, g.const(4, 81), axis=1, outputs=2)
    y = g.op("Concat", g.op("Exp", boxes), g.op("Sigmoid", scores), axis=1)
    yield Case(g.output(y), "contraction")
    g = Graph("product_pieces_residual")
    y = g.op("Conv", g.input("x", (1, 24, 20, 20)), g.weight((50, 24, 3, 3), scale=0.1),
             pads=[1] * 4)
    y = g.op("Add", y, g.op("Concat", g.input("a", (1, 20, 20, 20)),
                            g.input("b", (1, 30, 20, 20)), axis=1))
    yield Case(g.output(y), "contraction")
