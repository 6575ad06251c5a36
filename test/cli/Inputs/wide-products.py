# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the PTX of a CUDA file multiplies by numbers in 64 bits only.

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
narrow = [kind for kind in products if kind not in ("lo.s64", "wide.u32", "wide.s32")]
sys.exit(f"{narrow} among {products}" if narrow or not products else
         print(f"products of {number} have 64 bits"))
