#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas says of kernels for GPUs that nvcc compiles: nothing in local memory, nothing
spilled, and not more of a multiprocessor than was committed.

  .venv/bin/python test/device/resources.py          the models of SAMPLE, as in the suite:
                                                     local memory, and resources.txt
  .venv/bin/python test/device/resources.py --all    local memory of each kernel of the
                                                     end-to-end models, as tools/test.sh --soak
  .venv/bin/python test/device/resources.py --update           writes resources.txt
  .venv/bin/python test/device/resources.py --all --update     writes local-memory.json

Kernels of the target of each architecture in ARCHITECTURES are compiled for it. Bytes in
local-memory.json, of kernels that do use local memory, may only fall. In resources.txt
registers and shared memory may not rise, nor occupancy fall; registers of another version
of the compiler than the table's may be an eighth more. Works in <build>/resources.
"""
import collections
import json
import math
import multiprocessing.pool
import pathlib
import re
import shutil
import subprocess
import sys

import kernels

sys.path.append(str(kernels.REPOSITORY / "test/ptx-sim"))

import batch  # noqa: E402  (kernels.py says where it is)
from corpus import find_nvcc  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "resources.txt"
LOCAL = HERE / "local-memory.json"
# A model for each class of kernel, and whole networks.
SAMPLE = ("op_relu", "broadcast_row", "transpose_nhwc", "softmax_axis_1", "layer_norm_op",
          "gemm_alpha_beta", "matmul_blocks_of_k", "conv_3x3", "conv_depthwise",
          "maxpool_overlapping", "reduce_rows_and_columns", "parts_mean",
          "columns_of_a_matrix", "columns_in_parts", "argmax_axis_1", "cumsum_columns",
          "attention_masked", "mlp", "resnet_block", "bert_layer_op")
# Kernels that are compiled as one file: reading the vocabulary takes as long as two.
TOGETHER = 40

# Of a multiprocessor, by the CUDA programming guide's table of compute capabilities.
Multiprocessor = collections.namedtuple("Multiprocessor", "registers warps blocks shared")
ARCHITECTURES = {80: Multiprocessor(65536, 64, 32, 164 << 10),
                 90: Multiprocessor(65536, 64, 32, 228 << 10)}
WARP, REGISTER_UNIT, SHARED_UNIT, SHARED_OF_SYSTEM = 32, 256, 128, 1024


def round_up(value, unit):
    return -(-value // unit) * unit


def occupancy(limits, block, registers, shared):
    """Percent of the warps of a multiprocessor that are there at once."""
    warps = -(-block // WARP)
    # Warps come in fours, one for each of its quarters.
    by_registers = limits.registers // round_up(registers * WARP, REGISTER_UNIT) // 4 * 4
    by_shared = limits.shared // (round_up(shared, SHARED_UNIT) + SHARED_OF_SYSTEM)
    blocks = min(limits.blocks, limits.warps // warps, by_registers // warps, by_shared)
    return math.floor(100 * blocks * warps / limits.warps)


class Measure:
    """ptxas in a process of its own."""

    def __init__(self, programs):
        self.process = subprocess.Popen([programs / "device-simulate"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, source, architecture):
        """symbol -> resources."""
        request = {"measure": str(source), "arch": f"sm_{architecture}",
                   "includes": [str(kernels.INCLUDE)]}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "failure" in answer:
            raise batch.Failure(answer["failure"])
        return answer["kernels"]


def compile_all(cases, architecture, work, programs, pool):
    """[kernel], each that is not the same as another one; model -> why it has none."""
    failures = {}

    def compile_one(case):
        folder = work / f"sm_{architecture}" / case.name
        try:
            kernels.compile_model(programs, kernels.write_model(case, folder), folder / "src",
                                  case.options, f"cuda-sm{architecture}")
            return kernels.read_kernels(folder / "src")
        except batch.Failure as failure:
            failures[case.name] = str(failure)
            return []

    found = {}
    for of_model in pool.imap(compile_one, cases):
        for kernel in of_model:
            found.setdefault(kernel.key, kernel)
    shutil.rmtree(work / f"sm_{architecture}", ignore_errors=True)
    return list(found.values()), failures


def measure(found, architecture, work, programs, pool):
    """kernel -> resources."""
    parts = [found[at:at + TOGETHER] for at in range(0, len(found), TOGETHER)]

    def measure_part(numbered):
        number, part = numbered
        source = kernels.write_source(work / f"sm_{architecture}_{number}.cu",
                                      [(kernel, kernel.text) for kernel in part])
        process = Measure(programs)
        try:
            return part, process.ask(source, architecture)
        finally:
            process.close()

    return {kernel: answer[kernel.symbol]
            for part, answer in pool.imap(measure_part, enumerate(parts)) for kernel in part}


def describe_compiler():
    """As "nvcc 13.0"."""
    said = subprocess.run([find_nvcc(), "--version"], check=True, capture_output=True, text=True)
    return f"nvcc {re.search(r'release ([0-9.]+)', said.stdout)[1]}"


def check_local(taken, architecture, known):
    """Yields (kernel, reason) of what is in local memory beyond what `known` allows."""
    for kernel, resources in taken.items():
        allowed = known.get(kernel.symbol, {}).get(f"sm_{architecture}", 0)
        if resources["local_bytes"] > allowed:
            yield kernel, (f"{resources['local_bytes']} bytes of local memory, of which "
                           f"{resources['spill_bytes']} bytes are stored and loaded for want "
                           f"of registers; {allowed} are in {LOCAL.name}")


def row_of(kernel, resources, architecture):
    registers = resources["registers"]
    shared = resources["shared_bytes"] + kernel.requested_bytes
    return registers, shared, occupancy(ARCHITECTURES[architecture], kernel.block, registers,
                                        shared)


def read_table():
    """(the compiler, (architecture, symbol) -> row)."""
    compiler, rows = "", {}
    for line in TABLE.read_text().splitlines():
        if line.startswith("#"):
            compiler = line.partition("by ")[2] or compiler
        else:
            symbol, architecture, *numbers = line.split()
            rows[int(architecture[3:]), symbol] = tuple(int(n.rstrip("%")) for n in numbers)
    return compiler, rows


def write_table(rows, compiler):
    lines = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
             "# What a block takes of a multiprocessor, and the warps that are there at once:",
             f"# test/device/resources.py --update wrote it, by {compiler}",
             f"# {'kernel':66} {'':6} registers  shared  occupancy"]
    lines += [f"{symbol:68} sm_{architecture} {row[0]:9} {row[1]:8} {row[2]:9}%"
              for (architecture, symbol), row in sorted(rows.items(), key=lambda r: r[0][::-1])]
    TABLE.write_text("\n".join(lines) + "\n")


def check_row(row, committed, same_compiler):
    """Why a row is worse than the committed one, or None."""
    registers, shared, percent = row
    more = 0 if same_compiler else committed[0] // 8
    if registers > committed[0] + more:
        return f"{registers} registers, committed are {committed[0]}"
    if shared > committed[1]:
        return f"{shared} bytes of shared memory, committed are {committed[1]}"
    if percent < committed[2] and same_compiler:
        return f"an occupancy of {percent}%, committed are {committed[2]}%"
    return None


def check_table(rows, compiler):
    """Yields (symbol, reason) of what is worse than the table, or not in it."""
    committed_by, committed = read_table()
    for place, row in rows.items():
        if place not in committed:
            yield place[1], f"no row for sm_{place[0]} in {TABLE.name}; --update writes it"
        elif reason := check_row(row, committed[place], compiler == committed_by):
            yield place[1], f"sm_{place[0]}: {reason}; --update writes {TABLE.name}"
    for place in committed.keys() - rows.keys():
        yield place[1], f"sm_{place[0]}: is not there any more; --update writes {TABLE.name}"


def update_local(taken_by, others):
    """Writes what was measured, and leaves `others`, which were not."""
    known = collections.defaultdict(dict, others)
    for architecture, taken in taken_by.items():
        for kernel, resources in taken.items():
            if resources["local_bytes"]:
                known[kernel.symbol][f"sm_{architecture}"] = resources["local_bytes"]
    lines = [f"  {json.dumps(symbol)}: {json.dumps(known[symbol])}" for symbol in sorted(known)]
    LOCAL.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    parser = kernels.make_parser(__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    work, programs = args.build / "resources", args.build / "bin"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    cases = kernels.select_cases(args.all, SAMPLE, args.only)
    known, taken_by, rows, problems = json.loads(LOCAL.read_text()), {}, {}, []
    compiler = describe_compiler()
    with multiprocessing.pool.ThreadPool(args.jobs) as pool:
        for architecture in ARCHITECTURES:
            found, failures = compile_all(cases, architecture, work, programs, pool)
            problems += failures.items()
            taken = measure(found, architecture, work, programs, pool)
            taken_by[architecture] = taken
            if not (args.all and args.update):
                problems += [(kernel.symbol, reason) for kernel, reason
                             in check_local(taken, architecture, known)]
            rows |= {(architecture, kernel.symbol): row_of(kernel, resources, architecture)
                     for kernel, resources in taken.items()}
    if args.update:
        measured = {symbol for _, symbol in rows}
        others = {} if args.only == "." else \
            {symbol: value for symbol, value in known.items() if symbol not in measured}
        update_local(taken_by, others) if args.all else write_table(rows, compiler)
    elif not args.all and args.only == ".":
        problems += check_table(rows, compiler)
    for name, reason in problems:
        print(f"FAILED {name}: {reason}")
    count = sum(map(len, taken_by.values()))
    local = sum(bool(r["local_bytes"]) for taken in taken_by.values() for r in taken.values())
    print(f"{count} kernels, {local} of them with local memory, {len(problems)} problems")
    bad = dict(problems)
    names = {symbol for _, symbol in rows} | bad.keys()
    kernels.write_results(args.json, {f"{name}@resources": bad.get(name, "")
                                      for name in sorted(names)})
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
