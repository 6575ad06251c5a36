# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types other than f32."""
import math

import numpy as np

from builder import DTYPES, Case, Graph, cases, onnx_type, widened


INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


def extremes(g, dtype, shape):
    """Random integers over the whole range, among them the least and the greatest."""
    limits = np.iinfo(DTYPES[dtype])
    x = g.rng.integers(limits.min, limits.max, shape, DTYPES[dtype], endpoint=True)
    x.flat[:2] = limits.min, limits.max
    return x


def divide_everywhere(x, y):
    """Quotient and both remainders as fusec defines them: a divisor of 0 gives 0, and
    the least number divided by -1 is itself."""
    def wrapped(form, dividend, divisor):
        values = [form(int(a), int(b)) if b else 0 for a, b in zip(dividend.flat, divisor.flat)]
        mask = 2 ** (8 * x.itemsize) - 1
        bits = np.array([value & mask for value in values], np.uint64)
        return bits.astype(f"u{x.itemsize}").view(x.dtype).reshape(x.shape)

    def quotient(a, b):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

    zero = np.zeros_like(x)
    return [wrapped(quotient, x, y), wrapped(lambda a, b: a % b, x, y),
            wrapped(lambda a, b: a - quotient(a, b) * b, x, y), zero, zero]


@cases
def wrapped():
    """What a narrow integer does not hold is lost, though nothing is stored as one."""
    for dtype in ("i8", "u8", "i16", "u16"):
        g = Graph(f"cast_i32_{dtype}_f32")
        x = g.input("x", (3, 37), "i32", low=-100000, high=100000)
        narrow = g.op("Cast", x, to=onnx_type(dtype))
        yield Case(g.output(g.op("Cast", narrow, to=onnx_type("f32")), dtype="f32"), "exact")


@cases
def half_precision():
    for dtype in ("f16", "bf16"):
        g = Graph(f"{dtype}_elementwise")
        x, y = g.input("x", (5, 33), dtype), g.input("y", (33,), dtype)
        g.output(g.op("Relu", g.op("Add", g.op("Mul", x, y), x)), dtype=dtype)
        yield Case(g, "network", widened)

        g = Graph(f"{dtype}_matmul")
        a, b = g.input("a", (17, 65), dtype), g.input("b", (65, 31), dtype)
        yield Case(g.output(g.op("MatMul", a, b), dtype=dtype), "contraction", widened)

        g = Graph(f"{dtype}_softmax")
        x = g.input("x", (7, 33), dtype, -4, 4)
        yield Case(g.output(g.op("Softmax", x), dtype=dtype), "reduction", widened)

        g = Graph(f"{dtype}_sum")
        x = g.op("ReduceSum", g.input("x", (9, 129), dtype), g.const(1), keepdims=0)
        yield Case(g.output(x, dtype=dtype), "reduction", widened)

        g = Graph(f"{dtype}_weight")
        weight = g.weight(g.random((33, 17), dtype))
        x = g.op("Tanh", g.op("MatMul", g.input("x", (9, 33), dtype), weight))
        yield Case(g.output(x, dtype=dtype), "network", widened)

        g = Graph(f"{dtype}_conv")
        x, weight = g.input("x", (1, 5, 9, 9), dtype), g.random((8, 5, 3, 3), dtype)
        y = g.op("Conv", x, g.weight(weight), pads=[1, 1, 1, 1])
        yield Case(g.output(y, dtype=dtype), "contraction", widened)

        g = Graph(f"{dtype}_movement")
        x = g.op("Transpose", g.input("x", (17, 31), dtype))
        yield Case(g.output(g.op("Concat", x, x, axis=0), dtype=dtype), "exact", widened)


