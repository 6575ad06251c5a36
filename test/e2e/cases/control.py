# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions, loops and scans."""
import numpy as np
from onnx import helper, numpy_helper

from builder import Case, Graph, cases, onnx_type


class Body(Graph):
    """A graph that is an attribute of a node; names are apart from all others."""

    count = 0

    def __init__(self, name):
        super().__init__(name)
        Body.count += 1
        self.counter = 1000 * Body.count
        self.arguments = []

    def argument(self, name, shape=(), dtype="f32"):
        self.arguments.append(helper.make_tensor_value_info(
            f"{self.name}_{name}", onnx_type(dtype), shape))
        return f"{self.name}_{name}"

    def result(self, *values):
        """The graph; each value is a name, or a name, type and shape."""
        outputs = []
        for value in values:
            name, dtype, shape = value if isinstance(value, tuple) else (value, "f32", None)
            outputs.append(helper.make_tensor_value_info(name, onnx_type(dtype), shape))
        return helper.make_graph(self.nodes, self.name, self.arguments, outputs,
                                 self.initializers)


def loop_body(name, carried):
    """A body of a Loop, its iteration, condition and carried values."""
    body = Body(name)
    iteration = body.argument("i", (), "i64")
    condition = body.argument("go_on", (), "bool")
    values = [body.argument(f"v{n}", shape, dtype)
              for n, (shape, dtype) in enumerate(carried)]
    return body, iteration, condition, values


@cases
def conditions():
    for taken in (True, False):
        for source in ("input", "constant"):
            g = Graph(f"if_{source}_{'then' if taken else 'else'}")
            x, w = g.input("x", (5, 17)), g.weight((17, 9))
            flag = g.input("flag", value=np.array(taken)) if source == "input" \
                else g.weight(np.array(taken), "bool")
            then, other = Body("then"), Body("other")
            a = then.op("Relu", then.op("MatMul", x, w))
            b = other.op("Tanh", other.op("MatMul", x, other.weight((17, 9))))
            y = g.op("If", flag, then_branch=then.result(a), else_branch=other.result(b))
            yield Case(g.output(g.op("Add", y, g.scalar(1.0)), dtype="f32"), "network")

    # A branch that passes on what it captures; a condition that is computed.
    g = Graph("if_computed_condition")
    x = g.input("x", (4, 6))
    total = g.op("ReduceSum", x, keepdims=0)
    flag = g.op("Greater", total, g.scalar(0.0))
    then, other = Body("then"), Body("other")
    y = g.op("If", flag, outputs=2,
             then_branch=then.result(then.op("Identity", x), then.op("Neg", x)),
             else_branch=other.result(other.op("Exp", x), other.op("Identity", x)))
    yield Case(g.output(*y, dtype="f32"), "elementwise")

    g = Graph("if_nested")
    x, c, d = g.input("x", (3, 5)), g.input("c", value=np.array(True)), \
        g.input("d", value=np.array(False))
    inner_then, inner_else = Body("inner_then"), Body("inner_else")
    then, other = Body("then"), Body("other")
    doubled = then.op("Add", x, x)
    z = then.op("If", d,
                then_branch=inner_then.result(inner_then.op("Abs", doubled)),
                else_branch=inner_else.result(inner_else.op("Mul", doubled, x)))
    y = g.op("If", c, then_branch=then.result(z),
             else_branch=other.result(other.op("Sqrt", x)))
    yield Case(g.output(y, dtype="f32"), "elementwise")


