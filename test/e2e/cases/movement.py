# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move data: reshapes, slices, joins, gathers."""
import numpy as np
from onnx import helper

from builder import Case, Graph, cases, onnx_type


def single(name, shape, kind, *extra, dtype="f32", opset=17, **attributes):
    """A case of one operator on one input; `extra` are i64 vectors, or None."""
    g = Graph(name)
    g.opset = opset
    arguments = [None if e is None else g.const(*e) for e in extra]
    return Case(g.output(g.op(kind, g.input("x", shape, dtype), *arguments, **attributes)),
                "exact")


@cases
def reshapes():
    yield single("reshape", (4, 6), "Reshape", [2, 12])
    yield single("reshape_infer", (2, 3, 4), "Reshape", [6, -1])
    yield single("reshape_copy_dim", (2, 3, 4), "Reshape", [0, -1])
    yield single("reshape_to_scalar", (1, 1), "Reshape", [])
    yield single("flatten", (2, 3, 4), "Flatten", axis=1)
    yield single("flatten_zero", (2, 3, 4), "Flatten", axis=0)
    yield single("flatten_negative", (2, 3, 4), "Flatten", axis=-1)
    yield single("squeeze", (1, 5, 1, 7), "Squeeze", [0, -2])
    yield single("squeeze_all", (1, 5, 1, 7), "Squeeze")
    yield single("unsqueeze", (5, 7), "Unsqueeze", [0, -1])
    yield single("squeeze_attribute", (1, 5), "Squeeze", opset=11, axes=[0])
    g = Graph("space_to_depth_crd")  # ONNX Runtime has no kernel of opset 28 yet
    g.opset = 28
    y = g.op("SpaceToDepth", g.input("x", (2, 3, 4, 10)), blocksize=2, mode="CRD")
    yield Case(g.output(y), "exact", lambda x: [
        np.stack([x[:, :, i::2, j::2] for i in (0, 1) for j in (0, 1)], 2
                 ).reshape(2, 12, 2, 5)])


@cases
def transposes():
    yield single("transpose", (17, 33), "Transpose")
    yield single("transpose_0213", (2, 5, 3, 7), "Transpose", perm=[0, 2, 1, 3])
    yield single("transpose_nhwc", (2, 5, 7, 9), "Transpose", perm=[0, 2, 3, 1])
    yield single("transpose_201", (5, 17, 31), "Transpose", perm=[2, 0, 1])
    # What GPUs move in tiles: whole ones, and such as end early.
    yield single("transpose_tiles", (608, 512), "Transpose")
    yield single("transpose_tiles_odd", (601, 509), "Transpose")
    yield single("transpose_tiles_of_batches", (3, 317, 262), "Transpose", perm=[0, 2, 1])
    yield single("transpose_tiles_nhwc", (2, 131, 6, 193), "Transpose", perm=[0, 2, 3, 1])
    for dtype in ("f16", "u8", "i64", "bool"):
        g = Graph(f"transpose_tiles_{dtype}")
        yield Case(g.output(g.op("Transpose", g.input("x", (510, 603), dtype))), "exact")
    g = Graph("transpose_tiles_of_two")
    x = g.op("Transpose", g.op("Exp", g.input("x", (65, 99))))
    y = g.op("Add", x, g.op("Mul", g.input("y", (99, 65)), g.op("Transpose", g.input("z", (65, 99)))))
    yield Case(g.output(y), "elementwise")
    for rows in ((50, 6), (17, 30), (1, 2), (64, 3)):  # of a cache, and those behind
        g = Graph(f"transpose_of_concat_{rows[0]}_{rows[1]}")
        parts = [g.input(name, (3, count, 41)) for name, count in zip("ab", rows)]
        whole = g.op("Concat", *parts, axis=1)
        g.output(whole)
        yield Case(g.output(g.op("Transpose", whole, perm=[0, 2, 1])), "exact")
    for rows in (70, 67, 3):  # stored both ways
        g = Graph(f"transpose_beside_{rows}")
        chosen = g.op("Max", g.input("a", (3, rows, 64)), g.input("b", (3, rows, 64)))
        g.output(chosen)
        yield Case(g.output(g.op("Transpose", chosen, perm=[0, 2, 1])), "exact")
    g = Graph("transpose_there_and_back")
    x = g.op("Transpose", g.input("x", (5, 7, 9)), perm=[2, 0, 1])
    x = g.op("Transpose", g.op("Relu", x), perm=[1, 2, 0])
    yield Case(g.output(x), "exact")
    g = Graph("transpose_between_ops")
    x = g.op("Transpose", g.op("Exp", g.input("x", (17, 33))))
    yield Case(g.output(g.op("Add", x, g.input("y", (33, 17)))), "elementwise")


