# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of the fuse dialect: leaves with data, nodes, outputs; as text, and rebuilt
with parts changed."""
import dataclasses
import math
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

from builder import DTYPES  # noqa: E402

FLOATS = ("f32", "f16", "bf16", "f64")
# The names of types in MLIR, where they are other than ours.
MLIR_TYPES = {"u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64", "bool": "i1"}
COMPUTE = {"f16": "f32", "bf16": "f32", "i8": "i32", "u8": "i32", "i16": "i32",
           "u16": "i32", "u32": "i64", "u64": "i64"}
MAX_CONSTANT = 64  # elements; more are a fuse.weight


class Invalid(Exception):
    """No operation has these operands and attributes."""


def element(dtype):
    return MLIR_TYPES.get(dtype, dtype)


def compute(dtype):
    """The type in which scalars of such elements reach regions."""
    return COMPUTE.get(dtype, dtype)


@dataclasses.dataclass(eq=False)
class Value:
    """A tensor. `exact`: all right programs compute the same bits. `bound`: no element
    is larger. `low`: no element is smaller; None if that is not known to be positive."""
    dtype: str
    shape: tuple
    exact: bool = True
    bound: float = 1.0
    low: float = None
    data: np.ndarray = None  # of a leaf
    kind: str = None         # of a leaf: argument, constant or weight

    @property
    def type(self):
        extents = "".join(f"{extent}x" for extent in self.shape)
        return f"tensor<{extents}{element(self.dtype)}>"

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def is_float(self):
        return self.dtype in FLOATS


@dataclasses.dataclass(eq=False)
class Node:
    op: "operations.Operation"
    operands: list
    attributes: dict  # those that begin with _ are not printed
    results: list


class Graph:
    def __init__(self):
        self.nodes, self.outputs = [], []

    def add(self, op, operands, attributes):
        """Appends a node, whose results' types follow. Raises Invalid."""
        types = op.infer([(v.dtype, v.shape) for v in operands], attributes)
        exact = all(v.exact for v in operands)
        if op.needs_exact and not exact:
            raise Invalid(f"{op.name} of what is not exact")
        results = [Value(dtype, tuple(shape), exact and op.is_exact(operands, dtype))
                   for dtype, shape in types]
        self.nodes.append(Node(op, list(operands), attributes, results))
        return results

    def leaves(self):
        """In the order of first use, arguments first."""
        found = {}
        for value in [v for node in self.nodes for v in node.operands] + self.outputs:
            if value.data is not None:
                found[value] = None
        return sorted(found, key=lambda v: v.kind != "argument")

    def arguments(self):
        return [v for v in self.leaves() if v.kind == "argument"]

    def prune(self):
        """Drops nodes that no output needs."""
        needed, kept = set(self.outputs), []
        for node in reversed(self.nodes):
            if needed.intersection(node.results):
                needed.update(node.operands)
                kept.append(node)
        self.nodes = kept[::-1]
        return self

    def rebuilt(self, outputs=None, values={}, leaves={}, attributes={}):
        """A copy in which `values` (value -> another, or a leaf in its stead), the
        shapes of `leaves`, and `attributes` (node -> dict) are others. Raises Invalid."""
        result, new = Graph(), {}

        def lookup(value):
            value = values.get(value, value)
            if value.data is not None and value not in new:
                new[value] = resized(value, leaves.get(value, value.shape))
            return new[value]

        for node in self.nodes:
            try:
                operands = [lookup(v) for v in node.operands]
            except KeyError:  # of a node that is left out
                continue
            changed = attributes.get(node, node.attributes)
            for position, axis in node.op.indices(changed):
                keep_in_range(operands, position, axis)
            new.update(zip(node.results, result.add(node.op, operands, changed)))
        try:
            result.outputs = [lookup(v) for v in outputs or self.outputs]
        except KeyError:
            raise Invalid("an output is gone") from None
        return result.prune()

    def size(self):
        """What the shrinker makes smaller."""
        elements = sum(v.size for node in self.nodes for v in node.results)
        return (len(self.nodes), len(self.outputs), len(self.leaves()), elements,
                sum(v.size for v in self.leaves()),
                sum(weight(a) for node in self.nodes for a in node.attributes.values()))


