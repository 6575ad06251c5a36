#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""verify-variants.py FUSEC MODEL: compares each variant that may ship, and that is for
this machine's instruction set, with the reference interpreter; prints how many are right."""
import json
import subprocess
import sys


def run(command, *more):
    return subprocess.run([fusec, command, model, "--variants=5", "--cpu=native", *more],
                          check=True, stdout=subprocess.PIPE, text=True).stdout


fusec, model = sys.argv[1:]
isa = json.loads(run("run", "--json"))["isa"]
names = {variant["name"] for group in json.loads(run("inspect", "--json"))["groups"]
         for variant in group["variants"] if variant.get("isa", isa) == isa}
assert len(names) > 4, names
for name in sorted(names):
    run("verify", "--variant", name)
print(len(names), "variants are right")
