# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs graphs with fusec, many in one build, and compares with what ONNX
Runtime computed."""
import collections
import concurrent.futures
import dataclasses
import json
import multiprocessing
import multiprocessing.pool
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

import graph as graphs  # puts test/e2e on the path
import noise
import refusals
import spread

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "onnx"))

import batch  # noqa: E402  (test/e2e)
import models  # noqa: E402  (test/onnx)
import project  # noqa: E402

UNSUPPORTED, BAD_INPUT = 2, 4  # exit codes of fusec


@dataclasses.dataclass
class Failure:
    """What went wrong, where, and how: a smaller graph must fail alike."""
    what: str  # crash, refusal, C++, run, wrong, bits
    op: str    # of the node that failed, or that computed what is wrong
    text: str

    def __str__(self):
        return f"{self.what} ({self.op}): {self.text}"

    def signature(self):
        text = re.sub(r"\d+|/\S+|'[^']*'|\[[^\]]*\]|\([^)]*\)", "", self.text)[:60]
        return self.what, self.op, "" if self.what in ("wrong", "bits", "run") else text


class Wrong(Exception):
    def __init__(self, *args):
        self.failure = Failure(*args)


@dataclasses.dataclass
class Output:
    """What an output should be. `open` is None, or why and where programs may differ."""
    name: str
    array: np.ndarray
    spread: float
    open: tuple
    op: str
    exact: bool = False  # to the bit, but for the sign of zeros


@dataclasses.dataclass
class Prepared:
    """One or several graphs as a model, with what ONNX Runtime computed. `number` says for
    which row of targets it is compiled, and which compiler takes it; `parts`: the seed of
    each graph, and its outputs."""
    model: bytes
    open_dims: bool
    number: int
    inputs: dict
    parts: dict
    ops: collections.Counter = dataclasses.field(default_factory=collections.Counter)


def prepare(named, number=0):
    """number -> graph to a model of all of them."""
    model, names = graphs.to_model(list(named.values()))
    inputs, parts = {}, {}
    for (seed, graph), (ins, outs) in zip(named.items(), names):
        inputs |= {name: v.array for name, v in zip(ins, graph.inputs())}
        makers = {v: node.op for node in graph.nodes for v in node.results}
        parts[seed] = [Output(name, v.array, s, v.open, makers.get(v, ""),
                              v.exact and v.dtype in ("f16", "bf16")) for name, v, s in
                       zip(outs, graph.outputs, noise.spreads(graph))]
    first = next(iter(named.values()))
    return Prepared(model.SerializeToString(), first.open_dims, number, inputs, parts)


class Case:
    """A prepared model on disk."""

    def __init__(self, name, prepared, work):
        self.name, self.prepared, self.folder = name, prepared, work / name
        self.source = self.folder / "src"
        self.failure, self.refusal = None, None
        self.wrong = {}  # graph -> failure
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.model = self.folder / f"{name}.onnx"
        self.model.write_bytes(prepared.model)
        self.shapes = []  # of inputs, where the model leaves them open
        for name, array in prepared.inputs.items() if prepared.open_dims else ():
            if array.shape:
                self.shapes += ["--shape", f"{name}={'x'.join(map(str, array.shape))}"]

    def compile(self, program, plant):
        command = [program, "compile", self.model, "--sched-verify", "-o", self.source, "--runtime=installed",
                   f"--cpu={batch.CPUS[self.prepared.number % len(batch.CPUS)]}",
                   f"--precision={graphs.precision_of(self.prepared.number)}",
                   "--name", self.name, *self.shapes]
        try:
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                                  errors="replace", timeout=batch.COMPILE_SECONDS)
        except subprocess.TimeoutExpired:
            raise Wrong("crash", "", f"fusec compile runs for {batch.COMPILE_SECONDS} s") from None
        if done.returncode not in (0, UNSUPPORTED, BAD_INPUT):
            raise Wrong("crash", "", f"exit code {done.returncode}: {done.stderr.strip()[:600]}")
        if done.returncode:
            self.refuse(program, done)
        if plant:
            plant(self.source)
        self.write_inputs()

    def refuse(self, program, done):
        """A refusal that is right has a line in refusals.py."""
        found = subprocess.run([program, "check", self.model, "--json", *self.shapes],
                               capture_output=True, text=True)
        problems = json.loads(found.stdout)["problems"]
        for problem in refusals.causes(problems):
            reason = " ".join(problem["reason"].split())
            self.refusal = refusals.find(problem["op"], reason)
            if not self.refusal:
                raise Wrong("refusal", problem["op"] or "", reason)
        if not problems:
            raise Wrong("refusal", "", f"exit code {done.returncode}: {done.stderr.strip()[:400]}")
        raise Wrong("refused", "", self.refusal)

    def write_inputs(self):
        for i, emitted in enumerate(models.read_emitted(self.source, "inputs")):
            array = self.prepared.inputs[emitted.name]
            (self.folder / f"in_{i}.bin").write_bytes(models.to_bytes(array))

    def run(self, built):
        try:
            configurations = built.run(self.name, self.folder)
        except batch.Failure as failure:
            raise Wrong("run", "", str(failure)) from None
        emitted = {e.name: (i, e) for i, e in
                   enumerate(models.read_emitted(self.source, "outputs"))}
        for number, outputs in self.prepared.parts.items():
            for output in outputs:
                if failure := self.check(output, *emitted[output.name], configurations):
                    self.wrong.setdefault(number, failure)

    def check(self, output, i, emitted, configurations):
        want = output.array
        kind = models.TYPE_NAMES[want.dtype]
        if (emitted.dtype, emitted.shape) != (kind, want.shape):
            return Failure("wrong", output.op, f"{emitted.dtype}{emitted.shape}, expected "
                                               f"{kind}{want.shape}")
        default = (self.folder / f"default_{i}.bin").read_bytes()
        for configuration in configurations:
            raw = (self.folder / f"{configuration}_{i}.bin").read_bytes()
            if configuration in batch.SAME_BITS and raw != default:
                return Failure("bits", output.op, f"other bits in {configuration}")
            got = batch.decode(raw, want.dtype, want.shape)
            if output.open:
                where = output.open[1]
                if where is None:
                    continue
                got = np.where(where, want, got)
            if output.exact and (difference := first_difference(got, want)):
                return Failure("wrong", output.op, f"{configuration}: {output.name}: {difference}")
            if difference := spread.compare(got, want, output.spread):
                return Failure("wrong", output.op, f"{configuration}: {output.name}: {difference}")
        return None


def first_difference(got, want):
    """None, or the first element that is another number; any NaN is one."""
    wide, expected = got.astype(np.float64), want.astype(np.float64)
    other = ~((wide == expected) | (np.isnan(wide) & np.isnan(expected)))
    if not other.any():
        return None
    at = tuple(int(i[0]) for i in np.nonzero(other))
    return f"{other.sum()} of {want.size} differ, first [{at}]: {wide[at]}, not {expected[at]}"


class Judge:
    """`plant` changes an emitted folder: the self-test's bug."""

    def __init__(self, build, work, jobs, plant=None):
        self.build, self.work, self.jobs, self.plant = build, work, jobs, plant

    def judge(self, prepared):
        """name -> model to name -> case."""
        cases = {name: Case(name, model, self.work) for name, model in prepared.items()}
        compiled = self.each(cases.values(), lambda case: case.compile(
            self.build / "bin" / "fusec", self.plant))
        if compiled:
            self.build_and_run(compiled)
        return cases

    def each(self, cases, function):
        """Calls the function for each case; returns those that did not fail."""
        def attempt(case):
            try:
                function(case)
                return case
            except Wrong as wrong:
                case.failure = wrong.failure
            except (OSError, ValueError, KeyError, batch.Failure) as error:
                case.failure = Failure("run", "", f"{type(error).__name__}: {error}")
            return None
        with multiprocessing.pool.ThreadPool(self.jobs) as pool:
            return [case for case in pool.map(attempt, list(cases), 1) if case]

    def build_and_run(self, compiled):
        built = project.Shares(self.work, self.build, self.jobs, project.NO_OPTIMISATION)
        broken = built.build({case.name: case.source for case in compiled},
                             numbers={case.name: case.prepared.number for case in compiled})
        for case in compiled:
            if case.name in broken:
                case.failure = Failure("C++", "", broken[case.name])
        self.each([case for case in compiled if not case.failure], lambda case: case.run(built))


def workers(jobs):
    return concurrent.futures.ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("forkserver"))
