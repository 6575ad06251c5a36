# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the algorithms of a product on a GPU, of which there are many, and proves some.

  take-tiles.py FUSEC MODEL FOLDER EVERY

The listing proves one of those that differ in sizes alone, and has to take seconds of CPU
time. One in EVERY of what it lists must be taken from a fusec.lock, which proves each.
"""
import json
import pathlib
import resource
import subprocess
import sys

MOST_SECONDS = 15  # a fifth of what it takes to prove all of them
TARGET = "cuda-sm80"

fusec, model, folder, every = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
folder.mkdir(parents=True, exist_ok=True)


def run(*arguments):
    process = subprocess.run([fusec, *arguments, f"--target={TARGET}"], capture_output=True, text=True)
    if process.returncode:
        sys.exit(f"{arguments}: exit code {process.returncode}\n{process.stdout}{process.stderr}")
    return process.stdout


listing = json.loads(run("algos", model, "--json"))
seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
if seconds > MOST_SECONDS:
    sys.exit(f"the listing took {seconds:.1f} s")
taken, total = 0, 0
lock = folder / "one.lock"
for group in listing["groups"]:
    total += len(group["algorithms"])
    for algorithm in group["algorithms"][::every]:
        lock.write_text(f"fusec.lock 4\ntarget {listing['target']}\n{algorithm['lock']}\n")
        run("compile", model, "--lock", str(lock), "--sched-verify", "--numerics=fast",
            "--until=sched-promote-arrays")
        taken += 1
print("many" if total > 1000 else f"only {total}", "listed,",
      "several" if taken > 5 else f"only {taken}", "taken")
