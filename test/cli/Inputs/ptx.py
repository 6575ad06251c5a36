# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the PTX that nvcc makes of a CUDA file of emitted kernels.

  ptx.py FILE.cu
"""
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "test/ptx-sim"))

from corpus import find_nvcc  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "out.ptx"
    subprocess.run([find_nvcc(), "-ptx", "-std=c++17", "-arch=sm_80", "-I",
                    REPOSITORY / "runtime/include", "-o", out, sys.argv[1]], check=True)
    print(out.read_text())
