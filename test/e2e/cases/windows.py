# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements that read windows of what others make: one loop runs them some rows apart.

Each model is a function of a graph and the number of rows and columns, so that
tools/bench/proposers.py measures the same models on shapes of images and recordings.
"""
from builder import Case, Graph, cases


def pool(g, x, size, kind="AveragePool", **attributes):
    """Windows of `size` rows."""
    return g.op(kind, x, kernel_shape=[size, 1], **attributes)


def taps(g, x, rows, count):
    """Slices of all but `count` - 1 rows, the first beginning at row 0."""
    axis = g.const(1)
    return [g.op("Slice", x, g.const(tap), g.const(rows - count + 1 + tap), axis)
            for tap in range(count)], rows - count + 1


def image(g, rows, columns):
    return g.input("x", (1, 1, rows, columns))


def box_blur(g, rows, columns):
    """The mean of 5 x 5 neighbours, first along rows, then along columns."""
    x = g.op("AveragePool", image(g, rows, columns), kernel_shape=[1, 5],
             pads=[0, 2, 0, 2], count_include_pad=1)
    return pool(g, x, 5)


def chain_of_pools(g, rows, columns):
    """The second one reads rows outside of what the first one makes."""
    x = pool(g, image(g, rows, columns), 3, "MaxPool")
    x = pool(g, x, 5, "MaxPool", pads=[2, 0, 2, 0])
    return pool(g, x, 3)


def closing(g, rows, columns):
    """The largest neighbour, of these the smallest: gaps between rows close."""
    x = pool(g, image(g, rows, columns), 5, "MaxPool")
    return g.op("Neg", pool(g, g.op("Neg", x), 5, "MaxPool"))


def pyramid(g, rows, columns):
    """Every second row of a mean, three times."""
    x = image(g, rows, columns)
    for _ in range(3):
        x = pool(g, x, 3, strides=[2, 1])
    return x


def local_contrast(g, rows, columns):
    """The deviation of 5 neighbours, smoothed."""
    x = image(g, rows, columns)
    mean, square = pool(g, x, 5), pool(g, g.op("Mul", x, x), 5)
    variance = g.op("Relu", g.op("Sub", square, g.op("Mul", mean, mean)))
    return pool(g, g.op("Sqrt", variance), 5)


def slope(g, x, rows):
    (a, b, _, c, d), rows = taps(g, x, rows, 5)
    far, near = g.op("Sub", d, a), g.op("Sub", c, b)
    return g.op("Add", g.op("Add", far, far), near), rows


def delta_features(g, rows, columns):
    """How the logarithm of a spectrum changes, and how that does (speech)."""
    x = g.op("Log", g.input("x", (2, rows, columns), low=0.1, high=2.0))
    first, rows = slope(g, x, rows)
    second, _ = slope(g, g.op("Tanh", first), rows)
    return second


def total_variation(g, rows, columns):
    """Two steps of a flow that smooths but keeps edges."""
    x = g.input("x", (2, rows, columns))
    for _ in range(2):
        (before, after), rows = taps(g, x, rows, 2)
        step = g.op("Sub", after, before)
        length = g.op("Sqrt", g.op("Add", g.op("Mul", step, step), g.scalar(0.01)))
        flow = g.op("Div", step, length)
        (into, out), rows = taps(g, flow, rows, 2)
        middle = g.op("Slice", x, g.const(1), g.const(1 + rows), g.const(1))
        change = g.op("Mul", g.op("Sub", out, into), g.scalar(0.1))
        x = g.op("Add", middle, change)
    return x


MODELS = {function.__name__: function for function in (
    box_blur, chain_of_pools, closing, pyramid, local_contrast, delta_features,
    total_variation)}


@cases
def windows():
    for name, build in MODELS.items():
        # Enough columns that threads have work: others are not fused.
        g = Graph(name)
        yield Case(g.output(build(g, 37, 523)), "network"
                   if name == "delta_features" else "reduction")
