# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tiles-products.py FILE: products of bytes, with a scale and rounded, and of bf16. 37 rows are
more than two tiles of 16, 40 columns no multiple of 16, and 72 terms none of 64 nor of 32."""
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rows, terms, columns, fewer = 37, 72, 64, 40
rng = np.random.default_rng(7)
codes = numpy_helper.from_array(rng.integers(-127, 128, (terms, columns)).astype(np.int8), "codes")
weights = numpy_helper.from_array(
    rng.standard_normal((terms, fewer)).astype(np.float32).astype(ml_dtypes.bfloat16), "weights")
scalars = [numpy_helper.from_array(value, name) for name, value in (
    ("x_scale", np.float32(0.02)), ("x_zero", np.uint8(120)), ("w_scale", np.float32(0.01)),
    ("w_zero", np.int8(0)), ("y_scale", np.float32(0.05)), ("y_zero", np.uint8(128)))]
nodes = [helper.make_node("QLinearMatMul", ["x", "x_scale", "x_zero", "codes", "w_scale", "w_zero",
                                            "y_scale", "y_zero"], ["y"]),
         helper.make_node("MatMul", ["u", "weights"], ["product"]),
         helper.make_node("Cast", ["product"], ["v"], to=TensorProto.FLOAT)]


def value(name, element, *dims):
    return helper.make_tensor_value_info(name, element, dims)


graph = helper.make_graph(
    nodes, "products",
    [value("x", TensorProto.UINT8, rows, terms), value("u", TensorProto.BFLOAT16, rows, terms)],
    [value("y", TensorProto.UINT8, rows, columns), value("v", TensorProto.FLOAT, rows, fewer)],
    [codes, weights, *scalars])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10),
          sys.argv[1])
