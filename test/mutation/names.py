#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose names are hostile: what is emitted for them must be C++ all the same, and
nothing of a name may become code.

  .venv/bin/python test/mutation/names.py [--build build]

Each name is that of inputs, outputs, weights, nodes and dimensions of a model and, where
files can be called so, of the model. The sources are parsed by g++ with all warnings as
errors, and with trigraphs. Prints what is wrong; exit code 1 if anything is.
"""
import json
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import checking

# The word that must never be code.
MARK = "injected"
HOSTILE = ("../../injected", "/etc/injected", "in jected", "int", "class", "operator",
           "requires", 'injected"; int injected; "', "'injected'", "*/ int injected; /*",
           "// injected\\", "injected ??/", "injected\n#error injected\n",
           "injected\r\nint injected;", "injected" * 1250, "\\", "\\u000a injected",
           "", "_", "__injected", "0injected", "%s%n", "${injected}", "$(injected)",
           "$ENV{HOME}", "injected;injected", "]==]", "#include <injected>", "main", "std",
           "fusec", "run", "Inputs", "\u202einjected", "\u2028injected", "\u00e9", "\x7f",
           "\x01", "a\0injected", "R\"(injected)\"", "NULL", "_Pragma", "@injected@")
# How the tests include what a user of a model includes with it.
HEADERS = ("fusec/runtime.hpp", "fusec/host.h", "fusec/kernel/kernel.h", "fusec/runtime.h")
SYSTEM = ("math.h", "stdio.h", "stdlib.h", "stdint.h", "limits.h", "float.h", "errno.h",
          "string.h")


def find_macros():
    """The macros without parameters of the headers that a user's file has around it: of
    those in capitals, which are many and all treated alike, a few."""
    text = "".join(f"#include <{name}>\n" for name in (*HEADERS, *SYSTEM))
    done = subprocess.run(["g++", "-std=gnu++17", "-dM", "-E", "-x", "c++", "-",
                           f"-I{checking.REPOSITORY}/runtime/include"], input=text, check=True,
                          capture_output=True, text=True)
    names = re.findall(r"^#define ([A-Za-z]\w*)(?: |$)", done.stdout, re.M)
    names = [name for name in names if not name.startswith("M_")]  # math.h's
    capitals = sorted(name for name in set(names) if re.fullmatch("[A-Z0-9_]{3,}", name))
    return capitals[::20] + sorted(set(names) - set(capitals))


def make_model(names, text):
    """y_i = relu(x_i + w_i), with all its names from the list, in turn."""
    inputs, outputs, nodes, weights = [], [], [], []
    for i, name in enumerate(names):
        # Values must differ: each name once as it is, and once with a tail.
        tail = f"{name}_{i}"
        inputs.append(helper.make_tensor_value_info(name or f"e{i}", TensorProto.FLOAT, (2, 70)))
        outputs.append(helper.make_tensor_value_info(f"{tail}.out", TensorProto.FLOAT, (2, 70)))
        weights.append(numpy_helper.from_array(np.full((2, 70), i, np.float32), f"{tail}.w"))
        nodes.append(helper.make_node("Add", [name or f"e{i}", f"{tail}.w"], [f"{tail}.sum"],
                                      name=name, doc_string=name))
        nodes.append(helper.make_node("Relu", [f"{tail}.sum"], [f"{tail}.out"], name=name))
    graph = helper.make_graph(nodes, text, inputs, outputs, weights, doc_string=text)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                             producer_name=text, domain=text)


def strip_comments(path):
    done = subprocess.run(["g++", "-fpreprocessed", "-dD", "-E", "-P", "-x", "c++", path],
                          capture_output=True, text=True, errors="replace")
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', done.stdout)


def check_folder(folder):
    """Complaints about the sources in an emitted folder."""
    inside = sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                    if path.is_file())
    manifest = json.loads((folder / "model.json").read_text())
    if sorted(manifest["emitted_files"]) != inside:
        yield "the folder holds other files than its model.json lists"
    for path in sorted(folder.glob("*.cpp")):
        done = subprocess.run(
            ["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-psabi",
             "-trigraphs", *(f"-include{name}" for name in SYSTEM), f"-I{folder}",
             f"-I{folder}/runtime/include", str(path)],
            capture_output=True, text=True, errors="replace")
        if done.returncode:
            yield f"{path.name} is no C++: {done.stderr[:800]}"
        # As a whole word with nothing around it; inside of an identifier it may stand.
        code = strip_comments(str(path))
        if re.search(rf"\bint {MARK}\b|#error|\b{MARK};", code):
            yield f"a name became code in {path.name}"
    cmake = (folder / "CMakeLists.txt").read_text()
    if re.search(r"\$ENV|\$\{injected|@injected@|[^\x00-\x7f]", cmake):
        yield "a name got into CMakeLists.txt"


def compile_model(fusec, path, folder):
    done = subprocess.run([fusec, "compile", path, "-o", folder], capture_output=True,
                          text=True, errors="replace")
    if done.returncode:
        yield f"exit code {done.returncode}: {done.stderr[-600:]}"
    else:
        yield from check_folder(folder)


def check_names(fusec, place):
    models = {"hostile": make_model(HOSTILE, "*/ injected"),
              "macros": make_model(find_macros(), "macros")}
    for name, model in models.items():
        path = place / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        yield from (f"{name}: {what}" for what in
                    compile_model(fusec, path, place / f"{name}.out"))
    # Bytes that are no UTF-8, in names of the same length.
    data = make_model(("abcd", "efgh"), "g").SerializeToString()
    for letters, junk in ((b"abcd", b"a\xff\xfe\xc0"), (b"efgh", b"\x80*/\xed")):
        data = data.replace(letters, junk)
    path = place / "bytes.onnx"
    path.write_bytes(data)
    yield from (f"bytes: {what}" for what in
                compile_model(fusec, path, place / "bytes.out"))
    # The model's own name is a file name: of files, a namespace and a target.
    small = make_model(("x",), "g").SerializeToString()
    for i, name in enumerate(HOSTILE):
        if not name or "/" in name or "\0" in name or len(name) > 200:
            continue
        path = place / f"{name}.onnx"
        path.write_bytes(small)
        folder = place / f"model_{i}.out"
        yield from (f"a model called {name!r}: {what}" for what in
                    compile_model(fusec, path, folder))


if __name__ == "__main__":
    sys.exit(checking.main(__doc__, {"names": check_names}))
