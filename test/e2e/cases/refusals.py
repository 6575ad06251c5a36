# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that fusec must refuse, with the exit code and what the message must name."""
import numpy as np

from builder import Case, Graph, cases

UNSUPPORTED, BAD_INPUT = 2, 4


def refused(graph, code, *texts):
    return Case(graph, "refused", refusal=(code, texts))


@cases
def unsupported():
    g = Graph("refuse_all_at_once")  # every such node is named, not only the first
    x = g.op("NonZero", g.input("x", (3, 3)), name="positions")
    y = g.op("Nonsense", x, name="no_such_op")
    yield refused(g.output(g.op("Gizmo", y, name="other_domain", domain="com.example"),
                           dtype="f32"),
                  UNSUPPORTED, "positions", "NonZero", "no_such_op", "Nonsense",
                  "other_domain", "Gizmo", "com.example")
    g = Graph("refuse_complex")
    x = g.input("x", value=np.zeros((3,), np.complex64))
    yield refused(g.output(g.op("Abs", x), dtype="f32"), UNSUPPORTED, "input 'x'",
                  "COMPLEX64")


@cases
def broken():
    g = Graph("refuse_cycle")
    g.op("Add", g.input("x", (3,)), "late", name="early")
    g.op("Relu", "early", name="late")
    yield refused(g.output("late", dtype="f32"), BAD_INPUT, "early")
    g = Graph("refuse_undefined_value")
    yield refused(g.output(g.op("Add", g.input("x", (3,)), "nowhere"), dtype="f32"),
                  BAD_INPUT, "nowhere")
    g = Graph("refuse_shape_conflict")
    x = g.op("MatMul", g.input("x", (3, 5)), g.input("y", (7, 3)), name="product")
    yield refused(g.output(x, dtype="f32"), BAD_INPUT, "product")
    g = Graph("refuse_type_conflict")
    x = g.op("Add", g.input("x", (3,)), g.input("y", (3,), "i32"), name="sum")
    yield refused(g.output(x, dtype="f32"), BAD_INPUT, "sum")
    g = Graph("refuse_bad_reshape")
    x = g.op("Reshape", g.input("x", (3, 5)), g.const(4, 4), name="folded")
    yield refused(g.output(x, dtype="f32"), BAD_INPUT, "folded")
    g = Graph("refuse_bad_axis")
    x = g.op("Softmax", g.input("x", (3, 5)), axis=2, name="weights")
    yield refused(g.output(x, dtype="f32"), BAD_INPUT, "weights")
    g = Graph("refuse_missing_output")
    g.op("Relu", g.input("x", (3,)))
    yield refused(g.output("never_made", dtype="f32"), BAD_INPUT, "never_made")
