#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets a machine without AVX-512 run code that was written for it.

  retarget.py IN.ll OUT.ll

IN.ll is what clang makes of a file with AVX-512 intrinsics. Nearly all of them are
generic LLVM IR by then (selects, masked loads, fma), which compiles for any x86-64
once the function attributes no longer ask for AVX-512. The few that are still
intrinsics are replaced by functions that do what Intel's manual says. An intrinsic
that is not known here is an error.
"""
import re
import sys

F = "<16 x float>"


def lanes(first):
    """The indices of every other lane of 32."""
    return ", ".join(f"i32 {lane}" for lane in range(first, 32, 2))


# Intrinsic -> (name, parameter types, body). %0, %1, ... are the parameters.
def look_up():
    """Each lane of %1 says which of the 32 lanes of %0 and %2 is taken."""
    lines = ["", "  %both = shufflevector <16 x i32> %0, <16 x i32> %2, <32 x i32> <"
             + ", ".join(f"i32 {lane}" for lane in range(32)) + ">"]
    made = "poison"
    for lane in range(16):
        lines += [f"  %i{lane} = extractelement <16 x i32> %1, i32 {lane}",
                  f"  %n{lane} = and i32 %i{lane}, 31",
                  f"  %e{lane} = extractelement <32 x i32> %both, i32 %n{lane}",
                  f"  %v{lane} = insertelement <16 x i32> {made}, i32 %e{lane}, i32 {lane}"]
        made = f"%v{lane}"
    return "\n".join(lines + [f"  %r = freeze <16 x i32> {made}", "  ret <16 x i32> %r"])


FUNCTIONS = {
    "vpermi2var.d.512": ("look_up", "<16 x i32>, <16 x i32>, <16 x i32>", look_up()),
    # With all lanes, and of the rounding mode that nothing here changes.
    "mask.cvtps2dq.512": ("nearest", f"{F}, <16 x i32>, i16, i32", f"""
  %w = call {F} @llvm.roundeven.v16f32({F} %0)
  %r = fptosi {F} %w to <16 x i32>
  ret <16 x i32> %r"""),
    "mask.pmov.db.512": ("bytes", "<16 x i32>, <16 x i8>, i16", """
  %r = trunc <16 x i32> %0 to <16 x i8>
  ret <16 x i8> %r"""),
    "mask.pmov.dw.512": ("words", "<16 x i32>, <16 x i16>, i16", """
  %r = trunc <16 x i32> %0 to <16 x i16>
  ret <16 x i16> %r"""),
    "max.ps.512": ("max", f"{F}, {F}, i32", f"""
  %c = fcmp ogt {F} %0, %1
  %r = select <16 x i1> %c, {F} %0, {F} %1
  ret {F} %r"""),
    "min.ps.512": ("min", f"{F}, {F}, i32", f"""
  %c = fcmp olt {F} %0, %1
  %r = select <16 x i1> %c, {F} %0, {F} %1
  ret {F} %r"""),
    # The vocabulary passes a full mask to the ones named mask, but for this one.
    "mask.scalef.ps.512": ("scalef", f"{F}, {F}, {F}, i16, i32", f"""
  %f = call {F} @llvm.floor.v16f32({F} %1)
  %n = call <16 x i32> @llvm.fptosi.sat.v16i32.v16f32({F} %f)
  %l = call {F} @llvm.ldexp.v16f32.v16i32({F} %0, <16 x i32> %n)
  %m = bitcast i16 %3 to <16 x i1>
  %r = select <16 x i1> %m, {F} %l, {F} %2
  ret {F} %r"""),
    # By the table of the vocabulary alone: a NaN of the second operand, made quiet, or
    # else the first one.
    "mask.fixupimm.ps.512": ("fixupimm", f"{F}, {F}, <16 x i32>, i32, i16, i32", f"""
  %c = fcmp uno {F} %1, zeroinitializer
  %q = fmul {F} %1, splat (float 1.0)
  %r = select <16 x i1> %c, {F} %q, {F} %0
  ret {F} %r"""),
    "mask.vcvtps2ph.512": ("ps2ph", f"{F}, i32, <16 x i16>, i16", f"""
  %h = fptrunc {F} %0 to <16 x half>
  %r = bitcast <16 x half> %h to <16 x i16>
  ret <16 x i16> %r"""),
    "mask.gather.dps.512": ("gather_f32", f"{F}, ptr, <16 x i32>, <16 x i1>, i32", f"""
  %w = sext <16 x i32> %2 to <16 x i64>
  %a = getelementptr float, ptr %1, <16 x i64> %w
  %r = call {F} @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %a, i32 4, <16 x i1> %3, {F} %0)
  ret {F} %r"""),
    "mask.gather.dpi.512": ("gather_i32", "<16 x i32>, ptr, <16 x i32>, <16 x i1>, i32", """
  %w = sext <16 x i32> %2 to <16 x i64>
  %a = getelementptr i32, ptr %1, <16 x i64> %w
  %r = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> %a, i32 4, <16 x i1> %3, <16 x i32> %0)
  ret <16 x i32> %r"""),
    # A lane of the first operand for each index, modulo 16.
    "permvar.sf.512": ("permute", f"{F}, <16 x i32>", f"""
  %p = alloca {F}, align 64
  store {F} %0, ptr %p, align 64
  %m = and <16 x i32> %1, splat (i32 15)
  %w = zext <16 x i32> %m to <16 x i64>
  %a = getelementptr float, ptr %p, <16 x i64> %w
  %r = call {F} @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %a, i32 4, <16 x i1> splat (i1 true), {F} poison)
  ret {F} %r"""),
    "pmaddw.d.512": ("pmaddwd", "<32 x i16>, <32 x i16>", f"""
  %a = sext <32 x i16> %0 to <32 x i32>
  %b = sext <32 x i16> %1 to <32 x i32>
  %p = mul <32 x i32> %a, %b
  %e = shufflevector <32 x i32> %p, <32 x i32> poison, <16 x i32> <{lanes(0)}>
  %o = shufflevector <32 x i32> %p, <32 x i32> poison, <16 x i32> <{lanes(1)}>
  %r = add <16 x i32> %e, %o
  ret <16 x i32> %r"""),
}
# Empty assembly that hides from the compiler what a value is computed by, as a call does.
OPAQUE = re.compile(r'asm "", "=v,0[^"]*"\((<\d+ x (float|double)>)')
# vrndscaleps by its immediate: the rounding mode, exceptions suppressed.
ROUNDINGS = {8: "roundeven", 9: "floor", 10: "ceil", 11: "trunc"}
DECLARATIONS = [
    *(f"declare {F} @llvm.{name}.v16f32({F})" for name in ROUNDINGS.values()),
    f"declare <16 x i32> @llvm.fptosi.sat.v16i32.v16f32({F})",
    f"declare {F} @llvm.ldexp.v16f32.v16i32({F}, <16 x i32>)",
    f"declare {F} @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, {F})",
    "declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, i32, <16 x i1>, "
    "<16 x i32>)",
]
ATTRIBUTES = re.compile(r'"(target-cpu|target-features|tune-cpu|min-legal-vector-width|'
                        r'prefer-vector-width)"="[^"]*"')
PREFIX = "llvm.x86.avx512."


def retarget(text):
    text = ATTRIBUTES.sub("", text)
    added = []
    for intrinsic, (name, parameters, body) in FUNCTIONS.items():
        if f"@{PREFIX}{intrinsic}(" not in text:
            continue
        result = re.search(r"ret (.*) %r", body).group(1)
        text = re.sub(rf"declare [^\n]*@{re.escape(PREFIX + intrinsic)}\([^\n]*\n", "", text)
        text = text.replace(f"@{PREFIX}{intrinsic}(", f"@retargeted_{name}(")
        added.append(f"define internal {result} @retargeted_{name}({parameters}) {{{body}\n}}")
    for vector, scalar in sorted({m.groups() for m in OPAQUE.finditer(text)}):
        added.append(f"define internal {vector} @retargeted_opaque_{scalar}({vector}) noinline "
                     f"{{\n  ret {vector} %0\n}}")
    text = OPAQUE.sub(r"@retargeted_opaque_\2(\1", text)
    rounding = f"@{PREFIX}mask.rndscale.ps.512("
    text = re.sub(rf"declare [^\n]*{re.escape(rounding)}[^\n]*\n", "", text)
    # The immediate is the second operand of a call; the others are values.
    call = re.compile(re.escape(rounding) + r"(<16 x float> %?[-\w.]+), i32 (?:noundef )?(\d+),")
    for mode in {int(m.group(2)) for m in call.finditer(text)}:
        added.append(f"define internal {F} @retargeted_round_{mode}({F}, i32, {F}, i16, i32) "
                     f"{{\n  %r = call {F} @llvm.{ROUNDINGS[mode]}.v16f32({F} %0)\n"
                     f"  ret {F} %r\n}}")
    text = call.sub(lambda m: f"@retargeted_round_{m.group(2)}({m.group(1)}, "
                              f"i32 {m.group(2)},", text)
    for declaration in DECLARATIONS:
        name = re.search(r"@[\w.]+", declaration).group(0)
        if not re.search(rf"declare [^\n]*{re.escape(name)}\(", text):
            added.append(declaration)
    if left := sorted(set(re.findall(r"@llvm\.x86\.avx512[\w.]*", text))):
        sys.exit(f"retarget.py: no replacement for {', '.join(left)}; add one to FUNCTIONS")
    return text + "\n" + "\n".join(added) + "\n"


def main():
    source, target = sys.argv[1:]
    with open(source) as file:
        text = retarget(file.read())
    with open(target, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