@cases
def integers():
    for dtype in INTEGERS:
        g = Graph(f"{dtype}_arithmetic")
        x, y = g.input("x", (3, 33), dtype), g.input("y", (33,), dtype, low=1)
        total = g.op("Add", x, y)
        g.output(total, g.op("Mul", total, y), g.op("Sub", x, y), dtype=dtype)
        yield Case(g, "exact", lambda x, y: [x + y, (x + y) * y, x - y])
    for dtype in INTEGERS:
        g = Graph(f"{dtype}_division")  # rounds towards zero
        x = g.input("x", (3, 33), dtype, low=0 if dtype[0] == "u" else -50, high=50)
        g.output(g.op("Div", x, g.input("y", (3, 33), dtype, low=1)))
        yield Case(g, "exact", lambda x, y: [(x / y).astype(x.dtype)])
        g = Graph(f"{dtype}_division_everywhere")  # ONNX leaves x / 0 and least / -1 open
        x, y = (g.input(name, value=extremes(g, dtype, (3, 37))) for name in "xy")
        g.inputs[y].flat[:9] = 0
        if dtype[0] == "i":
            g.inputs[x].flat[9:20] = np.iinfo(DTYPES[dtype]).min
            g.inputs[y].flat[9:17] = -1
        zero = g.weight(np.zeros(37, DTYPES[dtype]))
        g.output(g.op("Div", x, y), g.op("Mod", x, y), g.op("Mod", x, y, fmod=1),
                 g.op("Div", x, zero), g.op("Mod", x, zero), dtype=dtype)
        yield Case(g, "exact", divide_everywhere)
        g = Graph(f"{dtype}_movement")
        x = g.op("Transpose", g.input("x", (5, 17), dtype))
        yield Case(g.output(g.op("Concat", x, x, axis=1)), "exact")
    for dtype in ("i32", "i64"):
        # A compiler that takes signed overflow to be undefined answers "true".
        g = Graph(f"{dtype}_overflow_compared")
        x = g.input("x", value=extremes(g, dtype, (19,)))
        one = g.weight(np.array(1, DTYPES[dtype]))
        yield Case(g.output(g.op("Greater", g.op("Add", x, one), x), dtype="bool"), "exact",
                   lambda x: [x + x.dtype.type(1) > x])
    g = Graph("i32_overflow")  # wraps
    x = g.input("x", value=np.full((19,), 2**31 - 3, np.int32))
    yield Case(g.output(g.op("Add", x, g.input("y", (19,), "i32"))), "exact",
               lambda x, y: [x + y])
    g = Graph("bool_selection")
    a, b = g.input("a", (7, 17), "bool"), g.input("b", (17,), "bool")
    x = g.op("Where", g.op("Or", a, g.op("Not", b)), g.input("x", (7, 17)), g.scalar(-1.0))
    yield Case(g.output(x), "exact")


@cases
def casts():
    types = ("f32", "f16", "f64", "bool", *INTEGERS)
    for source in types:
        g = Graph(f"cast_from_{source}")
        # To unsigned types only what they hold: the rest is undefined in ONNX.
        x = g.input("x", (3, 37), source, low=None if source == "bool" else 0, high=9)
        for target in types:
            if target != source:
                g.output(g.op("Cast", x, to=onnx_type(target)), dtype=target)
        yield Case(g, "exact")
    g = Graph("cast_negative")  # rounds towards zero
    x = g.input("x", (3, 37), low=-9, high=9)
    for target in ("i32", "i64", "i8", "i16", "bool"):
        g.output(g.op("Cast", x, to=onnx_type(target)), dtype=target)
    yield Case(g, "exact")
    for source in INTEGERS:  # keeps the low bits; to floats to the nearest
        g = Graph(f"cast_extremes_from_{source}")
        x = g.input("x", value=extremes(g, source, (37,)))
        targets = [t for t in (*INTEGERS, "f32", "f64") if t != source]
        for target in targets:
            g.output(g.op("Cast", x, to=onnx_type(target)), dtype=target)
        yield Case(g, "exact",
                   lambda x, targets=targets: [x.astype(DTYPES[t]) for t in targets])
    g = Graph("cast_large_to_unsigned")
    x = g.input("x", value=g.rng.uniform(2.0**31, 2.0**32 - 300, 37).astype(np.float32))
    y = g.input("y", value=g.rng.uniform(2.0**62, 2.0**64 - 3000, 37))
    g.output(g.op("Cast", x, to=onnx_type("u32")), dtype="u32")
    g.output(g.op("Cast", y, to=onnx_type("u64")), dtype="u64")
    yield Case(g, "exact", lambda x, y: [x.astype(np.uint32), y.astype(np.uint64)])
    g = Graph("cast_to_bf16")  # rounds to nearest even
    x = g.input("x", (9, 37))
    g.output(g.op("Cast", x, to=onnx_type("bf16")), dtype="bf16")
    yield Case(g, "exact", lambda x: [x.astype(DTYPES["bf16"])])
    g = Graph("cast_inside_chain")
    x = g.op("Cast", g.input("x", (5, 33), "u8"), to=onnx_type("f32"))
    x = g.op("Mul", g.op("Sub", x, g.scalar(4.0)), g.scalar(0.25))
    yield Case(g.output(g.op("Cast", g.op("Floor", x), to=onnx_type("i32"))), "exact")


