# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""operations.py's table goes on: contractions, norms, attention, quantised and recurrent
layers. Shapes as in the descriptions of dialects/fuse/*.td."""
from graph import FLOATS
from operations import define, expect, window_counts


def split(types, attributes):
    """Operands by segment, None for those that are absent."""
    operands, result = list(types), []
    for count in attributes["operandSegmentSizes"].counts:
        result.append(operands.pop(0) if count else None)
    expect(not operands)
    return result


def one_dtype(*types):
    expect(len({t[0] for t in types if t}) == 1, "types differ")


def broadcast_shapes(a, b):
    """NumPy's rule."""
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    expect(all(x == y or 1 in (x, y) for x, y in zip(a, b)))
    return tuple(y if x == 1 else x for x, y in zip(a, b))


def repeats_over(shape, to):
    return broadcast_shapes(shape, to) == to


def matmul_shape(a, b):
    expect(a and b and a[-1] == (b[0] if len(b) == 1 else b[-2]))
    rows = a[-2:-1] if len(a) > 1 else ()
    return broadcast_shapes(a[:-2], b[:-2]) + rows + (b[-1:] if len(b) > 1 else ())


def matmul(types, _):
    one_dtype(*types)
    return [(types[0][0], matmul_shape(types[0][1], types[1][1]))]


def gemm(types, attributes):
    one_dtype(*types)
    (dtype, a), (_, b) = types[:2]
    expect(len(a) == len(b) == 2)
    m, ka = a[::-1] if attributes["trans_lhs"] else a
    kb, n = b[::-1] if attributes["trans_rhs"] else b
    expect(ka == kb and all(len(c) <= 2 and repeats_over(c, (m, n)) for _, c in types[2:]))
    return [(dtype, (m, n))]


def conv_shape(x, w, attributes):
    groups = attributes["groups"]
    expect(len(x) == len(w) >= 3 and len(attributes["strides"]) == len(x) - 2)
    expect(groups > 0 and x[1] == w[1] * groups and w[0] % groups == 0)
    return (x[0], w[0]) + window_counts(x, attributes | {"sizes": w[2:]})


def conv(types, attributes):
    one_dtype(*types)
    shape = conv_shape(types[0][1], types[1][1], attributes)
    expect(all(b == (shape[1],) for _, b in types[2:]))
    return [(types[0][0], shape)]


def conv_transpose(types, attributes):
    one_dtype(*types)
    (dtype, x), (_, w), groups = types[0], types[1], attributes["groups"]
    expect(len(x) == len(w) >= 3 and len(attributes["strides"]) == len(x) - 2)
    expect(min(w[2:]) > 0 and groups > 0 and x[1] == w[0] and x[1] % groups == 0)
    shape = [x[0], w[1] * groups]
    for i, low in enumerate(attributes["pad_low"]):
        reach = (w[i + 2] - 1) * attributes["dilations"][i]
        full = (x[i + 2] - 1) * attributes["strides"][i] + reach + 1
        expect(0 <= low <= reach)
        shape.append(full - low + attributes["_more"][i])
        expect(shape[-1] > 0 and x[i + 2] > 0)
    expect(all(b == (shape[1],) for _, b in types[2:]))
    return [(dtype, tuple(shape))]


define("matmul", matmul)
define("gemm", gemm)
define("conv", conv)
define("conv_transpose", conv_transpose)


def per_channel(types, attributes):
    one_dtype(*types)
    shape = types[0][1]
    expect(len(shape) >= 2 and all(p == shape[1:2] for _, p in types[1:]))
    groups = attributes.get("groups", 1)
    expect(groups > 0 and shape[1] % groups == 0)
    return [types[0]]


def over_trailing(types, attributes):
    one_dtype(*types)
    shape, axis = types[0][1], attributes["axis"]
    expect(axis < len(shape) and all(p == shape[axis:] for _, p in types[1:]))
    return [types[0]]


def layer_norm(types, attributes):
    result = over_trailing(types, attributes)
    axis, (dtype, shape) = attributes["axis"], types[0]
    kept = (dtype, shape[:axis] + (1,) * (len(shape) - axis))
    return result + [kept] * sum(attributes["resultSegmentSizes"].counts[1:])


def over_dims(types, attributes):
    expect(all(d < len(types[0][1]) for d in attributes["dims"]))
    return [types[0]]


def over_channels(types, _):
    expect(len(types[0][1]) >= 2)
    return [types[0]]


define("batch_norm group_norm", per_channel)
define("layer_norm", layer_norm)
define("rms_norm", over_trailing)
define("mean_variance_norm", over_dims)
define("local_response_norm", over_channels)


def attention(types, attributes):
    query, key, value, bias, allowed = split(types, attributes)
    one_dtype(query, key, value, bias)
    (dtype, q), (_, k), (_, v) = query, key, value
    expect(len(q) == len(k) == len(v) == 4 and (k[0], k[3]) == (q[0], q[3]))
    expect(v[:3] == k[:3] and k[1] > 0 and q[1] % k[1] == 0 and 0 not in q + k + v)
    scores = (q[0], q[1], q[2], k[2])
    for mask in (bias, allowed):
        expect(not mask or (len(mask[1]) == 4 and repeats_over(mask[1], scores)))
    expect(not allowed or allowed[0] == "bool")
    results = [(dtype, scores[:3] + v[3:])]
    return results + [(dtype, scores)] * attributes["_scores"]


def rotary(types, _):
    one_dtype(*types)
    (_, x), (_, cos), (_, sin) = types
    expect(len(x) == 4 and len(cos) == 3 and cos == sin)
    expect(cos[0] in (1, x[0]) and cos[1] == x[1] and 2 * cos[2] <= x[3])
    return [types[0]]


def nll_loss(types, attributes):
    (dtype, shape), (_, target) = types[:2]
    expect(len(shape) >= 2 and target == shape[:1] + shape[2:])
    expect(all(t == (dtype, shape[1:2]) for t in types[2:]))
    return [(dtype, target if attributes["reduction"].name == "none" else ())]


define("attention", attention)
define("rotary_embedding", rotary)
define("nll_loss", nll_loss, indices=lambda a: [(1, 1)])


# Quantised: exact as long as scales are powers of two.

def quantize(types, attributes):
    (dtype, shape), scale = types[:2]
    expect(dtype in FLOATS and scale[0] == dtype and all(repeats_over(t[1], shape) for t in types[1:]))
    expect(all(t[0] == attributes["_dtype"] for t in types[2:]))
    return [(attributes["_dtype"], shape)]


def dequantize(types, _):
    (dtype, shape), scale = types[:2]
    expect(all(repeats_over(t[1], shape) for t in types[1:]) and scale[0] in FLOATS)
    expect(all(t[0] == dtype for t in types[2:]))
    return [(scale[0], shape)]


def dynamic_quantize(types, _):
    expect(types[0][0] == "f32" and 0 not in types[0][1])
    return [("u8", types[0][1]), ("f32", ()), ("u8", ())]


def matmul_integer(types, attributes):
    a, b, a_zero, b_zero = split(types, attributes)
    expect(all(not z or z == (t[0], ()) for t, z in ((a, a_zero), (b, b_zero))))
    return [("i32", matmul_shape(a[1], b[1]))]


def conv_integer(types, attributes):
    x, w, x_zero, w_zero = split(types, attributes)
    expect(all(not z or z == (t[0], ()) for t, z in ((x, x_zero), (w, w_zero))))
    return [("i32", conv_shape(x[1], w[1], attributes))]


def of_quantized(types):
    """The parameters of a, b and the result are scalars of the right types."""
    (a, _), a_scale, a_zero, (b, _), b_scale, b_zero, scale, zero = types[:8]
    expect(all(t == ("f32", ()) for t in (a_scale, b_scale, scale)))
    expect(a_zero == (a, ()) and b_zero == (b, ()) and zero == (a, ()))
    return a


def qlinear_matmul(types, _):
    return [(of_quantized(types), matmul_shape(types[0][1], types[3][1]))]


def qlinear_conv(types, attributes):
    shape = conv_shape(types[0][1], types[3][1], attributes)
    expect(all(t == ("i32", shape[1:2]) for t in types[8:]))
    return [(of_quantized(types), shape)]


define("quantize", quantize, needs_exact=True)
define("dequantize", dequantize)
define("dynamic_quantize", dynamic_quantize, needs_exact=True)
define("matmul_integer", matmul_integer)
define("conv_integer", conv_integer)
define("qlinear_matmul", qlinear_matmul, needs_exact=True)
define("qlinear_conv", qlinear_conv, needs_exact=True)


# Recurrent.

GATES = {"rnn": 1, "gru": 3, "lstm": 4}


def recurrent(kind):
    gates = GATES[kind]

    def infer(types, attributes):
        parts = split(types, attributes)
        (dtype, x), (_, w), (_, r), bias, lengths, *states = parts
        one_dtype(parts[0], parts[1], parts[2], bias, *states)
        expect(len(x) == len(w) == len(r) == 3 and w[1] == gates * r[2] == r[1] and w[2] == x[2])
        (steps, batch, _), (directions, hidden) = x, (r[0], r[2])
        wanted = 2 if attributes["direction"].name == "bidirectional" else 1
        expect(directions == w[0] == wanted and min(steps, batch, hidden, x[2]) > 0)
        expect(not bias or bias[1] == (directions, 2 * gates * hidden))
        expect(not lengths or lengths == ("i32", (batch,)))
        state = (directions, batch, hidden)
        for shape, given in zip((state, state, (directions, 3 * hidden)), states):
            expect(not given or given[1] == shape)
        return [(dtype, (steps, directions, batch, hidden))] + [(dtype, state)] * (2 if kind == "lstm" else 1)
    return infer


for name in GATES:
    define(name, recurrent(name))