@cases
def slices():
    yield single("slice", (9, 11), "Slice", [1, 2], [8, 9])
    yield single("slice_axes_steps", (9, 11, 5), "Slice", [1, 0], [9, 11], [0, 1], [2, 3])
    yield single("slice_negative", (9, 11), "Slice", [-5], [-1], [-1])
    yield single("slice_backwards", (9, 11), "Slice", [8], [-100], [0], [-2])
    yield single("slice_clamped", (9, 11), "Slice", [0], [2**31], [1])
    for name, sizes, kwargs in (("even", None, {}), ("sizes", [2, 5, 4], {})):
        g = Graph(f"split_{name}")
        arguments = [g.const(*sizes)] if sizes else []
        shape = (3, 11) if sizes else (3, 12)
        g.output(*g.op("Split", g.input("x", shape), *arguments, outputs=3, axis=1))
        yield Case(g, "exact")
    g = Graph("split_then_join")
    a, b = g.op("Split", g.input("x", (6, 10)), outputs=2, axis=-1)
    yield Case(g.output(g.op("Concat", b, g.op("Relu", a), axis=0)), "exact")


@cases
def joins():
    for axis in (0, 1, -1):
        g = Graph(f"concat_axis_{axis}".replace("-", "minus"))
        shapes = [[3, 5, 7] for _ in range(3)]
        for extra, shape in enumerate(shapes):
            shape[axis] += extra
        parts = [g.input(f"x{i}", tuple(s)) for i, s in enumerate(shapes)]
        yield Case(g.output(g.op("Concat", *parts, axis=axis)), "exact")
    for count in (27, 70):
        g = Graph(f"concat_of_{count}")
        parts = [g.op("Abs", g.input(f"x{i}", (5, 1 + i % 4))) for i in range(count)]
        yield Case(g.output(g.op("Concat", *parts, axis=1)), "exact")
    g = Graph("concat_of_computed")
    x = g.input("x", (5, 33))
    y = g.op("Concat", g.op("Exp", x), g.op("Neg", x), g.weight((5, 7)), axis=1)
    yield Case(g.output(g.op("Mul", y, g.scalar(2.0))), "elementwise")


@cases
def run_time_starts():
    """Slices and ranges of known length, from positions that the run time knows."""
    g = Graph("slice_at_run_time")
    x, p = g.input("x", (9, 8)), g.input("p", value=np.array([6], np.int64))
    q = g.input("q", value=np.array([-5], np.int64))
    starts = g.op("Concat", p, q, axis=0)
    ends = g.op("Add", starts, g.const(3, 4))
    g.output(g.op("Slice", x, starts, ends, g.const(0, 1)))
    g.output(g.op("Slice", x, starts, ends, g.const(0, 1), g.const(2, 3)))
    # One bound known, the other not; the same sum written twice.
    first = g.op("Sub", p, g.const(2))
    g.output(g.op("Slice", x, g.op("Concat", g.const(1), first, axis=0),
                  g.op("Concat", g.const(4), g.op("Sub", p, g.const(1)), axis=0)))
    at = g.op("Squeeze", p, g.const(0))
    upto = g.op("Add", at, g.scalar(4, "i64"))
    g.output(g.op("Range", at, upto, g.scalar(1, "i64")))
    g.output(g.op("Range", upto, at, g.scalar(-3, "i64")))
    yield Case(g, "exact")

    g = Graph("slice_at_run_time_beyond")  # the start is moved: ONNX has fewer rows
    x = g.input("x", value=np.arange(6, dtype=np.float32))
    for start in (5, -9):
        p = g.input(f"p{start}".replace("-", "m"), value=np.array([start], np.int64))
        g.output(g.op("Slice", x, p, g.op("Add", p, g.const(2))))
    yield Case(g, "exact", lambda x, *starts: [x[4:], x[:2]])

    g = Graph("refuse_slice_of_run_time_length")
    x, p = g.input("x", (9, 8)), g.input("p", value=np.array([6], np.int64))
    part = g.op("Slice", x, g.const(0), p, g.const(0), name="part")
    yield Case(g.output(g.op("MatMul", g.weight((3, 9)), part)), "refused",
               refusal=(2, ("part", "ends", "computed at run time")))


