# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays as the C interface takes them, by ctypes."""
import ctypes as c

import numpy as np

CODES = {np.dtype(kind): code for kind, code in ((np.float32, 1), (np.int32, 6), (np.int64, 7),
                                                 (np.bool_, 9))}


class Tensor(c.Structure):
    """fusec_tensor: an array that is contiguous, which it keeps."""
    _fields_ = [("data", c.c_void_p), ("bytes", c.c_uint64), ("dims", c.POINTER(c.c_int64)),
                ("rank", c.c_uint32), ("dtype", c.c_uint32)]

    def __init__(self, array):
        self.array = array
        super().__init__(array.ctypes.data, array.nbytes, array.ctypes.shape_as(c.c_int64),
                         array.ndim, CODES[array.dtype])
