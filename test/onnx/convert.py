#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts the models of ONNX's own tests with fusec convert, runs what is written in ONNX
Runtime, and compares with the outputs that come with the tests.

  .venv/bin/python test/onnx/convert.py                 all of libonnx-testdata, and light/
  .venv/bin/python test/onnx/convert.py --only softmax  those whose name matches
  .venv/bin/python test/onnx/convert.py --sample 20     one of 20
  .venv/bin/python test/onnx/convert.py --update        rewrites convert-table.txt
  .venv/bin/python test/onnx/convert.py --newest        the tests of PyPI's onnx instead
  .venv/bin/python test/onnx/convert.py --to f16        narrow, with inputs and outputs as they
                                                        are (or bf16, by onnx.reference): what
                                                        runs must be what fusec-ref computes

What is written passes onnx.checker with its full check. Each test is one of
  passed       ONNX Runtime gives the right outputs, and so does fusec-ref, which reads the
               written model again
  reference    the same with onnx.reference, where ONNX Runtime lacks a kernel or a type
  one way      ONNX Runtime gives the right outputs, and fusec does not read the model again
  unsupported  fusec does not read the test's model, or says what of it ONNX has nothing for
  wrong        an output differs, the checker refuses the model, or nobody runs it
  crashed      fusec failed
Of all tests the numbers and what is not passed must be those in convert-table.txt. Exit code 1
otherwise, or if anything is wrong or crashed. Works in <build>/onnx-convert.
"""
import argparse
import collections
import concurrent.futures
import difflib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path.insert(0, str(REPOSITORY / "test" / "e2e"))

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnx.reference  # noqa: E402
import onnxruntime  # noqa: E402

import models  # noqa: E402
import newest  # noqa: E402
import oracle  # noqa: E402
import table  # noqa: E402

DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
TABLE = HERE / "convert-table.txt"
SPDX = "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
UNSUPPORTED, BAD_INPUT = 2, 4  # exit codes of fusec


class Outcome(Exception):
    """(outcome, reason)"""


def run(command, seconds=300):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                          errors="replace", timeout=seconds)
    return done.returncode, (done.stderr or done.stdout).strip()


def one_line(text):
    return " ".join(str(text).split())[:300]


class Test:
    def __init__(self, name, model, build, level, narrow):
        self.name, self.model, self.build = name, model, build
        self.options = [f"-O{level}"] + ([f"--to={narrow}", "--keep-io"] if narrow else [])
        self.narrow = narrow
        self.folder = None  # of one run: several may go on at a time
        self.bound = []

    def convert(self):
        """The written model's path. Binds the inputs that must be known."""
        place = self.build / "onnx-convert"
        place.mkdir(exist_ok=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=place))
        written = self.folder / "model.onnx"
        first = self.model.sets[0]
        while True:
            options = self.model.shape_options(first)
            for name in self.bound:
                options += ["--bind",
                            f"{name}={self.model.tensor_file(first, 'input', name)}"]
            code, text = run([self.build / "bin/fusec", "convert", self.model.path, "-o", written,
                              *self.options, *options])
            if code == 0:
                return written
            if code not in (UNSUPPORTED, BAD_INPUT):
                raise Outcome("crashed", f"exit code {code}: {text}")
            if written.exists():
                raise Outcome("wrong", "a model is left behind where one was refused")
            done = subprocess.run([self.build / "bin/fusec", "check", self.model.path, "--json",
                                   *options], capture_output=True, text=True)
            problems = json.loads(done.stdout)["problems"]
            if not problems:
                raise Outcome("unsupported", "convert: " + re.sub(r"^\S+ ", "", text))
            wanted = {name for problem in problems for name in problem["bind"]} - set(self.bound)
            if not wanted:
                raise Outcome("unsupported", "")
            self.bound += sorted(wanted)

    def sets(self):
        """(inputs by name, expected outputs by name)"""
        for data_set in self.model.sets[:1] if self.bound else self.model.sets:
            yield ({v.name: self.model.tensor(data_set, "input", v.name)
                    for v in self.model.inputs if v.name not in self.bound},
                   {n: self.model.tensor(data_set, "output", n) for n in self.model.outputs})

    def narrowed(self, array):
        """What was computed in a narrow type, with its tolerance."""
        kinds = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
        with np.errstate(over="ignore"):
            return array.astype(kinds[self.narrow]) if self.narrow and \
                array.dtype == np.float32 else array

    def compare(self, who, outputs, names, expected):
        for name, actual in zip(names, outputs):
            actual, wanted = map(self.narrowed, (np.asarray(actual), expected[name]))
            if difference := oracle.compare(actual, wanted, "network"):
                raise Outcome("wrong", f"{who}: output {name}: {difference}")

    def run(self):
        written = self.convert()
        try:
            onnx.checker.check_model(written, full_check=True)
        except Exception as error:
            raise Outcome("wrong", f"checker: {error}") from None
        proto = onnx.load(written)
        names = [value.name for value in proto.graph.output]
        inputs = [value.name for value in proto.graph.input]
        if names != self.model.outputs:
            raise Outcome("wrong", f"has the outputs {names}")
        outcome = "passed"
        for given, expected in self.sets():
            if set(inputs) != set(given):
                raise Outcome("wrong", f"has the inputs {inputs}")
            again = self.read_again(written, given, names, expected)
            if self.narrow:
                expected = dict(zip(names, again))
            else:
                self.compare("fusec-ref", again, names, expected)
            try:
                if self.narrow == "bf16":
                    raise NotImplementedError("bf16")
                outputs = oracle.run_onnxruntime(proto, given)
                who = "ONNX Runtime"
            except Exception as error:
                outcome, who = "reference", "onnx.reference"
                reason = error
                try:
                    outputs = onnx.reference.ReferenceEvaluator(proto).run(None, given)
                except Exception as second:
                    raise Outcome("wrong", f"ONNX Runtime: {one_line(error)}; "
                                           f"onnx.reference: {one_line(second)}") from None
            try:
                self.compare(who, outputs, names, expected)
            except Outcome:
                # ONNX Runtime may leave out roundings to f16 between nodes.
                if not self.narrow or who == "onnx.reference":
                    raise
                outputs = onnx.reference.ReferenceEvaluator(proto).run(None, given)
                self.compare("onnx.reference", outputs, names, expected)
        if outcome == "reference":
            raise Outcome("reference", one_line(reason))

    def read_again(self, written, given, names, expected):
        """What fusec-ref computes from the model that was written."""
        command = [self.build / "bin/fusec-ref", written]
        for i, (name, array) in enumerate(given.items()):
            (self.folder / f"in{i}.bin").write_bytes(models.to_bytes(array))
            command += ["--input", f"{name}={self.folder / f'in{i}.bin'}"]
        for i, name in enumerate(names):
            command += ["--output", f"{name}={self.folder / f'out{i}.npy'}"]
        code, text = run(command)
        if code == UNSUPPORTED:
            raise Outcome("one way", re.sub(r"^\S+ ", "", text))
        if code:
            raise Outcome("wrong", f"fusec reads it again: {text}")
        return [np.load(self.folder / f"out{i}.npy").view(expected[name].dtype)
                for i, name in enumerate(names)]


