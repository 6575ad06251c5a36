# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that rank what a user may like."""
import numpy as np

from cases.networks import dense

from . import model


def mlp(g, x, sizes, last):
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        x = dense(g, x, inputs, outputs, last if i == len(sizes) - 2 else "Relu")
    return x


@model("26 tables of 1000 rows, batch of 32", quick=True)
def dlrm(g, batch=32):
    """Naumov et al. 2019: sums of embeddings, the products of all pairs, two MLPs."""
    tables, width, bag = 26, 64, 4
    x = mlp(g, g.input("dense", (batch, 13)), (13, 512, 256, width), "Relu")
    features = [x]
    for table in range(tables):
        ids = g.input(f"ids_{table}", (batch, bag), "i64", low=0, high=1000)
        rows = g.op("Gather", g.weight((1000, width), scale=0.5), ids)
        features.append(g.op("ReduceSum", rows, g.const(1), keepdims=0))
    count = len(features)
    z = g.op("Reshape", g.op("Concat", *features, axis=1), g.const(batch, count, width))
    z = g.op("MatMul", z, g.op("Transpose", z, perm=[0, 2, 1]))
    z = g.op("Reshape", z, g.const(batch, count * count))
    pairs = np.ravel_multi_index(np.tril_indices(count, -1), (count, count))
    z = g.op("Gather", z, g.weight(pairs, "i64"), axis=1)
    z = g.op("Mul", z, g.scalar(1 / width**0.5))
    x = g.op("Concat", x, z, axis=1)
    return g.output(mlp(g, x, (width + len(pairs), 512, 256, 1), "Sigmoid"), dtype="f32")
