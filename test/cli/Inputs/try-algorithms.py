#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts algorithms that fusec algos lists into a fusec.lock.

  try-algorithms.py FUSEC MODEL FOLDER EVERY

One in EVERY, and of those for the second instruction set fewer, must be taken as it stands:
what is written back is the same entry, and the schedule keeps every dependence. The last
of each family but the naive one, which the end-to-end tests run, is compared with
fusec-ref: for one instruction set, and from one in four on for each.
"""
import json
import pathlib
import subprocess
import sys

fusec, model, folder, every = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
folder.mkdir(parents=True, exist_ok=True)


def run(*arguments):
    process = subprocess.run([fusec, *arguments], capture_output=True, text=True)
    if process.returncode:
        sys.exit(f"{arguments}: exit code {process.returncode}\n{process.stdout}{process.stderr}")
    return process.stdout


listing = json.loads(run("algos", model, "--json"))
taken = verified = 0
for group in listing["groups"]:
    families = {}
    names = [(algorithm.get("isa"), algorithm["name"]) for algorithm in group["algorithms"]]
    assert len(set(names)) == len(names), names
    first = group["algorithms"][0].get("isa")
    for number, algorithm in enumerate(group["algorithms"]):
        # Each default and naive one, and of others some.
        share = every if algorithm.get("isa", first) == first else max(every, 8)
        last = number + 1 == len(group["algorithms"])
        if not algorithm["default"] and not last and number % share:
            continue
        naive = algorithm["naive"]
        entry = algorithm["lock"] + "\n"
        isa = algorithm.get("isa", "")
        options = [] if algorithm["reproducible"] else ["--numerics=fast"]
        lock, again = folder / f"{algorithm['name']}{isa}.lock", folder / "again.lock"
        lock.write_text(f"fusec.lock 4\ntarget {listing['target']}\n{entry}")
        again.write_text(lock.read_text())
        run("compile", model, "-o", str(folder / "out"), "--lock", str(lock), "--sched-verify",
            "--write-lock", str(again), *options)
        # What all instruction sets take then is an entry for all of them.
        if entry not in again.read_text() and \
                entry.replace(f" isa={isa}", "") not in again.read_text():
            sys.exit(f"{entry}is not what was taken:\n{again.read_text()}")
        taken += 1
        if not naive:
            families[algorithm["family"], isa if every <= 4 else ""] = lock, options
    for lock, options in families.values():
        run("verify", model, "--lock", str(lock), *options)
        verified += 1
print(f"{taken} algorithms of {len(listing['groups'])} groups taken, {verified} of them run")
