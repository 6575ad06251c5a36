# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences and optional values, of which nothing is left in the compiled model."""
import numpy as np
from onnx import helper

from builder import Case, Graph, cases, onnx_type
from cases.control import Body, loop_body


@cases
def sequences():
    g = Graph("sequence_split_map_concat")
    x, w = g.input("x", (7, 6)), g.weight((6, 5))
    parts = g.op("SplitToSequence", x, g.weight(np.array([3, 0, 4])), axis=0)
    body = Body("body")
    row, factor = body.argument("row", None), body.argument("w", (6, 5))
    mapped = g.op("SequenceMap", parts, w, body=body.result(
        body.op("Tanh", body.op("MatMul", row, factor))))
    yield Case(g.output(g.op("ConcatFromSequence", mapped, axis=0), dtype="f32"), "network")

    g = Graph("sequence_edit")  # at positions of both signs; the last one by default
    x, y, z = g.input("x", (2, 3)), g.input("y", (2, 3)), g.input("z", (2, 1))
    s = g.op("SequenceInsert", g.op("SequenceEmpty"), x)
    s = g.op("SequenceInsert", s, y, g.weight(np.array(-1)))
    s = g.op("SequenceInsert", s, z, g.weight(np.array(1)))
    s = g.op("SequenceErase", g.op("SequenceConstruct", x, *(
        g.op("SequenceAt", s, g.weight(np.array(i))) for i in (0, 1, -1))))
    s = g.op("SequenceErase", s, g.weight(np.array(0)))
    g.output(g.op("ConcatFromSequence", s, axis=-1), dtype="f32")
    yield Case(g.output(g.op("SequenceLength", s), dtype="i64"), "exact")

    g = Graph("sequence_stack")  # single elements, without their dimension
    x = g.input("x", (3, 5))
    columns = g.op("SplitToSequence", x, axis=1, keepdims=0)
    stacked = g.op("ConcatFromSequence", columns, axis=-2, new_axis=1)
    yield Case(g.output(g.op("Exp", stacked), dtype="f32"), "elementwise")

    g = Graph("sequence_chunks")  # the last one is smaller
    x = g.input("x", (2, 7))
    chunks = g.op("SplitToSequence", x, g.weight(np.array(3)), axis=-1)
    last = g.op("SequenceAt", chunks, g.weight(np.array(-1)))
    yield Case(g.output(g.op("Neg", last), dtype="f32"), "exact")

    g = Graph("sequence_shape")  # what a shape is made of stays known
    x = g.input("x", (4, 3, 5))
    sizes = g.op("SplitToSequence", g.op("Shape", x), keepdims=0)
    height, width = (g.op("SequenceAt", sizes, g.weight(np.array(i))) for i in (0, 2))
    rest = g.op("SequenceConstruct", g.weight(np.array(-1)), width, height)
    shape = g.op("ConcatFromSequence", rest, axis=0, new_axis=1)
    yield Case(g.output(g.op("Reshape", x, shape), dtype="f32"), "exact")

    g = Graph("optional_values")
    x = g.input("x", (3, 4))
    there, absent = g.op("Optional", x), g.op("Optional", type=helper.make_tensor_type_proto(1, [2]))
    then, other = Body("then"), Body("other")
    g.opset = 18
    y = g.op("If", g.op("OptionalHasElement", absent),
             then_branch=then.result(then.op("OptionalGetElement", absent)),
             else_branch=other.result(other.op("OptionalGetElement", there)))
    yield Case(g.output(g.op("Relu", y), dtype="f32"), "exact", lambda x: [np.maximum(x, 0)])


@cases
def unrolled_loops():
    """Loops that carry sequences, or tensors that grow."""
    g = Graph("loop_sequence")
    x = g.input("x", (2, 3))
    body, i, go_on, () = loop_body("body", [])
    body.arguments.append(helper.make_tensor_sequence_value_info(
        "rows_in", onnx_type("f32"), None))
    scaled = body.op("Mul", x, body.op("Cast", i, to=onnx_type("f32")))
    rows = body.op("SequenceInsert", "rows_in", scaled)
    result = helper.make_graph(
        body.nodes + [helper.make_node("Identity", [go_on], ["rows_on"])], "body", body.arguments,
        [helper.make_tensor_value_info("rows_on", onnx_type("bool"), ()),
         helper.make_tensor_sequence_value_info(rows, onnx_type("f32"), None)])
    last = g.op("Loop", g.weight(np.array(5)), None, g.op("SequenceEmpty"), body=result)
    yield Case(g.output(g.op("ConcatFromSequence", last, axis=0), dtype="f32"), "elementwise")

    g = Graph("loop_grows")
    x = g.input("x", (2, 3))
    body, i, go_on, (now,) = loop_body("body", [(None, "f32")])
    y = g.op("Loop", g.weight(np.array(4)), None, x, body=body.result(
        (body.op("Identity", go_on), "bool", ()),
        body.op("Concat", now, body.op("Tanh", x), axis=0)))
    yield Case(g.output(g.op("Exp", y), dtype="f32"), "network")

    g = Graph("loop_slices")  # where the iteration's number begins
    x, start = g.input("x", (5, 3)), g.input("start", (1, 3))
    body, i, go_on, (now,) = loop_body("body", [((1, 3), "f32")])
    at = body.op("Reshape", i, body.weight(np.array([1])))
    after = body.op("Add", at, body.weight(np.array([1])))
    y = body.op("Add", now, body.op("Slice", x, at, after))
    last, rows = g.op("Loop", g.weight(np.array(5)), None, start, outputs=2, body=body.result(
        (body.op("Identity", go_on), "bool", ()), y, body.op("Neg", y)))
    yield Case(g.output(last, rows, dtype="f32"), "network")
