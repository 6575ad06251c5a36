# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""counted.onnx: an operator of the type argv[1] behind rows that only the run time counts."""
import sys

from onnx import TensorProto, helper, save_model

node, value = helper.make_node, helper.make_tensor_value_info
graph = helper.make_graph(
    [node("NonZero", ["x"], ["found"], "found"), node("Transpose", ["found"], ["rows"], "rows"),
     node("Gather", ["x", "rows"], ["picked"], "picked"),
     node(sys.argv[1], ["picked"], ["y"], "own", domain="acme")], "g",
    [value("x", TensorProto.FLOAT, [6])], [value("y", TensorProto.FLOAT, None)],
    value_info=[value("found", TensorProto.INT64, [1, 6])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18),
                                                helper.make_opsetid("acme", 1)])
model.ir_version = 9
save_model(model, "counted.onnx")
