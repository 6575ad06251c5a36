# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling with its attributes."""
import numpy as np

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


    g = Graph("averagepool_dilated")  # from opset 19 on
    g.opset = 19
    y = g.op("AveragePool", g.input("x", (2, 3, 10, 12)), kernel_shape=[2, 3],
             dilations=[2, 3], pads=[1, 0, 1, 2])
    yield Case(g.output(y), "reduction")
    for kind, tolerance, attributes in (("MaxPool", "exact", {}),
                                        ("AveragePool", "reduction", {"count_include_pad": 1})):
        g = Graph(f"{kind.lower()}_3d")
        y = g.op(kind, g.input("x", (1, 2, 5, 7, 9)), kernel_shape=[2, 3, 2],
                 strides=[1, 2, 2], pads=[0, 1, 1, 1, 1, 0], **attributes)
        yield Case(g.output(y), tolerance)


@cases
def beyond():
    """Windows larger than what they pool, by less than a stride."""
    more = {"pads": [1, 0, 1, 1]}
    for kind, tolerance, variants in (
            ("MaxPool", "exact", {"": {}, "_padded": more}),
            ("AveragePool", "reduction", {"": {}, "_padded": more,
                                          "_count": {"count_include_pad": 1, **more}}),
            ("LpPool", "reduction", {"": {}, "_padded": more})):
        for name, attributes in variants.items():
            rounding = {"auto_pad": "VALID"} if name == "" else {"ceil_mode": 1}
            g = Graph(f"{kind.lower()}_beyond{name}")
            g.opset = 22
            y = g.op(kind, g.input("x", (2, 3, 5, 4)), kernel_shape=[8, 6], strides=[4, 3],
                     **rounding, **attributes)
            yield Case(g.output(y), tolerance)
    g = Graph("maxpool_indices_beyond")
    yield Case(g.output(*g.op("MaxPool", g.input("x", (2, 3, 5, 4)), outputs=2, ceil_mode=1,
                              kernel_shape=[7, 3], strides=[3, 3])), "exact")


@cases
def pools_with_indices():
    variants = {"1d": ((2, 3, 33), {"kernel_shape": [3], "strides": [2]}),
                "2d": ((2, 3, 9, 11), {"kernel_shape": [3, 2], "strides": [2, 2]}),
                "padded": ((2, 3, 9, 11), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
                "ceil": ((1, 2, 9, 11), {"kernel_shape": [3, 3], "strides": [2, 2],
                                         "ceil_mode": 1}),
                "dilated": ((1, 2, 9, 11), {"kernel_shape": [2, 3], "dilations": [3, 2]}),
                "column_major": ((2, 3, 9, 11), {"kernel_shape": [2, 2], "strides": [2, 2],
                                                 "storage_order": 1}),
                "3d": ((1, 2, 5, 6, 7), {"kernel_shape": [2, 2, 3], "strides": [2, 2, 2]})}
    for name, (shape, attributes) in variants.items():
        g = Graph(f"maxpool_indices_{name}")
        # Few values, so that windows hold their maximum more than once.
        x = g.input("x", value=np.round(g.random(shape) * 3).astype(np.float32))
        yield Case(g.output(*g.op("MaxPool", x, outputs=2, **attributes)), "exact")


@cases
def lp_pools():
    for p in (1, 2, 3):
        g = Graph(f"lppool_p{p}")
        g.opset = 18
        y = g.op("LpPool", g.input("x", (2, 3, 10, 12)), p=p, kernel_shape=[3, 2],
                 strides=[2, 1], pads=[1, 0, 1, 1])
        yield Case(g.output(y), "reduction")
        g = Graph(f"op_globallppool_p{p}")
        yield Case(g.output(g.op("GlobalLpPool", g.input("x", (2, 5, 7, 9)), p=p)),
                   "reduction")


@cases
def global_pools():
    for kind, tolerance in (("GlobalAveragePool", "reduction"),
                            ("GlobalMaxPool", "exact")):
        g = Graph(f"op_{kind.lower()}")
        yield Case(g.output(g.op(kind, g.input("x", (2, 17, 7, 9)))), tolerance)
