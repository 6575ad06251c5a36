#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models at -O0 and at -O1 and compares the results, to the bit: end-to-end
models (test/e2e) and random ONNX graphs (test/onnx-fuzz), several in a model.

  .venv/bin/python test/levels/run.py                      all end-to-end models, 2000 graphs
  .venv/bin/python test/levels/run.py --sample 20 --count 80
  .venv/bin/python test/levels/run.py --only softmax       those whose name matches

At -O0, end-to-end models must compute what ONNX Runtime does, too. A NaN is equal to any
other NaN. Works in <build>/levels. Exit code 1 if any model failed.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "onnx-fuzz"), str(TESTS / "e2e"), str(TESTS / "onnx")]

import batch  # noqa: E402
import builder  # noqa: E402
import cases  # noqa: E402, F401  (registers the models)
import judge  # noqa: E402
import models  # noqa: E402
import project  # noqa: E402
from model import Test  # noqa: E402
from runner import Runner  # noqa: E402
from write import BUNDLE, write_graph  # noqa: E402

LEVELS = ("O0", "O1")
DTYPES = {name: dtype for dtype, name in models.TYPE_NAMES.items()}
LONG_SUM = 1 << 17
# Options of cases that take other orders of sums, algorithms that these levels lack, or a level.
OTHER = re.compile(r"--(numerics=fast|vendor|choices)|-O\d")