def judge(test):
    try:
        test.run()
        return "passed", ""
    except Outcome as outcome:
        return outcome.args[0], one_line(outcome.args[1])
    except Exception as error:  # of the runner itself
        return "crashed", f"{type(error).__name__}: {one_line(error)}"
    finally:
        if test.folder:
            shutil.rmtree(test.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--level", type=int, default=1)
    parser.add_argument("--to", choices=("f16", "bf16"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--newest", action="store_true")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    if arguments.newest:
        data = arguments.build.resolve() / "onnx-newest" / "data"
        newest.write_tests(data)
        found = models.find_tests(data)
    else:
        found = models.find_tests(DATA) | models.find_light()
    prefix = "newest-" if arguments.newest else ""
    for name in table.read_exceptions(HERE / f"{prefix}exceptions.txt"):
        found.pop(name, None)
    if arguments.to == "bf16":
        for name in table.read_exceptions(HERE / "convert-bf16-exceptions.txt"):
            found.pop(name, None)
    if arguments.to:  # the values of the light networks leave the range of f16
        found = {name: model for name, model in found.items() if not model.light}
    chosen = [name for name in found if arguments.only.search(name)][::arguments.sample]
    build = arguments.build.resolve()
    tests = [Test(name, found[name], build, arguments.level, arguments.to)
             for name in chosen]
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        results = dict(zip(chosen, pool.map(judge, tests)))
    counts = collections.Counter(outcome for outcome, _ in results.values())
    for name, (outcome, reason) in results.items():
        if outcome in ("wrong", "crashed"):
            print(f"{name}: {outcome}: {reason}")
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    failed = bool(counts["wrong"] or counts["crashed"])
    if len(results) == len(found) and arguments.level == 1 and not arguments.to and \
            not arguments.newest:
        failed |= not hold_table(results, counts, arguments.update)
    return failed


def hold_table(results, counts, update):
    """Whether the table says what came out; rewrites it first if told so."""
    lines = [SPDX, "# What test/onnx/convert.py finds, which writes this with --update.\n",
             *(f"{count} {outcome}\n" for outcome, count in sorted(counts.items()))]
    reasons = collections.defaultdict(list)
    for name, (outcome, reason) in results.items():
        if outcome != "passed" and reason:
            reasons[outcome, re.sub(r"'[^']*'", "'...'", reason)].append(name)
    for (outcome, reason), names in sorted(reasons.items()):
        lines += [f"\n{outcome}: {reason}\n", *(f"  {name}\n" for name in names)]
    lines = "".join(lines).splitlines(keepends=True)
    if update:
        TABLE.write_text("".join(lines))
    known = TABLE.read_text().splitlines(keepends=True)
    difference = list(difflib.unified_diff(known, lines, str(TABLE), "found"))
    sys.stdout.writelines(difference)
    return not difference


if __name__ == "__main__":
    sys.exit(main())
