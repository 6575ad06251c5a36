# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators, one model each, and chains of them."""
import numpy as np
from onnx import numpy_helper

from builder import DTYPES, Case, Graph, cases

# 3 x 37: a vector of 16 lanes leaves a tail in each row and overall.
SHAPE = (3, 37)

# Operator: (tolerance, low, high, attributes). Inputs are uniform in [low, high).
UNARY = {
    "Abs": ("exact", -4, 4, {}),
    "Neg": ("exact", -4, 4, {}),
    "Floor": ("exact", -4, 4, {}),
    "Ceil": ("exact", -4, 4, {}),
    "Round": ("exact", -4, 4, {}),
    "Sign": ("exact", -4, 4, {}),
    "Relu": ("exact", -4, 4, {}),
    "Identity": ("exact", -4, 4, {}),
    "Sqrt": ("elementwise", 0, 9, {}),
    "Reciprocal": ("elementwise", 0.1, 4, {}),
    "LeakyRelu": ("elementwise", -4, 4, {"alpha": 0.1}),
    "HardSigmoid": ("elementwise", -4, 4, {"alpha": 0.3, "beta": 0.4}),
    "HardSwish": ("elementwise", -6, 6, {}),
    "Softsign": ("elementwise", -4, 4, {}),
    "ThresholdedRelu": ("exact", -4, 4, {"alpha": 0.7}),
    "Exp": ("elementwise", -30, 30, {}),
    "Log": ("elementwise", 1e-3, 50, {}),
    "Sin": ("elementwise", -10, 10, {}),
    "Cos": ("elementwise", -10, 10, {}),
    "Tanh": ("elementwise", -5, 5, {}),
    "Sigmoid": ("elementwise", -20, 20, {}),
    "Erf": ("elementwise", -4, 4, {}),
    "Elu": ("elementwise", -4, 4, {"alpha": 0.8}),
    "Selu": ("elementwise", -4, 4, {}),
    "Celu": ("elementwise", -4, 4, {"alpha": 1.3}),
    "Softplus": ("elementwise", -20, 20, {}),
    "Mish": ("elementwise", -4, 4, {}),
    "Gelu": ("elementwise", -5, 5, {}),
    "Shrink": ("elementwise", -4, 4, {"lambd": 1.5, "bias": 0.25}),
    "Tan": ("elementwise", -1.4, 1.4, {}),
    "Asin": ("elementwise", -1, 1, {}),
    "Acos": ("elementwise", -1, 1, {}),
    "Atan": ("elementwise", -9, 9, {}),
    "Sinh": ("elementwise", -5, 5, {}),
    "Cosh": ("elementwise", -5, 5, {}),
    "Asinh": ("elementwise", -9, 9, {}),
    "Acosh": ("elementwise", 1, 9, {}),
    "Atanh": ("elementwise", -0.95, 0.95, {}),
}
NEWER_OPSET = {"Mish": 18, "Gelu": 20}
BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min")
COMPARISONS = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")


@cases
def unary():
    for kind, (tolerance, low, high, attributes) in UNARY.items():
        g = Graph(f"op_{kind.lower()}")
        g.opset = NEWER_OPSET.get(kind, 17)
        x = g.input("x", SHAPE, low=low, high=high)
        yield Case(g.output(g.op(kind, x, **attributes)), tolerance)
    g = Graph("op_gelu_tanh")
    g.opset = 20
    yield Case(g.output(g.op("Gelu", g.input("x", SHAPE, low=-5, high=5),
                             approximate="tanh")), "elementwise")


