# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements picked by index tensors, and results that depend on where an element lies."""
import numpy as np

from builder import Case, Graph, cases, onnx_type


def indices(g, shape, extent, dtype="i64"):
    """Random indices, negative ones too."""
    return g.input("indices", value=g.random(shape, dtype, -extent, extent))


@cases
def gather_elements():
    for name, shape, picks, axis, dtype in (
            ("rows", (9, 7), (5, 7), 0, "f32"), ("columns", (9, 37), (8, 33), 1, "f32"),
            ("middle", (3, 5, 7), (2, 11, 7), 1, "f16"), ("one", (1, 1), (1, 1), 0, "i8"),
            ("i64", (17,), (64,), -1, "i64"), ("bool", (5, 6), (5, 1), 1, "bool")):
        g = Graph(f"gather_elements_{name}")
        x = g.input("x", shape, dtype)
        at = indices(g, picks, shape[axis], "i32" if name == "columns" else "i64")
        yield Case(g.output(g.op("GatherElements", x, at, axis=axis)), "exact")
    g = Graph("gather_elements_empty")
    at = g.weight(np.zeros((0, 3), np.int64))
    yield Case(g.output(g.op("GatherElements", g.input("x", (4, 3)), at)), "exact")
    g = Graph("gather_elements_known")
    at = g.weight(np.array([[0, -1, 2], [-3, 1, 1]], np.int64))
    x = g.op("Relu", g.input("x", (3, 5)))
    yield Case(g.output(g.op("GatherElements", x, at)), "exact")
    g = Graph("gather_elements_after_sort_key")  # the index is computed beside it
    at = g.op("Add", g.input("shift", (1,), "i64", 0, 3), indices(g, (6, 5), 4))
    at = g.op("Mod", at, g.scalar(9, "i64"))
    y = g.op("GatherElements", g.input("x", (9, 5)), at, axis=0)
    yield Case(g.output(g.op("Exp", y)), "elementwise")


@cases
def gather_nd():
    def nd(name, shape, index, batch=0, dtype="f32"):
        g = Graph(f"gather_nd_{name}")
        count = index[-1]
        extents = np.array(shape[batch:batch + count])
        at = (g.rng.integers(0, 2**30, index) % extents
              - extents * (g.rng.random(index) < 0.4)).astype(np.int64)
        x, at = g.input("x", shape, dtype), g.input("indices", value=at)
        return Case(g.output(g.op("GatherND", x, at, batch_dims=batch)), "exact")

    yield nd("elements", (5, 7), (11, 2))
    yield nd("rows", (5, 7, 33), (3, 4, 1))
    yield nd("pairs", (5, 7, 3), (4, 2), dtype="f16")
    yield nd("batch", (3, 5, 7), (3, 2, 1), 1)
    yield nd("batches", (3, 2, 5, 4), (3, 2, 6, 2), 2)
    yield nd("single", (4,), (1,), dtype="i32")
    yield nd("all", (2, 3, 4, 5), (17, 4), dtype="u8")


@cases
def reversed_sequences():
    for name, shape, batch, time, lengths in (
            ("time_first", (7, 4), 1, 0, [7, 1, 3, 5]), ("batch_first", (3, 5, 9), 0, 1, [5, 2, 1]),
            ("one", (1, 1), 0, 1, [1]), ("wide", (17, 2, 3, 3), 1, 0, [16, 17])):
        g = Graph(f"reverse_sequence_{name}")
        x, n = g.input("x", shape), g.input("lengths", value=np.array(lengths, np.int64))
        yield Case(g.output(g.op("ReverseSequence", x, n, batch_axis=batch, time_axis=time)),
                   "exact")


@cases
def compressed():
    for name, axis in (("rows", 0), ("columns", -1), ("flat", None)):
        g = Graph(f"compress_{name}")
        keep = g.weight(np.array([True, False, True, True]))
        attributes = {} if axis is None else {"axis": axis}
        yield Case(g.output(g.op("Compress", g.input("x", (5, 7)), keep, **attributes)), "exact")
    g = Graph("compress_none")
    keep = g.weight(np.zeros((5,), bool))
    yield Case(g.output(g.op("Compress", g.input("x", (5, 7)), keep, axis=0)), "exact")


