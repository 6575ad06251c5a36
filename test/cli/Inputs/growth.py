# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the time that fusec takes grows with a graph's length, and not with its square.

  growth.py FUSEC FOLDER

Compiles graphs of some kinds with `SMALL` nodes and with four times as many. What is compared
is CPU time, which other programs on the machine hardly change, and a kind gets several
attempts: four times the nodes may take at most `MOST` times as long, twice as many 2.3
times. From the length follow 4 times, from its square 16.
"""
import pathlib
import re
import resource
import struct
import subprocess
import sys

SMALL, TIMES, MOST, ATTEMPTS = 1000, 4, 5.3, 3
TYPE, VECTOR, MATRIX = "tensor<4x256xf32>", "tensor<256xf32>", "tensor<16x16xf32>"


def unary(n):
    """One after the other; tanh is much text, so that this is many groups."""
    for i in range(n):
        yield f"%v{i + 1} = fuse.{('tanh', 'neg', 'abs', 'exp')[i % 4]} %v{i} : {TYPE}"


def binary(n):
    """Each with an input that all of them read."""
    for i in range(n):
        yield f"%v{i + 1} = fuse.{('add', 'mul', 'sub', 'maximum')[i % 4]} %v{i}, %y : {TYPE}"


def constants(n):
    """Each with a number of its own."""
    for i in range(n):
        yield f"%c{i} = fuse.constant dense<{0.5 + i % 7 * 0.01:.2f}> : tensor<f32>"
        yield f"%b{i} = fuse.broadcast %c{i} dims = [] : tensor<f32> -> {TYPE}"
        yield f"%v{i + 1} = fuse.{('add', 'mul')[i % 2]} %v{i}, %b{i} : {TYPE}"


def weights(n):
    """Each with a vector of its own."""
    for i in range(n):
        yield f"%w{i} = fuse.get_weight @w{i} : {VECTOR}"
        yield f"%b{i} = fuse.broadcast %w{i} dims = [1] : {VECTOR} -> {TYPE}"
        yield f"%v{i + 1} = fuse.{('add', 'mul')[i % 2]} %v{i}, %b{i} : {TYPE}"


def multiply(i, operand, result):
    maps = ("[affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
            "affine_map<(m, n, k) -> (m, n)>]")
    yield f"%w{i} = fuse.get_weight @w{i} : {MATRIX}"
    yield (f"%p{result} = fuse.contract %p{operand}, %w{i} maps = {maps} : tensor<4x16xf32>, "
           f"{MATRIX} -> tensor<4x16xf32>")


FIRST = f"%p0 = fuse.slice %v0 offsets = [0, 0] strides = [1, 1] : {TYPE} -> tensor<4x16xf32>"


def products(n):
    """Each with a matrix of its own: they are combined."""
    yield FIRST
    for i in range(n):
        yield from multiply(i, i, i + 1)


def layers(n):
    """Products with a function behind each, which are not combined."""
    yield FIRST
    for i in range(0, n, 2):
        yield from multiply(i, i, i + 1)
        yield f"%p{i + 2} = fuse.abs %p{i + 1} : tensor<4x16xf32>"


def inputs(n):
    """Each with an input of its own."""
    for i in range(n):
        yield f"%v{i + 1} = fuse.{('add', 'mul')[i % 2]} %v{i}, %x{i} : {TYPE}"


def diamonds(n):
    """Two readers of each third value, which meet in the next one."""
    for i in range(0, n - 2, 3):
        yield f"%v{i + 1} = fuse.tanh %v{i} : {TYPE}"
        yield f"%v{i + 2} = fuse.abs %v{i} : {TYPE}"
        yield f"%v{i + 3} = fuse.add %v{i + 1}, %v{i + 2} : {TYPE}"


def apart(n):
    """A value that everything behind it reads, at both ends of the graph."""
    yield f"%s = fuse.neg %y : {TYPE}"
    for i in range(0, n - 1, 2):
        yield f"%v{i + 1} = fuse.exp %v{i} : {TYPE}"
        yield f"%v{i + 2} = fuse.add %v{i + 1}, %s : {TYPE}"


# With the last stage: what isl schedules of many statements takes its own time.
KINDS = {unary: "", binary: "", constants: "", weights: "", products: "", layers: "",
         inputs: "", diamonds: "fuse-split", apart: "fuse-split"}


def write(kind, n, path):
    lines = list(kind(n))
    text, last, result = "\n".join(lines), lines[-1].split()[0], lines[-1].split()[-1]
    arguments = "".join(f", {x}: {TYPE}" for x in re.findall(r"%x\d+", text))
    weights = re.findall(r"get_weight @(w\d+) : (.*)", text)
    # The alignment, then 256 numbers, of which one differs from those of other weights.
    data = [f'{name}: "0x04000000{(struct.pack("f", i + 1) + bytes(4 * 255)).hex()}"'
            for i, (name, _) in enumerate(weights)]
    path.write_text(
        "".join(f"fuse.weight @{name} = dense_resource<{name}> : {of}\n"
                for name, of in weights)
        + f"func.func @main(%v0: {TYPE}, %y: {TYPE}{arguments}) -> {result} {{\n{text}\n"
        + f"return {last} : {result}\n}}\n"
        + "{-# dialect_resources: { builtin: {\n" + ",\n".join(data) + "\n} } #-}\n")


def measure(command):
    """Seconds of CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    fusec, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    slow = 0
    for kind, until in KINDS.items():
        models = []
        for n in (SMALL, SMALL * TIMES):
            models.append(folder / f"{kind.__name__}{n}.mlir")
            write(kind, n, models[-1])
        to = ["--until", until] if until else ["-o", folder / "out"]
        seconds = [float("inf")] * 2
        for _ in range(ATTEMPTS):
            seconds = [min(known, measure([fusec, "compile", model, *to]))
                       for known, model in zip(seconds, models)]
            if seconds[1] <= MOST * seconds[0]:
                break
        else:
            slow += 1
            print(f"{kind.__name__}: {seconds[0]:.2f} s, of {TIMES} times as many nodes "
                  f"{seconds[1]:.2f} s")
    print("slow" if slow else f"{len(KINDS)} kinds grow with their length")


main()
