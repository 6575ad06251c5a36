#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How well the cost model ranks the ways in which a kernel can be made.

  .venv-bench/bin/python tools/bench/ranks.py --table tools/bench/tables/CPU-ranks.md
  .venv-bench/bin/python tools/bench/ranks.py gemm_1024 conv3x3_relu

For the longest kernel of each workload, fusec algos predicts the time of each candidate and
fusec tune measures it (--search=exhaustive: up to 64). The table has Spearman's coefficient
of rank correlation between both, and what the choice costs: the measured time of the
candidate that is predicted to be the fastest, over that of the fastest one. Exit code 1 if
the median coefficient is below --least.
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

import machine
from paths import REPOSITORY
from prepare import Prepared
from workloads import load_all

# Products of several shapes, windows, rows and whole reductions, and what fuses with them.
KERNELS = ("gemm_1024", "gemm_bias_gelu", "gemm_bias_relu", "gemv_4096", "conv3x3_relu",
           "conv1x1_add_relu", "depthwise_clip", "softmax", "layer_norm", "attention_s128")
FEWEST = 4  # of fewer candidates a rank says nothing


def ask(fusec, *arguments):
    done = subprocess.run([fusec, *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"ranks: fusec {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def ranks(values):
    """The place of each in their order, equal ones sharing the mean of theirs."""
    values = np.asarray(values)
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return ((last - counts + 1 + last) / 2)[which]


def spearman(x, y):
    a, b = ranks(x), ranks(y)
    return float(np.corrcoef(a, b)[0, 1]) if a.std() and b.std() else float("nan")


def pairs_of(fusec, model, threads):
    """The name of the longest kernel, and (predicted, measured) in ms by candidate."""
    with tempfile.TemporaryDirectory() as folder:
        tuned = ask(fusec, "tune", model, "-o", pathlib.Path(folder) / "cache",
                    "--search=exhaustive", "--threads", threads)["models"][0]
    group = max(tuned["groups"], key=lambda each: each["default_ms"])
    known = next(each for each in ask(fusec, "algos", model, "--all", "--cpu=native")["groups"]
                 if each["key"] == group["key"])
    predicted = {"default" if each["default"] else each["name"]: each["predicted"] / 1e6
                 for each in known["algorithms"] if not each["naive"]}
    return group["name"], {each["name"]: (predicted[each["name"]], each["ms"])
                           for each in group["candidates"]
                           if not each["failure"] and each["name"] in predicted}


def row_of(name, fusec, args):
    prepared = Prepared(load_all()[name], args.folder)
    kernel, pairs = pairs_of(fusec, prepared.model, args.threads)
    if len(pairs) < FEWEST:
        raise SystemExit(f"ranks: {name} has {len(pairs)} candidates; {FEWEST} are the fewest")
    predicted, measured = zip(*pairs.values())
    taken = min(pairs.values())[1]
    return {"name": name, "kernel": kernel, "candidates": len(pairs),
            "spearman": spearman(predicted, measured), "loss": taken / min(measured)}


def table_of(rows, args):
    date = datetime.date.today()
    lines = [f"{machine.cpu_name()}, {args.threads} threads, {date}; median of the "
             f"coefficients {statistics.median(row['spearman'] for row in rows):.2f}.", "",
             "| workload | kernel | candidates | Spearman | its choice / the fastest |",
             "|---|---|---:|---:|---:|"]
    lines += [f"| {row['name']} | {row['kernel']} | {row['candidates']} | "
              f"{row['spearman']:.2f} | {row['loss']:.2f} |" for row in rows]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD",
                        help=f"(default: {', '.join(KERNELS)})")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--least", type=float, default=0.8)
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE.md")
    parser.add_argument("--fusec", type=pathlib.Path,
                        default=REPOSITORY / "build" / "bin" / "fusec")
    parser.add_argument("--folder", type=pathlib.Path, default=REPOSITORY / "build" / "bench")
    args = parser.parse_args()
    names = args.workloads or KERNELS
    unknown = set(names) - set(load_all())
    if unknown:
        parser.error(f"no workload '{unknown.pop()}'; run.py --list names them")
    rows = []
    for number, name in enumerate(names, 1):
        rows.append(row_of(name, args.fusec, args))
        print(f"{number} of {len(names)}: {name}: {rows[-1]['spearman']:.2f} over "
              f"{rows[-1]['candidates']} candidates, its choice {rows[-1]['loss']:.2f} of the "
              "fastest", file=sys.stderr, flush=True)
    text = table_of(rows, args)
    if args.table:
        aside = args.table.with_suffix(".tmp")
        aside.write_text(text)
        os.replace(aside, args.table)
    print(text, end="")
    return int(statistics.median(row["spearman"] for row in rows) < args.least)


if __name__ == "__main__":
    sys.exit(main())
