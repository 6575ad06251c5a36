#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptx-sim counts of accesses whose cost is known: conflicts of banks, sectors of
global memory. The output must be valid by the committed schema.

  counts.py PTX-SIM

A warp accesses `step` bytes apart, `width` bytes a thread. 32 banks of 4 bytes serve all
lanes at once, those of half a warp where each wants 8 bytes, of a quarter where 16; what
different words of a bank take longer than the worst case without them is a conflict. A
sector has 32 bytes.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "tools/ptx-sim/schemas/run.schema.json"
TYPES = {1: "u8", 2: "b16", 4: "b32", 8: "v2.b32", 16: "v4.b32"}
# width and step in bytes, and conflicts of one request of a warp.
SHARED = [(4, 4, 0), (4, 8, 1), (4, 16, 3), (4, 128, 31), (4, 132, 0), (4, 0, 0),
          (1, 1, 0), (2, 2, 0), (2, 128, 31), (8, 8, 0), (8, 16, 2), (16, 16, 0),
          (16, 32, 4), (16, 128, 28)]
# width, step and first byte, lanes that access, and sectors.
GLOBAL = [(4, 4, 0, 32, 4), (4, 4, 4, 32, 5), (4, 8, 0, 32, 8), (4, 32, 0, 32, 32),
          (4, 128, 0, 32, 32), (4, 0, 0, 32, 1), (4, 4, 0, 16, 2), (4, 4, 0, 1, 1),
          (1, 1, 0, 32, 1), (1, 1, 16, 32, 2), (2, 2, 0, 32, 2), (8, 8, 0, 32, 8),
          (16, 16, 0, 32, 16), (16, 16, 16, 32, 17), (16, 64, 0, 32, 32)]
BYTES = 8192  # that are accessed at most


def kernel(space, width, step, first, lanes):
    """Each thread loads once; of shared memory, one stores first what all load."""
    registers = "{%r0, %r1, %r2, %r3}" if width == 16 else "{%r0, %r1}" if width == 8 else "%r0"
    half = "%h0" if width == 2 else registers
    lines = [".version 8.0", ".target sm_80", ".address_size 64",
             ".visible .entry count(.param .u64 from)", "{",
             ".reg .b16 %h<2>; .reg .b32 %r<4>; .reg .b32 %lane, %at; .reg .b64 %from;",
             ".reg .pred %out;", f".shared .align 16 .b8 all[{BYTES}];",
             "mov.u32 %lane, %tid.x; and.b32 %lane, %lane, 31;"]
    if space == "shared":
        lines += ["mov.u32 %at, all;", f"mad.lo.u32 %at, %lane, {step}, %at;", "mov.u32 %r0, 0;",
                  "mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.b16 %h0, 0;",
                  "setp.ne.u32 %out, %lane, 0;" if not step else "setp.ne.u32 %out, 0, 0;",
                  f"@!%out st.shared.{TYPES[width]} [%at], {half};", "bar.sync 0;",
                  f"ld.shared.{TYPES[width]} {half}, [%at];"]
    else:
        lines += ["ld.param.u64 %from, [from];", f"mad.wide.u32 %from, %lane, {step}, %from;",
                  f"setp.lt.u32 %out, %lane, {lanes};",
                  f"@%out ld.global.{TYPES[width]} {half}, [%from+{first}];"]
    return "\n".join(lines + ["ret;", "}", ""])


def counts(simulator, path, text, block, grid, schema):
    path.write_text(text)
    done = subprocess.run([simulator, "run", path, "--kernel", "count", "--grid", str(grid),
                           "--block", str(block), "--args", f"u8[{BYTES}]=zero", "--json"],
                          capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    jsonschema.validate(found, schema)
    return found["counts"]


def main():
    schema = json.loads(SCHEMA.read_text())
    simulator, wrong, cases = sys.argv[1], 0, []
    for width, step, conflicts in SHARED:
        accesses = 32 if step else 1
        cases.append((f"shared {width} {step}", kernel("shared", width, step, 0, 32), 1, 1, {
            "shared_requests": 2, "bank_conflicts": conflicts * 2, "barriers": 1,
            "shared_load_bytes": 32 * width, "shared_store_bytes": accesses * width,
            "global_requests": 0, "global_sectors": 0, "sectors_per_request": 0}))
    for width, step, first, lanes, sectors in GLOBAL:
        for warps, blocks in ((1, 1), (2, 3)):
            times = warps * blocks
            cases.append((f"global {width} {step} {first} {lanes}",
                          kernel("global", width, step, first, lanes), warps, blocks, {
                              "global_requests": times, "global_sectors": times * sectors,
                              "sectors_per_request": sectors, "global_store_bytes": 0,
                              "global_load_bytes": times * lanes * width, "barriers": 0,
                              "vector_share": int(width == 16), "shared_requests": 0,
                              "bank_conflicts": 0}))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "count.ptx"
        for name, text, warps, blocks, expected in cases:
            found = counts(simulator, path, text, 32 * warps, blocks, schema)
            off = {key: found[key] for key in expected if found[key] != expected[key]}
            if off:
                wrong += 1
                print(f"WRONG {name}: {off}, not { {key: expected[key] for key in off} }")
    print(f"{len(cases) - wrong} of {len(cases)} are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
