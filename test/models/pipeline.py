# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model on its way: generated, compiled, built, run, compared."""
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil

import numpy as np

import zoo  # noqa: F401  (makes the end-to-end tests' modules importable)
import oracle
from batch import Failure, run_program
from device import TARGET
from memory import compile_measured

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# What the generated files depend on.
SOURCES = [*sorted((REPOSITORY / "test" / "models" / "zoo").glob("*.py")),
           REPOSITORY / "test" / "e2e" / "builder.py",
           *sorted((REPOSITORY / "test" / "e2e" / "cases").glob("*.py"))]
COMPILE_SECONDS, RUN_SECONDS, TOLERANCE = 600, 1200, "network"


def cpu_seconds():
    """Of the programs that this one has run: not of what else the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Work:
    """A model's folder: <build>/models/<name>."""

    def __init__(self, model, build):
        self.model, self.name = model, model.name
        self.folder = build / "models" / model.name
        self.onnx = self.folder / f"{model.name}.onnx"
        self.emitted = self.folder / "src"
        self.fusec = build / "bin" / "fusec"
        cache = (build / "CMakeCache.txt").read_text()
        compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.M).group(1)
        self.environment = dict(os.environ, CXX=compiler,
                                XDG_CACHE_HOME=str(self.folder / "cache"))

    def generate(self):
        """Writes the model, its inputs and ONNX Runtime's answers, unless they are there."""
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()
        stamp = self.folder / "generated.json"
        if stamp.exists():
            facts = json.loads(stamp.read_text())
            if facts["digest"] == digest:
                return facts
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True)
        graph = self.model.build()
        answers = oracle.run_onnxruntime(graph.build(), graph.inputs)
        shapes = {name: array.shape for name, array in zip(graph.outputs, answers)}
        self.onnx.write_bytes(graph.build(shapes).SerializeToString())
        for i, array in enumerate(graph.inputs.values()):
            np.save(self.folder / f"in_{i}.npy", array)
        for i, array in enumerate(answers):
            np.save(self.folder / f"expected_{i}.npy", array)
        facts = {"digest": digest, "nodes": len(graph.nodes), "inputs": list(graph.inputs),
                 "outputs": list(graph.outputs)}
        stamp.write_text(json.dumps(facts))
        return facts

    def fusec_run(self, *arguments):
        return run_program(["env", *(f"{key}={self.environment[key]}"
                                     for key in ("CXX", "XDG_CACHE_HOME")),
                            self.fusec, *arguments], RUN_SECONDS)

    def compile(self):
        """Returns the CPU seconds and the peak memory that fusec took."""
        return compile_measured(self.fusec, self.onnx, self.emitted, COMPILE_SECONDS)

    def compile_for_gpu(self):
        """Emits the sources for GPUs; returns the groups that model.json says they have."""
        folder = self.folder / "gpu"
        run_program([self.fusec, "compile", self.onnx, f"--target={TARGET}",
                     "--runtime=installed", "-o", folder], COMPILE_SECONDS)
        groups = json.loads((folder / "model.json").read_text())["groups"]
        shutil.rmtree(folder)  # with another copy of the weights
        return groups

    def inspect(self):
        """The number of launches of a run, and of the kernels that they share."""
        info = json.loads(run_program([self.fusec, "inspect", self.emitted, "--json"], 60))
        return len(info["launches"]), len(info["groups"])

    def build_library(self):
        """Returns the CPU seconds of the C++ compiler and a first run."""
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        begin = cpu_seconds()
        self.fusec_run("run", self.emitted)
        return cpu_seconds() - begin

    def run(self, facts, repeats):
        """Leaves the outputs beside the expected ones; returns the median in ms."""
        command = ["run", self.emitted, "--repeat", repeats, "--json"]
        for i, name in enumerate(facts["inputs"]):
            command += ["--input", f"{name}={self.folder}/in_{i}.npy"]
        for i, name in enumerate(facts["outputs"]):
            command += ["--output", f"{name}={self.folder}/actual_{i}.npy"]
        return json.loads(self.fusec_run(*command).splitlines()[-1])["median_ms"]

    def compare(self, facts):
        """The largest error of each output. Raises Failure for the first wrong one."""
        errors = {}
        for i, name in enumerate(facts["outputs"]):
            actual, expected = (np.load(self.folder / f"{which}_{i}.npy")
                                for which in ("actual", "expected"))
            difference = oracle.compare(actual, expected, TOLERANCE)
            if difference:
                raise Failure(f"output {name}: {difference}")
            if not expected.size or not np.ptp(expected):
                raise Failure(f"output {name} is {expected.flat[:1]} everywhere: the "
                              "model shows nothing")
            errors[name] = float(np.max(abs(actual.astype(np.float64) - expected)))
        return errors
