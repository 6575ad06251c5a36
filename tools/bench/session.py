# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One run of the benchmark: builds for all workloads, then one workload after another."""
import concurrent.futures
import functools
import importlib.metadata
import importlib.util
import pathlib
import statistics
import sys

import build
import floors
import machine
import measure
from batch import Failure
from prepare import Prepared

# Peer -> the module that it needs, and the package that has its version.
PEERS = {"ort": ("onnxruntime", "onnxruntime"), "openvino": ("openvino", "openvino"),
         "iree": ("iree.compiler", "iree-base-compiler"), "torch": ("torch", "torch")}


# Those that round both factors of products of f32 to bf16 if they are told to.
ROUNDING = ("openvino",)


def is_installed(peer):
    try:
        return importlib.util.find_spec(PEERS[peer][0]) is not None
    except ModuleNotFoundError:  # of the package around the module
        return False


def peer_version(peer):
    return importlib.metadata.version(PEERS[peer][1])


def say(text):
    print(text, file=sys.stderr, flush=True)


class Session:
    """Options: fusec, compilers, peers, threads, rounds, seconds (of a turn), root (where
    files are kept)."""

    def __init__(self, options):
        self.options = options
        self.fusec = build.FusecBuild(options.fusec)
        self.probes = []

    def probe(self):
        """What the machine can do, the best of what was seen so far."""
        self.probes.append(machine.run_probe(self.options.root, self.options.compilers[0],
                                             self.options.threads))
        return machine.best_of(self.probes)

    def contenders(self, prepared):
        """Name -> (kind of worker, function that returns its task)."""
        found = {f"fusec {pathlib.Path(compiler).name}":
                 ("fusec", functools.partial(self.fusec.task, prepared, compiler))
                 for compiler in self.options.compilers}
        for peer in self.options.peers:
            if prepared.workload.kind == "bf16" and peer not in ROUNDING:
                continue
            task = dict
            if peer == "iree":
                task = functools.partial(build.iree_task, prepared, sys.executable,
                                         peer_version(peer))
            found[peer] = peer, task
        return found

    def build_all(self, workloads):
        """Prepared workloads, after whatever is compiled for them was: two at a time."""
        prepared = []
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = {}
            for number, workload in enumerate(workloads, 1):
                say(f"preparing {number} of {len(workloads)}: {workload.name}")
                one = Prepared(workload, self.options.root)
                prepared.append(one)
                jobs[pool.submit(self.fusec_builds, one)] = one
                if "iree" in self.contenders(one):
                    jobs[pool.submit(self.contenders(one)["iree"][1])] = one
            for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
                if number % 5 == 0 or number == len(jobs):
                    say(f"built {number} of {len(jobs)}")
                if not isinstance(job.exception(), (Failure, type(None))):
                    raise job.exception()
        return prepared

    def fusec_builds(self, prepared):
        for compiler in self.options.compilers:
            self.fusec.task(prepared, compiler)

    def start(self, prepared, name, kind, make_task):
        """A worker that has loaded the model, and what that took."""
        task = dict(build.model_task(prepared, self.options.threads), **make_task())
        worker = measure.Worker(sys.executable, name, kind)
        try:
            loaded = worker.call(load=task)
            wrong = measure.check_results(worker, prepared)
            if wrong:
                raise Failure(f"wrong: {wrong}")
            return worker, {"compile_s": task.get("build_seconds", 0) + loaded["seconds"],
                            "compile_mb": task.get("compile_mb"),
                            "memory_mb": worker.call(memory=True)["mb"]}
        except BaseException:
            worker.close()
            raise

    def measure(self, prepared, effort=1):
        """A row of the report; `effort` times as many rounds as usual."""
        workload, work = prepared.workload, prepared.work
        workers, results = {}, {}
        row = {"name": workload.name, "kind": workload.kind, "dims": workload.dims,
               "flops": work.flops, "bytes": work.bytes, "exps": work.exps,
               "load": machine.load_average()}
        try:
            for name, (kind, make_task) in self.contenders(prepared).items():
                try:
                    workers[name], results[name] = self.start(prepared, name, kind, make_task)
                except Failure as failure:
                    results[name] = {"failure": str(failure)}
            least = 3 if workload.kind == "model" else 5
            rounds, dropped = [], 0
            if workers:
                count = self.options.rounds * effort
                rounds, dropped = measure.take_rounds(workers, count, self.options.seconds,
                                                      least, count)
        finally:
            for worker in workers.values():
                worker.close()
        return dict(row, **summarise(rounds, results, self.probe(), prepared), dropped=dropped)


def summarise(rounds, results, probe, prepared):
    """What a row says of the rounds: ours is the slower of the host compilers."""
    timed = [name for name in results if "failure" not in results[name]]
    for name in timed:
        results[name]["ms"] = measure.median_of(rounds, name)
        results[name]["min_ms"] = min(turns[name]["min_ms"] for turns in rounds)
    ours = [name for name in timed if measure.is_ours(name)]
    peers = [name for name in timed if not measure.is_ours(name)]
    row = {"results": results, "rounds": len(rounds), "best_peer": None, "ratio": None,
           "ours": max(ours, key=lambda name: results[name]["ms"], default=None),
           **{what: statistics.mean([measure.share(turns, what) for turns in rounds] or [0])
              for what in ("stolen", "others")},
           "ratios": {name: {peer: measure.ratio_of(rounds, name, peer) for peer in peers}
                      for name in ours}}
    failures = [f"{name}: {result['failure']}" for name, result in results.items()
                if measure.is_ours(name) and "failure" in result]
    row["failure"] = "; ".join(failures) or None
    if ours:
        row["floor_ms"], row["bound"] = floors.floor(prepared.work, probe, prepared.workload.kind)
        row["fraction"] = row["floor_ms"] / results[row["ours"]]["ms"]
    if ours and peers:
        row["best_peer"] = min(peers, key=lambda name: results[name]["ms"])
        row["ratio"] = min(row["ratios"][name][row["best_peer"]] for name in ours)
    return row
