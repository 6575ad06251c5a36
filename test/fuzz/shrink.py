# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing graph small: drops outputs and operations, puts arguments in the place of
what operations computed, shrinks extents, and plainer attributes, as long as it fails in
the same way."""
import numpy as np

from graph import DTYPES, FLOATS, Invalid, Value
from judge import signature

BATCH = 12     # candidates that are tried at once: they share compiler calls
ROUNDS = 40


def as_argument(value):
    """A leaf in the place of a value, with tame numbers."""
    rng = np.random.default_rng(1)
    if value.dtype in FLOATS:
        low = value.low or -min(value.bound, 1.0)
        high = max(low, min(value.bound, low + 2))
        data = np.clip(np.round(np.asarray(rng.uniform(low, high, value.shape)) * 8) / 8, low, high)
    else:
        data = rng.integers(0, 2 if value.dtype == "bool" else 9, value.shape)
    data = np.asarray(data).astype(DTYPES[value.dtype]).reshape(value.shape)
    return Value(value.dtype, value.shape, True, value.bound, value.low, data, "argument")


def propose(graph, **changes):
    try:
        return graph.rebuilt(**changes)
    except (Invalid, ValueError, IndexError, ZeroDivisionError):
        return None  # the changed parts do not fit together


def isolated(graph):
    """A node alone, and with one that it reads: what most failures come down to."""
    for node in graph.nodes:
        yield {"outputs": list(node.results),
               "values": {v: as_argument(v) for v in node.operands if v.data is None}}
        for inner in graph.nodes:
            if set(inner.results) & set(node.operands):
                outside = {v for v in node.operands + inner.operands
                           if v.data is None and v not in inner.results}
                yield {"outputs": list(node.results),
                       "values": {v: as_argument(v) for v in outside}}


def smaller_outputs(graph):
    if len(graph.outputs) > 1:
        for i, output in enumerate(graph.outputs):
            yield {"outputs": [output]}
            yield {"outputs": graph.outputs[:i] + graph.outputs[i + 1:]}
    # Computed values only: an argument that is returned computes nothing.
    for node in graph.nodes[:-1]:
        yield {"outputs": list(node.results[:1])}


def smaller_operations(graph):
    for node in graph.nodes:
        yield {"values": {value: as_argument(value) for value in node.results}}
        for result in node.results:
            for operand in node.operands:
                if (operand.dtype, operand.shape) == (result.dtype, result.shape):
                    yield {"values": {result: operand}}
    leaves = graph.leaves()
    for leaf in leaves:
        if leaf.kind != "argument":
            yield {"values": {leaf: as_argument(leaf)}}
        for other in leaves:
            if other is not leaf and (other.dtype, other.shape) == (leaf.dtype, leaf.shape):
                yield {"values": {leaf: other}}


def replaced(attribute, old, new):
    if isinstance(attribute, tuple) and all(isinstance(x, int) for x in attribute):
        return tuple(new if x == old else x for x in attribute)
    return attribute


def smaller_extents(graph):
    """An extent that becomes another one wherever it stands; a dimension of one leaf."""
    leaves = graph.leaves()
    shapes = [v.shape for v in leaves] + [v.shape for n in graph.nodes for v in n.results]
    for old in sorted({e for shape in shapes for e in shape}, reverse=True):
        for new in sorted({1, 2, old // 2, old - 1} - {0}):
            if new >= old:
                continue
            attributes = {n: {k: replaced(a, old, new) if k == "_shape" else a
                              for k, a in n.attributes.items()} for n in graph.nodes}
            yield {"leaves": {v: replaced(v.shape, old, new) for v in leaves},
                   "attributes": attributes}
    for leaf in leaves:
        for i, extent in enumerate(leaf.shape):
            for new in sorted({1, extent // 2, extent - 1} - {0}):
                if new < extent:
                    shape = leaf.shape[:i] + (new,) + leaf.shape[i + 1:]
                    yield {"leaves": {leaf: shape}}


def plainer_attributes(graph):
    for node in graph.nodes:
        for name, value in node.attributes.items():
            if isinstance(value, tuple) and name[0] != "_" and name not in ("dims", "perm"):
                for i, number in enumerate(value):
                    for plain in (0, 1):
                        if abs(plain) < abs(number):
                            changed = value[:i] + (plain,) + value[i + 1:]
                            yield {"attributes": {node: node.attributes | {name: changed}}}
            elif value is True:
                yield {"attributes": {node: node.attributes | {name: False}}}


def candidates(graph):
    """Graphs one step smaller, the smallest first."""
    found = []
    for steps in (isolated, smaller_outputs, smaller_operations, smaller_extents, plainer_attributes):
        for changes in steps(graph):
            smaller = propose(graph, **changes)
            if smaller and smaller.nodes and smaller.size() < graph.size():
                found.append(smaller)
    return sorted(found, key=lambda g: g.size())


def in_batches(found):
    return [found[i:i + BATCH] for i in range(0, len(found), BATCH)]


def shrink(judge, graph, wanted, say=lambda text: None):
    """The smallest graph found that fails as `wanted` (signatures) says."""
    ways = sorted({way for _, way, _ in wanted})[:1]
    for round_number in range(ROUNDS):
        chosen = None
        for batch in in_batches(candidates(graph)):
            cases = judge.judge({f"s{i}": g for i, g in enumerate(batch)}, ways)
            failing = [case for case in cases.values() if signature(case) & wanted]
            if failing:
                chosen = min(failing, key=lambda case: case.graph.size()).graph
                break
        if chosen is None:
            return graph
        graph = chosen
        say(f"  round {round_number + 1}: {len(graph.nodes)} operations, "
            f"{sum(v.size for v in graph.leaves())} numbers")
    return graph
