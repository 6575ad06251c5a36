# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, LayerNorm in three spellings, and their relatives."""
import functools

import numpy as np
from onnx import helper, numpy_helper

from builder import Case, Graph, cases

EPSILON = 1e-5


def layer_norm_primitives(g, x, scale, bias, swapped=False):
    """LayerNorm over the last axis as older exporters write it, with the weights on
    the right or on the left."""
    mean = g.op("ReduceMean", x, axes=[-1])
    centred = g.op("Sub", x, mean)
    squared = g.op("Pow", centred, g.scalar(2.0))
    variance = g.op("ReduceMean", squared, axes=[-1])
    deviation = g.op("Sqrt", g.op("Add", variance, g.scalar(EPSILON)))
    normal = g.op("Div", centred, deviation)
    if swapped:
        return g.op("Add", bias, g.op("Mul", scale, normal))
    return g.op("Add", g.op("Mul", normal, scale), bias)


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
        "swapped": lambda *a: layer_norm_primitives(*a, swapped=True),
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


def plain_norm(name, kind, shape, opset=17, parameters=0, **attributes):
    """One node, whose `parameters` operands are weights along the channels."""
    g = Graph(f"{kind.lower()}_{name}")
    g.opset = opset
    x = g.input("x", shape)
    weights = [g.weight((shape[1],)) for _ in range(parameters)]
    return Case(g.output(g.op(kind, x, *weights, **attributes), dtype="f32"), "reduction")


@cases
def instance_and_group_norms():
    for name, shape in {"3d": (2, 5, 33), "4d": (2, 3, 7, 9), "5d": (1, 3, 4, 5, 6),
                        "opset_1": (2, 3, 5, 5)}.items():
        yield plain_norm(name, "InstanceNormalization", shape,
                         opset=6 if name == "opset_1" else 17, parameters=2,
                         epsilon=1e-3)
    for groups in (1, 2, 6):
        yield plain_norm(f"{groups}", "GroupNormalization", (2, 6, 5, 7), opset=21,
                         parameters=2, num_groups=groups)
    g = Graph("groupnormalization_per_group")  # before opset 21
    g.opset = 18
    y = g.op("GroupNormalization", g.input("x", (2, 6, 17)), g.weight((3,)),
             g.weight((3,)), num_groups=3)
    yield Case(g.output(y, dtype="f32"), "reduction")
    g = Graph("group_norm_swish")  # as diffusion models have it
    g.opset = 21
    x = g.op("GroupNormalization", g.input("x", (1, 8, 9, 9)), g.weight((8,)),
             g.weight((8,)), num_groups=4)
    yield Case(g.output(g.op("Mul", x, g.op("Sigmoid", x)), dtype="f32"), "reduction")


def rms_norm_in_double(axis):
    def compute(x):
        x = x.astype(np.float64)
        axes = tuple(range(axis % x.ndim, x.ndim))
        return [x / np.sqrt((x**2).mean(axes, keepdims=True) + EPSILON)]
    return compute


def local_response_norm(size, x):
    squares = np.zeros_like(x)
    for c in range(x.shape[1]):
        low = max(0, c - (size - 1) // 2)
        squares[:, c] = (x[:, low:c + size // 2 + 1]**2).sum(1)
    return [x / (1 + 1e-4 / size * squares)**0.75]


@cases
def other_norms():
    for axis in (-1, 1):
        g = Graph(f"rmsnormalization_axis_{axis}".replace("-", "minus"))
        g.opset = 23
        x = g.input("x", (5, 7, 33))
        y = g.op("RMSNormalization", x, g.scalar(np.ones(33)), axis=axis)
        yield Case(g.output(y, dtype="f32"), "reduction", rms_norm_in_double(axis))
    for p in (1, 2):
        for axis in (0, 1, -1):
            yield plain_norm(f"p{p}_axis_{axis}".replace("-", "minus"),
                             "LpNormalization", (5, 17, 33), p=p, axis=axis)
    g = Graph("lpnormalization_of_zeros")
    x = g.random((3, 17))
    x[1] = 0
    yield Case(g.output(g.op("LpNormalization", g.input("x", value=x))), "reduction")
    yield plain_norm("4d", "MeanVarianceNormalization", (2, 3, 7, 9), opset=13)
    yield plain_norm("axes", "MeanVarianceNormalization", (5, 7, 9), opset=13,
                     axes=[0, -1])
    for size in (1, 3, 7, 99):
        yield plain_norm(f"{size}", "LRN", (2, 5, 7, 9), size=size, alpha=0.02, beta=0.6,
                         bias=1.5)
    # ONNX Runtime takes images and odd sizes only.
    for name, shape, size in (("3d", (2, 7, 33), 5), ("even", (2, 7, 5, 5), 4),
                              ("all", (2, 7, 3, 3), 2**63 - 1)):
        case = plain_norm(name, "LRN", shape, size=size)
        case.reference = functools.partial(local_response_norm, size)
        yield case


@cases
def hardmaxes():
    for axis in (0, 1, -1):
        g = Graph(f"hardmax_axis_{axis}".replace("-", "minus"))
        x = g.input("x", value=np.round(g.random((5, 17, 9)) * 4).astype(np.float32))
        yield Case(g.output(g.op("Hardmax", x, axis=axis)), "exact")
    g = Graph("hardmax_flattening")
    g.opset = 11
    yield Case(g.output(g.op("Hardmax", g.input("x", (5, 7, 9)), axis=1)), "exact")
    g = Graph("log_softmax_flattening")
    g.opset = 11
    yield Case(g.output(g.op("LogSoftmax", g.input("x", (5, 7, 9)), axis=0)), "reduction")


@cases
def other_batch_norms():
    c = 7
    g = Graph("batch_norm_training")
    g.opset = 15
    x = g.input("x", (3, c, 5, 5))
    variance = g.weight(g.random((c,), low=0.1, high=2))
    outputs = g.op("BatchNormalization", x, g.weight((c,)), g.weight((c,)), g.weight((c,)),
                   variance, outputs=3, training_mode=1, momentum=0.7)
    yield Case(g.output(*outputs, dtype="f32"), "reduction")
    g = Graph("batch_norm_per_activation")  # spatial=0, before opset 9
    g.opset = 8
    parameters = [g.weight((c, 5)) for _ in range(3)]
    variance = g.weight(g.random((c, 5), low=0.1, high=2))
    y = g.op("BatchNormalization", g.input("x", (3, c, 5)), *parameters, variance, spatial=0)
    yield Case(g.output(y), "elementwise", lambda x: per_activation(g, x))


def per_activation(g, x):
    scale, bias, mean, variance = (numpy_helper.to_array(w) for w in g.initializers)
    return [(x - mean) / np.sqrt(variance + EPSILON) * scale + bias]
