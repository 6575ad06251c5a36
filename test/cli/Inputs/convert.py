# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds converted models against ONNX's checker, and ONNX Runtime against fusec-ref.

  convert.py FOLDER DIGITS MLP     FOLDER has digits.onnx, apart.onnx and mlp.onnx
"""
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))
import oracle  # noqa: E402


def run(path, model):
    """What ONNX Runtime and fusec-ref differ by, and a line about the model."""
    onnx.checker.check_model(path, full_check=True)
    proto = onnx.load(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(0)
    inputs = {i.name: random.standard_normal(i.shape, np.float32) for i in session.get_inputs()}
    command = ["fusec-ref", model]
    for name, array in inputs.items():
        np.save(path.with_name("in_" + name), array)
        command += ["--input", f"{name}={path.with_name('in_' + name)}.npy"]
    names = [o.name for o in session.get_outputs()]
    for name in names:
        command += ["--output", f"{name}={path.with_name('out_' + name)}.npy"]
    subprocess.run(command, check=True)
    for name, actual in zip(names, session.run(names, inputs)):
        expected = np.load(path.with_name(f"out_{name}.npy"))
        if difference := oracle.compare(actual, expected, "network"):
            return difference
    first = proto.graph.node[0]
    print(f"{path.name}: {len(proto.graph.node)} nodes, {first.op_type} {first.name}, equal")
    return None


folder, digits, mlp = map(pathlib.Path, sys.argv[1:])
for name, model in [("digits", digits), ("apart", digits), ("mlp", mlp)]:
    if wrong := run(folder / f"{name}.onnx", model):
        sys.exit(f"{name}: {wrong}")
