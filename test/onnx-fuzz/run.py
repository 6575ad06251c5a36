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
import collections
import shutil
import sys

import numpy as np
import onnx

import author
from graph import to_model
from judge import Judge, prepare, workers
from shrink import failure_of, shrink
from write import BUNDLE, write_graph

import fuzzing  # test/e2e

NAME = "onnx graph"


def prepare_seeds(seeds):
    """The graphs of seeds as a model, and what of them ONNX Runtime refused."""
    author.REFUSED.clear()
    written = {seed: write_graph(seed) for seed in seeds}
    prepared = prepare(written, seeds[0] // BUNDLE)
    prepared.ops = collections.Counter(n.op for g in written.values() for n in g.nodes)
    return prepared, dict(author.REFUSED)


class Fuzzer(fuzzing.Fuzzer):
    def __init__(self, build, jobs, plant=None, verbose=False):
        super().__init__(build, "onnx-fuzz", NAME, jobs)
        self.verbose = verbose
        self.make = lambda part: Judge(build, self.work / part, jobs, plant)
        self.ops, self.outputs, self.open = (collections.Counter() for _ in range(3))
        self.not_drawn, self.refused = collections.Counter(), collections.Counter()

    def run(self, seeds):
        with workers(self.jobs) as self.pool:
            return super().run(seeds)

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

    def signature(self, failure):
        return failure.signature()

    def reason(self, failure):
        return str(failure)

    def told(self):
        for title, counts in (("refused", self.refused), ("open", self.open)):
            for text, count in counts.most_common():
                print(f"  {title} {count}: {text}")
        for (op, text), count in self.not_drawn.most_common() if self.verbose else ():
            print(f"  not taken {count}: {op}: {text}")
        return (f"{self.ops.total()} nodes of {len(self.ops)} operators, "
                f"{self.outputs['all']} outputs, {self.open.total()} of them open, "
                f"{self.refused.total()} graphs refused rightly")


if __name__ == "__main__":
    sys.exit(fuzzing.main(
        lambda build, args: Fuzzer(build, args.jobs, verbose=args.verbose), NAME, __doc__, 200,
        lambda seed: onnx.printer.to_text(to_model([write_graph(seed)])[0]),
        [("--verbose", "count also what ONNX Runtime did not take")]))
