# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that walk along a sentence."""
import numpy as np

from . import model


def bidirectional_lstm(g, x, lengths, inputs, hidden):
    """[words, batch, inputs] -> [words, batch, 2 * hidden]"""
    w = g.weight((2, 4 * hidden, inputs), scale=(1.0 / inputs)**0.5)
    r = g.weight((2, 4 * hidden, hidden), scale=(1.0 / hidden)**0.5)
    b = g.weight((2, 8 * hidden), scale=0.1)
    y = g.op("LSTM", x, w, r, b, lengths, outputs=3, hidden_size=hidden,
             direction="bidirectional")[0]
    y = g.op("Transpose", y, perm=[0, 2, 1, 3])  # the directions stood before the batch
    return g.op("Reshape", y, g.const(0, 0, 2 * hidden))


@model("2 layers of 128 units, 8 sentences of up to 40 of 10,000 words", quick=True)
def lstm_tagger(g):
    """Huang, Xu and Yu 2015, without the CRF: embedding, bidirectional LSTMs, classifier."""
    words, batch, width, hidden, tags = 40, 8, 100, 128, 45
    ids = g.input("words", (batch, words), "i64", low=0, high=10000)
    lengths = g.input("lengths", value=np.array([40, 1, 37, 22, 40, 5, 13, 29], np.int32))
    x = g.op("Gather", g.weight((10000, width), scale=2), ids)
    x = g.op("Transpose", x, perm=[1, 0, 2])
    x = bidirectional_lstm(g, x, lengths, width, hidden)
    x = bidirectional_lstm(g, x, lengths, 2 * hidden, hidden)
    y = g.op("MatMul", x, g.weight((2 * hidden, tags), scale=(12.0 / hidden)**0.5))
    y = g.op("LogSoftmax", g.op("Add", y, g.weight((tags,))), axis=-1)
    return g.output(g.op("Transpose", y, perm=[1, 0, 2]), dtype="f32")
