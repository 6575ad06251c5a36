#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ONNX graphs, compiled with fusec and compared with ONNX Runtime.

  .venv/bin/python test/onnx-fuzz/run.py                 graphs 0 to 199
  .venv/bin/python test/onnx-fuzz/run.py --count 3000    as tools/test.sh --full
  .venv/bin/python test/onnx-fuzz/run.py --first 1234 --count 1   one graph again
  .venv/bin/python test/onnx-fuzz/run.py --print 1234    its text

A graph follows from its seed alone. One that fails is made small and left as
<build>/onnx-fuzz/failed/SEED.onnx, with its inputs beside it, and SEED.txt with the
failure and the command that shows it. Works in <build>/onnx-fuzz. Exit code 1 if any
graph failed.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import sys
import time

import numpy as np
import onnx

import author
from graph import to_model
from judge import Judge, prepare, workers
from shrink import failure_of, shrink
from write import BUNDLE, named, write_graph

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CHUNK = 1000  # graphs that are built and linked together


def prepare_seeds(seeds):
    """The graphs of seeds as a model, and what of them ONNX Runtime refused."""
    author.REFUSED.clear()
    written = {seed: write_graph(seed) for seed in seeds}
    prepared = prepare(written, seeds[0] // BUNDLE)
    prepared.ops = collections.Counter(n.op for g in written.values() for n in g.nodes)
    return prepared, dict(author.REFUSED)


class Fuzzer:
    def __init__(self, build, jobs, plant=None):
        self.build, self.work, self.jobs = build, build / "onnx-fuzz", jobs
        self.make = lambda part: Judge(build, self.work / part, jobs, plant)
        self.begin = time.monotonic()
        self.ops, self.outputs, self.open = (collections.Counter() for _ in range(3))
        self.not_drawn, self.refused = collections.Counter(), collections.Counter()

    def say(self, text):
        print(f"{text} ({time.monotonic() - self.begin:.0f} s)", flush=True)

    def run(self, seeds):
        """seed -> failure."""
        failed, done = {}, 0
        with workers(self.jobs) as self.pool:
            for at in range(0, len(seeds), CHUNK):
                failed |= self.run_chunk(seeds[at:at + CHUNK])
                done += len(seeds[at:at + CHUNK])
                self.say(f"  {done} graphs, {len(failed)} failed, {self.refused.total()} refused")
        return failed

    def prepared(self, parts):
        """For lists of seeds, their models."""
        found = {}
        for part, (model, refused) in zip(parts, self.pool.map(prepare_seeds, parts)):
            found[f"g{part[0]}"] = model
            self.not_drawn.update(refused)
        return found

    def run_chunk(self, seeds):
        bundles = {}
        for seed in seeds:
            bundles.setdefault(seed // BUNDLE, []).append(seed)
        models = self.prepared(list(bundles.values()))
        for model in models.values():
            self.count(model)
        shutil.rmtree(self.work / "graphs", ignore_errors=True)
        judged = self.make("graphs").judge(models)
        suspects = []
        for case in judged.values():
            suspects += case.prepared.parts if case.failure else case.wrong
        if not suspects:
            return {}
        alone = self.make("graphs").judge(self.prepared([[seed] for seed in suspects]))
        failed = {}
        for name, case in alone.items():
            failure = failure_of(case)
            if failure and failure.what == "refused":
                self.refused[failure.text] += 1
            elif failure:
                failed[int(name[1:])] = failure
        for case in judged.values():  # or only together
            if (case.failure and case.failure.what not in ("refusal", "refused") or case.wrong) \
                    and not failed.keys() & case.prepared.parts.keys():
                failed[min(case.prepared.parts)] = failure_of(case)
        return failed

    def count(self, model):
        self.ops += model.ops
        for outputs in model.parts.values():
            for output in outputs:
                self.outputs["all"] += 1
                if output.open:
                    self.open[output.open[0]] += 1

    def shrunk(self, seed, failure):
        """Makes a failing graph small and saves it; returns the small one and its file."""
        self.say(f"graph {seed}: {failure}; shrinking")
        judge = self.make("shrink")
        small = shrink(judge, write_graph(seed), failure.signature(), seed // BUNDLE, self.say)
        case = judge.judge({f"g{seed}": prepare({seed: small}, seed // BUNDLE)})[f"g{seed}"]
        return small, self.save(seed, small, failure_of(case) or failure)

    def save(self, seed, graph, failure):
        folder = self.work / "failed"
        folder.mkdir(parents=True, exist_ok=True)
        model, [(inputs, outputs)] = to_model([graph])
        path = folder / f"{seed}.onnx"
        onnx.save(model, path)
        command = f"fusec run {path}"
        for kind, names, values in (("input", inputs, graph.inputs()),
                                    ("expected", outputs, graph.outputs)):
            for name, value in zip(names, values):
                array = folder / f"{seed}_{name}.npy"
                np.save(array, value.array)
                command += f" --input {name}={array}" if kind == "input" else ""
        text = onnx.printer.to_text(model)
        path.with_suffix(".txt").write_text(f"{failure}\n\n{command}\n\n{text}\n")
        return path


def one_of_each(failed):
    """The seeds, those first whose failures look different."""
    first = {}
    for seed, failure in failed.items():
        first.setdefault(failure.signature(), seed)
    return list(first.values()) + [seed for seed in failed if seed not in first.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first graph")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", default=".", help="a regular expression of names: onnx graph 12")
    parser.add_argument("--print", type=int, metavar="SEED", dest="shown")
    parser.add_argument("--shrink", type=int, default=5, help="how many failures to make small")
    parser.add_argument("--verbose", action="store_true",
                        help="count also what ONNX Runtime did not take")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if args.shown is not None:
        print(onnx.printer.to_text(to_model([write_graph(args.shown)])[0]))
        return 0

    seeds = [seed for seed in range(args.first, args.first + args.count)
             if re.search(args.only, f"onnx graph {seed}")]
    if not seeds:
        return 0
    print(f"seeds {seeds[0]} to {seeds[-1]}: --first {args.first} --count {args.count}")
    fuzzer = Fuzzer(args.build.resolve(), args.jobs)
    failed = fuzzer.run(seeds)
    for seed, failure in failed.items():
        print(f"FAILED onnx graph {seed} ({named(seed)[1]}): {failure}")
    if args.json:
        args.json.write_text(json.dumps([
            {"name": f"onnx graph {seed}", "outcome": "failed" if seed in failed else "passed",
             "reason": str(failed.get(seed, ""))} for seed in seeds]))
    for seed in one_of_each(failed)[:args.shrink]:
        print(f"left {fuzzer.shrunk(seed, failed[seed])[1]}")
    tell(fuzzer, args.verbose)
    fuzzer.say(f"{len(seeds) - len(failed)} of {len(seeds)} graphs are right: "
               f"{fuzzer.ops.total()} nodes of {len(fuzzer.ops)} operators, "
               f"{fuzzer.outputs['all']} outputs, {fuzzer.open.total()} of them open, "
               f"{fuzzer.refused.total()} graphs refused rightly")
    return 1 if failed else 0


def tell(fuzzer, verbose):
    for title, counts in (("refused", fuzzer.refused), ("open", fuzzer.open)):
        for text, count in counts.most_common():
            print(f"  {title} {count}: {text}")
    if verbose:
        for (op, text), count in fuzzer.not_drawn.most_common():
            print(f"  not taken {count}: {op}: {text}")


if __name__ == "__main__":
    sys.exit(main())
