#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sparse.py make|check DIR: a product with a matrix of mostly zeros, whose input has elements
that are infinite, and whether the result has the sums of what is no zero."""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TERMS, ROWS, COLUMNS = 128, 128, 4096
folder = pathlib.Path(sys.argv[2])
rng = np.random.default_rng(0)
matrix = rng.uniform(0.5, 1, (ROWS, TERMS)).astype(np.float32)
for row, (values, order) in enumerate(zip(matrix, rng.permuted(np.tile(
        np.arange(TERMS), (ROWS, 1)), axis=1))):
    values[order[20 + row % 3:]] = 0  # of three lengths, so that two are filled up
matrix[5] = 0
x = rng.uniform(-1, 1, (TERMS, COLUMNS)).astype(np.float32)
x[17, ::256] = np.inf

if sys.argv[1] == "make":
    np.save(folder / "x.npy", x)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["w", "x"], ["y"], name="product")], "sparse",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (ROWS, COLUMNS))],
        [numpy_helper.from_array(matrix, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                ir_version=8), folder / "sparse.onnx")
else:
    y = np.load(folder / "y.npy")
    wanted = np.stack([row[row != 0].astype(np.float64) @ x[row != 0] for row in matrix])
    infinite = np.isinf(wanted)
    assert np.array_equal(infinite, np.isposinf(y)), "other sums are infinite"
    assert np.allclose(y[~infinite], wanted[~infinite], rtol=1e-5, atol=1e-5)
    print(f"equal, {infinite.sum()} infinite")
