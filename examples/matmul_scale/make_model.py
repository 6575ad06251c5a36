# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes scaled.onnx: y = relu(MatMulScale(x + x, w, scale=0.25)) + 1."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make():
    one = numpy_helper.from_array(np.array([1.0], np.float32), "one")
    nodes = [
        helper.make_node("Add", ["x", "x"], ["twice"], "twice"),
        helper.make_node("MatMulScale", ["twice", "w"], ["product"], "product",
                         domain="custom", scale=0.25),
        helper.make_node("Relu", ["product"], ["positive"], "positive"),
        helper.make_node("Add", ["positive", "one"], ["y"], "y"),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "scaled",
        [value("x", TensorProto.FLOAT, [32, 64]), value("w", TensorProto.FLOAT, [64, 48])],
        [value("y", TensorProto.FLOAT, [32, 48])], [one])
    return helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("custom", 1)], ir_version=9)


if __name__ == "__main__":
    onnx.save(make(), pathlib.Path(__file__).with_name("scaled.onnx"))
