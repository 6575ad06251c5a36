# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""entries.py model FILE: a model with the dimensions batch and seq.
entries.py compare FOLDER ENTRY ALONE: whether an entry launches the kernels, by their
hashes, of ALONE, the folder of its own; prints how many kernels the entries share.

    y[batch, seq, 24] = relu(x[batch, seq, 16] w + b), last[batch, 24] = max over seq of y
    gates[16] = sigmoid(c[16]), which depends on neither
"""
import json
import pathlib
import re
import sys

import numpy as np


def write_model(path):
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    weights = np.random.default_rng(0)
    w = numpy_helper.from_array((weights.random((16, 24), np.float32) - 0.5), "w")
    b = numpy_helper.from_array((weights.random(24, np.float32) - 0.5), "b")

    def value(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["product"], name="product"),
             helper.make_node("Add", ["product", "b"], ["sum"], name="sum"),
             helper.make_node("Relu", ["sum"], ["y"], name="relu"),
             helper.make_node("ReduceMax", ["y"], ["last"], name="most", axes=[1], keepdims=0),
             helper.make_node("Sigmoid", ["c"], ["gates"], name="gates")]
    graph = helper.make_graph(
        nodes, "entries", [value("x", "batch", "seq", 16), value("c", 16)],
        [value("y", "batch", "seq", 24), value("last", "batch", 24), value("gates", 16)],
        [w, b])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)


def hashes(folder):
    """By group, those of its variants."""
    found = {}
    for file in pathlib.Path(folder).glob("*_kernels*.cpp"):
        for name, rows in re.findall(r"(\w+)_variants\[\] = \{(.*?)\n\};", file.read_text(), re.S):
            found[name] = re.findall(r"/\*hash=\*/(\w+)", rows)
    return found


def compare(folder, number, alone):
    def kernels_of(folder, model):
        known = hashes(folder)
        groups = {group["name"]: known[group["name"]] for group in model["groups"]}
        return [groups[launch["group"]] for launch in model["launches"]]
    whole = json.loads(pathlib.Path(folder, "model.json").read_text())
    entries = [whole, *whole["others"]]
    one = json.loads(pathlib.Path(alone, "model.json").read_text())
    kernels = kernels_of(folder, entries[number])
    assert kernels and all(all(hashes) for hashes in kernels), kernels
    assert kernels == kernels_of(alone, one), "the entry launches other kernels"
    names = [{group["name"] for group in entry["groups"]} for entry in entries]
    extents = {e["name"]: e["extent"] for e in entries[number]["extents"]}
    print(extents, "shares", len(set.intersection(*names)), "of", len(names[number]),
          "kernels with all others")


if __name__ == "__main__":
    if sys.argv[1] == "model":
        write_model(sys.argv[2])
    else:
        compare(sys.argv[2], int(sys.argv[3]), sys.argv[4])
