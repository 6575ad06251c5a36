# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose tensors lie in files of odd names, and what make and ninja take of a depfile.

  depfile-names.py FOLDER

A name is listed so that both watch that file and do nothing else, or is refused. Prints what
is wrong.
"""
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
from onnx import TensorProto, helper

LISTED = ("a b", "a#b", "a$b", "a$(shell touch x)b", "a:b", "SHELL=b", "a%b", "a(b", "~a", "é",
          "a  b", "-f", "`touch x`")
REFUSED = ("a;touch x", "a\n\ttouch x", "a\tb", "a|b", "a*b", "a?b", "a\\b", "a\\\n", "a ",
           "a\x01b", "b:\n\ttouch x\n")
# These make knows, and ninja takes for the end of a name.
NOT_FOR_NINJA = "`"
NOT_READ = ("missing", "unused", "of a dead node", "of a dead constant")
folder = pathlib.Path(sys.argv[1])


def write_model(name):
    """y = x w, where w lies in the file `name`. Others are there or not, and no node takes
    them, or nodes of which nothing comes do."""
    tensors = []
    for location in (name, *NOT_READ):
        tensor = TensorProto(name=f"w {location}", dims=[128], data_type=TensorProto.FLOAT,
                             data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value=location)
        tensors.append(tensor)
    x, y = (helper.make_tensor_value_info(end, TensorProto.FLOAT, [128]) for end in "xy")
    nodes = [helper.make_node("Mul", ["x", f"w {name}"], ["y"]),
             helper.make_node("Mul", ["x", "w of a dead node"], ["d"]),
             helper.make_node("Constant", [], ["e"], value=tensors.pop())]
    graph = helper.make_graph(nodes, "g", [x], [y], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "m.onnx").write_bytes(model.SerializeToString())


def compile_with(name):
    write_model(name)
    (folder / name).write_bytes(np.ones(128, np.float32).tobytes())
    (folder / "out.d").unlink(missing_ok=True)
    return subprocess.run(["fusec", "compile", "m.onnx", "-o", "out", "--runtime=installed",
                           "--depfile", "out.d"], cwd=folder, capture_output=True, text=True)


def asks(program, *arguments):
    """Whether a build program would make the folder's model.json again."""
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
    return done.returncode != 0 or "touch out/model.json" in done.stdout


def check_listed(name):
    done = compile_with(name)
    if done.returncode:
        print(f"{name!r}: {done.stderr}")
        return
    (folder / "Makefile").write_text("out/model.json:\n\ttouch $@\ninclude out.d\n")
    (folder / "build.ninja").write_text(
        "rule c\n  command = touch out/model.json\n  depfile = out.d\n"
        "build out/model.json: c Makefile\n")
    programs = [("make", "-n")]
    if not set(name) & set(NOT_FOR_NINJA):
        programs.append(("ninja", "-n", "-v"))
    for program in programs:
        for path in (folder / "m.onnx", folder / name, folder / "Makefile"):
            os.utime(path, (1000, 1000))
        os.utime(folder / "out" / "model.json", (2000, 2000))
        if program[0] == "ninja": # keeps a log of what it made
            subprocess.run(["ninja"], cwd=folder, capture_output=True)
        if asks(*program):
            print(f"{name!r}: {program[0]} would always run")
        later = time.time() + 100
        os.utime(folder / name, (later, later))
        if not asks(*program):
            print(f"{name!r}: {program[0]} does not see that it changed")
    if (folder / "x").exists():
        print(f"{name!r}: became a command")
    for location in NOT_READ:
        if location in (folder / "out.d").read_text():
            print(f"{name!r}: the file {location} is listed")


def check_refused(name):
    done = compile_with(name)
    if done.returncode != 4 or "cannot be named in a depfile" not in done.stderr:
        print(f"{name!r}: exit code {done.returncode}: {done.stderr}")
    if (folder / "out.d").exists():
        print(f"{name!r}: a depfile is written")


for unread in NOT_READ[1:]:
    (folder / unread).write_bytes(bytes(512))
for name in LISTED:
    check_listed(name)
for name in REFUSED:
    check_refused(name)
print(f"{len(LISTED)} names listed, {len(REFUSED)} refused")
