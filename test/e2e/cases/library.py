# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routines of the library: what sorts, scatters and selects."""
import numpy as np
from onnx import helper

import oracle
from builder import Case, Graph, cases, onnx_type


def few_values(g, shape, dtype="f32"):
    """Some are equal, so that ties have to be broken, and not so many that the first ones
    are in order."""
    most = max(4, max(shape, default=0) // 2)
    return g.random(shape, "i32", low=-most, high=most + 1).astype(g.random((1,), dtype).dtype)


def top_k(name, shape, k, dtype="f32", opset=11, **attributes):
    g = Graph(f"topk_{name}")
    g.opset = opset
    x = g.input("x", value=few_values(g, shape, dtype))
    operands = [] if opset < 10 else [g.const(k)]
    attributes |= {"k": k} if opset < 10 else {}
    return Case(g.output(*g.op("TopK", x, *operands, outputs=2, **attributes)), "exact")


@cases
def top_ks():
    yield top_k("rows", (5, 33), 7)
    yield top_k("columns", (33, 5), 7, axis=0)
    yield top_k("middle", (3, 17, 5), 4, axis=1)
    yield top_k("smallest", (5, 33), 7, largest=0)
    yield top_k("all", (3, 31), 31)
    yield top_k("one", (3, 31), 1, axis=-1)
    yield top_k("of_one", (1, 1), 1)
    yield top_k("none", (3, 5), 0)
    yield top_k("of_nothing", (0, 5), 3)
    yield top_k("long_line", (10007,), 257)
    yield top_k("many_rows", (300, 67), 5)
    yield top_k("opset_1", (5, 33), 7, opset=1 + 8, axis=1)
    yield top_k("opset_10", (5, 33), 7, opset=10, axis=1)
    for dtype in ("f64", "i32", "i64"):
        yield top_k(dtype, (3, 17), 5, dtype)

    def by_definition(x):  # ONNX Runtime has no kernel
        order = np.argsort(x.max() - x, axis=1, kind="stable")[:, :5]
        return [np.take_along_axis(x, order, axis=1), order]
    for dtype in ("f16", "bf16", "u8", "i8", "u64"):  # unsigned: from both ends
        case = top_k(dtype, (3, 17), 5, dtype)
        yield Case(case.graph, "exact", by_definition)
    g = Graph("topk_between_groups")  # of a computed tensor; what follows fuses
    x = g.op("Softmax", g.input("x", (5, 33)))
    values, indices = g.op("TopK", x, g.const(5), outputs=2)
    weights = g.op("Div", values, g.op("ReduceSum", values, g.const(1)))
    yield Case(g.output(weights, indices), "reduction")
    g = Graph("topk_indices_only")  # of experts, say
    _, indices = g.op("TopK", g.input("x", (5, 33)), g.const(3), outputs=2)
    yield Case(g.output(g.op("Add", indices, g.scalar(1, "i64"))), "exact")


@cases
def top_k_nan():
    def by_definition(x):
        order = np.argsort(x, axis=1, kind="stable")[:, :4]
        return [np.take_along_axis(x, order, axis=1), order]
    g = Graph("topk_nan")  # above all numbers, as NumPy sorts
    x = few_values(g, (3, 9))
    x[0, :7] = x[1, 3] = np.nan
    x[2, 4] = -np.inf
    y = g.op("TopK", g.input("x", value=x), g.const(4), outputs=2, largest=0)
    yield Case(g.output(*y), "exact", by_definition)


def indices_of(g, shape, extent, dtype="i64"):
    """Some from the end."""
    return g.random(shape, dtype, low=-extent, high=extent)


def scatter(name, data, indices, axis=0, dtype="f32", index="i64", opset=18, kind=None,
            tolerance="exact", **attributes):
    g = Graph(f"scatter_elements_{name}")
    g.opset = opset
    x = g.input("x", data, dtype)
    i = g.input("i", value=indices_of(g, indices, data[axis], index))
    if "reduction" not in attributes:  # the order of duplicates is open
        columns = [np.argsort(g.rng.random(data[axis]))[:indices[axis]]
                   for _ in range(np.prod(indices, dtype=int) // max(indices[axis], 1))]
        moved = np.moveaxis(np.empty(indices, np.int64), axis, -1)
        g.inputs["i"] = np.moveaxis(np.reshape(columns, moved.shape), -1, axis).astype(
            g.inputs["i"].dtype) if columns else g.inputs["i"]
    y = g.op(kind or "ScatterElements", x, i, g.input("u", indices, dtype), axis=axis,
             **attributes)
    return Case(g.output(y), tolerance)


@cases
def scatter_elements():
    yield scatter("rows", (7, 5), (3, 5))
    yield scatter("columns", (7, 11), (7, 4), axis=1)
    yield scatter("middle", (3, 7, 5), (2, 6, 4), axis=1)
    yield scatter("narrower", (3, 7, 5), (2, 6, 4), axis=-1)
    yield scatter("vector", (33,), (17,))
    yield scatter("one", (1,), (1,))
    yield scatter("nothing", (5, 7), (0, 7))
    yield scatter("long_rows", (5, 2500), (3, 2500), index="i32")
    yield scatter("i64", (7, 5), (3, 5), dtype="i64")
    yield scatter("bool", (7, 5), (3, 5), dtype="bool")
    yield scatter("opset_11", (7, 5), (3, 5), opset=11)
    yield scatter("old_name", (7, 5), (3, 5), opset=9, kind="Scatter")
    for reduction in ("add", "mul", "max", "min"):
        tolerance = "reduction" if reduction in ("add", "mul") else "exact"
        yield scatter(reduction, (5, 7), (23, 7), tolerance=tolerance, reduction=reduction)
        yield scatter(f"{reduction}_columns", (5, 7), (5, 23), axis=1, tolerance=tolerance,
                      reduction=reduction)
        yield scatter(f"{reduction}_i32", (5, 7), (23, 6), dtype="i32", reduction=reduction)
    g = Graph("scatter_elements_outside")  # left out
    x = g.input("x", (5,))
    i = g.input("i", value=np.array([4, 5, -6, 2**40, -5], np.int64))
    y = g.op("ScatterElements", x, i, g.input("u", (5,)))

    def leave_out(x, i, u):
        y = x.copy()
        y[[4, 0]] = u[[0, 4]]
        return [y]
    yield Case(g.output(y), "exact", leave_out)


def scatter_nd(name, data, indices, dtype="f32", opset=18, tolerance="exact", **attributes):
    g = Graph(f"scatter_nd_{name}")
    g.opset = opset
    depth, places = indices[-1], np.prod(indices[:-1], dtype=int)
    x = g.input("x", data, dtype)
    extents = data[:depth]
    if "reduction" in attributes:
        flat = g.rng.integers(0, np.prod(extents), places)
    else:
        flat = g.rng.permutation(int(np.prod(extents)))[:places]
    tuples = np.stack(np.unravel_index(flat, extents), axis=-1).reshape(indices)
    tuples = tuples - np.array(extents) * (g.rng.random(indices) < 0.3)
    i = g.input("i", value=tuples.astype(np.int64))
    u = g.input("u", tuple(indices[:-1]) + tuple(data[depth:]), dtype)
    return Case(g.output(g.op("ScatterND", x, i, u, **attributes)), tolerance)


@cases
def scatter_nds():
    yield scatter_nd("elements", (7,), (4, 1))
    yield scatter_nd("rows", (7, 5), (4, 1))
    yield scatter_nd("points", (7, 5), (11, 2))
    yield scatter_nd("slices", (3, 5, 7), (2, 4, 2))
    yield scatter_nd("wide_slices", (5, 41, 67), (3, 1))
    yield scatter_nd("i32", (7, 5), (4, 1), dtype="i32")
    yield scatter_nd("opset_11", (7, 5), (4, 1), opset=11)
    for reduction in ("add", "mul", "max", "min"):
        tolerance = "reduction" if reduction in ("add", "mul") else "exact"
        yield scatter_nd(reduction, (5, 7), (23, 1), tolerance=tolerance, reduction=reduction)
    yield scatter_nd("add_points", (5, 7), (61, 2), tolerance="reduction", reduction="add")
    g = Graph("scatter_nd_f16_add")  # rounded after each update
    x, u = g.input("x", (5,), "f16"), g.input("u", (23,), "f16")
    i = g.input("i", value=g.random((23, 1), "i64", low=0, high=5))

    def add_up(x, u, i):
        y = x.copy()
        np.add.at(y, i[:, 0], u)
        return [y]
    yield Case(g.output(g.op("ScatterND", x, i, u, reduction="add")), "reduction", add_up)
    g = Graph("scatter_nd_cache")  # a row of a cache, between computed values
    cache = g.op("Mul", g.input("cache", (17, 9)), g.scalar(2.0))
    row = g.op("Tanh", g.input("row", (1, 9)))
    i = g.input("i", value=np.array([[-3]], np.int64))
    yield Case(g.output(g.op("Neg", g.op("ScatterND", cache, i, row))), "elementwise")


@cases
def in_loops():
    body = Graph("body")
    i, go, x = "i", "go", "x"
    body.inputs = {"i": np.array(0, np.int64), "go": np.array(True),
                   "x": np.zeros((9,), np.float32)}
    v, j = body.op("TopK", x, "k", outputs=2)
    at = body.op("Unsqueeze", j, "last")
    y = body.op("ScatterND", x, at, body.op("Mul", v, "half"))
    keep = body.op("Identity", go)
    row = body.op("Identity", v)
    graph = helper.make_graph(
        body.nodes, "body",
        [helper.make_tensor_value_info(n, onnx_type("i64" if n == i else "bool" if n == go
                                                    else "f32"), a.shape)
         for n, a in body.inputs.items()],
        [helper.make_tensor_value_info(keep, onnx_type("bool"), ()),
         helper.make_tensor_value_info(y, onnx_type("f32"), (9,)),
         helper.make_tensor_value_info(row, onnx_type("f32"), (2,))])
    g = Graph("library_in_loop")
    for name, values in (("k", [2]), ("last", [1]), ("trips", 4)):
        g.weight(np.array(values, np.int64), name=name)
    g.weight(np.array(0.5, np.float32), name="half")
    y, rows = g.op("Loop", "trips", "", g.input("x0", (9,)), outputs=2, body=graph)
    yield Case(g.output(y, rows, dtype="f32"), "elementwise")


@cases
def max_unpools():
    variants = {"1d": ((2, 3, 33), {"kernel_shape": [3], "strides": [3]}),
                "2d": ((2, 3, 8, 6), {"kernel_shape": [2, 2], "strides": [2, 2]}),
                "padded": ((1, 2, 8, 8), {"kernel_shape": [2, 2], "strides": [2, 2],
                                          "pads": [1, 1, 1, 1]}),
                "3d": ((1, 2, 4, 6, 4), {"kernel_shape": [2, 2, 2], "strides": [2, 2, 2]})}
    for name, (shape, attributes) in variants.items():
        g = Graph(f"maxunpool_{name}")
        pooled, indices = g.op("MaxPool", g.input("x", shape), outputs=2, **attributes)
        yield Case(g.output(g.op("MaxUnpool", pooled, indices, **attributes)), "exact")
    g = Graph("maxunpool_f64")
    x = g.input("x", (1, 1, 2, 2), "f64")
    i = g.input("i", value=np.array([[[[5, 2], [8, 15]]]], np.int64))

    def unpool(x, i):
        y = np.zeros(16)
        y[i.ravel()] = x.ravel()
        return [y.reshape(1, 1, 4, 4)]
    y = g.op("MaxUnpool", x, i, kernel_shape=[2, 2], strides=[2, 2])
    yield Case(g.output(y), "exact", unpool)


def suppression(name, batches, classes, count, limit=None, iou=None, score=None, **attributes):
    g = Graph(f"nms_{name}")
    corners = np.sort(g.random((batches, count, 2, 2), low=0, high=1), axis=2)
    boxes = np.concatenate([corners[:, :, 0], corners[:, :, 1]], axis=2)
    if attributes.get("center_point_box"):
        boxes = np.concatenate([corners.mean(axis=2), corners[:, :, 1] - corners[:, :, 0]],
                               axis=2)
    operands = [g.input("boxes", value=boxes.astype(np.float32)),
                g.input("scores", (batches, classes, count), low=0, high=1)]
    for value, dtype in ((limit, "i64"), (iou, "f32"), (score, "f32")):
        operands.append(None if value is None else g.weight(np.array([value]), dtype))
    while operands[-1] is None:
        operands.pop()
    g.opset = 11
    return Case(g.output(g.op("NonMaxSuppression", *operands, **attributes)), "exact")


@cases
def suppressions():
    yield suppression("plain", 1, 1, 33, 10, 0.3)
    yield suppression("scores", 1, 1, 33, 10, 0.3, 0.5)
    yield suppression("batches_and_classes", 2, 3, 17, 4, 0.2, 0.3)
    yield suppression("centers", 2, 2, 17, 20, 0.2, 0.3, center_point_box=1)
    yield suppression("no_overlap", 1, 2, 17, 20)
    yield suppression("many", 1, 2, 700, 300, 0.5, 0.1)
    # What the model declares is what it gets: more is left out, less is -1.
    for rows in (2, 40):
        case = suppression(f"of_{rows}_rows", 1, 1, 33, 10, 0.3)

        def fixed(*arrays, rows=rows, graph=case.graph):
            found, = oracle.run_onnxruntime(graph.build(), graph.inputs)
            result = np.full((rows, 3), -1, np.int64)
            result[:len(found)] = found[:rows]
            return [result]
        yield Case(case.graph, "exact", fixed)
    g = Graph("refuse_nms_without_rows")
    y = g.op("NonMaxSuppression", g.input("boxes", (1, 6, 4)), g.input("scores", (1, 1, 6)),
             name="pick")
    yield Case(g.output(y, dtype="i64"), "refused",
               refusal=(2, ("pick", "number of rows must be known")))


@cases
def rows_left_open():
    """What reads at a row that holds no box reads nothing, also by what it has read."""
    g, rows = suppression("left_open", 1, 1, 17, 20, 0.2).graph, 20
    (chosen,) = g.outputs
    boxes, scores = g.inputs["boxes"][0], g.inputs["scores"][0, 0]
    kinds = np.arange(17, dtype=np.int64) % 5 + 1
    names = np.arange(1, 8, dtype=np.float32)
    # ONNX Runtime's own indices, of as many rows as there are boxes.
    found = oracle.run_onnxruntime(g.build(), g.inputs)[0]
    count, at = len(found), found[:, 2]
    g.opset = 17
    assert 1 < count < 17

    def left(values, fill=0):
        result = np.full((rows, *values.shape[1:]), fill, values.dtype)
        result[:count] = values
        return result

    place = g.op("Squeeze", g.op("Gather", chosen, g.const(2), axis=1), g.const(1))
    expected = [left(found, -1)]

    def expect(name, value):
        g.output(name, dtype={"float32": "f32", "int64": "i64"}[value.dtype.name])
        expected.append(value)
    flat = g.op("Squeeze", "scores", g.const(0, 1))
    kept = g.op("Gather", g.op("Squeeze", "boxes", g.const(0)), place, axis=0)
    expect(kept, left(boxes[at]))
    score = g.op("GatherND", "scores", chosen)
    expect(score, left(scores[at]))
    expect(g.op("GatherElements", flat, place), left(scores[at]))
    kind = g.op("Gather", g.weight(kinds), place)
    expect(g.op("Gather", g.weight(names), kind), left(names[kinds[at]]))
    # By an index that is computed from it, and moved.
    twice = g.op("Unsqueeze", g.op("Mul", place, g.const(1)), g.const(1))
    columns = g.op("Gather", flat, g.op("Transpose", twice, perm=[1, 0]))
    expect(columns, left(scores[at])[None])
    hot = np.zeros((rows, 17), np.float32)
    hot[np.arange(count), at] = 1
    expect(g.op("OneHot", place, g.const(17), g.weight(np.array([0, 1], np.float32))), hot)
    marks = np.zeros(17, np.float32)
    marks[at] = 1
    expect(g.op("ScatterElements", g.weight(np.zeros(17, np.float32)), place,
                g.weight(np.ones(rows, np.float32))), marks)
    low = g.op("Neg", score)  # below the zeros that are left
    expect(g.op("ReduceMax", low, axes=[0], keepdims=0), np.asarray((-scores[at]).max()))
    best, order = g.op("TopK", low, g.const(rows), outputs=2)
    sorting = np.argsort(scores[at], kind="stable")
    expect(best, left(-scores[at][sorting]))
    expect(g.op("Gather", kept, order), left(boxes[at[sorting]]))
    yield Case(g, "exact", lambda *inputs: expected)


@cases
def counted_at_run_time():
    """As many rows as the model declares; what is not there is 0, and reads nothing."""
    def left(values, rows, axis=0):
        shape = list(values.shape)
        shape[axis] = rows
        result = np.zeros(shape, values.dtype)
        part = tuple(slice(0, min(n, r)) for n, r in zip(values.shape, shape))
        result[part] = values[part]
        return result

    for rows in (4, 12):  # fewer and more than there are
        g = Graph(f"nonzero_of_{rows}")
        x = g.random((3, 5), "i32", low=0, high=2)
        at = g.op("NonZero", g.input("x", value=x), name="at")
        picked = g.op("GatherND", g.input("y", (3, 5)), g.op("Transpose", at))
        found = np.stack(np.nonzero(x))
        assert 4 < found.shape[1] < 12
        y = g.inputs["y"]
        yield Case(g.output(at, dtype="i64").output(picked, dtype="f32"), "exact",
                   lambda x, y, found=found, rows=rows:
                   [left(found, rows, 1), left(y[tuple(found)], rows)])
        g = Graph(f"compress_of_{rows}")
        x, keep = g.random((3, 17)), g.random((17,), "bool")
        y = g.op("Compress", g.input("x", value=x), g.input("keep", value=keep), axis=1)
        yield Case(g.output(y, dtype="f32"), "exact",
                   lambda x, keep, rows=rows: [left(x[:, keep], rows, 1)])
    g = Graph("unique_at_run_time")
    x = few_values(g, (23,))
    x[[3, 11]] = np.nan
    outputs = g.op("Unique", g.input("x", value=x), outputs=4)
    back = g.op("Gather", outputs[0], outputs[2])

    def unique(x):
        values, first, inverse, counts = np.unique(
            x, return_index=True, return_inverse=True, return_counts=True)
        return [left(values, 23), left(first, 23), inverse, left(counts, 23), x]
    yield Case(g.output(outputs[0], dtype="f32").output(*outputs[1:], dtype="i64")
               .output(back, dtype="f32"), "exact", unique)


@cases
def counted():
    """Results whose size is data, of known operands."""
    g = Graph("nonzero_constant")
    mask = np.array([[1, 0, 2, 0], [0, 0, -1, 3]], np.float32)
    at = g.op("NonZero", g.weight(mask))
    yield Case(g.output(g.op("Add", at, g.input("x", (1,), "i64"))), "exact")
    for name, attributes in (("sorted", {}), ("as_they_come", {"sorted": 0}),
                             ("rows", {"axis": 0}), ("columns", {"axis": -1, "sorted": 0})):
        g = Graph(f"unique_{name}")
        outputs = g.op("Unique", g.weight(few_values(g, (7, 2)).clip(-1, 1)), outputs=4,
                       **attributes)
        moved = [g.op("Add", y, g.input(f"x{i}", (1,), "f32" if i == 0 else "i64"))
                 for i, y in enumerate(outputs)]
        yield Case(g.output(*moved), "elementwise")
