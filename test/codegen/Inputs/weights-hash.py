# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the identifier of each folder's weights.bin, and that in its sources, with the
hash of the file, computed as runtime/include/fusec/weights_hash.h says.

  weights-hash.py FOLDER...
"""
import pathlib
import struct
import sys

PRIME, MASK = 0x9e3779b97f4a7c15, (1 << 64) - 1


def turn(x):
    return x ^ x >> 29


def hash_of(data):
    lanes = [1, 2, 3, 4]
    for begin in range(0, len(data), 32):
        words = struct.unpack_from("<4Q", data, begin)
        lanes = [turn((lane ^ word) * PRIME & MASK) for lane, word in zip(lanes, words)]
    result = 0
    for lane in lanes:
        result = turn((result ^ lane) * PRIME & MASK)
    return turn(result * PRIME & MASK)


for folder in map(pathlib.Path, sys.argv[1:]):
    data = (folder / "weights.bin").read_bytes()
    magic, size, identifier = struct.unpack_from("<8sQQ", data)
    if size != len(data) or identifier != hash_of(data[64:]):
        sys.exit(f"{folder}: the header says {identifier:x}, the hash is {hash_of(data[64:]):x}")
    sources = [path for path in folder.glob("*.cpp") if "weights_id=" in path.read_text()]
    if not sources or any(f"0x{identifier:x}u" not in path.read_text() for path in sources):
        sys.exit(f"{folder}: {sources} do not have {identifier:x}")
