#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a transformer that guesses the next of 96 characters, with random weights. Needs numpy
and onnx.

    make_model.py [FILE]            decoder.onnx, if nothing else is said
    make_model.py --growing FILE    the same with caches that grow

Each layer has a cache of keys and one of values, of CAPACITY rows: a run writes those of
its tokens from row `position_in` on (ScatterND), and a token sees the rows up to its own.
Caches that grow have the rows of earlier tokens alone, and a run puts its own behind them
(Concat); their number is the position. What is called X_out is X_in of the next run.
"""
import argparse
import pathlib

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

parser = argparse.ArgumentParser()
parser.add_argument("file", nargs="?", default=pathlib.Path(__file__).parent / "decoder.onnx")
parser.add_argument("--growing", action="store_true")
arguments = parser.parse_args()

VOCABULARY, WIDTH, HEADS, LAYERS, CAPACITY = 96, 64, 4, 2, 256
random = np.random.default_rng(52)
nodes, weights, inputs, outputs = [], [], [], []


def op(kind, *operands, name=None, **attributes):
    name = name or f"{kind.lower()}_{len(nodes)}"
    nodes.append(helper.make_node(kind, operands, [name], name=name, **attributes))
    return name


def constant(name, array):
    weights.append(numpy_helper.from_array(array, name))
    return name


def weight(name, *shape):
    values = 2 * random.standard_normal(shape) / np.sqrt(shape[-2])
    return constant(name, values.astype(np.float32))


def integers(*values):
    return constant(f"integers_{len(weights)}", np.array(values, np.int64))


def state(name, kind, shape, make, later=None):
    """An input, and the output that `make` computes from it, of the shape `later` if that is
    another one."""
    inputs.append(helper.make_tensor_value_info(name + "_in", kind, shape))
    outputs.append(helper.make_tensor_value_info(name + "_out", kind, later or shape))
    return make(name + "_in", name + "_out")


def norm(x, name):
    one = constant(name + "_scale", np.ones(WIDTH, np.float32))
    return op("LayerNormalization", x, one, name=name)


inputs.append(helper.make_tensor_value_info("tokens", TensorProto.INT64, ["length"]))
outputs.append(helper.make_tensor_value_info("next", TensorProto.INT64, [1]))
length = op("Shape", "tokens")
if arguments.growing:
    position = op("Slice", op("Shape", "keys_0_in"), integers(0), integers(1))
else:
    position = "position_in"
    state("position", TensorProto.INT64, [1],
          lambda past, present: op("Add", past, length, name=present))
zero = constant("zero", np.int64(0))
steps = op("Range", zero, op("Squeeze", length, integers(0)), constant("one", np.int64(1)))
rows = op("Add", steps, position)
at = op("Unsqueeze", rows, integers(1))  # [length, 1]
if arguments.growing:
    capacity = -1
    seen = op("Squeeze", op("Add", position, length), integers(0))
    positions = op("Range", zero, seen, "one")
else:
    capacity = CAPACITY
    positions = constant("positions", np.arange(CAPACITY, dtype=np.int64))
hidden = op("Greater", positions, at)  # [length, rows of the caches]
table = weight("table", VOCABULARY, WIDTH)
x = op("Add", op("Gather", table, "tokens"), op("Gather", weight("places", CAPACITY, WIDTH), rows))
for layer in range(LAYERS):
    def split(value, rows, order):
        part = op("Reshape", value, integers(rows, HEADS, WIDTH // HEADS))
        return op("Transpose", part, perm=order)

    def project(value, name):
        return op("MatMul", value, weight(f"{name}_{layer}", WIDTH, WIDTH))

    def cache(name, value):
        if arguments.growing:
            return state(f"{name}_{layer}", TensorProto.FLOAT, ["past", WIDTH],
                         lambda past, present: op("Concat", past, value, name=present, axis=0),
                         later=["past + length", WIDTH])
        return state(f"{name}_{layer}", TensorProto.FLOAT, [CAPACITY, WIDTH],
                     lambda past, present: op("ScatterND", past, at, value, name=present))

    y = norm(x, f"before_{layer}")
    keys = cache("keys", project(y, "k"))
    values = cache("values", project(y, "v"))
    q = split(project(y, "q"), -1, [1, 0, 2])
    scores = op("MatMul", q, split(keys, capacity, [1, 2, 0]))  # [HEADS, length, rows of the caches]
    scores = op("Mul", scores, constant(f"scale_{layer}", np.float32((WIDTH // HEADS) ** -0.5)))
    scores = op("Where", hidden, constant(f"far_{layer}", np.float32(-1e9)), scores)
    seen = op("MatMul", op("Softmax", scores, axis=-1), split(values, capacity, [1, 0, 2]))
    seen = op("Reshape", op("Transpose", seen, perm=[1, 0, 2]), integers(-1, WIDTH))
    x = op("Add", x, project(seen, "o"))
    y = op("MatMul", norm(x, f"between_{layer}"), weight(f"up_{layer}", WIDTH, 4 * WIDTH))
    x = op("Add", x, op("MatMul", op("Relu", y), weight(f"down_{layer}", 4 * WIDTH, WIDTH)))
last = op("Gather", norm(x, "after"), integers(-1))
logits = op("MatMul", last, weight("head", WIDTH, VOCABULARY))
op("ArgMax", logits, name="next", axis=1, keepdims=0)

graph = helper.make_graph(nodes, "decoder", inputs, outputs, weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
checker.check_model(model, full_check=True)
save(model, arguments.file)
