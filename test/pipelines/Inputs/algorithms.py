# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with operators of several algorithms, and which one a run took.

algorithms.py make FOLDER          sums.onnx, and others; x.npy
algorithms.py which FOLDER FILE    the number of the algorithm whose result FILE is
"""
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, save_model

what, folder = sys.argv[1], Path(sys.argv[2])
ROWS, COLUMNS = 6, 40


def save(name, op, tag=0.0, columns=COLUMNS, alone=False):
    nodes = [helper.make_node(op, ["x"], ["y"], "net/sum", domain="custom", tag=tag)]
    nodes = nodes if alone else [
        helper.make_node("Abs", ["x"], ["positive"], "positive"),
        helper.make_node(op, ["positive"], ["sum"], "net/sum", domain="custom", tag=tag),
        helper.make_node("Mul", ["sum", "sum"], ["y"], "square"),
    ]
    graph = helper.make_graph(
        nodes, "sums", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ROWS, columns])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [ROWS])])
    model = helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 18), helper.make_opsetid("custom", 1)])
    model.ir_version = 9
    save_model(model, folder / f"{name}.onnx")


def make():
    save("sums", "RowSum")
    save("tagged", "RowSum", tag=1.0)
    save("narrow", "RowSum", columns=8)
    save("alone", "RowSum", alone=True)
    save("stored", "StoredSum", tag=1.0)
    save("varying", "VaryingSum", tag=1.0)
    x = np.random.default_rng(5).integers(-8, 9, (ROWS, COLUMNS)).astype(np.float32)
    np.save(folder / "x.npy", x)


def which():
    x, y = np.load(folder / "x.npy"), np.load(sys.argv[3])
    numbers = np.sqrt(y) - np.abs(x).sum(1)
    assert np.allclose(numbers, numbers[0], atol=1e-3), numbers
    print(f"number {round(float(numbers[0]))}")


{"make": make, "which": which}[what]()
