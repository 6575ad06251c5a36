#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""isl's schedules against the structural ones, on models with windows.

  .venv/bin/python tools/bench/proposers.py [--only PATTERN] [--rounds 5]

The models are those of test/e2e/cases/windows.py, on images of --rows x --columns.
Each is built with both schedules by each of --compilers; a round runs the one, then
the other. The table shows the fastest run of all rounds, the medians over the
rounds' medians, and isl's part of the structural time: of the fastest runs, then the
least and the largest of the rounds' medians. Compare ratios, not times: the machine
drifts. Exit code 1 if isl's fastest run is not the faster one.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from paths import REPOSITORY
from builder import Graph
from cases.windows import MODELS

PROPOSERS = "isl", "structural"


def run(fusec, model, proposer, compiler, args):
    """Minimum and median in milliseconds."""
    command = [fusec, "run", model, "--sched-proposer", proposer, "--threads",
               str(args.threads), "--repeat", str(args.repeat), "--json"]
    output = subprocess.run(command, capture_output=True, text=True, check=True,
                            env={**os.environ, "CXX": compiler}).stdout
    times = json.loads(output)
    return times["min_ms"], times["median_ms"]


def compare(fusec, model, compiler, args):
    """For each proposer, (minimum, median) of each round."""
    times = {proposer: [] for proposer in PROPOSERS}
    for _ in range(args.rounds):
        for proposer in PROPOSERS:
            times[proposer].append(run(fusec, model, proposer, compiler, args))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--only", default="", help="models whose name matches")
    parser.add_argument("--compilers", nargs="+", default=["g++", "clang++-22"])
    parser.add_argument("--rows", type=int, default=1080)
    parser.add_argument("--columns", type=int, default=1920)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=15, help="runs of a round")
    args = parser.parse_args()
    slower = []
    print(f"{'model':17} {'compiler':11} {'isl ms':>15} {'structural ms':>15}  isl/structural")
    print(f"{'':29} {'least, median':>15} {'least, median':>15}  least, rounds")
    with tempfile.TemporaryDirectory() as folder:
        for name, build in MODELS.items():
            if not re.search(args.only, name):
                continue
            graph = Graph(name)
            graph.output(build(graph, args.rows, args.columns))
            model = pathlib.Path(folder) / f"{name}.onnx"
            model.write_bytes(graph.build().SerializeToString())
            for compiler in args.compilers:
                times = compare(args.build / "bin" / "fusec", model, compiler, args)
                isl, other = (times[proposer] for proposer in PROPOSERS)
                least = min(a for a, _ in isl) / min(a for a, _ in other)
                rounds = [a / b for (_, a), (_, b) in zip(isl, other)]
                columns = " ".join(
                    f"{min(a for a, _ in of):7.3f} {statistics.median(b for _, b in of):7.3f}"
                    for of in (isl, other))
                print(f"{name:17} {compiler:11} {columns}  {least:.2f}, "
                      f"{min(rounds):.2f} to {max(rounds):.2f}", flush=True)
                if least >= 1:
                    slower.append(f"{name} ({compiler})")
    if slower:
        print("isl's schedule is not the faster one: " + ", ".join(slower))
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
