# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of one structure, with other values of their weights, for swap-weights.test.

  swappable.py model FILE VALUES [quantized]   VALUES: plain (zeros, ones, equal numbers,
                                               which rewrites would see), or a seed
  swappable.py run FILE X.npy Y.npy            what ONNX Runtime makes of it
"""
import sys

import numpy as np


def make(values, quantized):
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    is_plain = values == "plain"
    random = np.random.default_rng(0 if is_plain else int(values))
    weights = []

    def weight(name, plain, *shape, least=-0.5):
        array = np.full(shape, plain) if is_plain else random.random(shape) + least
        weights.append(numpy_helper.from_array(array.astype(np.float32), name))
        return name

    def fixed(name, array):
        weights.append(numpy_helper.from_array(array, name))
        return name
    node = helper.make_node
    nodes = [
        # Folded into the filters; what is 0 or 1 would be left out.
        node("Conv", ["x", weight("filters", 1, 8, 3, 3, 3), weight("bias", 0, 8)], ["conv"],
             pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["conv", weight("scale", 1, 8, least=0.5), weight("shift", 0, 8),
                                    weight("mean", 0, 8), weight("variance", 1, 8, least=0.5)],
             ["norm"]),
        node("Mul", ["norm", weight("factor", 1)], ["scaled"]),
        node("Relu", ["scaled"], ["relu"]),
        # The target shape is no weight.
        node("Reshape", ["relu", fixed("target", np.array([2, 8, 36], np.int64))], ["rows"]),
        # Products that read one operand become one; those of equal weights are two.
        node("MatMul", ["rows", weight("left", 0.5, 36, 16)], ["l"]),
        node("MatMul", ["rows", weight("right", 0.5, 36, 16)], ["r"]),
        node("Add", ["l", weight("added", 0, 16)], ["la"]),
        # An exponent of 2 would be a product.
        node("Abs", ["r"], ["a"]),
        node("Mul", ["la", "a"], ["product"]),
        node("Pow", ["a", weight("exponent", 2, least=1.5)], ["power"]),
        node("Add", ["product", "power"], ["y" if not quantized else "float"])]
    if quantized:
        zero = np.array(128 if is_plain else 120, np.uint8)
        nodes += [node("QuantizeLinear", ["float", weight("y_scale", 0.125, least=0.5),
                                          fixed("y_zero", zero)], ["codes"]),
                  node("DequantizeLinear", ["codes", "y_scale", "y_zero"], ["y"])]

    def value(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "swappable", [value("x", 2, 3, 6, 6)],
                              [value("y", 2, 8, 16)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    # Another exporter, and another version, are no other structure.
    model.producer_version = values
    onnx.checker.check_model(model)
    return model


command, *arguments = sys.argv[1:]
if command == "model":
    import onnx
    onnx.save(make(arguments[1], arguments[2:] == ["quantized"]), arguments[0])
else:
    import onnxruntime
    session = onnxruntime.InferenceSession(arguments[0], providers=["CPUExecutionProvider"])
    np.save(arguments[2], session.run(None, {"x": np.load(arguments[1])})[0])
