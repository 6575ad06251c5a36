# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""by-threads.py CACHE FILE THREADS:NUMBER[:ISA[:DEVICE]]...: the records of the folder CACHE once
for each argument, as measured with so many threads, where algorithm NUMBER in the order of their
names is the fastest by far, those behind it are as fast as one another, and the naive one is
slowest."""
import glob
import re
import subprocess
import sys
from pathlib import Path

cache, file, *wanted = sys.argv[1:]
lines = ["fusec.cache 1"]
for segment in sorted(glob.glob(f"{cache}/*.frc")):
    for line in Path(segment).read_text().splitlines():
        head, *timings = line.split(" | name=")
        if " group key=" not in head:
            continue
        timings.sort(key=lambda timing: (" naive=yes" in timing, timing.split()[0]))
        for what in wanted:
            threads, number, isa, device = (what + ":::").split(":")[:4]
            fastest = timings[min(int(number), len(timings) - 1)]
            ordered = [fastest] + [timing for timing in timings if timing != fastest]
            times = [10 ** 6] + [10 ** 8] * (len(ordered) - 2) + [10 ** 9]
            ordered = [re.sub(r"picoseconds=\d+( spread=\d+)?", f"picoseconds={time}", timing)
                       for time, timing in zip(times, ordered)]
            own = re.sub(r" threads=\d+", f" threads={threads}", head)
            if isa:
                own = re.sub(r" isa=[a-z0-9]+", f" isa={isa}", own)
            if device:
                own = re.sub(r' device="[^"]*"', f' device="{device}"', own)
            lines.append(" | name=".join([own, *ordered]))
Path(file).write_text("\n".join(lines) + "\n")
sign = Path(__file__).resolve().parents[2] / "cli/Inputs/sign-cache.py"
subprocess.run([sys.executable, sign, file], check=True)