@cases
def binary():
    for kind in BINARY:
        g = Graph(f"op_{kind.lower()}")
        x, y = g.input("x", SHAPE), g.input("y", SHAPE, low=0.5, high=2)
        yield Case(g.output(g.op(kind, x, y)), "elementwise")
    for kind in COMPARISONS:
        g = Graph(f"op_{kind.lower()}")
        x = g.input("x", SHAPE, "i32", low=0, high=3)
        y = g.input("y", SHAPE, "i32", low=0, high=3)
        yield Case(g.output(g.op(kind, x, y)), "exact")
    for kind in ("And", "Or", "Xor"):
        g = Graph(f"op_{kind.lower()}")
        yield Case(g.output(g.op(kind, g.input("x", SHAPE, "bool"),
                                 g.input("y", (37,), "bool"))), "exact")
    # Host compilers warn of comparisons whose answer they know.
    g = Graph("answers_known_before")
    x, y = g.input("x", (1,), "i64", low=-2, high=3), g.input("y", (1,), "u8", low=0, high=3)
    zero = g.weight(np.array([0]))
    never = g.op("And", g.op("Equal", x, zero), g.op("Greater", x, zero))
    always = g.op("Or", g.op("Less", x, g.weight(np.array([3]))),
                  g.op("Greater", x, g.weight(np.array([2]))))
    below = g.op("Less", y, g.weight(np.array([0], np.uint8)))
    yield Case(g.output(g.op("Or", g.op("Xor", never, always), below)), "exact")
    g = Graph("op_not")
    yield Case(g.output(g.op("Not", g.input("x", SHAPE, "bool"))), "exact")
    g = Graph("op_pow")
    x, y = g.input("x", SHAPE, low=0.1, high=3), g.input("y", SHAPE, low=-3, high=3)
    yield Case(g.output(g.op("Pow", x, y)), "elementwise")
    g = Graph("op_pow_square")
    yield Case(g.output(g.op("Pow", g.input("x", SHAPE, low=-3), g.scalar(2.0))),
               "elementwise")
    # Products, roots and quotients take the place of these, at the limits too.
    g = Graph("op_pow_quarters")
    limits = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-3, -1e-3, 1e4, -1e4]
    x = g.input("x", value=np.append(np.geomspace(1e-4, 1e4, 26), limits).astype(np.float32))
    exponents = (3, 4, 7, -1, -2, -8, 0.5, -0.5, 0.25, -0.25, 0.75, -1.5, 2.25, 7.75)
    powers = [g.op("Pow", x, g.scalar(exponent)) for exponent in exponents]
    yield Case(g.output(g.op("Concat", *powers, axis=0)), "elementwise")
    for fmod in (0, 1):
        g = Graph(f"op_mod_{'fmod' if fmod else 'python'}")
        dtype = "f32" if fmod else "i32"
        x = g.input("x", SHAPE, dtype, low=-30, high=30)
        y = g.input("y", SHAPE, dtype, low=1, high=9)
        yield Case(g.output(g.op("Mod", x, y, fmod=fmod)), "exact")
    for base, exponent in (("f32", "i32"), ("i32", "f32"), ("i64", "i32"), ("i32", "i64")):
        g = Graph(f"op_pow_{base}_{exponent}")
        x = g.input("x", SHAPE, base, low=1, high=9)
        y = g.input("y", SHAPE, exponent, low=0, high=5)
        yield Case(g.output(g.op("Pow", x, y), dtype=base), "elementwise")
    g = Graph("op_prelu_i32")
    x, slope = g.input("x", (2, 5, 7), "i32"), g.weight(g.random((5, 1), "i32"))
    yield Case(g.output(g.op("PRelu", x, slope)), "exact",
               lambda x, s=g.initializers[0]: [np.where(x < 0, numpy_helper.to_array(s) * x, x)])
    for positive, negative in ((1, 0), (0, 1), (0, 0)):
        g = Graph(f"op_isinf_{positive}{negative}")
        x = g.input("x", value=np.array([np.inf, -np.inf, np.nan, 0, 1] * 5, np.float32))
        yield Case(g.output(g.op("IsInf", x, detect_positive=positive,
                                 detect_negative=negative)), "exact")
    for kind in ("Max", "Min", "Sum", "Mean"):
        g = Graph(f"op_{kind.lower()}_three")
        operands = g.input("a", SHAPE), g.input("b", (37,)), g.input("c", (3, 1))
        yield Case(g.output(g.op(kind, *operands)), "elementwise")
    for dtype in ("i8", "i32", "i64"):
        g = Graph(f"op_shrink_{dtype}")
        y = g.op("Shrink", g.input("x", SHAPE, dtype), lambd=1.5, bias=1.75)
        yield Case(g.output(y), "exact")
    g = Graph("op_cast_like")
    x = g.op("CastLike", g.input("x", SHAPE, low=-9, high=9), g.input("y", (1,), "i16"))
    yield Case(g.output(x, dtype="i16"), "exact", lambda x, y: [x.astype(np.int16)])
    g = Graph("op_add_axis")  # before opset 7 broadcasting is asked for
    g.opset = 6
    x = g.op("Add", g.input("x", (2, 3, 5)), g.input("y", (3,)), broadcast=1, axis=1)
    yield Case(g.output(x, dtype="f32"), "elementwise", lambda x, y: [x + y[:, None]])
    g = Graph("op_prelu")
    yield Case(g.output(g.op("PRelu", g.input("x", (2, 5, 7)), g.weight((5, 1)))),
               "elementwise")
    g = Graph("op_sum_variadic")
    yield Case(g.output(g.op("Sum", *[g.input(n, SHAPE) for n in "abc"])), "elementwise")


@cases
def broadcasts():
    for name, left, right in (("row", (5, 33), (33,)), ("column", (5, 33), (5, 1)),
                              ("scalar", (5, 33), ()), ("both", (5, 1, 7), (3, 1)),
                              ("left", (17,), (2, 3, 17)), ("outer", (31, 1), (1, 33))):
        g = Graph(f"broadcast_{name}")
        yield Case(g.output(g.op("Add", g.input("x", left), g.input("y", right))),
                   "elementwise")
    g = Graph("op_expand")
    yield Case(g.output(g.op("Expand", g.input("x", (3, 1, 5)), g.const(2, 3, 4, 5))),
               "exact")
    g = Graph("op_where")
    cond, x = g.input("cond", (3, 1), "bool"), g.input("x", SHAPE)
    yield Case(g.output(g.op("Where", cond, x, g.input("y", (37,)))), "exact")


