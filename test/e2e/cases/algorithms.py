# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Algorithms that are not the first: reductions with few results over so many elements that
they are split, of lengths that leave tails; convolutions by minimal filtering."""
import numpy as np

from builder import Case, Graph, cases, widened
from .control import Body
from .reduction import reduce

PRIME = 262147  # more than one core should do alone
MANY = 100  # runs, on one, two and seven threads: what is summed in which order must not vary


@cases
def split_reductions():
    shapes = {"all": ((512, 1031), None), "row": ((1, PRIME), [1]),
              "rows": ((3, PRIME), [1]), "columns": ((PRIME, 5), [0]),
              "middle": ((2, 131101, 3), [1]), "outer_two": ((8, 65537, 1), [0, 1])}
    for kind, tolerance in (("ReduceSum", "contraction"), ("ReduceMax", "exact")):
        for name, (shape, axes) in shapes.items():
            # ONNX Runtime adds up one after the other in f32.
            def in_double(x, axes=tuple(axes) if axes else None):
                return [np.sum(x.astype(np.float64), axis=axes).astype(np.float32)]
            g = Graph(f"split_{kind.lower()}_{name}")
            yield Case(g.output(reduce(g, kind, g.input("x", shape), axes, 0)), tolerance,
                       in_double if kind == "ReduceSum" else None, runs=MANY)
    for kind in ("ReduceMean", "ReduceLogSumExp", "ReduceMin"):
        g = Graph(f"split_{kind.lower()}")
        yield Case(g.output(reduce(g, kind, g.input("x", (2, PRIME)), [1], 1)),
                   "reduction")
    g = Graph("split_reducel2")
    yield Case(g.output(reduce(g, "ReduceL2", g.input("x", (2, PRIME)), [1], 1)), "reduction",
               lambda x: [np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)
                          .astype(np.float32)])
    # Factors whose products are exact in every order: those near 1 are rounded
    # towards it, the more, the closer the product.
    factors = np.where(np.arange(PRIME) % 3 == 0, -1, 1).astype(np.float32)
    factors[::1021], factors[1::1021] = 2, 0.5
    g = Graph("split_reduceprod")
    yield Case(g.output(reduce(g, "ReduceProd", g.input("x", value=factors), [0], 0)), "exact")


@cases
def split_types():
    for dtype, tolerance, reference in (
            ("f16", "reduction", widened), ("i32", "exact", None), ("i64", "exact", None),
            ("f64", "reduction", None)):
        g = Graph(f"split_reducesum_{dtype}")
        x = g.input("x", (PRIME,), dtype, *((-3, 4) if dtype[0] == "i" else (-1, 1)))
        yield Case(g.output(reduce(g, "ReduceSum", x, [0], 0)), tolerance, reference)


@cases
def split_networks():
    for rows in (1, 2):
        g = Graph(f"split_softmax_{rows}")
        x = g.input("x", (rows, PRIME), low=-4, high=4)
        yield Case(g.output(g.op("Softmax", x, axis=1)), "elementwise")

    g = Graph("split_global_pool")
    x = g.input("x", (1, 3, 389, 401))
    yield Case(g.output(g.op("GlobalAveragePool", x)), "reduction")

    g = Graph("split_norm_of_image")
    x = g.input("x", (1, 2, 389, 401))
    yield Case(g.output(g.op("InstanceNormalization", x, g.weight((2,)), g.weight((2,)))),
               "reduction")

    g = Graph("split_prologue_and_epilogue")
    x, row = g.input("x", (2, PRIME)), g.weight((1, PRIME))
    total = reduce(g, "ReduceSum", g.op("Mul", g.op("Tanh", x), row), [1], 1)
    scaled = g.op("Sqrt", g.op("Add", g.op("Abs", total), g.scalar(1e-3)))
    yield Case(g.output(g.op("Div", x, scaled), scaled), "reduction")

    g = Graph("split_in_a_branch")
    x, flag = g.input("x", (PRIME,)), g.input("flag", value=np.array(True))
    then, other = Body("then"), Body("other")
    a = then.op("ReduceSum", then.op("Mul", x, x), keepdims=0)
    b = other.op("ReduceMax", x, keepdims=0)
    y = g.op("If", flag, then_branch=then.result(a), else_branch=other.result(b))
    yield Case(g.output(y, dtype="f32"), "reduction")


@cases
def split_contractions():
    for rows in (20011, 20000):
        g = Graph(f"split_gram_{rows}")
        x = g.input("x", (rows, 12))
        yield Case(g.output(g.op("Gemm", x, x, transA=1)), "contraction", runs=MANY)
    g = Graph("split_dense_few_outputs")
    x = g.input("x", (1, 25089))
    y = g.op("Gemm", x, g.weight((10, 25089), scale=0.01), g.weight((10,)), transB=1)
    yield Case(g.output(g.op("Relu", y)), "contraction")


# Input, weights, attributes: rows that two and four divide and others, few of them, windows
# whose other dimension is of any kind, what surrounds the input at one side only.
# The first four also with tiles of two rows.
FILTERED = {
    "even": ((1, 5, 8, 9), (7, 5, 3, 3), {"pads": [1, 1, 1, 1]}),
    "prime": ((2, 3, 13, 11), (5, 3, 3, 3), {"pads": [1, 1, 1, 1]}),
    "inside": ((1, 4, 12, 10), (9, 4, 3, 3), {}),
    "volume": ((1, 2, 8, 5, 6), (3, 2, 3, 3, 2), {"pads": [1, 1, 1, 1, 1, 1]}),
    "low_side": ((1, 2, 9, 8), (3, 2, 3, 3), {"pads": [2, 1, 0, 2]}),
    "high_side": ((1, 2, 9, 8), (3, 2, 3, 3), {"pads": [0, 0, 3, 1]}),
    "one_column": ((1, 3, 16, 1), (4, 3, 3, 1), {}),
    "wide_window": ((1, 3, 11, 19), (4, 3, 3, 7), {"pads": [1, 3, 1, 3]}),
    "columns_apart": ((1, 3, 9, 20), (4, 3, 3, 3), {"strides": [1, 2], "dilations": [1, 3]}),
    "grouped": ((2, 12, 10, 9), (8, 3, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}),
    "many_channels": ((1, 67, 9, 10), (33, 67, 3, 3), {"pads": [1, 1, 1, 1]}),
}


@cases
def minimal_filtering():
    for rows in (2, 4):
        options = ("--numerics=fast", "--choices", f"*=winograd_{rows}")
        for name, (shape, weight, attributes) in list(FILTERED.items())[:None if rows == 4 else 4]:
            g = Graph(f"winograd_{rows}_{name}")
            y = g.op("Conv", g.input("x", shape), g.weight(weight), g.weight(weight[:1]),
                     **attributes)
            yield Case(g.output(g.op("Relu", y)), "contraction", options=options)
        # What is computed from the result alone goes along.
        g = Graph(f"winograd_{rows}_block")
        x = g.input("x", (1, 6, 9, 9))
        y = g.op("Relu", g.op("Conv", x, g.weight((6, 6, 3, 3)), pads=[1] * 4))
        y = g.op("Conv", y, g.weight((6, 6, 3, 3)), g.weight((6,)), pads=[1] * 4)
        yield Case(g.output(g.op("Relu", g.op("Add", x, y))), "network", options=options)


def with_zeros(shape, share, **rows):
    """A matrix [terms, rows] of which `share` are zeros, but for the rows that are given."""
    rng = np.random.default_rng(shape[0])
    matrix = rng.uniform(-1, 1, shape).astype(np.float32)
    matrix[rng.random(shape) < share] = 0
    for number, row in rows.items():
        matrix[:, int(number[1:])] = row
    return matrix


# The matrix, and rows of the input of a product, or an image of a convolution: those whose
# rows begin within a cache line are only worth it with fewer entries.
SPARSE_PRODUCTS = {
    "prime": (with_zeros((67, 13), 0.9), (71,)),
    "batch": (with_zeros((40, 24), 0.85), (3, 31)),
    "panels": (with_zeros((40, 26), 0.85, r3=1.5), (3, 192)),
    "one_row": (with_zeros((61, 1), 0.8), (67,)),
    "empty_and_full_rows": (with_zeros((50, 31), 0.9, r3=0, r17=1.5, r30=0), (100,)),
}
SPARSE_POINTS = {
    "prime": (with_zeros((67, 13), 0.9), (11, 17)),
    "empty_and_full_rows": (with_zeros((50, 31), 0.9, r3=0, r17=1.5, r30=0), (8, 16)),
    "all_zeros": (with_zeros((32, 16), 1.1), (8, 8)),
}


@cases
def without_zeros():
    options = ("--numerics=fast", "--choices", "*=sparse")
    for name, (matrix, rows) in SPARSE_PRODUCTS.items():
        g = Graph(f"sparse_product_{name}")
        y = g.op("MatMul", g.input("x", (*rows, len(matrix))), g.weight(matrix))
        y = g.op("Relu", g.op("Add", y, g.weight(matrix.shape[1:])))
        yield Case(g.output(y), "contraction", cpu_options=options)
    for name, (matrix, image) in SPARSE_POINTS.items():
        g = Graph(f"sparse_point_{name}")
        y = g.op("Conv", g.input("x", (2, len(matrix), *image)),
                 g.weight(np.ascontiguousarray(matrix.T)[:, :, None, None]),
                 g.weight(matrix.shape[1:]))
        yield Case(g.output(g.op("Relu", y)), "contraction", cpu_options=options)


@cases
def lower_precisions():
    classes = {"bf16": "loweredbf16", "bf16-activations": "loweredbothbf16",
               "int8-activations": "loweredint8"}
    for precision, lowered in classes.items():
        options = (f"--allow={precision}", "--choices", f"*={precision}")
        if precision == "bf16-activations":
            options += ("--cpu=zen4",)
        name = precision.replace("-", "_")
        g = Graph(f"lower_{name}_gemm")
        y = g.op("Gemm", g.input("x", (9, 37)), g.weight((45, 37)), g.weight((45,)), transB=1)
        yield Case(g.output(g.op("Relu", y)), lowered, cpu_options=options)
        g = Graph(f"lower_{name}_layers")
        y = g.op("Tanh", g.op("MatMul", g.input("x", (2, 5, 64)), g.weight((64, 96))))
        yield Case(g.output(g.op("MatMul", y, g.weight((96, 32)))), lowered, cpu_options=options)
    g = Graph("lower_bf16_conv")
    y = g.op("Conv", g.input("x", (1, 5, 8, 9)), g.weight((7, 5, 3, 3)), g.weight((7,)))
    yield Case(g.output(y), "loweredbf16", cpu_options=("--allow=bf16", "--choices", "*=bf16"))


# Long enough that parts are worth a thread, with tails of parts and of vectors.
SPLIT = {
    "squares": ("ReduceSumSquare", (1 << 18,), "f64"),
    "mean": ("ReduceMean", (300007,), "f32"),
    "l2": ("ReduceL2", (3, 7, 9521), "f32"),
    "max": ("ReduceMax", (1000003,), "f32"),
    "min_f16": ("ReduceMin", (600011,), "f16"),
    "sum_f16": ("ReduceSum", (600011,), "f16"),
    "sum_i32": ("ReduceSum", (1000003,), "i32"),
    "prod": ("ReduceProd", (1000003,), "i64"),
}


@cases
def parts_for_threads():
    options = ("--numerics=fast", "--choices", "*=direct")
    for name, (op, shape, dtype) in SPLIT.items():
        g = Graph(f"parts_{name}")
        y = g.op(op, g.input("x", shape, dtype), keepdims=0)
        yield Case(g.output(y), "reduction", options=options, reproducible=False)
