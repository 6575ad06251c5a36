# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes normed.onnx: y = acme.Swoosh(acme.LayerNorm(x + x, g, c), offset=1)."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make():
    scale = numpy_helper.from_array(np.linspace(0.5, 1.5, 48, dtype=np.float32), "g")
    shift = numpy_helper.from_array(np.linspace(-1, 1, 48, dtype=np.float32), "c")
    nodes = [
        helper.make_node("Add", ["x", "x"], ["twice"], "twice"),
        helper.make_node("LayerNorm", ["twice", "g", "c"], ["norm"], "norm", domain="acme"),
        helper.make_node("Swoosh", ["norm"], ["y"], "swoosh", domain="acme", offset=1.0),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "normed", [value("x", TensorProto.FLOAT, [32, 48])],
                              [value("y", TensorProto.FLOAT, [32, 48])], [scale, shift])
    return helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)], ir_version=9)


if __name__ == "__main__":
    onnx.save(make(), pathlib.Path(__file__).with_name("normed.onnx"))
