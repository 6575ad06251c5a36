# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers with a scale and a zero point."""
import numpy as np

from builder import DTYPES, Case, Graph, cases

NARROW = ("i8", "u8")


def codes(g, dtype, shape):
    """Any code; i8 only 7 bits: ONNX Runtime saturates sums of two u8 * i8 in 16 bits on
    CPUs without VNNI."""
    limits = np.iinfo(DTYPES[dtype])
    low, high = (-64, 63) if dtype == "i8" else (limits.min, limits.max)
    return g.rng.integers(low, high, shape, DTYPES[dtype], endpoint=True)


def weights(g, dtype, shape):
    """Codes; of i8 those of 7 bits. ONNX Runtime adds products of u8 and i8 in pairs of
    16 bits where the machine has no better instruction, and wider codes saturate."""
    full = codes(g, dtype, shape)
    return full // 2 if dtype == "i8" else full


def zero_point(g, value, dtype):
    return g.weight(np.array(value, DTYPES[dtype]))


@cases
def coding():
    for dtype, zero in (("i8", -3), ("u8", 130), ("i16", -300), ("u16", 33000)):
        g = Graph(f"quantize_{dtype}")  # with what saturates, and ties
        g.opset = 21
        x = np.concatenate([g.rng.uniform(-90, 90, 50), np.arange(-20, 20) * 0.25, [1e9, -1e9]])
        x = g.input("x", value=x.astype(np.float32))
        y = g.op("QuantizeLinear", x, g.scalar(0.5), zero_point(g, zero, dtype))
        yield Case(g.output(y, dtype=dtype), "exact")
        g = Graph(f"dequantize_{dtype}")
        g.opset = 21
        x = g.input("x", value=codes(g, dtype, (3, 37)))
        y = g.op("DequantizeLinear", x, g.scalar(0.037), zero_point(g, zero, dtype))
        yield Case(g.output(y, dtype="f32"), "exact")
    g = Graph("quantize_default")  # u8 with the zero point 0
    y = g.op("QuantizeLinear", g.input("x", (5, 19), low=-3, high=30), g.scalar(0.11))
    yield Case(g.output(y, dtype="u8"), "exact")
    # next to what lies between two codes; and what is much further
    g = Graph("quantize_ties")
    for number, (scale, zero, dtype) in enumerate((
            (0.0347785465, 118, "u8"), (0.1, 0, "u8"), (7.77e-6, 255, "u8"), (0.3, 777, "u16"))):
        scale = np.float32(scale)
        x = (np.arange(-300, 300, dtype=np.float32) + np.float32(0.5)) * scale
        for _ in range(4):
            x = np.nextafter(x, np.float32(-np.inf))
        columns = [x]
        for _ in range(8):
            columns.append(np.nextafter(columns[-1], np.float32(np.inf)))
        columns.append(np.full_like(x, np.inf if number % 2 else -3e38))
        x = g.input(f"x{number}", value=np.stack(columns, 1))
        y = g.op("QuantizeLinear", x, g.weight(scale), zero_point(g, zero, dtype))
        g.opset = 21
        g.output(y, dtype=dtype)
    yield Case(g, "exact")
    g = Graph("dequantize_i32")
    x = g.input("x", (5, 19), "i32", low=-100000, high=100000)
    yield Case(g.output(g.op("DequantizeLinear", x, g.scalar(0.003)), dtype="f32"), "exact")
    for axis in (0, 1, -1):
        g = Graph(f"quantize_axis_{axis % 3}")
        x = g.input("x", (4, 5, 17), low=-9, high=9)
        count = (4, 5, 17)[axis]
        scale = g.weight(g.rng.uniform(0.02, 0.2, count).astype(np.float32))
        zero = g.weight(codes(g, "i8", count))
        y = g.op("QuantizeLinear", x, scale, zero, axis=axis)
        g.output(y, dtype="i8")
        g.output(g.op("DequantizeLinear", y, scale, zero, axis=axis), dtype="f32")
        yield Case(g, "exact")
    g = Graph("quantize_blocks")  # the last block is shorter
    g.opset = 21
    x = g.input("x", (3, 19, 5), low=-9, high=9)
    scale = g.weight(g.rng.uniform(0.02, 0.2, (3, 5, 5)).astype(np.float32))
    zero = g.weight(codes(g, "u8", (3, 5, 5)))
    y = g.op("QuantizeLinear", x, scale, zero, axis=1, block_size=4)
    back = g.op("DequantizeLinear", y, scale, zero, axis=1, block_size=4)
    g.output(y, dtype="u8").output(back, dtype="f32")
    yield Case(g, "exact", lambda x, g=g: blocked(x, g))
    for name, low, high in (("around_zero", -3, 5), ("positive", 1, 5), ("negative", -5, -1)):
        g = Graph(f"dynamic_quantize_{name}")
        x = g.input("x", (7, 33), low=low, high=high)
        y, scale, zero = g.op("DynamicQuantizeLinear", x, outputs=3)
        yield Case(g.output(y, scale, zero), "elementwise")


