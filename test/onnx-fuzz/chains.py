# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of elementwise operators on floats of 16 bits, with overflows, and through casts to
all other types. onnx.reference says each bit (rounding.py), so that comparisons, roundings
and integers may follow."""
import numpy as np

from graph import CODES, DTYPES, FLOATS, INTEGERS, Invalid, limits_of, onnx_type

TYPES = ["f16", "bf16"]
# Near the ends of the range, where digits end, and what is no number.
SPECIAL = {
    "f16": [65504, 65472, 40000, 33000, 30000, 4097, 2049, 2048, 2047, 300, 1e-3, 6.1e-5, 1e-7,
            6e-8, np.inf, np.nan, -0.0],
    "bf16": [3.3e38, 3e38, 1.7e38, 1e30, 257, 256, 255, 129, 1e-3, 1.2e-38, 1e-39, 1e-40, np.inf,
             np.nan, -0.0]}
OPSET = 13  # from which on these operators take both types


def numbers(g, dtype, shape):
    """Some of them special, the others of all sizes that squares of may overflow."""
    data = g.rng.uniform(-4, 4, shape) * 10.0 ** g.rng.integers(-3, 5, shape)
    special = g.rng.choice(SPECIAL[dtype], shape) * g.rng.choice([1, -1], shape)
    with np.errstate(all="ignore"):
        return np.asarray(np.where(g.rng.random(shape) < 0.4, special, data)).astype(DTYPES[dtype])


def partner(g, x):
    """Another operand: a number that is a constant, or a tensor."""
    shape = () if g.chance(0.5) else x.shape
    return g.leaf(numbers(g, x.dtype, shape), g.choice(["initializer", "input"]))


def arithmetic(g, x):
    op = g.choice(["Add", "Sub", "Mul", "Div", "Add", "Mul", "Max", "Min"])
    y = x if g.chance(0.15) else partner(g, x)
    return g.emit(op, *((x, y) if g.chance(0.7) else (y, x)))


def unary(g, x):
    return g.emit(g.choice(["Sqrt", "Neg", "Abs", "Relu", "Floor", "Round", "Reciprocal"]), x)


def choice(g, x):
    """What an infinity, NaN or a comparison decides."""
    op = g.choice(["IsInf", "IsNaN", "Less", "Greater"])
    if op == "IsInf" and (g.since("IsInf") < 20):
        op = "IsNaN"
    condition = g.emit(op, x, *([partner(g, x)] if op in ("Less", "Greater") else []))
    return g.emit("Where", condition, partner(g, x), x)


def clip(g, x):
    low, high = sorted(numbers(g, x.dtype, 2).astype(np.float32))
    limits = [g.leaf(np.array(n, DTYPES[x.dtype])) for n in (low, high)]
    if np.isnan(low) or np.isnan(high):
        raise Invalid("no limits")
    return g.emit("Clip", x, min=limits[0], max=limits[1])


def integers_of(array):
    """The integer types that hold what is left of the numbers without their fractions."""
    whole = np.trunc(array.astype(np.float64))
    if not np.isfinite(whole).all():
        return []
    return [t for t in INTEGERS if array.size and limits_of(t)[0] <= whole.min() and
            whole.max() <= min(limits_of(t)[1], 2**52)]


def targets_of(x):
    if x.dtype in CODES:
        return [t for t in FLOATS if t != x.dtype]
    codes = ["f8E4M3FN", "f8E5M2"] if x.dtype in FLOATS and np.isfinite(
        x.array.astype(np.float64)).all() else []
    whole = integers_of(x.array) if x.dtype in FLOATS else list(INTEGERS)
    return [t for t in (*FLOATS, *FLOATS, "bool", *whole, *codes) if t != x.dtype]


def cast(g, x):
    return g.emit("Cast", x, to=onnx_type(g.choice(targets_of(x))))


def there_and_back(g, x):
    """A cast, perhaps to several types, that ends in one of 16 bits."""
    for _ in range(g.choice([1, 1, 2, 3])):
        x = cast(g, x)
    if x.dtype not in TYPES:
        x = g.emit("Cast", x, to=onnx_type(g.choice(TYPES)))
    return x


STEPS = [arithmetic, arithmetic, arithmetic, unary, choice, clip, there_and_back]


def draw(g):
    """Appends a chain, if the opset has the types."""
    if g.opset < OPSET:
        return
    dtype = g.choice(TYPES)
    x = g.leaf(numbers(g, dtype, g.shape(g.choice([1, 2, 3]), 1, elements=200)), "input")
    if g.chance(0.3):  # from a wider type
        wide = x.array.astype(np.float64) * (1 + g.rng.choice([0, 2.0**-9, 2.0**-12], x.shape))
        with np.errstate(all="ignore"):
            x = g.leaf(wide.astype(DTYPES[g.choice(["f32", "f64"])]), "input")
        x = g.emit("Cast", x, to=onnx_type(dtype))
    for _ in range(g.integer(1, 6)):
        nodes, values = len(g.nodes), len(g.values)
        try:
            x = g.choice(STEPS)(g, x)
        except Invalid:
            del g.nodes[nodes:], g.values[values:]
    if g.chance(0.4) and x.dtype in TYPES:
        try:
            cast(g, x)
        except Invalid:
            pass
