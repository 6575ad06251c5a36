#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""data-shapes.py FOLDER: y = x + z with open extents, and data for it."""
import pathlib
import sys

import numpy
import onnx
from onnx import helper, numpy_helper

folder = pathlib.Path(sys.argv[1])


def info(name):
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["batch", "seq"])


graph = helper.make_graph([helper.make_node("Add", ["x", "z"], ["y"])], "g",
                          [info("x"), info("z")], [info("y")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]),
          folder / "open.onnx")
x = numpy.arange(6, dtype="f4").reshape(2, 3)
numpy.save(folder / "x.npy", x)
numpy.save(folder / "z.npy", x)
for name, z in (("data", x), ("wrong", numpy.ones((4, 3), "f4"))):
    for file, value in (("input_0", x), ("input_1", z), ("output_0", 2 * x)):
        (folder / name / f"{file}.pb").write_bytes(
            numpy_helper.from_array(value).SerializeToString())