class Pair:
    """A model at both levels, with its inputs in the folder of each."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        shutil.rmtree(folder, ignore_errors=True)

    def at(self, level):
        return self.folder / level

    def compile_both(self, program):
        for level in LEVELS:
            self.compile(program, level)

    def compile(self, program, level):
        # Both are in one program; identifiers are cut, and names differ at their ends.
        batch.run_program([program, "compile", self.model, f"-{level}", *self.options, "--name",
                           f"{level}_{self.name[-40:]}", "-o", self.at(level) / "src"],
                          batch.COMPILE_SECONDS)

    def number(self):
        """What says which compiler takes both levels."""
        return sum(self.name.encode())

    def compare(self):
        """Raises batch.Failure for the first output that has other bits."""
        emitted = models.read_emitted(self.at("O0") / "src", "outputs")
        for i, output in enumerate(emitted):
            one, other = (read_bits(self.at(level) / f"default_{i}.bin", output.dtype)
                          for level in LEVELS)
            if one.shape != other.shape:
                raise batch.Failure(f"output {output.name}: other extents")
            places = np.nonzero(one != other)[0]
            if len(places):
                at = places[0]
                raise batch.Failure(
                    f"output {output.name}: {len(places)} of {one.size} elements differ, first "
                    f"[{at}]: {one[at]:#x} at -O0, {other[at]:#x} at -O1")


def read_bits(path, kind):
    """The elements as unsigned integers; each NaN as the greatest."""
    raw, dtype = path.read_bytes(), DTYPES[kind]
    bits = np.frombuffer(raw, f"u{dtype.itemsize}").copy()
    if kind.startswith(("f", "bf")):
        values = np.frombuffer(raw, dtype).astype(np.float64)
        bits[np.isnan(values)] = np.iinfo(bits.dtype).max
    return bits


class CasePair(Pair):
    """A case of the end-to-end tests."""

    def __init__(self, case, work):
        super().__init__(case.name, work / case.name)
        self.case, self.options = case, (*case.options, *case.cpu_options)

    def prepare(self):
        self.test = Test(self.case, self.at("O0"))
        self.model = self.test.model
        shutil.copytree(self.at("O0"), self.at("O1"))

    def compare(self):
        # At -O0 terms are added one after the other, and not in parts: a sum of so many is
        # further from what is expected than the row of reductions allows.
        longest = max((x.size for x in self.case.graph.inputs.values()), default=0)
        is_long = self.case.tolerance == "reduction" and longest >= LONG_SUM
        self.test.check("default", tolerance="network" if is_long else None)
        super().compare()


class GraphPair(Pair):
    """Neighbouring random graphs as a model."""

    def __init__(self, seed, work):
        super().__init__(f"graphs_{seed}", work / f"graphs_{seed}")
        self.seeds, self.options = range(seed, seed + BUNDLE), []

    def prepare(self):
        prepared = self.drawn.result()
        self.inputs = prepared.inputs
        self.folder.mkdir(parents=True)
        self.model = self.folder / f"{self.name}.onnx"
        self.model.write_bytes(prepared.model)
        for name, array in prepared.inputs.items() if prepared.open_dims else ():
            if array.shape:
                self.options += ["--shape", f"{name}={'x'.join(map(str, array.shape))}"]

    def compile(self, program, level):
        super().compile(program, level)
        for i, emitted in enumerate(models.read_emitted(self.at(level) / "src", "inputs")):
            (self.at(level) / f"in_{i}.bin").write_bytes(
                models.to_bytes(self.inputs[emitted.name]))


def draw(seeds):
    """The graphs of seeds as a model."""
    return judge.prepare({seed: write_graph(seed) for seed in seeds}, seeds[0] // BUNDLE)


def is_refused(program, pair):
    """Whether fusec refuses the model as such: what random graphs have may be unsupported."""
    done = subprocess.run([program, "check", pair.model, *pair.options], capture_output=True)
    return done.returncode == judge.UNSUPPORTED or done.returncode == judge.BAD_INPUT


def build_and_compare(pairs, build, work, runner, jobs):
    built = project.Shares(work, build, jobs, project.LITTLE_OPTIMISATION)
    folders, numbers = {}, {}
    for pair in pairs:
        for level in LEVELS:
            name = f"{pair.name}_{level}"
            folders[name], numbers[name] = pair.at(level) / "src", pair.number()
    broken = built.build(folders, numbers=numbers)
    runner.results |= {name: f"C++: {text}" for name, text in broken.items()}

    def run(pair):
        for level in LEVELS:
            built.run(f"{pair.name}_{level}", pair.at(level), 1)
        pair.compare()

    runner.stage("run and compare", run, [
        pair for pair in pairs if not any(f"{pair.name}_{level}" in broken for level in LEVELS)])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=TESTS.parent / "build")
    parser.add_argument("--only", default=".", help="a regular expression")
    parser.add_argument("--sample", type=int, default=1, metavar="N",
                        help="take one of N end-to-end models")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first graph")
    parser.add_argument("--count", type=int, default=2000, help="how many random graphs")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    build = args.build.resolve()
    work, program = build / "levels", build / "bin" / "fusec"

    pairs = [CasePair(case, work) for case in builder.all_cases()[::args.sample]
             if not case.refusal and not OTHER.search(" ".join((*case.options, *case.cpu_options)))]
    pairs += [GraphPair(seed, work)
              for seed in range(args.first, args.first + args.count, BUNDLE)]
    pairs = [pair for pair in pairs if re.search(args.only, pair.name)]
    runner = Runner(args.jobs)
    with judge.workers(args.jobs) as pool:
        for pair in pairs:
            if isinstance(pair, GraphPair):
                pair.drawn = pool.submit(draw, pair.seeds)
        prepared = runner.stage("prepare", lambda pair: pair.prepare(), pairs)
    refused = [pair for pair in prepared
               if isinstance(pair, GraphPair) and is_refused(program, pair)]
    for pair in refused:
        del runner.results[pair.name]
    compiled = runner.stage("fusec compile", lambda pair: pair.compile_both(program),
                            [pair for pair in prepared if pair not in refused])
    if compiled:
        build_and_compare(compiled, build, work, runner, args.jobs)

    failures = {name: text for name, text in sorted(runner.results.items()) if text}
    for name, text in failures.items():
        print(f"FAILED {name}: {text}")
    if args.json:
        args.json.write_text(json.dumps([
            {"name": f"levels {name}", "reason": text or "",
             "outcome": "failed" if text else "passed"}
            for name, text in runner.results.items()]))
    print(f"{len(runner.results) - len(failures)} of {len(runner.results)} models have the bits "
          f"of -O0 at -O1; {len(refused)} were refused rightly")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
