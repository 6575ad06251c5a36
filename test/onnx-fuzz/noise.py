# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By how much right programs may differ: graphs run again with noise."""
import numpy as np

import oracle  # test/e2e
import rounding
from builder import dtype_name
from evaluate import Refused
from graph import FLOATS
from spread import spread

NOISES = 2
# Where an element may be what is left of larger ones, whatever the operands: of a sum that
# cancels (the imaginary part of an even transform), of rows of two elements that are -1 and 1
# before they are scaled and moved. Which operand those are as large as, if not the results.
CANCELS = {"DFT": None, "STFT": None, "LayerNormalization": 2, "SkipLayerNormalization": 3,
           "InstanceNormalization": 2, "GroupNormalization": 2}
def next_code(node):
    """How far the results of DynamicQuantizeLSTM move where an element of a state that was
    computed has the next code. Behind the product are functions whose slopes are 1 at most."""
    weights, factors, zeros = (node.operands[i].array.astype(np.float64) for i in (2, 10, 11))
    if node.operands[0].shape[0] == 1:
        return 0.0
    if factors.ndim == 1:  # of a direction
        factors, zeros = factors[:, None], zeros[:, None]
    effects = np.abs(weights - zeros[:, None]) * factors[:, None]
    return float(effects.max(initial=0)) * 2 / 255


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
        if rounding.is_bitwise(node):  # Nothing there moves.
            continue
        rounds = node.op not in rounding.MOVES and not rounding.jumps(node)
        told = [node.operands[i] for i in node.parameters]
        arrays = {}
        for value in node.evaluation.fed:
            array = moved.get(value, value.array)
            if rounds and value.is_tensor and value.dtype in FLOATS and value not in told:
                with np.errstate(all="ignore"):
                    factors = 1 + noise(array, rng)
                    array = np.asarray(array * factors).astype(array.dtype)
            arrays[value] = array
        try:
            results = node.evaluation.run(arrays)
        except Refused:  # it looks at values, which are off
            continue
        if node.op in CANCELS:
            shake_result(node, results, rng)
        elif node.op == "DynamicQuantizeLSTM":
            shake(results, next_code(node), rng)
        moved |= {v: array for v, array in zip(node.results, results) if v is not None}
    return moved


def noise(array, rng):
    """As much as one operation on numbers of this type may be off."""
    relative = oracle.TOLERANCES[dtype_name(array), "elementwise"][1]
    return relative * rng.choice([-1.0, 1.0], array.shape)


def shake_result(node, results, rng):
    index = CANCELS[node.op]
    if index is not None and (index >= len(node.operands) or node.operands[index] is None):
        return
    array = results[0]
    large = array if index is None else node.operands[index].array
    size = np.max(np.abs(large.astype(np.float64)), initial=0)
    with np.errstate(all="ignore"):
        results[0] = np.asarray(array + size * noise(array, rng)).astype(array.dtype)


def shake(results, size, rng):
    for i, array in enumerate(results):
        if array is not None:
            results[i] = (array + size * rng.choice([-1.0, 1.0], array.shape)).astype(array.dtype)
