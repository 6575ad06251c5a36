# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random-entries.py FUSEC FIRST COUNT: random graphs with the dimensions batch and seq, each
compiled for several extents of both, with --pad where fusec proves that it may.

Each entry, and each smaller extent that it pads, is held against the reference interpreter,
and two of them against ONNX Runtime. Prints how many graphs were padded, and how many were
refused; a graph that is refused is compiled without --pad. A graph follows from its number
alone. Works in the current folder.
"""
import subprocess
import sys

import numpy as np
import onnxruntime

from padding import Graph

WIDTH = 8


def pointwise(g, x):
    kind = g.random.choice(["Relu", "Tanh", "Sigmoid", "Neg", "Abs"])
    return g.op(str(kind), x)


def product(g, x):
    return g.linear(x, WIDTH, WIDTH)


def norm(g, x):
    return g.norm(x, WIDTH)


def channels(g, x):
    return g.op("Softmax", x, axis=-1)


def halves(g, x):
    first, second = g.op("Split", x, axis=-1, outputs=2)
    return g.op("Concat", second, first, axis=-1)


def flat(g, x):
    """Rows of batch and seq together, and apart again."""
    y = g.linear(g.op("Reshape", x, g.const([-1, WIDTH])), WIDTH, WIDTH)
    shape = g.op("Concat", g.extent(x, 0), g.extent(x, 1), g.const([WIDTH]), axis=0)
    return g.op("Reshape", y, shape)


def turned(g, x):
    y = pointwise(g, g.op("Transpose", x, perm=[1, 0, 2]))
    return g.op("Transpose", y, perm=[1, 0, 2])


def positions(g, x):
    table = g.op("Slice", g.weight(32, WIDTH), g.const([0]), g.extent(x, 1), g.const([0]))
    return g.op("Add", x, table)


def masked_sum(g, x):
    """The sum of each row times its share."""
    share = g.op("Unsqueeze", g.share, g.const([2]))
    total = g.op("ReduceSum", g.op("Mul", x, share), g.const([1]), keepdims=1)
    return g.op("Add", x, g.op("Mul", total, g.scalar(0.1)))


def masked_attention(g, x):
    bias = g.op("Mul", g.op("Sub", g.scalar(1), g.op("Unsqueeze", g.mask, g.const([1]))),
                g.scalar(-10000))
    scores = g.op("MatMul", x, g.op("Transpose", product(g, x), perm=[0, 2, 1]))
    return g.op("MatMul", g.op("Softmax", g.op("Add", scores, bias), axis=-1), x)


def causal_attention(g, x):
    length = g.extent(x, 1)
    table = g.op("Slice", g.const(np.tri(32, dtype=bool)[None], bool), g.const([0, 0]),
                 g.op("Concat", length, length, axis=0), g.const([1, 2]))
    scores = g.op("MatMul", x, g.op("Transpose", product(g, x), perm=[0, 2, 1]))
    scores = g.op("Where", table, scores, g.scalar(-1e9))
    return g.op("MatMul", g.op("Softmax", scores, axis=-1), x)


# These mix rows, and are to be refused.

def mean(g, x):
    return g.op("Add", x, g.op("ReduceMean", x, axes=[int(g.random.integers(2))], keepdims=1))


def largest(g, x):
    return g.op("Add", x, g.op("ReduceMax", x, axes=[1], keepdims=1))


def bare_attention(g, x):
    scores = g.op("MatMul", x, g.op("Transpose", x, perm=[0, 2, 1]))
    return g.op("MatMul", g.op("Softmax", scores, axis=-1), x)


def window(g, x):
    y = g.op("Conv", g.op("Transpose", x, perm=[0, 2, 1]), g.weight(WIDTH, WIDTH, 3), pads=[1, 1])
    return g.op("Transpose", y, perm=[0, 2, 1])


def sums(g, x):
    return g.op("CumSum", x, g.const(1))


def flipped(g, x):
    return g.op("Slice", x, g.const([-1]), g.const([-2**62]), g.const([1]), g.const([-1]))


ROWS = [pointwise, product, norm, channels, halves, flat, turned, positions, masked_sum,
        masked_attention, causal_attention]
MIXING = [mean, largest, bare_attention, window, sums, flipped]


def make(number, path):
    g = Graph()
    g.random = np.random.default_rng(number)
    x = y = g.input("x", "batch", "seq", WIDTH)
    # Of the interpreter's random numbers a mask may be all zeros: what it is padded with has
    # to be less, which the other one is not.
    g.mask, g.share = g.input("mask", "batch", "seq"), g.input("share", "batch", "seq")
    kinds = [*ROWS, *MIXING] if number % 3 == 2 else ROWS
    for _ in range(g.random.integers(2, 6)):
        y = kinds[g.random.integers(len(kinds))](g, y)
    g.output(y, "y", "batch", "seq", WIDTH)
    # All inputs are read.
    kept = g.op("Unsqueeze", g.op("Add", g.mask, g.share), g.const([2]))
    g.output(g.op("Mul", kept, x), "kept", "batch", "seq", WIDTH)
    if g.random.integers(2):
        g.output(g.op("Gather", y, g.const(0), axis=1), "first", "batch", WIDTH)
    g.save(path)
    return g


def main(fusec, first, count):
    padded = refused = 0
    for number in range(int(first), int(first) + int(count)):
        path = f"g{number}.onnx"
        make(number, path)
        random = np.random.default_rng(number)
        batches, lengths = ([int(n) for n in np.sort(random.choice(top, 2, replace=False)) + 1]
                            for top in (3, 6))
        options = [f"--dim=batch={batches[0]},{batches[1]}",
                   f"--dim=seq={lengths[0]},{lengths[1]}"]

        def run(command, *more):
            return subprocess.run([fusec, command, path, *options, *more], text=True,
                                  capture_output=True)
        options += ["--pad=seq", *(["--pad=batch"] if number % 2 else [])]
        verified = run("verify")
        is_padded = verified.returncode == 0
        if not is_padded:
            assert verified.returncode == 2, f"graph {number}: {verified.stdout}{verified.stderr}"
            options = options[:2]
            verified = run("verify")
        assert verified.returncode == 0, f"graph {number}: {verified.stdout}{verified.stderr}"
        padded, refused = padded + is_padded, refused + (not is_padded)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        for _ in range(2):
            batch = random.choice(batches)
            seq = random.integers(1, lengths[1] + 1) if is_padded else random.choice(lengths)
            given = {"x": random.random((batch, seq, WIDTH), np.float32) * 2 - 1,
                     "mask": random.integers(0, 2, (batch, seq)).astype(np.float32),
                     "share": random.random((batch, seq), np.float32)}
            given["mask"][:, 0] = 1
            names = [output.name for output in session.get_outputs()]
            arguments = []
            for name, value in given.items():
                np.save(f"{name}.npy", value)
                arguments.append(f"--input={name}={name}.npy")
            for name, value in zip(names, session.run(names, given)):
                np.save(f"{name}.npy", value)
                arguments.append(f"--check={name}={name}.npy")
            ran = run("run", *arguments)
            assert ran.returncode == 0, f"graph {number}, {batch} x {seq}: {ran.stdout}{ran.stderr}"
    print(f"{padded} padded, {refused} refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