def blocked(x, g):
    """Quantised and back, as the graph's two initializers say, blocks of 4 along axis 1."""
    from onnx import numpy_helper
    scale, zero = (np.repeat(numpy_helper.to_array(t), 4, axis=1)[:, :x.shape[1]]
                   for t in g.initializers)
    y = np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8)
    return [y, (y.astype(np.int32) - zero.astype(np.int32)).astype(np.float32) * scale]


@cases
def products():
    for left in NARROW:
        for right in NARROW:
            g = Graph(f"matmul_integer_{left}_{right}")
            a = g.input("a", value=codes(g, left, (17, 33)))
            b = g.input("b", value=weights(g, right, (33, 19)))
            y = g.op("MatMulInteger", a, b, zero_point(g, 5, left), zero_point(g, 7, right))
            if (left, right) == ("i8", "u8"):  # ONNX Runtime has no kernel
                yield Case(g.output(y, dtype="i32"), "exact",
                           lambda a, b: [(a.astype(np.int32) - 5) @ (b.astype(np.int32) - 7)])
            else:
                yield Case(g.output(y, dtype="i32"), "exact")
    g = Graph("matmul_integer_plain")
    a, b = g.input("a", value=codes(g, "u8", (2, 5, 7))), g.weight(weights(g, "i8", (7, 31)))
    yield Case(g.output(g.op("MatMulInteger", a, b), dtype="i32"), "exact")
    g = Graph("matmul_integer_columns")
    a, b = g.input("a", value=codes(g, "u8", (5, 33))), g.weight(weights(g, "i8", (33, 17)))
    y = g.op("MatMulInteger", a, b, zero_point(g, 128, "u8"), g.weight(codes(g, "i8", 17)))
    yield Case(g.output(y, dtype="i32"), "exact")
    for terms in (1, 2, 64, 129):  # whole pairs and an odd one; the greatest products
        g = Graph(f"matmul_integer_of_{terms}")
        extremes = np.array([0, 255], np.uint8)
        a = g.input("a", value=g.rng.choice(extremes, (13, terms)))
        b = g.weight(g.rng.choice(extremes, (terms, 50)))
        y = g.op("MatMulInteger", a, b, zero_point(g, 255, "u8"), zero_point(g, 0, "u8"))
        yield Case(g.output(y, dtype="i32"), "exact")
    for left, right, out in (("u8", "u8", "u8"), ("i8", "i8", "i8"), ("u8", "i8", "u8")):
        g = Graph(f"qlinear_matmul_{left}_{right}")
        a, b = g.input("a", value=codes(g, left, (2, 9, 33))), g.weight(weights(g, right, (33, 19)))
        y = g.op("QLinearMatMul", a, g.scalar(0.013), zero_point(g, 11, left), b,
                 g.scalar(0.021), zero_point(g, 3, right), g.scalar(1.7),
                 zero_point(g, 60, out))
        yield Case(g.output(y, dtype=out), "exact")
    g = Graph("qlinear_matmul_columns")
    a, b = g.input("a", value=codes(g, "u8", (9, 33))), g.weight(weights(g, "i8", (33, 19)))
    y = g.op("QLinearMatMul", a, g.scalar(0.013), zero_point(g, 128, "u8"), b,
             g.weight(g.rng.uniform(0.01, 0.05, 19).astype(np.float32)),
             g.weight(np.zeros(19, np.int8)), g.scalar(1.7), zero_point(g, 100, "u8"))
    yield Case(g.output(y, dtype="u8"), "exact")


