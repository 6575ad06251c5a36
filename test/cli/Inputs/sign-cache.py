# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives each line of a Fast-Run cache the sum that its text has: FILE."""
import sys

from fast_run_sum import sign

with open(sys.argv[1]) as file:
    header, *lines = file.read().splitlines()
with open(sys.argv[1], "w") as file:
    file.write(header + "\n" + "".join(sign(line.split(" ", 1)[1]) for line in lines))
