# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""native_row.py MODEL.json: whether --cpu=native took the row for this machine's features."""
import json
import pathlib
import platform
import sys

row = json.loads(pathlib.Path(sys.argv[1]).read_text())["cpu"]
flags = set()
if platform.machine() == "x86_64":
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split())
expected = ("sapphire-rapids-amx" if {"avx512_fp16", "amx_int8", "amx_bf16"} <= flags else
            "sapphire-rapids" if "avx512_fp16" in flags else
            "zen4" if "avx512_bf16" in flags else
            "neon" if platform.machine() == "aarch64" else
            "generic" if "avx2" in flags else "portable")
sys.exit(None if row == expected else f"--cpu=native is {row} here, expected {expected}")
