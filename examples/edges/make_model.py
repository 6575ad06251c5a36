#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes edges.onnx: the length of Sobel's gradient. Needs numpy and onnx."""
import pathlib

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

sobel = np.float32([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 4
picture = [1, 1, "height", "width"]
graph = helper.make_graph(
    [helper.make_node("Conv", ["picture", "across"], ["dx"], pads=[1, 1, 1, 1]),
     helper.make_node("Conv", ["picture", "down"], ["dy"], pads=[1, 1, 1, 1]),
     helper.make_node("Mul", ["dx", "dx"], ["dx2"]),
     helper.make_node("Mul", ["dy", "dy"], ["dy2"]),
     helper.make_node("Add", ["dx2", "dy2"], ["square"]),
     helper.make_node("Sqrt", ["square"], ["edges"])],
    "edges",
    [helper.make_tensor_value_info("picture", TensorProto.FLOAT, picture)],
    [helper.make_tensor_value_info("edges", TensorProto.FLOAT, picture)],
    [numpy_helper.from_array(sobel[None, None], "across"),
     numpy_helper.from_array(sobel.T[None, None].copy(), "down")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
checker.check_model(model, full_check=True)
save(model, pathlib.Path(__file__).parent / "edges.onnx")
