#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tune-alternative.py REPORT FILE NAME < SEGMENT: the records of groups and choices in SEGMENT
as a file that knows their defaults, and of the group that is NAME in REPORT, the JSON of
fusec tune, a faster algorithm."""
import json
import re
import subprocess
import sys
from pathlib import Path

report, file, name = sys.argv[1:]
groups = json.loads(Path(report).read_text())["models"][0]["groups"]
key = next(group["key"] for group in groups if group["name"] == name)
lines = ["fusec.cache 1"]
for line in sys.stdin.read().splitlines():
    head, *timings = line.split(" | name=")
    default = next((timing for timing in timings if " default=yes" in timing), None)
    if " group key=" not in head or not default:
        continue
    timings = [default]
    if f" key={key} " in head:
        faster = re.sub(r"picoseconds=\d+( spread=\d+)?", "picoseconds=1",
                        default.replace(" default=yes", ""))
        timings.insert(0, re.sub(r"^\S+", "faster", faster))
    lines.append(" | name=".join([head, *timings]))
Path(file).write_text("\n".join(lines) + "\n")
subprocess.run([sys.executable, Path(__file__).with_name("sign-cache.py"), file], check=True)
