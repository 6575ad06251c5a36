# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of a row and weights of 4 bits in blocks of 32, which may round the row or not; and
of many rows and weights of 8 bits, so many that they stay such."""
import pathlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

rng = np.random.default_rng(0)
for name, level, bits, rows, columns in (("rounded", 4, 4, 1, 256), ("kept", 1, 4, 1, 256),
                                         ("bytes", 4, 8, 40, 544)):
    weights = {"b": rng.integers(0, 256, (columns, 4, 4 * bits)).astype(np.uint8),
               "s": rng.random((columns, 4), np.float32)}
    node = helper.make_node("MatMulNBits", ["x", "b", "s"], ["y"], domain="com.microsoft", K=128,
                            N=columns, block_size=32, bits=bits, accuracy_level=level)
    graph = helper.make_graph(
        [node], name, [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [rows, 128])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, key) for key, array in weights.items()])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)])
    onnx.save(model, pathlib.Path(sys.argv[1]) / f"{name}.onnx")
