# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""padding.py KIND FILE [LAYERS HIDDEN VOCABULARY]: a model with the dimensions batch and seq,
as exporters write it.
padding.py inputs FILE BATCH SEQ: files with the inputs of the encoder FILE, and what ONNX
Runtime makes of them; long.npy fits no entry.

    where    BERT, whose mask selects -inf in place of scores
    bias     BERT, whose input is what is added to the scores
    encoder  BERT: a mask of the tokens is an input, so that rows of a shorter text do not
             see what it is padded with
    causal   GPT-2's prompt: each token sees those before it, as a table of the model says
    rows     a network that works on each row alone, and flattens batch and seq for it
    mean     the mean over seq, which counts what is padded
    bare     attention without a mask
    window   a convolution along seq
    flips    seq read from its end
    trace    the sum of a diagonal, which grows at its end
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    def __init__(self):
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []
        self.random = np.random.default_rng(0)

    def op(self, kind, *operands, name=None, outputs=1, **attributes):
        results = [f"{name or kind.lower()}_{len(self.nodes)}" for _ in range(outputs)]
        if outputs > 1:
            results = [f"{result}_{i}" for i, result in enumerate(results)]
        self.nodes.append(helper.make_node(kind, list(operands), results,
                                           name=name or results[0], **attributes))
        return results[0] if outputs == 1 else results

    def const(self, values, kind=np.int64):
        name = f"const_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values, kind), name))
        return name

    def scalar(self, value):
        return self.const(value, np.float32)

    def weight(self, *shape, scale=None):
        scale = scale or (3.0 / shape[0])**0.5
        values = (self.random.random(shape) * 2 - 1) * scale
        return self.const(values, np.float32)

    def input(self, name, *shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value, name, *shape):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=name))
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def save(self, path):
        graph = helper.make_graph(self.nodes, "padding", self.inputs, self.outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, path)

    # What networks are made of.

    def extent(self, value, axis):
        return self.op("Gather", self.op("Shape", value), self.const([axis]), axis=0)

    def linear(self, x, inputs, outputs):
        return self.op("Add", self.op("MatMul", x, self.weight(inputs, outputs)),
                       self.weight(outputs, scale=0.1))

    def norm(self, x, hidden):
        return self.op("LayerNormalization", x, self.weight(hidden, scale=1.0),
                       self.weight(hidden, scale=0.1), axis=-1)

    def heads(self, x, tokens, heads, width):
        shape = self.op("Concat", self.extent(tokens, 0), self.extent(tokens, 1),
                        self.const([heads, width]), axis=0)
        return self.op("Transpose", self.op("Reshape", x, shape), perm=[0, 2, 1, 3])

    def attention(self, x, tokens, hidden, heads, mask):
        q, k, v = (self.heads(self.linear(x, hidden, hidden), tokens, heads, hidden // heads)
                   for _ in range(3))
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.op("Div", scores, self.scalar((hidden // heads)**0.5))
        scores = mask(scores)
        y = self.op("MatMul", self.op("Softmax", scores, axis=-1), v, name="seen")
        y = self.op("Transpose", y, perm=[0, 2, 1, 3])
        shape = self.op("Concat", self.extent(tokens, 0), self.extent(tokens, 1),
                        self.const([hidden]), axis=0)
        return self.linear(self.op("Reshape", y, shape), hidden, hidden)

    def embed(self, tokens, vocabulary, hidden, longest=512):
        positions = self.op("Slice", self.weight(longest, hidden, scale=0.5), self.const([0]),
                            self.extent(tokens, 1), self.const([0]))
        return self.op("Add", self.op("Gather", self.weight(vocabulary, hidden, scale=0.5), tokens),
                       positions)

    def layers(self, x, tokens, count, hidden, mask):
        for _ in range(count):
            y = self.attention(x, tokens, hidden, max(2, hidden // 64), mask)
            x = self.norm(self.op("Add", x, y), hidden)
            y = self.linear(x, hidden, 4 * hidden)
            erf = self.op("Erf", self.op("Div", y, self.scalar(2**0.5)))
            y = self.op("Mul", self.op("Mul", y, self.scalar(0.5)),
                        self.op("Add", erf, self.scalar(1)))
            x = self.norm(self.op("Add", x, self.linear(y, 4 * hidden, hidden)), hidden)
        return x


def encoder(g, layers, hidden, vocabulary, mask=True):
    tokens = g.input("tokens", "batch", "seq", kind=TensorProto.INT64)
    x = g.norm(g.embed(tokens, vocabulary, hidden), hidden)
    if mask:
        mask = g.op("Cast", g.input("mask", "batch", "seq", kind=TensorProto.INT64), to=1)
        mask = g.op("Unsqueeze", mask, g.const([1, 2]))
        mask = g.op("Mul", g.op("Sub", g.scalar(1), mask), g.scalar(-10000))
        x = g.layers(x, tokens, layers, hidden, lambda scores: g.op("Add", scores, mask))
    else:
        x = g.layers(x, tokens, layers, hidden, lambda scores: scores)
    g.output(x, "states", "batch", "seq", hidden)
    first = g.op("Gather", x, g.const(0), axis=1)
    g.output(g.op("Tanh", g.linear(first, hidden, hidden)), "pooled", "batch", hidden)


def where(g, layers, hidden, vocabulary):
    tokens = g.input("tokens", "batch", "seq", kind=TensorProto.INT64)
    mask = g.op("Unsqueeze", g.input("mask", "batch", "seq", kind=TensorProto.BOOL),
                g.const([1, 2]))
    x = g.layers(g.embed(tokens, vocabulary, hidden), tokens, layers, hidden,
                 lambda scores: g.op("Where", g.op("Not", mask), g.scalar(-np.inf), scores))
    g.output(x, "states", "batch", "seq", hidden)


def bias(g, layers, hidden, vocabulary):
    tokens = g.input("tokens", "batch", "seq", kind=TensorProto.INT64)
    added = g.input("added", "batch", 1, "seq", "seq")
    x = g.layers(g.embed(tokens, vocabulary, hidden), tokens, layers, hidden,
                 lambda scores: g.op("Add", scores, added))
    g.output(x, "states", "batch", "seq", hidden)


def causal(g, layers, hidden, vocabulary):
    tokens = g.input("tokens", "batch", "seq", kind=TensorProto.INT64)
    length = g.extent(tokens, 1)
    table = g.const(np.tri(512, dtype=bool)[None, None], bool)
    table = g.op("Slice", table, g.const([0, 0]), g.op("Concat", length, length, axis=0),
                 g.const([2, 3]))
    x = g.layers(g.embed(tokens, vocabulary, hidden), tokens, layers, hidden,
                 lambda scores: g.op("Where", table, scores,
                                     g.scalar(np.finfo(np.float32).min)))
    g.output(g.linear(x, hidden, 16), "logits", "batch", "seq", 16)


def rows(g, layers, hidden, vocabulary):
    x = g.input("x", "batch", "seq", 16)
    y = g.linear(g.op("Reshape", x, g.const([-1, 16])), 16, 24)
    y = g.op("Softmax", y, axis=-1)
    shape = g.op("Concat", g.extent(x, 0), g.extent(x, 1), g.const([24]), axis=0)
    g.output(y, "flat", "rows", 24)
    g.output(g.op("Transpose", g.op("Reshape", y, shape), perm=[1, 0, 2]), "y", "seq", "batch", 24)


def mixing(g, kind):
    x = g.input("x", "batch", "seq", 16)
    y = {"mean": lambda: g.op("ReduceMean", x, axes=[1], keepdims=0, name="mixes"),
         "window": lambda: g.op("Conv", g.op("Transpose", x, perm=[0, 2, 1]), g.weight(8, 16, 3),
                                pads=[1, 1], name="mixes"),
         "trace": lambda: g.op(
             "ReduceSum", g.op("Mul", g.op("MatMul", x, g.op("Transpose", x, perm=[0, 2, 1])),
                               g.op("Slice", g.const(np.eye(32)[None], np.float32),
                                    g.const([0, 0]), g.op("Concat", g.extent(x, 1), g.extent(x, 1),
                                                          axis=0), g.const([1, 2]))),
             g.const([1, 2]), keepdims=0, name="mixes"),
         "flips": lambda: g.op("Slice", x, g.const([-1]), g.const([-2**62]), g.const([1]),
                               g.const([-1]), name="mixes")}[kind]()
    g.output(y, "y", *{"mean": ("batch", 16), "window": ("batch", 8, "seq"), "trace": ("batch",),
                       "flips": ("batch", "seq", 16)}[kind])


def write_inputs(path, batch, seq):
    import onnxruntime
    random = np.random.default_rng(1)
    given = {"tokens": random.integers(0, 30, (batch, seq)),
             "mask": np.arange(seq)[None] < random.integers(1, seq + 1, (batch, 1))}
    given = {name: value.astype(np.int64) for name, value in given.items()}
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    results = dict(zip(("states", "pooled"), session.run(["states", "pooled"], given)))
    for name, value in {**given, **results, "long": np.zeros((batch, 99), np.int64)}.items():
        np.save(name + ".npy", value)


def main(kind, path, layers=1, hidden=16, vocabulary=30):
    if kind == "inputs":
        return write_inputs(path, int(layers), int(hidden))
    g, sizes = Graph(), (int(layers), int(hidden), int(vocabulary))
    if kind in ("mean", "window", "flips", "trace"):
        mixing(g, kind)
    elif kind == "bare":
        encoder(g, *sizes, mask=False)
    else:
        {"encoder": encoder, "where": where, "bias": bias, "causal": causal,
         "rows": rows}[kind](g, *sizes)
    g.save(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
