# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types other than f32."""
import numpy as np

from builder import DTYPES, Case, Graph, cases, onnx_type, widened


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
    for dtype in ("i32", "i64", "i8", "u8"):
        g = Graph(f"{dtype}_arithmetic")
        x, y = g.input("x", (3, 33), dtype), g.input("y", (33,), dtype, low=1)
        total = g.op("Add", x, y)
        g.output(total, g.op("Mul", total, y), g.op("Sub", x, y), dtype=dtype)
        yield Case(g, "exact", lambda x, y: [x + y, (x + y) * y, x - y])
    for dtype in ("i32", "i64"):
        g = Graph(f"{dtype}_division")  # rounds towards zero
        x = g.input("x", (3, 33), dtype, low=-50, high=50)
        g.output(g.op("Div", x, g.input("y", (3, 33), dtype, low=1)))
        yield Case(g, "exact")
        g = Graph(f"{dtype}_movement")
        x = g.op("Transpose", g.input("x", (5, 17), dtype))
        yield Case(g.output(g.op("Concat", x, x, axis=1)), "exact")
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
    types = ("f32", "f16", "i32", "i64", "i8", "u8", "bool")
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
    for target in ("i32", "i64", "i8", "bool"):
        g.output(g.op("Cast", x, to=onnx_type(target)), dtype=target)
    yield Case(g, "exact")
    g = Graph("cast_to_bf16")  # rounds to nearest even
    x = g.input("x", (9, 37))
    g.output(g.op("Cast", x, to=onnx_type("bf16")), dtype="bf16")
    yield Case(g, "exact", lambda x: [x.astype(DTYPES["bf16"])])
    g = Graph("cast_inside_chain")
    x = g.op("Cast", g.input("x", (5, 33), "u8"), to=onnx_type("f32"))
    x = g.op("Mul", g.op("Sub", x, g.scalar(4.0)), g.scalar(0.25))
    yield Case(g.output(g.op("Cast", g.op("Floor", x), to=onnx_type("i32"))), "exact")
