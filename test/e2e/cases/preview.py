# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of the domains ai.onnx.preview and ai.onnx.ml, and bits as they lie."""
import numpy as np

from builder import DTYPES, FLOATS, Case, Graph, cases, onnx_type
from cases.control import Body


def attention(q, k, v, scale, score=lambda s: s, prob=lambda p: p):
    """As the definition of FlexAttention says, in f64."""
    q, k, v = (a.astype(np.float64) for a in (q, k, v))
    k, v = (np.repeat(a, q.shape[1] // a.shape[1], axis=1) for a in (k, v))
    s = score(scale * q @ k.swapaxes(-1, -2))
    p = np.exp(s - s.max(-1, keepdims=True))
    return prob(p / p.sum(-1, keepdims=True)) @ v


@cases
def flex_attention():
    for name, heads, kv_heads, sizes in (("plain", 2, 2, (5, 7)), ("grouped", 6, 2, (3, 5)),
                                         ("one", 1, 1, (1, 1))):
        g = Graph(f"flex_attention_{name}")
        q, k, v = (g.input(n, (2, h, length, size)) for n, h, length, size in (
            ("q", heads, 5, sizes[0]), ("k", kv_heads, 11, sizes[0]), ("v", kv_heads, 11, sizes[1])))
        y = g.op("FlexAttention", q, k, v, domain="ai.onnx.preview")
        yield Case(g.output(y, dtype="f32"), "network", lambda q, k, v: [
            attention(q, k, v, 1 / np.sqrt(q.shape[-1])).astype(np.float32)])

    # Scores are bent and masked, probabilities weighed, by graphs that use outer values.
    g = Graph("flex_attention_modified")
    q, k, v = g.input("q", (1, 2, 4, 6)), g.input("k", (1, 2, 4, 6)), g.input("v", (1, 2, 4, 3))
    mask = g.weight(np.where(np.tril(np.ones((4, 4))), 0, -np.inf), "f32")
    score, prob = Body("score"), Body("prob")
    s, p = score.argument("s", None), prob.argument("p", None)
    y = g.op("FlexAttention", q, k, v, domain="ai.onnx.preview", scale=0.25,
             score_mod=score.result(score.op("Add", score.op("Tanh", s), mask)),
             prob_mod=prob.result(prob.op("Mul", p, prob.scalar(0.5))))
    yield Case(g.output(y, dtype="f32"), "network", lambda q, k, v: [attention(
        q, k, v, 0.25, lambda s: np.tanh(s) + np.where(np.tril(np.ones((4, 4))), 0, -np.inf),
        lambda p: 0.5 * p).astype(np.float32)])


@cases
def bits():
    pairs = [("f32", "i32"), ("f32", "u32"), ("f64", "i64"), ("f64", "u64"), ("f16", "i16"),
             ("f16", "u16"), ("bf16", "i16"), ("bf16", "u16"), ("f8E4M3FN", "i8"),
             ("f8E5M2", "u8"), ("f4E2M1FN", "u4"), ("i8", "u8"), ("u32", "i32")]
    pairs += [(b, a) for a, b in pairs]
    g = Graph("bitcast")
    g.opset = 26
    for source, to in pairs:
        if source in FLOATS:  # both zeros, subnormal and large numbers
            exponents = {"f16": (-24, 15), "f64": (-1070, 1000)}.get(source, (-130, 127))
            x = g.rng.standard_normal(67) * 2.0 ** g.rng.integers(*exponents, 67)
            x[:4] = 0.0, -0.0, np.inf, -np.inf
            with np.errstate(over="ignore"):
                x = x.astype(DTYPES[source])
        else:
            most = 16 if source in ("u4", "f4E2M1FN") else 256
            x = g.rng.integers(0, most, 67 * np.dtype(DTYPES[source]).itemsize)
            if to in ("f16", "bf16"):  # not those of NaN
                x[1::2] &= 0x3b
            x = x.astype(np.uint8).view(DTYPES[source])
        x = g.input(f"{source}_{to}", value=x)
        g.output(g.op("BitCast", x, to=onnx_type(to)), dtype=to)
    yield Case(g, "exact", lambda *inputs: [x.view(DTYPES[to])
                                            for x, (_, to) in zip(inputs, pairs)])

    g = Graph("bitcast_fused")  # the sign of an f32 through its bits, in one kernel
    g.opset = 26
    x = g.input("x", (5, 13))
    code = g.op("BitCast", g.op("Mul", x, g.scalar(3.0)), to=onnx_type("i32"))
    flipped = g.op("BitwiseXor", code, g.weight(np.array(-2**31), "i32"))
    y = g.op("BitCast", flipped, to=onnx_type("f32"))
    yield Case(g.output(g.op("Add", y, g.scalar(1.0)), dtype="f32"), "elementwise",
               lambda x: [1 - 3 * x])


@cases
def machine_learning():
    domain = "ai.onnx.ml"
    for shape in ((3, 7), (7,), (2, 3, 5)):
        g = Graph(f"array_feature_extractor_{len(shape)}d")
        x, at = g.input("x", shape), g.input("at", value=np.array([4, 0, 4, 2]))
        y = g.op("ArrayFeatureExtractor", x, at, domain=domain)
        yield Case(g.output(y, dtype="f32"), "exact",
                   lambda x, at: [np.atleast_2d(x)[..., at]])
    g = Graph("binarizer")
    x = g.input("x", value=np.array([[0.5, 0.25, -1], [0.3, np.nan, 1]], np.float32))
    y = g.op("Binarizer", x, domain=domain, threshold=0.25)
    yield Case(g.output(y, dtype="f32"), "exact",
               lambda x: [(x > np.float32(0.25)).astype(np.float32)])
    for dtype in ("f32", "i64"):
        g = Graph(f"scaler_{dtype}")
        x = g.input("x", (5, 3), dtype)
        y = g.op("Scaler", x, domain=domain, offset=[0.5, -1.0, 2.0], scale=[2.0, 0.5, -1.0])
        yield Case(g.output(y, dtype="f32"), "elementwise")
