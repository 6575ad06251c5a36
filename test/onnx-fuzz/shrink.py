# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing graph small: drops outputs and nodes, puts leaves in the place of what
was computed, drops attributes and operands, shrinks extents and numbers, as long as it
fails alike."""
import numpy as np

from author import compute
from graph import FLOATS, Body, Graph, Invalid, Node, Value
from judge import prepare

BATCH = 12  # candidates that are tried at once: they share compiler calls
ROUNDS = 60


def leaf_of(value, array=None, kind=None):
    if array is None:
        array = value.array
    if not isinstance(array, np.ndarray):
        raise Invalid("a sequence")
    kind = kind or (value.kind if value.is_leaf else "initializer" if value.known else "input")
    return Value(array, kind, known=kind != "input")


def rebuilt(graph, values=None, attributes=None, operands=None, outputs=None):
    """A copy, computed anew, with values in the place of others, and with other attributes
    (per node), operands (per node) and outputs."""
    places = dict(values or {})
    copy = Graph(graph.opset)
    copy.open_dims = graph.open_dims

    def at(value):
        return places.get(value, value)

    def again(node):
        found = (attributes or {}).get(node, node.attributes)
        found = {k: body_of(a) if isinstance(a, Body) else a for k, a in found.items()}
        reads = (operands or {}).get(node, node.operands)
        made = Node(node.op, node.domain, [None if v is None else at(v) for v in reads], found,
                    [None if r is None else Value(np.zeros(0)) for r in node.results],
                    node.parameters)
        compute(made, graph.opset)
        for old, new in zip(node.results, made.results):
            if old is not None and old not in (values or {}):
                places[old] = new
        return made

    def body_of(body):
        return Body(body.formals, [again(n) for n in body.nodes], [at(v) for v in body.outputs])
    for node in graph.nodes:
        copy.nodes.append(again(node))
    copy.outputs = list(dict.fromkeys(at(v) for v in outputs or graph.outputs))
    computed = {v for node in copy.nodes for v in node.results}
    copy.outputs = [v for v in copy.outputs if v in computed]
    return copy.pruned()


def isolated(graph):
    """A node alone, and with one that it reads: what most failures come down to."""
    for node in graph.nodes:
        outputs = [v for v in node.results if v is not None and v.is_tensor]
        computed = [v for v in node.reads() if v.kind == "computed"]
        if computed and outputs and all(v.is_tensor for v in computed):
            yield {"outputs": outputs, "values": {v: leaf_of(v) for v in computed}}
        for inner in graph.nodes:
            outside = [v for v in node.reads() + inner.reads()
                       if v.kind == "computed" and v not in inner.results]
            if set(inner.results) & set(node.reads()) and outputs and \
                    all(v.is_tensor for v in outside):
                yield {"outputs": outputs, "values": {v: leaf_of(v) for v in outside}}


def fewer_outputs(graph):
    if len(graph.outputs) > 1:
        for i, output in enumerate(graph.outputs):
            yield {"outputs": [output]}
            yield {"outputs": graph.outputs[:i] + graph.outputs[i + 1:]}
    for node in graph.nodes[:-1]:
        outputs = [v for v in node.results if v is not None and v.is_tensor]
        yield {"outputs": outputs[:1]}


def fewer_nodes(graph):
    for node in graph.nodes:
        results = [v for v in node.results if v is not None and v.is_tensor]
        yield {"values": {v: leaf_of(v) for v in results}}
        for result in results:
            for operand in node.operands if result.is_tensor else ():
                if operand is not None and operand.is_tensor and \
                        (operand.dtype, operand.shape) == (result.dtype, result.shape):
                    yield {"values": {result: operand}}


def plainer_nodes(graph):
    for node in graph.nodes:
        for name, attribute in node.attributes.items():
            if not isinstance(attribute, Body):
                rest = {k: a for k, a in node.attributes.items() if k != name}
                yield {"attributes": {node: rest}}
        for i, operand in enumerate(node.operands):
            if operand is not None and i:
                reads = list(node.operands)
                reads[i] = None
                while reads and reads[-1] is None:
                    reads.pop()
                yield {"operands": {node: reads}}


def cropped(array, old, new):
    for axis, extent in enumerate(array.shape):
        if extent == old:
            array = np.take(array, range(new), axis)
    return array


def replaced(attribute, old, new):
    if isinstance(attribute, list) and all(isinstance(x, int) for x in attribute):
        return [new if x == old else x for x in attribute]
    return new if type(attribute) is int and attribute == old else attribute


def smaller_extents(graph):
    """An extent that becomes another one wherever it stands; a dimension of one leaf."""
    leaves = graph.leaves()
    for old in sorted({e for v in leaves for e in v.shape}, reverse=True):
        for new in sorted({1, 2, old // 2, old - 1} - {0}):
            if new >= old:
                continue
            values = {v: leaf_of(v, cropped(v.array, old, new)) for v in leaves if old in v.shape}
            yield {"values": values}
            told = {v: leaf_of(v, np.where(v.array == old, new, v.array).astype(v.array.dtype))
                    for v in leaves if v.array.dtype.kind == "i" and v.known
                    and old not in v.shape and (v.array == old).any()}
            changed = {n: {k: replaced(a, old, new) for k, a in n.attributes.items()}
                       for n in graph.nodes}
            yield {"values": values | told, "attributes": changed}
    for leaf in leaves:
        for axis, extent in enumerate(leaf.shape):
            for new in sorted({1, extent // 2, extent - 1} - {0}):
                if new < extent:
                    yield {"values": {leaf: leaf_of(leaf, np.take(leaf.array, range(new), axis))}}
        if 1 in leaf.shape:
            yield {"values": {leaf: leaf_of(leaf, leaf.array.reshape(
                [e for e in leaf.shape if e != 1]))}}


def plainer_leaves(graph):
    for leaf in graph.leaves():
        if not np.all(leaf.array == 0):
            yield {"values": {leaf: leaf_of(leaf, np.zeros_like(leaf.array))}}
        if leaf.kind != "input" and leaf.dtype in FLOATS:
            yield {"values": {leaf: leaf_of(leaf, kind="input")}}
        if leaf.kind == "constant":
            yield {"values": {leaf: leaf_of(leaf, kind="initializer")}}


STEPS = (isolated, fewer_outputs, fewer_nodes, plainer_nodes, smaller_extents, plainer_leaves)


def candidates(graph):
    """Graphs one step smaller, the smallest first."""
    found = []
    for steps in STEPS:
        try:
            for changes in steps(graph):
                try:
                    smaller = rebuilt(graph, **changes)
                except (Invalid, ValueError, IndexError, KeyError):
                    continue  # the changed parts do not fit together
                if smaller.nodes and smaller.outputs and smaller.size() < graph.size():
                    found.append(smaller)
        except Invalid:
            continue
    return sorted(found, key=lambda g: g.size())


def failure_of(case):
    return case.failure or next(iter(case.wrong.values()), None)


def shrink(judge, graph, wanted, share, say=lambda text: None):
    """The smallest graph found that fails as `wanted` (a signature) says, by the compiler
    that takes the number `share`."""
    for number in range(ROUNDS):
        found, chosen = candidates(graph), None
        for at in range(0, len(found), BATCH):
            part = {f"s{i}": g for i, g in enumerate(found[at:at + BATCH])}
            cases = judge.judge({name: prepare({0: g}, share) for name, g in part.items()})
            failing = [part[name] for name, case in cases.items()
                       if failure_of(case) and failure_of(case).signature() == wanted]
            if failing:
                chosen = min(failing, key=lambda g: g.size())
                break
        if chosen is None:
            return graph
        graph = chosen
        say(f"  round {number + 1}: {len(graph.nodes)} nodes, "
            f"{sum(v.array.size for v in graph.leaves())} numbers")
    return graph
