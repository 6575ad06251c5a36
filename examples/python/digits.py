#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""digits.py LIBRARY WEIGHTS IMAGES.npy LOGITS.npy: runs a compiled model from Python."""
import ctypes as c, sys
import numpy as np

class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("bytes", c.c_uint64), ("dims", c.POINTER(c.c_int64)),
                ("rank", c.c_uint32), ("dtype", c.c_uint32)]
    def __init__(self, array, dtype=1):  # 1: f32; the codes are those of ONNX
        assert array.flags.c_contiguous
        super().__init__(array.ctypes.data, array.nbytes,
                         array.ctypes.shape_as(c.c_int64), array.ndim, dtype)

def check(status):
    if status:
        raise RuntimeError(fusec.fusec_last_error(session).decode())

library, weights, images, logits = sys.argv[1:]
fusec = c.CDLL(library)
fusec.fusec_digits_query.restype = c.c_void_p
fusec.fusec_last_error.restype = c.c_char_p
model, session = c.c_void_p(), c.c_void_p()
check(fusec.fusec_model_create(c.c_void_p(fusec.fusec_digits_query(17)), weights.encode(),
                               None, c.byref(model)))
check(fusec.fusec_session_create(model, None, c.byref(session)))
image = np.ascontiguousarray(np.load(images), np.float32).reshape(320, 1, 8, 8)
result = np.empty((320, 10), np.float32)
check(fusec.fusec_session_run(session, c.byref(Tensor(image)), 1, c.byref(Tensor(result)), 1))
np.save(logits, result)
print("read as", *result[:8].argmax(axis=1))