@cases
def convolutions():
    attributes = {"plain": {}, "padded": {"pads": [1, 1, 1, 1]},
                  "strided": {"strides": [2, 2], "pads": [1, 0, 1, 0]}}
    for name, extra in attributes.items():
        g = Graph(f"conv_integer_{name}")  # padding counts as the zero point
        x, w = g.input("x", value=codes(g, "u8", (2, 3, 9, 11))), \
            g.weight(codes(g, "u8", (8, 3, 3, 3)))
        y = g.op("ConvInteger", x, w, zero_point(g, 120, "u8"), zero_point(g, 131, "u8"), **extra)
        yield Case(g.output(y, dtype="i32"), "exact")
        g = Graph(f"qlinear_conv_{name}")
        x, w = g.input("x", value=codes(g, "u8", (1, 3, 9, 11))), \
            g.weight(weights(g, "i8", (8, 3, 3, 3)))
        scales = g.weight(g.rng.uniform(0.01, 0.05, 8).astype(np.float32))
        bias = g.weight(g.rng.integers(-5000, 5000, 8).astype(np.int32))
        y = g.op("QLinearConv", x, g.scalar(0.02), zero_point(g, 120, "u8"), w, scales,
                 g.weight(np.zeros(8, np.int8)), g.scalar(0.31), zero_point(g, 90, "u8"), bias,
                 **extra)
        yield Case(g.output(y, dtype="u8"), "exact")
    g = Graph("qlinear_conv_groups")
    x, w = g.input("x", value=codes(g, "i8", (1, 6, 9, 7))), g.weight(weights(g, "i8", (6, 1, 3, 3)))
    y = g.op("QLinearConv", x, g.scalar(0.02), zero_point(g, 5, "i8"), w, g.scalar(0.04),
             zero_point(g, 0, "i8"), g.scalar(0.31), zero_point(g, -9, "i8"), group=6,
             pads=[1, 1, 1, 1])
    yield Case(g.output(y, dtype="i8"), "exact")


@cases
def quantised_network():
    g = Graph("qdq_cnn")  # floats between quantise and dequantise pairs
    g.opset = 13

    def coded(x, scale, zero, dtype="u8"):
        arguments = (g.scalar(scale), zero_point(g, zero, dtype))
        return g.op("DequantizeLinear", g.op("QuantizeLinear", x, *arguments), *arguments)

    def kernel(shape):
        scale = g.weight(g.rng.uniform(0.002, 0.01, shape[0]).astype(np.float32))
        return g.op("DequantizeLinear", g.weight(weights(g, "i8", shape)), scale,
                    g.weight(np.zeros(shape[0], np.int8)), axis=0)

    x = coded(g.input("x", (1, 3, 15, 15)), 1 / 128, 128)
    x = g.op("Relu", g.op("Conv", x, kernel((8, 3, 3, 3)), pads=[1, 1, 1, 1]))
    x = g.op("MaxPool", coded(x, 0.02, 0), kernel_shape=[2, 2], strides=[2, 2])
    x = g.op("Conv", x, kernel((16, 8, 3, 3)))
    x = g.op("Flatten", g.op("GlobalAveragePool", coded(x, 0.05, 128)))
    y = g.op("Gemm", x, kernel((10, 16)), transB=1)
    yield Case(g.output(y), "network")