def signed_shifts(x, y):
    """Distances out of range leave the sign to the right, and nothing to the left."""
    inside = (y >= 0) & (y < 8 * x.itemsize)
    distance = np.where(inside, y, 0).astype(x.dtype)
    return [np.where(inside, x << distance, 0).astype(x.dtype),
            np.where(inside, x >> distance, np.where(x < 0, -1, 0)).astype(x.dtype)]


@cases
def unsigned():
    """Where 32 and 64 bits without a sign differ from those with one."""
    for dtype in INTEGERS:
        def values(g, name, dtype=dtype):
            return g.input(name, value=extremes(g, dtype, (3, 37)))

        g = Graph(f"{dtype}_order")
        x, y = values(g, "x"), values(g, "y")
        for kind in ("Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"):
            g.output(g.op(kind, x, y), dtype="bool")
        g.output(g.op("Max", x, y), g.op("Min", x, y), dtype=dtype)
        yield Case(g, "exact", lambda x, y: [x < y, x <= y, x > y, x >= y, x == y,
                                             np.maximum(x, y), np.minimum(x, y)])
        g = Graph(f"{dtype}_remainder")
        x, y = values(g, "x"), values(g, "y")
        g.output(g.op("Mod", x, y), g.op("Mod", x, y, fmod=1), dtype=dtype)
        g.inputs["y"][g.inputs["y"] == 0] = 3
        if dtype[0] == "i":  # numpy traps on the least number by -1
            g.inputs["y"][g.inputs["y"] == -1] = 5
        yield Case(g, "exact", lambda x, y: [np.mod(x, y), np.fmod(x, y)])
        g = Graph(f"{dtype}_clip")
        low, high = np.quantile(extremes(g, dtype, 99), (0.2, 0.8)).astype(DTYPES[dtype])
        x = g.op("Clip", values(g, "x"), g.weight(low), g.weight(high))
        yield Case(g.output(x, dtype=dtype), "exact",
                   lambda x, low=low, high=high: [np.clip(x, low, high)])
        g = Graph(f"{dtype}_extreme_rows")
        x = values(g, "x")
        g.output(g.op("ReduceMax", x, axes=[1], keepdims=0),
                 g.op("ReduceMin", x, axes=[0], keepdims=0), dtype=dtype)
        yield Case(g, "exact", lambda x: [x.max(1), x.min(0)])
        g = Graph(f"{dtype}_sum_rows")  # wraps
        x = g.op("ReduceSum", values(g, "x"), g.const(1), keepdims=0)
        yield Case(g.output(x, dtype=dtype), "exact",
                   lambda x: [x.sum(1, dtype=x.dtype)])
        g = Graph(f"{dtype}_sign")
        x = values(g, "x")
        g.output(g.op("Sign", x), g.op("Abs", x), dtype=dtype)
        yield Case(g, "exact", lambda x: [np.sign(x), np.abs(x)])
        g = Graph(f"{dtype}_bits")
        g.opset = 18
        x, y = values(g, "x"), values(g, "y")
        g.output(g.op("BitwiseAnd", x, y), g.op("BitwiseOr", x, y),
                 g.op("BitwiseXor", x, y), g.op("BitwiseNot", x), dtype=dtype)
        yield Case(g, "exact", lambda x, y: [x & y, x | y, x ^ y, ~x])
        g = Graph(f"{dtype}_shift")
        x, y = values(g, "x"), g.input("y", (3, 37), dtype, low=0, high=70)
        if dtype[0] == "i":
            g.opset = 28
            g.output(g.op("BitShift", x, y, direction="LEFT"),
                     g.op("BitShift", x, y, direction="RIGHT"), dtype=dtype)
            g.inputs["y"] -= 3
            yield Case(g, "exact", signed_shifts)
            continue
        g.output(g.op("BitShift", x, y, direction="LEFT"),
                 g.op("BitShift", x, y, direction="RIGHT"), dtype=dtype)
        yield Case(g, "exact", lambda x, y: [np.left_shift(x, y), np.right_shift(x, y)])


