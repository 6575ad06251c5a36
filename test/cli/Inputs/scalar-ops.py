# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators with functions of elements that are wrong: what building them, and models that
use them, says, with the exit code.

scalar-ops.py FOLDER
"""
import subprocess
import sys
from pathlib import Path

from onnx import TensorProto, helper, save_model

folder = Path(sys.argv[1])
GOOD = "FUSEC_INLINE float f(float x) { return x + x; }"


def say(name, *command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    text = " ".join((done.stderr or done.stdout).split()).replace(str(folder) + "/", "")
    print(f"{name}: {done.returncode}: {text}")
    return done.returncode


def build(name, body=GOOD, declared=".inputs(1).outputs(1)", function="acme::f", header=None,
          first='#include "fusec/scalars.h"'):
    """Builds lib<name>.so of <name>.cpp and <name>.h; says what is said where it fails."""
    text = f"{first}\nFUSEC_SCALARS(acme) {{\n{body}\n}}\n"
    (folder / f"{name}.h").write_text(text)
    (folder / f"{name}.cpp").write_text(
        '#include "fusec/op.h"\nusing namespace fusec::op;\n'
        f'FUSEC_OP(Op){declared}.scalar("{header or name + ".h"}", "{function}");\n')
    command = ["fusec", "op", "build", f"{name}.cpp", "-o", f"lib{name}.so"]
    code = say(name, *command)
    assert (folder / f"lib{name}.so").exists() == (code == 0), name


# What is no C++, or none that kernels can call.
build("undeclared", "template <class V> FUSEC_INLINE V f(V x) { return swosh(x); }")
build("syntax", "FUSEC_INLINE float f(float x) { return x + ; }")
build("throws", "FUSEC_INLINE float f(float x) { if (x < 0) throw 1; return x; }")
build("another", function="acme::g")
build("arity", "FUSEC_INLINE float f(float x, float y) { return x + y; }")
build("narrow", declared='.inputs({Operand("x").types({"float64"})}).outputs(1)')
build("branch", "template <class V> FUSEC_INLINE V f(V x) { return x > 0 ? x : -x; }")
# What its text, or the declaration, may not have.
build("includes", first='#include "fusec/scalars.h"\n#  include <cmath>')
build("absent", header="none.h")
build("name", function="acme::f(1)")
build("shaped", declared=".inputs(1).outputs(1).shape([](const std::vector<Shape> &, const Param &, "
                         "std::vector<Shape> &out) { out[0] = {1}; })")
build("two", declared=".inputs(1).outputs(2)")
build("none", declared=".inputs(0).outputs(1)")
build("text", declared='.inputs(1).outputs(1).param("mode", "fast")')
build("boolean", declared='.inputs({Operand("x").types({"bool"})}).outputs(1)')
build("bytes", declared='.inputs({Operand("x").quantized()}).outputs(1)')
build("aliases", declared='.inputs(1).outputs({Operand("y").mustAlias(0)})')
build("disjoint", "FUSEC_INLINE float f(float x, float y) { return x + y; }",
      declared='.inputs({Operand("x").types({"float32"}), Operand("y").types({"float16"})})'
               ".outputs(1)")

# What nodes may not have.
build("pair", "template <class V> FUSEC_INLINE V f(V x, V y, V p) { return x * y + p; }",
      declared='.inputs({Operand("x").types({"float32", "float16", "int32"}), '
               'Operand("y").types({"float32", "float16", "int32"})}).outputs(1).param("p", 0.5)')


def check(name, x, y, shapes=([2, 3], [2, 3]), **attributes):
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Op", ["x", "y"], ["z"], "node", domain="custom", **attributes)], "g",
        [value("x", x, shapes[0]), value("y", y, shapes[1])], [value("z", x, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("custom", 1)])
    model.ir_version = 9
    save_model(model, folder / f"{name}.onnx")
    say(name, "fusec", "check", f"{name}.onnx", "--ops", "libpair.so")


check("fits", TensorProto.FLOAT, TensorProto.FLOAT, ([2, 1], [3]), p=0.25)
check("mixed", TensorProto.FLOAT, TensorProto.FLOAT16)
check("shapes", TensorProto.FLOAT, TensorProto.FLOAT, ([2, 3], [2, 4]))
check("fraction", TensorProto.INT32, TensorProto.INT32, p=0.5)
check("double", TensorProto.DOUBLE, TensorProto.DOUBLE)
say("unequal", "fusec", "op", "test", "libpair.so", "--op", "Op", "--shapes", "2x3,3")

# Two libraries with one function in kernels of one file.
build("first", declared='.domain("first").inputs(1).outputs(1)')
build("second", "FUSEC_INLINE float f(float x) { return x - 1; }",
      declared='.domain("second").inputs(1).outputs(1)')
value = helper.make_tensor_value_info
save_model(helper.make_model(helper.make_graph(
    [helper.make_node("Op", ["x"], ["y"], "one", domain="first"),
     helper.make_node("Op", ["y"], ["z"], "two", domain="second")], "g",
    [value("x", TensorProto.FLOAT, [8])], [value("z", TensorProto.FLOAT, [8])]),
    opset_imports=[helper.make_opsetid("first", 1), helper.make_opsetid("second", 1)],
    ir_version=9), folder / "both.onnx")
say("both", "fusec", "compile", "both.onnx", "-o", "both", "--ops", "libfirst.so,libsecond.so")
assert not (folder / "both").exists()
