# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls the operator of plain.cpp, and what it said.

  models.py make FOLDER       plain.onnx: y = custom.Plain(x)
  models.py print FILE...     the first element of each array, in a line
"""
import sys

import numpy as np
import onnx
from onnx import helper


def make(folder):
    values = [helper.make_tensor_value_info(name, 1, [4]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Plain", ["x"], ["y"], domain="custom")], "plain",
                              values[:1], values[1:])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("custom", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), folder + "/plain.onnx")


def show(*names):
    print(*(np.load(name)[0] for name in names))


if __name__ == "__main__":
    {"make": make, "print": show}[sys.argv[1]](*sys.argv[2:])
