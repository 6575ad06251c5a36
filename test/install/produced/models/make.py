#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make.py NUMBERS MODEL: y = x * (the numbers), which lie in scale.bin beside MODEL."""
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

numbers, path = map(pathlib.Path, sys.argv[1:])
scale = np.float32(numbers.read_text().split())
graph = helper.make_graph(
    [helper.make_node("Mul", ["x", "scale"], ["y"])], "scale",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", len(scale)])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", len(scale)])],
    [numpy_helper.from_array(scale, "scale")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
path.with_name("scale.bin").unlink(missing_ok=True)
save(model, path, save_as_external_data=True, location="scale.bin", size_threshold=0)
