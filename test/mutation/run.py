#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and compiles corrupted models: no crash, no hang, no half-written folder.

  .venv/bin/python test/mutation/run.py                       models 0 to 399, as in the suite
  .venv/bin/python test/mutation/run.py --first 400 --count 9 others
  .venv/bin/python test/mutation/run.py --show 17             writes build/mutation/17.onnx

A model follows from its number alone. Those that fail stay in <build>/mutation/failed,
with what was said about them. Exit code 1 if any failed, or if fewer than a fifth got past
the protobuf parser: then the test shows nothing.
"""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import threading

from corpus import small_models
from mutate import gets_past_parser, mutate

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# fusec's exit codes for input that is not its own fault: fine, unsupported, bad input.
EXPECTED = {"0", "2", "4"}
LEAST_PAST_PARSER = 0.2
BATCH = 100
Verdict = collections.namedtuple("Verdict", "number exit seconds reason past_parser")


def complaint(exit_code, folder, messages):
    """What is wrong with the end of one compilation, or None."""
    beside = [path.name for path in folder.parent.glob(f"{folder.name}.*")
              if path.suffix != ".txt"]
    if beside:
        return f"left {', '.join(beside)}"
    if exit_code == "hang":
        return "hangs"
    if exit_code not in EXPECTED:
        return f"ends with {exit_code}: {messages[-500:]}"
    if exit_code != "0":
        if folder.exists():
            return "failed and left a folder"
        return None if messages.strip() else f"exit code {exit_code} without a message"
    manifest = folder / "model.json"
    if not manifest.exists():
        return "succeeded without a folder"
    listed = json.loads(manifest.read_text())["emitted_files"]
    missing = [name for name in listed if not (folder / name).exists()]
    return f"the folder lacks {', '.join(missing)}" if missing else None


class Worker(threading.Thread):
    """Takes batches until there is none."""

    def __init__(self, run, place):
        super().__init__()
        self.run_of_all, self.place = run, place

    def run(self):
        while (numbers := self.run_of_all.next_batch()) is not None:
            self.run_batch(numbers)

    def run_batch(self, numbers):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        past, lines = {}, []
        for number in numbers:
            _, data = mutate(self.run_of_all.models, number)
            past[number] = gets_past_parser(data)
            base = self.place / str(number)
            base.with_suffix(".onnx").write_bytes(data)
            lines.append(f"{base}.onnx\t{base}.out\t{base}.txt\n")
        done = subprocess.run([self.run_of_all.program, str(self.run_of_all.seconds)],
                              input="".join(lines), capture_output=True, text=True)
        answers = [line.split("\t") for line in done.stdout.splitlines()]
        for path, exit_code, seconds in answers:
            base = pathlib.Path(path).with_suffix("")
            messages = base.with_suffix(".txt")
            text = messages.read_text(errors="replace") if messages.exists() else ""
            reason = complaint(exit_code, base.with_suffix(".out"), text)
            number = int(base.name)
            if reason:
                self.run_of_all.keep(base, reason)
            self.run_of_all.verdicts.append(Verdict(number, exit_code, float(seconds), reason,
                                                    past[number]))
            shutil.rmtree(base.with_suffix(".out"), ignore_errors=True)
        for number in numbers[len(answers):]:
            reason = f"{self.run_of_all.program} ended with {done.returncode}"
            self.run_of_all.verdicts.append(Verdict(number, "none", 0, reason, False))


class Run:
    def __init__(self, args):
        self.models = small_models(args.every)
        self.program = args.build / "bin" / "fusec-survive"
        self.seconds, self.place = args.seconds, args.build / "mutation"
        self.failed = self.place / "failed"
        shutil.rmtree(self.failed, ignore_errors=True)
        end = args.first + args.count
        self.batches = [range(begin, min(begin + BATCH, end))
                        for begin in range(args.first, end, BATCH)][::-1]
        self.verdicts, self.lock = [], threading.Lock()

    def next_batch(self):
        with self.lock:
            return self.batches.pop() if self.batches else None

    def keep(self, base, reason):
        self.failed.mkdir(parents=True, exist_ok=True)
        shutil.copy(base.with_suffix(".onnx"), self.failed)
        (self.failed / f"{base.name}.txt").write_text(reason)

    def run(self, jobs):
        workers = [Worker(self, self.place / f"worker{i}") for i in range(jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


def summarise(verdicts):
    exits = collections.Counter(verdict.exit for verdict in verdicts)
    past = sum(verdict.past_parser for verdict in verdicts)
    crashes = sum(count for code, count in exits.items()
                  if code not in EXPECTED | {"hang"})
    folders = sum("left" in verdict.reason or "folder" in verdict.reason
                  for verdict in verdicts if verdict.reason)
    slowest = max(verdicts, key=lambda verdict: verdict.seconds)
    print(f"{len(verdicts)} corrupted models, {past} past the protobuf parser: "
          f"{exits['0']} compiled, {exits['2']} unsupported, {exits['4']} refused; "
          f"{crashes} crashes, {exits['hang']} hangs, {folders} half-written folders; the "
          f"slowest ({slowest.number}) took {slowest.seconds:.1f} CPU seconds")
    return past


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--every", type=int, default=1, help="of the end-to-end models")
    parser.add_argument("--seconds", type=int, default=10, help="CPU time until it hangs")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, help="write this model and stop")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    args = parser.parse_args()
    args.build = args.build.resolve()
    if args.show is not None:
        name, data = mutate(small_models(args.every), args.show)
        path = args.build / "mutation" / f"{args.show}.onnx"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        print(f"{path}, made of {name}")
        return 0
    run = Run(args)
    run.run(args.jobs)
    failures = sorted(verdict for verdict in run.verdicts if verdict.reason)
    for verdict in failures:
        print(f"FAILED model {verdict.number}: {verdict.reason}")
    past = summarise(run.verdicts)
    results = {f"model {verdict.number}": verdict.reason for verdict in failures}
    results["enough models get past the parser"] = (
        f"{past} of {len(run.verdicts)}" if past < LEAST_PAST_PARSER * args.count else "")
    results["all models were compiled"] = (
        "" if len(run.verdicts) == args.count else f"{len(run.verdicts)} of {args.count}")
    if args.json:
        args.json.write_text(json.dumps([
            {"name": f"mutation: {name}", "reason": reason or "",
             "outcome": "failed" if reason else "passed"}
            for name, reason in results.items()]))
    return 1 if any(results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
