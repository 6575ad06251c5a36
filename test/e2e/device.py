# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases compiled for GPUs, and run by the simulator, in both orders of blocks and warps.

What does not run yet stands in device-lacks.json with its reason: a list that may only
become shorter. A case there that runs is a failure, too, until it is taken out.
"""
import json
import os

import batch

LACKS = batch.HERE / "device-lacks.json"
TARGET = "cuda-sm80"
SECONDS = 600  # a simulated thread is slow


def sample(selected):
    """Every eighth case."""
    return selected[::8]


def read_lacks():
    return json.loads(LACKS.read_text())


def simulate(program, test):
    """Runs the model; the outputs become sim_<i>.bin. Findings are a failure."""
    command = ["env", f"XDG_CACHE_HOME={test.folder}/cache", program, "run", test.model,
               f"--target={TARGET}", "--device=sim", *test.case.options]
    for i, name in enumerate(test.inputs):
        command += ["--input", f"{name}={test.folder}/in_{i}.bin"]
    for i, name in enumerate(test.outputs):
        command += ["--output", f"{name}={test.folder}/sim_{i}.bin"]
    batch.run_program(command, SECONDS)


def run_device(tests, program, runner):
    """The stage of all of it."""
    lacks = read_lacks()

    def attempt(test):
        try:
            simulate(program, test)
            test.check("sim")
        except batch.Failure as failure:
            if test.name in lacks:
                return
            raise batch.Failure(str(failure)) from None
        finally:
            for place in (test.folder / "cache").glob("fusec/*/model.so"):
                os.remove(place)  # many models fill a disk
        if test.name in lacks:
            raise batch.Failure(f"it runs: take it out of {LACKS.name}")

    runner.stage("simulator", attempt, tests, "@sim")
