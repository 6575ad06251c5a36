# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges graphs as programs for GPUs: in the simulator, in both orders of its blocks and
warps, with either way to add up (--numerics)."""
import shutil
import subprocess

from judge import Case, Judge, Wrong

from spread import compare

WAY = "device"
TARGET = "cuda-sm80"
SECONDS = 600  # a simulated thread is slow


class DeviceCase(Case):
    def __init__(self, name, graph, work, number):
        super().__init__(name, graph, work, number)
        self.cpu = TARGET
        self.numerics = ("reproducible", "fast")[number % 2]

    def simulate(self, program):
        """What goes wrong: fusec's exit code 1 stands for findings."""
        command = ["env", f"XDG_CACHE_HOME={self.folder}/cache", program, "run", self.model,
                   f"--target={TARGET}", "--device=sim", f"--numerics={self.numerics}"]
        for text in self.inputs():
            command += ["--input", text]
        for i in range(len(self.graph.outputs)):
            command += ["--output", f"y{i}={self.folder}/{WAY}_{i}.bin"]
        try:
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                                  errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Wrong("crash", WAY, f"fusec run runs for {SECONDS} s") from None
        finally:
            shutil.rmtree(self.folder / "cache", ignore_errors=True)
        if done.returncode:
            what = {1: "run", 2: "refusal", 4: "refusal"}.get(done.returncode, "crash")
            text = done.stdout.strip() + done.stderr.strip()
            raise Wrong(what, WAY, f"{self.numerics}: exit code {done.returncode}: {text[-600:]}")
        for i, (actual, expected) in enumerate(zip(self.read(self.folder, WAY), self.expected)):
            difference = compare(actual, expected, self.spreads[i])
            if difference:
                raise Wrong("wrong", WAY, f"{self.numerics}: output {i}: {difference}")


class DeviceJudge(Judge):
    make_case = DeviceCase

    def compile_and_run(self, cases, ways):
        self.each(cases, lambda case, _: case.simulate(self.programs / "fusec"), [WAY])
