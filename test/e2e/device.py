# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases compiled for GPUs, and run by the simulator, in both orders of blocks and warps.

What does not run yet stands in device-lacks.json with its reason: a list that may only
become shorter. A case there that runs is a failure, too, until it is taken out. How many
library calls of a case run on the host, for want of a form for GPUs, stands in
host-calls.json, where numbers may only fall; --update-host-calls writes those of the
cases that ran. No large group runs on a handful of threads: those that may, with why, are
in device-few-threads.json, which may only become less, too.
"""
import json
import os

import batch

LACKS = batch.HERE / "device-lacks.json"
CALLS = batch.HERE / "host-calls.json"
FEW_THREADS = batch.HERE / "device-few-threads.json"
TARGET = "cuda-sm80"
SECONDS = 600  # a simulated thread is slow


def simulate(program, test):
    """Runs the model; the outputs become sim_<i>.bin. Findings are a failure."""
    command = ["env", f"XDG_CACHE_HOME={test.folder}/cache", program, "run", test.model,
               f"--target={TARGET}", "--device=sim", *test.case.options]
    for i, name in enumerate(test.inputs):
        command += ["--input", f"{name}={test.folder}/in_{i}.bin"]
    for i, name in enumerate(test.outputs):
        command += ["--output", f"{name}={test.folder}/sim_{i}.bin"]
    batch.run_program(command, SECONDS)


def read_model(test):
    """What a model that was built is made of."""
    [model] = (test.folder / "cache").glob("fusec/*/model/model.json")
    return json.loads(model.read_text())


def check_threads(name, groups, few):
    """A group of 4096 points or more has a thread for each 64 of them, up to 4096."""
    found = {group["name"] for group in groups
             if group["points"] >= 4096 and
             group["threads"] < min(4096, group["points"] / 64)}
    allowed = few.get(name, {}).keys()
    for group in sorted(found - allowed):
        raise batch.Failure(f"group {group} runs on fewer threads than its points are worth")
    for group in sorted(allowed - found):
        raise batch.Failure(f"group {group} has enough threads: take it out of "
                            f"{FEW_THREADS.name}")


def update_calls(known, found):
    known = {name: found.get(name, number) for name, number in known.items()} | found
    lines = [f'  "{name}": {number}' for name, number in sorted(known.items()) if number]
    CALLS.write_text("{\n" + ",\n".join(lines) + "\n}\n" if lines else "{}\n")


def run_device(tests, program, runner, update):
    """The stage of all of it."""
    lacks, calls, few = (json.loads(file.read_text()) for file in (LACKS, CALLS, FEW_THREADS))
    found = {}

    def attempt(test):
        try:
            simulate(program, test)
            test.check("sim")
            model = read_model(test)
            check_threads(test.name, model["groups"], few)
            found[test.name] = len(model.get("calls", []))
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
