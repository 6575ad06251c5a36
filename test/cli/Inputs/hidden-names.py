# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose names speak to a terminal, and what fusec says of them and makes of them.

  hidden-names.py FOLDER

Prints what it said on lines of their own, and complains about each hidden character.
"""
import json
import pathlib
import re
import subprocess
import sys

from onnx import TensorProto, helper

HIDDEN = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xff")
NAME = "a\x1b[2Jb\u0085c\u009b31md\u202ee\u2066f\ng.onnx: error: h\r\x7fi"
folder = pathlib.Path(sys.argv[1])


def write(path, operator):
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in (NAME, "qqqq")]
    node = helper.make_node(operator, [NAME], ["qqqq"], name=NAME)
    model = helper.make_model(helper.make_graph([node], NAME, *[[end] for end in ends]),
                              opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name=NAME)
    # The output's name is no UTF-8.
    path.write_bytes(model.SerializeToString().replace(b"qqqq", b"\xffo\xc3t"))
    return path


def run(what, *arguments):
    done = subprocess.run(["fusec", *map(str, arguments)], capture_output=True)
    print(f"{what}: code {done.returncode}")
    for stream in (done.stdout, done.stderr):
        if found := HIDDEN.search(stream):
            print(f"{what}: has {found.group()}")
        sys.stdout.write(stream.decode(errors="replace"))
    return done


bad, good = write(folder / "bad.onnx", "Odd\x1b[2J"), write(folder / "x\ny\u202e.onnx", "Relu")
run("check", "check", bad)
done = run("json", "check", bad, "--json")
print("the same name" if json.loads(done.stdout)["problems"][0]["node"] == NAME else "another name")
run("compile", "compile", good, "-o", folder / "out", "--remarks")
run("run", "run", good)
run("verify", "verify", good, "--bisect")
run("inspect", "inspect", folder / "out", "--html", folder / "out.html")
run("inspect", "inspect", folder / "out")
for path in [*folder.glob("out/*.*"), folder / "out.html"]:
    if found := HIDDEN.search(path.read_bytes()):
        print(f"{path.name}: has {found.group()}")
metadata = json.loads((folder / "out" / "model.json").read_text())
print("the same input" if metadata["inputs"][0]["name"] == NAME else metadata["inputs"])
