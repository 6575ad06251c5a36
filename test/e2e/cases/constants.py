# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What follows from constants: shapes by any operator, loops that constants end."""
import numpy as np

from builder import Case, Graph, cases
from .control import loop_body

ENDLESS = np.array(np.iinfo(np.int64).max)


def ints(g, *values):
    return g.weight(np.array(values, np.int64))


def floats(g, *values):
    return g.weight(np.array(values), "f32")


def whole(g, value):
    return g.op("Cast", value, to=7)


# Each makes the vector [4, 6] out of constants, by the operator that it is named after.
SHAPES = {
    "ReduceMax": lambda g: g.op("ReduceMax", ints(g, [1, 4, 2], [6, 3, 5]), axes=[1], keepdims=0),
    "ReduceMin": lambda g: g.op("ReduceMin", ints(g, [9, 4, 7], [6, 8, 9]), axes=[1], keepdims=0),
    "ReduceSum": lambda g: g.op("ReduceSum", ints(g, [1, 2, 1], [1, 2, 3]), g.const(1), keepdims=0),
    "ReduceMean": lambda g: whole(g, g.op("ReduceMean", floats(g, [3, 5], [4, 8]), axes=[1],
                                          keepdims=0)),
    "ReduceProd": lambda g: g.op("ReduceProd", ints(g, [2, 2], [2, 3]), axes=[1], keepdims=0),
    "Round": lambda g: whole(g, g.op("Round", floats(g, 3.6, 6.4))),
    "Abs": lambda g: g.op("Abs", ints(g, -4, 6)),
    "Pow": lambda g: whole(g, g.op("Pow", floats(g, 2, 6), floats(g, 2, 1))),
    "Min": lambda g: whole(g, g.op("Min", floats(g, 4, 8), floats(g, 9, 6))),
    "Max": lambda g: whole(g, g.op("Max", floats(g, 4, 1), floats(g, 2, 6))),
    "And": lambda g: g.op("Where", g.op("And", g.weight([True, True]), g.op(
        "Not", g.op("Or", g.weight([False, True]), g.weight([False, False])))),
        ints(g, 4, 9), ints(g, 9, 6)),
    "Tile": lambda g: g.op("Add", g.op("Tile", ints(g, 4), g.const(2)), ints(g, 0, 2)),
    "Trilu": lambda g: g.op("ReduceSum", g.op("Trilu", ints(g, [4, 9], [5, 1]), upper=0),
                            g.const(1), keepdims=0),
    "Pad": lambda g: g.op("Pad", ints(g, 4), g.const(0, 1), ints(g, 6)),
    "ScatterElements": lambda g: g.op("ScatterElements", ints(g, 4, 9), ints(g, 1), ints(g, 6)),
    "ScatterND": lambda g: g.op("ScatterND", ints(g, 9, 6), ints(g, [-2]), ints(g, 4)),
    "CumSum": lambda g: g.op("CumSum", ints(g, 4, 2), g.weight(np.array(0))),
    "TopK": lambda g: g.op("TopK", ints(g, 4, 9, 6), g.const(2), largest=0, outputs=2)[0],
    "ArgMax": lambda g: g.op("ArgMax", ints(g, [0, 0, 0, 0, 7, 1, 2], [0, 0, 5, 1, 2, 5, 9]),
                             axis=1, keepdims=0),
    "OneHot": lambda g: g.op("Squeeze", g.op("OneHot", ints(g, 1), g.weight(np.array(2)),
                                             ints(g, 4, 6)), g.const(0)),
    "MatMul": lambda g: whole(g, g.op("MatMul", floats(g, [1, 1], [0, 2]), floats(g, 1, 3))),
    "GatherND": lambda g: g.op("GatherND", ints(g, [9, 4], [6, 9]), ints(g, [0, 1], [1, 0])),
    "Softmax": lambda g: whole(g, g.op("Mul", g.op("Softmax", floats(g, 2, 2)),
                                       floats(g, 8, 12))),
    "Conv": lambda g: whole(g, g.op("Reshape", g.op(
        "Conv", floats(g, [[[1, 3, 3]]]), floats(g, [[[1, 1]]])), g.const(-1))),
    "Resize": lambda g: whole(g, g.op("Reshape", g.op(
        "Resize", floats(g, [[[4, 6, 6, 6]]]), None, None, g.const(1, 1, 1, 2)),
        g.const(-1))),
}


