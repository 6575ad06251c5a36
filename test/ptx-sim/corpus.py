#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the planted bugs and their right forms through ptx-sim, in both orders.

  corpus.py [PTX-SIM]              all cases, from the committed PTX; where there is an
                                   nvcc, also from PTX that it makes now
  corpus.py --update               makes the committed PTX anew (needs nvcc)
  corpus.py --only REGEX [PTX-SIM]

A case is a kernel with its launch, what is to be found (nothing, or a kind), and the
values that a buffer must have afterwards.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INPUTS = HERE / "Inputs"


class Case:
    def __init__(self, file, kernel, found, grid, block, args, printed=None, shared=0):
        self.file, self.kernel, self.found = file, kernel, found
        self.grid, self.block, self.args = grid, block, args
        self.printed, self.shared = printed, shared


def both(file, kernel, kind, grid, block, args, printed=None, shared=0):
    """The wrong form and the right one."""
    return [Case(file, f"{kernel}<false>", kind, grid, block, args, None, shared),
            Case(file, f"{kernel}<true>", None, grid, block, args, printed, shared)]


def product():
    """iota is exact in f16 up to 2048: C = A B with a[i][j] = b[i][j] = 16 i + j."""
    return [sum((16 * i + k) * (16 * k + j) for k in range(16))
            for i in range(16) for j in range(16)]


