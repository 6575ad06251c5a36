# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases compiled for GPUs, and run by the simulator, in both orders of blocks and warps.

What does not run yet stands in device-lacks.json with its reason: a list that may only
become shorter. A case there that runs is a failure, too, until it is taken out. How many
library calls of a case run on the host, for want of a form for GPUs, stands in
host-calls.json, where numbers may only fall; --update-host-calls writes those of the
cases that ran.
"""
import json
import os

import batch

LACKS = batch.HERE / "device-lacks.json"
CALLS = batch.HERE / "host-calls.json"
TARGET = "cuda-sm80"
SECONDS = 600  # a simulated thread is slow


def sample(selected):
    """Every eighth case."""
    return selected[::8]


def simulate(program, test):
    """Runs the model; the outputs become sim_<i>.bin. Findings are a failure."""
    command = ["env", f"XDG_CACHE_HOME={test.folder}/cache", program, "run", test.model,
               f"--target={TARGET}", "--device=sim", *test.case.options]
    for i, name in enumerate(test.inputs):
        command += ["--input", f"{name}={test.folder}/in_{i}.bin"]
    for i, name in enumerate(test.outputs):
        command += ["--output", f"{name}={test.folder}/sim_{i}.bin"]
    batch.run_program(command, SECONDS)


def count_calls(test):
    """Library calls of a model that was built."""
    [model] = (test.folder / "cache").glob("fusec/*/model/model.json")
    return len(json.loads(model.read_text()).get("calls", []))


def update_calls(known, found):
    known = {name: found.get(name, number) for name, number in known.items()} | found
    lines = [f'  "{name}": {number}' for name, number in sorted(known.items()) if number]
    CALLS.write_text("{\n" + ",\n".join(lines) + "\n}\n" if lines else "{}\n")


def run_device(tests, program, runner, update):
    """The stage of all of it."""
    lacks, calls = json.loads(LACKS.read_text()), json.loads(CALLS.read_text())
    found = {}

    def attempt(test):
        try:
            simulate(program, test)
            test.check("sim")
            found[test.name] = count_calls(test)
            if not update and found[test.name] > calls.get(test.name, 0):
                raise batch.Failure(f"{found[test.name]} calls run on the host, more than "
                                    f"{CALLS.name} says; --update-host-calls writes it")
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
    if update:
        update_calls(calls, found)