def join(graphs):
    """One graph of several, which share nothing."""
    result = Graph()
    for graph in graphs:
        result.nodes += graph.nodes
        result.outputs += graph.outputs
    return result


def weight(attribute):
    """How far an attribute is from the plainest."""
    if isinstance(attribute, (tuple, list)):
        return sum(weight(a) for a in attribute)
    return abs(attribute) if isinstance(attribute, (int, float)) else 0


def resized(leaf, shape):
    """A new leaf with the elements that a leaf of that shape has first."""
    data = np.resize(leaf.data, shape) if leaf.data.size else np.ones(shape, leaf.data.dtype)
    if len(shape) == leaf.data.ndim and all(a <= b for a, b in zip(shape, leaf.shape)):
        data = leaf.data[tuple(slice(0, extent) for extent in shape)]
    kind = leaf.kind
    if kind == "constant" and data.size > MAX_CONSTANT:
        kind = "weight"
    return dataclasses.replace(leaf, shape=tuple(shape), data=np.ascontiguousarray(data), kind=kind)


def keep_in_range(operands, position, axis):
    """Indices that are a leaf stay below the extent that they index."""
    indices, extent = operands[position], operands[0].shape[axis]
    if indices.data is not None and extent > 0:
        indices.data = (indices.data % extent).astype(indices.data.dtype)
    elif indices.data is not None and indices.size:
        raise Invalid("an index into nothing")


# Attributes that are more than numbers.
@dataclasses.dataclass(frozen=True)
class Enum:
    kind: str
    name: str

    def text(self, _):
        return f"#fuse<{self.kind} {self.name}>"


@dataclasses.dataclass(frozen=True)
class Fill:
    """A scalar in the element type of the first operand."""
    value: float

    def text(self, node):
        return scalar(self.value, node.operands[0].dtype)


@dataclasses.dataclass(frozen=True)
class Verbatim:
    body: str

    def text(self, _):
        return self.body


@dataclasses.dataclass(frozen=True)
class Segments:
    """How many operands belong to each name."""
    counts: tuple

    def text(self, _):
        return f"array<i32: {', '.join(map(str, self.counts))}>"


@dataclasses.dataclass(frozen=True)
class GatherMaps:
    """The maps of a gather whose index tensor stands for dimension `_axis`."""

    def text(self, node):
        operand, indices = (len(v.shape) for v in node.operands)
        axis, rank = node.attributes["_axis"], operand - 1 + indices
        dims = [f"d{i}" for i in range(rank)]
        of_operand = dims[:axis] + ["s0"] + dims[axis + indices:]
        head = f"({', '.join(dims)})"
        return (f"[affine_map<{head}[s0] -> ({', '.join(of_operand)})>, "
                f"affine_map<{head} -> ({', '.join(dims[axis:axis + indices])})>]")


def scalar(value, dtype):
    """A typed scalar attribute."""
    if dtype == "bool":
        return "true" if value else "false"
    if dtype in FLOATS:
        bits = {"f64": np.uint64, "f32": np.uint32}.get(dtype, np.uint16)
        raw = np.asarray(value).astype(DTYPES[dtype]).view(bits)
        return f"0x{int(raw):0{2 * raw.itemsize}X} : {dtype}"
    return f"{int(value)} : {element(dtype)}"


def attribute_text(value, node):
    if isinstance(value, bool):
        return None  # a unit attribute
    if isinstance(value, int):
        return f"{value} : i64"
    if isinstance(value, float):
        return f"{value:e} : f64"
    if isinstance(value, (tuple, list)):
        return f"array<i64{': ' if value else ''}{', '.join(map(str, value))}>"
    return value.text(node)


