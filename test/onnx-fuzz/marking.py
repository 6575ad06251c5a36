# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is open of a node's results: where programs that are right may differ (reasons.py)."""
import numpy as np

from graph import FLOATS

REASONS = []


def reason(text, *ops):
    """Marks a predicate: of a node, whose results have what ONNX Runtime computed, to bool,
    to an array of bools with the shape of the first result (others are open everywhere), or
    to a list with one of these for each result, the last of which may be missing."""
    def add(function):
        REASONS.append((text, ops, function))
        return function
    return add


def mark(node):
    """Sets what is open of the results of a node."""
    found = next((v.open[0] for v in node.reads() if v.open), None)
    for text, ops, function in [(found, (), lambda _: True)] if found else REASONS:
        if ops and node.op not in ops:
            continue
        with np.errstate(all="ignore"):
            holds = function(node)
        if not isinstance(holds, list):
            holds = [holds] + [np.any(holds)] * (len(node.results) - 1)
        for result, where in zip(node.results, holds):
            if result is not None and np.any(where):
                open_up(result, text, where)


def open_up(result, text, where):
    """Where several reasons hold, the first is told."""
    text, before = result.open or (text, False)
    if before is None or np.ndim(where) == 0 or np.shape(where) != result.shape:
        result.open = text, None
    else:
        result.open = text, where | before


def is_float(value):
    return value.is_tensor and value.dtype in FLOATS


def operands(node):
    return [v for v in node.operands if v is not None]
