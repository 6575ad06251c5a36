# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, LayerNorm in three spellings, and their relatives."""
import numpy as np
from onnx import helper

from builder import Case, Graph, cases

EPSILON = 1e-5


def layer_norm_primitives(g, x, scale, bias):
    """LayerNorm over the last axis as older exporters write it."""
    mean = g.op("ReduceMean", x, axes=[-1])
    centred = g.op("Sub", x, mean)
    squared = g.op("Pow", centred, g.scalar(2.0))
    variance = g.op("ReduceMean", squared, axes=[-1])
    deviation = g.op("Sqrt", g.op("Add", variance, g.scalar(EPSILON)))
    return g.op("Add", g.op("Mul", g.op("Div", centred, deviation), scale), bias)


def layer_norm_function():
    """The same as a model-local function `local.LayerNorm(x, scale, bias)`."""
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["mean"], axes=[-1]),
        helper.make_node("Sub", ["x", "mean"], ["centred"]),
        helper.make_node("Constant", [], ["two"], value_float=2.0),
        helper.make_node("Pow", ["centred", "two"], ["squared"]),
        helper.make_node("ReduceMean", ["squared"], ["variance"], axes=[-1]),
        helper.make_node("Constant", [], ["epsilon"], value_float=EPSILON),
        helper.make_node("Add", ["variance", "epsilon"], ["shifted"]),
        helper.make_node("Sqrt", ["shifted"], ["deviation"]),
        helper.make_node("Div", ["centred", "deviation"], ["normal"]),
        helper.make_node("Mul", ["normal", "scale"], ["scaled"]),
        helper.make_node("Add", ["scaled", "bias"], ["y"]),
    ]
    return helper.make_function("local", "LayerNorm", ["x", "scale", "bias"], ["y"], nodes,
                                [helper.make_opsetid("", 17)])


def layer_norm_in_double(x):
    x = x.astype(np.float64)
    centred = x - x.mean(-1, keepdims=True)
    return [centred / np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)]


@cases
def layer_norms():
    spellings = {
        "op": lambda g, *a: g.op("LayerNormalization", *a, epsilon=EPSILON),
        "primitives": layer_norm_primitives,
        "function": lambda g, *a: g.op("LayerNorm", *a, domain="local")}
    for name, spell in spellings.items():
        g = Graph(f"layer_norm_{name}")
        if name == "function":
            g.functions.append(layer_norm_function())
        y = spell(g, g.input("x", (31, 129)), g.weight((129,)), g.weight((129,)))
        yield Case(g.output(y, dtype="f32"), "reduction")

    g = Graph("layer_norm_two_axes")
    y = g.op("LayerNormalization", g.input("x", (3, 5, 7, 9)), g.weight((7, 9)),
             g.weight((7, 9)), axis=-2)
    yield Case(g.output(y), "reduction")
    g = Graph("layer_norm_without_bias")
    yield Case(g.output(g.op("LayerNormalization", g.input("x", (5, 33)),
                             g.weight((33,)))), "reduction")
    g = Graph("layer_norm_large_mean")  # cancellation in a naive variance
    x = g.input("x", value=(4 + g.random((4, 257))).astype(np.float32))
    g.output(g.op("LayerNormalization", x, g.scalar(np.ones(257)), epsilon=EPSILON))
    yield Case(g, "reduction", layer_norm_in_double)
    g = Graph("add_layer_norm")
    total = g.op("Add", g.input("x", (17, 96)), g.input("y", (17, 96)))
    y = g.op("LayerNormalization", total, g.weight((96,)), g.weight((96,)))
    yield Case(g.output(y, total), "reduction")
    g = Graph("rms_norm")
    x = g.input("x", (31, 65))
    mean = g.op("ReduceMean", g.op("Mul", x, x), axes=[-1])
    inverse = g.op("Reciprocal", g.op("Sqrt", g.op("Add", mean, g.scalar(1e-6))))
    yield Case(g.output(g.op("Mul", g.op("Mul", x, inverse), g.weight((65,)))),
               "reduction")


@cases
def softmaxes():
    for axis in (0, 1, 2, -1):
        g = Graph(f"softmax_axis_{axis}".replace("-", "minus"))
        yield Case(g.output(g.op("Softmax", g.input("x", (5, 17, 33), low=-9, high=9),
                                 axis=axis)), "reduction")
    g = Graph("softmax_prefetched")  # larger than a second-level cache; a tail
    yield Case(g.output(g.op("Softmax", g.input("x", (311, 467), low=-9, high=9),
                             axis=-1)), "reduction")
    g = Graph("softmax_flattening")  # before opset 13: all axes from `axis` on
    g.opset = 11
    yield Case(g.output(g.op("Softmax", g.input("x", (5, 7, 9)), axis=1)), "reduction")
    g = Graph("log_softmax")
    yield Case(g.output(g.op("LogSoftmax", g.input("x", (7, 33), low=-9, high=9),
                             axis=-1)), "reduction")
    g = Graph("softmax_masked")  # exp of -1e9 is 0, exactly
    x, mask = g.input("x", (9, 65)), g.random((9, 65), "bool")
    mask[:, 0] = True
    bias = g.input("mask", value=np.where(mask, 0, -1e9).astype(np.float32))
    yield Case(g.output(g.op("Softmax", g.op("Add", x, bias))), "reduction")
    g = Graph("softmax_chain")  # scale, softmax by primitives, scale
    x = g.op("Mul", g.input("x", (31, 127)), g.scalar(0.125))
    shifted = g.op("Sub", x, g.op("ReduceMax", x, axes=[-1]))
    exponent = g.op("Exp", shifted)
    y = g.op("Div", exponent, g.op("ReduceSum", exponent, g.const(-1)))
    yield Case(g.output(g.op("Mul", y, g.weight((127,)))), "reduction")
    g = Graph("softmax_of_softmax")
    yield Case(g.output(g.op("Softmax", g.op("Softmax", g.input("x", (7, 33))), axis=0)),
               "reduction")


@cases
def batch_norms():
    for name, shape in {"4d": (2, 7, 5, 5), "2d": (5, 17), "3d": (2, 5, 33)}.items():
        g = Graph(f"batch_norm_{name}")
        c = shape[1]
        variance = g.weight(g.random((c,), low=0.1, high=2))
        y = g.op("BatchNormalization", g.input("x", shape), g.weight((c,)), g.weight((c,)),
                 g.weight((c,)), variance)
        yield Case(g.output(y), "elementwise")
