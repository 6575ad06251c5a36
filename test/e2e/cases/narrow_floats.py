# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where f16 and bf16 round and overflow: to the bit, as onnx.reference computes node by node.
(ONNX Runtime keeps some of them in f32.)"""
import numpy as np
from onnx.reference import ReferenceEvaluator

from builder import DTYPES, Case, Graph, cases, onnx_type

TYPES = ("f16", "bf16")
# Ties, numbers just beside them, what overflows one type or the other, subnormals.
NUMBERS = np.array([70000, 65519.9, 65520, -65520, 2049, 2051, 257, 259, 1 + 2.0**-11,
                    1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-40, 6e-8, 2e-8,
                    1e-39, 3.4e38, -3.4e38, np.inf, np.nan, 0.1, -0.3])


def narrow_graph(name):
    graph = Graph(name)
    graph.opset = 21
    return graph


def case(graph, *options):
    def reference(*_):
        return ReferenceEvaluator(graph.build()).run(None, graph.inputs)
    return Case(graph, "exact", reference, options=options)


def cast(graph, value, dtype):
    return graph.op("Cast", value, to=onnx_type(dtype))


def casts(name, *options):
    graph = narrow_graph(name)
    # What ml_dtypes makes of an f64 goes by way of an f32.
    x, y = (graph.input(dtype, value=NUMBERS.astype(DTYPES[dtype])) for dtype in ("f32", "f64"))
    n = graph.input("i32", value=np.array([2049, 2051, 257, 259, 65519, 70000, -(2**24) - 1],
                                          np.int32))
    for dtype in TYPES:
        graph.output(cast(graph, cast(graph, x, dtype), "f32"), dtype="f32")
        graph.output(cast(graph, cast(graph, n, dtype), "f32"), dtype="f32")
        other = TYPES[dtype == "f16"]
        graph.output(cast(graph, cast(graph, cast(graph, x, dtype), other), "f32"), dtype="f32")
    graph.output(cast(graph, cast(graph, y, "f16"), "f64"), dtype="f64")
    return case(graph, *options)


def chains(name, *options):
    graph = narrow_graph(name)
    for dtype in TYPES:
        def number(value):
            return graph.weight(np.array(value, DTYPES[dtype]))
        big, count = (3e4, 2048) if dtype == "f16" else (2e38, 256)
        with np.errstate(over="ignore"):
            x = graph.input(f"x_{dtype}", value=NUMBERS.astype(DTYPES[dtype]))
        y = graph.input(f"y_{dtype}", (NUMBERS.size,), dtype)
        # One behind the other; what overflows does not come back.
        z = graph.op("Add", x, y)
        z = graph.op("Mul", z, number(3))
        z = graph.op("Sub", z, y)
        z = graph.op("Div", z, number(3))
        graph.output(z, dtype=dtype)
        scaled = graph.op("Mul", graph.op("Mul", x, y), number(0.25))
        graph.output(scaled, dtype=dtype)
        # What they decide.
        n = graph.input(f"n_{dtype}", value=np.array([count], DTYPES[dtype]))
        counted = graph.op("Add", n, number(1))
        graph.output(cast(graph, counted, "i32"), dtype="i32")
        twice = graph.op("Add", x, x)
        clipped = graph.op("Where", graph.op("IsInf", twice), number(big), twice)
        graph.output(clipped, dtype=dtype)
        graph.output(graph.op("IsNaN", graph.op("Sub", twice, twice)), dtype="bool")
        wide = cast(graph, graph.op("Mul", x, y), "f32")
        graph.output(graph.op("Less", wide, graph.weight(np.array(3, np.float32))), dtype="bool")
        graph.output(graph.op("Floor", graph.op("Mul", y, number(300))), dtype=dtype)
    return case(graph, *options)


def sums():
    """Each rounds once, at its end."""
    graph = narrow_graph("narrow_sums")
    numbers = np.array([[40000, 40000, 1, -40000, -30000]] * 3, np.float16)
    factors = np.array([[1], [1], [0.5], [1], [1]], np.float16)
    x = graph.input("x", value=numbers)
    product = graph.op("MatMul", x, graph.weight(factors))
    graph.output(graph.op("ReduceSum", x, graph.const(1), keepdims=0), dtype="f16")
    graph.output(graph.op("ReduceMean", x, graph.const(1), keepdims=0), dtype="f16")
    graph.output(graph.op("ReduceL2", x, graph.const(1), keepdims=0), dtype="f16")
    graph.output(cast(graph, product, "i32"), dtype="i32")

    def reference(x):
        wide = x.astype(np.float64)
        with np.errstate(over="ignore"):
            rounded = (wide @ factors.astype(np.float64)).astype(np.float16)
            return [wide.sum(1).astype(np.float16), wide.mean(1).astype(np.float16),
                    np.sqrt((wide * wide).sum(1)).astype(np.float16), rounded.astype(np.int32)]
    return Case(graph, "exact", reference)


@cases
def narrow_floats():
    yield casts("narrow_casts")
    yield casts("narrow_casts_relaxed", "--precision=relaxed")
    yield chains("narrow_chains")
    yield chains("narrow_chains_strict", "--precision=strict")
    yield sums()
