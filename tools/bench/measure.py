# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times contenders in turns.

Each contender is a process of its own (worker.py). While one has its turn the others are
stopped, so that no thread of theirs spins, and nothing of them is in its way but what
they have left in caches. A turn is a warm-up and then some runs, of which the median
counts; a round is a turn for each, in an order that rotates. Ratios are those of one
round, and their median over the rounds is what is reported."""
import json
import os
import pathlib
import select
import signal
import statistics
import subprocess
import tempfile
import time

from batch import Failure
from machine import Usage, cpu_seconds

HERE = pathlib.Path(__file__).resolve().parent
ANSWER_SECONDS = 600
# Of a round's time on all CPUs: what the hypervisor and other programs may have taken.
MAY_BE_STOLEN, MAY_BE_OTHERS = 0.01, 0.1
# After the first round who takes so many times as long as the best has no more turns:
# nothing would depend on them.
HOPELESS = 4


class Worker:
    """A contender's process, stopped except during a call."""

    def __init__(self, python, name, kind):
        self.name = name
        # For PyTorch: threads that spin, and no pool of compilers that would outlive a call.
        environment = dict(os.environ, OMP_WAIT_POLICY="active", TORCHINDUCTOR_COMPILE_THREADS="1")
        self.process = subprocess.Popen(
            [python, HERE / "worker.py", kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=environment)
        self.receive()
        self.process.send_signal(signal.SIGSTOP)

    def receive(self):
        ready, _, _ = select.select([self.process.stdout], [], [], ANSWER_SECONDS)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            why = "died" if ready else f"gave no answer in {ANSWER_SECONDS} s"
            raise Failure(f"{self.name} {why}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(answer["error"])
        return answer

    def call(self, **command):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        try:
            return self.receive()
        finally:
            self.process.send_signal(signal.SIGSTOP)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def take_turn(worker, seconds, least):
    """A turn's answer, with "stolen", the hypervisor's share of the time, and "others",
    that of other processes, both of all CPUs."""
    usage, own, begin = Usage.now(), cpu_seconds(worker.process.pid), time.perf_counter()
    answer = worker.call(time=seconds, least=least)
    capacity = (time.perf_counter() - begin) * os.cpu_count()
    now = Usage.now()
    busy = now.busy - usage.busy - (cpu_seconds(worker.process.pid) - own)
    return dict(answer, stolen=(now.stolen - usage.stolen) / capacity,
                others=max(0.0, busy / capacity))


def take_rounds(workers, rounds, seconds, least, more_rounds):
    """Rounds, {name: turn}, and how many more were dropped. Up to `more_rounds` may make
    up for disturbed ones; where there are not enough that were left alone, those that
    were disturbed least are taken."""
    taken, names, hopeless = [], list(workers), {}
    while sum(map(was_left_alone, taken)) < rounds and len(taken) < rounds + more_rounds:
        first = len(taken) % len(names)
        order = names[first:] + names[:first]
        turns = {name: take_turn(workers[name], seconds, least) for name in order}
        if not taken:
            best = min(turn["median_ms"] for turn in turns.values())
            hopeless = {name: turn for name, turn in turns.items() if not is_ours(name)
                        and turn["median_ms"] > HOPELESS * best}
            names = [name for name in names if name not in hopeless]
        taken.append(hopeless | turns)
    taken.sort(key=disturbance)  # is stable: of rounds alike the first
    return taken[:rounds], max(0, len(taken) - rounds)


def share(turns, what):
    """Of a round as a whole: the kernel counts in steps of 10 ms."""
    return statistics.mean(turn[what] for turn in turns.values())


def was_left_alone(turns):
    return share(turns, "stolen") <= MAY_BE_STOLEN and share(turns, "others") <= MAY_BE_OTHERS


def disturbance(turns):
    return 0 if was_left_alone(turns) else share(turns, "stolen") + share(turns, "others")


def is_ours(name):
    return name.startswith("fusec")


def check_results(worker, prepared):
    """What is wrong with a worker's results, or None."""
    with tempfile.TemporaryDirectory() as folder:
        worker.call(save=folder)
        return prepared.difference(pathlib.Path(folder))


def median_of(rounds, name, what="median_ms"):
    return statistics.median(turns[name][what] for turns in rounds)


def ratio_of(rounds, ours, peer):
    """How many times as fast as a peer we are: above 1 is faster."""
    return statistics.median(turns[peer]["median_ms"] / turns[ours]["median_ms"]
                             for turns in rounds)
