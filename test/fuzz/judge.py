# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs graphs three ways: through fusec with and without fusion, and in fusec-ref."""
import dataclasses
import multiprocessing.pool
import pathlib
import re
import shutil
import subprocess
import types

import numpy as np

from graph import DTYPES, to_text

import batch  # test/e2e
import oracle
import project
from spread import compare, is_loose, spread

NOISES = 2
WAYS = {"fused": [], "plain": ["--no-fuse"]}


@dataclasses.dataclass
class Failure:
    """What went wrong (the first words of a shrunk case must agree), where, and how."""
    what: str  # reference, crash, refusal, C++, run, wrong or bits
    way: str   # fused or plain
    text: str

    def __str__(self):
        return f"{self.what} ({self.way}): {self.text}"


class Wrong(Exception):
    def __init__(self, *args):
        self.failure = Failure(*args)


class Case:
    """A graph on disk. Its number says for which row of targets it is compiled, and which
    compiler takes which way of it."""

    def __init__(self, name, graph, work, number):
        self.name, self.graph, self.folder = name, graph, work / name
        self.number, self.cpu = number, batch.CPUS[number % len(batch.CPUS)]
        self.failures, self.loose = [], 0
        shutil.rmtree(self.folder, ignore_errors=True)
        self.model = self.folder / "model.mlir"
        for way in WAYS:
            (self.folder / way).mkdir(parents=True)
            for i, leaf in enumerate(graph.arguments()):
                (self.folder / way / f"in_{i}.bin").write_bytes(leaf.data.tobytes())
        self.model.write_text(to_text(graph))

    def inputs(self):
        return [f"x{i}={self.folder}/fused/in_{i}.bin" for i in range(len(self.graph.arguments()))]

    def interpret(self, program, model, prefix, inputs):
        """The outputs of `model` by fusec-ref."""
        command = [program, model]
        for text in inputs:
            command += ["--input", text]
        for i in range(len(self.graph.outputs)):
            command += ["--output", f"y{i}={self.folder}/{prefix}_{i}.bin"]
        try:
            batch.run_program(command, batch.RUN_SECONDS)
        except batch.Failure as failure:
            raise Wrong("reference", "fused", str(failure)) from None
        return self.read(self.folder, prefix)

    def read(self, folder, prefix):
        return [batch.decode((folder / f"{prefix}_{i}.bin").read_bytes(), DTYPES[v.dtype], v.shape)
                for i, v in enumerate(self.graph.outputs)]

    def reference(self, program):
        """Sets what each output should be, and by how much right programs may differ."""
        self.expected = self.interpret(program, self.model, "ref", self.inputs())
        noise = []
        text = to_text(self.graph, noise)
        self.spreads = [0.0] * len(self.expected)
        if not noise:
            return
        noisy = self.folder / "noise.mlir"
        noisy.write_text(text)
        for k in range(NOISES):
            rng = np.random.default_rng(k)
            inputs = self.inputs()
            for i, (dtype, shape) in enumerate(noise):
                relative = oracle.TOLERANCES[(dtype, "elementwise")][1]
                factors = 1 + relative * rng.choice([-1.0, 1.0], shape)
                path = self.folder / f"noise_{i}.bin"
                path.write_bytes(np.asarray(factors).astype(DTYPES[dtype]).tobytes())
                inputs.append(f"n{i}={path}")
            for i, moved in enumerate(self.interpret(program, noisy, f"noise{k}", inputs)):
                self.spreads[i] = max(self.spreads[i], spread(moved, self.expected[i]))
        self.loose = sum(is_loose(s, e) for s, e in zip(self.spreads, self.expected))

    def compile(self, program, way, plant):
        out = self.folder / way / "src"
        command = [program, "compile", self.model, "--sched-verify", "-o", out, "--runtime=installed",
                   f"--cpu={self.cpu}", "--name", f"{self.name}_{way}", *WAYS[way]]
        try:
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                                  errors="replace", timeout=batch.COMPILE_SECONDS)
        except subprocess.TimeoutExpired:
            raise Wrong("crash", way, f"fusec compile runs for {batch.COMPILE_SECONDS} s") from None
        if done.returncode:
            what = "refusal" if done.returncode in (2, 4) else "crash"
            raise Wrong(what, way, f"exit code {done.returncode}: {done.stderr.strip()[:400]}")
        if plant:
            plant(out)

    def run(self, built, way):
        try:
            configurations = built.run(f"{self.name}_{way}", self.folder / way)
        except batch.Failure as failure:
            raise Wrong("run", way, str(failure)) from None
        compiler = built.taken[f"{self.name}_{way}"]
        for configuration in configurations:
            results = self.read(self.folder / way, configuration)
            for i, (actual, expected) in enumerate(zip(results, self.expected)):
                difference = compare(actual, expected, self.spreads[i])
                if difference:
                    raise Wrong("wrong", way, f"{configuration}, {compiler}: output {i}: "
                                              f"{difference}")
                if configuration in batch.SAME_BITS:
                    default = self.folder / way / f"default_{i}.bin"
                    if actual.tobytes() != default.read_bytes():
                        raise Wrong("bits", way, f"output {i}: other bits in {configuration}")


