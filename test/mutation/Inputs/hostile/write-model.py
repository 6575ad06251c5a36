# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes indices.onnx: each operator that takes indices, positions, lengths or counts from its
inputs.

  write-model.py FILE
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32, I32, I64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
inputs, outputs, nodes, weights = [], [], [], []


def take(dims, element=I64):
    name = f"in{len(inputs)}"
    inputs.append(helper.make_tensor_value_info(name, element, dims))
    return name


def keep(values):
    name = f"w{len(weights)}"
    weights.append(numpy_helper.from_array(np.asarray(values), name))
    return name


def give(operator, operands, dims, element=F32, place=0, **attributes):
    """The node's result number `place` is an output."""
    name = f"{operator}{len(nodes)}"
    results = [f"{name}_{i}" for i in range(place)] + [name]
    nodes.append(helper.make_node(operator, operands, results, name, **attributes))
    outputs.append(helper.make_tensor_value_info(name, element, dims))


table = keep(np.linspace(-1, 1, 6400, dtype=np.float32).reshape(100, 64))
rows = take([8, 16], F32)
give("Gather", [table, take([8])], [8, 64])
give("Gather", [table, take([8], I32)], [8, 64])
give("Gather", [table, take([4])], [100, 4], axis=1)
give("GatherElements", [rows, take([8, 16])], [8, 16], axis=1)
give("GatherElements", [rows, take([8, 16], I32)], [8, 16], axis=0)
give("GatherND", [table, take([5, 2])], [5])
give("GatherND", [rows, take([8, 1])], [8], batch_dims=1)
give("ScatterElements", [rows, take([8, 16]), take([8, 16], F32)], [8, 16], axis=1)
give("ScatterElements", [rows, take([3, 16], I32), take([3, 16], F32)], [8, 16], axis=0,
     reduction="add")
give("ScatterND", [rows, take([5, 1]), take([5, 16], F32)], [8, 16])
give("ScatterND", [rows, take([5, 2]), take([5], F32)], [8, 16], reduction="max")
give("OneHot", [take([8]), keep(np.int64(10)), keep(np.float32([0, 1]))], [8, 10])
give("ReverseSequence", [rows, take([8])], [8, 16], batch_axis=0, time_axis=1)
give("Trilu", [rows, take([])], [8, 16])
picture = take([1, 2, 8, 8], F32)
give("RoiAlign", [picture, take([3, 4], F32), take([3])], [3, 2, 2, 2], output_height=2,
     output_width=2, sampling_ratio=2)
give("MaxRoiPool", [picture, take([3, 5], F32)], [3, 2, 2, 2], pooled_shape=[2, 2])
give("GridSample", [picture, take([1, 4, 4, 2], F32)], [1, 2, 4, 4])
give("MaxUnpool", [take([1, 1, 4, 4], F32), take([1, 1, 4, 4])], [1, 1, 8, 8],
     kernel_shape=[2, 2], strides=[2, 2])
give("NonMaxSuppression", [take([1, 16, 4], F32), take([1, 1, 16], F32), keep(np.int64(8)),
                           keep(np.float32(0.5)), keep(np.float32(0.1))], [8, 3], I64)
lengths = take([3], I32)
state = [keep(np.full(shape, 0.1, np.float32)) for shape in ((1, 4, 2), (1, 4, 4))]
give("RNN", [take([5, 3, 2], F32), *state, "", lengths], [1, 3, 4], place=1, hidden_size=4)
# What a processor may end a program for.
integers, divisors = take([16]), take([16])
for operator in ("Div", "Mod"):
    give(operator, [integers, divisors], [16], I64)
    give(operator, [take([16], I32), take([16], I32)], [16], I32)
give("Cast", [rows], [8, 16], I32, to=I32)

graph = helper.make_graph(nodes, "indices", inputs, outputs, weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=9)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, sys.argv[1])
