# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of 8, 4 and 2 bits that are stored, moved and cast, and not computed with."""
import numpy as np

from builder import DTYPES, Case, Graph, cases, onnx_type

FLOATS = ("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f4E2M1FN")
INTEGERS = ("i4", "u4", "i2", "u2")
LARGEST = {"f8E4M3FN": 448, "f8E4M3FNUZ": 240, "f8E5M2": 57344, "f8E5M2FNUZ": 57344, "f4E2M1FN": 6}


def graph(name):
    """ONNX Runtime knows some of these types, but returns none of them."""
    g = Graph(name)
    g.opset = 25
    return g


def numbers(g):
    """Of all sizes that the type tells apart, ties among them, and what is too large."""
    count = 300
    small = g.rng.standard_normal(count) * 2.0 ** g.rng.integers(-18, 17, count)
    ties = np.arange(-40, 40) * 0.0625
    special = [np.inf, -np.inf, 0.0, -0.0, 1e9, -1e9, np.nan]
    return np.concatenate([small, ties, special]).astype(np.float32)


def coded(x, dtype, saturate=True):
    if saturate:
        x = np.clip(x, -LARGEST[dtype], LARGEST[dtype])
    return x.astype(DTYPES[dtype])


@cases
def floats():
    for dtype in FLOATS:
        g = graph(f"cast_{dtype}")  # stored, and not
        x = g.input("x", value=numbers(g))
        code = g.op("Cast", x, to=onnx_type(dtype))
        g.output(code, dtype=dtype).output(g.op("Cast", code, to=onnx_type("f32")), dtype="f32")

        def reference(x, dtype=dtype):
            code = coded(x, dtype)
            return [code, code.astype(np.float32)]
        yield Case(g, "exact", reference)

        g = graph(f"decode_{dtype}")  # every code
        codes = np.arange(16 if dtype == "f4E2M1FN" else 256, dtype=np.uint8).view(DTYPES[dtype])
        x = g.input("x", value=codes)
        for to in ("f32", "f16", "i32"):
            if to != "i32" or dtype == "f4E2M1FN":
                g.output(g.op("Cast", x, to=onnx_type(to)), dtype=to)
        yield Case(g, "exact", lambda x, names=g.outputs: [
            x.astype(np.float32).astype(DTYPES[to]) for to in names.values()])
    for dtype in FLOATS[:4]:
        g = graph(f"cast_{dtype}_unsaturated")
        x = g.input("x", value=numbers(g))
        g.output(g.op("Cast", x, to=onnx_type(dtype), saturate=0), dtype=dtype)
        yield Case(g, "exact", lambda x, dtype=dtype: [coded(x, dtype, saturate=False)])
    g = graph("cast_between_f8")
    x = g.input("x", value=np.arange(256, dtype=np.uint8).view(DTYPES["f8E5M2"]))
    g.output(g.op("Cast", x, to=onnx_type("f8E4M3FN")), dtype="f8E4M3FN")
    yield Case(g, "exact", lambda x: [coded(x.astype(np.float32), "f8E4M3FN")])


@cases
def integers():
    for dtype in INTEGERS:
        g = graph(f"cast_{dtype}")  # what does not fit wraps
        x = g.input("x", value=np.arange(-40, 41, dtype=np.int32))
        g.output(g.op("Cast", x, to=onnx_type(dtype)), dtype=dtype)
        yield Case(g, "exact", lambda x, dtype=dtype: [x.astype(DTYPES[dtype])])
        g = graph(f"decode_{dtype}")
        bits = int(dtype[1])
        low = -2 ** (bits - 1) if dtype[0] == "i" else 0
        whole = np.arange(low, low + 2 ** bits, dtype=np.int8)  # each in a byte, with its sign
        x = g.input("x", value=whole.view(DTYPES[dtype]))
        for to in ("f32", "i8", "f16"):
            g.output(g.op("Cast", x, to=onnx_type(to)), dtype=to)
        yield Case(g, "exact", lambda x: [x.astype(DTYPES[to]) for to in ("f32", "i8", "f16")])
    g = graph("cast_f32_i4")
    x = g.input("x", value=np.arange(-8, 8).astype(np.float32))
    code = g.op("Cast", x, to=onnx_type("i4"))
    yield Case(g.output(g.op("Cast", code, to=onnx_type("f32")), dtype="f32"), "exact")


@cases
def quantised():
    for dtype in ("f8E4M3FN", "f8E5M2"):
        g = graph(f"quantize_{dtype}")
        x = g.input("x", (5, 37), low=-900, high=900)
        scale, zero = g.scalar(1.25), g.weight(np.zeros((), DTYPES[dtype]))
        code = g.op("QuantizeLinear", x, scale, zero)
        g.output(g.op("DequantizeLinear", code, scale, zero), dtype="f32")
        yield Case(g, "exact")
    for dtype in ("i4", "u4"):
        g = graph(f"quantize_{dtype}")
        x = g.input("x", (5, 37), low=-9, high=9)
        scale, zero = g.scalar(0.75), g.weight(np.array(1, DTYPES[dtype]))
        code = g.op("QuantizeLinear", x, scale, zero)
        g.output(g.op("DequantizeLinear", code, scale, zero), dtype="f32")
        yield Case(g, "exact")
    for dtype in ("i4", "u4", "i2", "f8E4M3FN", "f4E2M1FN"):  # weights, several to a byte
        g = graph(f"weights_{dtype}")
        x = g.input("x", (3, 19))
        whole = g.rng.integers(-2, 2, (19, 13)) + (2 if dtype == "u4" else 0)
        weight, scale = g.weight(whole.astype(DTYPES[dtype])), g.weight(g.random((13,), "f32", 0.1, 1))
        g.output(g.op("MatMul", x, g.op("DequantizeLinear", weight, scale, axis=1)), dtype="f32")
        laid = whole.astype(np.float32)
        spread = g.initializers

        def reference(x, laid=laid, spread=spread):
            from onnx import numpy_helper
            return [x @ (laid * numpy_helper.to_array(spread[1]))]
        yield Case(g, "network", reference)


@cases
def moved():
    for dtype in ("i4", "f8E4M3FN"):
        g = graph(f"move_{dtype}")
        x = g.input("x", value=g.rng.integers(-3, 4, (3, 5, 7)).astype(DTYPES[dtype]))
        y = g.op("Transpose", x, perm=[2, 0, 1])
        y = g.op("Slice", y, g.const(1), g.const(6), g.const(0))
        g.output(g.op("Reshape", y, g.const(5, 15)), dtype=dtype)
        yield Case(g, "exact", lambda x: [x.transpose(2, 0, 1)[1:6].reshape(5, 15)])


@cases
def refused():
    g = graph("add_f8")
    x = g.input("x", value=np.ones(5, DTYPES["f8E4M3FN"]))
    g.output(g.op("Add", x, x), dtype="f8E4M3FN")
    yield Case(g, "exact", refusal=(2, ["(Add", "computes on f8E4M3FN"]))
    g = graph("quantize_f8_unsaturated")
    x = g.input("x", (5,))
    zero = g.weight(np.zeros((), DTYPES["f8E5M2"]))
    g.output(g.op("QuantizeLinear", x, g.scalar(0.5), zero, saturate=0), dtype="f8E5M2")
    yield Case(g, "exact", refusal=(2, ["(QuantizeLinear", "saturate = 0"]))
