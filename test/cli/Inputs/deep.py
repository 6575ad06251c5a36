#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""deep.py FOLDER DEPTH: input of each kind that is nested so deeply.

ONNX as protobuf's text."""
import pathlib
import sys

folder, depth = pathlib.Path(sys.argv[1]), int(sys.argv[2])
VALUE = '{ name: "%s" type { tensor_type { elem_type: %d shape { %s } } } }'
X = VALUE % ("x", 1, "dim { dim_value: 4 }")
HEAD = 'ir_version: 8\nopset_import { version: 17 }\nopset_import { domain: "l" version: 1 }\n'


def write(name, text):
    (folder / name).write_text(text)


def node(op, result, domain="", attributes="", operand="x"):
    return f'node {{ op_type: "{op}" domain: "{domain}" input: "{operand}" ' \
           f'output: "{result}" {attributes} }}'


def model(body, functions=""):
    return f'{HEAD}graph {{ name: "g" input {X} input {VALUE % ("c", 9, "")} ' \
           f'output {X.replace("x", "y", 1)} {body} }}\n{functions}'


def function(number, body):
    return f'functions {{ name: "f{number}" domain: "l" input: "x" output: "y" ' \
           f'opset_import {{ version: 17 }} opset_import {{ domain: "l" version: 1 }} {body} }}\n'


write("calls.txt", model(node("f0", "y", "l"), "".join(
    function(i, node(f"f{i + 1}", "y", "l")) for i in range(depth)) +
    function(depth, node("Relu", "y"))))


def branch(name, body, result):
    return f'attribute {{ name: "{name}" type: GRAPH g {{ name: "b" {body} ' \
           f'output {X.replace("x", result, 1)} }} }}'


graph = node("Relu", "t0")
for i in range(min(depth, 1500)):
    graph = node("If", f"t{i + 1}", operand="c", attributes=branch(
        "then_branch", graph, f"t{i}") + branch("else_branch", node("Neg", "e"), "e"))
write("graphs.txt", model(graph + node("Neg", "y", operand=f"t{min(depth, 1500)}")))

MAIN = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }\n"
write("attributes.mlir",
      f"module attributes {{fuse.a = {'[' * depth}{']' * depth}}} {{ {MAIN} }}\n")
write("expressions.mlir",
      f"#m = affine_map<(d0) -> ({'(' * depth}d0{')' * depth})>\n{MAIN}")
write("regions.mlir", "module {" * depth + "}" * depth)
# No bracket: one operator behind the other.
write("minus.mlir", f"#m = affine_map<(d0) -> ({'-' * (100 * depth)}d0)>\n{MAIN}")
# Strings and comments have no brackets.
write("strings.mlir", f'module attributes {{fuse.a = "{"[" * depth}"}} {{ // {"(" * depth}\n{MAIN}}}\n')
write("config.lock", "fusec.lock 4\ntarget generic\ngroup 0123456789abcdef proposer=isl "
      f"variant=default config={'[' * depth}\n")
write("config.json", "[" * depth)
