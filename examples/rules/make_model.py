#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes classifier.onnx as an exporter writes it, with random weights: two layers, between
them x sigmoid(1.702 x), and behind them the largest of a softmax. Needs numpy and onnx."""
import pathlib

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

BATCH, INPUTS, HIDDEN, CLASSES = 8, 16, 32, 10
rng = np.random.default_rng(0)


def weight(name, *shape):
    return numpy_helper.from_array(rng.uniform(-1, 1, shape).astype(np.float32), name)


node = helper.make_node
graph = helper.make_graph(
    [node("Gemm", ["x", "w1", "b1"], ["hidden"], "first"),
     node("Mul", ["hidden", "scale"], ["scaled"], "scale_by"),
     node("Sigmoid", ["scaled"], ["gate"], "gate"),
     node("Mul", ["hidden", "gate"], ["active"], "activation"),
     node("Gemm", ["active", "w2", "b2"], ["scores"], "second"),
     node("Softmax", ["scores"], ["probabilities"], "softmax", axis=1),
     node("ArgMax", ["probabilities"], ["label"], "label", axis=1, keepdims=0)],
    "classifier",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [BATCH, INPUTS])],
    [helper.make_tensor_value_info("label", TensorProto.INT64, [BATCH])],
    [weight("w1", INPUTS, HIDDEN), weight("b1", HIDDEN),
     weight("w2", HIDDEN, CLASSES), weight("b2", CLASSES),
     numpy_helper.from_array(np.float32(1.702), "scale")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
checker.check_model(model, full_check=True)
save(model, pathlib.Path(__file__).parent / "classifier.onnx")