@cases
def double_precision():
    unary = {"Exp": (-30, 30), "Log": (1e-3, 50), "Sin": (-10, 10), "Tanh": (-5, 5),
             "Erf": (-4, 4), "Sqrt": (0, 9), "Sigmoid": (-20, 20), "Floor": (-9, 9),
             "Round": (-9, 9), "Abs": (-9, 9), "Softplus": (-20, 20), "Atan": (-4, 4)}
    numpy_forms = {"Exp": np.exp, "Log": np.log, "Sin": np.sin, "Tanh": np.tanh,
                   "Sqrt": np.sqrt, "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
                   "Floor": np.floor, "Round": np.round, "Abs": np.abs,
                   "Softplus": lambda x: np.logaddexp(x, 0), "Atan": np.arctan,
                   "Erf": np.vectorize(math.erf)}
    for kind, (low, high) in unary.items():
        g = Graph(f"f64_{kind.lower()}")
        x = g.op(kind, g.input("x", (3, 37), "f64", low, high))
        yield Case(g.output(x, dtype="f64"), "elementwise",
                   lambda x, form=numpy_forms[kind]: [form(x)])
    g = Graph("f64_binary")
    x, y = g.input("x", (3, 37), "f64"), g.input("y", (37,), "f64", 0.5, 2)
    g.output(*[g.op(kind, x, y) for kind in ("Add", "Sub", "Mul", "Div", "Max", "Min")],
             g.op("Pow", y, y), g.op("Mod", x, y, fmod=1), dtype="f64")
    yield Case(g, "elementwise",
               lambda x, y: [x + y, x - y, x * y, x / y, np.maximum(x, y), np.minimum(x, y),
                             np.broadcast_to(y ** y, (37,)), np.fmod(x, y)])
    g = Graph("f64_compare")
    x, y = g.input("x", (3, 37), "f64"), g.input("y", (3, 37), "f64")
    less = g.op("Less", x, y)
    g.output(less, dtype="bool").output(g.op("Where", less, x, y), dtype="f64")
    yield Case(g, "exact", lambda x, y: [x < y, np.where(x < y, x, y)])
    g = Graph("f64_special")
    values = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 5e-324, 1e308, -1e308, 709.0,
                       -745.0, 2.5, 0.5, -0.5], np.float64)
    x = g.input("x", value=np.tile(values, 3))
    g.output(*[g.op(kind, x) for kind in ("Exp", "Relu", "Round", "Neg")], dtype="f64")
    g.output(g.op("IsNaN", x), g.op("IsInf", x), dtype="bool")
    yield Case(g, "elementwise", lambda x: [np.exp(x), np.maximum(x, 0), np.round(x), -x,
                                            np.isnan(x), np.isinf(x)])
    g = Graph("f64_sum")
    x = g.op("ReduceSum", g.input("x", (9, 129), "f64"), g.const(1), keepdims=0)
    yield Case(g.output(x, dtype="f64"), "reduction", lambda x: [x.sum(1)])
    g = Graph("f64_max")
    x = g.op("ReduceMax", g.input("x", (9, 129), "f64"), axes=[0], keepdims=0)
    yield Case(g.output(x, dtype="f64"), "exact", lambda x: [x.max(0)])
    g = Graph("f64_softmax")
    yield Case(g.output(g.op("Softmax", g.input("x", (7, 33), "f64", -4, 4)), dtype="f64"),
               "reduction")
    g = Graph("f64_matmul")
    a, b = g.input("a", (17, 65), "f64"), g.weight(g.random((65, 31), "f64"), "f64")
    yield Case(g.output(g.op("MatMul", a, b), dtype="f64"), "network")
    g = Graph("f64_gemm_relu")
    a, b = g.input("a", (17, 33), "f64"), g.input("b", (33, 19), "f64")
    c = g.op("Gemm", a, b, g.weight(g.random((19,), "f64"), "f64"), alpha=0.5)
    yield Case(g.output(g.op("Relu", c), dtype="f64"), "network")
    g = Graph("f64_gather_strided")
    x = g.op("Slice", g.input("x", (5, 37), "f64"), g.const(0), g.const(37), g.const(1),
             g.const(2))
    y = g.op("Gather", x, g.weight(np.array([4, 0, 3, 3, 1], np.int64)))
    yield Case(g.output(g.op("Transpose", y), dtype="f64"), "exact")
