#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of a warp (mma.sync) of floats of 16 bits, tf32 and integers of 8 and 4
bits, in every shape and layout, against NumPy: fragments lie as the PTX ISA says.

  mma.py PTX-SIM

All numbers are small integers, so that each sum is exact in any type.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4}
# m, k (n is 8), the types of A, B and the sums.
SHAPES = ([(16, k, "f16", "f16", sums) for k in (8, 16) for sums in ("f32", "f16")] +
          [(16, k, "bf16", "bf16", "f32") for k in (8, 16)] +
          [(16, k, "tf32", "tf32", "f32") for k in (4, 8)] +
          [(m, k, a, b, "s32") for m, k in ((8, 16), (16, 16), (16, 32))
           for a in ("s8", "u8") for b in ("s8", "u8")] +
          [(m, k, a, b, "s32") for m, k in ((8, 32), (16, 32), (16, 64))
           for a in ("s4", "u4") for b in ("s4", "u4")])
# m8n8k4 of f16 is four products, each of eight lanes: the layouts of A and B, the types of D
# and C.
QUADS = [(a, b, d, c) for a in ("row", "col") for b in ("row", "col")
         for d, c in (("f32", "f32"), ("f16", "f16"), ("f16", "f32"))]
N, LANES = 8, 32


def encode(values, kind):
    """The bits of numbers, as unsigned integers."""
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16)
    if kind in ("bf16", "tf32", "f32"):
        bits = values.astype(np.float32).view(np.uint32)
        return bits >> 16 if kind == "bf16" else bits
    return values.astype(np.int64) & ((1 << BITS.get(kind, 32)) - 1)


def decode(words, kind):
    if kind == "f16":
        return words.astype(np.uint16).view(np.float16)
    return words.astype(np.uint32).view(np.float32 if kind == "f32" else np.int32)


