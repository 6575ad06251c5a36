#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles generated ONNX models with fusec, runs them, and compares with ONNX Runtime.

  .venv/bin/python test/e2e/run.py                    all of them
  .venv/bin/python test/e2e/run.py --only 'softmax'   those whose name matches
  .venv/bin/python test/e2e/run.py --list             the names

Works in <build>/e2e: per model its .onnx, inputs, outputs and emitted sources (src/).
Exit code 1 if any model failed.
"""
import argparse
import json
import multiprocessing.pool
import os
import pathlib
import re
import shutil
import sys
import time

import batch
import builder
import cases  # noqa: F401  (registers the models)
import oracle

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def prepare(case, folder):
    """Writes the model and its inputs; returns the expected outputs and their scales."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    expected, scales = oracle.expected_outputs(case)
    shapes = {name: array.shape for name, array in zip(case.graph.outputs, expected)}
    model = case.graph.build(shapes)
    (folder / f"{case.name}.onnx").write_bytes(model.SerializeToString())
    for i, array in enumerate(case.graph.inputs.values()):
        (folder / f"in_{i}.bin").write_bytes(array.tobytes())
    dtypes = [builder.DTYPES_BY_CODE[o.type.tensor_type.elem_type]
              for o in model.graph.output]
    return expected, scales, dtypes


def check(case, folder, prepared, configurations):
    """None, or the first output of a configuration that is not as expected."""
    expected, scales, dtypes = prepared
    for configuration in configurations:
        for i, name in enumerate(case.graph.outputs):
            raw = (folder / f"{configuration}_{i}.bin").read_bytes()
            actual = batch.decode(raw, dtypes[i], expected[i].shape)
            difference = oracle.compare(actual, expected[i], case.tolerance, scales[i])
            if difference:
                return f"{configuration}: output {name}: {difference}"
            if configuration == "one_thread" and \
                    raw != (folder / f"default_{i}.bin").read_bytes():
                return f"output {name}: one thread gives other bits than two"
    return None


class Progress:
    """A line for each stage, rewritten as it goes on where that can be seen."""

    def __init__(self):
        self.begin = time.monotonic()

    def step(self, stage, done, total):
        end = "\r" if sys.stdout.isatty() and done < total else "\n"
        if end == "\r" or done == total:
            seconds = time.monotonic() - self.begin
            print(f"  {stage}: {done} of {total} ({seconds:.0f} s)", end=end, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--only", default=".", help="a regular expression")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()

    selected = [c for c in builder.all_cases() if re.search(args.only, c.name)]
    if args.list:
        print("\n".join(case.name for case in selected))
        return 0
    work = args.build.resolve() / "e2e"
    failures, progress = {}, Progress()
    pool = multiprocessing.pool.ThreadPool(args.jobs)

    def stage(name, function, items):
        """Maps in parallel; results of items whose function raised are left out."""
        results = {}

        def attempt(case):
            try:
                return case, function(case), None
            except batch.Failure as failure:
                return case, None, str(failure)
        for case, result, failure in pool.imap_unordered(attempt, items):
            if failure:
                failures[case.name] = f"{name}: {failure}"
            else:
                results[case.name] = result
            progress.step(name, len(results) + len(failures.keys() & {c.name for c in items}),
                          len(items))
        return results

    # ONNX and ONNX Runtime are quick here: no threads, so that errors surface as they are.
    prepared = {case.name: prepare(case, work / case.name) for case in selected}
    progress.step("prepared", len(selected), len(selected))
    program = args.build.resolve() / "bin" / "fusec"
    compiled = stage("compiled", lambda case: batch.compile_model(
        program, work / case.name, case.name), selected)
    project = batch.Project(work, args.build.resolve(), args.jobs)
    built, broken = project.build({name: work / name / "src" for name in compiled})
    failures |= {name: f"C++: {text}" for name, text in broken.items()}
    progress.step("built", len(built), len(compiled))
    ran = stage("ran", lambda case: project.run(case.name, work / case.name),
                [case for case in selected if case.name in built])
    for case in selected:
        if case.name in ran:
            difference = check(case, work / case.name, prepared[case.name], ran[case.name])
            if difference:
                failures[case.name] = difference

    for name, text in sorted(failures.items()):
        print(f"FAILED {name}: {text}")
    if args.json:
        args.json.write_text(json.dumps([
            {"name": case.name, "reason": failures.get(case.name, ""),
             "outcome": "failed" if case.name in failures else "passed"}
            for case in selected]))
    print(f"{len(selected) - len(failures)} of {len(selected)} models are right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
