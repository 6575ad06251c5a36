# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""worker.py CONTENDER: a process in which one contender runs one model.

Reads commands from stdin and answers on stdout, one JSON object a line:
  {"load": {...}}                 what contenders.py wants to know of the model; answers
                                  with the CPU seconds that it took
  {"save": FOLDER}                runs once, writes out_<i>.npy
  {"time": SECONDS, "least": N}   warms up, then times runs for that long, N at least:
                                  the median and the minimum in ms, and their number
  {"memory": true}                the peak of resident memory since before the load, in MB
An answer with "error" says what failed. A contender of its own process has threads and
memory of its own; measure.py stops it (SIGSTOP) while another one has its turn.
"""
import gc
import json
import os
import pathlib
import re
import statistics
import sys
import time

import numpy as np

import contenders


def resident(field):
    """VmHWM (the peak) or VmRSS of this process in MB."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB", status, re.M).group(1)) / 1e3


def timed_runs(run, seconds, least):
    clock = time.perf_counter
    begin = clock()
    run()  # wakes threads, fills caches
    while clock() - begin < min(0.02, seconds):
        run()
    times, end = [], clock() + seconds
    while len(times) < least or clock() < end:
        begin = clock()
        run()
        times.append(clock() - begin)
    return {"median_ms": statistics.median(times) * 1e3, "min_ms": min(times) * 1e3,
            "runs": len(times)}


class Worker:
    def __init__(self, name):
        self.kind = contenders.KINDS[name]
        self.kind.prepare()  # imports: not the model's memory, nor its time
        self.before = resident("VmRSS")
        self.contender = None

    def answer(self, command):
        if "load" in command:
            begin = sum(os.times()[:4])  # with the compilers that it may run
            self.contender = self.kind(command["load"])
            return {"seconds": sum(os.times()[:4]) - begin, "version": self.kind.version()}
        if "save" in command:
            self.contender.run()
            for i, array in enumerate(self.contender.results()):
                np.save(pathlib.Path(command["save"]) / f"out_{i}.npy", array)
            return {}
        if "time" in command:
            return timed_runs(self.contender.run, command["time"], command["least"])
        return {"mb": resident("VmHWM") - self.before}


def main():
    # What a library prints must not pass for an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        worker = Worker(sys.argv[1])
        first = {}
    except Exception as error:  # noqa: BLE001  whatever a library raises
        first = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(first), file=answers, flush=True)
    gc.disable()
    for line in sys.stdin:
        try:
            answer = worker.answer(json.loads(line))
        except Exception as error:  # noqa: BLE001
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