@cases
def mixed_pads():
    """Cropped at one end, padded at the other. PyTorch reflects and repeats what the crop
    takes away at the other end; what wraps around is what is left."""
    pads = {"constant": ((3, -1), (-2, 2), (6, -5)), "edge": ((3, -3), (-4, 6)),
            "reflect": ((3, -1), (-2, 2), (-1, 3)), "wrap": ((3, -1), (-3, 9))}
    g = Graph("pad_mixed_signs")
    g.opset = 19
    x = g.input("x", value=np.arange(1, 5, dtype=np.float32))
    parts = [g.op("Pad", x, g.const(*both), g.scalar(7.0), mode=mode)
             for mode, pairs in pads.items() for both in pairs]
    wanted = [7, 7, 7, 1, 2, 3, 3, 4, 7, 7, 7, 7, 7, 7, 7, 1, 1, 1, 1, 4, 4, 4, 4, 4, 4,
              4, 3, 2, 1, 2, 3, 3, 4, 3, 2, 2, 3, 4, 3, 2, 1, 1, 2, 3, 1, 2, 3] + [4] * 10
    yield Case(g.output(g.op("Concat", *parts, axis=0)), "exact",
               lambda x: [np.array(wanted, np.float32)])
    g = Graph("pad_mixed_signs_in_two_dimensions")
    g.opset = 19  # ONNX Runtime does not reflect what it has cropped; here it need not
    x = g.op("Neg", g.input("x", (5, 6)))
    yield Case(g.output(*(g.op("Pad", x, g.const(2, -1, -2, 1), mode=mode)
                          for mode in ("reflect", "wrap"))), "exact")


@cases
def pads():
    for mode in ("constant", "reflect", "edge"):
        yield single(f"pad_{mode}", (5, 7), "Pad", [1, 2, 3, 0], mode=mode)
    yield single("pad_negative", (5, 7), "Pad", [-1, 2, 0, -3])
    fills = {"f32": (1.5,), "f16": (0.1,), "bf16": (0.1,), "f64": (0.1,), "i64": (3, -2 ** 40),
             "i32": (-2 ** 31,), "i16": (7,), "i8": (-100,), "u8": (200,), "u16": (65535,),
             "u32": (1, 4000000000), "u64": (2 ** 64 - 1,), "bool": (True,)}
    g = Graph("pad_values")  # which are stored, and which are computed with
    for dtype, values in fills.items():
        x = g.input(dtype, (3, 19), dtype)
        for value in values:
            fill = g.weight(np.array(value), dtype)
            y = g.op("Pad", x, g.const(0, 1, 2, 3), fill)
            g.output(y, dtype=dtype).output(g.op("Cast", y, to=onnx_type("f32")), dtype="f32")

    def padded(*inputs):
        found = []
        for x, values in zip(inputs, fills.values()):
            for value in values:
                wide = np.pad(x, ((0, 2), (1, 3)), constant_values=np.array(value, x.dtype))
                found += [wide, wide.astype(np.float32)]
        return found
    yield Case(g, "exact", padded)
    for dtype in ("f32", "f16", "bf16", "i64", "i32", "i8", "u8", "bool"):
        g = Graph(f"pad_runtime_value_{dtype}")
        x, value = g.input("x", (3, 5), dtype), g.input("value", (), dtype)
        y = g.op("Pad", x, g.const(0, 1, 2, -3), value)
        yield Case(g.output(y, dtype=dtype), "exact",
                   reference=lambda x, value: [np.pad(x[:, :2], ((0, 2), (1, 0)),
                                                     constant_values=value)])
    g = Graph("pad_runtime_value_computed")
    g.opset = 18
    x = g.input("x", (2, 3, 5))
    lowest = g.op("ReduceMin", x, keepdims=0)
    yield Case(g.output(g.op("Pad", x, g.const(1, 2), lowest, g.const(-1))), "exact")
    g = Graph("pad_runtime_value_around_nothing")
    yield Case(g.output(g.op("Pad", g.input("x", (0, 3)), g.const(2, 0, 1, 1),
                             g.input("value", ()))), "exact")
    g = Graph("pad_runtime_value_unused")
    yield Case(g.output(g.op("Pad", g.input("x", (2, 3)), g.const(0, 0, 0, 0),
                             g.input("value", ()))), "exact")
    g = Graph("pad_before_pool")
    x = g.op("Pad", g.input("x", (1, 2, 7, 7)), g.const(0, 0, 1, 1, 0, 0, 1, 1))
    yield Case(g.output(g.op("MaxPool", x, kernel_shape=[3, 3])), "exact")


