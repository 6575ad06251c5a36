# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes sampled.onnx, y = relu(DeformConv(x, k, offset)) with vision.DeformConv of
deform_conv.fop, and twin.onnx, the same with ONNX's own DeformConv."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPES = {"x": [1, 4, 12, 12], "offset": [1, 18, 12, 12], "y": [1, 6, 12, 12]}


def make(domain, pads):
    filters = np.random.default_rng(0).normal(size=(6, 4, 3, 3)).astype(np.float32)
    nodes = [helper.make_node("DeformConv", ["x", "k", "offset"], ["conv"], "conv",
                              domain=domain, pads=pads),
             helper.make_node("Relu", ["conv"], ["y"], "relu")]
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
              for name, shape in SHAPES.items()}
    graph = helper.make_graph(nodes, "sampled", [values["x"], values["offset"]],
                              [values["y"]], [numpy_helper.from_array(filters, "k")])
    return helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 19), helper.make_opsetid("vision", 1)], ir_version=9)


if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent
    onnx.save(make("vision", [1, 1]), folder / "sampled.onnx")
    onnx.save(make("", [1, 1, 1, 1]), folder / "twin.onnx")
