#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels for GPUs move to and from memory, as the simulator counts it.

  .venv/bin/python test/device/traffic.py                 as in the suite
  .venv/bin/python test/device/traffic.py --only softmax  those whose name matches

What MODELS builds is one kernel each, and stores its outputs and no byte more. Nothing is
found wrong with it. Where callers' pointers are aligned to an element only, a copy of each
is all that comes on top, and the kernel does the same. Where memory bounds it, 128 bits a
thread move at least half as many bytes as inputs and outputs have. Works in <build>/traffic.
"""
import json
import math
import multiprocessing.pool
import re
import shutil
import sys

import numpy as np

import kernels

import batch  # noqa: E402  (kernels.py says where it is)
from builder import DTYPES, Case, Graph  # noqa: E402


def model(name, build):
    g = Graph(name)
    return g.output(build(g))


# Large enough that all schedulers have a warp where threads have a row of elements each.
def elementwise(g):
    return g.op("Relu", g.input("x", (128, 512)))


def half(g):
    return g.op("Relu", g.input("x", (256, 512), "f16"))


def residual(g):
    return g.op("Add", g.input("x", (128, 512)), g.input("y", (128, 512)))


def norm_of_images(g):
    channels = [g.weight((32,)) for _ in range(3)] + [g.weight(np.ones(32, np.float32))]
    return g.op("Relu", g.op("BatchNormalization", g.input("x", (8, 32, 16, 16)), *channels))


def bias_gelu_residual(g):
    x, y = g.input("x", (128, 512)), g.input("y", (128, 512))
    biased = g.op("Add", x, g.weight((512,)))
    half_erf = g.op("Add", g.op("Erf", g.op("Mul", biased, g.scalar(0.5 ** 0.5))), g.scalar(1.0))
    return g.op("Add", g.op("Mul", g.op("Mul", biased, half_erf), g.scalar(0.5)), y)


def softmax(g):
    return g.op("Softmax", g.input("x", (64, 512)), axis=-1)


def layer_norm(g):
    g.opset = 17
    return g.op("LayerNormalization", g.input("x", (64, 512)), g.weight((512,)),
                g.weight((512,)), axis=-1)


def gemm_bias_relu(g):
    x, w = g.input("x", (64, 64)), g.weight((64, 128))
    return g.op("Relu", g.op("Gemm", x, w, g.weight((128,))))


def conv_bias_relu(g):
    x, w = g.input("x", (1, 8, 16, 16)), g.weight((16, 8, 3, 3))
    return g.op("Relu", g.op("Conv", x, w, g.weight((16,)), pads=[1, 1, 1, 1]))


# And whether memory bounds it.
MODELS = {"relu": (elementwise, True), "relu_f16": (half, True), "residual": (residual, True),
          "batch_norm": (norm_of_images, True), "bias_gelu_residual": (bias_gelu_residual, True),
          "softmax": (softmax, True), "layer_norm": (layer_norm, True),
          "gemm_bias_relu": (gemm_bias_relu, False), "conv_bias_relu": (conv_bias_relu, False)}


def count_bytes(folder, ports):
    """Of the inputs, or the outputs, of a model in its folder of sources."""
    described = json.loads((folder / "model.json").read_text())
    return sum(np.dtype(DTYPES[port["dtype"]]).itemsize * math.prod(port["dims"])
               for port in described[ports])


def count_ports(folder, ports):
    return len(json.loads((folder / "model.json").read_text())[ports])


def element_bytes(folder):
    """Of the widest element: what a pointer of a caller's is aligned to."""
    described = json.loads((folder / "model.json").read_text())
    return max(np.dtype(DTYPES[port["dtype"]]).itemsize
               for port in described["inputs"] + described["outputs"])


def problem_of(name, work, programs):
    """What is wrong with one of MODELS, or None."""
    build, is_bound = MODELS[name]
    case = Case(model(name, build), "elementwise")
    folder = work / name
    source = kernels.compile_model(programs, kernels.write_model(case, folder), folder / "src")
    with kernels.Simulator(programs, folder) as simulator:
        ran = simulator.plain
        copied = simulator.ask(offset=element_bytes(source))
    if told := kernels.verdict(ran):
        return f"{told}: {ran}"
    if len(ran["steps"]) != 1:
        return f"is not one kernel, but {ran['steps']}"
    if told := kernels.verdict(copied):
        return f"{told} where inputs and outputs are not aligned"
    ports = ["copy"] * count_ports(source, "inputs"), ["copy"] * count_ports(source, "outputs")
    if copied["steps"] != ports[0] + ran["steps"] + ports[1]:
        return f"takes the steps {copied['steps']} where inputs and outputs are not aligned"
    if copied["counts"] != ran["counts"]:
        return f"moves {copied['counts']} where inputs and outputs are not aligned"
    [counts] = ran["counts"].values()
    stored, needed = counts["store_bytes"], count_bytes(source, "outputs")
    wide, least = counts["vector_bytes"], (needed + count_bytes(source, "inputs")) / 2
    print(f"  {name}: {counts['load_bytes']} bytes loaded, {stored} stored, {wide} of them by "
          "128 bits a thread")
    if stored != needed:
        return f"stores {stored} bytes, its outputs have {needed}"
    if is_bound and wide < least:
        return f"128 bits a thread move {wide} bytes, fewer than {least:.0f}"
    return None


def main():
    args = kernels.make_parser(__doc__).parse_args()
    work = args.build / "traffic"
    shutil.rmtree(work, ignore_errors=True)

    def attempt(name):
        try:
            return name, problem_of(name, work, args.build / "bin") or ""
        except batch.Failure as failure:
            return name, str(failure)

    with multiprocessing.pool.ThreadPool(args.jobs) as pool:
        problems = dict(pool.imap(attempt, [n for n in MODELS if re.search(args.only, n)]))
    return kernels.tell_results(args.json, "@traffic", problems)


if __name__ == "__main__":
    sys.exit(main())
