#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of codes have the same bits by the kernels of each instruction set that this
machine has, as loops (`naive`), on several threads, unfused by those of the best one (which
the other compiler makes), and integers in the interpreter and by kernels for GPUs in their
simulator, too.

  .venv/bin/python test/e2e/bits.py [BUILD [WORK [NETWORK...]]]

Outputs of floats are held to that where nothing that a compiler may contract is rounded
twice: products of exact sums of integers, or numbers so round that each step of a sum is
exact. What else is f32 (the block of `block`, behind its first sums) has a multiply-add on
some instruction sets and not on others, and is held to the table of tolerances; so is what
the interpreter and GPUs multiply in another order. Codes are at most one apart from those of
ONNX Runtime without its optimisations; what it multiplies by MatMulInteger is held to that on
processors with VNNI, as on others its own sums of pairs saturate. Exit code 1 if any bits
differ.
"""
import pathlib
import sys

import numpy as np
import onnx

import batch
import device
import oracle
import project
from builder import DTYPES, Case, Graph
from cases.microsoft_quantized import MICROSOFT, dynamic_lstm, nbits
from model import Test

# Options, and the instruction sets that kernels are compiled for: all, or the best one.
MODES = {"fused": ((), ()), "unfused": (("--no-fuse",), [project.best_isa()])}
# Kernels are optimised as far as compilers contract sums and products.
FLAGS = (("-O0",), ("-O2",), 12000)


class Codes:
    """A tensor of codes of 8 bits, with what decodes them."""

    def __init__(self, g, name, scale, zero):
        self.g, self.name = g, name
        self.decoding = g.scalar(scale), g.weight(np.array(zero, np.uint8))

    def numbers(self):
        return self.g.op("DequantizeLinear", self.name, *self.decoding)


def encode(g, y, scale, zero):
    codes = Codes(g, None, scale, zero)
    codes.name = g.op("QuantizeLinear", y, *codes.decoding)
    return codes


def weight(g, shape, code, axis):
    """Constant codes with a scale and a zero point for each index of the dimension `axis`."""
    low, high = (-127, 127) if code == "i8" else (0, 255)
    n = shape[axis]
    zeros = np.zeros(n) if code == "i8" else g.rng.integers(0, 256, n)
    codes = g.rng.integers(low, high + 1, shape).astype(DTYPES[code])
    return g.op("DequantizeLinear", g.weight(codes),
                g.weight(g.rng.uniform(0.002, 0.02, n).astype(np.float32)),
                g.weight(zeros.astype(DTYPES[code])), axis=axis)


def any_codes(g, name, shape, scale, zero):
    codes = g.rng.integers(0, 256, shape).astype(np.uint8)
    return Codes(g, g.input(name, value=codes), scale, zero)


def convolutions():
    """A residual block: convolutions, one of them depthwise, a sum, a maximum."""
    g = Graph("bits_conv")
    x = any_codes(g, "x", (1, 19, 9, 11), 0.0137, 117)
    y = g.op("Conv", x.numbers(), weight(g, (35, 19, 3, 3), "i8", 0),
             g.weight((35,), "f32", scale=0.5), pads=[1] * 4)
    y = encode(g, g.op("Relu", y), 0.0219, 3)
    y = g.op("Conv", y.numbers(), weight(g, (35, 1, 3, 3), "i8", 0), group=35, pads=[1] * 4)
    y = encode(g, y, 0.0173, 131)
    y = g.op("Conv", y.numbers(), weight(g, (19, 35, 1, 1), "i8", 0), g.weight((19,), "f32"))
    y = encode(g, y, 0.0311, 120)
    y = encode(g, g.op("Add", y.numbers(), x.numbers()), 0.0337, 118)
    g.output(y.name, dtype="u8")
    y = encode(g, g.op("MaxPool", y.numbers(), kernel_shape=[3, 3], strides=[2, 2]), 0.0337, 118)
    g.output(y.name, dtype="u8")
    return exact(g)


def exact(g):
    return Case(g, "exact", lambda *_: oracle.run_onnxruntime(g.build(), g.inputs, optimises=False))


def products():
    """Gemm with all zero points; codes times codes; the operators of ONNX on integers."""
    g = Graph("bits_gemm")
    x = any_codes(g, "x", (13, 70), 0.0137, 117)
    y = g.op("Gemm", x.numbers(), weight(g, (70, 37), "u8", 1), g.weight((37,), "f32"))
    y = encode(g, y, 0.13, 111)
    g.output(y.name, dtype="u8")
    z = any_codes(g, "z", (37, 21), 0.021, 255)
    g.output(encode(g, g.op("MatMul", y.numbers(), z.numbers()), 0.71, 128).name, dtype="u8")
    w = g.weight(g.rng.integers(-128, 128, (70, 33)).astype(np.int8))
    g.output(g.op("MatMulInteger", x.name, w, x.decoding[1]), dtype="i32")
    return exact(g)


def few_bits():
    """MatMulNBits of level 4. Rows of several blocks are codes times powers of two, and so
    are scales; rows of a single block are any, and multiplied once."""
    g = Graph("bits_nbits")
    for bits, n in ((4, 33), (8, 1100)):  # of fewer bytes floats would be made
        for m in (3, 37):
            x = np.asarray(g.rng.integers(-127, 128, (m, 80)), np.float32)
            x[:, ::16] = 127
            y = nbits_of_powers(g, g.input(f"x{bits}_{m}", value=x / 64), n, bits)
            g.output(y, dtype="f32")
            x = g.input(f"any{bits}_{m}", (m, 64), low=-2, high=3)
            g.output(nbits(g, x, 64, n, 64, bits=bits, level=4), dtype="f32")
    return Case(g, "reduction")


def nbits_of_powers(g, x, n, bits):
    b = g.rng.integers(0, 256, (n, 5, 16 * bits // 8)).astype(np.uint8)
    scales = 2.0 ** g.rng.integers(-6, -3, (n, 5))
    zeros = g.rng.integers(0, 256, (n, -(-5 * bits // 8))).astype(np.uint8)
    bias = g.rng.integers(-64, 64, n) / 64
    return g.op("MatMulNBits", x, g.weight(b), g.weight(scales, "f32"), g.weight(zeros), None,
                g.weight(bias, "f32"), K=80, N=n, block_size=16, bits=bits, accuracy_level=4,
                **MICROSOFT)


def recurrent():
    """A step of an LSTM in both directions, whose functions round nothing."""
    g = Graph("bits_lstm")
    x = g.input("x", (1, 3, 40), low=-2, high=3)
    y = dynamic_lstm(g, x, 40, 17, code="u8", zero=131, columns=True, directions=2, batch=3,
                     bias=False, activations=["Relu"] * 6)
    return Case(g.output(*y, dtype="f32"), "network")


def block():
    """A layer of BERT with dynamic codes. The codes of its input and their sums are integers;
    what follows is f32, whose codes may be others."""
    g, width, heads = Graph("bits_block"), 32, 4

    def product(x, out):
        codes, scale, zero = g.op("DynamicQuantizeLinear", x, outputs=3)
        shape = (int(sizes[x]), out)
        w = g.weight(g.rng.integers(-127, 128, shape).astype(np.int8))
        sums = g.op("MatMulInteger", codes, w, zero)
        factor = g.op("Mul", scale, g.scalar(0.004))
        y = g.op("Mul", g.op("Cast", sums, to=1), factor)
        y = g.op("Add", y, g.weight((out,), "f32"))
        sizes[y] = out
        return y, codes, sums
    sizes = {}
    x = g.input("x", (1, 11, width), low=-2, high=3)
    sizes[x] = width
    parts = []
    for _ in range(3):
        y, codes, sums = product(x, width)
        g.output(codes, dtype="u8").output(sums, dtype="i32")
        y = g.op("Reshape", y, g.const(1, 11, heads, width // heads))
        turned = [0, 2, 3, 1] if len(parts) == 1 else [0, 2, 1, 3]  # keys
        parts.append(g.op("Transpose", y, perm=turned))
    scores = g.op("Mul", g.op("MatMul", parts[0], parts[1]), g.scalar(0.35))
    y = g.op("MatMul", g.op("Softmax", scores, axis=-1), parts[2])
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.const(1, 11, width))
    sizes[y] = width
    y = g.op("Add", product(y, width)[0], x)
    y = g.op("LayerNormalization", y, g.weight((width,), "f32"), axis=-1)
    sizes[y] = width
    y = g.op("Relu", product(y, 2 * width)[0])
    sizes[y] = 2 * width
    g.output(product(y, width)[0], dtype="f32")
    return Case(g, "network")


INTERPRETER = "fusec-ref"
OTHER_ORDERS = (INTERPRETER, device.TARGET)
CASES = (convolutions, products, few_bits, recurrent, block)


def compare(test, results):
    """`results`: where it ran -> bytes of the outputs. Returns what differs."""
    found = []
    (first, bits), *others = results.items()
    for where, other in others:
        for at, name in enumerate(test.outputs):
            isRounded = test.name == "bits_block" or where in OTHER_ORDERS
            if isRounded and test.dtypes[at] == np.float32:
                got, want = (batch.decode(raw[at], test.dtypes[at], test.expected[at].shape)
                             for raw in (other, bits))
                difference = oracle.compare(got, want, test.case.tolerance)
                if difference:
                    found.append(f"{test.name}: {name}, {first} and {where}: {difference}")
            elif other[at] != bits[at]:
                found.append(f"{test.name}: {name} has other bits: {first} and {where}")
    saturates = not project.has_vnni() and any(
        node.op_type == "MatMulInteger" for node in onnx.load(test.model).graph.node)
    for at, want in enumerate(() if saturates else test.expected):
        got = batch.decode(bits[at], test.dtypes[at], want.shape)
        if test.dtypes[at] == np.float32:
            difference = oracle.compare(got, want, test.case.tolerance)
        else:
            apart = np.abs(got.astype(np.int64) - want.astype(np.int64)).max()
            difference = f"{apart} apart" if apart > (test.dtypes[at] != np.int32) else None
        if difference:
            found.append(f"{test.name}: {test.outputs[at]} and ONNX Runtime's: {difference}")
    return found


def read(folder, configuration, count):
    return [(folder / f"{configuration}_{i}.bin").read_bytes() for i in range(count)]


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else project.REPOSITORY / "build").resolve()
    work = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else build / "bits"
    named = set(sys.argv[3:])
    unknown = named - {make.__name__ for make in CASES}
    if unknown:
        raise batch.Failure(f"there is no network {' or '.join(sorted(unknown))}")
    tests = [Test(make(), work / make.__name__) for make in CASES
             if not named or make.__name__ in named]
    folders = {mode: {} for mode in MODES}
    for test in tests:
        batch.interpret(build / "bin" / "fusec-ref", test)
        for mode, (options, _) in MODES.items():
            name = f"{test.name}_{mode}"
            folders[mode][name] = test.folder / mode
            batch.run_program([build / "bin" / "fusec", "compile", test.model, *options, "--name",
                               name, "-o", test.folder / mode], batch.COMPILE_SECONDS)
    results, ways = {test.name: {} for test in tests}, set()
    compilers = project.compilers((build / "CMakeCache.txt").read_text())
    for number, (mode, (_, isas)) in enumerate(MODES.items()):
        built = project.Project(work / mode, build, compilers[number % len(compilers)], 2,
                                isas=isas, flags=FLAGS)
        broken = built.build(folders[mode])
        if broken:
            raise batch.Failure(str(broken))
        for test in tests:
            for configuration in built.run(f"{test.name}_{mode}", test.folder, 1):
                results[test.name][f"{configuration}, {mode}"] = \
                    read(test.folder, configuration, len(test.outputs))
                ways.add(configuration)
    for test in tests:
        device.simulate(build / "bin" / "fusec", test, test.folder / "cache", "sim")
        for where, label in ((INTERPRETER, "ref"), (device.TARGET, "sim")):
            results[test.name][where] = read(test.folder, label, len(test.outputs))
    differences = [text for test in tests for text in compare(test, results[test.name])]
    for text in differences:
        print(text)
    print(f"{len(tests)} models, fused and unfused, as {', '.join(sorted(ways))}, and for "
          f"{device.TARGET}: {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
