# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what kernels of rows move, in the simulator of GPUs.

  held-rows.py FUSEC PTX-SIM FOLDER

Softmax and LayerNorm read a row once and write it once, whatever its length: rows of a
warp and of a block, whole turns of all threads and others, elements of four and two bytes.
"""
import json
import pathlib
import re
import subprocess
import sys

import onnx
from onnx import TensorProto, helper

HALF, FLOAT = TensorProto.FLOAT16, TensorProto.FLOAT
# Operator, type, rows, elements of one.
CASES = [("Softmax", FLOAT, 64, 1024), ("Softmax", FLOAT, 24, 96), ("Softmax", FLOAT, 132, 4096),
         ("Softmax", FLOAT, 64, 500), ("Softmax", HALF, 64, 1024), ("Softmax", FLOAT, 16, 37),
         ("LayerNormalization", FLOAT, 64, 768), ("LayerNormalization", HALF, 132, 3000)]


def make(name, kind, rows, length, path):
    value = [helper.make_tensor_value_info(of, kind, [rows, length]) for of in "xy"]
    inputs = ["x"]
    if name == "LayerNormalization":
        value.insert(1, helper.make_tensor_value_info("w", kind, [length]))
        inputs.append("w")
    graph = helper.make_graph([helper.make_node(name, inputs, ["y"], axis=-1)], "rows",
                              value[:-1], value[-1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                ir_version=9), path)


def count(fusec, simulator, folder, name, kind, rows, length):
    model, out = folder / "rows.onnx", folder / "out"
    make(name, kind, rows, length, model)
    subprocess.run([fusec, "compile", model, "--target=cuda-sm80", "-o", out], check=True,
                   stdout=subprocess.DEVNULL)
    text = (out / "rows.cpp").read_text()
    symbol, grid, block = re.search(
        r'/\*symbol=\*/"(\w+_default)", /\*grid=\*/(\d+),\s*/\*block=\*/(\d+)', text).groups()
    element = "f16" if kind == HALF else "f32"
    weights = f" {element}[{length}]=rand" if name == "LayerNormalization" else ""
    arguments = f"u64=0 {element}[{rows * length}]=rand{weights} {element}[{rows * length}]=nan"
    done = subprocess.run([simulator, "run", out / "rows_kernels.cu", "--kernel", symbol,
                           "--grid", grid, "--block", block, "--args", arguments,
                           "-I", out / "runtime/include", "--json"],
                          stdout=subprocess.PIPE, text=True, check=False)
    result = json.loads(done.stdout)
    assert not result["findings"], result
    return result["counts"]


def main():
    fusec, simulator, folder = sys.argv[1:]
    right = 0
    for name, kind, rows, length in CASES:
        counts = count(fusec, simulator, pathlib.Path(folder), name, kind, rows, length)
        size = 2 if kind == HALF else 4
        # Each row reads the weights, which a cache holds.
        reads = rows * length * size * (2 if name == "LayerNormalization" else 1)
        moved = counts["global_load_bytes"], counts["global_store_bytes"]
        right += moved == (reads, rows * length * size)
        print(name, rows, length, "of", size, "bytes:", *moved, "of", reads, rows * length * size,
              flush=True)
    print(f"{right} of {len(CASES)} move each element once")
    return right != len(CASES)


sys.exit(main())
