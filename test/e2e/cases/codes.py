# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of 8, 4 and 2 bits that are stored, moved and cast, and not computed with."""
import numpy as np

from builder import DTYPES, Case, Graph, cases, onnx_type

FLOATS = ("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
CODES = {"f6E2M3FN": 64, "f6E3M2FN": 64, "f4E2M1FN": 16}  # how many, if not 256
INTEGERS = ("i4", "u4", "i2", "u2")
LARGEST = {"f8E4M3FN": 448, "f8E4M3FNUZ": 240, "f8E5M2": 57344, "f8E5M2FNUZ": 57344,
           "f6E2M3FN": 7.5, "f6E3M2FN": 28, "f4E2M1FN": 6}


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
        codes = np.arange(CODES.get(dtype, 256), dtype=np.uint8).view(DTYPES[dtype])
        x = g.input("x", value=codes)
        for to in ("f32", "f16", "i32"):
            if to != "i32" or dtype in CODES:
                g.output(g.op("Cast", x, to=onnx_type(to)), dtype=to)
        yield Case(g, "exact", lambda x, names=g.outputs: [
            x.astype(np.float32).astype(DTYPES[to]) for to in names.values()])
    for dtype in FLOATS[:4]:
        g = graph(f"cast_{dtype}_unsaturated")
        x = g.input("x", value=numbers(g))
        g.output(g.op("Cast", x, to=onnx_type(dtype), saturate=0), dtype=dtype)
        yield Case(g, "exact", lambda x, dtype=dtype: [coded(x, dtype, saturate=False)])
    g = graph("special_f8")  # each code
    for dtype in FLOATS[:4]:
        x = g.input(f"x_{dtype}", value=np.arange(256, dtype=np.uint8).view(DTYPES[dtype]))
        g.output(g.op("IsNaN", x), g.op("IsInf", x), g.op("IsInf", x, detect_positive=0),
                 dtype="bool")
    yield Case(g, "exact", lambda *codes: [test for x in codes for test in (
        np.isnan(x), np.isinf(x), np.isneginf(x.astype(np.float32)))])
    g = graph("cast_between_f8")
    x = g.input("x", value=np.arange(256, dtype=np.uint8).view(DTYPES["f8E5M2"]))
    g.output(g.op("Cast", x, to=onnx_type("f8E4M3FN")), dtype="f8E4M3FN")
    yield Case(g, "exact", lambda x: [coded(x.astype(np.float32), "f8E4M3FN")])


def power_code(x, mode, saturate):
    """The code of f8E8M0FNU: x in f64 is fraction * 2 ** exponent with 1/2 <= fraction < 1."""
    x = x.astype(np.float64)
    if saturate:
        x = np.clip(x, 2.0 ** -127, 2.0 ** 127)
    fraction, exponent = np.frexp(x)
    step = {"up": fraction > 0.5, "down": 0, "nearest": fraction >= 0.75}[mode]
    with np.errstate(invalid="ignore"):
        code = exponent - 1 + step + 127
        lost = ~(np.isfinite(x) & (x >= 2.0 ** -127) & (code <= 254))
    return np.where(lost, 255, code).astype(np.uint8).view(DTYPES["f8E8M0FNU"])


@cases
def powers():
    """f8E8M0FNU, the type of scales: a power of two, or NaN."""
    name, modes = "f8E8M0FNU", ("up", "down", "nearest")
    for dtype in ("f32", "f16", "bf16", "f64"):
        for saturate in (1, 0):
            g = graph(f"cast_{name}_{dtype}_{'saturated' if saturate else 'or_nan'}")
            x = g.rng.uniform(0.5, 2, 300) * 2.0 ** g.rng.integers(-128, 129, 300)
            exact = 2.0 ** np.arange(-130, 128)
            special = [0, np.inf, np.nan, 1.5, 0.75, 1.4999999, 1.5 * 2.0 ** 127, -1.0,
                       1.5 * 2.0 ** -127, 1.25 * 2.0 ** -127, 2.0 ** -126 * 1.001]
            with np.errstate(over="ignore"):
                x = np.concatenate([x, exact, special]).astype(DTYPES[dtype])
            x = g.input("x", value=x)
            for mode in modes:
                code = g.op("Cast", x, to=onnx_type(name), saturate=saturate, round_mode=mode)
                g.output(code, dtype=name)
            g.output(g.op("Cast", code, to=onnx_type("f32")), dtype="f32")  # of what is not stored

            def reference(x, saturate=saturate):
                codes = [power_code(x.astype(np.float32), mode, saturate) for mode in modes]
                return codes + [codes[-1].astype(np.float32)]
            yield Case(g, "exact", reference)
    g = graph(f"decode_{name}")
    x = g.input("x", value=np.arange(256, dtype=np.uint8).view(DTYPES[name]))
    kinds = ("f32", "bf16", "f16", "f64", "f8E5M2")
    for to in kinds:
        g.output(g.op("Cast", x, to=onnx_type(to)), dtype=to)

    def decoded(x):
        number = x.astype(np.float32)
        return [number.astype(DTYPES[to]) for to in kinds[:-1]] + [coded(number, "f8E5M2")]
    yield Case(g, "exact", decoded)


@cases
def microscaled():
    """Blocks of 32 numbers of few bits share a power of two (OCP's MX formats)."""
    for dtype in ("f4E2M1FN", "f6E2M3FN", "f8E4M3FN"):
        g = graph(f"mx_weights_{dtype}")
        x = g.input("x", (3, 72))
        whole = np.clip(g.rng.standard_normal((72, 13)) * 3, -6, 6).astype(DTYPES[dtype])
        scale = (2.0 ** g.rng.integers(-6, 5, (3, 13))).astype(DTYPES["f8E8M0FNU"])
        weight = g.op("DequantizeLinear", g.weight(whole), g.weight(scale), axis=0, block_size=32,
                      output_dtype=onnx_type("f32"))
        g.output(g.op("MatMul", x, weight), dtype="f32")
        laid = whole.astype(np.float32) * np.repeat(scale.astype(np.float32), 32, axis=0)[:72]
        yield Case(g, "network", lambda x, laid=laid: [x @ laid])

        if dtype == "f4E2M1FN":  # whole blocks are folded into the weight; zero points, too
            g = graph("blocks_of_weights")
            x, codes = g.input("x", (3, 64)), g.rng.integers(0, 16, (64, 21))
            zero, scale = g.rng.integers(0, 16, (4, 21)), g.random((4, 21), "f32", 0.1, 1)
            weight = g.op("DequantizeLinear", g.weight(codes, "u4"), g.weight(scale),
                          g.weight(zero, "u4"), axis=0, block_size=16)
            g.output(g.op("MatMul", x, weight), dtype="f32")
            laid = ((codes - np.repeat(zero, 16, axis=0)) * np.repeat(scale, 16, axis=0))
            yield Case(g, "network", lambda x, laid=laid: [(x @ laid).astype(np.float32)])

        g = graph(f"mx_quantize_{dtype}")  # its scales made at run time
        x = g.input("x", (4, 64), low=-90, high=90)
        most = g.op("ReduceMax", g.op("Abs", g.op("Reshape", x, g.const(4, 2, 32))), g.const(2),
                    keepdims=0)
        scale = g.op("Cast", g.op("Div", most, g.scalar(LARGEST[dtype])),
                     to=onnx_type("f8E8M0FNU"))
        code = g.op("QuantizeLinear", x, scale, axis=1, block_size=32, output_dtype=onnx_type(dtype))
        g.output(code, dtype=dtype)
        g.output(g.op("DequantizeLinear", code, scale, axis=1, block_size=32,
                      output_dtype=onnx_type("f16")), dtype="f16")

        def reference(x, dtype=dtype):
            most = np.abs(x.reshape(4, 2, 32)).max(axis=2) / np.float32(LARGEST[dtype])
            scale = np.repeat(power_code(most, "up", True).astype(np.float32), 32, axis=1)
            code = coded(x / scale, dtype)
            return [code, (code.astype(np.float32) * scale).astype(np.float16)]
        yield Case(g, "exact", reference)


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
    for dtype in FLOATS[:4]:  # what is too large is as a cast has it
        g = graph(f"quantize_{dtype}_unsaturated")
        x, known = g.input("x", value=numbers(g)), numbers(g)
        scale, zero = g.scalar(0.75), g.weight(np.zeros((), DTYPES[dtype]))
        for operand in (x, g.weight(known)):
            g.output(g.op("QuantizeLinear", operand, scale, zero, saturate=0), dtype=dtype)

        def reference(x, dtype=dtype, known=known):
            return [coded(v / np.float32(0.75), dtype, saturate=False) for v in (x, known)]
        yield Case(g, "exact", reference)
    for dtype in ("i4", "u4"):
        g = graph(f"quantize_{dtype}")
        x = g.input("x", (5, 37), low=-9, high=9)
        scale, zero = g.scalar(0.75), g.weight(np.array(1, DTYPES[dtype]))
        code = g.op("QuantizeLinear", x, scale, zero)
        g.output(g.op("DequantizeLinear", code, scale, zero), dtype="f32")
        yield Case(g, "exact")
    for dtype in ("i4", "u4", "i2", "f8E4M3FN", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN"):  # weights, several to a byte
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
    g = graph("quantize_powers")
    x = g.input("x", (5,))
    g.output(g.op("QuantizeLinear", x, g.scalar(0.5), output_dtype=onnx_type("f8E8M0FNU")),
             dtype="f8E8M0FNU")
    yield Case(g, "exact", refusal=(4, ["(QuantizeLinear", "quantises to f8E8M0FNU"]))
    g = graph("dequantize_to_powers")
    x = g.input("x", (5,), "i8")
    scale = g.weight(np.array(2.0), "f8E8M0FNU")
    g.output(g.op("DequantizeLinear", x, scale), dtype="f32")
    yield Case(g, "exact", refusal=(4, ["(DequantizeLinear", "needs an output_dtype of floats"]))
    g = graph("round_mode")
    x = g.input("x", (5,))
    g.output(g.op("Cast", x, to=onnx_type("f8E8M0FNU"), round_mode="sideways"), dtype="f8E8M0FNU")
    yield Case(g, "exact", refusal=(4, ["(Cast", "unknown round_mode 'sideways'"]))
