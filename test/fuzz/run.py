#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs, compiled with and without fusion and compared with fusec-ref.

  .venv/bin/python test/fuzz/run.py                    graphs 0 to 299
  .venv/bin/python test/fuzz/run.py --count 5000       as tools/test.sh --full
  .venv/bin/python test/fuzz/run.py --device --count 100     for GPUs, in the simulator
  .venv/bin/python test/fuzz/run.py --first 1234 --count 1   one graph again
  .venv/bin/python test/fuzz/run.py --print 1234       its text

A graph follows from its seed alone. One that fails is made small and left as
<build>/fuzz/failed/SEED.mlir, with the failure in a comment and its inputs beside it.
Works in <build>/fuzz; with --device in <build>/fuzz-device. Exit code 1 if any graph failed.
"""
import collections
import shutil
import subprocess
import sys

import write
from device import TARGET, DeviceJudge
from graph import join, to_text
from judge import Judge, signature
from shrink import shrink

import fuzzing  # test/e2e
import project

NAME = "fuzz graph"
BUNDLE = 8  # graphs in one model: starting the tools takes as long as one graph
HEADER = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: {command}
// {failure}
"""


def save(case, folder, programs):
    """A small case, as a lit test may be."""
    folder.mkdir(parents=True, exist_ok=True)
    failure = case.failures[0]
    command = "fusec compile %s -o %t" if failure.what in ("crash", "refusal") else "fusec verify %s"
    command += f" --target={TARGET}" if case.cpu == TARGET else f" --cpu={case.cpu}"
    if failure.way == "plain":
        command += " --no-fuse"
    done = subprocess.run([programs / "fusec-opt", case.model], capture_output=True, text=True)
    text = done.stdout if done.returncode == 0 else case.model.read_text()
    path = folder / f"{case.name}.mlir"
    path.write_text(HEADER.format(command=command, failure=" ".join(str(failure).split())) + text)
    for i, leaf in enumerate(case.graph.arguments()):
        (folder / f"{case.name}_x{i}.bin").write_bytes(leaf.data.tobytes())
    return path


class Fuzzer(fuzzing.Fuzzer):
    def __init__(self, build, jobs, plant=None, flags=project.NO_OPTIMISATION, judge=Judge):
        super().__init__(build, "fuzz" if judge is Judge else "fuzz-device", NAME, jobs)
        self.make = lambda part, number=0: judge(build, self.work / part, jobs, flags, plant, number)
        self.graphs, self.loose = {}, 0

    def run_chunk(self, seeds):
        self.graphs |= {seed: write.write_graph(seed) for seed in seeds}
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

    def signature(self, case):
        return frozenset(signature(case))

    def reason(self, case):
        return "; ".join(map(str, case.failures))

    def told(self):
        used = collections.Counter(n.op.name for g in self.graphs.values() for n in g.nodes)
        outputs = sum(len(graph.outputs) for graph in self.graphs.values())
        return (f"{sum(used.values())} operations of {len(used)} kinds, {outputs} outputs, "
                f"{self.loose} of them mostly noise")


def make(build, args):
    return Fuzzer(build, args.jobs, judge=DeviceJudge if args.device else Judge,
                  flags=project.AS_EMITTED if args.as_emitted else project.NO_OPTIMISATION)


if __name__ == "__main__":
    sys.exit(fuzzing.main(
        make, NAME, __doc__, 300, lambda seed: to_text(write.write_graph(seed)),
        [("--as-emitted", "compile as users do, not without optimisation"),
         ("--device", "for GPUs, in the simulator")]))
