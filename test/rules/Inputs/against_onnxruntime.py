# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs MODEL with RULES and compares its labels with ONNX Runtime's, in the folder WORK.

  against_onnxruntime.py MODEL RULES WORK
"""
import pathlib
import subprocess
import sys

import numpy as np
import onnxruntime

model, rules, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
x = np.random.default_rng(1).standard_normal((8, 16)).astype(np.float32)
np.save(work / "x.npy", x)
subprocess.run(["fusec", "run", model, "--rules", rules, "--input", f"x={work}/x.npy",
                "--output", f"label={work}/label.npy"], check=True, stdout=subprocess.DEVNULL)
expected, = onnxruntime.InferenceSession(model).run(None, {"x": x})
found = np.load(work / "label.npy")
if len(set(expected)) < 3 or not np.array_equal(found, expected):
    sys.exit(f"labels {found}, and ONNX Runtime's are {expected}")
