#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles generated ONNX models with fusec, runs them, and compares with ONNX Runtime.

  .venv/bin/python test/e2e/run.py                    all of them
  .venv/bin/python test/e2e/run.py --only 'softmax'   those whose name matches
  .venv/bin/python test/e2e/run.py --list             the names

Each model that is not to be refused is five tests: NAME (compiled and run), NAME@ref
(interpreted by fusec-ref), NAME@groups (not more fusion groups than
test/e2e/group-counts.json says; --update-group-counts writes that file), NAME@serial
(large groups that one thread runs are those of test/e2e/serial-groups.json, for the
reasons there; --update-serial-groups writes that file), and NAME@unrolled (what the
unrolled loops of a kernel become is within its budget).
Some models are also held to the properties in properties.py. --sample N takes a part of
the models: those of the properties, and one of N of the rest, so that each kind of case
is there. --lean is for builds with sanitizers, which see nothing more where it does
less: what was emitted is compiled without much optimisation (which the suite tests), for
this machine's instruction set (the vocabulary's unit tests go through all), runs three
times in place of ten, and there are no properties (lit goes through the text of all stages, and test/mutation damages files).
--programs FOLDER takes fusec from there, and tests only how what it emitted compiles
and runs: for the thread sanitizer, which the packaged LLVM does not support.
--cpu ROW compiles for another row of targets, in <build>/e2e-ROW.
--like BUILD adds NAME@like: the sources are those that a run in that build, which
another compiler built, left there.
--device compiles for GPUs instead and runs in the simulator, both orders of its blocks
and warps, in <build>/e2e-device (device.py).
Works in <build>/e2e: per model its .onnx, inputs, outputs and emitted sources (src/).
Exit code 1 if any test failed.
"""
import argparse
import json
import os
import pathlib
import re
import sys

import batch
import builder
import cases  # noqa: F401  (registers the models)
import device
import project
import properties
import structure
import unrolled
from model import Test
from runner import Runner

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def sample(selected, each):
    """A part of the cases: what the properties need, and one of `each` of the rest."""
    return [case for i, case in enumerate(selected)
            if case.name in properties.MODELS or i % each == 0]


def test_compiler(tests, refused, programs, runner, args):
    """fusec and fusec-ref without a C++ compiler; returns the tests that compiled."""
    def interpret(test):
        batch.interpret(programs / "fusec-ref", test)
        test.check("ref")

    runner.stage("refusals", lambda test: batch.expect_refusal(
        programs / "fusec", test, *test.case.refusal), refused)
    runner.stage("fusec-ref", interpret, tests, "@ref")
    compiled = compile_all(tests, programs, runner, args.cpu)
    counts = structure.read_counts()
    runner.stage("groups", lambda test: structure.check_groups(test, counts), compiled,
                 "@groups")
    runner.stage("unrolled loops", lambda test: unrolled.check_unrolled(
        test.folder / "src"), compiled, "@unrolled")
    listed = json.loads(structure.SERIAL.read_text())
    if args.cpu == batch.CPUS[0] and not args.update_serial_groups:
        runner.stage("threads", lambda test: structure.check_serial(
            structure.find_serial(test.folder / "src"), listed, test.name), compiled,
            "@serial")
    runner.results |= structure.check_same_kernels(programs / "fusec", compiled)
    if args.like:
        runner.stage("like", lambda test: properties.same_as(
            args.like / "e2e" / test.name, test), compiled, "@like")
    return compiled


def compile_all(tests, programs, runner, cpu):
    return runner.stage("fusec compile", lambda test: batch.compile_model(
        programs / "fusec", test, cpu), tests)


def build_and_run(compiled, build, work, runner, args):
    """The emitted folders: that they compile, and compute what they should."""
    flags = project.NO_OPTIMISATION if args.lean else project.AS_EMITTED
    built = project.Shares(work, build, args.jobs, flags)
    broken = built.build({test.name: test.folder / "src" for test in compiled},
                         () if args.lean else properties.MODELS)
    runner.results |= {name: f"C++: {text}" for name, text in broken.items()}
    runner.show("C++ build", len(compiled), len(compiled))

    def run(test):
        runs = 3 if args.lean else test.case.runs  # unoptimised, they are slow
        if not test.case.reproducible:
            runs = 1
        for configuration in built.run(test.name, test.folder, runs):
            test.check(configuration, built.taken[test.name])

    runner.stage("run", run, [test for test in compiled if test.name not in broken])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER",
                        help="not <build>/bin, and not under test")
    parser.add_argument("--only", default=".", help="a regular expression")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--lean", action="store_true")
    parser.add_argument("--cpu", choices=batch.CPUS, default=batch.CPUS[0])
    parser.add_argument("--like", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--update-host-calls", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--update-group-counts", action="store_true")
    parser.add_argument("--update-serial-groups", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()

    selected = [c for c in builder.all_cases() if re.search(args.only, c.name)]
    if args.sample:
        selected = sample(selected, args.sample)
    if args.device:
        selected = [case for case in selected if not case.refusal]
    if args.list:
        print("\n".join(case.name for case in selected))
        return 0
    build = args.build.resolve()
    runner = Runner(args.jobs)
    work = build / ("e2e-device" if args.device else
                    "e2e" if args.cpu == batch.CPUS[0] else f"e2e-{args.cpu}")
    tests = [Test(case, work / case.name) for case in selected]
    refused = [test for test in tests if test.case.refusal]
    tests = [test for test in tests if not test.case.refusal]
    if args.device:
        device.run_device(tests, build / "bin" / "fusec", runner, args.update_host_calls)
        return finish(runner, args)
    if args.programs:
        compiled = compile_all(tests, args.programs.resolve(), runner, args.cpu)
        build_and_run(compiled, build, work, runner, args)
    else:
        compiled = test_compiler(tests, refused, build / "bin", runner, args)
        build_and_run(compiled, build, work, runner, args)
        if not args.lean:
            properties.run_properties(runner, build / "bin" / "fusec", compiled)
    if args.update_serial_groups:
        structure.update_serial(
            structure.SERIAL, {test.name: structure.find_serial(test.folder / "src")
                               for test in compiled},
            {case.name for case in builder.all_cases()})
    if args.update_group_counts:
        structure.update_counts(compiled, {case.name for case in builder.all_cases()})

    return finish(runner, args)


def finish(runner, args):
    """What failed, and whether anything did."""
    failures = {name: text for name, text in sorted(runner.results.items()) if text}
    for name, text in failures.items():
        print(f"FAILED {name}: {text}")
    if args.json:
        args.json.write_text(json.dumps([
            {"name": name, "reason": text or "", "outcome": "failed" if text else "passed"}
            for name, text in runner.results.items()]))
    print(f"{len(runner.results) - len(failures)} of {len(runner.results)} are right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
