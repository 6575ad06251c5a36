#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model with 3 GB of external data and measures what that takes.

  .venv/bin/python test/models/large.py [--build build] [--json FILE]

Two dense layers: the first one's weights are used as they lie in the file and have more
than 2^31 bytes, the second one's are transposed. The file is sparse. Exit code 1 if the
compilation fails or takes more memory than memory.py allows, or if --embed-weights takes
such a model.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import zoo  # noqa: F401  (makes the end-to-end tests' modules importable)
from batch import Failure
from memory import check_memory, compile_measured, weights_bytes
from onnx import TensorProto, helper

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
INPUTS, HIDDEN, OUTPUTS = 16384, 36864, 4096
FLOAT_BYTES, SECONDS = 4, 900


def external(name, shape, offset):
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape,
                         data_location=TensorProto.EXTERNAL)
    length = shape[0] * shape[1] * FLOAT_BYTES
    for key, value in (("location", "weights.data"), ("offset", offset), ("length", length)):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
    return tensor, offset + length


def write_model(folder):
    """Returns the path of the model and the bytes of its weights."""
    wide, end = external("wide", (INPUTS, HIDDEN), 0)
    back, end = external("back", (OUTPUTS, HIDDEN), end)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "wide"], ["h"]),
         helper.make_node("Relu", ["h"], ["r"]),
         helper.make_node("Gemm", ["r", "back"], ["y"], transB=1)], "large",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, INPUTS))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, OUTPUTS))], [wide, back])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / "large.onnx"
    path.write_bytes(model.SerializeToString())
    with open(folder / "weights.data", "wb") as data:
        data.truncate(end)
    return path, end


def measure(fusec, folder):
    """What is wrong, or None."""
    model, expected = write_model(folder)
    try:
        seconds, peak = compile_measured(fusec, model, folder / "src", SECONDS)
    except Failure as failure:
        return str(failure)
    weights = weights_bytes(folder / "src")
    print(f"{expected / 1e9:.2f} GB of external data: {seconds:.1f} CPU seconds, "
          f"{peak / 1e6:.0f} MB at most, {weights / 1e6:.0f} MB of weights written")
    if weights < expected:
        return f"wrote {weights} bytes of weights, the model has {expected}"
    return check_memory(peak, weights) or check_embedding(fusec, model, folder / "embedded")


def check_embedding(fusec, model, folder):
    """What is wrong, or None: no program can hold so much."""
    process = subprocess.run([fusec, "compile", model, "-o", folder, "--embed-weights"],
                             capture_output=True, text=True)
    said = "a program can hold 1024 MB at most: leave out --embed-weights" in process.stderr
    if process.returncode == 4 and said and not folder.exists():
        return None
    return f"--embed-weights: exit code {process.returncode}, {process.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the result")
    args = parser.parse_args()
    folder = args.build.resolve() / "models" / "large"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    reason = measure(args.build.resolve() / "bin" / "fusec", folder)
    shutil.rmtree(folder)
    if reason:
        print(f"FAILED: {reason}")
    if args.json:
        args.json.write_text(json.dumps([{
            "name": "3 GB of external data", "reason": reason or "",
            "outcome": "failed" if reason else "passed"}]))
    return 1 if reason else 0


if __name__ == "__main__":
    sys.exit(main())