@cases
def constant_shapes():
    # A transposition keeps apart what shapes of as many elements say.
    g = Graph("shapes_by_operator")
    x = g.input("x", (2, 12))
    for make in SHAPES.values():
        y = g.op("Transpose", g.op("Reshape", x, make(g)), perm=[1, 0])
        g.output(y, dtype="f32")
    yield Case(g, "exact")

    # More elements than are evaluated at once: computed when somebody asks.
    g = Graph("shapes_by_tables")
    x = g.input("x", (3, 40))
    table = g.op("Range", g.weight(np.array(0)), g.weight(np.array(9000)), g.weight(np.array(3)))
    tens = g.op("Equal", g.op("Mod", table, g.weight(np.array(300))), g.weight(np.array(0)))
    count = g.op("ReduceSum", whole(g, tens), g.const(0))  # 30
    y = g.op("Reshape", x, g.op("Concat", g.op("Div", count, g.const(2)), g.const(-1), axis=0))
    rows = g.op("Gather", y, g.op("Div", g.op("Squeeze", g.op("NonZero", tens), g.const(0)),
                                  g.const(200)), axis=0)
    yield Case(g.output(y, rows, dtype="f32"), "exact")

    # A loop whose result is a shape.
    g = Graph("shapes_by_loop")
    x = g.input("x", (4, 16))
    body, i, go_on, (now,) = loop_body("body", [((1,), "i64")])
    y = g.op("Loop", g.weight(np.array(3)), None, g.const(1), body=body.result(
        (body.op("Identity", go_on), "bool", ()), (body.op("Add", now, now), "i64", (1,))))
    yield Case(g.output(g.op("Reshape", x, g.op("Concat", y, g.const(-1), axis=0)),
                        dtype="f32"), "exact")


def gru_loop(g, x, h, steps, simplified):
    """A recurrent layer as tf2onnx writes a while loop of Keras: counters carried, rows
    taken by one of them, the end decided by both and by a flag that is carried on."""
    zero, one = g.weight(np.array(0)), g.weight(np.array(1))
    body, i, go_on, (counter, time, state, keep) = loop_body(
        "while", [((), "i64"), ((), "i64"), (None, "f32"), ((), "bool")])
    row = body.op("Gather", x, time, axis=0)
    gate = body.op("Sigmoid", body.op("MatMul", row, g.weight((6, 8), name="wz")))
    new = body.op("Tanh", body.op("Add", body.op("MatMul", row, g.weight((6, 8), name="wh")),
                                  body.op("MatMul", state, g.weight((8, 8), name="uh"))))
    after = body.op("Add", body.op("Mul", gate, state),
                    body.op("Mul", body.op("Sub", body.scalar(1.0), gate), new))
    later, next_time = body.op("Add", counter, one), body.op("Add", time, one)
    inside = body.op("And", body.op("Less", later, g.weight(np.array(100))),
                     body.op("Less", next_time, steps))
    graph = body.result((body.op("And", inside, keep), "bool", ()), (later, "i64", ()),
                        (next_time, "i64", ()), after, (body.op("Identity", keep), "bool", ()),
                        after)
    start = None if simplified else g.op("Less", zero, steps)
    return g.op("Loop", None if simplified else g.weight(ENDLESS), start, zero, zero, h,
                g.weight(np.array(True)), outputs=5, body=graph)


@cases
def decidable_loops():
    for simplified in (False, True):
        g = Graph(f"loop_gru_{'simplified' if simplified else 'exported'}")
        x, h = g.input("x", (5, 2, 6)), g.input("h", (2, 8))
        steps = g.weight(np.array(5)) if simplified else g.op(
            "Squeeze", g.op("Slice", g.op("Shape", x), g.const(0), g.const(1)), g.const(0))
        results = gru_loop(g, x, h, steps, simplified)
        yield Case(g.output(results[2], results[4], dtype="f32"), "network")

    # What grows is imported iteration by iteration.
    g = Graph("loop_grows_until")
    x = g.input("x", (3, 4))
    body, i, go_on, (now, n) = loop_body("body", [(None, "f32"), ((), "i64")])
    n_next = body.op("Add", n, g.weight(np.array(2)))
    y, _ = g.op("Loop", g.weight(ENDLESS), None, x, g.weight(np.array(1)), outputs=2,
                body=body.result((body.op("Less", n_next, g.weight(np.array(8))), "bool", ()),
                                 body.op("Concat", now, body.op("Relu", now), axis=0),
                                 (n_next, "i64", ())))
    yield Case(g.output(y, dtype="f32"), "elementwise")

    # Whether it goes on depends on an input: the rows are not known.
    g = Graph("refuse_loop_until")
    x = g.input("x", (3,))
    body, i, go_on, (now,) = loop_body("body", [((3,), "f32")])
    small = body.op("Less", body.op("ReduceSum", now, keepdims=0), body.scalar(9.0), name="small")
    _, rows = g.op("Loop", g.weight(np.array(70)), None, x, outputs=2, name="many",
                   body=body.result((small, "bool", ()), body.op("Exp", now), now))
    yield Case(g.output(rows, dtype="f32"), "refused", refusal=(2, (
        "'many' (Loop", "may end early", "at run time")))
