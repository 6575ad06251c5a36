#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels.cpp and reads the assembly.

  check.py COMPILER INCLUDE-FOLDER

No function may touch the stack (a spilled accumulator costs a load and a store in
every iteration), and the number of multiply-adds must be that of the formula: more
would mean that something is computed twice, fewer that it is not vectorised.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math",
         "-ffp-contract=fast", "-fno-unroll-loops", "-S", "-o"]
# Instruction set -> flags, registers, multiply-adds of `accumulate`.
ISAS = {
    "avx512": (["-march=x86-64-v4", "-mprefer-vector-width=512"], "zmm", 8 * 2),
    "avx2": (["-march=x86-64-v3"], "ymm", 6 * 1 * 2),
}


def functions(assembly):
    """Yields (name, instructions) of each function."""
    name, body = None, []
    for line in assembly.splitlines():
        if label := re.match(r"^([A-Za-z_]\w*):", line):
            name, body = label.group(1), []
        elif re.match(r"^\s+[a-z]", line):
            body.append(line.strip())
        elif re.match(r"^\s+\.size\s", line) and name:
            yield name, body
            name = None


def main():
    compiler, include = sys.argv[1:]
    source = pathlib.Path(__file__).with_name("kernels.cpp")
    problems = []
    for isa, (flags, register, multiply_adds) in ISAS.items():
        with tempfile.NamedTemporaryFile(suffix=".s") as output:
            subprocess.run([compiler, *FLAGS, output.name, *flags, "-I", include, source],
                           check=True)
            found = dict(functions(pathlib.Path(output.name).read_text()))
        if set(found) != {"accumulate", "exponential", "half", "strided"}:
            problems.append(f"{isa}: found the functions {sorted(found)}")
            continue
        for name, body in found.items():
            if (name, isa) == ("strided", "avx512"):
                continue  # Through a buffer.
            problems += [f"{isa}: {name} uses the stack: {line}" for line in body
                         if re.search(r"\(%[re](sp|bp)\)", line)]
        fused = [line for line in found["accumulate"]
                 if line.startswith("vfmadd") and register in line]
        if len(fused) != multiply_adds:
            problems.append(f"{isa}: accumulate has {len(fused)} multiply-adds on "
                            f"{register}, expected {multiply_adds}")
        if not any(line.startswith("vfmadd") and register in line
                   for line in found["exponential"]):
            problems.append(f"{isa}: exponential does not work on {register}")
        # Slow on AVX2; AVX-512 masks at no cost.
        problems += [f"{isa}: half has a masked access: {line}" for line in found["half"]
                     if line.startswith(("vmaskmov", "vpmaskmov"))]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