@cases
def folded():
    """Products of dequantised numbers, whose codes are multiplied: terms that are no multiple
    of four, padding, strides, groups, weights without a sign, biases that are terms of the sums
    and that are not. Scales are powers of two, so that all orders have the same bits."""
    def dequantised(g, array, scale, zero, dtype, **where):
        count = None if np.isscalar(scale) else len(scale)
        scale = g.scalar(scale) if count is None else g.weight(np.array(scale, np.float32))
        zero = np.full(count or (), zero) if where.get("axis") is not None else zero
        return g.op("DequantizeLinear", array, scale, zero_point(g, zero, dtype), **where)

    shapes = {  # channels, columns, kernel, pads, strides, groups, window dilations
        "1x1": (16, 33, 1, 0, 1, 1, 1), "3x3": (20, 17, 3, 1, 1, 1, 1),
        "odd": (7, 5, 3, 1, 2, 1, 1), "groups": (12, 24, 3, 1, 1, 3, 1),
        "depthwise": (8, 8, 3, 1, 1, 8, 1), "dilated": (6, 16, 3, 2, 1, 1, 2),
        "few": (3, 16, 5, 2, 2, 1, 1), "deep": (64, 40, 3, 0, 1, 1, 1)}
    for name, (channels, out, k, pad, stride, groups, dilation) in shapes.items():
        for kind, weight in (("u8", "i8"), ("i8", "i8"), ("u8", "u8")):
            g = Graph(f"folded_conv_{name}_{kind}_{weight}")
            x = g.input("x", value=codes(g, kind, (2, channels, 11, 13)))
            w = g.weight(weights(g, weight, (out, channels // groups, k, k)))
            xf = dequantised(g, x, 0.25, 9 if kind == "u8" else -5, kind)
            scales = 2.0 ** g.rng.integers(-8, -4, out)
            wf = dequantised(g, w, scales, 128 if weight == "u8" else 0, weight, axis=0)
            bias = g.rng.integers(-500, 500, out) * scales * 0.25
            if name == "odd":
                bias = bias + 2.0 ** -12
            y = g.op("Conv", xf, wf, g.weight(bias.astype(np.float32)), pads=[pad] * 4,
                     strides=[stride] * 2, dilations=[dilation] * 2, group=groups)
            y = g.op("Relu", y)
            y = g.op("QuantizeLinear", y, g.scalar(0.5), zero_point(g, 3, "u8"))
            # ONNX Runtime rounds a bias that is no multiple of the scale to one.
            yield Case(g.output(y, dtype="u8"), "quantised" if name == "odd" else "exact")
    for rows, terms, columns in ((1, 64, 40), (13, 63, 17), (9, 5, 33), (6, 128, 16), (4, 3, 9)):
        for weight, zero in (("i8", 0), ("u8", 128), ("i8", 3)):
            g = Graph(f"folded_matmul_{rows}_{terms}_{columns}_{weight}_{zero}")
            x = g.input("x", value=codes(g, "u8", (2, rows, terms)))
            w = g.weight(weights(g, weight, (terms, columns)))
            scales = 2.0 ** g.rng.integers(-8, -4, columns)
            y = g.op("MatMul", dequantised(g, x, 0.125, 131, "u8"),
                     dequantised(g, w, scales, zero, weight, axis=1))
            yield Case(g.output(y, dtype="f32"), "exact")
    g = Graph("folded_gemm")
    x, w = g.input("x", value=codes(g, "i8", (7, 36))), g.weight(weights(g, "i8", (21, 36)))
    y = g.op("Gemm", dequantised(g, x, 0.5, 2, "i8"), dequantised(g, w, 0.25, 0, "i8"),
             g.weight(np.arange(21).astype(np.float32)), transB=1)
    yield Case(g.output(y, dtype="f32"), "exact")
    # products, windows and sums hand codes to one another, channels side by side
    for name, channels, stride, zero in (("block", 24, 1, 131), ("odd", 19, 2, 7), ("low", 16, 1, 0)):
        g = Graph(f"codes_{name}")
        x = g.input("x", value=codes(g, "u8", (2, channels, 11, 9)))

        def conv(x, out, inner, k, group=1, stride=1, zero=zero):
            w = g.weight(weights(g, "i8", (out, inner, k, k)))
            y = g.op("Conv", dequantised(g, x, 0.5, zero, "u8"),
                     dequantised(g, w, 2.0 ** -7, 0, "i8"), pads=[k // 2] * 4, group=group,
                     strides=[stride] * 2)
            return g.op("QuantizeLinear", g.op("Relu", y) if k > 1 else y, g.scalar(0.5),
                        zero_point(g, zero, "u8"))

        wide = conv(x, 3 * channels, channels, 1)
        deep = conv(wide, 3 * channels, 1, 3, group=3 * channels, stride=stride)
        slim = conv(deep, channels, 3 * channels, 1)
        skip = x if stride == 1 else conv(x, channels, channels, 1, stride=2)
        y = g.op("Add", dequantised(g, slim, 0.5, zero, "u8"), dequantised(g, skip, 0.5, zero, "u8"))
        y = g.op("QuantizeLinear", y, g.scalar(0.5), zero_point(g, zero, "u8"))
        g.output(conv(y, 17, channels, 1), dtype="u8")
        y = g.op("MaxPool", dequantised(g, y, 0.5, zero, "u8"), kernel_shape=[3, 3],
                 strides=[2, 2], pads=[1, 1, 1, 1])
        y = g.op("QuantizeLinear", y, g.scalar(0.5), zero_point(g, zero, "u8"))
        yield Case(g.output(conv(y, 16, channels, 3), dtype="u8"), "exact")
    g = Graph("folded_twice")  # the second reads its codes as the first lays them
    x = g.input("x", value=codes(g, "u8", (1, 16, 9, 9)))
    for number in (0, 1):
        w = g.weight(weights(g, "i8", (16, 16, 3, 3)))
        y = g.op("Conv", dequantised(g, x, 0.5, 8, "u8"), dequantised(g, w, 2.0 ** -9, 0, "i8"),
                 pads=[1] * 4)
        x = g.op("QuantizeLinear", y, g.scalar(0.5), zero_point(g, 8, "u8"))
    yield Case(g.output(x, dtype="u8"), "exact")
