# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""states-ctypes.py LIBRARY RUNTIME VERSION: states by the C interface, from Python: two sessions
of a model (states.py), what is saved and restored, and what is refused."""
import ctypes as c
import sys

import numpy as np

from tensors import Tensor

library, runtime, version = sys.argv[1:]
query = c.CDLL(library).fusec_s_query
query.restype = c.c_void_p
fusec = c.CDLL(runtime)
fusec.fusec_last_error.restype = c.c_char_p
fusec.fusec_status_name.restype = c.c_char_p
model = c.c_void_p()
assert not fusec.fusec_model_create(c.c_void_p(query(int(version))), None, None,
                                    c.byref(model))


class Session:
    def __init__(self):
        self.handle = c.c_void_p()
        assert not fusec.fusec_session_create(model, None, c.byref(self.handle))

    def check(self, status):
        if status:
            print(fusec.fusec_status_name(status).decode() + ":",
                  fusec.fusec_last_error(self.handle).decode())
        return not status

    def run(self, x, at):
        x, at = np.full((2, 4), x, np.float32), np.full((1, 1), at, np.int64)
        y = np.empty((2, 4), np.float32)
        assert self.check(fusec.fusec_session_run(
            self.handle, (Tensor * 2)(Tensor(x), Tensor(at)), 2, c.byref(Tensor(y)), 1))
        return y[0, 0]

    def save(self):
        size = c.c_uint64()
        assert not fusec.fusec_session_save(self.handle, None, 0, c.byref(size))
        saved = c.create_string_buffer(size.value)
        assert not fusec.fusec_session_save(self.handle, saved, size, c.byref(size))
        return saved.raw

    def restore(self, saved):
        return self.check(fusec.fusec_session_restore(self.handle, saved,
                                                      c.c_uint64(len(saved))))


one, other = Session(), Session()
# Rows 0 and 1 become 1 and 2; their sum is 1, then 3, and is added up.
print(one.run(1, 0), one.run(2, 1), other.run(5, 0))
saved = one.save()
print(one.run(1, 0), one.restore(saved), one.run(1, 0), other.restore(saved), other.run(1, 0))
rows = np.empty((8, 4), np.float32)
assert one.check(fusec.fusec_session_get_state(one.handle, b"rows_in", c.byref(Tensor(rows))))
print(rows[:, 0].tolist())
one.check(fusec.fusec_session_set_state(one.handle, b"rows_in", c.byref(Tensor(rows[:4]))))
one.restore(saved[:-1])
one.restore(saved.replace(b"FUSECST1", b"FUSECST0"))
print(one.run(1, 0))
assert one.check(fusec.fusec_session_reset(one.handle))
print(one.run(1, 0))
