# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases compiled for GPUs, and run by the simulator, in both orders of blocks and warps;
with --numerics=fast, too, where that gives another program.

What does not run yet stands in device-lacks.json with its reason: a list that may only
become shorter. A case there that runs is a failure, too, until it is taken out. How many
library calls of a case run on the host, for want of a form for GPUs, stands in
host-calls.json, where numbers may only fall; --update-host-calls writes those of the
cases that ran. No large group runs on a handful of threads.
"""
import json
import os

import batch

LACKS = batch.HERE / "device-lacks.json"
CALLS = batch.HERE / "host-calls.json"
TARGET = "cuda-sm80"
FAST = "--numerics=fast"
SECONDS = 600  # a simulated thread is slow


def simulate(program, test, cache, label, *options):
    """Runs the model in the simulator; the outputs become <label>_<i>.bin. Findings are a
    failure."""
    command = ["env", f"XDG_CACHE_HOME={cache}", program, "run", test.model,
               f"--target={TARGET}", "--device=sim", *test.case.options, *options]
    for i, name in enumerate(test.inputs):
        command += ["--input", f"{name}={test.folder}/in_{i}.bin"]
    for i, name in enumerate(test.outputs):
        command += ["--output", f"{name}={test.folder}/{label}_{i}.bin"]
    batch.run_program(command, SECONDS)


def keeps_order(test):
    """Whether each sum keeps its order: no threads share it, and no option allows that."""
    return bool({"-O0", "-O1"} & set(test.case.options))


def is_other_if_fast(program, test, model, name):
    """Whether the sources in `model` would be others with --numerics=fast."""
    if FAST in test.case.options or keeps_order(test):
        return False
    fast = test.folder / "fast"
    batch.run_program([program, "compile", test.model, f"--target={TARGET}", FAST,
                       "--name", name, "--runtime=installed", "-o", fast,
                       *test.case.options], batch.COMPILE_SECONDS)
    return any(path.read_bytes() != (model / path.name).read_bytes()
               for path in fast.iterdir() if path.suffix in (".cpp", ".cuh"))


def check_threads(groups):
    """A group of 4096 points or more has a thread for each 64 of them, up to 4096, and one
    of 65536 or more has several blocks: one is on one multiprocessor."""
    for group in groups:
        if group["points"] >= 65536 and group["grid"] == 1:
            raise batch.Failure(f"group {group['name']} of {group['points']} points runs on "
                                "one multiprocessor")
        if group["points"] >= 4096 and group["threads"] < min(4096, group["points"] / 64):
            raise batch.Failure(f"group {group['name']} runs on fewer threads than its "
                                "points are worth")


def update_calls(known, found):
    known = {name: found.get(name, number) for name, number in known.items()} | found
    lines = [f'  "{name}": {number}' for name, number in sorted(known.items()) if number]
    CALLS.write_text("{\n" + ",\n".join(lines) + "\n}\n" if lines else "{}\n")


def run_device(tests, program, runner, update):
    """The stage of all of it."""
    lacks, calls = (json.loads(file.read_text()) for file in (LACKS, CALLS))
    found, others = {}, []

    def attempt(test):
        cache = test.folder / "cache"
        try:
            simulate(program, test, cache, "sim")
            test.check("sim")
            [place] = cache.glob("fusec/*/model")  # what was built
            model = json.loads((place / "model.json").read_text())
            if is_other_if_fast(program, test, place, model["name"]):
                others.append(test.name)
                simulate(program, test, test.folder / "fast_cache", "sim_fast", FAST)
                test.check("sim_fast")
            if not keeps_order(test):
                check_threads(model["groups"])
            found[test.name] = len(model.get("calls", []))
            if not update and found[test.name] > calls.get(test.name, 0):
                raise batch.Failure(f"{found[test.name]} calls run on the host, more than "
                                    f"{CALLS.name} says; --update-host-calls writes it")
        except batch.Failure as failure:
            if test.name in lacks:
                return
            raise batch.Failure(str(failure)) from None
        finally:
            for library in test.folder.glob("*cache/fusec/*/model.so"):
                os.remove(library)  # many models fill a disk
        if test.name in lacks:
            raise batch.Failure(f"it runs: take it out of {LACKS.name}")

    runner.stage("simulator", attempt, tests, "@sim")
    print(f"{len(others)} of {len(tests)} are others with --numerics=fast")
    if update:
        update_calls(calls, found)