@cases
def loops():
    # A power iteration: carried vector, invariant matrix, rows of a result.
    g = Graph("loop_for")
    a, v = g.input("a", (12, 12)), g.input("v", (12, 1), low=0.1)
    body, i, go_on, (now,) = loop_body("body", [((12, 1), "f32")])
    y = body.op("MatMul", a, now)
    norm = body.op("Sqrt", body.op("ReduceSum", body.op("Mul", y, y), keepdims=1))
    y = body.op("Div", y, norm)
    row = body.op("Mul", y, body.op("Cast", i, to=1))
    last, rows = g.op("Loop", g.weight(np.array(7)), None, v, outputs=2,
                      body=body.result((body.op("Identity", go_on), "bool", ()), y, row))
    yield Case(g.output(last, rows, dtype="f32"), "network")

    for steps in (0, 3):  # the number of iterations is an input
        g = Graph(f"loop_count_{steps}")
        x, n = g.input("x", (6, 10)), g.input("n", value=np.array(steps))
        body, i, go_on, (now,) = loop_body("body", [((6, 10), "f32")])
        y = body.op("Tanh", body.op("Add", now, x))
        last = g.op("Loop", n, None, x,
                    body=body.result((body.op("Identity", go_on), "bool", ()), y))
        yield Case(g.output(g.op("Exp", last), dtype="f32"), "network")

    # Ends when the sum grows too large; two carried values change places.
    for flag in (True, False):
        g = Graph(f"loop_while_{'some' if flag else 'none'}")
        x, y = g.input("x", (8,), low=0.5), g.input("y", (8,), low=0.5)
        go = g.input("go", value=np.array(flag))
        body, i, go_on, (p, q) = loop_body("body", [((8,), "f32"), ((8,), "f32")])
        total = body.op("Add", p, q)
        small = body.op("Less", body.op("ReduceSum", total, keepdims=0), body.scalar(100.0))
        result = g.op("Loop", g.weight(np.array(2**62)), go, x, y, outputs=2,
                      body=body.result((small, "bool", ()), q, total))
        yield Case(g.output(*result, dtype="f32"), "network")

    # A loop in a loop, with a condition inside, and values of all levels used.
    g = Graph("loop_nested")
    x, w = g.input("x", (3, 4)), g.weight((4, 4), scale=0.5)
    outer, i, go_on, (state,) = loop_body("outer", [((3, 4), "f32")])
    inner, j, go_on_inner, (deep,) = loop_body("inner", [((3, 4), "f32")])
    shifted = outer.op("Add", state, x)
    then, other = Body("then"), Body("other")
    even = inner.op("Equal", inner.op("Mod", inner.op("Add", i, j), inner.weight(np.array(2))),
                    inner.weight(np.array(0)))
    chosen = inner.op(
        "If", even, then_branch=then.result(then.op("MatMul", deep, w)),
        else_branch=other.result(other.op("Sub", deep, shifted)))
    inner_last, inner_rows = outer.op(
        "Loop", outer.weight(np.array(3)), None, shifted, outputs=2,
        body=inner.result((inner.op("Identity", go_on_inner), "bool", ()), chosen,
                          inner.op("Relu", chosen)))
    last, rows = g.op(
        "Loop", g.weight(np.array(4)), None, x, outputs=2,
        body=outer.result((outer.op("Identity", go_on), "bool", ()), inner_last, inner_rows))
    yield Case(g.output(last, rows, dtype="f32"), "network")

    g = Graph("loop_once")
    x = g.input("x", (5, 3))
    body, i, go_on, (now,) = loop_body("body", [((5, 3), "f32")])
    y = body.op("Exp", now)
    last, rows = g.op("Loop", g.weight(np.array(1)), None, x, outputs=2,
                      body=body.result((body.op("Identity", go_on), "bool", ()), y, now))
    yield Case(g.output(last, rows, dtype="f32"), "elementwise")


