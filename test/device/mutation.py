#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes barriers, guards, releases, fills and orders away from kernels of GPUs: the
simulator reports each, or harmless.json says why that changes nothing.

  .venv/bin/python test/device/mutation.py                the models of SAMPLE, as in the suite
  .venv/bin/python test/device/mutation.py --all          each kernel of the end-to-end
                                                          models once, as tools/test.sh --soak
  .venv/bin/python test/device/mutation.py --all --only softmax   those whose name matches
  .venv/bin/python test/device/mutation.py --nothing-is-harmless

A mutant runs in its model: the other kernels are as they were, each operand of its own
lies in an allocation of its own, and two writes of one value race, too. It is reported if
there is a finding or another result, forwards or in reverse: to the bit, but where blocks
add to a sum in either order, beyond what a sum is held to. Works in <build>/mutants;
exit code 1 if a mutant went unnoticed, if a model has findings as it is, or, with --all,
if a line of harmless.json was of no use.
"""
import collections
import json
import multiprocessing.pool
import pathlib
import re
import shutil
import sys

import kernels
import mutants

import batch  # noqa: E402  (kernels.py says where it is)

HERE = pathlib.Path(__file__).resolve().parent
HARMLESS = HERE / "harmless.json"
# Block and warp reductions, shared tiles and stages of them, tickets, copies and fills
# between launches.
SAMPLE = ("mlp", "conv_3x3", "matmul_blocks_of_k", "parts_mean", "attention_masked",
          "columns_in_parts", "loop_nested")
SHARED = re.compile(r"\b__shared__\b|\b(Block|Column)Reduction<")


class Outcome:
    """What became of one mutant: `told` by the simulator, `excuse` of harmless.json."""

    def __init__(self, model, kernel, kind, what, told, excuse=None):
        self.kernel, self.kind, self.told, self.excuse = kernel, kind, told, excuse
        self.name = f"{model}: {what}"

    def is_bad(self):
        return not self.told and self.excuse is None


class Subject:
    """A model of which some kernels are changed: the first with their keys."""

    def __init__(self, case, work, programs, known):
        self.name, self.folder, self.programs = case.name, work / case.name, programs
        self.known = known
        source = kernels.compile_model(programs, kernels.write_model(case, self.folder),
                                       self.folder / "src", case.options)
        self.kernels = []
        for kernel in kernels.read_kernels(source):
            if kernel.key not in known and mutants.has_any(kernel.text):
                known.add(kernel.key)
                self.kernels.append(kernel)
        self.steps = bool(self.kernels)

    def run(self, excuses):
        """The outcomes of all its mutants."""
        self.outcomes, self.excuses = [], excuses
        with kernels.Simulator(self.programs, self.folder) as simulator:
            self.simulator = simulator
            if told := kernels.verdict(simulator.plain):
                raise batch.Failure(f"{told} as it is: {simulator.plain}")
            self.leave_out_idle()
            self.run_kernels()
            self.run_prelude()
            self.run_steps()
        shutil.rmtree(self.folder)
        return self.outcomes

    def leave_out_idle(self):
        """Kernels of branches that the inputs do not take: another model may run them."""
        launched = self.simulator.plain.get("counts", {})
        idle = {kernel.key for kernel in self.kernels if kernel.symbol not in launched}
        self.known -= idle
        self.kernels = [kernel for kernel in self.kernels if kernel.key not in idle]

    def judge(self, kernel, mutant, source, symbol, function=""):
        answer = self.simulator.ask(**{"from": source}, kernels={kernel.symbol: symbol},
                                    operands={kernel.symbol: kernel.count_bytes()})
        told = kernels.verdict(answer)
        excuse = None if told else self.excuses.find(mutant.kind, function, mutant, kernel)
        place = f"{function}, called by {kernel.symbol}" if function else \
            f"{kernel.symbol}, line {mutant.line}"
        self.outcomes.append(Outcome(self.name, kernel, mutant.kind,
                                     f"{place}: {mutant.what}", told, excuse))

    def run_kernels(self):
        made = [(kernel, f"{kernel.symbol}_{number}", mutant) for kernel in self.kernels
                for number, mutant in enumerate(mutants.mutants_of(kernel.text))]
        source = kernels.write_source(
            self.folder / "kernels.cu",
            [(kernel, kernel.renamed(symbol, mutant.text)) for kernel, symbol, mutant in made])
        for kernel, symbol, mutant in made:
            self.judge(kernel, mutant, kernels.made_of(source), symbol)

    def run_prelude(self):
        for number, (file, function, mutant) in enumerate(mutants.mutants_of_prelude()):
            callers = [kernel for kernel in self.kernels
                       if re.search(mutants.CALLS[function], kernel.text)]
            if not callers:
                continue
            folder = self.folder / f"prelude_{number}"
            header = folder / file
            header.parent.mkdir(parents=True)
            header.write_text(mutant.text)
            source = kernels.write_source(folder / "kernels.cu",
                                          [(kernel, kernel.text) for kernel in callers])
            for kernel in callers:
                self.judge(kernel, mutant, kernels.made_of(source, folder), kernel.symbol,
                           function)

    def run_steps(self):
        """What the host program does on the device: each step on a stream that nothing
        orders, and without each fill."""
        if not self.steps:
            return
        for number, step in enumerate(self.simulator.plain["steps"]):
            # Backwards, other steps have these numbers.
            ways = [("order", {"unorder": number, "forward": True})]
            if step == "fill":
                ways.append(("fill", {"drop": number, "forward": True}))
            for kind, request in ways:
                told = kernels.verdict(self.simulator.ask(**request))
                excuse = None if told else self.excuses.find_step(kind, self.name)
                self.outcomes.append(Outcome(self.name, None, kind,
                                             f"step {number}, {step}", told, excuse))


class Excuses:
    """harmless.json: mutants that go unnoticed because they change nothing."""

    def __init__(self, lines):
        self.lines, self.used = lines, collections.Counter()

    def take(self, number):
        self.used[number] += 1
        return self.lines[number]["why"]

    def find(self, kind, function, mutant, kernel):
        for number, line in enumerate(self.lines):
            if line["kind"] == kind and line.get("function", "") == function and \
                    re.search(line.get("kernel", ""), kernel.text) and \
                    re.fullmatch(line.get("what", ".*"), mutant.what) and \
                    re.search(line.get("body", ""), mutants.guarded(mutant)) and \
                    (not line.get("own_registers") or
                     mutants.guards_own_registers(kernel.text, mutant)):
                return self.take(number)
        return None

    def find_step(self, kind, model):
        for number, line in enumerate(self.lines):
            if line["kind"] == kind and re.fullmatch(line["model"], model):
                return self.take(number)
        return None

    def unused(self):
        return [line for number, line in enumerate(self.lines) if not self.used[number]]


def run_all(cases, work, programs, jobs, excuses):
    """(outcomes, model -> why it did not run)."""
    shutil.rmtree(work, ignore_errors=True)
    known, outcomes, failures = set(), [], {}

    def run(case):
        try:
            return case.name, Subject(case, work, programs, known).run(excuses)
        except batch.Failure as failure:
            return case.name, str(failure)

    with multiprocessing.pool.ThreadPool(jobs) as pool:
        for name, result in pool.imap_unordered(run, cases):
            if isinstance(result, str):
                failures[name] = result
            else:
                outcomes += result
    return outcomes, failures


def tell(outcomes, failures, unused):
    """What happened; the results of the tests."""
    results = [{"name": outcome.name, "outcome": "failed" if outcome.is_bad() else "passed",
                "reason": f"{outcome.kind}: nothing was reported" if outcome.is_bad() else ""}
               for outcome in outcomes]
    results += [{"name": name, "outcome": "failed", "reason": text}
                for name, text in failures.items()]
    results += [{"name": f"{HARMLESS.name}: {line['why']}", "outcome": "failed",
                 "reason": f"of no use: {line}; take it out"} for line in unused]
    for result in results:
        if result["outcome"] == "failed":
            print(f"FAILED {result['name']}: {result['reason']}")
    for kind in sorted({outcome.kind for outcome in outcomes}):
        told = collections.Counter(
            outcome.told or ("harmless" if outcome.excuse else "unnoticed")
            for outcome in outcomes if outcome.kind == kind)
        print(f"  {kind}: " + ", ".join(f"{count} {what}" for what, count in told.most_common()))
    changed = {outcome.kernel.key: outcome.kernel for outcome in outcomes if outcome.kernel}
    shared = sum(bool(SHARED.search(kernel.text)) for kernel in changed.values())
    print(f"{len(outcomes)} mutants, of {len(changed)} kernels, {shared} with shared memory: "
          f"{sum(bool(o.told) for o in outcomes)} reported, "
          f"{sum(not o.told and not o.is_bad() for o in outcomes)} harmless, "
          f"{sum(o.is_bad() for o in outcomes)} unnoticed")
    return results


def main():
    parser = kernels.make_parser(__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--nothing-is-harmless", action="store_true",
                        help="as if harmless.json were empty")
    args = parser.parse_args()
    cases = kernels.select_cases(args.all, SAMPLE, args.only)
    excuses = Excuses([] if args.nothing_is_harmless else json.loads(HARMLESS.read_text()))
    outcomes, failures = run_all(cases, args.build / "mutants", args.build / "bin", args.jobs,
                                 excuses)
    results = tell(outcomes, failures,
                   excuses.unused() if args.all and args.only == "." else [])
    if args.json:
        args.json.write_text(json.dumps(results))
    return 1 if any(result["outcome"] == "failed" for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
