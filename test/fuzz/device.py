# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges graphs as programs for GPUs: in the simulator, in both orders of its blocks and
warps, with both ways to add up (--numerics)."""
import shutil
import subprocess

from judge import Case, Judge, Wrong

from spread import compare

WAY = "device"
TARGET = "cuda-sm80"
NUMERICS = ("reproducible", "fast")
SECONDS = 600  # a simulated thread is slow


class DeviceCase(Case):
    def __init__(self, name, graph, work, number):
        super().__init__(name, graph, work, number)
        self.cpu = TARGET

    def simulate(self, program, numerics):
        """What goes wrong: fusec's exit code 1 stands for findings."""
        command = ["env", f"XDG_CACHE_HOME={self.folder}/{numerics}", program, "run", self.model,
                   f"--target={TARGET}", "--device=sim", f"--numerics={numerics}"]
        for text in self.inputs():
            command += ["--input", text]
        for i in range(len(self.graph.outputs)):
            command += ["--output", f"y{i}={self.folder}/{numerics}_{i}.bin"]
        try:
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                                  errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Wrong("crash", WAY, f"fusec run runs for {SECONDS} s") from None
        finally:
            shutil.rmtree(self.folder / numerics, ignore_errors=True)
        if done.returncode:
            what = {1: "run", 2: "refusal", 4: "refusal"}.get(done.returncode, "crash")
            text = done.stdout.strip() + done.stderr.strip()
            raise Wrong(what, WAY, f"{numerics}: exit code {done.returncode}: {text[-600:]}")
        outputs = self.read(self.folder, numerics)
        for i, (actual, expected) in enumerate(zip(outputs, self.expected)):
            difference = compare(actual, expected, self.spreads[i])
            if difference:
                raise Wrong("wrong", WAY, f"{numerics}: output {i}: {difference}")


class DeviceJudge(Judge):
    make_case = DeviceCase

    def compile_and_run(self, cases, ways):
        def simulate(case, numerics):
            case.simulate(self.programs / "fusec", numerics)
        self.each(cases, simulate, NUMERICS)