class Judge:
    """Judges graphs, many at once. `plant` changes an emitted folder: the self-test's bug;
    `number` is that of graphs for which `judge` is given none."""
    make_case = Case

    def __init__(self, build, work, jobs, flags, plant=None, number=0):
        self.build, self.work, self.jobs, self.flags = build, work, jobs, flags
        self.plant, self.number, self.programs = plant, number, build / "bin"

    def judge(self, graphs, ways=tuple(WAYS), numbers=types.MappingProxyType({})):
        """name -> graph to name -> case, with failures."""
        cases = {name: self.make_case(name, graph, self.work, numbers.get(name, self.number))
                 for name, graph in graphs.items()}
        self.each(cases.values(), lambda case, _: case.reference(self.programs / "fusec-ref"), ["ref"])
        self.compile_and_run([case for case in cases.values() if not case.failures], ways)
        return cases

    def compile_and_run(self, cases, ways):
        self.build_and_run(self.each(cases, lambda case, way: case.compile(
            self.programs / "fusec", way, self.plant), ways))

    def each(self, cases, function, ways):
        """Calls the function for each case and way; returns those that did not fail."""
        def attempt(pair):
            case, way = pair
            try:
                function(case, way)
                return pair
            except Wrong as wrong:
                case.failures.append(wrong.failure)
                return None
        pairs = [(case, way) for case in cases for way in ways]
        with multiprocessing.pool.ThreadPool(self.jobs) as pool:
            return [pair for pair in pool.map(attempt, pairs, 1) if pair]

    def build_and_run(self, compiled):
        if not compiled:
            return
        built = project.Shares(self.work, self.build, self.jobs, self.flags)
        by_name = {f"{case.name}_{way}": (case, way) for case, way in compiled}
        # A graph meets two compilers: one takes it fused, the other plain.
        broken = built.build(
            {name: case.folder / way / "src" for name, (case, way) in by_name.items()},
            numbers={name: case.number + (way == "plain") for name, (case, way) in by_name.items()})
        for name, text in broken.items():
            case, way = by_name[name]
            case.failures.append(Failure("C++", way, text))
        for way in WAYS:
            self.each([case for name, (case, kind) in by_name.items()
                       if kind == way and name not in broken],
                      lambda case, way: case.run(built, way), [way])


def signature(case):
    """What a smaller graph must show to be the same failure."""
    found = set()
    for failure in case.failures:
        detail = ""
        if failure.what in ("crash", "refusal", "C++", "reference"):
            detail = re.sub(r"\d+|/\S+|'[^']*'|%\S+", "", failure.text)[:60]
        found.add((failure.what, failure.way, detail))
    return found
