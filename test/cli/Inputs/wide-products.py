# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says in how many bits the PTX of a CUDA file multiplies by numbers.

  wide-products.py FILE.cu 'NUMBER|...'
"""
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "test/ptx-sim"))

from corpus import find_nvcc  # noqa: E402

file, number = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "out.ptx"
    subprocess.run([find_nvcc(), "-ptx", "-std=c++17", "-arch=sm_80", "-I",
                    REPOSITORY / "runtime/include", "-o", out, file], check=True)
    products = re.findall(rf"\b(?:mul|mad)\.(\S+)\s[^;]*\b(?:{number})\b", out.read_text())
widths = {64 if kind in ("lo.s64", "wide.u32", "wide.s32") else 32 for kind in products}
if len(widths) != 1:
    sys.exit(f"products of {number}: {products}")
print(f"products of {number} have {widths.pop()} bits")
