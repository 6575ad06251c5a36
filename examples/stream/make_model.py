#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes stream.onnx: a GRU of 16 cells that is given one sample a run, and what it makes of
all samples so far; random weights. Needs numpy and onnx."""
import pathlib

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

CELLS = 16
random = np.random.default_rng(7)


def weight(name, *shape):
    return numpy_helper.from_array(random.uniform(-1, 1, shape).astype(np.float32), name)


def value(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


graph = helper.make_graph(
    [helper.make_node("GRU", ["sample", "w", "r", "b", "", "h0"], ["", "hn"], name="gru",
                      hidden_size=CELLS, linear_before_reset=1),
     helper.make_node("Squeeze", ["hn", "axis"], ["hidden"], name="hidden"),
     helper.make_node("MatMul", ["hidden", "out"], ["level"], name="level")],
    "stream", [value("sample", 1, 1, 1), value("h0", 1, 1, CELLS)],
    [value("level", 1, 1), value("hn", 1, 1, CELLS)],
    [weight("w", 1, 3 * CELLS, 1), weight("r", 1, 3 * CELLS, CELLS), weight("b", 1, 6 * CELLS),
     weight("out", CELLS, 1), numpy_helper.from_array(np.array([0]), "axis")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
checker.check_model(model, full_check=True)
save(model, pathlib.Path(__file__).parent / "stream.onnx")
