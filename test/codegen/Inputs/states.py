# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""states.py model FILE: a model that carries two states.

    caches_out = caches with row `at` replaced by x, a buffer that is written in place;
    sum_out[4] = sum_in[4] + sums over all rows of caches_out, which lies elsewhere;
    y[batch, 4] = x[batch, 4] + sum_out

states.py late FILE: y[8, 4] = the buffer + what it was before, which is read late.

states.py drift FILE: one whose output `c1` is of another shape than its input `c0`.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def value(name, kind, *shape):
    return helper.make_tensor_value_info(name, kind, shape)


F32, I64 = TensorProto.FLOAT, TensorProto.INT64


def save(graph, path):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path)


def write_model(path):
    axes = numpy_helper.from_array(np.array([0], np.int64), "axes")
    nodes = [helper.make_node("ReduceMean", ["x"], ["row"], name="row", axes=[0], keepdims=1),
             helper.make_node("ScatterND", ["rows_in", "at", "row"], ["rows_out"], name="write"),
             helper.make_node("ReduceSum", ["rows_out", "axes"], ["rows_sum"], name="sum",
                              keepdims=0),
             helper.make_node("Add", ["sum_in", "rows_sum"], ["sum_out"], name="add"),
             helper.make_node("Add", ["x", "sum_out"], ["y"], name="result")]
    graph = helper.make_graph(
        nodes, "states",
        [value("x", F32, "batch", 4), value("rows_in", F32, 8, 4), value("at", I64, 1, 1),
         value("sum_in", F32, 4)],
        [value("sum_out", F32, 4), value("y", F32, "batch", 4), value("rows_out", F32, 8, 4)],
        [axes])
    save(graph, path)


def write_late(path):
    nodes = [helper.make_node("ScatterND", ["rows_in", "at", "row"], ["rows_out"], name="write"),
             helper.make_node("Add", ["rows_in", "rows_out"], ["y"], name="add")]
    graph = helper.make_graph(
        nodes, "late", [value("row", F32, 1, 4), value("rows_in", F32, 8, 4),
                        value("at", I64, 1, 1)],
        [value("y", F32, 8, 4), value("rows_out", F32, 8, 4)])
    save(graph, path)


def write_drift(path):
    nodes = [helper.make_node("Concat", ["c0", "x"], ["c1"], name="grow", axis=0),
             helper.make_node("Relu", ["x"], ["y"], name="relu")]
    graph = helper.make_graph(nodes, "drift", [value("x", F32, 1, 4), value("c0", F32, 3, 4)],
                              [value("c1", F32, 4, 4), value("y", F32, 1, 4)])
    save(graph, path)


{"model": write_model, "late": write_late, "drift": write_drift}[sys.argv[1]](sys.argv[2])
