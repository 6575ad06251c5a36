#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""unknown-operator.py FOLDER: a model with an operator of com.vendor, and what the hint for
it says to make of that."""
import pathlib
import sys

import onnx
from onnx import helper

folder = pathlib.Path(sys.argv[1])


def info(name):
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4])


opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.vendor", 1)]
graph = helper.make_graph(
    [helper.make_node("Relu", ["x"], ["a"]),
     helper.make_node("Magic", ["a"], ["b"], name="magic", domain="com.vendor"),
     helper.make_node("Neg", ["b"], ["y"])], "g", [info("x")], [info("y")])
model = helper.make_model(graph, opset_imports=opsets)
onnx.save(model, folder / "vendor.onnx")

model.functions.append(helper.make_function(
    "com.vendor", "Magic", ["v"], ["w"], [helper.make_node("Exp", ["v"], ["w"])], opsets))
onnx.save(model, folder / "function.onnx")

del model.functions[:]
model.graph.value_info.extend([info("a"), info("b")])
onnx.save(model, folder / "declared.onnx")
for name, begin, end in (("before", "x", "a"), ("behind", "b", "y")):
    onnx.utils.extract_model(str(folder / "declared.onnx"), str(folder / f"{name}.onnx"),
                             [begin], [end], check_model=False)
