# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes swooshed.onnx: y = acme.Swoosh(x + bias, shift=1, offset=0.313261687) * scale."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make():
    bias = numpy_helper.from_array(np.linspace(-2, 2, 48, dtype=np.float32), "bias")
    scale = numpy_helper.from_array(np.linspace(0.5, 1.5, 48, dtype=np.float32), "scale")
    nodes = [
        helper.make_node("Add", ["x", "bias"], ["moved"], "moved"),
        helper.make_node("Swoosh", ["moved"], ["active"], "active", domain="acme",
                         shift=1.0, offset=0.313261687),
        helper.make_node("Mul", ["active", "scale"], ["y"], "scaled"),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "swooshed", [value("x", TensorProto.FLOAT, [32, 48])],
                              [value("y", TensorProto.FLOAT, [32, 48])], [bias, scale])
    return helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)], ir_version=9)


if __name__ == "__main__":
    onnx.save(make(), pathlib.Path(__file__).with_name("swooshed.onnx"))
