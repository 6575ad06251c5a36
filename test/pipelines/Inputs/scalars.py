# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with operators that compute element by element, between operators of ONNX's own.

scalars.py make            writes NAME.onnx of each model, and the values of its inputs
scalars.py run NAME...     compiles models to folders of their names, and runs them on 1, 2 and
                           7 threads and in the interpreter
scalars.py kernels OUT...  how many kernels folders that fusec emitted have, and their keys
scalars.py compare NAME... NAME-1.npy, NAME-2.npy and NAME-7.npy have the same bits, which
                           are what NumPy computes, and so has NAME-ref.npy
"""
import json
import subprocess
import sys

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save_model

node = helper.make_node
SHAPE = [5, 7, 37]
TYPES = {"f32": (TensorProto.FLOAT, np.float32, 1e-5), "f64": (TensorProto.DOUBLE, np.float64, 1e-12),
         "f16": (TensorProto.FLOAT16, np.float16, 4e-3),
         "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16, 3e-2),
         "i32": (TensorProto.INT32, np.int32, 0), "i64": (TensorProto.INT64, np.int64, 0),
         "i8": (TensorProto.INT8, np.int8, 0), "u8": (TensorProto.UINT8, np.uint8, 0),
         "u32": (TensorProto.UINT32, np.uint32, 0)}
MODELS = {**{f"soft-{kind}": ("Soft", kind) for kind in ("f32", "f64", "f16", "bf16")},
          **{f"whole-{kind}": ("Whole", kind) for kind in ("i32", "i64", "i8", "u8", "u32")},
          "plain-f32": ("Plain", "f32")}


def values(kind, seed, shape):
    dtype = TYPES[kind][1]
    random = np.random.default_rng(seed)
    if TYPES[kind][2]:
        return random.uniform(-3, 3, shape).astype(dtype)
    return random.integers(0 if kind[0] == "u" else -9, 9, shape).astype(dtype)


def make():
    for name, (operator, kind) in MODELS.items():
        code = TYPES[kind][0]
        two = numpy_helper.from_array(np.full([1], 2).astype(TYPES[kind][1]), "two")
        operands = ["a"] if operator == "Whole" else ["a", "w"]
        attributes = {"Soft": {"beta": 0.75}, "Whole": {"step": 5}, "Plain": {}}[operator]
        nodes = [node("Add", ["x", "two"], ["a"], "first"),
                 node(operator, operands, ["b"], "own", domain="custom", **attributes),
                 node("Mul", ["b", "two"], ["y"], "last")]
        shapes = {"x": SHAPE, "w": SHAPE[2:]}
        inputs = ["x", *operands[1:]]
        graph = helper.make_graph(
            nodes, "g", [helper.make_tensor_value_info(key, code, shapes[key]) for key in inputs],
            [helper.make_tensor_value_info("y", code, SHAPE)], [two])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18),
                                                        helper.make_opsetid("custom", 1)])
        model.ir_version = 9
        save_model(model, f"{name}.onnx")
        for seed, key in enumerate(inputs):
            np.save(f"{name}-{key}.npy", values(kind, seed, shapes[key]))


def run():
    def call(*command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    for name in sys.argv[2:]:
        keys = ["x"] if MODELS[name][0] == "Whole" else ["x", "w"]
        inputs = [f"--input={key}={name}-{key}.npy" for key in keys]
        call("fusec", "compile", f"{name}.onnx", "-o", name, "--ops", "libscalars.so")
        for threads in ("1", "2", "7"):
            call("fusec", "run", name, *inputs, "--threads", threads, "--output",
                 f"y={name}-{threads}.npy")
        call("fusec-ref", f"{name}.onnx", "--ops", "libscalars.so", *inputs, "--output",
             f"y={name}-ref.npy")


def kernels():
    for folder in sys.argv[2:]:
        with open(f"{folder}/model.json") as file:
            groups = json.load(file)["groups"]
        print(folder, len(groups), *(group["key"] for group in groups))


def expect(operator, kind):
    dtype, tolerance = TYPES[kind][1:]
    wide = np.float64 if tolerance else np.int64
    x = (values(kind, 0, SHAPE) + dtype(2)).astype(wide)
    w = values(kind, 1, SHAPE[2:]).astype(wide)
    if operator == "Soft":
        y = np.where(w > 0, x / (1 + np.exp(-0.75 * x)), -w)
    elif operator == "Plain":
        y = np.where(x < 0, w - x, x * w)
    else:
        y = x * x + 5
    return 2 * y.astype(dtype).astype(wide)


def compare():
    for name in sys.argv[2:]:
        operator, kind = MODELS[name]
        dtype, tolerance = TYPES[kind][1:]
        one = np.load(f"{name}-1.npy")
        for threads in (2, 7):
            assert one.tobytes() == np.load(f"{name}-{threads}.npy").tobytes(), (name, threads)
        expected = expect(operator, kind)
        for made in (one, np.load(f"{name}-ref.npy")):
            if kind == "bf16":
                made = made.view(ml_dtypes.bfloat16).astype(np.float64)
            if tolerance:
                np.testing.assert_allclose(made.astype(np.float64), expected, rtol=tolerance,
                                           atol=tolerance, err_msg=name)
            else:
                np.testing.assert_array_equal(made, expected.astype(dtype), err_msg=name)


{"make": make, "run": run, "kernels": kernels, "compare": compare}[sys.argv[1]]()
