#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusec against ONNX Runtime on kernels that are worth a look.

  .venv/bin/python tools/bench/peers.py [--only PATTERN] [--threads 2] [--rounds 7]

Both run the same ONNX model with the same number of threads on buffers that were
touched before. A round measures fusec, then ONNX Runtime, then the next workload;
the table shows the medians over the rounds and their ratio (below 1: fusec is
faster), and the spread of the per-round ratios. Compare ratios, not times: the
machine drifts. Exit code 1 if a ratio is above its limit.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "test" / "e2e"))
from builder import Graph  # noqa: E402


def softmax(g):
    return g.op("Softmax", g.input("x", (6144, 512)), axis=-1)


def layer_norm(g):
    return g.op("LayerNormalization", g.input("x", (4096, 768)), g.weight((768,)),
                g.weight((768,)), axis=-1)


def bias_gelu(g):
    x = g.op("Add", g.input("x", (512, 3072)), g.weight((3072,)))
    erf = g.op("Erf", g.op("Div", x, g.scalar(2.0**0.5)))
    half = g.op("Mul", x, g.op("Add", erf, g.scalar(1.0)))
    return g.op("Mul", half, g.scalar(0.5))


def chain_of_eight(g):
    x, y = g.input("x", (2048, 2048)), g.input("y", (2048, 2048))
    z = g.op("Add", g.op("Mul", g.op("Add", x, y), y), g.scalar(0.5))
    z = g.op("Mul", g.op("Sub", g.op("Relu", z), x), g.scalar(0.25))
    return g.op("Add", g.op("Abs", z), y)


def gemm(g):
    return g.op("MatMul", g.input("a", (1024, 1024)), g.weight((1024, 1024)))


# name: (function, the ratio that it must not exceed)
WORKLOADS = {"softmax_6144x512": (softmax, 1.5), "layer_norm_4096x768": (layer_norm, 1.5),
             "bias_gelu_512x3072": (bias_gelu, 1.5),
             "chain_of_8_2048x2048": (chain_of_eight, 1.5), "gemm_1024": (gemm, 2.5)}


class OnnxRuntime:
    """All optimisations, spinning threads, inputs and outputs bound to fixed buffers."""

    def __init__(self, path, graph, threads):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "1")
        self.session = onnxruntime.InferenceSession(str(path), options,
                                                    providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        for name, array in graph.inputs.items():
            self.binding.bind_ortvalue_input(
                name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
        for output, array in zip(self.session.get_outputs(),
                                 self.session.run(None, graph.inputs)):
            self.binding.bind_ortvalue_output(
                output.name, onnxruntime.OrtValue.ortvalue_from_numpy(array))

    def median_ms(self, repeat):
        times = []
        for _ in range(repeat):
            begin = time.perf_counter()
            self.session.run_with_iobinding(self.binding)
            times.append(time.perf_counter() - begin)
        return statistics.median(times) * 1e3


class Fusec:
    def __init__(self, path, graph, threads, program):
        self.command = [program, "run", str(path), "--threads", str(threads), "--json"]
        for name, array in graph.inputs.items():
            file = path.with_name(f"{path.stem}.{name}.npy")
            np.save(file, array)
            self.command += ["--input", f"{name}={file}"]
        self.median_ms(1)  # compiles and builds

    def median_ms(self, repeat):
        done = subprocess.run(self.command + ["--repeat", str(repeat)],
                              capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(self.command)}\n{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])["median_ms"]


def measure(name, args, folder):
    """The medians over the rounds of fusec and ONNX Runtime, and the rounds' ratios."""
    graph = Graph(name)
    graph.output(WORKLOADS[name][0](graph))
    path = folder / f"{name}.onnx"
    onnx.save(graph.build(), path)
    ours = Fusec(path, graph, args.threads, args.fusec)
    theirs = OnnxRuntime(path, graph, args.threads)
    theirs.median_ms(args.repeat)
    rounds = [(ours.median_ms(args.repeat), theirs.median_ms(args.repeat))
              for _ in range(args.rounds)]
    return (statistics.median(a for a, _ in rounds),
            statistics.median(b for _, b in rounds), [a / b for a, b in rounds])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=".")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--repeat", type=int, default=20, help="runs in a round")
    parser.add_argument("--fusec", default=str(REPOSITORY / "build" / "bin" / "fusec"))
    args = parser.parse_args()

    failed = False
    print(f"{args.threads} threads, f32; onnxruntime {onnxruntime.__version__}")
    print(f"{'workload':22} {'fusec ms':>9} {'ORT ms':>9} {'ratio':>6} {'spread':>11} "
          f"{'limit':>6}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, (_, limit) in WORKLOADS.items():
            if not re.search(args.only, name):
                continue
            ours, theirs, ratios = measure(name, args, pathlib.Path(folder))
            ratio = statistics.median(ratios)
            failed |= ratio > limit
            print(f"{name:22} {ours:9.3f} {theirs:9.3f} {ratio:6.2f} "
                  f"{min(ratios):5.2f}-{max(ratios):4.2f} {limit:6.1f}"
                  f"{'  ABOVE' if ratio > limit else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
