#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged schedules: --sched-verify refuses each, or its kernel computes what it should.

  .venv/bin/python test/schedules/run.py               schedules 0 to 49, as in the suite
  .venv/bin/python test/schedules/run.py --count 500   as tools/test.sh --full
  .venv/bin/python test/schedules/run.py --print 17    its text
  .venv/bin/python test/schedules/run.py --count 500 --refused
                     also runs what was refused, and says how many of those go wrong

A schedule follows from its number: that of one of the end-to-end models in GROUPS, as it
is before loops are made of it, damaged. Works in <build>/schedules. Exit code 1 if
--sched-verify accepted one whose kernel is wrong or that fusec cannot compile, if
anything crashed, or if fewer than a fifth was refused or accepted: then it shows nothing.
"""
import collections
import json
import multiprocessing.pool
import os
import pathlib
import re
import shutil
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "test/e2e"))

import tree  # noqa: E402
from mutate import mutate  # noqa: E402

import batch  # noqa: E402
import builder  # noqa: E402
import cases  # noqa: E402, F401  (registers the models)
import fuzzing  # noqa: E402
import project  # noqa: E402
from model import Test  # noqa: E402

GROUPS = ("softmax_axis_1", "layer_norm_op", "gemm_alpha_beta", "conv_3x3", "conv_grouped",
          "maxpool_overlapping", "argmax_axis_1", "attention_rows_13_37_16",
          "cumsum_columns", "reduce_rows_and_columns")
# The same models with blocks of a reduction, which none of this size gets by itself.
BLOCKED = {
    "gemm_alpha_beta": "cache<blocks = [2, 0], depth = 8>, "
                       "registers<tile = [6, 16], order = [1, 0]>, unit<lanes = 16>",
    "conv_3x3": "cache<blocks = [0, 2, 0, 0], depth = 2>, "
                "registers<tile = [1, 4, 1, 16], order = [0, 2, 3, 1]>, unit<lanes = 16>"}
STAGE = "sched-split-tails"
LEAST = 0.2


class Group:
    """A model with its schedule, and the inputs and outputs that its kernels get."""

    def __init__(self, name, work, programs, config=None):
        case = next(case for case in builder.all_cases() if case.name == name)
        self.name = f"{name}_blocked" if config else name
        self.test = Test(case, work / "groups" / self.name)
        command = [programs / "fusec", "compile", self.test.model]
        lock = ["--lock", self.lock(command, config)] if config else []
        self.text = batch.run_program([*command, *lock, f"--until={STAGE}"], batch.COMPILE_SECONDS)
        self.span = tree.find(self.text)
        self.tree = tree.read(self.text[slice(*self.span)])

    def lock(self, command, config):
        """A fusec.lock by which its group gets `config`."""
        file = self.test.folder / "fusec.lock"
        batch.run_program([*command, "-o", self.test.folder / "src", "--write-lock", file],
                          batch.COMPILE_SECONDS)
        file.write_text(re.sub(r"config=.*", f'config=#sched.config<"default", [{config}]>',
                               file.read_text()))
        return file

    def damaged(self, number):
        """(kinds of damage, the module's text)."""
        kinds, damaged = mutate(self.tree, number)
        begin, end = self.span
        return kinds, self.text[:begin] + tree.write(damaged) + self.text[end:]


def make_groups(work, programs):
    return [Group(name, work, programs) for name in GROUPS] \
        + [Group(name, work, programs, config) for name, config in BLOCKED.items()]


class Schedule:
    """A damaged schedule. `outcome` is refused, accepted or failed, `reason` why."""

    def __init__(self, number, groups, work):
        self.number, self.name = number, f"schedule_{number}"
        self.group = groups[number % len(groups)]
        self.kinds, text = self.group.damaged(number)
        self.folder = work / "schedules" / self.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.model = self.folder / f"{self.name}.mlir"
        self.model.write_text(text)
        for file in self.group.test.folder.glob("in_*.bin"):
            (self.folder / file.name).write_bytes(file.read_bytes())
        self.outcome, self.reason = "accepted", ""

    def fail(self, reason):
        self.outcome, self.reason = "failed", reason

    def verify(self, programs):
        done = subprocess.run([programs / "fusec-opt", self.model, "--sched-verify",
                               "-o", os.devnull], capture_output=True, text=True)
        if done.returncode == 1 and "error:" in done.stderr:
            self.outcome = "refused"
            self.reason = re.search(r"error: .*?'sched.scop' op (.*)", done.stderr)[1]
        elif done.returncode:
            self.fail(f"--sched-verify ends with {done.returncode}: {done.stderr[-300:]}")

    def compile(self, programs):
        """Whether there is a folder of sources."""
        done = subprocess.run([programs / "fusec", "compile", self.model, "-o",
                               self.folder / "src", "--runtime=installed", "--name", self.name],
                              capture_output=True, text=True, timeout=batch.COMPILE_SECONDS)
        if done.returncode not in (0, 2, 4):
            self.fail(f"fusec compile ends with {done.returncode}: {done.stderr[-300:]}")
        elif done.returncode and self.outcome == "accepted":
            self.outcome, self.reason = "refused", done.stderr.strip().splitlines()[0]
        return done.returncode == 0

    def run(self, built):
        """Why its outputs are not those of its model, or None."""
        try:
            for configuration in built.run(self.name, self.folder):
                # As the end-to-end tests judge the model's own kernels.
                judge = Test.__new__(Test)
                judge.__dict__ |= self.group.test.__dict__ | {"folder": self.folder}
                judge.check(configuration, built.taken[self.name])
        except batch.Failure as failure:
            return str(failure)
        return None


def tell(schedules, what):
    """How often each reason was given."""
    reasons = collections.Counter(re.sub(r"array \S+ is|'(local|copy)\w+'", "...", s.reason)
                                  for s in schedules)
    for reason, count in reasons.most_common():
        print(f"  {count} {what}: {reason}")


def run(numbers, build, jobs, refused_too):
    work, programs = build / "schedules", build / "bin"
    shutil.rmtree(work / "schedules", ignore_errors=True)
    groups = make_groups(work, programs)
    schedules = [Schedule(number, groups, work) for number in numbers]
    with multiprocessing.pool.ThreadPool(jobs) as pool:
        pool.map(lambda s: s.verify(programs), schedules, 1)
        todo = [s for s in schedules
                if s.outcome == "accepted" or refused_too and s.outcome == "refused"]
        compiled = [s for s, done in zip(todo, pool.map(
            lambda s: s.compile(programs), todo, 1)) if done]
        built = project.Shares(work, build, jobs, project.NO_OPTIMISATION)
        broken = built.build({s.name: s.folder / "src" for s in compiled})
        for s in compiled:
            if s.name in broken and s.outcome == "accepted":
                s.fail(f"C++: {broken[s.name]}")
        compiled = [s for s in compiled if s.name not in broken]
        wrong = dict(zip(compiled, pool.map(lambda s: s.run(built), compiled, 1)))
    for s, text in wrong.items():
        if text and s.outcome == "accepted":
            s.fail(f"accepted, but {text}")
    if refused_too:
        refused = [s for s in todo if s.outcome == "refused"]
        harmless = [s for s in refused if s in wrong and not wrong[s]]
        print(f"{len(refused)} were refused: {sum(bool(wrong.get(s)) for s in refused)} compute "
              f"something else, {len(harmless)} do not, the rest does not compile")
        tell(harmless, "harmless")
    return schedules


def main():
    parser = fuzzing.make_parser("schedule", __doc__, 50)
    parser.add_argument("--refused", action="store_true")
    args = parser.parse_args()
    build = args.build.resolve()
    if args.shown is not None:
        groups = make_groups(build / "schedules", build / "bin")
        print(groups[args.shown % len(groups)].damaged(args.shown)[1])
        return 0
    numbers = fuzzing.wanted_seeds("schedule", args)
    schedules = run(numbers, build, args.jobs, args.refused) if numbers else []
    count = collections.Counter(s.outcome for s in schedules)
    failed = [s for s in schedules if s.outcome == "failed"]
    for s in failed:
        print(f"FAILED schedule {s.number} ({s.group.name}: {', '.join(s.kinds)}): {s.reason}")
    tell([s for s in schedules if s.outcome == "refused"], "refused")
    print(f"{len(schedules)} damaged schedules of {len(GROUPS) + len(BLOCKED)} groups: {count['refused']} refused, "
          f"{count['accepted']} accepted and right, {count['failed']} wrong")
    results = [{"name": f"schedule {s.number}", "reason": s.reason if s in failed else "",
                "outcome": "failed" if s in failed else "passed"} for s in schedules]
    if len(schedules) >= 20 and min(count["refused"], count["accepted"]) < LEAST * len(schedules):
        failed.append(None)
        results.append({"name": "schedules", "outcome": "failed",
                        "reason": f"{dict(count)}: damage of this kind shows nothing"})
    if args.json:
        args.json.write_text(json.dumps(results))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
