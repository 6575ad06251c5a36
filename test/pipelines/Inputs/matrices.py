# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products by the matrix units of a GPU, in its simulator: of 16-bit floats, of 8-bit codes, and
with --numerics=fast of f32.

  matrices.py make FOLDER            the models, one for each of KINDS
  matrices.py defaults FOLDER        each compiled and verified: its kernel has matrices or not
  matrices.py every FOLDER N         one of N configs with matrices of a few models, by locks
  matrices.py refused FOLDER         a lock with matrices of f32, and reproducible numerics
  matrices.py planted FOLDER PTX-SIM the kernel of "square", with what threads wait for left out
"""
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save_model

HALF, BF16, FLOAT = TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.FLOAT
CODES = TensorProto.UINT8


def matmul(kind, *shapes, **attributes):
    """MatMul or Gemm of two operands, and a bias with Relu behind it."""
    a, b, out = shapes
    nodes = [helper.make_node("Gemm" if attributes else "MatMul", ["a", "b"], ["p"], **attributes),
             helper.make_node("Add", ["p", "c"], ["s"]), helper.make_node("Relu", ["s"], ["y"])]
    return nodes, {"a": a, "b": b, "c": out[-1:]}, out, kind


def conv(x, w, **attributes):
    """A convolution in f16 with constant weights, which are laid out for it, and Relu."""
    size = w[2] - attributes.get("pads", [0])[0] * 2
    out = [x[0], w[0], *((extent - size) // attributes.get("strides", [1])[0] + 1
                         for extent in x[2:])]
    values = np.random.default_rng(7).normal(size=w) / np.sqrt(np.prod(w[1:]))
    nodes = [numpy_helper.from_array(values.astype(np.float16), "w"),
             helper.make_node("Conv", ["x", "w", "b"], ["s"], **attributes),
             helper.make_node("Relu", ["s"], ["y"])]
    return nodes, {"x": x, "b": w[:1]}, out, HALF


def codes(product, x, w, out, **attributes):
    """A product of codes with constant ones, whose sums become codes."""
    weights = np.random.default_rng(11).integers(-127, 128, w)
    terms = np.prod(w[1:]) if product == "Conv" else w[0]
    constants = {"x_scale": np.float32(0.02), "x_zero": np.uint8(117),
                 "w": weights.astype(np.int8), "w_scale": np.float32(0.01),
                 "w_zero": np.int8(0), "y_scale": np.float32(0.02 * terms ** 0.5),
                 "y_zero": np.uint8(121)}
    nodes = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    for name in "xw":
        nodes.append(helper.make_node("DequantizeLinear", [name, f"{name}_scale", f"{name}_zero"],
                                      [f"{name}_numbers"]))
    nodes += [helper.make_node(product, ["x_numbers", "w_numbers"], ["p"], **attributes),
              helper.make_node("QuantizeLinear", ["p", "y_scale", "y_zero"], ["y"])]
    return nodes, {"x": x}, out, CODES


# What it is, and whether units multiply it, of f32 with FAST: one factor has its terms side by
# side, and of codes both have.
FAST = "--numerics=fast"
KINDS = {
    "square": (matmul(HALF, [256, 256], [256, 256], [256, 256]), True),
    "bf16": (matmul(BF16, [256, 256], [256, 256], [256, 256]), True),
    "tails": (matmul(HALF, [200, 128], [128, 130], [200, 130]), True),
    "batch": (matmul(HALF, [8, 128, 64], [8, 64, 128], [8, 128, 128]), True),
    "scores": (matmul(HALF, [256, 128], [192, 128], [256, 192], transB=1), True),
    "swapped": (matmul(HALF, [128, 256], [192, 128], [256, 192], transA=1, transB=1), True),
    "columns": (matmul(HALF, [128, 256], [128, 192], [256, 192], transA=1), False),
    "f32": (matmul(FLOAT, [256, 256], [256, 256], [256, 256]), False),
    "fast": (matmul(FLOAT, [512, 256], [256, 512], [512, 512]), True, FAST),
    "fast_tails": (matmul(FLOAT, [500, 256], [256, 516], [500, 516]), True, FAST),
    "fast_scores": (matmul(FLOAT, [512, 256], [512, 256], [512, 512], transB=1), True, FAST),
    "fast_odd": (matmul(FLOAT, [256, 250], [250, 256], [256, 256]), False, FAST),
    "odd": (matmul(HALF, [256, 72], [72, 256], [256, 256]), False),
    "conv1x1": (conv([1, 64, 24, 24], [128, 64, 1, 1]), True),
    "conv3x3": (conv([2, 64, 9, 60], [72, 64, 3, 3], pads=[1] * 4), True),
    "conv_apart": (conv([1, 32, 20, 20], [64, 32, 3, 3], strides=[2, 2]), False),
    "codes": (codes("MatMul", [200, 128], [128, 130], [200, 130]), True),
    "codes_odd": (codes("MatMul", [64, 72], [72, 64], [64, 64]), False),
    "codes_conv": (codes("Conv", [1, 64, 24, 24], [96, 64, 1, 1], [1, 96, 24, 24]), True),
    "codes_3x3": (codes("Conv", [2, 40, 9, 60], [72, 40, 3, 3], [2, 72, 9, 60],
                        pads=[1] * 4), True),
    "codes_few": (codes("Conv", [1, 3, 24, 24], [64, 3, 3, 3], [1, 64, 22, 22]), False),
}


def make(folder):
    for name, ((nodes, inputs, out, kind), *_) in KINDS.items():
        weights = [node for node in nodes if isinstance(node, TensorProto)]
        graph = helper.make_graph(
            [node for node in nodes if node not in weights], name,
            [helper.make_tensor_value_info(n, kind, s) for n, s in inputs.items()],
            [helper.make_tensor_value_info("y", kind, out)], weights)
        save_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                                     ir_version=9), folder / f"{name}.onnx")


def fusec(*arguments):
    done = subprocess.run(["fusec", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{arguments}: {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def judge(folder, name, *more):
    """Verifies a model in the simulator, which also looks for races."""
    model, out = folder / f"{name}.onnx", folder / "out"
    fusec("compile", model, "-o", out, "--target=cuda-sm80", *more)
    said = fusec("verify", model, "--target=cuda-sm80", "--device=sim", *more)
    kernels = next(out.glob("*_kernels.cuh")).read_text()
    return "add_matrices<" in kernels and "y: passed" in said, "y: passed" in said


def defaults(folder):
    right = 0
    for name, (_, expected, *options) in KINDS.items():
        multiplies, passed = judge(folder, name, *options)
        print(f"{name}: {'matrices' if multiplies else 'numbers'}, "
              f"{'passed' if passed else 'FAILED'}", flush=True)
        right += passed and multiplies == expected
    print(f"{right} of {len(KINDS)} right")


def every(folder, one_of):
    for name in ("tails", "conv3x3", "codes", "fast_tails"):
        options = KINDS[name][2:]
        lines = list_matrices(folder, name)
        taken = lines[::int(one_of)]
        for line in taken:
            if judge(folder, name, "--lock", write_lock(folder, line), *options) != (True, True):
                sys.exit(f"wrong: {name}: {line}")
        print(f"{name}: {len(taken)} of {len(lines)} configs right", flush=True)


def list_matrices(folder, name):
    """The lines of a lock, each with a config that multiplies matrices."""
    listed = fusec("algos", folder / f"{name}.onnx", "--target=cuda-sm80", "--all", *KINDS[name][2:])
    return [line for line in listed.splitlines()
            if line.startswith("group") and "matrices" in line]


def write_lock(folder, line):
    lock = folder / "one.lock"
    lock.write_text(f"fusec.lock 4\n\ntarget cuda-sm80\n\n{line}\n")
    return lock


def refused(folder):
    lock = write_lock(folder, list_matrices(folder, "fast")[0])
    done = subprocess.run(["fusec", "compile", folder / "fast.onnx", "-o", folder / "refused",
                           "--target=cuda-sm80", "--lock", lock], capture_output=True, text=True)
    print(f"{done.returncode}, {(folder / 'refused').exists()}: {done.stderr}")


def planted(folder, simulator):
    out = folder / "square"
    fusec("compile", folder / "square.onnx", "-o", out, "--target=cuda-sm80")
    symbol, grid, block, shared = re.search(
        r'/\*symbol=\*/"(\w+_default)",\s*/\*grid=\*/(\d+),\s*/\*block=\*/(\d+),\s*'
        r'/\*shared_bytes=\*/(\d+)',
        (out / "square.cpp").read_text()).groups()
    kernels = out / "square_kernels.cuh"
    text = kernels.read_text()
    for what, old, new in [("as it is", "", ""), ("no wait", "wait_copies<0>();", ""),
                           ("no barrier", "sync_block();", ""),
                           ("another stage", "[k_tile % 2]", "[(k_tile + 1) % 2]")]:
        kernels.write_text(text.replace(old, new) if old else text)
        assert not old or old in text, old
        done = subprocess.run(
            [simulator, "run", out / "square_kernels.cu", "--kernel", symbol, "--grid", grid,
             "--block", block, "--shared", shared, "--args",
             "u64=0 f16[65536]=rand f16[65536]=rand f16[256]=rand f16[65536]=nan",
             "-I", out / "runtime/include", "--json"], stdout=subprocess.PIPE, text=True)
        findings = json.loads(done.stdout)["findings"]
        print(f"{what}: {'findings' if findings else 'none'}")


what, folder, *more = sys.argv[1:]
{"make": make, "defaults": defaults, "every": every, "refused": refused,
 "planted": planted}[what](pathlib.Path(folder), *more)
