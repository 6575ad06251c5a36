# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of whole matrices, of bytes and of bf16, on the row whose processors have registers
for them: rows, columns and terms that fill no register, and kernels that have further loops."""
from builder import Case, Graph, cases, widened

from .bf16_products import bf16
from .quantized import codes, weights, zero_point

ROW = ("--cpu=sapphire-rapids-amx",)
# Rows and what stands before them, terms, columns.
SHAPES = {"whole": ((64,), 128, 64), "rows": ((37,), 64, 32), "terms": ((32,), 76, 48),
          "tails": ((50,), 68, 40), "few": ((16,), 4, 16), "below": ((15,), 64, 32),
          "batched": ((3, 20), 36, 33), "long": ((33,), 1028, 47), "odd_terms": ((32,), 77, 32)}


@cases
def byte_matrices():
    for name, (rows, terms, columns) in SHAPES.items():
        for kind in ("u8", "i8"):
            g = Graph(f"tiles_{kind}_{name}")
            a = g.input("a", value=codes(g, kind, (*rows, terms)))
            b = g.weight(weights(g, "i8", (terms, columns)))
            y = g.op("MatMulInteger", a, b, zero_point(g, 5, kind), zero_point(g, 0, "i8"))
            yield Case(g.output(y, dtype="i32"), "exact", cpu_options=ROW)


@cases
def byte_layers():
    for name, shape, taps in (("pointwise", (2, 36, 9, 7), 1), ("window", (1, 20, 12, 11), 3)):
        g = Graph(f"tiles_conv_{name}")
        x = g.input("x", value=codes(g, "u8", shape))
        w = g.weight(weights(g, "i8", (48, shape[1], taps, taps)))
        zero = zero_point(g, 128, "u8")
        y = g.op("QLinearConv", x, g.scalar(0.02), zero, w, g.scalar(0.01), zero_point(g, 0, "i8"),
                 g.scalar(0.7), zero, g.weight(g.rng.integers(-900, 900, 48, "i4")),
                 pads=[taps // 2] * 4)
        yield Case(g.output(y, dtype="u8"), "exact", cpu_options=ROW)


@cases
def bf16_matrices():
    for name, (rows, terms, columns) in SHAPES.items():
        g = Graph(f"tiles_bf16_{name}")
        y = g.op("MatMul", g.input("a", (*rows, terms), "bf16"), bf16((terms, columns), g))
        yield Case(g.output(g.op("Relu", y), dtype="bf16"), "contraction", widened, cpu_options=ROW)
    # What one layer computes the next one multiplies.
    g = Graph("tiles_bf16_layers")
    x = g.input("x", (2, 40, 64), "bf16")
    for _ in range(2):
        x = g.op("Tanh", g.op("Add", g.op("MatMul", x, bf16((64, 64), g, 0.2)), bf16((64,), g)))
    yield Case(g.output(x, dtype="bf16"), "network", widened, cpu_options=ROW)
