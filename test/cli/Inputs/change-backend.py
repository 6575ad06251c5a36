#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""change-backend.py FUSEC MODEL CACHE FOLDER: what fusec compile says of a cache each of whose
records has another value in one field of its backend, field by field."""
import os
import pathlib
import re
import subprocess
import sys

from fast_run_sum import sign

fusec, model, cache, folder = sys.argv[1], sys.argv[2], *map(pathlib.Path, sys.argv[3:])
FIELDS = ("device", "isa", "caches", "cores", "threads", "compiler", "driver", "algorithms")
folder.mkdir(parents=True)
lines = [line.split(" ", 1)[1] for file in cache.glob("*.frc")
         for line in file.read_text().splitlines() if " group key=" in line]
# A row of targets may tile for several instruction sets.
isa = re.search(r" isa=([^ ]+)", lines[0])[1]


def change(line, field):
    head, bar, timings = line.partition(" | ")
    found = re.search(rf' {field}=("(?:[^"\\]|\\.)*"|[^ ]+)', head)
    if found:
        head = head[:found.start()] + f" {field}=9" + head[found.end():]
    else:  # a CPU has no driver
        later = FIELDS[FIELDS.index(field) + 1]
        head = head.replace(f" {later}=", f" {field}=9 {later}=", 1)
    return head + bar + timings


for field in FIELDS:
    file = folder / f"{field}.frc"
    file.write_text("fusec.cache 1\n" + "".join(sign(change(line, field)) for line in lines))
    subprocess.run([fusec, "cache", "verify", file], check=True, stdout=subprocess.DEVNULL)
    said = subprocess.run([fusec, "compile", model, "-o", folder / field, "--cpu=native",
                           "--cache", file, "--verbose"], check=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    answers = [line.split(": ", 1)[1] for line in said.splitlines()
               if line.startswith("group ") and f" for {isa}: " in line]
    misses = {answer for answer in answers if answer.startswith("miss")}
    what = misses.pop() if misses else "hit"
    assert all(answer.startswith(what) for answer in answers), said
    line = f"{field}: {len(answers)} groups {what}"
    if field == "threads":
        # Who tunes asks for all of them; without a compiler it says no more than that.
        tuned = subprocess.run([fusec, "tune", model, "-o", cache, "--threads", "9"],
                               stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, CXX="/bin/false")).stderr
        line += ", tune --threads 9: " + re.search(r"\d+ groups are not in", tuned)[0]
    print(line)
