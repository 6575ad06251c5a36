#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the machine code of emitted kernels: values must stay in registers.

  registers.py WORK-FOLDER COMPILER...   compiles layers for some targets and checks
  registers.py --self-test               whether the reader sees what it is to see

Of each kernel the hot loop is read: the innermost one with the most multiply-adds, or
multiplications where the processor has none, or else additions; of a convolution the one
that does not ask where the image ends. No vector of it may be on the stack, for a spilled
accumulator costs a store and a load in every iteration, and few addresses; and where
there are 32 registers of 512 bits and a tile fills them, those above the 16th are used:
for any CPU too, whose emitted text has tiles for AVX-512 beside those for AVX2.
"""
import pathlib
import re
import subprocess
import sys

# Row of the table of targets -> the instruction sets that its code is read for.
TARGETS = {"generic": ["avx2", "avx512"], "portable": ["baseline"], "zen4": ["avx512"],
           "sapphire-rapids": ["avx512"]}
# Kernels whose tile is chosen to fill the registers.
TILED = {"gemm", "gemm_f64", "conv3x3", "conv1x1", "strided", "rgb"}
KERNELS = TILED | {"depthwise", "sum", "sum_f64"}

# Addresses that may come from the stack, beside a multiply-add each.
ADDRESSES = 0.25
# Row -> kernels that do spill there. The taps of a 3x3 window stand side by side, and the
# tile of 2x16 leaves no register for their products: beside 72 of them g++ 12 has 116 to
# 124 vectors on the stack, clang 22 up to 4. In a loop over the taps there would be none.
SPILLS = {"portable": {"conv3x3", "strided", "rgb"}}


# ---- The model ----

# Element type -> the alignment and the element 1 of a resource, in hexadecimal digits.
ONES = {"f32": ("04000000", "0000803F"), "f64": ("08000000", "000000000000F03F")}


class Layers:
    """One function, each of whose results is a layer of its own. Tensors are of `type`."""

    def __init__(self):
        self.weights, self.data, self.arguments = [], [], []
        self.body, self.results = [], []
        self.type = "f32"

    def tensor(self, *shape):
        return f"tensor<{'x'.join(map(str, shape))}x{self.type}>"

    def argument(self, name, *shape):
        self.arguments.append(f"%{name}: {self.tensor(*shape)}")
        return f"%{name}"

    def weight(self, name, *shape):
        count = 1
        for extent in shape:
            count *= extent
        self.weights.append(f"fuse.weight @{name} = dense_resource<{name}> : "
                            f"{self.tensor(*shape)}")
        alignment, one = ONES[self.type]
        self.data.append(f'{name}: "0x{alignment}{one * count}"')
        self.body.append(f"%{name} = fuse.get_weight @{name} : {self.tensor(*shape)}")
        return f"%{name}"

    def layer(self, name, operation, *shape):
        self.body.append(f'%{name} = {operation} loc("{name}")')
        self.results.append((name, self.tensor(*shape)))

    def gemm(self, name, m, n, k):
        x, w = self.argument(f"{name}_x", m, k), self.weight(f"{name}_w", k, n)
        self.layer(name, f"fuse.matmul {x}, {w} : {self.tensor(m, k)}, {self.tensor(k, n)}"
                         f" -> {self.tensor(m, n)}", m, n)

    def conv(self, name, channels, size, filters, kernel, stride=1, groups=1):
        pad = kernel // 2
        extent = (size + 2 * pad - kernel) // stride + 1
        shapes = [(1, channels, size, size), (filters, channels // groups, kernel, kernel),
                  (1, filters, extent, extent)]
        x, w = self.argument(f"{name}_x", *shapes[0]), self.weight(f"{name}_w", *shapes[1])
        types = [self.tensor(*shape) for shape in shapes]
        self.layer(name, f"fuse.conv {x}, {w} {{strides = array<i64: {stride}, {stride}>, "
                         f"dilations = array<i64: 1, 1>, pad_low = array<i64: {pad}, {pad}>, "
                         f"pad_high = array<i64: {pad}, {pad}>, groups = {groups} : i64}} : "
                         f"({types[0]}, {types[1]}) -> {types[2]}", *shapes[2])

    def sum(self, name, rows, columns):
        x = self.argument(f"{name}_x", rows, columns)
        self.layer(name, f"fuse.reduction sum {x} dims = [1] : {self.tensor(rows, columns)}"
                         f" -> {self.tensor(rows, 1)}", rows, 1)

    def text(self):
        types = ", ".join(kind for _, kind in self.results)
        values = ", ".join(f"%{name}" for name, _ in self.results)
        return "\n".join([
            "module @layers {", *self.weights,
            f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{", *self.body,
            f"return {values} : {types}", "}", "}",
            "{-# dialect_resources: { builtin: {", ",\n".join(self.data), "} } #-}", ""])


def model():
    layers = Layers()
    layers.gemm("gemm", 256, 512, 512)
    layers.conv("conv3x3", 64, 56, 64, 3)
    layers.conv("conv1x1", 64, 56, 256, 1)
    layers.conv("strided", 128, 56, 128, 3, stride=2)
    layers.conv("depthwise", 96, 56, 96, 3, groups=96)
    layers.conv("rgb", 3, 112, 32, 3, stride=2)
    layers.sum("sum", 1024, 1024)
    layers.type = "f64"
    layers.gemm("gemm_f64", 256, 512, 512)
    layers.sum("sum_f64", 1024, 1024)
    return layers.text()


# ---- objdump ----

def functions(disassembly):
    """Yields (name, [(address, instruction)]) of each function."""
    name, body = None, []
    for line in disassembly.splitlines():
        if label := re.match(r"^[0-9a-f]+ <(.*)>:$", line):
            if name:
                yield name, body
            name, body = label[1], []
        elif instruction := re.match(r"^\s+([0-9a-f]+):\s+(\S.*)$", line):
            body.append((int(instruction[1], 16), instruction[2]))
    if name:
        yield name, body


def innermost_loops(body):
    """Yields the instructions of each loop in which there is no other: from where a jump
    goes back to, up to the jump."""
    addresses = {address for address, _ in body}
    spans = {(int(jump[1], 16), address) for address, text in body
             if (jump := re.match(r"j\w+\s+([0-9a-f]+)\b", text))
             and int(jump[1], 16) <= address and int(jump[1], 16) in addresses}
    for begin, end in sorted(spans):
        if not any(begin <= b and e <= end for b, e in spans - {(begin, end)}):
            yield [text for address, text in body if begin <= address <= end]


def arithmetic(loop):
    """The multiply-adds of a loop, its multiplications, or its additions."""
    def find(pattern):
        return [text for text in loop if re.match(pattern, text)]

    return find(r"vfn?m(add|sub)\d+p[sd]\b.*%[yz]mm") or find(r"mulp[sd]\b.*%xmm") or \
        find(r"(vaddp[sd]\b.*%[yz]mm|addp[sd]\b.*%xmm)")


def hottest(loops):
    """Of those with about the most arithmetic the one that asks the least: what computes
    the border of an image has as many multiply-adds as what computes the rest."""
    most = max(len(arithmetic(loop)) for loop, _ in loops)
    return min((pair for pair in loops if 2 * len(arithmetic(pair[0])) > most),
               key=lambda pair: (sum(bool(re.match(r"j|cmov|set|test|cmp", text))
                                     for text in pair[0]),
                                 -len(arithmetic(pair[0])), len(pair[0])))


def hot_loops(disassembly):
    """Kernel -> (its hot loop, whether %rbp is the frame there)."""
    found = {}
    for name, body in functions(disassembly):
        kernel = re.search(r"::(\w+?)_default(?:_avx2|_avx512)?\(", name)
        if not kernel:
            continue
        frame = any(re.match(r"mov\s+%rsp,%rbp", text) for _, text in body)
        loops = [(loop, frame) for loop in innermost_loops(body) if arithmetic(loop)]
        found.setdefault(kernel[1], []).extend(loops)
    return {kernel: hottest(loops) for kernel, loops in found.items() if loops}


def stack_accesses(loop, frame):
    base = "%r(sp|bp)" if frame else "%rsp"
    return [text for text in loop if re.search(rf"\({base}[,)]", text)]


def uses_high_registers(loop):
    return any(int(number) >= 16 for text in arithmetic(loop)
               for number in re.findall(r"%zmm(\d+)", text))


def problems_of(disassembly, isa, spills=()):
    """Yields what is wrong with the kernels of one object, but for those in `spills`."""
    found = hot_loops(disassembly)
    for kernel in sorted(KERNELS - found.keys()):
        yield f"{kernel}: has no loop on vectors"
    for kernel, (loop, frame) in sorted(found.items()):
        stack = stack_accesses(loop, frame)
        vectors = [text for text in stack if re.search(r"%[xyz]mm", text)]
        if vectors and kernel not in spills or \
                len(stack) - len(vectors) > ADDRESSES * len(arithmetic(loop)):
            yield (f"{kernel}: {len(stack)} accesses to the stack beside "
                   f"{len(arithmetic(loop))} multiply-adds: {(vectors or stack)[0]}")
        if kernel in TILED and isa == "avx512" and not uses_high_registers(loop):
            yield f"{kernel}: no register above zmm15 in its {len(loop)} instructions"


# ---- Programs ----

def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}")
    return result.stdout


def check(work, compiler, target):
    """Yields what is wrong with the code for one row of the table of targets."""
    isas = TARGETS[target]
    build = work / f"{target}-{compiler}"
    run("cmake", "-S", work / target, "-B", build, "-G", "Ninja",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DFUSEC_KERNEL_ISAS={';'.join(isas)}")
    run("cmake", "--build", build, "--target", *(f"layers_kernels_{isa}" for isa in isas))
    for isa in isas:
        [binary] = build.glob(f"**/layers_kernels_{isa}.dir/layers_kernels.cpp.o")
        code = run("objdump", "-d", "-C", "--no-show-raw-insn", binary)
        for problem in problems_of(code, isa, SPILLS.get(target, ())):
            yield f"{compiler}, {target}, {isa}: {problem}"


PLANTED = """
0000000000000000 <ns::gemm_default(float const*)::{lambda(long, long)#1}::operator()(long, long) const>:
   0:\tpush   %rbp
   4:\tmov    0x8(%rsp),%rax
   8:\tvfmadd231ps (%rcx),%zmm17,%zmm1
   c:\tvmovups %zmm2,-0x40(%rsp)
  10:\tvfmadd213ps 0x0(%rbp,%rax,1),%zmm0,%zmm3
  14:\tjne    8 <ns::gemm_default(float const*)+0x8>
  18:\tvaddps %zmm0,%zmm1,%zmm2
  1c:\tjb     18 <ns::gemm_default(float const*)+0x18>
  20:\tjmp    4 <ns::gemm_default(float const*)+0x4>
"""


def self_test():
    [(loop, frame)] = hot_loops(PLANTED).values()
    assert len(loop) == 4 and not frame, loop
    assert stack_accesses(loop, frame) == ["vmovups %zmm2,-0x40(%rsp)"]
    framed = PLANTED.replace("mov    0x8(%rsp),%rax", "mov    %rsp,%rbp")
    [(loop, frame)] = hot_loops(framed).values()
    assert frame and len(stack_accesses(loop, frame)) == 2
    assert uses_high_registers(loop)
    said = list(problems_of(PLANTED, "avx512"))
    assert "gemm: 1 accesses to the stack beside 2 multiply-adds: vmovups %zmm2,-0x40(%rsp)" \
        in said, said
    assert "conv3x3: has no loop on vectors" in said, said
    addresses = PLANTED.replace("vmovups %zmm2,-0x40(%rsp)", "mov 0x38(%rsp),%r15")
    assert "gemm: 1 accesses to the stack beside 2 multiply-adds: mov 0x38(%rsp),%r15" in \
        list(problems_of(addresses, "avx512"))
    low = PLANTED.replace("%zmm17", "%zmm7").replace("-0x40(%rsp)", "(%rdx)")
    assert "gemm: no register above zmm15 in its 4 instructions" in \
        list(problems_of(low, "avx512"))
    named = low.replace("gemm_default", "gemm_default_avx512")
    assert "gemm: no register above zmm15 in its 4 instructions" in \
        list(problems_of(named, "avx512"))
    assert not [text for text in problems_of(low, "avx2") if text.startswith("gemm:")]
    portable = PLANTED.replace("vfmadd231ps (%rcx),%zmm17,%zmm1", "mulps  (%rcx),%xmm1") \
        .replace("vfmadd213ps 0x0(%rbp,%rax,1),%zmm0,%zmm3", "mulps  %xmm2,%xmm0") \
        .replace("vmovups %zmm2", "movaps %xmm2").replace("vaddps %zmm0,%zmm1", "addps  %xmm0")
    said = list(problems_of(portable, "baseline", ["rgb"]))
    assert "gemm: 1 accesses to the stack beside 2 multiply-adds: movaps %xmm2,-0x40(%rsp)" \
        in said, said
    said = list(problems_of(portable, "baseline", ["gemm"]))
    assert not [text for text in said if text.startswith("gemm:")], said
    border = PLANTED.replace("   c:\tvmovups %zmm2,-0x40(%rsp)", "   c:\tcmovb  %rax,%rcx")
    [(loop, _)] = hot_loops(PLANTED + border).values()
    assert stack_accesses(loop, False), loop
    [(loop, _)] = hot_loops(border + PLANTED).values()
    assert stack_accesses(loop, False), loop
    print("what is planted is seen")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    work = pathlib.Path(sys.argv[1])
    source = work / "layers.mlir"
    source.write_text(model())
    problems = []
    for target in TARGETS:
        run("fusec", "compile", source, "-o", work / target, f"--cpu={target}")
        for compiler in sys.argv[2:]:
            problems += check(work, compiler, target)
    print("\n".join(problems) or "every hot loop stays in registers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
