# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By how much right programs may differ: graphs run again with noise."""
import numpy as np

import oracle  # test/e2e
import rounding
from evaluate import Refused
from graph import FLOATS
from spread import spread

NOISES = 2


def spreads(graph):
    """Per output, how far it moves if what reaches an operation that rounds is off by the
    tolerance of one operation."""
    found = [0.0] * len(graph.outputs)
    if all(v.exact for v in graph.outputs):
        return found
    for k in range(NOISES):
        moved = run_noisy(graph, np.random.default_rng(k))
        for i, v in enumerate(graph.outputs):
            found[i] = max(found[i], spread(moved.get(v, v.array), v.array))
    return found


def run_noisy(graph, rng):
    moved = {}
    for node in graph.nodes:
        rounds = node.op not in rounding.MOVES and node.op not in rounding.JUMPS
        told = [node.operands[i] for i in node.parameters]
        arrays = {}
        for value in node.evaluation.fed:
            array = moved.get(value, value.array)
            if rounds and value.is_tensor and value.dtype in FLOATS and value not in told:
                relative = oracle.TOLERANCES[value.dtype, "elementwise"][1]
                with np.errstate(all="ignore"):
                    factors = 1 + relative * rng.choice([-1.0, 1.0], array.shape)
                    array = np.asarray(array * factors).astype(array.dtype)
            arrays[value] = array
        try:
            results = node.evaluation.run(arrays)
        except Refused:  # it looks at values, which are off
            continue
        moved |= {v: array for v, array in zip(node.results, results) if v is not None}
    return moved
