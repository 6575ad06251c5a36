#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make-cache.py FOLDER: a cache of Fast-Run by hand, by the grammar in
runtime/fast_run/RecordText.h: two segments whose writers ended, one that is damaged and
that nobody closed, and one of another version."""
import pathlib
import re
import sys

from fast_run_sum import sign

header = pathlib.Path(__file__).resolve().parents[3] / "passes/lock/GroupKey.h"
# The set of algorithms that fusec has today.
ALGORITHMS = re.search(r"kAlgorithmSet = (\d+);", header.read_text())[1]


def group(key, at, device, more=""):
    return (f'group key={key * 16} at={at} search=heuristic device="{device}" isa=avx512 '
            f'caches=32K/1024K cores=2 threads=2 compiler="g++ 12.2.0" algorithms={ALGORITHMS} '
            '| name=tiles_8x48 kernel=0123456789abcdef picoseconds=9913400000 '
            'spread=10000000 reproducible=yes choice="proposer=isl config=#sched.config<>" '
            + more + '| name=naive picoseconds=990000000000 naive=yes reproducible=yes '
            '| name=tiles_5x80 failure="signal 11"')


def write(name, *lines):
    (folder / name).write_text("fusec.cache 1\n" + "".join(lines))


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True)
closed = sign("closed")
write("host-1-1.frc", sign(group("a", 1764032000, "CPU one")), closed)
write("host-2-1.frc", sign(group("b", 1664032000, "CPU two")), closed)
# Slower than the first by less than the spread.
DEFAULT = "| name=default picoseconds=9914000000 spread=9000000 default=yes "
write("host-3-1.frc", sign(group("c", 1764032000, "CPU one", DEFAULT)),
      sign(group("d", 1, "CPU")).replace("at=1", "at=2"), sign("gro")[:9])
(folder / "later.frc").write_text("fusec.cache 9\nwho knows\n")