def places_of_a(m, k, per):
    """Row and column of each element that a lane has, lane by lane; `per` in a register."""
    group, inside = np.divmod(np.arange(LANES)[:, None], 4)
    register, element = np.divmod(np.arange(m * k // LANES)[None], per)
    down = register % 2 if m == 16 else 0 * register
    across = register // 2 if m == 16 else register
    return group + 8 * down, across * 4 * per + inside * per + element


def places_of_b(k, per):
    group, inside = np.divmod(np.arange(LANES)[:, None], 4)
    register, element = np.divmod(np.arange(k * N // LANES)[None], per)
    return register * 4 * per + inside * per + element, group + 0 * element


def places_of_sums(m):
    group, inside = np.divmod(np.arange(LANES)[:, None], 4)
    element = np.arange(m * N // LANES)[None]
    return group + 8 * (element // 2), inside * 2 + element % 2


def quad_places(layout):
    """Of A, row and column of each of the four elements that a lane has; of B, those of its
    transpose. Lanes from 16 on have the lower half."""
    lane, element = np.arange(LANES)[:, None], np.arange(4)[None]
    if layout == "row":
        return lane % 4 + lane // 16 * 4, element + 0 * lane
    return element + lane // 16 * 4, lane % 4 + 0 * element


def quad_places_of_sums(kind):
    lane, element = np.arange(LANES)[:, None], np.arange(8)[None]
    if kind == "f16":
        return lane % 4 + lane // 16 * 4, element + 0 * lane
    return (lane & 1) + (element & 2) + lane // 16 * 4, (element & 4) + (lane & 2) + (element & 1)


def pack(elements, bits):
    """Elements of each lane, in registers of 32 bits."""
    per = 32 // bits
    parts = elements.astype(np.uint64).reshape(LANES, -1, per)
    return (parts << (np.arange(per, dtype=np.uint64) * np.uint64(bits))).sum(-1)


def unpack(words, bits):
    parts = words[..., None] >> (np.arange(32 // bits, dtype=np.uint64) * np.uint64(bits))
    return (parts & np.uint64((1 << bits) - 1)).reshape(LANES, -1)


def registers(first, count):
    return "{" + ", ".join(f"%r{first + i}" for i in range(count)) + "}"


def write_kernel(operation, fragments, results):
    """Each lane loads its registers, multiplies, and stores those of the result."""
    words = np.concatenate(fragments, axis=1)
    total = words.shape[1]
    lines = [".version 8.0", ".target sm_80", ".address_size 64",
             f".global .align 4 .b32 data[{words.size}] = {{{', '.join(map(str, words.flat))}}};",
             ".visible .entry product(.param .u64 to)", "{",
             ".reg .b32 %r<40>; .reg .b32 %lane; .reg .b64 %from, %to;",
             "mov.u32 %lane, %tid.x;", "mov.u64 %from, data;",
             f"mad.wide.u32 %from, %lane, {4 * total}, %from;", "ld.param.u64 %to, [to];",
             f"mad.wide.u32 %to, %lane, {4 * results}, %to;"]
    lines += [f"ld.global.u32 %r{i}, [%from+{4 * i}];" for i in range(total)]
    first, operands = 0, []
    for fragment in fragments:
        operands.append(registers(first, fragment.shape[1]))
        first += fragment.shape[1]
    lines += [f"mma.sync.aligned.{operation} {registers(total, results)}, "
              f"{', '.join(operands)};"]
    lines += [f"st.global.u32 [%to+{4 * i}], %r{total + i};" for i in range(results)]
    return "\n".join(lines + ["}", ""])


def multiply(simulator, path, operation, fragments, results):
    """The registers of the result, lane by lane."""
    path.write_text(write_kernel(operation, fragments, results))
    done = subprocess.run([simulator, "run", path, "--kernel", "product", "--grid", "1",
                           "--block", str(LANES), "--args", f"u32[{LANES * results}]=nan",
                           "--print", "1"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return np.array(done.stdout.split(":")[1].split(), np.uint64).reshape(LANES, results)


def numbers(rng, kind, *shape):
    low, high = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8),
                 "u4": (0, 16)}.get(kind, (-4, 5))
    return rng.integers(low, high, shape)


def is_right(simulator, path, rng, m, k, a, b, sums):
    left, right, start = (numbers(rng, a, m, k), numbers(rng, b, k, N), numbers(rng, sums, m, N))
    place = places_of_sums(m)
    bits = 16 if sums == "f16" else 32
    fragments = [pack(encode(left, a)[places_of_a(m, k, 32 // BITS[a])], BITS[a]),
                 pack(encode(right, b)[places_of_b(k, 32 // BITS[b])], BITS[b]),
                 pack(encode(start, sums)[place], bits)]
    words = multiply(simulator, path, f"m{m}n{N}k{k}.row.col.{sums}.{a}.{b}.{sums}", fragments,
                     fragments[2].shape[1])
    found = np.zeros((m, N))
    found[place] = decode(unpack(words, bits), sums)
    return (found == left @ right + start).all()


def is_quad_right(simulator, path, rng, layout_a, layout_b, d, c):
    left, right, start = (numbers(rng, "f16", 4, *shape) for shape in ((8, 4), (4, 8), (8, 8)))
    quad = np.arange(LANES)[:, None] % 16 // 4
    flipped = {"row": "col", "col": "row"}[layout_b]
    of_c, of_d = quad_places_of_sums(c), quad_places_of_sums(d)
    bits = {"f16": 16, "f32": 32}
    fragments = [pack(encode(left, "f16")[(quad, *quad_places(layout_a))], 16),
                 pack(encode(right.swapaxes(1, 2), "f16")[(quad, *quad_places(flipped))], 16),
                 pack(encode(start, c)[(quad, *of_c)], bits[c])]
    words = multiply(simulator, path, f"m8n8k4.{layout_a}.{layout_b}.{d}.f16.f16.{c}", fragments,
                     bits[d] // 4)
    found = np.zeros((4, 8, 8))
    found[(quad, *of_d)] = decode(unpack(words, bits[d]), d)
    return (found == left @ right + start).all()


def main():
    rng, wrong = np.random.default_rng(0), 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "product.ptx"
        for check, cases in ((is_right, SHAPES), (is_quad_right, QUADS)):
            for case in cases:
                if not check(sys.argv[1], path, rng, *case):
                    wrong += 1
                    print("WRONG", check.__name__, *case)
    total = len(SHAPES) + len(QUADS)
    print(f"{total - wrong} of {total} shapes are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
