# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MatMul, Gemm and Conv with their attributes."""
import numpy as np

from builder import Case, Graph, cases, widened


@cases
def matmul():
    shapes = {"square": ((64, 64), (64, 64)), "primes": ((17, 31), (31, 7)),
              "tails": ((33, 65), (65, 47)), "batched": ((3, 17, 31), (3, 31, 33)),
              "broadcast_right": ((2, 3, 7, 31), (31, 17)),
              "broadcast_both": ((2, 1, 7, 16), (3, 16, 5)),
              "vector_matrix": ((31,), (31, 17)), "matrix_vector": ((17, 31), (31,)),
              "dot": ((129,), (129,)), "one_row": ((1, 127), (127, 65)),
              "long_k": ((5, 1031), (1031, 9)),
              "blocks_of_rows": ((331, 1031), (1031, 47))}
    for name, (left, right) in shapes.items():
        g = Graph(f"matmul_{name}")
        yield Case(g.output(g.op("MatMul", g.input("a", left), g.input("b", right))),
                   "contraction")
    # Rows 4 KiB apart: blocks of the reduction.
    g = Graph("matmul_blocks_of_k")
    x = g.op("MatMul", g.input("a", (47, 301)), g.input("b", (301, 1024)))
    yield Case(g.output(g.op("Relu", x)), "contraction")
    g = Graph("matmul_weight_bias_gelu")
    x = g.op("MatMul", g.input("x", (33, 64)), g.weight((64, 96), scale=0.2))
    x = g.op("Add", x, g.weight((96,)))
    erf = g.op("Erf", g.op("Div", x, g.scalar(2.0**0.5)))
    half = g.op("Mul", x, g.op("Add", erf, g.scalar(1.0)))
    yield Case(g.output(g.op("Mul", half, g.scalar(0.5))), "network")


@cases
def gemm():
    variants = {"plain": {}, "trans_a": {"transA": 1}, "trans_b": {"transB": 1},
                "trans_both": {"transA": 1, "transB": 1},
                "alpha_beta": {"alpha": 0.5, "beta": 2.0}}
    for name, attributes in variants.items():
        g = Graph(f"gemm_{name}")
        a = g.input("a", (31, 17) if attributes.get("transA") else (17, 31))
        b = g.weight((33, 31) if attributes.get("transB") else (31, 33))
        yield Case(g.output(g.op("Gemm", a, b, g.weight((33,)), **attributes)),
                   "contraction")
    for name, shape in {"matrix": (17, 33), "column": (17, 1), "scalar": ()}.items():
        g = Graph(f"gemm_c_{name}")
        a, b = g.input("a", (17, 31)), g.input("b", (31, 33))
        yield Case(g.output(g.op("Gemm", a, b, g.input("c", shape))), "contraction")
    g = Graph("gemm_without_c")
    yield Case(g.output(g.op("Gemm", g.input("a", (7, 65)), g.weight((65, 17)))),
               "contraction")


