#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""normed.py LIBRARY MODEL: runs a model with operators of one's own in ONNX Runtime."""
import pathlib
import sys

import numpy as np
import onnxruntime

library, model = sys.argv[1:]
options = onnxruntime.SessionOptions()
options.register_custom_ops_library(str(pathlib.Path(library).resolve()))
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

x = np.random.default_rng(0).standard_normal((32, 48)).astype(np.float32)
y, = session.run(None, {"x": x})

# The same by NumPy; g and c are weights of the model.
twice = x + x
mean = twice.mean(-1, keepdims=True)
variance = ((twice - mean) ** 2).mean(-1, keepdims=True)
g = np.linspace(0.5, 1.5, 48, dtype=np.float32)
c = np.linspace(-1, 1, 48, dtype=np.float32)
norm = (twice - mean) / np.sqrt(variance + 1e-5) * g + c
expected = np.log1p(np.exp(norm - 1)) - 0.08 * norm
print(f"{y.shape}, at most {np.abs(y - expected).max():.1e} from NumPy's")
