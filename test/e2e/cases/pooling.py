# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling with its attributes."""
from builder import Case, Graph, cases

# name: attributes, for both MaxPool and AveragePool
VARIANTS = {
    "2x2": {"kernel_shape": [2, 2], "strides": [2, 2]},
    "overlapping": {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    "stride_one": {"kernel_shape": [3, 2]},
    "ceil": {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
    "ceil_padded": {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1,
                    "pads": [1, 1, 1, 1]},
    "same_upper": {"kernel_shape": [2, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    "same_lower": {"kernel_shape": [2, 3], "strides": [2, 2], "auto_pad": "SAME_LOWER"},
    "pads_asymmetric": {"kernel_shape": [3, 3], "pads": [0, 1, 2, 0]},
}
ONLY_MAX = {"dilated": {"kernel_shape": [2, 2], "dilations": [2, 3]}}
ONLY_AVERAGE = {
    "count_include_pad": {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1],
                          "count_include_pad": 1},
    "count_include_pad_ceil": {"kernel_shape": [3, 3], "strides": [2, 2],
                               "pads": [1, 1, 1, 1], "ceil_mode": 1,
                               "count_include_pad": 1},
}


@cases
def pools():
    kinds = (("MaxPool", "exact", VARIANTS | ONLY_MAX),
             ("AveragePool", "reduction", VARIANTS | ONLY_AVERAGE))
    for kind, tolerance, variants in kinds:
        for name, attributes in variants.items():
            g = Graph(f"{kind.lower()}_{name}")
            x = g.input("x", (2, 3, 10, 12))
            yield Case(g.output(g.op(kind, x, **attributes)), tolerance)
        g = Graph(f"{kind.lower()}_1d")
        yield Case(g.output(g.op(kind, g.input("x", (2, 5, 33)), kernel_shape=[3],
                                 strides=[2])), tolerance)


@cases
def global_pools():
    for kind, tolerance in (("GlobalAveragePool", "reduction"),
                            ("GlobalMaxPool", "exact")):
        g = Graph(f"op_{kind.lower()}")
        yield Case(g.output(g.op(kind, g.input("x", (2, 17, 7, 9)))), tolerance)