@cases
def gathers():
    for name, axis, indices in (("rows", 0, [[3, 0], [8, 8]]), ("columns", 1, [4, 2, 0]),
                                ("negative", 0, [-1, -9, 4])):
        g = Graph(f"gather_{name}")
        index = g.input("index", value=np.array(indices, np.int64))
        yield Case(g.output(g.op("Gather", g.input("x", (9, 7)), index, axis=axis)), "exact")
    g = Graph("gather_scalar_index")
    yield Case(g.output(g.op("Gather", g.input("x", (9, 7)), g.scalar(2, "i64"))), "exact")
    g = Graph("gather_embedding")
    tokens = g.input("tokens", value=g.random((2, 17), "i64", low=0, high=50))
    rows = g.op("Gather", g.weight((50, 33)), tokens)
    yield Case(g.output(g.op("Add", rows, g.weight((17, 33)))), "elementwise")


@cases
def constants():
    g = Graph("constant_of_shape")
    value = helper.make_tensor("value", 1, [1], [2.5])
    y = g.op("ConstantOfShape", g.const(3, 5), value=value)
    yield Case(g.output(g.op("Add", y, g.input("x", (3, 5)))), "elementwise")
    g = Graph("constant_node")
    table = helper.make_tensor("value", 1, [5], [0.5, 1, 1.5, 2, 2.5])
    yield Case(g.output(g.op("Mul", g.input("x", (3, 5)), g.op("Constant", value=table))),
               "elementwise")
    g = Graph("shape_arithmetic")  # what exporters write for x.reshape(n, -1)
    x = g.input("x", (4, 3, 5))
    rows = g.op("Gather", g.op("Shape", x), g.scalar(0, "i64"))
    rows = g.op("Unsqueeze", rows, g.const(0))
    shape = g.op("Concat", rows, g.const(-1), axis=0)
    yield Case(g.output(g.op("Reshape", x, shape), dtype="f32"), "exact")
    g = Graph("op_shape")
    x = g.input("x", (4, 3, 5))
    yield Case(g.output(g.op("Shape", x), g.op("Shape", x, start=1, end=-1)), "exact")
    g = Graph("op_dropout")
    yield Case(g.output(g.op("Dropout", g.input("x", (5, 7)))), "exact")
    g = Graph("output_is_a_constant")
    g.op("Identity", g.weight((3, 5)), name="y")
    yield Case(g.output("y", g.op("Neg", g.input("x", (3, 5)))), "exact")
    g = Graph("outputs_are_filled")  # with numbers whose bytes are equal, and others
    g.output(g.op("Neg", g.input("x", (3, 5))))
    for code, number in ((1, 0.0), (1, 2.5), (1, -np.inf), (11, 0.1), (10, 1.5), (7, -3),
                         (6, 7), (12, 4_000_000_000), (2, 200), (9, True)):
        value = helper.make_tensor("value", code, [1], [number])
        g.output(g.op("ConstantOfShape", g.const(3, 17), value=value))
    yield Case(g, "exact")


@cases
def mixes():
    g = Graph("mix_of_movement")
    x, y = g.input("x", (6, 10)), g.input("y", (10, 6))
    x = g.op("Concat", x, g.op("Transpose", y), axis=1)
    left, right = g.op("Split", x, outputs=2, axis=1)
    x = g.op("Where", g.op("Greater", left, g.scalar(0.0)), left, right)
    x = g.op("Pad", x, g.const(0, 1, 0, 1))
    x = g.op("Slice", x, g.const(0, 0), g.const(6, 12), g.const(0, 1), g.const(2, 1))
    x = g.op("Gather", x, g.const(2, 0), axis=0)
    yield Case(g.output(g.op("Cast", x, to=1)), "exact")
    g = Graph("space_to_depth_by_reshape")
    x = g.op("Reshape", g.input("x", (1, 3, 8, 6)), g.const(1, 3, 4, 2, 3, 2))
    x = g.op("Transpose", x, perm=[0, 3, 5, 1, 2, 4])
    yield Case(g.output(g.op("Reshape", x, g.const(1, 12, 4, 3))), "exact")
    g = Graph("channel_shuffle")
    x = g.op("Reshape", g.input("x", (2, 12, 5, 5)), g.const(2, 3, 4, 5, 5))
    x = g.op("Transpose", x, perm=[0, 2, 1, 3, 4])
    yield Case(g.output(g.op("Relu", g.op("Reshape", x, g.const(2, 12, 5, 5)))), "exact")
