# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes softmaxed.onnx: y = acme.RowSoftmax(x + bias, scale=0.5) * 3."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make():
    bias = numpy_helper.from_array(np.linspace(-2, 2, 300, dtype=np.float32), "bias")
    three = numpy_helper.from_array(np.array([3], np.float32), "three")
    nodes = [
        helper.make_node("Add", ["x", "bias"], ["moved"], "moved"),
        helper.make_node("RowSoftmax", ["moved"], ["shares"], "shares", domain="acme",
                         scale=0.5),
        helper.make_node("Mul", ["shares", "three"], ["y"], "tripled"),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "softmaxed", [value("x", TensorProto.FLOAT, [16, 300])],
                              [value("y", TensorProto.FLOAT, [16, 300])], [bias, three])
    return helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)], ir_version=9)


if __name__ == "__main__":
    onnx.save(make(), pathlib.Path(__file__).with_name("softmaxed.onnx"))