@cases
def clips():
    bounds = {"both": (-0.5, 0.5), "low": (-0.5, None), "high": (None, 0.5),
              "none": (None, None)}
    for name, (low, high) in bounds.items():
        g = Graph(f"op_clip_{name}")
        arguments = [None if bound is None else g.scalar(bound) for bound in (low, high)]
        yield Case(g.output(g.op("Clip", g.input("x", SHAPE), *arguments)), "exact")
    g = Graph("op_clip_attributes")  # opset 6 has the bounds as attributes
    g.opset = 7
    yield Case(g.output(g.op("Clip", g.input("x", SHAPE), min=0.0, max=0.4)), "exact")


def clamp_link(g, y, x, number):
    return g.op("Max", g.op("Add" if number % 2 else "Sub", y, x), g.scalar(-1.5 - number))


def tanh_link(g, y, x, number):
    return g.op("Add", g.op("Tanh", y), x)


@cases
def chains():
    g = Graph("chain_of_eight")
    x = g.input("x", (33, 129))
    y = g.op("Add", x, g.input("y", (33, 129)))
    y = g.op("Mul", y, g.weight((129,)))
    y = g.op("Relu", g.op("Sub", y, g.scalar(0.1)))
    y = g.op("Sqrt", g.op("Add", y, g.scalar(1.0)))
    y = g.op("Sigmoid", g.op("Div", y, g.scalar(3.0)))
    yield Case(g.output(y), "elementwise")

    # Cheap operations without end are one kernel; of expensive ones a kernel takes only
    # so many, and others follow.
    for name, count, link in (("cheap", 200, clamp_link), ("expensive", 140, tanh_link)):
        g = Graph(f"chain_of_{count}_{name}")
        y, x = g.input("x", (9, 37)), g.input("y", (37,))
        for number in range(count // 2):
            y = link(g, y, x, number)
        yield Case(g.output(y, dtype="f32"), "network")

    g = Graph("chain_with_fork")  # a value with two consumers and a second output
    x = g.input("x", (7, 31))
    shared = g.op("Exp", x)
    left, right = g.op("Mul", shared, x), g.op("Tanh", shared)
    yield Case(g.output(g.op("Add", left, right), right), "elementwise")

    g = Graph("independent_chains")  # to be fused horizontally
    for i in range(3):
        g.output(g.op("Relu", g.op("Add", g.input(f"x{i}", (17, 5)), g.scalar(0.5))))
    yield Case(g, "elementwise")

    g = Graph("output_is_input_of_another")
    a = g.op("Neg", g.input("x", (31,)))
    yield Case(g.output(a, g.op("Abs", a)), "exact")


@cases
def last_bits():
    """Quotients and products of which a last bit decides."""
    for divisor in (41.0, 47.0):
        g = Graph(f"quotient_decides_{int(divisor)}")
        x = g.input("x", value=np.arange(-301, 302, dtype=np.float32))
        quotient = g.op("Div", x, g.scalar(divisor))
        floor = g.op("Floor", g.op("Relu", quotient))
        yield Case(g.output(floor, g.op("GreaterOrEqual", quotient, g.scalar(1.0))), "exact")
    g = Graph("product_decides")
    x = g.input("x", value=np.arange(603, dtype=np.float32))
    product = g.op("Mul", g.op("Mul", x, g.scalar(0.1)), g.scalar(10.0))
    yield Case(g.output(g.op("Floor", product)), "exact")
    g = Graph("row_quotient_decides")
    rows = np.arange(1, 38, dtype=np.float32)[:, None]
    x = g.input("x", value=rows * np.arange(19, dtype=np.float32))
    yield Case(g.output(g.op("Floor", g.op("Div", x, g.input("rows", value=rows)))), "exact")


@cases
def special_values():
    values = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45, -1e-45, 3e38, -3e38,
                       1e-38, 88.8, -88.8, -104.0, 0.5, -0.5, 1.5, 2.5], np.float32)
    for tolerance in ("exact", "elementwise"):
        g = Graph(f"special_{tolerance}")
        x = g.input("x", value=np.tile(values, 3))
        for kind in ("Exp", "Tanh", "Sigmoid", "Erf", "Relu", "Abs", "Neg", "Round"):
            if UNARY[kind][0] == tolerance:
                g.output(g.op(kind, x))
        yield Case(g, tolerance)
    g = Graph("special_root")
    g.output(g.op("Pow", g.input("x", value=np.abs(values) * np.where(values == -np.inf, -1, 1)
                                 .astype(np.float32)), g.scalar(0.5)))
    yield Case(g, "elementwise")
    g = Graph("special_compare")
    x, y = g.input("x", value=values), g.input("y", value=np.roll(values, 1))
    for kind in COMPARISONS:
        g.output(g.op(kind, x, y))
    yield Case(g, "exact")


@cases
def streamed():
    # Outputs larger than a last cache, of small inputs.
    for dtype in ("f32", "i64"):
        g = Graph(f"streamed_{dtype}")
        bytes_of = np.dtype(DTYPES[dtype]).itemsize
        rows = g.input("rows", ((36 << 20) // (1024 * bytes_of), 1), dtype)
        yield Case(g.output(g.op("Add", rows, g.input("columns", (1, 1024), dtype))), "exact")
