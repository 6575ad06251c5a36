# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduce* and Arg* over each kind of axes, and reductions that consumers fuse with."""
import math

import numpy as np

from builder import DTYPES, Case, Graph, cases

KINDS = {"ReduceSum": "reduction", "ReduceMean": "reduction", "ReduceMax": "exact",
         "ReduceMin": "exact", "ReduceProd": "reduction", "ReduceL1": "reduction",
         "ReduceL2": "reduction", "ReduceSumSquare": "reduction",
         "ReduceLogSum": "elementwise", "ReduceLogSumExp": "elementwise"}
POSITIVE = {"ReduceLogSum", "ReduceProd"}


def reduce(g, kind, x, axes, keepdims):
    """Axes are an input of ReduceSum since opset 13, attributes elsewhere until 18."""
    if axes is None:
        return g.op(kind, x, keepdims=keepdims)
    if kind == "ReduceSum" or g.opset >= 18:
        return g.op(kind, x, g.const(*axes), keepdims=keepdims)
    return g.op(kind, x, axes=axes, keepdims=keepdims)


@cases
def kinds():
    for kind, tolerance in KINDS.items():
        g = Graph(f"op_{kind.lower()}")
        low, high = (0.8, 1.2) if kind in POSITIVE else (-1, 1)
        x = g.input("x", (5, 33, 7), low=low, high=high)
        yield Case(g.output(reduce(g, kind, x, [1], 1)), tolerance)


@cases
def axes():
    variants = {"inner": ([2], 1), "inner_dropped": ([2], 0), "outer": ([0], 0),
                "negative": ([-2], 1), "two": ([0, 2], 1), "two_adjacent": ([1, 2], 0),
                "all": (None, 0), "all_kept": (None, 1)}
    for name, (axes, keepdims) in variants.items():
        g = Graph(f"reduce_{name}")
        x = g.input("x", (5, 17, 33))
        yield Case(g.output(reduce(g, "ReduceSum", x, axes, keepdims),
                            reduce(g, "ReduceMax", x, axes, keepdims)), "reduction")
    g = Graph("reducemean_axes_input")
    g.opset = 18
    yield Case(g.output(reduce(g, "ReduceMean", g.input("x", (4, 31)), [-1], 0)),
               "reduction")
    g = Graph("reducesum_noop_with_empty_axes")
    x = g.input("x", (4, 31))
    yield Case(g.output(g.op("ReduceSum", x, g.weight([], "i64"),
                             noop_with_empty_axes=1)), "exact")


@cases
def backwards():
    """Sums of what was turned around, whose elements come in another order than they lie
    in memory, along each kind of kernel that sums two dimensions (GCC PR 110381)."""
    def turned(name, opset=18):
        g = Graph(f"backwards_{name}")
        g.opset = opset
        x = g.input("x", (2, 4, 7, 5))
        return g, g.op("Slice", x, g.const(-1), g.const(-100), g.const(3), g.const(-1))

    for kind in ("ReduceSum", "ReduceMean", "ReduceL2", "ReduceLogSumExp"):
        for axes in ([2, 3], [1, 2, 3]):
            g, x = turned(f"{kind.lower()}_{len(axes)}")
            yield Case(g.output(reduce(g, kind, x, axes, 0)), KINDS[kind])
    g, x = turned("instancenormalization")
    yield Case(g.output(g.op("InstanceNormalization", x, g.weight((4,)), g.weight((4,)))),
               "reduction")
    for groups in (2, 4):
        g, x = turned(f"groupnormalization_{groups}", 21)
        yield Case(g.output(g.op("GroupNormalization", x, g.weight((4,)), g.weight((4,)),
                                 num_groups=groups), dtype="f32"), "reduction")


@cases
def integer():
    for kind in ("ReduceSum", "ReduceMax", "ReduceProd"):
        g = Graph(f"{kind.lower()}_i32")
        x = g.input("x", (5, 17), "i32", low=-3, high=4)
        yield Case(g.output(reduce(g, kind, x, [1], 1)), "exact")


def whole_root(x):
    """The largest whole numbers whose squares are at most those of x summed."""
    return np.array([[math.isqrt(sum(int(v) ** 2 for v in row))] for row in x], x.dtype)