def node_text(node, names):
    fields = []
    for name, value in sorted(node.attributes.items()):
        if name[0] == "_" or value is False:
            continue
        text = attribute_text(value, node)
        fields.append(name if text is None else f"{name} = {text}")
    region = node.op.region(node, names) if node.op.region else ""
    properties = f" <{{{', '.join(fields)}}}>" if fields else ""
    # What only a region uses is no operand in the text.
    printed = node.operands[:node.attributes.get("_printed", len(node.operands))]
    results = names[node.results[0]]
    results += f":{len(node.results)}" if len(node.results) > 1 else ""
    return (f'  {results} = "fuse.{node.op.spelling}"({", ".join(names[v] for v in printed)})'
            f"{properties}{region} : ({', '.join(v.type for v in printed)}) -> "
            f"({', '.join(v.type for v in node.results)})")


def leaf_text(leaf, name, resources):
    if leaf.kind == "constant":
        # As bits: hexadecimal text is exact, and reads the same for all types.
        if not leaf.size:
            return f'  {name} = "fuse.constant"() <{{value = dense<> : {leaf.type}}}> : () -> {leaf.type}'
        if leaf.dtype == "bool":
            listing = str(leaf.data.tolist()).lower()
        else:
            listing = f'"0x{leaf.data.tobytes().hex().upper()}"'
        return (f'  {name} = "fuse.constant"() <{{value = dense<{listing}> : {leaf.type}}}>'
                f" : () -> {leaf.type}")
    symbol = f"w{len(resources)}"
    resources[symbol] = leaf
    return f'  {name} = "fuse.get_weight"() <{{weight = @{symbol}}}> : () -> {leaf.type}'


def named(ports, prefix):
    return ", ".join(f'{v.type} {{fuse.name = "{prefix}{i}"}}' for i, v in enumerate(ports))


def to_text(graph, noise=None):
    """The module. Where `noise` is a list, floats that reach an operation whose result
    may differ from one right program to the next are multiplied by arguments first,
    whose values are appended there: (dtype, shape)."""
    names, lines, resources = {}, [], {}
    arguments = graph.arguments()
    signature = [f"%x{i}: {v.type} {{fuse.name = \"x{i}\"}}" for i, v in enumerate(arguments)]
    for i, leaf in enumerate(arguments):
        names[leaf] = f"%x{i}"
    for i, leaf in enumerate(graph.leaves()[len(arguments):]):
        names[leaf] = f"%c{i}"
        lines.append(leaf_text(leaf, f"%c{i}", resources))
    for i, node in enumerate(graph.nodes):
        local = dict(names)
        for value in dict.fromkeys(node.operands) if noise is not None else ():
            if not value.is_float or all(v.exact for v in node.results):
                continue
            argument = f"%n{len(noise)}"
            signature.append(f'{argument}: {value.type} {{fuse.name = "n{len(noise)}"}}')
            local[value] = f"%v{i}_{len(noise)}"
            lines.append(f'  {local[value]} = "fuse.mul"({names[value]}, {argument}) : '
                         f"({value.type}, {value.type}) -> {value.type}")
            noise.append((value.dtype, value.shape))
        for r, value in enumerate(node.results):
            local[value] = names[value] = f"%v{i}" + (f"#{r}" if len(node.results) > 1 else "")
        local[node.results[0]] = f"%v{i}"
        lines.append(node_text(node, local))
    text = "".join(f"fuse.weight @{symbol} = dense_resource<{symbol}> : {leaf.type}\n"
                   for symbol, leaf in resources.items())
    text += f"func.func @main({', '.join(signature)}) -> ({named(graph.outputs, 'y')}) {{\n"
    text += "\n".join(lines)
    text += (f"\n  return {', '.join(names[v] for v in graph.outputs)} : "
             f"{', '.join(v.type for v in graph.outputs)}\n}}\n")
    if resources:
        blobs = ",\n".join(f'      {symbol}: "0x08000000{leaf.data.tobytes().hex().upper()}"'
                           for symbol, leaf in resources.items())
        text += f"{{-#\n  dialect_resources: {{\n    builtin: {{\n{blobs}\n    }}\n  }}\n#-}}\n"
    return text