@cases
def scans():
    g = Graph("scan_sum")
    x, start = g.input("x", (9, 13)), g.input("start", (13,))
    body = Body("body")
    total, row = body.argument("sum", (13,)), body.argument("row", (13,))
    y = body.op("Add", total, row)
    last, rows = g.op("Scan", start, x, outputs=2, num_scan_inputs=1,
                      body=body.result(y, body.op("Identity", y)))
    yield Case(g.output(last, rows, dtype="f32"), "network")

    for name, directions in (("forward", (0, 0)), ("reverse", (1, 1)), ("mixed", (1, 0))):
        g = Graph(f"scan_axes_{name}")
        a, b = g.input("a", (4, 6, 5)), g.input("b", (6, 3))
        start = g.input("start", (4, 5))
        body = Body("body")
        state = body.argument("state", (4, 5))
        p, q = body.argument("p", (4, 5)), body.argument("q", (3,))
        y = body.op("Tanh", body.op("Add", state, p))
        z = body.op("Add", q, body.op("ReduceSum", y, keepdims=0))
        last, ys, zs = g.op(
            "Scan", start, a, b, outputs=3, num_scan_inputs=2, scan_input_axes=[1, 0],
            scan_input_directions=list(directions), scan_output_axes=[2, -1],
            scan_output_directions=list(directions[::-1]), body=body.result(y, body.op(
                "Identity", y), z))
        yield Case(g.output(last, ys, zs, dtype="f32"), "network")

    for lengths in (False, True):  # the first Scan had a batch dimension
        g = Graph(f"scan_batched{'_lengths' if lengths else ''}")
        g.opset = 8
        x, start = g.input("x", (3, 5, 2)), g.input("start", (3, 2))
        sizes = g.input("sizes", value=np.array([5, 2, 4])) if lengths else None
        body = Body("body")
        state, row = body.argument("state", (2,)), body.argument("row", (2,))
        y = body.op("Add", state, row)
        last, rows = g.op("Scan", sizes, start, x, outputs=2, num_scan_inputs=1,
                          directions=[0], body=body.result(y, body.op("Identity", y)))

        def reference(x, start, sizes=np.array([5, 5, 5])):
            totals = np.cumsum(x, axis=1) + start[:, None]
            mask = np.arange(5)[None, :, None] < sizes[:, None, None]
            return [totals[np.arange(3), sizes - 1], np.where(mask, totals, 0)]
        yield Case(g.output(last, rows, dtype="f32"), "network", reference)


@cases
def no_iteration():
    for trips in (0, -3):
        g = Graph(f"loop_of_{abs(trips)}_trips")
        x = g.input("x", (3, 5))
        body, i, go_on, (now,) = loop_body("body", [((3, 5), "f32")])
        y, rows = g.op("Loop", g.weight(np.array(trips)), None, x, outputs=2, body=body.result(
            (body.op("Identity", go_on), "bool", ()), body.op("Exp", now),
            body.op("ReduceSum", now, g.const(1), keepdims=0)))
        yield Case(g.output(g.op("Relu", y), rows, dtype="f32"), "exact")


@cases
def refused_control():
    g = Graph("refuse_if_shapes")
    x, c = g.input("x", (3, 5)), g.input("c", value=np.array(True))
    then, other = Body("then"), Body("other")
    y = g.op("If", c, name="choice", then_branch=then.result(then.op("Relu", x)),
             else_branch=other.result(other.op("ReduceSum", x, keepdims=0)))
    yield Case(g.output(y, dtype="f32"), "refused",
               refusal=(2, ("choice", "different types", "tensor<3x5xf32>")))

    g = Graph("refuse_loop_shape")
    x, n = g.input("x", (3, 5)), g.input("n", value=np.array(4))
    body, i, go_on, (now,) = loop_body("body", [(None, "f32")])
    y = g.op("Loop", n, None, x, name="grow", body=body.result(
        (body.op("Identity", go_on), "bool", ()), body.op("Concat", now, x, axis=0)))
    yield Case(g.output(y, dtype="f32"), "refused",
               refusal=(2, ("grow", "tensor<6x5xf32>", "fixed shapes")))

    g = Graph("refuse_loop_rows")
    x, n = g.input("x", (3, 5)), g.input("n", value=np.array(4))
    body, i, go_on, (now,) = loop_body("body", [((3, 5), "f32")])
    y, rows = g.op("Loop", n, None, x, outputs=2, name="many", body=body.result(
        (body.op("Identity", go_on), "bool", ()), body.op("Exp", now), now))
    yield Case(g.output(rows, dtype="f32"), "refused",
               refusal=(2, ("many", "trip count", "run time")))

    # The inputs that would let it be imported, before what the body lacks without them.
    for name, n, c in (("trips", "n", ""), ("condition", None, "c")):
        g = Graph(f"refuse_loop_{name}")
        x = g.input("x", (3,))
        count = g.input("n", value=np.array(4)) if n else g.weight(np.array(4))
        holds = g.input("c", value=np.array(True)) if c else None
        body, i, go_on, (now,) = loop_body("body", [((1,), "f32")])
        start = body.op("Unsqueeze", i, g.const(0))
        row = body.op("Slice", x, start, body.op("Add", start, g.const(1)))
        y, rows = g.op("Loop", count, holds, g.weight(np.zeros(1), "f32"), outputs=2, name="many",
                       body=body.result((body.op("Identity", go_on), "bool", ()),
                                        body.op("Add", now, row), row))
        yield Case(g.output(rows, dtype="f32"), "refused",
                   refusal=(2, ("'many' (Loop", "is computed at run time", f"--bind {n or c}=FILE")))

    # Every node of a body is named, with the node that it is in.
    g = Graph("refuse_in_body")
    x = g.input("x", (3, 5))
    body, i, go_on, (now,) = loop_body("body", [((3, 5), "f32")])
    y = g.op("Loop", g.weight(np.array(4)), None, x, name="outside", body=body.result(
        (body.op("Identity", go_on), "bool", ()), body.op("Nonsense", now, name="inside")))
    yield Case(g.output(y, dtype="f32"), "refused",
               refusal=(2, ("outside/inside", "Nonsense")))


