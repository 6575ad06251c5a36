# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with operators of norms.fop between operators of ONNX's own, and the same written with
these; `hold` says whether both have the same kernels."""
import json
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save_model

node = helper.make_node


def write(name, nodes, inputs, output, constants=()):
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node("Relu", ["x"], ["a"], "a"), *nodes, node("Relu", ["b"], ["y"], "y")], "g",
        [value(key, TensorProto.FLOAT, shape) for key, shape in inputs.items()],
        [value("y", TensorProto.FLOAT, output)],
        [numpy_helper.from_array(np.float32(number), key) for key, number in constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18),
                                                    helper.make_opsetid("acme", 1)])
    model.ir_version = 9
    save_model(model, f"{name}.onnx")


def make():
    x = {"x": [4, 7, 96]}
    own = node("Swoosh", ["a"], ["b"], "b", domain="acme", offset=1.0)
    formula = [node("Sub", ["a", "one"], ["s"]), node("Exp", ["s"], ["e"]),
               node("Add", ["one", "e"], ["p"]), node("Log", ["p"], ["l"]),
               node("Mul", ["k", "a"], ["t"]), node("Sub", ["l", "t"], ["b"])]
    write("swoosh", [own], x, [4, 7, 96])
    write("swoosh-onnx", formula, x, [4, 7, 96], [("one", 1), ("k", 0.08)])
    rows = {**x, "g": [96], "c": [96]}
    names = ["a", "g", "c"]
    write("norm", [node("LayerNorm", names, ["b"], "b", domain="acme")], rows, [4, 7, 96])
    write("norm-onnx", [node("LayerNormalization", names, ["b"], "b")], rows, [4, 7, 96])
    product = {**x, "w": [96, 64]}
    write("linear", [node("Linear", ["a", "w"], ["b"], "b", domain="acme")], product, [4, 7, 64])
    write("linear-onnx", [node("MatMul", ["a", "w"], ["b"], "b")], product, [4, 7, 64])


def keys(folder):
    return [group["key"] for group in json.load(open(f"{folder}/model.json"))["groups"]]


def hold():
    for name, count in (("swoosh", 1), ("norm", 1), ("linear", 2)):
        own, onnx = keys(name), keys(f"{name}-onnx")
        assert len(own) == count and own == onnx, (name, own, onnx)
    own, onnx = keys("sampled"), keys("twin")
    assert len(own) <= len(onnx), (own, onnx)


{"make": make, "hold": hold}[sys.argv[1]]()
