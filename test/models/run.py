#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles whole networks with random weights, runs them, compares with ONNX Runtime.

  .venv/bin/python test/models/run.py                  all of them
  .venv/bin/python test/models/run.py --quick          those of the suite
  .venv/bin/python test/models/run.py --only 'gpt2'    those whose name matches
  .venv/bin/python test/models/run.py --jobs 2         two at a time, which disturbs the times
  .venv/bin/python test/models/run.py --list           the names and sizes

Prints a table: ONNX nodes, launches of a run, kernels that they share, CPU seconds and
peak memory of fusec (with --sched-verify, a quarter of the time), CPU seconds of the C++
compiler, the median of a run, and the largest error of each output.
Each model is five tests: NAME (every output within the tolerance of class `network`),
NAME@memory (fusec took no more than memory.py allows for its weights), NAME@kernels
(not more launches or kernels than test/models/kernel-counts.json says;
--update-kernel-counts lowers what is there), NAME@serial (large groups that one thread
runs are those of test/models/serial-groups.json, for the reasons there;
--update-serial-groups writes that file) and, without --quick, NAME@gpu (compiled for
GPUs, large groups have as many threads as their points are worth; nothing runs there).
Works in <build>/models; generated models stay there until their script changes.
Exit code 1 if any test failed.
"""
import argparse
import functools
import json
import multiprocessing
import pathlib
import re
import sys

from pipeline import REPOSITORY, TOLERANCE, Work
from memory import check_memory, weights_bytes
from zoo import MODELS
from batch import Failure
from device import check_threads
from structure import check_serial, find_serial, update_serial

SERIAL = pathlib.Path(__file__).resolve().parent / "serial-groups.json"
COUNTS = pathlib.Path(__file__).resolve().parent / "kernel-counts.json"
COUNTED = ("launches", "kernels")
# A column of the table: what it says, the key in a row, and how that is printed.
COLUMNS = (("nodes", "nodes", 6, "d"), ("launches", "launches", 9, "d"),
           ("kernels", "kernels", 8, "d"), ("fusec s", "compile_seconds", 8, ".1f"),
           ("MB", "peak_mb", 6, ".0f"), ("C++ s", "cxx_seconds", 7, ".1f"),
           ("run ms", "run_ms", 8, ".1f"))


def show_errors(errors):
    shown = [f"{name} {error:.1e}" for name, error in list(errors.items())[:2]]
    rest = list(errors.values())[2:]
    return ", ".join(shown + ([f"{len(rest)} more {max(rest):.1e}"] if rest else []))


def check_counts(row, committed):
    """Why the counts may not stand, or None."""
    if row["name"] not in committed:
        return (f"{row['launches']} launches of {row['kernels']} kernels, and no committed "
                "counts; after a look at them: test/models/run.py --update-kernel-counts")
    more = [f"{row[what]} {what}, committed are {committed[row['name']][what]}"
            for what in COUNTED if row[what] > committed[row["name"]][what]]
    return f"{'; '.join(more)}; counts may only fall" if more else None


def measure(name, build, repeats, for_gpu):
    """A row of the table; what did not get far lacks the rest, and has a failure."""
    model = next(model for model in MODELS if model.name == name)
    work, row = Work(model, build), {"name": model.name, "size": model.size}
    try:
        facts = work.generate()
        row["nodes"] = facts["nodes"]
        row["compile_seconds"], peak = work.compile()
        row["peak_mb"] = peak / 1e6
        row["memory"] = check_memory(peak, weights_bytes(work.emitted))
        row["launches"], row["kernels"] = work.inspect()
        row["serial"] = find_serial(work.emitted)
        if for_gpu:
            row["gpu"] = explain(check_threads, work.compile_for_gpu())
        row["cxx_seconds"] = work.build_library()
        row["run_ms"] = work.run(facts, repeats)
        row["errors"] = work.compare(facts)
    except (Failure, OSError, ValueError, KeyError) as failure:
        row["failure"] = f"{type(failure).__name__}: {failure}"
    return row


def print_header():
    print(f"{'model':18}" + "".join(f"{title:>{width}}" for title, _, width, _ in COLUMNS)
          + f"  largest error of each output (class {TOLERANCE})", flush=True)


def print_row(row):
    cells = [format(row[key], f"{width}{form}") if key in row else f"{'-':>{width}}"
             for _, key, width, form in COLUMNS]
    end = show_errors(row["errors"]) if "errors" in row else "FAILED"
    print(f"{row['name']:18}{''.join(cells)}  {end}", flush=True)


def update_counts(rows):
    """Lowers what is committed and adds what is new; forgets models that do not exist."""
    names = {model.name for model in MODELS}
    counts = {name: entry for name, entry in read_counts().items() if name in names}
    for row in rows:
        if "kernels" not in row:
            continue
        entry = counts.setdefault(row["name"], {"splits": "?"})
        entry["nodes"] = row["nodes"]
        for what in COUNTED:
            entry[what] = min(row[what], entry.get(what, row[what]))
    COUNTS.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n")


def read_counts():
    return json.loads(COUNTS.read_text()) if COUNTS.exists() else {}


def explain(check, *arguments):
    """Why a check fails, or None."""
    try:
        check(*arguments)
    except Failure as failure:
        return str(failure)
    return None


def collect_results(rows):
    committed, results = read_counts(), {}
    listed = json.loads(SERIAL.read_text())
    for row in rows:
        results[row["name"]] = row.get("failure")
        if "memory" in row:
            results[f"{row['name']}@memory"] = row["memory"]
        if "kernels" in row:
            results[f"{row['name']}@kernels"] = check_counts(row, committed)
        if "serial" in row:
            results[f"{row['name']}@serial"] = explain(check_serial, row["serial"], listed,
                                                         row["name"])
        if "gpu" in row:
            results[f"{row['name']}@gpu"] = row["gpu"]
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--only", default=".", help="a regular expression")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--repeat", type=int, default=5, help="runs to take the median of")
    parser.add_argument("--jobs", type=int, default=1, help="models at a time")
    parser.add_argument("--update-kernel-counts", action="store_true")
    parser.add_argument("--update-serial-groups", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()

    selected = [model for model in MODELS if re.search(args.only, model.name)
                and (model.quick or not args.quick)]
    if args.list:
        for model in selected:
            print(f"{model.name:18} {'quick' if model.quick else 'full ':6} {model.size}")
        return 0
    print_header()
    rows = []
    one = functools.partial(measure, build=args.build.resolve(), repeats=args.repeat,
                            for_gpu=not args.quick)
    # Processes, for each counts the CPU seconds of what it has started.
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        for row in pool.imap(one, [model.name for model in selected]):
            rows.append(row)
            print_row(row)
    if args.update_kernel_counts:
        update_counts(rows)
    if args.update_serial_groups:
        update_serial(SERIAL, {row["name"]: row["serial"] for row in rows if "serial" in row},
                      {model.name for model in MODELS})
    results = collect_results(rows)
    failures = {name: text for name, text in results.items() if text}
    for name, text in failures.items():
        print(f"FAILED {name}: {text}")
    if args.json:
        args.json.write_text(json.dumps([
            {"name": name, "reason": text or "", "outcome": "failed" if text else "passed"}
            for name, text in results.items()]))
    print(f"{len(results) - len(failures)} of {len(results)} are right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
