# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bf16 with sums in f32, on a row whose unit adds two of them in a step."""
import numpy as np
from builder import DTYPES, Case, Graph, cases, widened

ROW = ("--cpu=zen4",)


def bf16(shape, graph, scale=1.0):
    return graph.weight((np.float32(scale) * graph.random(shape, "f32")).astype(DTYPES["bf16"]))


@cases
def bf16_matrices():
    """Terms in pairs and a term over, columns that fill no vector, both sides computed."""
    shapes = {"tails": ((33, 65), (65, 47)), "even": ((31, 64), (64, 64)),
              "pair": ((5, 2), (2, 33)), "term": ((5, 1), (1, 33)),
              "batched": ((3, 17, 30), (3, 30, 33)), "one_row": ((1, 127), (127, 65)),
              "broadcast": ((2, 3, 7, 31), (31, 17)), "long": ((35, 1031), (1031, 48)),
              "blocks": ((331, 1030), (1030, 47))}
    for name, (left, right) in shapes.items():
        for kind in ("computed", "weight"):
            g = Graph(f"bf16_pairs_{name}_{kind}")
            b = g.input("b", right, "bf16") if kind == "computed" else bf16(right, g)
            y = g.op("MatMul", g.input("a", left, "bf16"), b)
            yield Case(g.output(y, dtype="bf16"), "contraction", widened, cpu_options=ROW)


@cases
def bf16_layers():
    for name, attributes in {"plain": {}, "trans_a": {"transA": 1}, "trans_b": {"transB": 1}}.items():
        g = Graph(f"bf16_pairs_gemm_{name}")
        a = g.input("a", (34, 17) if attributes.get("transA") else (17, 34), "bf16")
        b = bf16((33, 34) if attributes.get("transB") else (34, 33), g)
        y = g.op("Gemm", a, b, bf16((33,), g), **attributes)
        yield Case(g.output(g.op("Relu", y), dtype="bf16"), "network", widened, cpu_options=ROW)

    # What one layer computes the next one multiplies, kept by the kernel or not.
    g = Graph("bf16_pairs_layers")
    x = g.input("x", (2, 19, 64), "bf16")
    for _ in range(3):
        x = g.op("Tanh", g.op("Add", g.op("MatMul", x, bf16((64, 64), g, 0.2)), bf16((64,), g)))
    yield Case(g.output(x, dtype="bf16"), "network", widened, cpu_options=ROW)

    g = Graph("bf16_pairs_attention")
    q, k, v = (g.input(name, (2, 3, 33, 32), "bf16") for name in "qkv")
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    y = g.op("MatMul", g.op("Softmax", scores), v)
    yield Case(g.output(y, dtype="bf16"), "network", widened, cpu_options=ROW)

    g = Graph("bf16_pairs_conv")
    y = g.op("Conv", g.input("x", (2, 6, 11, 13), "bf16"), bf16((32, 6, 3, 3), g), bf16((32,), g),
             pads=[1] * 4)
    yield Case(g.output(g.op("Relu", y), dtype="bf16"), "network", widened, cpu_options=ROW)
