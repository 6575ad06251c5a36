# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with an operator of a user's, and what they compute.

operators.py values FOLDER REPOSITORY   writes x.npy and w.npy
operators.py compare FOLDER REPOSITORY  y.npy and ref.npy against NumPy
operators.py bad FOLDER REPOSITORY      models that are wrong: exit codes and messages
"""
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx

what, folder, repository = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
EXAMPLE = repository / "examples/matmul_scale/scaled.onnx"


def values():
    random = np.random.default_rng(3)
    np.save(folder / "x.npy", random.uniform(-1, 1, (32, 64)).astype(np.float32))
    np.save(folder / "w.npy", random.uniform(-1, 1, (64, 48)).astype(np.float32))


def compare():
    x, w = (np.load(folder / name).astype(np.float64) for name in ("x.npy", "w.npy"))
    expected = np.maximum(0.25 * ((x + x) @ w), 0) + 1
    for name in ("y.npy", "ref.npy"):
        np.testing.assert_allclose(np.load(folder / name), expected, rtol=1e-5, atol=1e-5)


def change(name, edit, *options):
    """What fusec check says of the example, changed by `edit`."""
    model = onnx.load(EXAMPLE)
    edit(model, model.graph.node[1])
    path = folder / f"{name}.onnx"
    onnx.save(model, path)
    done = subprocess.run(
        ["fusec", "check", path, "--ops", folder / "libmatmul_scale.so", *options],
        capture_output=True, text=True)
    print(f"{name}: {done.returncode}: " + " ".join((done.stdout + done.stderr).split()))


def bad():
    def set_dims(model, index, dims, kind=onnx.TensorProto.FLOAT):
        value = model.graph.input[index]
        value.CopyFrom(onnx.helper.make_tensor_value_info(value.name, kind, dims))

    def set_scale(value, name="scale"):
        def edit(_, node):
            node.attribute[0].CopyFrom(onnx.helper.make_attribute(name, value))
        return edit

    def drop_operand(_, node):
        del node.input[1]

    def drop_domain(model, _):
        del model.opset_import[1]

    change("kind", set_scale("much"))
    change("unknown", set_scale(1.0, "size"))
    change("count", drop_operand)
    change("type", lambda model, _: set_dims(model, 0, [32, 64], onnx.TensorProto.INT32))
    change("rank", lambda model, _: set_dims(model, 0, [1, 32, 64]))
    change("shape", lambda model, _: set_dims(model, 1, [32, 48]))
    change("domain", drop_domain)
    change("twice", lambda *_: None, "--ops", folder / "libmatmul_scale.so")


{"values": values, "compare": compare, "bad": bad}[what]()
