# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of classifiers, the steps of optimisers, determinants."""
import numpy as np

from builder import Case, Graph, cases


@cases
def losses():
    for kind in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
        for reduction in ("none", "sum", "mean"):
            for weighted in (False, True):
                short = "nll" if kind.startswith("N") else "sce"
                g = Graph(f"{short}_{reduction}{'_weighted' * weighted}")
                x = g.input("x", (9, 17), low=-4, high=0)
                target = g.input("target", value=g.rng.integers(0, 17, (9,)))
                weight = [g.weight(g.random((17,), low=0.1, high=2))] * weighted
                y = g.op(kind, x, target, *weight, reduction=reduction)
                yield Case(g.output(y, dtype="f32"), "reduction")
    g = Graph("sce_images_ignored")
    target = g.rng.integers(0, 5, (2, 7, 9))
    target[0, :3] = -100
    y = g.op("SoftmaxCrossEntropyLoss", g.input("x", (2, 5, 7, 9), low=-4, high=4),
             g.input("target", value=target), g.weight(g.random((5,), low=0.1, high=2)),
             outputs=2, ignore_index=-100)
    yield Case(g.output(*y, dtype="f32"), "reduction")
    for kind in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
        short = "nll" if kind.startswith("N") else "sce"
        g = Graph(f"{short}_mean_ignored")  # who is ignored does not count either
        target = g.rng.integers(0, 17, (9,))
        target[2:5] = -1
        y = g.op(kind, g.input("x", (9, 17), low=-4, high=0),
                 g.input("target", value=target), ignore_index=-1)
        yield Case(g.output(y, dtype="f32"), "reduction")


def adam_step(r, t, x, g, v, h):
    v, h = 0.9 * v + 0.1 * g, 0.99 * h + 0.01 * g * g
    r = r * np.sqrt(1 - 0.99**t) / (1 - 0.9**t)
    return [x - r * v / (np.sqrt(h) + 1e-6), v, h]


def momentum_step(r, t, x, g, v):
    g = 0.1 * x + g
    v = 0.9 * v + 0.5 * g
    return [x - r * (g + 0.9 * v), v]


@cases
def optimisers():
    domain = "ai.onnx.preview.training"
    g = Graph("adam_step")
    scalars = [g.input("r", value=np.float32(0.1)), g.input("t", value=np.int64(3))]
    tensors = [g.input(n, (5, 33), low=0 if n == "h" else -1) for n in "xgvh"]
    y = g.op("Adam", *scalars, *tensors, outputs=3, domain=domain, alpha=0.9, beta=0.99)
    yield Case(g.output(*y, dtype="f32"), "elementwise", adam_step)
    g = Graph("nesterov_step")
    scalars = [g.input("r", value=np.float32(0.1)), g.input("t", value=np.int64(3))]
    tensors = [g.input(n, (5, 33)) for n in "xgv"]
    y = g.op("Momentum", *scalars, *tensors, outputs=2, domain=domain, alpha=0.9,
             beta=0.5, norm_coefficient=0.1, mode="nesterov")
    yield Case(g.output(*y, dtype="f32"), "elementwise", momentum_step)


@cases
def determinants():
    for size in (1, 2, 3, 4):
        g = Graph(f"det_{size}")
        yield Case(g.output(g.op("Det", g.input("x", (5, 7, size, size)))), "network")
    g = Graph("det_7")  # with pivots that are 0, and a matrix of rank 6
    x = g.random((3, 7, 7))
    x[0, 0, 0] = x[1, :3, 0] = 0
    x[2, 5] = x[2, 1]
    yield Case(g.output(g.op("Det", g.input("x", value=x))), "network")
