# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of one operator of launches.cpp between two others: launches.py FOLDER makes them,
launches.py FOLDER X Y SIGN says whether Y is what a run made of X."""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper


def make(folder, name, op, shape, neighbours=True):
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Add", ["x", "one"], ["a"]),
             helper.make_node(op, ["a"], ["b"], domain="custom", name="own"),
             helper.make_node("Add", ["b", "one"], ["y"])]
    if not neighbours:
        nodes = [helper.make_node(op, ["x"], ["y"], domain="custom", name="own")]
    graph = helper.make_graph(
        nodes, name, [value("x", TensorProto.FLOAT, shape)], [value("y", TensorProto.FLOAT, shape)],
        [helper.make_tensor("one", TensorProto.FLOAT, [], [1.0])])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 22), helper.make_opsetid("custom", 1)])
    onnx.save(model, folder / f"{name}.onnx")


if len(sys.argv) == 2:
    folder = pathlib.Path(sys.argv[1])
    make(folder, "both", "Both", [4, 8])
    make(folder, "large", "Both", [40, 8])
    make(folder, "alone", "Alone", [4, 8])
    make(folder, "single", "Both", [4, 8], neighbours=False)
    np.save(folder / "x.npy", np.arange(32, dtype=np.float32).reshape(4, 8))
else:
    x, y = np.load(sys.argv[2]), np.load(sys.argv[3])
    print("as expected" if np.array_equal(y, float(sys.argv[4]) * (x + 1) + 1) else y)