@cases
def one_hot():
    for name, shape, axis, dtype, to in (
            ("last", (3, 5), -1, "i64", "f32"), ("first", (7,), 0, "i64", "i64"),
            ("middle", (2, 17), 1, "i32", "f32"), ("scalar", (), -1, "i64", "f32"),
            ("floats", (5,), -1, "f32", "f32")):
        g = Graph(f"one_hot_{name}")
        at = g.input("at", value=np.round(g.rng.uniform(-8, 8, shape)).astype(
            {"i64": np.int64, "i32": np.int32, "f32": np.float32}[dtype]))
        values = g.input("values", (2,), to)
        depth = g.weight(np.array(6, {"f32": np.float32}.get(dtype, np.int64)))
        y = g.op("OneHot", at, depth, values, axis=axis)
        reference = None
        if dtype == "i32" or not shape:  # ONNX Runtime has no such kernel
            def reference(at, values, axis=axis):
                at = np.expand_dims(np.where(at < 0, at + 6, at), axis)
                place = np.arange(6).reshape([6 if d == axis % at.ndim else 1 for d in range(at.ndim)])
                return [np.where(at == place, values[1], values[0])]
        yield Case(g.output(y, dtype=to), "exact", reference)


@cases
def triangles():
    for name, shape, k, upper, dtype in (
            ("upper", (5, 7), None, 1, "f32"), ("lower", (7, 5), None, 0, "f32"),
            ("above", (2, 9, 9), 2, 1, "f32"), ("below", (3, 1, 7), -3, 0, "i64"),
            ("far", (5, 5), 2**40, 1, "f32"), ("near", (5, 5), -2**40, 1, "f32")):
        g = Graph(f"trilu_{name}")
        operands = [g.input("x", shape, dtype)] + ([] if k is None else [g.scalar(k, "i64")])
        yield Case(g.output(g.op("Trilu", *operands, upper=upper)), "exact")
    for name, k in (("in", -1), ("beyond", 2**40)):
        g = Graph(f"trilu_given_{name}")
        k = g.input("k", value=np.array(k, np.int64))
        yield Case(g.output(g.op("Trilu", g.input("x", (4, 6)), k, upper=0)), "exact",
                   lambda k, x: [np.tril(x, min(int(k), 99))])
    g = Graph("trilu_mask")  # a causal mask, known to the compiler
    mask = g.op("Trilu", g.weight(np.ones((9, 9), np.float32)), upper=0)
    yield Case(g.output(g.op("Mul", g.input("x", (2, 9, 9)), mask)), "elementwise")
    for name, shape, attributes in (("square", (5, 5), {}), ("off", (4, 7), {"k": 2}),
                                    ("integers", (7, 4), {"k": -1, "dtype": 7}),
                                    ("outside", (3, 3), {"k": 2**40})):
        g = Graph(f"eye_{name}")
        y = g.op("EyeLike", g.input("x", shape), **attributes)
        reference = lambda x, k=attributes.get("k", 0): [np.eye(*x.shape, k=min(k, 99), dtype=x.dtype)]
        if "dtype" in attributes:
            reference = lambda x: [np.eye(*x.shape, k=-1, dtype=np.int64)]
        yield Case(g.output(y), "exact", reference)


@cases
def cumulations():
    for name, shape, axis, dtype in (
            ("row", (17,), 0, "f32"), ("columns", (5, 33), 0, "f32"), ("one", (3, 1), 1, "f32"),
            ("blocks", (3, 131), 1, "f32"), ("long", (2100,), -1, "f32"),
            ("middle", (2, 96, 5), 1, "f32"), ("integers", (4, 70), 1, "i64"),
            ("i32", (3, 9), -1, "i32"), ("f64", (2, 65), 1, "f64")):
        for mode, (exclusive, reverse) in (("", (0, 0)), ("_exclusive", (1, 0)),
                                           ("_reverse", (0, 1)), ("_both", (1, 1))):
            g = Graph(f"cumsum_{name}{mode}")
            y = g.op("CumSum", g.input("x", shape, dtype), g.scalar(axis, "i64"),
                     exclusive=exclusive, reverse=reverse)
            yield Case(g.output(y), "exact" if dtype[0] == "i" else "reduction")
    g = Graph("cumsum_with_infinity")  # what comes before it stays finite
    x = np.linspace(-1, 1, 99, dtype=np.float32)
    x[70] = np.inf
    yield Case(g.output(g.op("CumSum", g.input("x", value=x), g.scalar(0, "i64"))), "reduction")
    g = Graph("cumsum_positions")  # as exporters number the tokens that count
    mask = g.input("mask", (3, 21), "i64", 0, 2)
    y = g.op("Mul", g.op("CumSum", mask, g.scalar(1, "i64")), mask)
    yield Case(g.output(g.op("Add", y, g.scalar(1, "i64"))), "exact")
    for exclusive, reverse in ((0, 0), (1, 1)):
        g = Graph(f"cumprod_{exclusive}{reverse}")
        g.opset = 26

        def reference(x, exclusive=exclusive, reverse=reverse):
            rows = x.astype(np.float64)[:, ::-1] if reverse else x.astype(np.float64)
            rows = np.cumprod(np.hstack([np.ones((len(rows), 1)), rows]), axis=1)
            rows = rows[:, :-1] if exclusive else rows[:, 1:]
            return [(rows[:, ::-1] if reverse else rows).astype(x.dtype)]
        y = g.op("CumProd", g.input("x", (3, 70), low=0.8, high=1.2), g.scalar(1, "i64"),
                 exclusive=exclusive, reverse=reverse)
        yield Case(g.output(y, dtype="f32"), "reduction", reference)


