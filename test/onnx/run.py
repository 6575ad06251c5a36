#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the models of ONNX's own tests, runs them, and compares with the outputs
that come with them.

  .venv/bin/python test/onnx/run.py                 all of libonnx-testdata, and light/
  .venv/bin/python test/onnx/run.py --only softmax  those whose name matches
  .venv/bin/python test/onnx/run.py --sample 2      one of 2
  .venv/bin/python test/onnx/run.py --update        rewrites table.txt and unsupported.txt
  .venv/bin/python test/onnx/run.py --newest        the tests of PyPI's onnx instead
  .venv/bin/python test/onnx/run.py --like BUILD    the sources are those that a run in that
                                                    build left, which another compiler
                                                    built; they are not run again

Each test is one of
  passed       all outputs are right
  bound        the same, with inputs that fix shapes bound to their test values
  unsupported  `fusec check` says why not
  wrong        an output or, with --like, a source differs, or a valid model is called invalid
  crashed      anything else: fusec, the C++ compiler or the program failed
Of all tests the counts per operator must be those in table.txt, and the reasons those in
unsupported.txt (with --newest, newest-table.txt and newest-unsupported.txt). Exit code 1
otherwise, or if anything is wrong or crashed. Works in <build>/onnx.
"""
import argparse
import collections
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path.insert(0, str(REPOSITORY / "test" / "e2e"))

import batch  # noqa: E402
import models  # noqa: E402
import oracle  # noqa: E402
import project  # noqa: E402
import properties  # noqa: E402
import table  # noqa: E402
from runner import Runner  # noqa: E402

SPDX = "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
UNSUPPORTED, BAD_INPUT = 2, 4  # exit codes of fusec


class Outcome(Exception):
    """A test is not right: (outcome, reason)."""


class Test:
    def __init__(self, number, name, model, work):
        self.name, self.model = name, model
        self.folder, self.source = work / name, work / name / "src"
        # Identifiers are cut when long, and must differ.
        self.title = f"m{number}_{name.removeprefix('test_')}"
        self.bound = []
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def options(self):
        first = self.model.sets[0]
        options = self.model.shape_options(first)
        for name in self.bound:
            options += ["--bind", f"{name}={self.model.tensor_file(first, 'input', name)}"]
        return options

    def compile(self, program):
        """Compiles; binds the inputs that must be known for it, as `check` says."""
        while True:
            command = [program, "compile", self.model.path, "--sched-verify", "-o", self.source,
                       "--name", self.title, "--runtime=installed", *self.options()]
            code, text = run(command, batch.COMPILE_SECONDS)
            if code == 0:
                return
            if code not in (UNSUPPORTED, BAD_INPUT):
                raise Outcome("crashed", f"fusec compile: exit code {code}: {text}")
            problems = self.problems(program)
            wanted = {name for problem in problems for name in problem["bind"]}
            wanted -= set(self.bound)
            if not wanted:
                raise Outcome("unsupported" if code == UNSUPPORTED else "wrong",
                              reason_of(problems) or text)
            self.bound += sorted(wanted)

    def problems(self, program):
        done = subprocess.run([program, "check", self.model.path, "--json", *self.options()],
                              capture_output=True, text=True)
        return json.loads(done.stdout)["problems"]

    def compare(self, like):
        """`like` holds what the same test left in another build."""
        folders = [properties.read_folder(folder)
                   for folder in (like / self.name / "src", self.source)]
        for files in folders if self.model.light else ():  # `run` removes them
            files.pop("weights.bin", None)
        try:
            properties.require_equal(*folders, "the compiler that built fusec")
        except batch.Failure as failure:
            raise Outcome("wrong", str(failure)) from None

    def run(self, built):
        try:
            self.run_sets(built)
        finally:
            if self.model.light:  # up to half a gigabyte
                (self.source / "weights.bin").unlink()

    def run_sets(self, built):
        inputs = models.read_emitted(self.source, "inputs")
        # Where inputs are bound, only the data set that they come from fits.
        for data_set in self.model.sets[:1] if self.bound else self.model.sets:
            place = self.folder / data_set.name
            place.mkdir(exist_ok=True)
            for i, emitted in enumerate(inputs):
                array = self.model.tensor(data_set, "input", emitted.name)
                if array.shape != emitted.shape:
                    raise Outcome("wrong", f"input {emitted.name} is of {emitted.shape}, "
                                           f"the test's of {array.shape}")
                (place / f"in_{i}.bin").write_bytes(models.to_bytes(array))
            once = ["once"] if self.model.light else []
            self.check(data_set, place, built.run(self.name, place, *once),
                       built.taken[self.name])

    def check(self, data_set, place, configurations, compiler):
        for i, emitted in enumerate(models.read_emitted(self.source, "outputs")):
            expected = self.model.tensor(data_set, "output", emitted.name)
            kind = models.TYPE_NAMES[expected.dtype]
            if (emitted.dtype, emitted.shape) != (kind, expected.shape):
                raise Outcome("wrong", f"output {emitted.name} is {emitted.dtype}"
                                       f"{emitted.shape}, expected {kind}{expected.shape}")
            for configuration in configurations:
                actual = batch.decode((place / f"{configuration}_{i}.bin").read_bytes(),
                                      expected.dtype, expected.shape)
                if difference := oracle.compare(actual, expected, "network"):
                    raise Outcome("wrong", f"{configuration}, {compiler}: output "
                                           f"{emitted.name}: {difference}")


def run(command, seconds):
    """Exit code and messages."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return "none", f"still running after {seconds} s"
    return done.returncode, done.stderr.strip()[-500:]


