# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of codes of 8 bits that give codes, with QuantizeLinear and DequantizeLinear
around each operator, as tools that quantise models write them: of all codes that an input
has, and behind a product."""
import math

import numpy as np

from builder import DTYPES, Case, Graph, cases
from oracle import run_onnxruntime
from .quantized import weights, zero_point


class Codes:
    """Values of a graph as codes of `dtype`; an operator quantises its result by the range
    that its float form has for all codes of the input."""

    def __init__(self, g, dtype, scale, zero):
        self.g, self.dtype = g, dtype
        limits = np.iinfo(DTYPES[dtype])
        self.codes = np.arange(limits.min, limits.max + 1)
        self.first = (self.codes - zero) * scale  # what the function's argument may be
        self.known = {}

    def start(self, codes, scale, zero):
        y = self.decode(codes, scale, zero)
        self.known[y] = self.first
        return y

    def decode(self, codes, scale, zero):
        return self.g.op("DequantizeLinear", codes, self.g.scalar(scale),
                         zero_point(self.g, zero, self.dtype))

    def encode(self, y, values):
        low, high = min(0, values.min()), max(0, values.max())
        scale = (high - low) / 255 or 1
        zero = int(np.clip(np.rint(self.codes[0] - low / scale), self.codes[0], self.codes[-1]))
        return self.g.op("QuantizeLinear", y, self.g.scalar(scale),
                         zero_point(self.g, zero, self.dtype)), scale, zero

    def op(self, name, function, *operands, **attributes):
        y = self.g.op(name, *(x if isinstance(x, str) else self.g.scalar(x) for x in operands),
                      **attributes)
        values = function(*(self.known.get(x, x) for x in operands))
        again = self.decode(*self.encode(y, values))
        self.known[again] = values
        return again


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(c, x):
    y = c.op("Div", np.divide, x, 1.4142135)
    y = c.op("Erf", np.vectorize(math.erf), y)
    y = c.op("Add", np.add, y, 1.0)
    y = c.op("Mul", np.multiply, x, y)
    return c.op("Mul", np.multiply, y, 0.5)


FUNCTIONS = {
    "gelu": gelu,
    "silu": lambda c, x: c.op("Mul", np.multiply, x, c.op("Sigmoid", sigmoid, x)),
    "hard_swish": lambda c, x: c.op("HardSwish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1), x),
    "tanh": lambda c, x: c.op("Tanh", np.tanh, x),
    "log": lambda c, x: c.op("Log", np.log, c.op("Add", np.add, c.op("Abs", np.abs, x), 1.0)),
}


@cases
def functions():
    for name, function in FUNCTIONS.items():
        for dtype, zero in (("u8", 131), ("i8", -7)):
            g = Graph(f"codes_function_{name}_{dtype}")
            c = Codes(g, dtype, 0.043, zero)
            x = g.input("x", value=g.rng.permutation(np.resize(c.codes, (3, 97)).ravel())
                        .reshape(3, 97).astype(DTYPES[dtype]))
            y = function(c, c.start(x, 0.043, zero))
            codes, _, _ = c.encode(y, c.known[y])
            g.output(codes, dtype=dtype)
            yield Case(g, "quantised")
    # The epilogue of a product: sums become codes, and these are looked up.
    g = Graph("codes_function_product")
    c = Codes(g, "u8", 0.031, 120)
    x = c.decode(g.input("x", value=g.rng.integers(0, 256, (7, 40)).astype(np.uint8)), 0.01, 9)
    w = g.op("DequantizeLinear", g.weight(weights(g, "i8", (40, 35))), g.scalar(0.005))
    y = g.op("QuantizeLinear", g.op("MatMul", x, w), g.scalar(0.031), zero_point(g, 120, "u8"))
    y = gelu(c, c.start(y, 0.031, 120))
    g.output(c.encode(y, c.known[y])[0], dtype="u8")
    yield Case(g, "quantised", lambda x, g=g: run_onnxruntime(g.build(), {"x": x},
                                                               optimises=False))
