# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with operators of blocks.cpp, between operators of ONNX's own.

blocks.py make            writes NAME.onnx of each model, and NAME-x.npy, its input
blocks.py run NAME...     runs them in the simulator of a GPU
blocks.py compare NAME... what they made is what NumPy computes
"""
import subprocess
import sys

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save_model

node = helper.make_node
TYPES = {"f32": (TensorProto.FLOAT, np.float32, 1e-6), "f16": (TensorProto.FLOAT16, np.float16, 2e-3),
         "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16, 1e-2), "i32": (TensorProto.INT32, np.int32, 0)}
# By name: the operator, its attributes, the type, and the shape.
MODELS = {
    **{f"softmax-{rows}x{columns}": ("Softmax", {"scale": 0.5}, "f32", [rows, columns])
       for rows, columns in ((1, 1), (7, 13), (41, 127), (5, 128), (3, 129), (2, 1009))},
    "softmax-f16": ("Softmax", {}, "f16", [11, 37]), "softmax-bf16": ("Softmax", {}, "bf16", [11, 37]),
    "largest": ("Largest", {}, "i32", [13, 257]), "largest-1x1": ("Largest", {}, "i32", [1, 1]),
    "parameters": ("Parameters", {"doubled": 1, "first": -3, "steps": [0.25, 1e-3, 4.0],
                                  "mode": "negative"}, "f32", [7, 101]),
    "defaults": ("Parameters", {}, "f32", [1]), "empty": ("Softmax", {}, "f32", [0, 5]),
    "racy": ("Racy", {}, "f32", [3, 64]), "overrun": ("Overrun", {}, "f32", [3, 64]),
    "behind": ("Behind", {}, "f32", [3, 64]),
    "no-threads": ("Wrong", {"threads": 0}, "f32", [3, 64]),
    "many-threads": ("Wrong", {"threads": 1056}, "f32", [3, 64]),
    "odd-threads": ("Wrong", {"threads": 100}, "f32", [3, 64]),
    "negative-blocks": ("Wrong", {"blocks": -1}, "f32", [3, 64]),
    "many-blocks": ("Wrong", {"blocks": 2**31}, "f32", [3, 64]),
    "negative-bytes": ("Wrong", {"bytes": -1}, "f32", [3, 64]),
    "many-bytes": ("Wrong", {"bytes": 2**16}, "f32", [3, 64]),
    "alone": ("Alone", {}, "f32", [7, 13]), "alone-cube": ("Alone", {}, "f32", [7, 13, 2]),
    "both": ("Both", {}, "f32", [7, 13]), "both-wide": ("Both", {}, "f32", [2, 101])}


def values(name):
    _, _, kind, shape = MODELS[name]
    random = np.random.default_rng(len(name))
    if kind == "i32":
        return random.integers(-50, 50, shape).astype(np.int32)
    return random.uniform(-4, 4, shape).astype(TYPES[kind][1])


def make():
    for name, (operator, attributes, kind, shape) in MODELS.items():
        code, dtype, _ = TYPES[kind]
        one = numpy_helper.from_array(np.ones([1], dtype), "one")
        results = ["b", "place"] if operator == "Largest" else ["b"]
        nodes = [node("Add", ["x", "one"], ["a"], "first"),
                 node(operator, ["a"], results, "own", domain="custom", **attributes),
                 node("Add", ["b", "b"], ["y"], "last")]
        if operator == "Overrun":  # of an array that nothing follows
            nodes = [node(operator, ["x"], ["y"], "own", domain="custom")]
        info = helper.make_tensor_value_info
        outputs = [info("y", code, shape[:1] if operator == "Largest" else shape)]
        if operator == "Largest":
            outputs.append(info("place", TensorProto.INT64, shape[:1]))
        graph = helper.make_graph(nodes, name, [info("x", code, shape)], outputs, [one])
        save_model(helper.make_model(graph, ir_version=9, opset_imports=[
            helper.make_opsetid("", 18), helper.make_opsetid("custom", 1)]), f"{name}.onnx")
        np.save(f"{name}-x.npy", values(name))


def run():
    for name in sys.argv[2:]:
        places = ["--output", f"place={name}-place.npy"] if MODELS[name][0] == "Largest" else []
        subprocess.run(["fusec", "run", f"{name}.onnx", "--ops", "libblocks.so",
                        "--target=cuda-sm80", "--device=sim", "--input", f"x={name}-x.npy",
                        "--output", f"y={name}-y.npy", *places], check=True,
                       stdout=subprocess.DEVNULL)


def compare():
    for name in sys.argv[2:]:
        operator, attributes, kind, _ = MODELS[name]
        _, dtype, tolerance = TYPES[kind]
        x, y = values(name) + dtype(1), np.load(f"{name}-y.npy")
        if kind == "bf16":
            y = y.view(ml_dtypes.bfloat16)
        if operator == "Largest":
            np.testing.assert_array_equal(y, 2 * x.max(axis=1))
            np.testing.assert_array_equal(np.load(f"{name}-place.npy"), x.argmax(axis=1))
            continue
        x = x.astype(np.float64)
        if operator == "Parameters":
            step = attributes.get("first", 1) + sum(attributes.get("steps", [0.5, 0.25]))
            expected = x + step * (-2 if attributes else 1)
        else:
            powers = np.exp(attributes.get("scale", 1) * x)
            expected = powers / powers.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(y.astype(np.float64), 2 * expected, rtol=10 * tolerance,
                                   atol=tolerance, err_msg=name)
    print("as NumPy computes")


{"make": make, "run": run, "compare": compare}[sys.argv[1]]()
