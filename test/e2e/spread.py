# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparing the results of graphs, through which errors grow: what noise moves may differ."""
import numpy as np

import oracle
from builder import DTYPES, FLOATS

FLOAT_NAMES = {np.dtype(DTYPES[name]): name for name in FLOATS}


def spread(moved, expected):
    """How far noise as large as a rounding error, at each operation, moved an output."""
    if expected.dtype not in FLOAT_NAMES:
        return 0.0
    a, b = moved.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore"):
        distance = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
    return float(np.max(np.nan_to_num(distance, nan=np.inf), initial=0))


def is_loose(limit, expected):
    """Whether the noise hides most of an output: such a comparison sees little."""
    name = FLOAT_NAMES.get(expected.dtype)
    if not name or not expected.size:
        return False
    wide = expected.astype(np.float64)
    scale = np.max(np.abs(wide[np.isfinite(wide)]), initial=0)
    return limit > 20 * oracle.TOLERANCES[(name, "network")][1] * max(scale, 0.01)


def compare(actual, expected, limit):
    """None, or what differs; `limit` comes on top of the table of tolerances."""
    if expected.dtype not in FLOAT_NAMES or not limit:
        return oracle.compare(actual, expected, "network")
    if not np.isfinite(limit):
        return None
    # A value that is off by less than the limit counts as right, others as nearer by it.
    got, want = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore"):
        rest = np.maximum(np.abs(got - want) - limit, 0) * np.sign(got - want)
        near = np.where(np.isfinite(got) & np.isfinite(want), want + rest, got)
    return oracle.compare(near.astype(expected.dtype), expected, "network")