@cases
def whole_numbers():
    """Roots and logarithms of whole numbers truncate."""
    # Neighbours of squares, up to where a float would not tell them apart.
    roots = [[3, 4, 0, 0], [2, 2, 2, 2], [1, 1, 1, 0], [0, 0, 0, 0], [-7, 2, 2, 3],
             [20000, 20000, 20000, 1], [12345, 1, 0, 0], [46340, 0, 0, 0]]
    wide = [[3037000499, 0, 0, 0], [3037000498, 1, 77900, 0], [2**31, 2**31 - 1, 0, 0],
            [94906267, 0, 0, 0], [94906267, 13777, 13777, 0], [2**30 + 1, 3, 0, 0]]
    for dtype, rows in (("i32", roots), ("i64", roots + wide),
                        ("u32", np.abs(roots)), ("u64", np.abs(roots + wide))):
        g = Graph(f"reducel2_{dtype}")
        x = g.input("x", value=np.array(rows).astype(DTYPES[dtype]))
        yield Case(g.output(reduce(g, "ReduceL2", x, [1], 1), dtype=dtype), "exact",
                   reference=lambda x: [whole_root(x)])
    for dtype in ("i32", "i64"):
        g = Graph(f"reducelogsum_{dtype}")
        x = g.input("x", (5, 33), dtype, low=1, high=1000)
        yield Case(g.output(reduce(g, "ReduceLogSum", x, [1], 0)), "exact")
        # What is far below the maximum does not count: there ONNX Runtime, which
        # truncates each power, agrees with ONNX's definition.
        g = Graph(f"reducelogsumexp_{dtype}")
        x = g.input("x", value=np.array([[3, 3, 3, -40], [-7, -7, -90, -80], [0, -30, -30, -30],
                                         [70001, 70001, 3, 70001], [-5, -99, -99, -99]],
                                        DTYPES[dtype]))
        yield Case(g.output(reduce(g, "ReduceLogSumExp", x, [1], 0)), "exact")
        g = Graph(f"reducelogsumexp_all_{dtype}")
        x = g.input("x", value=np.array([[0, 0] + [-1] * 10, [2**31 - 20 + i for i in range(12)],
                                         [-7, -8] * 6], DTYPES[dtype]))
        yield Case(g.output(reduce(g, "ReduceLogSumExp", x, [1], 0), dtype=dtype), "exact",
                   reference=lambda x: [np.trunc(np.logaddexp.reduce(
                       x.astype(np.float64), axis=1)).astype(x.dtype)])
        g = Graph(f"reducemean_{dtype}")
        x = g.input("x", (5, 7), dtype)
        yield Case(g.output(reduce(g, "ReduceMean", x, [1], 1)), "exact")
    for dtype in ("u32", "u64"):
        g = Graph(f"reducelogsumexp_{dtype}")
        x = g.input("x", value=np.array([[3, 3, 3], [7, 100, 100], [0, 0, 1]], DTYPES[dtype]))
        yield Case(g.output(reduce(g, "ReduceLogSumExp", x, [1], 1), dtype=dtype), "exact",
                   reference=lambda x: [np.array([[4], [100], [1]]).astype(x.dtype)])


@cases
def fused():
    g = Graph("reduce_with_prologue_and_epilogue")
    x = g.input("x", (31, 65))
    total = reduce(g, "ReduceSum", g.op("Mul", x, x), [1], 1)
    yield Case(g.output(g.op("Sqrt", g.op("Add", total, g.scalar(1e-6)))), "reduction")

    g = Graph("reduce_of_reduce")
    inner = reduce(g, "ReduceSum", g.input("x", (7, 17, 33)), [2], 0)
    yield Case(g.output(reduce(g, "ReduceMax", inner, [1], 0)), "reduction")

    g = Graph("two_reduces_of_one_value")
    x = g.input("x", (9, 127))
    low, high = reduce(g, "ReduceMin", x, [1], 1), reduce(g, "ReduceMax", x, [1], 1)
    yield Case(g.output(g.op("Div", g.op("Sub", x, low), g.op("Sub", high, low))),
               "elementwise")

    g = Graph("reduce_rows_and_columns")
    x = g.input("x", (31, 65))
    yield Case(g.output(reduce(g, "ReduceSum", x, [0], 0),
                        reduce(g, "ReduceSum", x, [1], 0)), "reduction")