reverse64 = list(range(63, -1, -1))
CASES = [
    *both("shared", "tile", "race", 1, 64, "f32[64]=iota f32[64]=nan", (2, reverse64)),
    *both("shared", "reuse", "race", 1, 64, "f32[64]=rand f32[192]=nan"),
    *both("shared", "warp", "race", 1, 32, "f32[32]=iota f32[32]=nan",
          (2, [i ^ 1 for i in range(32)])),
    *both("shared", "outside", "out-of-bounds", 2, 64, "f32[128]=iota f32[100]=nan i32=100",
          (2, list(range(100)))),
    *both("shared", "uninit", "uninitialised", 1, 64, "f32[64]=nan", (1, reverse64)),
    *both("shared", "fresh", "uninitialised", 1, 64, "f32[64]=nan", (1, [1] * 64)),
    *both("shared", "aligned", "misaligned", 1, 8, "f32[40]=iota f32[32]=nan",
          (2, list(range(32)))),
    *both("shared", "divergent", "divergent-barrier", 1, 64, "f32[64]=nan"),
    Case("shared", "early", None, 1, 64, "f32[40]=nan", (1, [1] * 40)),
    *both("shared", "shuffle", "shuffle-mask", 1, 32, "f32[32]=nan",
          (1, [i + (i ^ 8) if i < 16 else i for i in range(32)])),
    *both("shared", "member", "shuffle-mask", 1, 32, "f32[32]=nan",
          (1, list(range(1, 32)) + [31])),
    *both("shared", "pipeline", "async-copy", 1, 64, "f32[512]=iota f32[512]=nan",
          (2, list(range(256)) + [4 * (63 - i // 4) + i % 4 + 256 for i in range(256)])),
    *both("shared", "histogram", "race", 1, 64, "i32[64]=iota i32[8]=nan", (2, [8] * 8)),
    *both("shared", "atomics", "race", 1, 64, "i32[64]=nan", (1, [64] * 64)),
    *both("shared", "named", "race", 1, 64, "f32[32]=nan", (1, list(range(31, -1, -1)))),
    *both("shared", "endless", "deadlock", 1, 32, "i32[1]=zero", (1, [1])),
    *both("shared", "flags", "out-of-bounds", 1, 32, "i32[32]=nan", (1, [0x030201] * 32)),
    *both("shared", "behind", "out-of-bounds", 1, 32, "f32[32]=nan",
          (1, [i % 3 for i in range(32)])),
    Case("shared", "three", None, 1, 32, "f32[32]=nan", (1, [7] * 32)),
    *both("shared", "gone", "shuffle-mask", 1, 32, "f32[16]=nan",
          (1, [i ^ 8 for i in range(16)])),
    Case("shared", "vote", None, 1, 32, "u32[16]=nan", (1, [7] * 16)),
    Case("shared", "bytes", None, 1, 64, "u8[64]=nan", (1, list(range(1, 65)))),
    *both("dynamic", "tile", "race", 2, 64, "f32[128]=iota f32[128]=nan",
          (2, reverse64 + [64 + i for i in reverse64]), shared=256),
    *both("dynamic", "beside", "out-of-bounds", 1, 64, "f32[64]=iota f32[64]=nan",
          (2, [i + (i + 1) % 64 for i in range(64)]), shared=256),
    *both("dynamic", "carved", "uninitialised", 1, 64, "f32[64]=nan",
          (1, [2 * i for i in range(64)]), shared=512),
    *both("dynamic", "generic", "race", 1, 64, "i32[64]=nan", (1, [64] * 64), shared=4),
    Case("dynamic", "bytes_given", None, 1, 32, "u32[2]=nan", (1, [96, 224]), shared=96),
    *both("global", "last", "race", 8, 32, "f32[8]=iota f32[8]=nan u32[1]=zero f32[1]=nan",
          (4, [28])),
    *both("global", "lastAll", "race", 4, 64,
          "f32[256]=iota f32[256]=nan u32[1]=zero f32[1]=nan", (4, [32640])),
    *both("global", "chain", "race", 6, 32, "i32[6]=zero i32[6]=nan",
          (2, list(range(1, 7)))),
    *both("global", "ordered", "race", 2, 32, "i32[1]=zero i32[1]=nan i32[1]=nan", (3, [7])),
    *both("global", "fenced", "race", 2, 32, "i32[1]=zero i32[1]=nan i32[1]=nan", (3, [7])),
    *both("global", "scope", "race", 4, 32, "i32[1]=zero", (1, [128])),
    Case("global", "grid_right", None, 4, 64, "f32[256]=nan f32[256]=nan",
         (2, list(range(255, -1, -1)))),
    Case("global", "grid_wrong", "race", 4, 64, "f32[256]=nan f32[256]=nan"),
    Case("libraries", "block_sum", None, 2, 128, "i32[256]=iota i32[2]=nan",
         (2, [8128, 24512])),
    Case("libraries", "block_sum_raking", None, 2, 128, "i32[256]=iota i32[2]=nan",
         (2, [8128, 24512])),
    Case("libraries", "block_scan", None, 1, 128, "i32[128]=iota i32[128]=nan",
         (2, [i * (i + 1) // 2 for i in range(128)])),
    Case("libraries", "warp_sums", None, 1, 64, "i32[64]=iota i32[4]=nan",
         (2, [120 + 256 * i for i in range(4)])),
    Case("libraries", "sort", None, 1, 64, "i32[128]=rand i32[128]=nan", (2, sorted)),
    Case("libraries", "group_scan", None, 1, 64, "i32[64]=3 i32[64]=nan",
         (2, [3 * (i % 16 + 1) + 48 for i in range(64)])),
    *both("libraries", "sums_twice", "race", 1, 128, "i32[128]=iota i32[1]=nan",
          (2, [3 * 8128])),
    *both("libraries", "arrive", "race", 1, 64, "f32[64]=iota f32[64]=nan", (2, reverse64)),
    *both("libraries", "stages", "race", 1, 64, "f32[128]=iota f32[128]=nan",
          (2, reverse64 + [64 + i for i in reverse64])),
    *both("advice", "same", "race", 1, 64, "i32[1]=nan", (1, [7])),
    *both("advice", "update", "race", 1, 64, "i32[1]=zero", (1, [64])),
    *both("advice", "grid", "race", 4, 64, "i32[8]=zero", (1, [32] * 8)),
    *both("advice", "fold", "race", 1, 16, "i32[16]=iota i32[1]=nan", (2, [120])),
    *both("advice", "tree", "race", 1, 256, "i32[256]=iota i32[1]=nan", (2, [32640])),
    *both("swap", "sum", "race", 2, 64, "f64[1]=zero f64[128]=nan", (1, [128])),
    *both("swap", "first", "race", 2, 64, "i32[1]=zero i32[1]=nan", (2, [7])),
    *both("swap", "before", "race", 1, 64, "i32[1]=zero i32[64]=nan", (1, [64])),
    *both("swap", "other", "race", 1, 64, "i32[2]=zero", (1, [64, 0])),
    *both("swap", "rounded", "race", 1, 64, "i32[1]=zero", (1, [128])),
    *both("swap", "plain", "race", 1, 64, "i32[1]=zero", (1, [69])),
    *both("swap", "again", "race", 1, 64, "i32[1]=zero", (1, [64])),
    Case("swap", "pairs", None, 2, 64, "bf16[2]=zero", (1, [128, 256])),
    Case("swap", "greatest", None, 1, 64, "f32[256]=iota f32[4]=nan",
         (2, [63, 127, 191, 255])),
    *both("matrix", "product", "race", 1, 32, "f16[256]=iota f16[256]=iota f32[256]=nan",
          (3, product())),
    Case("sgemm", "sgemm", None, "2,2", "16,16",
         "f32[1024]=0.5 f32[1024]=2 f32[1024]=nan i32=32", (3, [32] * 1024)),
]


def find_nvcc():
    named = os.environ.get("CUDACXX") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    return named if os.access(named, os.X_OK) else None


def compile_cuda(nvcc, file, folder):
    """Its PTX, without what differs from machine to machine."""
    out = pathlib.Path(folder) / f"{file}.ptx"
    subprocess.run([nvcc, "-ptx", "-lineinfo", "-std=c++17", "-arch=sm_80", "-o", out,
                    INPUTS / f"{file}.cu"], check=True, stderr=subprocess.DEVNULL)
    text = out.read_text()
    text = re.sub(r'(\.file\s+\d+ )"[^"]*/', r'\1"', text)
    text = re.sub(r"^\s*\.section\s+\.debug.*?^\s*}\n", "", text, flags=re.S | re.M)
    out.write_text(text)
    return out


def run_case(program, ptx, case):
    """What is wrong with the result, None if nothing is."""
    command = [program, "run", ptx, "--kernel", case.kernel, "--grid", str(case.grid),
               "--block", str(case.block), "--args", case.args, "--shared", str(case.shared),
               "--json"]
    if case.printed:
        command += ["--print", str(case.printed[0])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {done.stderr}"
    findings = json.loads(done.stdout)["findings"]
    kinds = sorted({f["kind"] for f in findings})
    if case.found is None and findings:
        return f"accused of {findings[0]}"
    if case.found is not None and case.found not in kinds:
        return f"{case.found} was not found, but {kinds}"
    if (done.returncode == 1) != bool(findings):
        return f"exit {done.returncode} with {len(findings)} findings"
    # A library's lines are those of its headers.
    if case.found and any(f["line"] < 1 or case.file != "libraries" and
                          f["file"] != f"{case.file}.cu" for f in findings):
        return f"not a line of {case.file}.cu: {findings}"
    if case.printed:
        values = [float(v) for v in done.stderr.split(":")[1].split()]
        expected = case.printed[1]
        if expected is sorted:
            expected = sorted(values)
        if values != expected:
            return f"argument {case.printed[0]} is {values}, not {expected}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="ptx-sim")
    parser.add_argument("--only", default=".")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    nvcc = find_nvcc()
    files = sorted({case.file for case in CASES})
    with tempfile.TemporaryDirectory() as folder:
        if options.update:
            for file in files:
                shutil.copy(compile_cuda(nvcc, file, folder), INPUTS)
            return 0
        sources = [("committed", {f: INPUTS / f"{f}.ptx" for f in files})]
        if nvcc:
            sources.append(("nvcc", {f: compile_cuda(nvcc, f, folder) for f in files}))
        failed = ran = 0
        for label, ptx in sources:
            for case in CASES:
                if not re.search(options.only, f"{case.file} {case.kernel}"):
                    continue
                ran += 1
                problem = run_case(options.program, ptx[case.file], case)
                if problem:
                    failed += 1
                    print(f"{label}: {case.file}.cu {case.kernel}: {problem}")
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
