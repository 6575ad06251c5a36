#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the kernels of this folder as fusec's users do, with each compiler that is
found, and compares what they compute with what they compute without optimisation.

  check.py ISA-PROBE ISA=FLAGS...

FLAGS are those that kernels are compiled with for an instruction set, the weakest first;
the strongest one that ISA-PROBE lists is taken.
"""
import multiprocessing.pool
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]
SLOW = "-O0 -DFUSEC_INLINE=inline"
# What strict projects ask for, also of what they add.
STRICT = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wpedantic", "-Werror"]


def compilers():
    """Name -> path of each g++ and clang++, of whatever version, each once."""
    found = {}
    for folder in os.get_exec_path():
        for path in sorted(pathlib.Path(folder).glob("*++*")):
            real = path.resolve()
            if (re.fullmatch(r"(g|clang)\+\+(-\d+)?", path.name) and os.access(path, os.X_OK)
                    and real not in found and real.name != "ccache"):
                found[real] = path
    return {path.name: path for path in found.values()}


def results(compiler, flags, source, work):
    """The lines that a program of kernels prints: name -> hash of what it wrote."""
    program = pathlib.Path(tempfile.mkdtemp(dir=work)) / source.stem
    launcher = ["ccache"] if shutil.which("ccache") else []
    subprocess.run([*launcher, compiler, "-std=c++17", *STRICT, *flags,
                    f"-I{REPOSITORY}", f"-I{REPOSITORY}/runtime/include", "-c", source,
                    "-o", f"{program}.o"], check=True)
    subprocess.run([compiler, f"{program}.o", "-o", program], check=True)
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return dict(line.rsplit(": ", 1) for line in text.splitlines())


def main():
    probe, *pairs = sys.argv[1:]
    isas = dict(pair.split("=", 1) for pair in pairs)
    supported = subprocess.run([probe], capture_output=True, text=True, check=True).stdout.split()
    best = [isa for isa in isas if isa in supported][-1]
    weakest = next(iter(isas.values()))
    sources = sorted(HERE.glob("*.cpp"))
    jobs = [(name, path, level, flags.split(), source)
            for source in sources for name, path in compilers().items()
            for level, flags in (("-O0", f"{weakest} {SLOW}"), (best, isas[best]))]
    with tempfile.TemporaryDirectory() as work, \
            multiprocessing.pool.ThreadPool(os.cpu_count()) as pool:
        found = pool.map(lambda job: results(job[1], job[3], job[4], work), jobs, 1)
    problems, kernels = [], 0
    for source in sources:
        runs = [(f"{job[0]} {job[2]}", result) for job, result in zip(jobs, found)
                if job[4] == source]
        # Without optimisation the compilers must agree; the first speaks for all.
        (first, expected), rest = runs[0], runs[1:]
        kernels += len(expected)
        problems += [f"{source.name}: {kernel}: {name} differs from {first}"
                     for name, result in rest for kernel in expected
                     if result.get(kernel) != expected[kernel]]
    names = ", ".join(sorted({job[0] for job in jobs}))
    print("\n".join([*problems, f"{kernels} kernels, compiled for {best} by {names}"]))
    return 1 if problems or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