@cases
def columns():
    """Along what lies far apart, with neighbours beside it: a GPU's block has a group of
    these."""
    g = Graph("columns_of_a_matrix")
    x = g.input("x", (2048, 256))
    mean = reduce(g, "ReduceMean", g.op("Mul", x, x), [0], 0)
    yield Case(g.output(g.op("Add", mean, g.input("b", (256,)))), "reduction")

    g = Graph("columns_in_parts")
    x = g.input("x", (16384, 32), low=0)
    yield Case(g.output(reduce(g, "ReduceSum", x, [0], 0)), "reduction")

    g = Graph("columns_of_images")
    x = g.input("x", (5, 700, 24), "f16")
    yield Case(g.output(reduce(g, "ReduceMax", x, [1], 1), reduce(g, "ReduceMin", x, [1], 0)),
               "exact")

    g = Graph("columns_normalised")
    x = g.input("x", (1031, 512))
    yield Case(g.output(g.op("Softmax", x, axis=0)), "reduction")

    g = Graph("columns_greatest")
    x = g.input("x", (257, 2048))
    yield Case(g.output(g.op("ArgMax", x, axis=0)), "exact")

    g = Graph("columns_of_a_product")
    x = g.op("MatMul", g.input("x", (1, 1000)), g.weight((1000, 1024)))
    yield Case(g.output(g.op("Relu", x)), "contraction")


def extreme(name, kind, x, dtype="f32", reference=None, **attributes):
    """A case of ArgMax or ArgMin; `x` is a shape, or the values."""
    g = Graph(f"{kind.lower()}_{name}")
    value = {"value": x} if isinstance(x, np.ndarray) else {"shape": x, "dtype": dtype}
    return Case(g.output(g.op(kind, g.input("x", **value), **attributes)), "exact", reference)


@cases
def extremes():
    for kind, find in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
        for axis in (0, 1, -1):
            yield extreme(f"axis_{axis}".replace("-", "minus"), kind, (5, 33, 7), axis=axis)
            yield extreme(f"last_{axis}".replace("-", "minus"), kind, (5, 33, 7), axis=axis,
                          select_last_index=1, keepdims=0)
        yield extreme("long", kind, (3, 1031), axis=1)
        yield extreme("column", kind, (127, 37), axis=0, keepdims=0)
        yield extreme("vector", kind, (65,), keepdims=0)
        yield extreme("of_one", kind, (3, 1), axis=1)
        # Every other type, with numbers that tie; ONNX Runtime lacks some.
        for dtype in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f64"):
            yield extreme(dtype, kind, (4, 67), dtype, axis=1, keepdims=0,
                          reference=lambda x, find=find: [find(x.astype(np.float64), 1)])
        wide = np.array([[1, 2**64 - 1, 2**63], [2**63 - 1, 2**63, 2**63 + 1]], np.uint64)
        yield extreme("wide_unsigned", kind, wide, axis=1, keepdims=0,
                      reference=lambda x, find=find: [find(x, 1)])
        ties = np.array([[0, -0.0, 0], [np.inf, -np.inf, np.inf], [-np.inf] * 3, [np.inf] * 3],
                        np.float32)
        nans = np.array([[1, np.nan, np.inf, np.nan], [np.nan] * 4, [-np.inf, 0, 1, np.nan],
                         [np.nan, 1, 2, 3]], np.float32)
        for name, x in (("ties", ties), ("nan", nans)):
            for axis in (0, 1):
                yield extreme(f"{name}_{axis}", kind, x, axis=axis, keepdims=0,
                              reference=lambda x, find=find, axis=axis: [find(x, axis)])
                yield extreme(
                    f"{name}_{axis}_last", kind, x, axis=axis, keepdims=0, select_last_index=1,
                    reference=lambda x, find=find, axis=axis: [
                        x.shape[axis] - 1 - find(np.flip(x, axis), axis)])
    g = Graph("argmax_of_softmax")
    x = g.op("Softmax", g.op("MatMul", g.input("x", (5, 16)), g.weight((16, 33))), axis=-1)
    yield Case(g.output(g.op("ArgMax", x, axis=-1, keepdims=0)), "exact")
    g = Graph("argmax_and_max")
    x = g.op("Abs", g.input("x", (9, 65)))
    yield Case(g.output(g.op("ArgMax", x, axis=1), reduce(g, "ReduceMax", x, [1], 1)), "exact")