def reason_of(problems):
    """The problems of a model on one line, each kind once."""
    texts = []
    for problem in problems:
        text = f"{problem['op']}: " if problem["op"] else ""
        text += " ".join(problem["reason"].split())
        if text not in texts:
            texts.append(text)
    return "; ".join(texts)


def run_all(tests, build, jobs, work, like):
    """name -> (outcome, reason)"""
    runner = Runner(jobs)
    results = {}
    # The largest first, so that no core waits for one at the end.
    tests = sorted(tests, key=lambda test: -test.model.path.stat().st_size)

    def stage(name, function, selected):
        def attempt(test):
            try:
                function(test)
            except Outcome as outcome:
                results[test.name] = outcome.args
                raise batch.Failure(outcome.args[1]) from None
            except batch.Failure as failure:
                results[test.name] = ("crashed", str(failure))
                raise
        return runner.stage(name, attempt, selected)

    def build_and_run(compiled):
        """Those that are right."""
        built = project.Shares(work, build, jobs, project.LITTLE_OPTIMISATION)
        broken = built.build({test.name: test.source for test in compiled})
        results.update({name: ("crashed", f"C++: {text}") for name, text in broken.items()})
        runner.show("C++ build", len(compiled), len(compiled))
        return stage("run", lambda test: test.run(built),
                     [test for test in compiled if test.name not in broken])

    compiled = stage("fusec compile", lambda test: test.compile(build / "bin" / "fusec"), tests)
    right = (stage("like", lambda test: test.compare(like), compiled) if like
             else build_and_run(compiled))
    results |= {test.name: ("bound" if test.bound else "passed", "") for test in right}
    for name, failure in runner.results.items():  # an error of the runner itself
        if failure and name not in results:
            results[name] = ("crashed", failure)
    return results


def compare_texts(path, text, update):
    """Whether the committed file says the same; else prints the difference."""
    text = SPDX + text
    old = path.read_text() if path.exists() else ""
    if update:
        path.write_text(text)
    elif old != text:
        print("".join(difflib.unified_diff(old.splitlines(True), text.splitlines(True),
                                           path.name, "now", n=0)))
        print("after a look at that: test/onnx/run.py --update")
        return False
    return True


def verdicts(results, known):
    """As tools/dev/summarise-tests reads them. What is unsupported, for the committed
    reason, is no test; the table counts it."""
    for name, (outcome, reason) in results.items():
        if outcome == "unsupported" and known.get(name) == reason:
            continue
        right = outcome in ("passed", "bound")
        yield {"name": name, "outcome": "passed" if right else "failed",
               "reason": "" if right else f"{outcome}: {reason}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--newest", action="store_true")
    parser.add_argument("--like", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--only", default=".", help="a regular expression")
    parser.add_argument("--sample", type=int, default=1, metavar="N")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()

    begin = time.monotonic()
    place = pathlib.Path("onnx-newest" if args.newest else "onnx")
    work = args.build.resolve() / place
    data = work / "data" if args.newest else DATA
    if args.newest:
        import newest  # takes seconds
        newest.write_tests(data)
    found = models.find_tests(data)
    if not found:
        print(f"no tests in {data}; tools/setup.sh --tests installs them")
        return 1
    found |= {} if args.newest else models.find_light()
    prefix = "newest-" if args.newest else ""
    exceptions = table.read_exceptions(HERE / f"{prefix}exceptions.txt")
    selected = [(number, name, model) for number, (name, model) in enumerate(found.items())
                if re.search(args.only, name)]
    tests = [Test(*one, work / "models") for one in selected[::args.sample]]
    results = run_all([test for test in tests if test.name not in exceptions],
                      args.build.resolve(), args.jobs, work / "models",
                      args.like and args.like.resolve() / place / "models")
    results |= {test.name: ("unsupported", exceptions[test.name]) for test in tests
                if test.name in exceptions}
    ops = {test.name: models.op_of(test.name, test.model, found) for test in tests}
    text = table.format_table(results, ops)
    print(text)
    reasons = HERE / f"{prefix}unsupported.txt"
    known = table.read_unsupported(reasons)
    tested = list(verdicts(results, known))
    if len(tests) == len(found):
        same = [compare_texts(HERE / f"{prefix}table.txt", text, args.update),
                compare_texts(reasons, table.format_unsupported(results), args.update)]
        tested.append({"name": "onnx@table", "outcome": "passed" if all(same) else "failed",
                       "reason": "" if all(same) else "other than committed"})
    elif args.update:
        print("--update needs all tests; nothing is rewritten")
    if args.json:
        args.json.write_text(json.dumps(tested))
    failed = [test for test in tested if test["outcome"] == "failed"]
    for test in failed:
        print(f"FAILED {test['name']}: {test['reason']}")
    counts = collections.Counter(outcome for outcome, _ in results.values())
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in table.OUTCOMES) +
          f" ({time.monotonic() - begin:.0f} s)")
    return 1 if failed and not args.update else 0


if __name__ == "__main__":
    sys.exit(main())