@cases
def expert_weights():
    """Each group of tokens times the matrix of the expert that is picked for it."""
    for name, groups, tokens, depth, width, dtype in (
            ("one_token", 7, 1, 67, 129, "f32"), ("few", 5, 3, 33, 40, "f32"),
            ("many", 3, 37, 64, 48, "f32"), ("half", 6, 2, 40, 33, "f16"),
            ("one_group", 1, 1, 17, 5, "f32"), ("no_token", 3, 0, 8, 16, "f32")):
        for stored in ("", "_turned"):
            g = Graph(f"expert_weights_{name}{stored}")
            x = g.input("x", (groups, tokens, depth), dtype)
            shape = (4, width, depth) if stored else (4, depth, width)
            picked = g.op("Gather", g.weight(shape, dtype), indices(g, (groups,), 4))
            if stored:
                picked = g.op("Transpose", picked, perm=[0, 2, 1])
            y = g.op("Relu", g.op("MatMul", x, picked))
            yield Case(g.output(y), "contraction")
    g = Graph("expert_weights_of_router")
    x, width = g.input("x", (6, 32)), 24
    scores = g.op("Softmax", g.op("MatMul", x, g.weight((32, 5))), axis=-1)
    best = g.op("ArgMax", scores, axis=-1, keepdims=0)
    row = g.op("Unsqueeze", x, g.const(1))
    y = g.op("MatMul", row, g.op("Gather", g.weight((5, 32, width)), best))
    y = g.op("MatMul", g.op("Relu", y), g.op("Gather", g.weight((5, width, 32)), best))
    yield Case(g.output(g.op("Add", g.op("Squeeze", y, g.const(1)), x)), "contraction")
    g = Graph("expert_weights_einsum")
    picked = g.op("Gather", g.weight((4, 19, 45)), indices(g, (9,), 4))
    y = g.op("Einsum", picked, g.input("x", (9, 45)), equation="tnk,tk->tn")
    yield Case(g.output(y), "contraction")


@cases
def expert_codes():
    """Experts of integers: what these stand for is computed where the product reads it."""
    experts, depth, width = 4, 64, 37
    for tokens in (1, 5, 70):
        for name, dtype, scales, block in (
                ("matrices", "i8", (experts,), 0), ("blocks", "i8", (experts, 4, width), 16),
                ("nibbles", "i4", (experts, 4, width), 16), ("unsigned", "u4", (experts,), 0)):
            g = Graph(f"expert_codes_{name}_{tokens}")
            g.opset = 23
            low, high = {"i8": (-128, 128), "i4": (-8, 8), "u4": (0, 16)}[dtype]
            shape = (experts, depth, width)
            codes = g.weight(g.random(shape, dtype, low, high))
            zeros = [g.weight(g.random(scales, dtype, 3, 9))] if dtype[0] == "u" else []
            attributes = {"axis": 1, "block_size": block} if block else {"axis": 0}
            rows = g.op("DequantizeLinear", codes, g.weight(scales, scale=0.1), *zeros, **attributes)
            picked = g.op("Gather", rows, indices(g, (3,), experts))
            y = g.op("MatMul", g.input("x", (3, tokens, depth)), picked)
            yield Case(g.output(g.op("Relu", y)), "network")
        for dtype in ("i8", "u8"):
            g = Graph(f"expert_codes_{dtype}_turned_{tokens}")
            expert = indices(g, (3,), experts)
            codes = g.weight(g.random((experts, width, depth), dtype, 0, 128))
            parts = [g.op("Cast", g.op("Gather", codes, expert), to=onnx_type("f32"))]
            for shape, op in (((experts, width, 1), "Sub"), ((experts, 1, 1), "Mul")):
                parts.append(g.op(op, parts[-1], g.op("Gather", g.weight(shape), expert)))
            y = g.op("MatMul", g.input("x", (3, tokens, depth)),
                     g.op("Transpose", parts[-1], perm=[0, 2, 1]))
            yield Case(g.output(g.op("Relu", y)), "network")
