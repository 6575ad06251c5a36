# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--precision=strict on wide floats: to the bit, as NumPy computes operator by operator, fused
and not; and so by default what a comparison depends on. No compiler makes one operation of a
product and a sum behind it."""
import numpy as np

from builder import DTYPES, Case, Graph, cases

SHAPE = (5, 37)  # vectors and a tail
EPSILON = 1e-3


def chains(name, dtype, options):
    """Products and sums; one that is stored, too."""
    g = Graph(name)
    x, y, z = (g.input(n, SHAPE, dtype) for n in "xyz")
    c, row = g.scalar(0.3, dtype), g.input("row", SHAPE[1:], dtype)

    def formulas(op, x, y, z, c, row):
        product = op("Mul", x, y)
        yield op("Add", product, z)
        yield op("Sub", product, z)
        yield op("Sub", z, op("Mul", y, row))
        yield op("Add", op("Mul", op("Mul", x, z), c), y)
        yield op("Add", op("Neg", op("Mul", x, c)), z)
        yield op("Add", op("Mul", x, x), op("Mul", y, y))
        yield op("Add", op("Max", op("Mul", z, z), row), x)
        kept = op("Mul", z, row)
        yield kept
        yield op("Sub", kept, y)
        yield op("Div", op("Mul", x, row), op("Add", op("Mul", row, row), c))

    number = DTYPES[dtype](0.3)
    return close(g, dtype, options, formulas(g.op, x, y, z, c, row),
                 lambda x, y, z, row: list(formulas(apply, x, y, z, number, row)))


def epilogues(name, dtype, options):
    """What follows sums of whole numbers, which are exact in any order: a norm that is scaled
    and shifted, and a sum that is."""
    g = Graph(name)
    x = g.input("x", value=g.rng.integers(-15, 16, (6, 32)).astype(DTYPES[dtype]))
    scale, bias = g.input("scale", (32,), dtype), g.input("bias", (32,), dtype)
    epsilon = g.scalar(EPSILON, dtype)

    def formulas(op, mean, total, x, scale, bias, epsilon):
        centred = op("Sub", x, mean(x))
        deviation = op("Sqrt", op("Add", mean(op("Mul", centred, centred)), epsilon))
        yield op("Add", op("Mul", op("Div", centred, deviation), scale), bias)
        yield op("Add", op("Mul", total(x), scale), bias)

    outputs = formulas(g.op, lambda v: g.op("ReduceMean", v, axes=[1]),
                       lambda v: g.op("ReduceSum", v, g.const(1)), x, scale, bias, epsilon)

    def reference(x, scale, bias):
        return list(formulas(apply, lambda v: v.mean(1, keepdims=True),
                             lambda v: v.sum(1, keepdims=True), x, scale, bias,
                             DTYPES[dtype](EPSILON)))
    return close(g, dtype, options, outputs, reference)


def close(g, dtype, options, values, reference):
    """The case whose outputs are `values`; by default, with no options, whether each of them is
    equal to what `reference` computes, which a last bit decides."""
    if options:
        g.output(*values, dtype=dtype)
        return Case(g, "exact", reference, options=options)
    inputs = list(g.inputs.values())
    expected = reference(*inputs)
    g.output(*[g.op("Equal", value, g.input(f"expected_{n}", value=array))
               for n, (value, array) in enumerate(zip(values, expected))], dtype="bool")
    return Case(g, "exact", lambda *_: [np.ones_like(array, bool) for array in expected])


def apply(kind, *operands):
    functions = {"Mul": np.multiply, "Add": np.add, "Sub": np.subtract, "Div": np.divide,
                 "Max": np.maximum, "Neg": np.negative, "Sqrt": np.sqrt}
    return functions[kind](*operands)


@cases
def strict():
    for dtype in ("f32", "f64"):
        yield chains(f"decided_chains_{dtype}", dtype, ())
        yield epilogues(f"decided_epilogues_{dtype}", dtype, ())
        for suffix, options in ("", ()), ("_apart", ("--no-fuse",)):
            options = ("--precision=strict", *options)
            yield chains(f"strict_chains_{dtype}{suffix}", dtype, options)
            yield epilogues(f"strict_epilogues_{dtype}{suffix}", dtype, options)
