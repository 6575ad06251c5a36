#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program, then prints its CPU seconds and its peak resident memory in bytes.

  measured.py PROGRAM [ARGUMENT...]

A script of its own: a new process counts the memory of the one that starts it, and who
has just made a model is large.
"""
import resource
import subprocess
import sys

code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
sys.exit(code)
