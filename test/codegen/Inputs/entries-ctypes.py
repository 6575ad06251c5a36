# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""entries-ctypes.py LIBRARY WEIGHTS VERSION: a shared library with several entries, by
ctypes: arrays say which entry runs."""
import ctypes as c
import sys

import numpy as np

from tensors import Tensor


library, weights, version = sys.argv[1:]
fusec = c.CDLL(library)
fusec.fusec_net_query.restype = c.c_void_p
fusec.fusec_last_error.restype = c.c_char_p
model, session = c.c_void_p(), c.c_void_p()
query = c.c_void_p(fusec.fusec_net_query(int(version)))
assert not fusec.fusec_model_create(query, weights.encode(), None, c.byref(model))
assert not fusec.fusec_session_create(model, None, c.byref(session))


def run(batch, seq):
    x, gate = np.ones((batch, seq, 16), np.float32), np.zeros(16, np.float32)
    y, last = np.empty((batch, seq, 24), np.float32), np.empty((batch, 24), np.float32)
    gates = np.empty(16, np.float32)
    status = fusec.fusec_session_run(session, (Tensor * 2)(Tensor(x), Tensor(gate)), 2,
                                     (Tensor * 3)(Tensor(y), Tensor(last), Tensor(gates)), 3)
    if status:
        return print(fusec.fusec_last_error(session).decode())
    assert (last == y[:, 0]).all() and (gates == 0.5).all()
    print("ran", y.shape)


run(4, 8)
run(1, 16)
run(2, 8)
run(4, 16)
