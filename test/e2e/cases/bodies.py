# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators whose bodies are text (--ops=x.fop), against the same formulas in ONNX."""
import pathlib

from builder import Case, Graph, cases
from oracle import run_onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[3]
NORMS = ROOT / "examples/layer_norm/norms.fop"
DEFORM = ROOT / "examples/deform_conv/deform_conv.fop"
VALUES = ROOT / "test/import/bodies/Inputs/values.fop"


def layer_norm(g, own):
    names = [g.op("Relu", g.input("x", (3, 5, 65))), g.input("g", (65,)),
             g.input("c", (65,))]
    return g.op("LayerNorm", *names, domain="acme", eps=1e-3) if own else \
        g.op("LayerNormalization", *names, epsilon=1e-3)


def swoosh(g, own):
    x = g.op("Neg", g.input("x", (7, 33), low=-4, high=4))
    if own:
        return g.op("Exp", g.op("Swoosh", x, domain="acme", offset=1.0))
    one = g.scalar(1.0)
    log = g.op("Log", g.op("Add", one, g.op("Exp", g.op("Sub", x, one))))
    return g.op("Exp", g.op("Sub", log, g.op("Mul", g.scalar(0.08), x)))


def softmax(g, own):
    x = g.op("Mul", g.input("x", (2, 3, 37), low=-3, high=3), g.scalar(2.0))
    return g.op("Softmax", x, domain="acme") if own else g.op("Softmax", x, axis=-1)


def convolution(g, own):
    x = g.op("Relu", g.input("x", (2, 5, 13, 11)))
    k = g.weight((7, 5, 3, 3))
    y = g.op("Conv", x, k, domain="acme", stride=[2, 1], pad=1) if own else \
        g.op("Conv", x, k, strides=[2, 1], pads=[1] * 4)
    return g.op("Relu", y)


def deform_conv(g, own):
    g.opset = 19
    x = g.op("Relu", g.input("x", (2, 4, 9, 8)))
    names = [x, g.weight((6, 4, 3, 3)), g.input("offset", (2, 18, 5, 4), low=-3, high=3)]
    return g.op("DeformConv", *names, domain="vision" if own else "", strides=[2, 2],
                pads=[1, 1] if own else [1] * 4)


@cases
def bodies():
    for name, make, text, tolerance in (
            ("layer_norm", layer_norm, NORMS, "network"),
            ("swoosh", swoosh, NORMS, "network"),
            ("softmax", softmax, VALUES, "network"),
            ("convolution", convolution, VALUES, "network"),
            ("deform_conv", deform_conv, DEFORM, "network")):
        own, twin = Graph(f"body_{name}"), Graph(f"body_{name}")
        own.output(make(own, True), dtype="f32")
        twin.output(make(twin, False), dtype="f32")

        def reference(*values, twin=twin):
            return run_onnxruntime(twin.build(), dict(zip(twin.inputs, values)))
        yield Case(own, tolerance, reference=reference, options=(f"--ops={text}",))
