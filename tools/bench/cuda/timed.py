# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of a pack that are timed beside PyTorch: files/torch_times.py has the same.

All that a model has is an input, so that the pack holds no weights of theirs.
"""
import numpy as np

from builder import Case, Graph, cases


@cases
def timed():
    g = Graph("timed_softmax")
    g.output(g.op("Softmax", g.input("x", (4096, 1024)), axis=-1))
    yield Case(g, "network")

    g = Graph("timed_layer_norm")
    g.output(g.op("LayerNormalization", g.input("x", (4096, 1024)), g.input("s", (1024,)),
                  g.input("b", (1024,))))
    yield Case(g, "network")

    g = Graph("timed_bias_gelu_residual")
    g.opset = 20
    biased = g.op("Add", g.input("x", (4096, 2048)), g.input("b", (2048,)))
    g.output(g.op("Add", g.op("Gelu", biased), g.input("r", (4096, 2048))))
    yield Case(g, "network")

    g = Graph("timed_gemm_bias_relu")
    product = g.op("MatMul", g.input("x", (1024, 1024)), g.input("w", (1024, 1024)))
    g.output(g.op("Relu", g.op("Add", product, g.input("b", (1024,)))))
    yield Case(g, "network")

    g = Graph("timed_conv_bias_relu")
    g.output(g.op("Relu", g.op("Conv", g.input("x", (8, 64, 56, 56)), g.input("w", (64, 64, 3, 3)),
                               g.input("b", (64,)), pads=[1, 1, 1, 1])))
    yield Case(g, "network")

    g = Graph("timed_gemm_2048")
    g.output(g.op("MatMul", g.input("x", (2048, 2048)), g.input("w", (2048, 2048))))
    yield Case(g, "network")

    for name, axes in (("rows", [1]), ("columns", [0]), ("all", [0, 1])):
        g = Graph(f"timed_sum_{name}")
        g.output(g.op("ReduceSum", g.input("x", (4096, 4096)),
                      g.weight(np.array(axes, np.int64)), keepdims=0))
        yield Case(g, "network")

    g = Graph("timed_transpose")
    g.output(g.op("Transpose", g.input("x", (4096, 4096)), perm=[1, 0]))
    yield Case(g, "network")
