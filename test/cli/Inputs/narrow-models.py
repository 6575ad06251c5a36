# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models that f16 does not hold, or holds in part, to a folder:

  large.onnx     a weight of 70000
  masked.onnx    a mask of -1e9, and products beside it
  huge.onnx      whose values leave the range of f16, and then their nodes' names
"""
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def write(name, nodes, initializers):
    shape = [4, 20]
    graph = helper.make_graph(
        nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.asarray(value, np.float32), key)
         for key, value in initializers.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    (folder / f"{name}.onnx").write_bytes(model.SerializeToString())


folder = pathlib.Path(sys.argv[1])
weight = np.eye(20)
large = weight.copy()
large[1, 2] = 70000
node = helper.make_node
write("large", [node("MatMul", ["x", "w"], ["y"], name="product")], {"w": large})
write("masked", [node("MatMul", ["x", "w"], ["p"], name="product"),
                 node("Add", ["p", "mask"], ["m"], name="add_mask"),
                 node("Relu", ["m"], ["y"], name="relu")],
      {"w": weight, "mask": -1e9})
write("huge", [node("Mul", ["x", "c"], ["p"], name="scale"),
               node("Mul", ["p", "c"], ["q"], name="scale_again"),
               node("Tanh", ["q"], ["y"], name="bound")], {"c": 6e4})
