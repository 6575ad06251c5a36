# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of operators that work element by element."""
import numpy as np

from graph import CODES, DTYPES, FLOATS, INTEGERS, NARROW, Invalid, limits_of, onnx_type
from rounding import JUMPS
from rows import row

# Where a function is defined, or at least tame; None where that is all numbers.
DOMAINS_OF = {"Acos": (-1, 1), "Asin": (-1, 1), "Atanh": (-0.9, 0.9), "Acosh": (1, 9),
              "Log": (0.01, 20), "Sqrt": (0, 20), "Reciprocal": (0.1, 9), "Exp": (-9, 9),
              "Sinh": (-9, 9), "Cosh": (-9, 9), "Tan": (-1.4, 1.4)}
# Attributes off their defaults: a function of the author for each.
ATTRIBUTES = {
    "LeakyRelu": {"alpha": lambda g: g.real(0.25, -0.5, 1.5)},
    "Elu": {"alpha": lambda g: g.real(2.0, 0.3)},
    "Celu": {"alpha": lambda g: g.real(2.0, 0.3)},
    "Selu": {"alpha": lambda g: g.real(2.0), "gamma": lambda g: g.real(0.5)},
    "ThresholdedRelu": {"alpha": lambda g: g.real(0.0, 0.25)},
    "Shrink": {"bias": lambda g: g.real(0.5, 1.0), "lambd": lambda g: g.real(1.0, 0.25)},
    "HardSigmoid": {"alpha": lambda g: g.real(0.5), "beta": lambda g: g.real(0.25)},
    "Gelu": {"approximate": lambda g: g.choice(["none", "tanh"])},
    "IsInf": {"detect_negative": lambda g: g.integer(0, 1),
              "detect_positive": lambda g: g.integer(0, 1)},
}


@row("Abs", "Neg", "Sign", "Not", "BitwiseNot", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh",
     "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "Log", "Round", "Sin", "Sinh", "Sqrt", "Tan",
     "Tanh", "Relu", "LeakyRelu", "Elu", "Celu", "Selu", "ThresholdedRelu", "Shrink", "Sigmoid",
     "HardSigmoid", "HardSwish", "Mish", "Softplus", "Softsign", "Reciprocal", "Gelu",
     "IsNaN", "IsInf", "Identity")
def unary(g, op):
    low, high = DOMAINS_OF.get(op, (None, None)) if g.chance(0.9) else (None, None)
    x = g.tensor(g.dtype(op), low=low, high=high, exact=op in JUMPS)
    chosen = {name: draw(g) for name, draw in ATTRIBUTES.get(op, {}).items() if g.chance(0.6)}
    g.emit(op, x, **chosen)


@row("Add", "Sub", "Mul", "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal",
     "Less", "LessOrEqual", "Greater", "GreaterOrEqual")
def binary(g, op):
    g.emit(op, *g.partners(g.dtype(op), 2, exact=op in JUMPS))


@row("Div", "Mod")
def divide(g, op):
    dtype = g.dtype(op)
    fmod = None
    if op == "Mod":
        fmod = 1 if dtype in FLOATS else g.choice([0, 1])
    x = g.tensor(dtype, exact=op in JUMPS)
    # A divisor of 0 stops ONNX Runtime; so does the least integer by -1.
    low = 1 if dtype in INTEGERS else 0.125
    y = g.tensor(dtype, g.broadcastable(x.shape), low=low, high=9, exact=op in JUMPS)
    if dtype not in INTEGERS and g.chance(0.2):
        x, y = g.partners(dtype, 2, exact=op in JUMPS)
    elif dtype[0] != "u" and g.chance(0.3) and not np.any(
            x.array == (limits_of(dtype)[0] if dtype in INTEGERS else 0)):
        y = g.leaf(-y.array)
    g.emit(op, x, y, fmod=fmod)


@row("Pow")
def power(g, op):
    dtype = g.dtype(op)
    other = dtype
    if g.since(op) >= 12:
        other = g.dtype(op, 1)
    if g.chance(0.4):  # as a constant exponent, which compilers look at
        number = g.choice([0, 1, 2, 3] if other in INTEGERS else [0, 1, 2, 3, 0.5, -1, -0.5, -2])
        exponent = g.leaf(np.full(g.choice([(), (1,)]), number, DTYPES[other]),
                          g.choice(["initializer", "constant"]))
        base = g.tensor(dtype, low=None if number in (0, 1, 2, 3) else 0.25,
                        high=None if number in (0, 1, 2, 3) else 4)
    else:
        base = g.tensor(dtype, low=0 if dtype in INTEGERS else 0.25, high=4)
        exponent = g.tensor(other, g.broadcastable(base.shape), low=0 if dtype in INTEGERS else -2,
                            high=4, exact=True)
    g.emit(op, base, exponent)


@row("PRelu")
def prelu(g, op):
    x = g.tensor(g.dtype(op))
    g.emit(op, x, g.tensor(x.dtype, g.broadcastable(x.shape), fresh=0.8))


@row("BitShift")
def shift(g, op):
    x = g.tensor(g.dtype(op))
    most = limits_of(x.dtype)[1].bit_length() - 1
    y = g.tensor(x.dtype, g.broadcastable(x.shape), low=0, high=most)
    g.emit(op, x, y, direction=g.choice(["LEFT", "RIGHT"]))


@row("Max", "Min", "Sum", "Mean")
def variadic(g, op):
    g.emit(op, *g.partners(g.dtype(op), g.choice([1, 2, 2, 3, 4])))


@row("Where")
def where(g, op):
    x, y = g.partners(g.dtype(op, 1), 2)
    shape = np.broadcast_shapes(x.shape, y.shape)
    g.emit(op, g.tensor("bool", g.broadcastable(shape)), x, y)


@row("Clip")
def clip(g, op):
    x = g.tensor(g.dtype(op))
    low, high = g.choice([(-1, 1), (0, 6), (2, -2), (0, 0)])
    if x.dtype[0] == "u":
        low, high = abs(low), high + 3
    if g.since(op) < 11:
        g.emit(op, x, min=float(low) if g.chance(0.7) else None,
               max=float(high) if g.chance(0.7) else None)
        return
    limits = [g.leaf(np.array(n, x.array.dtype)) if g.chance(0.7) else None for n in (low, high)]
    g.emit(op, x, min=limits[0], max=limits[1])


@row("Cast", "CastLike")
def cast(g, op):
    source, target = g.dtype(op), g.dtype(op, "T2")
    x = g.tensor(source, exact=True)
    saturate = 0 if target in CODES and g.chance(0.3) else None
    if op == "CastLike":
        g.emit(op, x, g.tensor(target), saturate=saturate)
        return
    g.emit(op, x, to=onnx_type(target), saturate=saturate)





@row("BitCast")
def bit_cast(g, op):
    x = g.tensor(g.dtype(op), exact=True)
    same = [t for t in ("f32", "f16", "f64", "bf16", *INTEGERS)
            if np.dtype(DTYPES[t]).itemsize == x.array.dtype.itemsize]
    if x.dtype == "bool" or x.dtype in NARROW:
        raise Invalid("no whole bytes")
    g.emit(op, x, to=onnx_type(g.choice(same)))
