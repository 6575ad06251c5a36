#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs, compiled with and without fusion and compared with fusec-ref.

  .venv/bin/python test/fuzz/run.py                    graphs 0 to 299
  .venv/bin/python test/fuzz/run.py --count 5000       as tools/test.sh --full
  .venv/bin/python test/fuzz/run.py --first 1234 --count 1   one graph again
  .venv/bin/python test/fuzz/run.py --print 1234       its text

A graph follows from its seed alone. One that fails is made small and left as
<build>/fuzz/failed/SEED.mlir, with the failure in a comment and its inputs beside it.
Works in <build>/fuzz. Exit code 1 if any graph failed.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import write
from graph import join, to_text
from judge import Judge, signature
from shrink import shrink

import project  # test/e2e

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BUNDLE = 8   # graphs in one model: starting the tools takes as long as one graph
CHUNK = 1000  # graphs that are built and linked together: what one core does alone is rare
HEADER = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: {command}
// {failure}
"""


def save(case, folder, programs):
    """A small case, as a lit test may be."""
    folder.mkdir(parents=True, exist_ok=True)
    failure = case.failures[0]
    command = "fusec compile %s -o %t" if failure.what in ("crash", "refusal") else "fusec verify %s"
    if failure.way == "plain":
        command += " --no-fuse"
    done = subprocess.run([programs / "fusec-opt", case.model], capture_output=True, text=True)
    text = done.stdout if done.returncode == 0 else case.model.read_text()
    path = folder / f"{case.name}.mlir"
    path.write_text(HEADER.format(command=command, failure=" ".join(str(failure).split())) + text)
    for i, leaf in enumerate(case.graph.arguments()):
        (folder / f"{case.name}_x{i}.bin").write_bytes(leaf.data.tobytes())
    return path


class Fuzzer:
    def __init__(self, build, jobs, plant=None, flags=project.NO_OPTIMISATION):
        self.build, self.work = build, build / "fuzz"
        self.make = lambda part, number=0: Judge(build, self.work / part, jobs, flags, plant, number)
        self.begin = time.monotonic()

    def say(self, text):
        print(f"{text} ({time.monotonic() - self.begin:.0f} s)", flush=True)

    def run(self, seeds):
        """seed -> case, of those that failed."""
        self.graphs, self.loose, failed = {}, 0, {}
        for at in range(0, len(seeds), CHUNK):
            part = seeds[at:at + CHUNK]
            self.graphs |= {seed: write.write_graph(seed) for seed in part}
            failed |= self.run_chunk(part)
            self.say(f"  {len(self.graphs)} graphs, {len(failed)} failed")
        return failed

    def run_chunk(self, seeds):
        bundles = {part[0]: part for part in
                   (seeds[at:at + BUNDLE] for at in range(0, len(seeds), BUNDLE))}
        judged = self.judge({first: join([self.graphs[seed] for seed in part])
                             for first, part in bundles.items()},
                            {first: first // BUNDLE for first in bundles})
        self.loose += sum(case.loose for case in judged.values())
        together = {first: case for first, case in judged.items() if case.failures}
        suspects = [seed for first in together for seed in bundles[first]]
        alone = self.judge({seed: self.graphs[seed] for seed in suspects},
                           {seed: first // BUNDLE for first in together for seed in bundles[first]})
        failed = {seed: case for seed, case in alone.items() if case.failures}
        for first, case in together.items():  # or only together
            if not failed.keys() & set(bundles[first]):
                failed[first] = case
        return failed

    def judge(self, graphs, numbers):
        shutil.rmtree(self.work / "graphs", ignore_errors=True)
        judged = self.make("graphs").judge(
            {f"g{seed}": graph for seed, graph in graphs.items()},
            numbers={f"g{seed}": number for seed, number in numbers.items()})
        return {int(name[1:]): case for name, case in judged.items()}

    def shrunk(self, seed, case):
        """Makes a failing case small and saves it; returns the small case and its file."""
        self.say(f"graph {seed}: {case.failures[0]}; shrinking")
        judge = self.make("shrink", case.number)
        small = shrink(judge, case.graph, signature(case), self.say)
        result = judge.judge({f"{seed}": small})[f"{seed}"]
        if not result.failures:  # seen only together with others: keep it as it was
            result.failures = case.failures
        return result, save(result, self.work / "failed", self.build / "bin")


def one_of_each(failed):
    """The seeds, those first whose failures look different."""
    first = {}
    for seed, case in failed.items():
        first.setdefault(frozenset(signature(case)), seed)
    return list(first.values()) + [seed for seed in failed if seed not in first.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first graph")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", default=".", help="a regular expression of names: fuzz graph 12")
    parser.add_argument("--print", type=int, metavar="SEED", dest="shown")
    parser.add_argument("--shrink", type=int, default=5, help="how many failures to make small")
    parser.add_argument("--as-emitted", action="store_true",
                        help="compile as users do, not without optimisation")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if args.shown is not None:
        print(to_text(write.write_graph(args.shown)))
        return 0

    seeds = [seed for seed in range(args.first, args.first + args.count)
             if re.search(args.only, f"fuzz graph {seed}")]
    flags = project.AS_EMITTED if args.as_emitted else project.NO_OPTIMISATION
    fuzzer = Fuzzer(args.build.resolve(), args.jobs, flags=flags)
    failed = fuzzer.run(seeds)
    for seed, case in failed.items():
        print(f"FAILED fuzz graph {seed}: {case.failures[0]}")
    if args.json:
        reasons = {seed: "; ".join(map(str, case.failures)) for seed, case in failed.items()}
        args.json.write_text(json.dumps([
            {"name": f"fuzz graph {seed}", "outcome": "failed" if seed in failed else "passed",
             "reason": reasons.get(seed, "")} for seed in seeds]))
    for seed in one_of_each(failed)[:args.shrink]:
        print(f"left {fuzzer.shrunk(seed, failed[seed])[1]}")
    if not seeds:
        return 0
    used = collections.Counter(n.op.name for g in fuzzer.graphs.values() for n in g.nodes)
    outputs = sum(len(graph.outputs) for graph in fuzzer.graphs.values())
    fuzzer.say(f"{len(seeds) - len(failed)} of {len(seeds)} graphs are right: seeds {seeds[0]} to "
               f"{seeds[-1]}, {sum(used.values())} operations of {len(used)} kinds, {outputs} "
               f"outputs, {fuzzer.loose} of them mostly noise")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
