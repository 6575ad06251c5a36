#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the runtime as strict projects do, whose options reach what they add: its
sources, and its headers alone and for each instruction set, which need not be this
machine's.

  check.py RUNTIME ISA=FLAGS...

Every C++ compiler of ../shapes/check.py, and of C the C ones beside them.
"""
import multiprocessing.pool
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "shapes"))
from check import STRICT, compilers  # noqa: E402

C_HEADERS = ("fusec/abi.h", "fusec/cuda_driver.h", "fusec/device.h", "fusec/rule_abi.h",
             "fusec/runtime.h")
# A host program includes one of this and fusec/host.h.
OF_DEVICES = "fusec/device_host.h"
# Those are of CUDA compilers, and of what fusec/kernel/config.h picks.
OF_OTHERS = {"cuda", "isa", "op_block.h"}


def warnings(job):
    """What the compiler says about a source, or about a text that includes headers."""
    compiler, flags, files, work, runtime = job
    source = files[0]
    if not source.endswith(".cpp"):
        source = pathlib.Path(tempfile.mkdtemp(dir=work)) / (
            "headers.c" if "-std=c99" in flags else "headers.cpp")
        source.write_text("".join(f'#include "{name}"\n' for name in files))
    done = subprocess.run([compiler, *STRICT, *flags, "-fsyntax-only", f"-I{runtime.parent}",
                           f"-I{runtime}/include", source], capture_output=True, text=True)
    return (f"{' '.join(map(str, [compiler, *flags, *files]))}:\n{done.stderr}"
            if done.returncode else "")


def main():
    runtime, *pairs = sys.argv[1:]
    runtime = pathlib.Path(runtime).resolve()
    headers = sorted(str(path.relative_to(runtime / "include"))
                     for path in runtime.glob("include/**/*.h*")
                     if not OF_OTHERS & set(path.parts))
    together = [name for name in headers if name != OF_DEVICES]
    sources = sorted(str(path) for folder in ("src", "cuda")
                     for path in runtime.glob(f"{folder}/*.cpp"))
    cxx = ["-std=c++17"]
    jobs = []
    for path in compilers().values():
        jobs += [(path, cxx, [name]) for name in headers + sources]
        jobs += [(path, [*cxx, *pair.split("=", 1)[1].split()], together) for pair in pairs]
        c_compiler = shutil.which(path.name.replace("g++", "gcc").replace("clang++", "clang"))
        if c_compiler:
            jobs += [(c_compiler, ["-std=c99"], [name]) for name in C_HEADERS]
    with tempfile.TemporaryDirectory() as work, \
            multiprocessing.pool.ThreadPool(os.cpu_count()) as pool:
        problems = list(filter(None, pool.map(
            warnings, [(*job, work, runtime) for job in jobs], 1)))
    names = ", ".join(sorted({pathlib.Path(job[0]).name for job in jobs}))
    print("\n".join([*problems, f"{len(headers)} headers and {len(sources)} sources, "
                     f"compiled by {names}"]))
    return 1 if problems or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
