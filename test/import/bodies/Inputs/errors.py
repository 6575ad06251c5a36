# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each part of a file, behind a line "# NAME", as a text of its own: what `fusec check` says of
a model that calls acme.X, and its exit code. "# NAME f32[2,3] i64[4] a=1.5" says operands and
attributes."""
import ast
import os
import re
import subprocess
import sys

from model import write

texts, folder = sys.argv[1:]
os.chdir(folder)
for part in re.split(r"^(?=# )", open(texts).read(), flags=re.M)[1:]:
    head, _, text = part.partition("\n")
    name, *words = head[2:].split()
    if name.startswith("SPDX"):
        continue
    types = [re.fullmatch(r"(\w+)\[(.*)\]", word).groups() for word in words if "=" not in word]
    types = [(kind, [int(n) for n in dims.split(",") if n]) for kind, dims in types]
    pairs = [word.split("=") for word in words if "=" in word]
    with open("x.fop", "w") as file:
        file.write(text)
    outputs = max(1, len(re.findall(r":", text.split("->")[-1].split(")")[0])))
    write("m.onnx", "acme.X", types, outputs, {key: ast.literal_eval(value) for key, value in pairs})
    run = subprocess.run(["fusec", "check", "m.onnx", "--ops", "x.fop"], capture_output=True,
                         text=True, timeout=60)
    said = (run.stderr or run.stdout).strip().split("\n")[0]
    print(f"{name}: {run.returncode}: {said}")
