# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that give quantised inputs to an operator of a user's, in all ways.

quantized-operators.py make FOLDER      models and inputs
quantized-operators.py compare FOLDER   y.npy and ref.npy against NumPy
"""
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

what, folder = sys.argv[1], Path(sys.argv[2])
random = np.random.default_rng(5)
X = random.integers(-40, 40, (4, 24)).astype(np.float32) / 16
W = random.integers(-100, 100, (24, 5)).astype(np.int8)
B = np.linspace(-1, 1, 5, dtype=np.float32)
X_SCALE, X_ZERO = np.float32(0.0625), np.uint8(100)
W_SCALE = np.linspace(0.01, 0.05, 5, dtype=np.float32)
W_ZERO = np.array([0, 3, -4, 0, 1], np.int8)


def save(name, nodes, outputs=("y",), inputs=("x",), **changes):
    constants = {"w": W, "b": B, "x_scale": X_SCALE, "x_zero": X_ZERO, "w_scale": W_SCALE,
                 "w_zero": W_ZERO, **changes}
    shapes = {"x": [4, 24], "y": [4, 5], "x_now": [4, 24], "scale_now": []}
    value = {key: helper.make_tensor_value_info(key, 1, shape) for key, shape in shapes.items()}
    used = {key for node in nodes for key in node.input}
    graph = helper.make_graph(
        nodes, name, [value[key] for key in inputs], [value[key] for key in outputs],
        [numpy_helper.from_array(np.asarray(array), key) for key, array in constants.items()
         if key in used])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("custom", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10),
              folder / f"{name}.onnx")


def node(op, inputs, output, **attributes):
    domain = "custom" if op == "QuantizedProduct" else ""
    return helper.make_node(op, inputs, [output], output, domain=domain, **attributes)


def make():
    quantize = [node("Relu", ["x"], "positive"),
                node("QuantizeLinear", ["positive", "x_scale", "x_zero"], "x_codes"),
                node("DequantizeLinear", ["x_codes", "x_scale", "x_zero"], "x_now")]
    weight = node("DequantizeLinear", ["w", "w_scale", "w_zero"], "w_now", axis=1)
    product = node("QuantizedProduct", ["x_now", "w_now", "b"], "product")
    last = node("Neg", ["product"], "y")
    save("both", [*quantize, weight, product, last])
    # Others may read what is dequantised; a small weight is no other than a large one.
    save("seen", [*quantize, weight, product, last], outputs=("y", "x_now"))
    plain = node("DequantizeLinear", ["w", "w_scale"], "w_now")
    save("plain", [*quantize, plain, product, last], w_scale=np.float32(0.02))
    # The operator itself does not take scales of rows.
    save("rows", [*quantize, node("DequantizeLinear", ["w", "w_scale"], "w_now", axis=0), product,
                  last], w_scale=np.full(24, 0.5, np.float32))
    # What is refused.
    save("float", [quantize[0], weight, node("QuantizedProduct", ["positive", "w_now", "b"],
                                             "product"), last])
    save("wide", [*quantize, node("DequantizeLinear", ["w", "w_scale"], "w_now"), product, last],
         w=W.astype(np.int16), w_scale=np.float32(0.02))
    save("blocks", [*quantize, node("DequantizeLinear", ["w", "w_scale"], "w_now", axis=0,
                                    block_size=12), product, last],
         w_scale=np.stack([W_SCALE, 2 * W_SCALE]))
    save("run-time", [*quantize, node("DequantizeLinear", ["w", "scale_now"], "w_now"), product,
                      last], inputs=("x", "scale_now"))
    save("types", [*quantize, node("DequantizeLinear", ["w", "w_scale"], "w_now"), product, last],
         w=W.astype(np.uint8), w_scale=np.float32(0.02))
    np.save(folder / "x.npy", X)


def compare():
    codes = np.clip(np.rint(np.maximum(X, 0) / X_SCALE) + X_ZERO, 0, 255)
    x = (codes - X_ZERO) * X_SCALE.astype(np.float64)
    w = (W.astype(np.float64) - W_ZERO) * W_SCALE
    for name in sys.argv[3:]:
        np.testing.assert_allclose(np.load(folder / name), -(x @ w + B), rtol=1e-5, atol=1e-5)


{"make": make, "compare": compare}[what]()
