# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""entry-sizes.py BUILD FOLDER MODEL DIM... [OPTION...]: compiles the entries that DIM=N,M... name into
FOLDER, and each as a model of its own, and prints what they cost:

    weights   the file's bytes, over those of the largest entry's own, and how much of that is
              listed as further panels
    kernels   how many there are, of how many in all models of one shape, and how many of those
              are distinct
    memory    of compiling all of them, over compiling the one that takes most
    time      the same, over the sum of all

Fails where that is more than the project promises. As processors that others use too vary in
speed, times that are too long are taken again.
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys

from entries import hashes


def compile_to(fusec, model, folder, dims):
    """Seconds of the processor, and the most bytes of memory that it took."""
    process = subprocess.Popen([fusec, "compile", model, "-o", folder, *dims],
                               stdout=subprocess.DEVNULL)
    usage = os.wait4(process.pid, 0)
    assert usage[1] == 0, f"fusec compile fails for {dims}"
    return usage[2].ru_utime + usage[2].ru_stime, usage[2].ru_maxrss * 1024


def kernels_of(known, model):
    groups = {group["name"]: known[group["name"]] for group in model["groups"]}
    return [groups[launch["group"]] for launch in model["launches"]]


def main(build, folder, model, *words):
    fusec = build + "/bin/fusec"
    dims = [word for word in words if not word.startswith("-")]
    options = [word for word in words if word.startswith("-")]
    names = [dim.split("=")[0] for dim in dims]
    extents = [dim.split("=")[1].split(",") for dim in dims]

    def compile_whole():
        return compile_to(fusec, model, folder, [*options, *(f"--dim={dim}" for dim in dims)])

    seconds, memory = compile_whole()
    whole = json.loads(pathlib.Path(folder, "model.json").read_text())
    known = hashes(folder)
    most_weights = most_memory = all_seconds = all_kernels = 0
    distinct, entries = set(), []
    for number, combination in enumerate(itertools.product(*extents)):
        alone = f"{folder}-alone{number}"
        own = [f"--dim={name}={extent}" for name, extent in zip(names, combination)]
        entries.append((fusec, model, alone, [*options, *own]))
        one_seconds, one_memory = compile_to(*entries[-1])
        one = json.loads(pathlib.Path(alone, "model.json").read_text())
        entry = [whole, *whole.get("others", [])][number]
        kernels = kernels_of(hashes(alone), one)
        assert kernels and kernels == kernels_of(known, entry), f"{own}: other kernels"
        distinct.update(map(tuple, kernels))
        all_kernels += len(one["groups"])
        most_weights = max(most_weights, one["weights"]["bytes"])
        most_memory = max(most_memory, one_memory)
        all_seconds += one_seconds
    further = sum(panels["bytes"] for panels in whole.get("further_panels", []))
    weights = whole["weights"]["bytes"]
    print(f"entries: {number + 1}, each with the kernels of its own build")
    print(f"weights: {weights} bytes, {most_weights} of the largest entry, {further} listed")
    assert weights - further <= 1.05 * most_weights
    print(f"kernels: {len(known)}, of {all_kernels} in all, {len(distinct)} distinct")
    assert len(known) <= 1.1 * len(distinct)
    print(f"memory: {memory >> 20} MB, {most_memory >> 20} MB of one entry")
    assert memory <= most_memory + (300 << 20)
    for _ in range(2):
        if seconds <= 1.1 * all_seconds + 1:
            break
        seconds, _ = compile_whole()
        all_seconds = sum(compile_to(*entry)[0] for entry in entries)
    print(f"time: {seconds:.1f} s, {all_seconds:.1f} s of all apart")
    assert seconds <= 1.1 * all_seconds + 1


if __name__ == "__main__":
    main(*sys.argv[1:])