# name: (input, weight, attributes)
CONVS = {
    "3x3": ((2, 5, 11, 13), (7, 5, 3, 3), {"pads": [1, 1, 1, 1]}),
    "valid": ((1, 3, 9, 9), (4, 3, 3, 3), {}),
    "1x1": ((1, 17, 7, 7), (33, 17, 1, 1), {}),
    "stride": ((1, 4, 15, 17), (6, 4, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "stride_mixed": ((1, 3, 12, 17), (5, 3, 3, 5), {"strides": [2, 3]}),
    "7x7_stride": ((1, 3, 32, 32), (8, 3, 7, 7), {"strides": [2, 2],
                                                  "pads": [3, 3, 3, 3]}),
    "dilated": ((1, 4, 17, 17), (4, 4, 3, 3), {"dilations": [2, 3]}),
    "pads_asymmetric": ((1, 2, 8, 9), (3, 2, 3, 3), {"pads": [0, 1, 2, 3]}),
    "grouped": ((1, 12, 9, 9), (8, 3, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}),
    "depthwise": ((2, 17, 9, 9), (17, 1, 3, 3), {"group": 17, "pads": [1, 1, 1, 1]}),
    "depthwise_multiplier": ((1, 5, 9, 9), (10, 1, 3, 3), {"group": 5}),
    "same_upper": ((1, 3, 8, 9), (4, 3, 4, 3), {"auto_pad": "SAME_UPPER",
                                                "strides": [2, 2]}),
    "same_lower": ((1, 3, 8, 9), (4, 3, 4, 3), {"auto_pad": "SAME_LOWER",
                                                "strides": [2, 2]}),
    "auto_valid": ((1, 3, 8, 9), (4, 3, 3, 3), {"auto_pad": "VALID"}),
    "1d": ((2, 5, 33), (7, 5, 3), {"pads": [1, 1]}),
    "3d": ((1, 2, 5, 7, 6), (3, 2, 3, 3, 3), {"pads": [1, 1, 1, 1, 1, 1]}),
    "one_output_channel": ((1, 8, 7, 7), (1, 8, 3, 3), {}),
}


@cases
def conv():
    for name, (shape, weight, attributes) in CONVS.items():
        g = Graph(f"conv_{name}")
        y = g.op("Conv", g.input("x", shape), g.weight(weight), g.weight((weight[0],)),
                 **attributes)
        yield Case(g.output(y), "contraction")
    g = Graph("conv_without_bias")
    yield Case(g.output(g.op("Conv", g.input("x", (1, 3, 8, 8)), g.weight((4, 3, 3, 3)))),
               "contraction")
    g = Graph("conv_weight_is_an_input")
    yield Case(g.output(g.op("Conv", g.input("x", (1, 3, 8, 8)),
                             g.input("w", (4, 3, 3, 3)))), "contraction")


# name: (input, weight, attributes)
TRANSPOSED = {
    "plain": ((2, 3, 5, 7), (3, 4, 3, 3), {}),
    "stride": ((1, 3, 5, 7), (3, 4, 3, 3), {"strides": [2, 2]}),
    "up_2x2": ((2, 6, 5, 7), (6, 4, 2, 2), {"strides": [2, 2]}),  # as in U-Net
    "up_4x4": ((1, 5, 6, 6), (5, 3, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "output_padding": ((1, 3, 5, 7), (3, 4, 3, 3), {"strides": [2, 2],
                                                    "pads": [1, 1, 1, 1],
                                                    "output_padding": [1, 1]}),
    "stride_3": ((1, 2, 4, 5), (2, 3, 2, 4), {"strides": [3, 3], "pads": [0, 1, 0, 0],
                                              "output_padding": [2, 0]}),
    "pads_beyond_stride": ((1, 2, 7, 8), (2, 3, 5, 5), {"strides": [2, 2],
                                                        "pads": [3, 4, 2, 3]}),
    "dilated": ((1, 2, 5, 6), (2, 3, 3, 2), {"dilations": [2, 3], "strides": [1, 2]}),
    "grouped": ((1, 6, 5, 5), (6, 2, 3, 3), {"group": 3, "strides": [2, 2]}),
    "depthwise": ((2, 7, 5, 5), (7, 1, 4, 4), {"group": 7, "strides": [2, 2],
                                               "pads": [1, 1, 1, 1]}),
    "output_shape": ((1, 3, 5, 5), (3, 2, 3, 3), {"strides": [3, 2],
                                                  "output_shape": [16, 12]}),
    "same_upper": ((1, 3, 5, 6), (3, 2, 3, 3), {"strides": [2, 2],
                                                "auto_pad": "SAME_UPPER"}),
    "same_lower": ((1, 3, 5, 6), (3, 2, 3, 3), {"strides": [2, 2],
                                                "auto_pad": "SAME_LOWER"}),
    "auto_valid": ((1, 3, 5, 6), (3, 2, 3, 3), {"strides": [2, 2], "auto_pad": "VALID"}),
    "1d": ((2, 5, 17), (5, 4, 4), {"strides": [2], "pads": [1, 1]}),
    "3d": ((1, 2, 3, 4, 5), (2, 3, 2, 3, 2), {"strides": [2, 1, 2]}),
    "1x1": ((1, 5, 7, 7), (5, 6, 1, 1), {}),
    "1x1_stride": ((1, 5, 4, 4), (5, 3, 1, 1), {"strides": [2, 2]}),
}


@cases
def conv_transpose():
    for name, (shape, weight, attributes) in TRANSPOSED.items():
        g = Graph(f"convtranspose_{name}")
        channels = weight[1] * attributes.get("group", 1)
        y = g.op("ConvTranspose", g.input("x", shape), g.weight(weight),
                 g.weight((channels,)), **attributes)
        yield Case(g.output(y), "contraction")
    g = Graph("convtranspose_weight_is_an_input")
    y = g.op("ConvTranspose", g.input("x", (1, 3, 4, 4)), g.input("w", (3, 4, 3, 3)),
             strides=[2, 2])
    yield Case(g.output(g.op("Relu", y)), "contraction")


# equation: shapes of the operands
EINSUMS = {
    "ij->ji": [(5, 33)], "ij->": [(5, 33)], "ij->i": [(5, 33)], "ii->i": [(7, 7)],
    "ii": [(7, 7)], "...ii->...i": [(3, 5, 5)], "iji->ij": [(5, 3, 5)], "iii->i": [(3, 3, 3)],
    "i,i": [(17,), (17,)], "i,j->ij": [(5,), (7,)], "ij,jk": [(5, 17), (17, 33)],
    "ij,jk->ki": [(5, 17), (17, 33)], "bij, bjk -> bik": [(2, 5, 3), (2, 3, 7)],
    "...ij,...jk": [(2, 4, 5, 3), (2, 4, 3, 7)], "bhqd,bhkd->bhqk": [(2, 3, 5, 4), (2, 3, 7, 4)],
    "bhqk,bhkd->bqhd": [(2, 3, 5, 7), (2, 3, 7, 4)], "ij,ij->ij": [(5, 7), (5, 7)],
    "ij,ji->": [(5, 7), (7, 5)], "ij,kl->": [(3, 5), (2, 7)], "ijk,j->ik": [(3, 5, 7), (5,)],
    "ij,jk,kl->il": [(3, 5), (5, 7), (7, 2)], "i,i,i->i": [(9,), (9,), (9,)],
    "...,...->...": [(3, 5), (3, 5)], "b...,b...->...": [(2, 3, 5), (2, 3, 5)],
    "ijj,jk->ik": [(3, 5, 5), (5, 4)], "aB,Bc": [(3, 5), (5, 4)],
}


@cases
def einsum():
    for number, (equation, shapes) in enumerate(EINSUMS.items()):
        g = Graph(f"einsum_{number}")
        operands = [g.input(f"x{i}", shape) for i, shape in enumerate(shapes)]
        y = g.op("Einsum", *operands, equation=equation)
        yield Case(g.output(y, dtype="f32"), "contraction")
    g = Graph("einsum_broadcast_ellipsis")  # which ONNX's shape inference does not know
    y = g.op("Einsum", g.input("a", (2, 1, 5, 3)), g.input("b", (4, 3, 7)),
             equation="...ij,...jk->...ki")
    yield Case(g.output(y, dtype="f32"), "reduction",
               lambda a, b: [np.einsum("...ij,...jk->...ki", a, b)])
    g = Graph("einsum_f16")
    operands = [g.input("a", (5, 17), "f16"), g.input("b", (17, 9), "f16")]
    yield Case(g.output(g.op("Einsum", *operands, equation="ij,jk->ik")), "contraction", widened)
    g = Graph("einsum_i32")
    operands = [g.input("a", (5, 7), "i32"), g.input("b", (7, 9), "i32")]
    yield Case(g.output(g.op("Einsum", *operands, equation="ij,jk->ki")), "exact")
    g = Graph("einsum_broadcast_label")  # ONNX Runtime repeats a dimension of 1, too
    operands = [g.input("a", (5, 1)), g.input("b", (7, 9))]
    yield Case(g.output(g.op("Einsum", *operands, equation="ij,jk->ik")), "contraction")
    g = Graph("einsum_with_epilogue")
    y = g.op("Einsum", g.input("x", (5, 17)), g.weight((33, 17)), equation="nk,mk->nm")
    yield Case(g.output(g.op("Relu", g.op("Add", y, g.weight((33,))))), "contraction")
