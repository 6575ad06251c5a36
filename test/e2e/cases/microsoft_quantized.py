# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised operators of com.microsoft, as ONNX Runtime has them."""
import numpy as np

from builder import DTYPES, Case, Graph, cases
from cases.quantized import codes, weights, zero_point

MICROSOFT = {"domain": "com.microsoft"}


def parameters(g, scale, zero, dtype):
    """Scale and zero point, as operands."""
    return g.scalar(scale), zero_point(g, zero, dtype)


def every_code(dtype):
    """All codes, in an odd shape."""
    x = np.arange(256).astype(np.uint8).view(np.int8 if dtype == "i8" else np.uint8)
    return np.concatenate([x, x[:3]]).reshape(7, 37)


@cases
def elementwise():
    for dtype, zeros in (("u8", (110, 131, 77)), ("i8", (-9, 4, 21))):
        for kind in ("QLinearAdd", "QLinearMul"):
            # Halves and quarters give ties, which fall differently around an odd zero point.
            for name, a, b, y in (("odd", 0.013, 0.021, 0.037), ("ties", 0.25, 0.5, 1.0)):
                g = Graph(f"{kind.lower()}_{dtype}_{name}")
                x = g.input("x", value=every_code(dtype))
                w = g.input("w", value=g.rng.permutation(every_code(dtype).reshape(-1)).reshape(7, 37))
                z = g.op(kind, x, *parameters(g, a, zeros[0], dtype), w,
                         *parameters(g, b, zeros[1], dtype), *parameters(g, y, zeros[2], dtype),
                         **MICROSOFT)
                yield Case(g.output(z, dtype=dtype), "exact")
        scales = (0.043, 0.004) if dtype == "u8" else (0.043, 0.007)
        for kind, extra in (("QLinearSigmoid", {}), ("QLinearLeakyRelu", {"alpha": 0.1})):
            g = Graph(f"{kind.lower()}_{dtype}")
            x = g.input("x", value=every_code(dtype))
            y = g.op(kind, x, *parameters(g, scales[0], zeros[0], dtype),
                     *parameters(g, scales[kind == "QLinearSigmoid"], zeros[2] // 3, dtype),
                     **MICROSOFT, **extra)
            yield Case(g.output(y, dtype=dtype), "exact")
    for kind in ("QLinearAdd", "QLinearMul"):  # rows over a matrix, no zero point of the result
        g = Graph(f"{kind.lower()}_rows")
        x, w = g.input("x", value=codes(g, "u8", (3, 1, 19))), g.weight(codes(g, "u8", (5, 1)))
        y = g.op(kind, x, *parameters(g, 0.02, 5, "u8"), w, *parameters(g, 0.03, 9, "u8"),
                 g.scalar(0.05), **MICROSOFT)
        yield Case(g.output(y, dtype="u8"), "exact")
    g = Graph("qlinearsigmoid_plain")
    y = g.op("QLinearSigmoid", g.input("x", value=every_code("u8")), g.scalar(0.02), None,
             *parameters(g, 0.004, 0, "u8"), **MICROSOFT)
    yield Case(g.output(y, dtype="u8"), "exact")
    g = Graph("qlinear_where")
    c = g.input("c", (4, 17), "bool")
    x, w = g.input("x", value=codes(g, "u8", (4, 17))), g.input("w", value=codes(g, "u8", (17,)))
    y = g.op("QLinearWhere", c, x, *parameters(g, 0.02, 3, "u8"), w,
             *parameters(g, 0.031, 130, "u8"), *parameters(g, 0.027, 120, "u8"), **MICROSOFT)
    yield Case(g.output(y, dtype="u8"), "exact")


@cases
def rows():
    g = Graph("qlinear_concat")  # of which one part is as the whole
    parts = []
    for i, (scale, zero) in enumerate(((0.02, 7), (0.03, 120), (0.011, 255))):
        x = g.input(f"x{i}", value=codes(g, "u8", (2, 3 + i, 9)))
        parts += [x, *parameters(g, scale, zero, "u8")]
    y = g.op("QLinearConcat", *parameters(g, 0.03, 120, "u8"), *parts, axis=-2, **MICROSOFT)
    yield Case(g.output(y, dtype="u8"), "exact")
    for name, dtype, zero, extra in (
            ("rows", "u8", 0, {"axis": -1, "opset": 13}), ("signed", "i8", -128, {"opset": 13}),
            ("columns", "u8", 3, {"axis": 1, "opset": 13}), ("flat", "u8", 0, {"axis": 1, "opset": 12})):
        g = Graph(f"qlinear_softmax_{name}")
        x = g.input("x", value=codes(g, dtype, (5, 7, 11)))
        # The scale is a little more than 1 / 256: ONNX Runtime lets 1 wrap around in i8.
        y = g.op("QLinearSoftmax", x, *parameters(g, 0.037, 9, dtype),
                 *parameters(g, 1 / 255.5 if dtype == "u8" else 1 / 250, zero, dtype), **extra,
                 **MICROSOFT)
        yield Case(g.output(y, dtype=dtype), "exact")


@cases
def pooling():
    for name, dtype, shape, extra in (
            ("plain", "u8", (2, 3, 9, 11), {"kernel_shape": [2, 3]}),
            ("padded", "i8", (1, 5, 7, 7), {"kernel_shape": [3, 3], "strides": [2, 2],
                                            "pads": [1, 1, 1, 1]}),
            ("counted", "u8", (1, 2, 13), {"kernel_shape": [4], "pads": [1, 2],
                                           "count_include_pad": 1}),
            ("hanging", "u8", (1, 2, 6), {"kernel_shape": [3], "strides": [2], "ceil_mode": 1,
                                          "count_include_pad": 1}),
            ("channels_last", "u8", (2, 9, 11, 5), {"kernel_shape": [2, 3], "channels_last": 1}),
            ("channels_last_row", "i8", (1, 13, 3), {"kernel_shape": [4], "pads": [1, 2],
                                                     "strides": [2], "channels_last": 1})):
        g = Graph(f"qlinear_average_pool_{name}")
        x = g.input("x", value=codes(g, dtype, shape))
        y = g.op("QLinearAveragePool", x, *parameters(g, 0.031, 5, dtype),
                 *parameters(g, 0.023, 11, dtype), **extra, **MICROSOFT)
        yield Case(g.output(y, dtype=dtype), "exact")
    # Ties around an odd zero point: of the whole image they are rounded before it is added.
    for name, dtype, shape, extra in (
            ("ties", "u8", (1, 5, 4, 9), {"kernel_shape": [1, 2]}),
            ("ties_channels_last", "i8", (2, 9, 5), {"kernel_shape": [2], "channels_last": 1}),
            ("whole", "u8", (2, 37, 1, 2), {"kernel_shape": [1, 2]}),
            ("whole_channels_last", "i8", (1, 2, 37), {"kernel_shape": [2], "channels_last": 1,
                                                       "auto_pad": "VALID"}),
            ("whole_padded", "u8", (1, 37, 2), {"kernel_shape": [2], "pads": [1, 1]}),
            ("whole_width", "u8", (1, 37, 3, 2), {"kernel_shape": [1, 2]})):
        g = Graph(f"qlinear_average_pool_{name}")
        x = g.input("x", value=codes(g, dtype, shape) // 2)
        y = g.op("QLinearAveragePool", x, *parameters(g, 0.5, 4, dtype),
                 *parameters(g, 0.5, 7, dtype), **extra, **MICROSOFT)
        yield Case(g.output(y, dtype=dtype), "exact")
    for name, dtype, last in (("", "u8", 0), ("_signed", "i8", 0), ("_channels_last", "u8", 1)):
        g = Graph(f"qlinear_global_average_pool{name}")
        x = g.input("x", value=codes(g, dtype, (2, 5, 7, 9)) // 2)
        y = g.op("QLinearGlobalAveragePool", x, *parameters(g, 0.031, 5, dtype),
                 *parameters(g, 0.0091, -101 if dtype == "i8" else 1, dtype), channels_last=last, **MICROSOFT)
        yield Case(g.output(y, dtype=dtype), "exact")


@cases
def products():
    for name, left, right, out, extra in (
            ("", "u8", "i8", "u8", {}), ("_turned", "i8", "i8", "i8", {"transA": 1, "transB": 1}),
            ("_float", "u8", "u8", None, {"alpha": 0.5}), ("_columns", "u8", "i8", "u8", {})):
        g = Graph("qgemm" + name)
        turned = bool(extra.get("transA"))
        a = g.input("a", value=codes(g, left, (33, 9) if turned else (9, 33)))
        b = g.weight(weights(g, right, (19, 33) if turned else (33, 19)))
        c = g.weight(g.rng.integers(-9000, 9000, 19).astype(np.int32))
        scale, zero = g.scalar(0.021), zero_point(g, 3, right)
        if name == "_columns":
            scale = g.weight(g.rng.uniform(0.01, 0.05, 19).astype(np.float32))
            zero = g.weight(np.zeros(19, np.int8))
        result = parameters(g, 1.7, 60, out) if out else ()
        y = g.op("QGemm", a, *parameters(g, 0.013, 11, left), b, scale, zero, c, *result, **extra,
                 **MICROSOFT)
        yield Case(g.output(y, dtype=out or "f32"), "exact" if out else "reduction")
    for columns in (False, True):
        g = Graph("matmul_integer_to_float" + "_columns" * columns)
        a = g.input("a", value=codes(g, "u8", (2, 9, 33)))
        b = g.weight(weights(g, "i8", (33, 19)))
        scale, zero, bias = g.scalar(0.02), None, None
        if columns:
            scale = g.weight(g.rng.uniform(0.01, 0.05, 19).astype(np.float32))
            zero, bias = g.weight(codes(g, "i8", 19)), g.weight((19,), "f32")
        y = g.op("MatMulIntegerToFloat", a, b, g.scalar(0.01), scale, zero_point(g, 128, "u8"),
                 zero, bias, **MICROSOFT)
        yield Case(g.output(y, dtype="f32"), "reduction")
        g = Graph("dynamic_quantize_matmul" + "_columns" * columns)
        a = g.input("a", (9, 33), low=-3, high=5)
        b = g.weight(weights(g, "i8", (33, 19)))
        scale, zero, bias = g.scalar(0.02), zero_point(g, 3, "i8"), None
        if columns:
            scale = g.weight(g.rng.uniform(0.01, 0.05, 19).astype(np.float32))
            zero, bias = g.weight(codes(g, "i8", 19)), g.weight((19,), "f32")
        y = g.op("DynamicQuantizeMatMul", a, b, scale, zero, bias, **MICROSOFT)
        yield Case(g.output(y, dtype="f32"), "reduction")
    g = Graph("microsoft_quantize")  # what ONNX had no types for once
    x = g.input("x", (5, 19), low=-9, high=9)
    scale, zero = g.weight(g.rng.uniform(0.001, 0.003, 5).astype(np.float32)), \
        g.weight(g.rng.integers(20000, 40000, 5).astype(np.uint16))
    y = g.op("QuantizeLinear", x, scale, zero, axis=0, **MICROSOFT)
    g.output(y, dtype="u16")
    g.output(g.op("DequantizeLinear", y, scale, zero, axis=0, **MICROSOFT), dtype="f32")
    yield Case(g, "exact")


@cases
def attention():
    def add(g, name, weight="i8", length=5, columns=False, mask=None, past=0, turned=(0, 0),
            present=False, **attributes):
        batch, inner, width, heads = 2, 24, 16, 2
        x = g.input(f"{name}_x", value=codes(g, "u8", (batch, length, inner)))
        w = g.weight(weights(g, weight, (inner, 3 * width)))
        shape = 3 * width if columns else ()
        scale = g.weight(g.rng.uniform(0.002, 0.006, shape).astype(np.float32))
        x_zero = zero_point(g, turned[0], "u8") if turned[0] else None
        w_zero = None
        if turned[1]:
            w_zero = g.weight(np.full(shape, turned[1], DTYPES[weight]))
        if mask is not None:
            mask = g.input(f"{name}_mask", value=np.array(mask, np.int32))
        if past:
            past = g.input(f"{name}_past", (2, batch, heads, past, width // heads))
        y = g.op("QAttention", x, w, g.weight((3 * width,), "f32"), g.scalar(0.02), scale, mask,
                 x_zero, w_zero, past or None, outputs=1 + present, name=name, num_heads=heads,
                 **attributes, **MICROSOFT)
        g.output(*(y if present else [y]), dtype="f32")

    g = Graph("ms_qattention")
    add(g, "plain", turned=(120, 0))
    add(g, "columns", columns=True, turned=(131, 3))
    add(g, "unsigned", weight="u8", turned=(7, 128), unidirectional=1)
    add(g, "ends", mask=[3, 5])
    add(g, "marks", mask=[[1, 1, 1, 0, 0], [1, 0, 1, 1, 1]], mask_filter_value=-5.0, scale=0.3)
    add(g, "past", past=3, present=True, unidirectional=1, turned=(120, 0))
    yield Case(g, "network")


def dynamic_lstm(g, x, inputs, hidden, code="i8", columns=False, zero=0, directions=1, batch=2,
                 bias=True, lengths=None, states=False, peepholes=False, outputs=3, **attributes):
    """DynamicQuantizeLSTM on `x`; a scale and a zero point for all of a direction, or for each
    of its columns."""
    shape = (directions, 4 * hidden) if columns else (directions,)

    def coded(rows):
        return (g.weight(weights(g, code, (directions, rows, 4 * hidden))),
                g.weight(g.rng.uniform(0.004, 0.01, shape).astype(np.float32)),
                g.weight(np.full(shape, zero, DTYPES[code])))

    (w, w_scale, w_zero), (r, r_scale, r_zero) = coded(inputs), coded(hidden)
    state = (directions, batch, hidden)
    h, c = (g.input(name, state) for name in "hc") if states else (None, None)
    if directions == 2:
        attributes["direction"] = "bidirectional"
    return g.op("DynamicQuantizeLSTM", x, w, r,
                g.weight((directions, 8 * hidden)) if bias else None, lengths, h, c,
                g.weight((directions, 3 * hidden)) if peepholes else None,
                w_scale, w_zero, r_scale, r_zero, outputs=outputs, hidden_size=hidden,
                **attributes, **MICROSOFT)


@cases
def recurrent():
    """Ranges are those of ONNX Runtime on one thread: several share the rows of a batch."""
    for name, steps, inputs, hidden, extra in (
            ("", 5, 3, 4, {}), ("_no_bias", 4, 7, 11, {"bias": False, "batch": 3}),
            ("_one_row", 6, 40, 33, {"batch": 1, "states": True}),
            ("_unsigned", 4, 9, 16, {"code": "u8", "zero": 131}),
            ("_middle", 4, 9, 16, {"code": "u8", "zero": 128, "batch": 1}),
            ("_columns", 5, 19, 24, {"columns": True, "batch": 3}),
            ("_unsigned_columns", 3, 8, 12, {"columns": True, "code": "u8", "zero": 117}),
            ("_reverse", 6, 16, 32, {"direction": "reverse", "states": True, "batch": 4}),
            ("_both", 7, 10, 20, {"directions": 2, "states": True, "columns": True}),
            ("_peepholes", 5, 3, 4, {"directions": 2, "peepholes": True, "states": True,
                                     "clip": 0.5}),
            ("_forget", 5, 3, 4, {"input_forget": 1}),
            ("_activations", 4, 3, 4, {"activations": ["HardSigmoid", "Softsign", "Relu"]}),
            ("_one_step", 1, 8, 16, {"states": True})):
        g = Graph("dynamic_lstm" + name)
        x = g.input("x", (steps, extra.get("batch", 2), inputs), low=-2, high=3)
        yield Case(g.output(*dynamic_lstm(g, x, inputs, hidden, **extra), dtype="f32"), "network")
    for name, extra in (("forward", {}), ("reverse", {"direction": "reverse"}),
                        ("both", {"directions": 2})):
        g = Graph("dynamic_lstm_lengths_" + name)
        # The last step, of which no row has any, is out of the range of the others.
        x = g.rng.uniform(-2, 3, (6, 3, 5)).astype(np.float32)
        x[5] *= 100
        sizes = g.input("sizes", value=np.array([5, 1, 3], np.int32))
        y = dynamic_lstm(g, g.input("x", value=x), 5, 8, batch=3, lengths=sizes, states=True,
                         **extra)
        yield Case(g.output(*y, dtype="f32"), "network")


def pack(values, bits):
    """Codes along the last dimension, several to a byte."""
    per_byte = 8 // bits
    missing = -values.shape[-1] % per_byte
    values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, missing)])
    values = values.reshape(*values.shape[:-1], -1, per_byte).astype(np.uint8)
    return (values << (np.arange(per_byte) * bits)).sum(-1).astype(np.uint8)


def nbits(g, x, k, n, block, bits=4, zeros=None, groups=None, bias=False, dtype="f32", level=None):
    """MatMulNBits with random weights."""
    blocks = -(-k // block)
    limit = 1 << bits
    b = g.weight(pack(g.rng.integers(0, limit, (n, blocks, block)), bits))
    scales = g.weight(g.rng.uniform(0.02, 0.1, (n, blocks)).astype(np.float32), dtype)
    if zeros == "codes":
        zeros = g.weight(pack(g.rng.integers(0, limit, (n, blocks)), bits))
    elif zeros == "floats":
        zeros = g.weight(g.rng.uniform(0, limit, (n, blocks)).astype(np.float32), dtype)
    if groups is not None:
        groups = g.weight(np.asarray(groups, np.int32))
    return g.op("MatMulNBits", x, b, scales, zeros, groups, g.weight((n,), dtype) if bias else None,
                K=k, N=n, block_size=block, bits=bits, accuracy_level=level, **MICROSOFT)


@cases
def rounded_rows():
    """Of accuracy level 4 rows are codes of 8 bits by blocks, too. One of zeros has a scale."""
    for name, m, k, n, block, extra in (
            ("row", (1,), 256, 160, 32, {}), ("rows", (5,), 64, 33, 16, {"zeros": "codes"}),
            ("odd", (1, 3), 77, 48, 32, {"zeros": "codes", "bias": True}),
            ("long", (2,), 512, 64, 256, {}), ("many", (37,), 96, 40, 32, {}),
            ("bytes", (2,), 70, 48, 32, {"bits": 8, "zeros": "codes"}),
            ("many_bytes", (37,), 140, 500, 32, {"bits": 8}),
            ("one_block", (37,), 128, 520, 128, {"bits": 8, "zeros": "codes", "bias": True}),
            ("two_bits", (1,), 70, 48, 32, {"bits": 2}),
            ("float_zeros", (2,), 96, 20, 32, {"zeros": "floats"})):
        g = Graph("matmul_nbits_level4_" + name)
        x = g.rng.uniform(-2, 3, (*m, k)).astype(np.float32)
        x[..., :block] = 0
        y = nbits(g, g.input("x", value=x), k, n, block, level=4, **extra)
        yield Case(g.output(y, dtype="f32"), "reduction")


@cases
def few_bits():
    for name, m, k, n, block, extra in (
            ("row", (1,), 128, 48, 32, {}), ("rows", (37,), 64, 33, 16, {"zeros": "codes"}),
            ("odd", (1, 5), 77, 29, 32, {"zeros": "codes", "bias": True}),
            ("odd_row", (1,), 45, 7, 16, {}), ("batch", (2, 3), 256, 40, 128, {"bias": True}),
            ("one_block", (3,), 256, 17, 256, {"zeros": "codes"}),
            ("float_zeros", (4,), 96, 20, 32, {"zeros": "floats"}),
            ("bytes", (3,), 70, 21, 32, {"bits": 8, "zeros": "codes"}),
            ("many_bytes", (3,), 330, 219, 32, {"bits": 8, "zeros": "codes"}),
            ("two_bits", (3,), 70, 21, 32, {"bits": 2, "zeros": "codes"}),
            ("groups", (5,), 64, 19, 16, {"groups": np.arange(64) * 7 % 17 % 4})):
        g = Graph("matmul_nbits_" + name)
        x = g.input("x", (*m, k))
        yield Case(g.output(nbits(g, x, k, n, block, **extra), dtype="f32"), "reduction")
    # What is infinite in a row makes its sums so, whatever the zero points are.
    for zeros in ({}, {"zeros": "codes"}):
        g = Graph("matmul_nbits_infinite" + ("_zeros" if zeros else ""))
        x = np.ones((1, 64), np.float32)
        x[0, 5] = np.inf
        y = nbits(g, g.op("Mul", g.input("x", (1, 64)), g.weight(x)), 64, 24, 32, **zeros)
        yield Case(g.output(y, dtype="f32"), "reduction")
    g = Graph("matmul_nbits_f16")
    y = nbits(g, g.input("x", (3, 64), "f16"), 64, 24, 32, dtype="f16")
    yield Case(g.output(y, dtype="f16"), "reduction")
    # The same as ONNX writes it: blocks of columns, of rows, and a table.
    for name, axis, shape in (("rows", 0, (96, 40)), ("columns", 1, (40, 96))):
        for dtype in ("u4", "i4"):
            g = Graph(f"int4_matmul_{name}_{dtype}")
            g.opset = 21
            w = int4(g, shape, axis, dtype, 32)
            w = w if axis == 0 else g.op("Transpose", w, perm=[1, 0])
            y = g.op("MatMul", g.input("x", (5, 96)), w)
            yield Case(g.output(y, dtype="f32"), "reduction")
    # Many rows of f16 are multiplied by matrix units, where there are such. ONNX Runtime
    # does not round what the codes stand for.
    g = Graph("int4_matmul_many_half")
    g.opset = 21
    y = g.op("MatMul", g.input("x", (200, 256), "f16"),
             int4(g, (256, 256), 0, "i4", 32, np.float16))
    yield Case(g.output(y, dtype="f16"), "network")
    g = Graph("int4_gemm")
    g.opset = 21
    y = g.op("Gemm", g.input("x", (3, 64)), int4(g, (31, 64), 1, "u4", 16), g.weight((31,)),
             transB=1)
    yield Case(g.output(y, dtype="f32"), "reduction")
    # Codes of 8 bits by such, whose products are integers.
    for dtype, other, operator, columns in (("u4", "u8", "MatMul", 53), ("i4", "i8", "Gemm", 53),
                                            ("u4", "i8", "Conv", 32), ("i4", "u8", "Conv", 5)):
        g = Graph(f"{other}_by_{dtype}_{operator.lower()}_{columns}")
        g.opset = 21
        shape, axis = {"MatMul": ((67, columns), 1), "Gemm": ((columns, 67), 0),
                       "Conv": ((columns, 19, 3, 3), 0)}[operator]
        low, high = (0, 16) if dtype == "u4" else (-8, 8)
        w, zero = (g.weight(g.rng.integers(low, high, of).astype(DTYPES[dtype]))
                   for of in (shape, (columns,)))
        scale = g.weight(g.rng.uniform(0.02, 0.1, columns).astype(np.float32))
        x = g.input("x", (2, 19, 7, 6) if operator == "Conv" else (9, 67))
        step, middle = g.scalar(0.03), g.weight(np.array(5, DTYPES[other]))
        x = g.op("DequantizeLinear", g.op("QuantizeLinear", x, step, middle), step, middle)
        where = {"transB": 1} if operator == "Gemm" else {}
        y = g.op(operator, x, g.op("DequantizeLinear", w, scale, zero, axis=axis), **where)
        yield Case(g.output(y, dtype="f32"), "reduction")
    # Of a byte: a scale for all, for each column, for each block of a column.
    for name, m, k, n, dtype, scales, where in (
            ("tensor", (1,), 311, 213, "u8", (), {}),
            ("columns", (3,), 205, 333, "i8", (333,), {"axis": 1}),
            ("blocks", (2, 3), 272, 251, "u8", (17, 251), {"axis": 0, "block_size": 16})):
        g = Graph("byte_matmul_" + name)
        g.opset = 21
        low, high = (-128, 128) if dtype == "i8" else (0, 256)
        w, zero = (g.weight(g.random(shape, dtype, low, high)) for shape in ((k, n), scales))
        scale = g.weight(g.rng.uniform(0.02, 0.1, scales).astype(np.float32))
        y = g.op("MatMul", g.input("x", (*m, k)), g.op("DequantizeLinear", w, scale, zero, **where))
        yield Case(g.output(y, dtype="f32"), "reduction")
    for width in (64, 30):
        g = Graph(f"int4_gather_{width}")
        g.opset = 21
        y = g.op("Gather", int4(g, (50, width), 1, "i4", 10 if width == 30 else 32),
                 g.input("i", (2, 7), "i64", high=50))
        yield Case(g.output(y, dtype="f32"), "elementwise")


@cases
def tables():
    for name, bits, dtype, shape, indices, block, zeros, extra in (
            ("packed", 4, "u8", (40, 96), (2, 7), 32, True, {}),
            ("middle", 4, "u8", (40, 64), (9,), 16, False, {}),
            ("bytes", 8, "u8", (21, 70), (5,), 32, True, {"bits": 8}),
            ("signed", 4, "i4", (40, 48), (3, 2), 16, True, {}),
            ("unsigned", 4, "u4", (20, 3, 32), (6,), 32, False, {"quantize_axis": 2}),
            ("odd", 4, "u8", (40, 90), (4,), 32, True, {"bits": 4, "quantize_axis": -1}),
            ("columns", 4, "u4", (32, 30), (5,), 16, True, {"quantize_axis": 0, "gather_axis": 1})):
        g = Graph("ms_gather_codes_" + name)
        axis = extra.get("quantize_axis", 1)
        blocks = list(shape)
        blocks[axis] = -(-shape[axis] // block)

        def table(of):
            if dtype == "u8":
                return g.weight(pack(g.rng.integers(0, 1 << bits, of), bits))
            low = -8 if dtype == "i4" else 0
            return g.weight(g.rng.integers(low, low + 16, of).astype(DTYPES[dtype]))

        extent = shape[extra.get("gather_axis", 0)]
        i = g.input("i", indices, "i64", low=-extent, high=extent)
        scales = g.weight(g.rng.uniform(0.02, 0.1, blocks).astype(np.float32))
        y = g.op("GatherBlockQuantized", table(shape), i, scales,
                 table(blocks) if zeros else None, block_size=block, **extra, **MICROSOFT)
        yield Case(g.output(y, dtype="f32"), "elementwise")


def int4(g, shape, axis, dtype, block, number=np.float32):
    """Weights of 4 bits in blocks, dequantised."""
    low, high = (0, 16) if dtype == "u4" else (-8, 8)
    blocks = list(shape)
    blocks[axis] //= block
    w, zero = (g.weight(g.rng.integers(low, high, s).astype(DTYPES[dtype]))
               for s in (shape, blocks))
    scale = g.weight(g.rng.uniform(0.02, 0.1, blocks).astype(number))
    return g.op("DequantizeLinear", w, scale, zero, axis=axis, block_size=block)
