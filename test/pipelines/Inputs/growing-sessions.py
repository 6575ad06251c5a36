# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sessions of a model hold whose caches grow, through the runtime's C interface.

    growing-sessions.py RUNTIME ABI BUILT OTHER

BUILT has the name of the folder of growing.py's model "shapes" with room for 48 rows and entries
that add 8 and 1 rows; OTHER that of the same model with room for 40. ABI is the runtime's header,
which says the version.
"""
import ctypes as c
import pathlib
import re
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).parents[2] / "codegen/Inputs"))
from tensors import Tensor  # noqa: E402

runtime, abi, built, other = sys.argv[1:]
fusec = c.CDLL(runtime)
fusec.fusec_last_error.restype = c.c_char_p
VERSION = int(re.search(r"ABI_VERSION (\d+)u", pathlib.Path(abi).read_text())[1])
LENGTH, KEY = b"past_length", b"past_key_values.0.key"
INVALID, BAD_STATE = 1, 10


class Session:
    def __init__(self, built):
        folder = pathlib.Path(pathlib.Path(built).read_text().strip())
        query = c.CDLL(folder.parent / "model.so").fusec_shapes_query
        query.restype = c.c_void_p
        model, self.handle = c.c_void_p(), c.c_void_p()
        assert not fusec.fusec_model_create(
            c.c_void_p(query(VERSION)), str(folder / "weights.bin").encode(), None,
            c.byref(model))
        assert not fusec.fusec_session_create(model, None, c.byref(self.handle))

    def run(self, *ids):
        """The logits of the last of the ids, or the status."""
        given = np.array([ids], np.int64)
        logits = np.zeros((1, len(ids), 32), np.float32)
        status = fusec.fusec_session_run(self.handle, c.byref(Tensor(given)), 1,
                                         c.byref(Tensor(logits)), 1)
        return status or logits[0, -1].tolist()

    def error(self):
        return fusec.fusec_last_error(self.handle).decode()

    def get(self, name, array):
        assert not fusec.fusec_session_get_state(self.handle, name, c.byref(Tensor(array)))
        return array

    def set(self, name, array):
        return fusec.fusec_session_set_state(self.handle, name, c.byref(Tensor(array)))

    def length(self):
        return int(self.get(LENGTH, np.zeros(1, np.int64))[0])

    def cache(self):
        return self.get(KEY, np.zeros((1, 4, 48, 8), np.float32))

    def save(self):
        size = c.c_uint64()
        assert not fusec.fusec_session_save(self.handle, None, c.c_uint64(0), c.byref(size))
        memory = c.create_string_buffer(size.value)
        assert not fusec.fusec_session_save(self.handle, memory, size, c.byref(size))
        return memory.raw

    def restore(self, saved):
        return fusec.fusec_session_restore(self.handle, saved, c.c_uint64(len(saved)))


PROMPT = 3, 1, 4, 1, 5, 9, 2, 6
one, two = Session(built), Session(built)
first = one.run(*PROMPT)
assert two.run(*PROMPT[::-1]) != first and two.run(7) != first
print("lengths", one.length(), "and", two.length())
assert not one.cache()[:, :, 8:].any() and one.cache()[:, :, :8].all()

# Each goes on from where it was, whatever the other one does.
kept = one.save()
after = one.run(5)
assert two.run(5) != after
assert not two.restore(kept) and two.length() == 8
assert two.run(5) == after, "another session that is restored"
assert one.save() == two.save()

# A length that is set back is another branch of the same text.
assert one.run(6) and not one.set(LENGTH, np.array([8])) and one.length() == 8
assert one.run(5) == after, "the length set back"
cache = one.cache()
assert not two.set(LENGTH, np.array([0])) and not two.set(KEY, np.zeros_like(cache))
assert not two.set(KEY, cache) and not two.set(LENGTH, np.array([8]))

# Lengths that there are not; a run is refused, and the caches stay.
for length in -1, 48, 49, 2**62:
    assert not one.set(LENGTH, np.array([length]))
    before = one.save()
    assert one.run(5) == INVALID and one.save() == before
    print("refused:", one.error())
    assert one.run(*PROMPT) == INVALID and one.save() == before
assert not one.set(LENGTH, np.array([41]))
assert one.run(*PROMPT) == INVALID, "8 rows behind 41 of 48"
assert not one.set(LENGTH, np.array([8])) and one.run(5) == after, "as before"

# States of other types, shapes and models, and damaged ones.
before = one.save()
assert one.set(LENGTH, np.array([8], np.int32)) == INVALID
print("refused:", one.error())
assert one.set(LENGTH, np.array([8, 8])) == INVALID
assert one.set(KEY, cache[:, :, :40].copy()) == INVALID
print("refused:", one.error())
small = Session(other)
assert small.run(5) != INVALID and small.length() == 1
assert one.restore(small.save()) == BAD_STATE
print("refused:", one.error())
assert small.restore(before) == BAD_STATE and small.length() == 1
assert one.restore(before[:-1]) == BAD_STATE
assert one.restore(before[:-1] + bytes([before[-1] ^ 1])) == BAD_STATE
assert one.save() == before

assert not fusec.fusec_session_reset(one.handle) and one.length() == 0
assert one.run(*PROMPT) == first, "from the start again"
print("held as they should be")
