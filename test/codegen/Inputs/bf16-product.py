# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a product of bf16 with weights to the file argv[1]."""
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

rng = np.random.default_rng(1)
weights = rng.standard_normal((38, 47)).astype(ml_dtypes.bfloat16)
weights[::5] *= ml_dtypes.bfloat16(1e-30)
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "w"], ["t"]),
     helper.make_node("Cast", ["t"], ["y"], to=TensorProto.FLOAT)],
    "product", [helper.make_tensor_value_info("x", TensorProto.BFLOAT16, [9, 38])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [9, 47])],
    [helper.make_tensor("w", TensorProto.BFLOAT16, weights.shape, weights.tobytes(), raw=True)])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
          sys.argv[1])
