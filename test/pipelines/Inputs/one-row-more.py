# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A C++ compiler ($CXX) that plants a fault in kernels of models whose caches grow: the mask of
the rows that a cache holds lets one more through."""
import pathlib
import re
import shutil
import subprocess
import sys

changed, planted = [], 0
for argument in sys.argv[1:]:
    path = pathlib.Path(argument)
    if path.name.endswith("_kernels.cpp"):
        text, planted = re.subn(r"(all_lanes\w* = past_length\(\) \+ \d+);", r"\1 + 1;",
                                path.read_text())
        argument = str(path.with_name("planted.cpp"))
        pathlib.Path(argument).write_text(text)
        if not planted:
            sys.exit("the kernels have no such mask")
    changed.append(argument)
sys.exit(subprocess.run([shutil.which("g++"), *changed]).returncode)
