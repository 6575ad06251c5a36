#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random operators of text as nodes of models, compiled, against fusec-ref.

  .venv/bin/python test/fuzz-fop/run.py                          operators 0 to 31
  .venv/bin/python test/fuzz-fop/run.py --first 100 --count 1000 others

Sixteen at a time are one model. One that fails is tried by itself, and stays in
<build>/fuzz-fop. Exit code 1 if any failed.
"""
import argparse
import pathlib
import re
import subprocess
import sys

from onnx import TensorProto, helper, save_model

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODES = {"f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE, "f16": TensorProto.FLOAT16,
         "i32": TensorProto.INT32, "i64": TensorProto.INT64, "u8": TensorProto.UINT8,
         "i8": TensorProto.INT8}
BUNDLE = 16


def read(programs, seed):
    """The text of an operator, and its operands' types."""
    text = subprocess.run([programs / "fuzz-fop", "print", str(seed)], check=True,
                          capture_output=True, text=True).stdout
    types = re.findall(r"^# (\w+)\[(.*)\]$", text, re.M)
    return text, [(CODES[kind], [int(n) for n in dims.split(", ") if n]) for kind, dims in types]


def write(folder, programs, seeds):
    nodes, inputs, outputs, texts = [], [], [], []
    for seed in seeds:
        text, types = read(programs, seed)
        texts.append(text)
        ins = [f"x{seed}_{i}" for i in range(len(types))]
        inputs += [helper.make_tensor_value_info(name, *type) for name, type in zip(ins, types)]
        kinds = re.search(r"r: (\w+)\[.*s: (\w+)\[", text).groups()
        outs = [f"{name}{seed}" for name in "rs"]
        rank = len([dim for dim in re.search(r"r: \w+\[(.*?)\]", text)[1].split(", ") if dim])
        outputs += [helper.make_tensor_value_info(name, CODES[kind], [f"{name}_{d}" for d in range(rank)])
                    for name, kind in zip(outs, kinds)]
        nodes.append(helper.make_node(f"Op{seed}", ins, outs, f"op{seed}", domain="fuzz"))
    (folder / "ops.fop").write_text("\n".join(texts))
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs), opset_imports=[
        helper.make_opsetid("", 18), helper.make_opsetid("fuzz", 1)])
    model.ir_version = 9
    save_model(model, folder / "ops.onnx")


def verify(programs, work, seeds):
    """What is wrong with these, or ""."""
    folder = work / "-".join(str(seed) for seed in (seeds[0], seeds[-1]))
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, programs, seeds)
    run = subprocess.run([programs / "fusec", "verify", folder / "ops.onnx", "--ops",
                          folder / "ops.fop", "--seed", str(seeds[0])],
                         capture_output=True, text=True)
    if run.returncode == 0:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        return ""
    failed = [line for line in run.stdout.splitlines() if "FAILED" in line]
    return "\n".join(failed) or run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=32)
    options = parser.parse_args()
    programs, work = options.build / "bin", options.build / "fuzz-fop"
    faults = 0
    for begin in range(options.first, options.first + options.count, BUNDLE):
        seeds = list(range(begin, min(begin + BUNDLE, options.first + options.count)))
        if not verify(programs, work, seeds):
            continue
        alone = {seed: verify(programs, work, [seed]) for seed in seeds}
        wrong = {seed: said for seed, said in alone.items() if said}
        faults += max(1, len(wrong))
        for seed, said in wrong.items():
            print(f"operator {seed}: {said}")
        if not wrong:
            print(f"operators {seeds[0]} to {seeds[-1]} fail together alone")
    print(f"{options.count} operators, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
