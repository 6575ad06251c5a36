#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that `fusec op gen` makes of text, against the same written by hand for AVX2, and
against the text with a kernel for each operation (--no-fuse): the times of one run, in turns.

  .venv-bench/bin/python tools/bench/generated.py              # two threads, nine rounds
  .venv-bench/bin/python tools/bench/generated.py --threads 1

LayerNorm is 4096x768, DeformConv 1x64x56x56 with 64 filters of 3x3, in f32. A ratio above 1
says that the generated operator is faster. Results are compared first. Works in
<build>/bench/generated.
"""
import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import tvm_ffi

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TEXTS = {"LayerNorm": REPOSITORY / "examples/layer_norm/norms.fop",
         "DeformConv": REPOSITORY / "examples/deform_conv/deform_conv.fop"}
SHAPES = {"LayerNorm": "x=*x768", "DeformConv": "x=1x64x56x56,k=64x64x3x3,offset=1x18x56x56"}
PARAMETERS = {"LayerNorm": {}, "DeformConv": {"pads": [1, 1]}}
RUNS = 20  # in a turn


def allocate(shape):
    """Of f32, from a cache line on, as frameworks have tensors."""
    room = np.empty(int(np.prod(shape)) + 16, np.float32)
    first = -room.ctypes.data % 64 // 4
    return room[first:first + int(np.prod(shape))].reshape(shape)


def make_inputs():
    rng = np.random.default_rng(0)

    def normal(*shape):
        values = allocate(shape)
        values[...] = rng.normal(size=shape)
        return values

    norm = {"x": normal(4096, 768), "g": normal(768), "c": normal(768)}
    conv = {"x": normal(1, 64, 56, 56), "k": normal(64, 64, 3, 3),
            "offset": normal(1, 18, 56, 56)}
    return {"LayerNorm": (norm, (4096, 768)), "DeformConv": (conv, (1, 64, 56, 56))}


def make_model(path, name, inputs, shape, domain):
    """The operator as a node of its text, with what is no x or offset as a weight."""
    variable = [key for key in inputs if key in ("x", "offset")]
    node = helper.make_node(name, list(inputs), ["y"], domain=domain, **PARAMETERS[name])
    graph = helper.make_graph(
        [node], name,
        [helper.make_tensor_value_info(key, TensorProto.FLOAT, inputs[key].shape)
         for key in variable],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(inputs[key], key) for key in inputs if key not in variable])
    onnx.save(helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 19), helper.make_opsetid(domain, 1)], ir_version=9), path)


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def call_twin(twins, name, inputs, y, threads):
    n = ctypes.c_long
    if name == "LayerNorm":
        twins.layer_norm(*(address(inputs[key]) for key in "xgc"), address(y), n(4096), n(768),
                         ctypes.c_float(1e-5), threads)
    else:
        twins.deform_conv(*(address(inputs[key]) for key in ("x", "k", "offset")), address(y),
                          n(64), n(56), n(56), n(64), threads)


def measure(call):
    """The median of a turn, in milliseconds."""
    call()
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def measure_apart(fusec, model, text, threads):
    done = subprocess.run([fusec, "run", model, "--ops", text, "--no-fuse", "--repeat", str(RUNS),
                           "--threads", str(threads), "--json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["median_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    fusec = args.build.resolve() / "bin/fusec"
    folder = args.build.resolve() / "bench/generated"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([os.environ.get("CXX", "g++"), "-O3", "-mavx2", "-mfma", "-fopenmp", "-shared",
                    "-fPIC", REPOSITORY / "tools/bench/twins.cpp", "-o", folder / "libtwins.so"],
                   check=True)
    twins = ctypes.CDLL(str(folder / "libtwins.so"))
    print(f"{args.threads} threads, medians of {args.rounds} rounds of {RUNS} runs, in ms")
    for name, (inputs, shape) in make_inputs().items():
        library, model = folder / f"lib{name}.so", folder / f"{name}.onnx"
        parameters = [word for key, value in PARAMETERS[name].items()
                      for word in ("--param", f"{key}={','.join(map(str, value))}")]
        subprocess.run([fusec, "op", "gen", TEXTS[name], "-o", library, "--op", name, "--types",
                        "f32", "--shapes", SHAPES[name], "--face", "tvm-ffi", *parameters],
                       check=True, stdout=subprocess.DEVNULL)
        domain = "acme" if name == "LayerNorm" else "vision"
        make_model(model, name, inputs, shape, domain)
        module = tvm_ffi.load_module(str(library))
        module.set_threads(args.threads)
        own, other = allocate(shape), allocate(shape)
        generated = [tvm_ffi.from_dlpack(array) for array in (*inputs.values(), own)]
        turns = {
            "generated": lambda: module[name](*generated),
            "by hand": lambda: call_twin(twins, name, inputs, other, args.threads),
        }
        for call in turns.values():
            call()
        np.testing.assert_allclose(own, other, rtol=1e-4, atol=1e-3)
        times = {what: [] for what in (*turns, "apart")}
        for _ in range(args.rounds):
            for what, call in turns.items():
                times[what].append(measure(call))
            times["apart"].append(measure_apart(fusec, model, TEXTS[name], args.threads))
        ratios = {what: statistics.median(
            other / own for own, other in zip(times["generated"], times[what]))
            for what in ("by hand", "apart")}
        print(f"{name}: generated {statistics.median(times['generated']):.3f}, "
              + ", ".join(f"{what} {statistics.median(times[what]):.3f} (ratio {ratio:.2f})"
                          for what, ratio in ratios.items()), flush=True)


if __name__ == "__main__":
    main()
