#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks for a GPU, in the simulator: the nine of test/onnx/light, forwards.

  .venv/bin/python test/device/nets.py               as tools/test.sh --soak: a quarter of an hour
  .venv/bin/python test/device/nets.py --only squeezenet

One at a time, for what the simulator remembers of each byte. Works in <build>/nets.
"""
import re
import shutil
import sys
import time

import numpy as np

import kernels

sys.path.append(str(kernels.REPOSITORY / "test/onnx"))

import batch  # noqa: E402  (kernels.py says where it is)
import models  # noqa: E402  (of test/onnx)
import oracle  # noqa: E402


def problem_of(net, folder, programs):
    """What is wrong with a network, or nothing."""
    [data_set] = net.sets
    folder.mkdir(parents=True)
    for i, value in enumerate(net.inputs):
        (folder / f"in_{i}.bin").write_bytes(
            net.tensor(data_set, "input", value.name).tobytes())
    kernels.compile_model(programs, net.path, folder / "src")
    with kernels.Simulator(programs, folder, forward=True, save=str(folder / "out_")) as simulator:
        if told := kernels.verdict(simulator.plain):
            return f"{told}: {simulator.plain['findings'] or simulator.plain}"
    for i, name in enumerate(net.outputs):
        expected = net.tensor(data_set, "output", name)
        actual = np.frombuffer((folder / f"out_{i}.bin").read_bytes(), expected.dtype)
        if difference := oracle.compare(actual.reshape(expected.shape), expected, "network"):
            return f"output {name}: {difference}"
    return ""


def main():
    args = kernels.make_parser(__doc__).parse_args()
    work = args.build / "nets"
    shutil.rmtree(work, ignore_errors=True)
    results = {}
    for name, net in models.find_light().items():
        if not re.search(args.only, name):
            continue
        begin = time.monotonic()
        try:
            results[name] = problem_of(net, work / name, args.build / "bin")
        except batch.Failure as failure:
            results[name] = str(failure)
        shutil.rmtree(work / name, ignore_errors=True)  # weights fill a disk
        print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)
    return kernels.tell_results(args.json, "@device", results)


if __name__ == "__main__":
    sys.exit(main())
