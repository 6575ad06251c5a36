# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with operators of users that work in place.

in-place-operators.py make FOLDER          the models, and x.npy
in-place-operators.py compare FOLDER FILE  the results of dies.onnx against NumPy
"""
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

what, folder = sys.argv[1], Path(sys.argv[2])
X = np.linspace(-2, 3, 24, dtype=np.float32).reshape(4, 6)
OWN = {"AddToEven", "Negate", "Shift", "Narrow"}


def node(op, inputs, output):
    return helper.make_node(op, inputs, [output], output, domain="custom" if op in OWN else "")


def save(name, nodes, outputs=("y",), types=None, extra=None):
    value = lambda key: helper.make_tensor_value_info(key, (types or {}).get(key, 1), [4, 6])
    graph = helper.make_graph(nodes, name, [value("x")], [value(key) for key in outputs],
                              [numpy_helper.from_array(array, key) for key, array in
                               {"w": X[::-1].copy(), **(extra or {})}.items()])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("custom", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9),
              folder / f"{name}.onnx")


def make():
    moved = node("Exp", ["x"], "moved")
    add = node("AddToEven", ["moved", "x"], "added")
    # Nothing reads what is changed behind the operator.
    save("dies", [moved, add, node("Neg", ["added"], "y")])
    # A result of the model, an input of the model, a weight, twice the same, and what is read
    # later have to stay.
    save("direct", [moved, node("AddToEven", ["moved", "x"], "y")])
    save("input", [node("AddToEven", ["x", "w"], "y")])
    save("weight", [node("AddToEven", ["w", "x"], "added"), node("Mul", ["added", "w"], "y")])
    save("twice", [moved, node("AddToEven", ["moved", "moved"], "added"),
                   node("Neg", ["added"], "y")])
    save("read", [moved, add, node("Sub", ["added", "moved"], "y")])
    save("returned", [moved, add], outputs=("moved", "added"))
    # One behind the other, in one memory, wherever that is.
    save("chain", [moved, add, node("Negate", ["added"], "negated"),
                   node("AddToEven", ["negated", "w"], "again"), node("Exp", ["again"], "y")])
    # In a loop, whose rows and carried values have places of their own.
    value = lambda key, shape=(4, 6): helper.make_tensor_value_info(key, 1, shape)
    body = helper.make_graph(
        [node("Exp", ["h"], "grown"), node("AddToEven", ["grown", "x"], "next"),
         node("AddToEven", ["h", "x"], "row"), helper.make_node("Identity", ["go"], ["on"])],
        "body", [helper.make_tensor_value_info("i", 7, []), helper.make_tensor_value_info("go", 9, []),
                 value("h")],
        [helper.make_tensor_value_info("on", 9, []), value("next"), value("row")])
    count = helper.make_node("Constant", [], ["count"], value_int=2)
    small = node("Sigmoid", ["x"], "small")
    save("loop", [count, small, helper.make_node("Loop", ["count", "", "small"], ["h2", "rows"],
                                                 "loop", body=body),
                  helper.make_node("ReduceSum", ["rows", "zero"], ["sum"], keepdims=0),
                  node("AddToEven", ["h2", "sum"], "y")], extra={"zero": np.array([0])})
    save("narrow", [moved, node("Narrow", ["moved"], "y")], types={"y": 3})
    np.save(folder / "x.npy", X)


def compare():
    expected = np.exp(X)
    expected.reshape(-1)[::2] += X.reshape(-1)[::2]
    np.testing.assert_allclose(np.load(sys.argv[3]), -expected, rtol=1e-5, atol=1e-5)


{"make": make, "compare": compare}[what]()
