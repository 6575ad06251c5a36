# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a folder that looks like CUDA's, with its libraries, and an nvcc that compiles
nothing; prints where that is.

  no-nvcc.py FOLDER
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "ptx-sim"))

from corpus import find_nvcc  # noqa: E402

folder = pathlib.Path(sys.argv[1])
(folder / "bin").mkdir(parents=True)
nvcc = folder / "bin/nvcc"
nvcc.write_text("#!/bin/sh\nexit 3\n")
nvcc.chmod(0o755)
root = pathlib.Path(find_nvcc()).resolve().parents[1]
for name in ("lib", "lib64"):
    if (root / name).exists():
        (folder / name).symlink_to(root / name)
print(nvcc)
