# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and expected outputs of a case in a pack: files/data.h has the format."""
import struct
import zlib

import numpy as np

import oracle
from builder import FLOATS, dtype_name

# Inputs of more bytes are made where they are needed.
MOST_BYTES = 2048
# Elements of an output that are compared.
MOST_ELEMENTS = 256
MADE = ("f32", "f64", "i32", "i64")


def make(seed, low, high, like):
    """As makeInput of files/data.cpp."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, like.size + 1, dtype=np.uint64) * np.uint64(
            0x9e3779b97f4a7c15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
        z ^= z >> np.uint64(31)
    values = low + (z >> np.uint64(11)).astype(np.float64) * 2.0**-53 * (high - low)
    if like.dtype.kind == "i":
        values = np.floor(values)
    return values.astype(like.dtype).reshape(like.shape)


def plan_inputs(case):
    """Puts inputs that can be made in place of the case's large ones, of the same range.
    Returns {name: (seed, low, high)}."""
    made = {}
    for name, array in case.graph.inputs.items():
        if array.nbytes <= MOST_BYTES or dtype_name(array) not in MADE or \
                not np.all(np.isfinite(array)):
            continue
        low, high = float(array.min()), float(array.max())
        if array.dtype.kind == "i":
            high += 1
        made[name] = (zlib.crc32(f"{case.name} {name}".encode()), low, high)
        case.graph.inputs[name] = make(*made[name], array)
    return made


def pick(size):
    """Places all over an output, the first and the last among them."""
    if size <= MOST_ELEMENTS:
        return np.arange(size, dtype=np.uint64)
    return np.unique(np.linspace(0, size - 1, MOST_ELEMENTS).astype(np.uint64))


def find_others(expected):
    """(number, code) of each further code of one byte that means what an element does:
    zeros and NaNs of short floats have several, and short integers bits that are not
    theirs."""
    if expected.dtype.itemsize > 1:
        return
    codes = np.arange(256, dtype=np.uint8)
    values = codes.view(expected.dtype)
    for i, one in enumerate(expected):
        same = (values == one) | ((values != values) & (one != one))
        for code in codes[same]:
            if code != expected.view(np.uint8)[i]:
                yield i, int(code)


def write_output(expected, dtype, op_class, scale, simulated):
    places = pick(expected.size)
    flat = np.ascontiguousarray(expected).reshape(-1)
    name = dtype_name(np.empty(0, dtype))
    is_float = name in FLOATS
    parts = [struct.pack("<IQ", not is_float, places.size), places.tobytes()]
    if is_float:
        allowed = np.broadcast_to(oracle.allowed_errors(expected, name, op_class, scale),
                                  expected.shape).reshape(-1)
        parts += [flat[places].astype(np.float64).tobytes(),
                  allowed[places].astype(np.float64).tobytes()]
    else:
        parts.append(flat[places].tobytes())
        others = list(find_others(flat[places]))
        parts.append(struct.pack("<Q", len(others)))
        parts += [struct.pack("<QB", i, code) for i, code in others]
    parts.append(struct.pack("<I", simulated is not None))
    if simulated is not None:
        parts.append(np.frombuffer(simulated, dtype)[places].tobytes())
    return b"".join(parts)


def write(test, made, simulated):
    """The bytes of data.bin of a test; `simulated` has the bytes of each output, or is
    None."""
    inputs = test.case.graph.inputs
    parts = [b"FUSECPK1", struct.pack("<I", len(inputs))]
    for name, array in inputs.items():
        if name in made:
            parts.append(struct.pack("<IQdd", 1, *made[name]))
        else:
            parts += [struct.pack("<IQ", 0, array.nbytes), array.tobytes()]
    parts.append(struct.pack("<I", len(test.expected)))
    for i, expected in enumerate(test.expected):
        parts.append(write_output(expected, test.dtypes[i], test.case.tolerance,
                                  test.scales[i], simulated and simulated[i]))
    return b"".join(parts)
