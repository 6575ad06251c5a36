# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a padded convolution of codes with the zero point 128 to the file argv[1]."""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(1)
parameters = {
    "xs": np.float32(0.5), "xz": np.uint8(128),
    "w": rng.integers(-127, 128, (32, 16, 3, 3), dtype=np.int8),
    "ws": np.float32(2.0 ** -9), "wz": np.int8(0), "ys": np.float32(0.5), "yz": np.uint8(100)}
graph = helper.make_graph(
    [helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["y"],
                      pads=[1] * 4)],
    "conv", [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 16, 20, 20])],
    [helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 32, 20, 20])],
    [numpy_helper.from_array(np.asarray(value), name) for name, value in parameters.items()])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
          sys.argv[1])