def weights_of(g, name):
    return next(numpy_helper.to_array(w) for w in g.initializers if w.name == name)


def embedding_bag(name, kind, bags, weighted=False):
    """As PyTorch exports EmbeddingBag with offsets: a loop over bags, each a slice of the
    indices of a length that the run time knows."""
    g = Graph(f"embedding_bag_{name}")
    ids = g.input("ids", value=g.random((14,), "i64", low=0, high=11))
    offsets = g.input("offsets", value=np.sort(g.random((bags,), "i64", low=0, high=14)))
    table = g.weight((11, 16))
    ends = g.op("Concat", g.op("Slice", offsets, g.const(1), g.const(2 ** 31)), g.const(14),
                axis=0)
    body, i, go_on, _ = loop_body("bag", [])
    start, end = (body.op("Unsqueeze", body.op("Gather", at, i), g.const(0))
                  for at in (offsets, ends))
    rows = body.op("Gather", table, body.op("Slice", ids, start, end, g.const(0)))
    if weighted:
        part = body.op("Slice", g.input("weights", (14,)), start, end, g.const(0))
        rows = body.op("Mul", rows, body.op("Unsqueeze", part, g.const(1)))
    axes = [g.const(0)] if kind == "ReduceSum" else []
    row = body.op(kind, rows, *axes, keepdims=0, **({} if axes else {"axes": [0]}))
    y = g.op("Loop", g.scalar(bags, "i64"), g.weight(np.array(True), "bool"),
             body=body.result((body.op("Identity", go_on), "bool", ()), row))

    def by_definition(ids, offsets, weights=None):
        values, found = weights_of(g, table)[ids], []
        if weights is not None:
            values = values * weights[:, None]
        reduce = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max}[kind]
        for begin, end in zip(offsets, [*offsets[1:], 14]):
            found.append(reduce(values[begin:end], axis=0) if end > begin
                         else np.zeros(16, np.float32))  # as PyTorch, not as ONNX
        return [np.stack(found)]
    return Case(g.output(y, dtype="f32"), "reduction", by_definition)


@cases
def embedding_bags():
    yield embedding_bag("sum", "ReduceSum", 4)
    yield embedding_bag("mean", "ReduceMean", 4)
    yield embedding_bag("max_of_many", "ReduceMax", 70)  # more than are unrolled
    yield embedding_bag("weighted", "ReduceSum", 4, weighted=True)


@cases
def long_loops():
    g = Graph("loop_slices_many")  # more iterations than are imported one by one
    x = g.input("x", (70, 5))
    body, i, go_on, (h,) = loop_body("body", [((1, 5), "f32")])
    at = body.op("Unsqueeze", i, g.const(0))
    row = body.op("Slice", x, at, body.op("Add", at, g.const(1)), g.const(0))
    after = body.op("Tanh", body.op("Add", h, row))
    y = g.op("Loop", g.scalar(70, "i64"), None, g.input("h", (1, 5)), body=body.result(
        (body.op("Identity", go_on), "bool", ()), after))
    yield Case(g.output(y, dtype="f32"), "network")

    g = Graph("refuse_loop_that_grows_long")
    x = g.input("x", (3, 5))
    body, i, go_on, (now,) = loop_body("body", [(None, "f32")])
    y = g.op("Loop", g.scalar(65, "i64"), None, x, name="grow", body=body.result(
        (body.op("Identity", go_on), "bool", ()), body.op("Concat", now, x, axis=0)))
    yield Case(g.output(y, dtype="f32"), "refused",
               refusal=(2, ("grow", "at most 64 iterations", "makes 65")))
