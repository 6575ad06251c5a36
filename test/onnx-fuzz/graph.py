# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX graphs whose every value is known: what ONNX Runtime computed, node by node."""
import dataclasses
import pathlib
import sys

import numpy as np
from onnx import AttributeProto, helper, numpy_helper

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

from builder import DTYPES, FLOATS, dtype_name, onnx_type  # noqa: E402, F401

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
# What fusec knows as codes, and integers narrower than a byte.
CODES = ("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f4E2M1FN", "f8E8M0FNU")
NARROW = ("i4", "u4", "i2", "u2")


def limits_of(dtype):
    """The least and greatest integer of a type."""
    bits = int(dtype[1:])
    return (0, 2**bits - 1) if dtype[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)


MICROSOFT = "com.microsoft"


def precision_of(number):
    """What models with this number are compiled with."""
    return ("auto", "strict", "auto")[number % 3]


class Invalid(Exception):
    """No such node, or no place for it."""


@dataclasses.dataclass(eq=False)
class Value:
    """A tensor, or a sequence of them (a list). `kind` is input, initializer, constant (the
    node), computed, or formal (of the graph of a region). `exact`: all right programs compute the same bits. `known`: it
    comes from constants and shapes alone. `open`: why programs may differ (reasons.py), and
    where: an array of bools, or None for everywhere."""
    array: np.ndarray
    kind: str = "computed"
    exact: bool = True
    known: bool = False
    open: tuple = None

    def __post_init__(self):
        if not isinstance(self.array, list):
            self.array = np.asarray(self.array)

    @property
    def is_tensor(self):
        return isinstance(self.array, np.ndarray)

    @property
    def dtype(self):
        return dtype_name(self.array if self.is_tensor else self.array[0])

    @property
    def shape(self):
        return self.array.shape

    @property
    def is_leaf(self):
        return self.kind not in ("computed", "formal")


@dataclasses.dataclass(eq=False)
class Node:
    """`parameters`: the indices of operands that say what to do (shapes, axes, scales), and
    are constants wherever fusec needs them."""
    op: str
    domain: str
    operands: list
    attributes: dict
    results: list
    parameters: frozenset = frozenset()

    def bodies(self):
        return [a for a in self.attributes.values() if isinstance(a, Body)]

    def reads(self):
        """The operands, and what the bodies take from around the node."""
        found = [v for v in self.operands if v is not None]
        for body in self.bodies():
            inside = set(body.formals)
            for node in body.nodes:
                found += [v for v in node.reads() if v not in inside]
                inside |= set(node.results)
            found += [v for v in body.outputs if v not in inside]
        return list(dict.fromkeys(found))


@dataclasses.dataclass(eq=False)
class Body:
    """The graph of a region."""
    formals: list
    nodes: list
    outputs: list


class Graph:
    def __init__(self, opset):
        self.opset, self.nodes, self.outputs = opset, [], []
        self.open_dims = False  # the model does not say how long its inputs are

    def leaves(self):
        return list(dict.fromkeys(v for node in self.nodes for v in node.reads() if v.is_leaf))

    def inputs(self):
        return [v for v in self.leaves() if v.kind == "input"]

    def pruned(self):
        """Drops what no output needs."""
        needed, kept = set(self.outputs), []
        for node in reversed(self.nodes):
            if needed & set(node.results):
                needed |= set(node.reads())
                kept.append(node)
        self.nodes = kept[::-1]
        return self

    def size(self):
        """What shrinking makes less: nodes, then elements and attributes."""
        inner = [n for node in self.nodes for body in node.bodies() for n in body.nodes]
        leaves = self.leaves()
        plain = sum(not np.asarray(v.array == 0).all() for v in leaves)
        return (len(self.nodes) + len(inner),
                sum(v.array.size for v in leaves) + sum(v.array.size for v in self.outputs),
                len(self.outputs), sum(len(v.shape) for v in leaves), len(leaves),
                sum(len(n.attributes) for n in self.nodes + inner),
                sum(v.kind != "input" for v in leaves), plain)


def tensor_of(array, name=""):
    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


class Writer:
    """Names the values of one or several graphs, and makes one ModelProto of them."""

    def __init__(self):
        self.names, self.nodes, self.inputs, self.initializers = {}, [], [], []

    def name(self, value):
        if value is None:
            return ""
        if value not in self.names:
            letter = {"input": "x", "formal": "f", "computed": "v"}.get(value.kind, "c")
            self.names[value] = f"{letter}{len(self.names)}"
            if value.kind == "input":
                self.inputs.append(value)
            elif value.kind == "initializer":
                self.initializers.append(value)
            elif value.kind == "constant":
                # First of all, as it may be read in a region.
                self.nodes.insert(0, helper.make_node("Constant", [], [self.names[value]],
                                                      value=tensor_of(value.array)))
        return self.names[value]

    def node(self, node, prefix=""):
        attributes = {k: self.body(a) if isinstance(a, Body) else a
                      for k, a in node.attributes.items()}
        made = helper.make_node(
            node.op, [self.name(v) for v in node.operands], [self.name(v) for v in node.results],
            f"{prefix}{node.op}_{len(self.names)}", domain=node.domain)
        for name, value in sorted(attributes.items()):
            kind = AttributeProto.INTS if isinstance(value, list) and not value else None
            made.attribute.append(helper.make_attribute(name, value, attr_type=kind))
        return made

    def body(self, body):
        formals = [self.info(v) for v in body.formals]
        nodes = [self.node(n) for n in body.nodes]
        # What is returned must be computed here.
        outputs = []
        for v in body.outputs:
            copy = Value(v.array)
            nodes.append(helper.make_node("Identity", [self.name(v)], [self.name(copy)]))
            outputs.append(self.info(copy))
        return helper.make_graph(nodes, "body", formals, outputs)

    def info(self, value, open_dims=False):
        if not value.is_tensor:
            return helper.make_tensor_sequence_value_info(self.name(value), onnx_type(value.dtype),
                                                          None)
        name = self.name(value)
        shape = [f"{name}_{i}" for i in range(len(value.shape))] if open_dims else value.shape
        return helper.make_tensor_value_info(name, onnx_type(value.dtype), shape)

    def add(self, graph, prefix=""):
        self.nodes += [self.node(node, prefix) for node in graph.nodes]

    def model(self, opset, outputs, title="fuzz", open_dims=False):
        """With `open_dims`, inputs have names as extents."""
        infos = [self.info(v) for v in outputs]  # may name inputs
        inputs = [self.info(v, open_dims) for v in self.inputs]
        if opset < 9:  # files of those days list initializers as inputs too
            inputs += [self.info(v) for v in self.initializers]
        proto = helper.make_graph(self.nodes, title, inputs, infos,
                                  [tensor_of(v.array, self.names[v]) for v in self.initializers])
        versions = [helper.make_opsetid("", opset)]
        for domain in sorted({n.domain for n in self.nodes} - {""}):
            versions.append(helper.make_opsetid(domain, version_of(domain, opset)))
        return helper.make_model(proto, opset_imports=versions, ir_version=ir_version(opset))


def version_of(domain, opset):
    """The version of an operator set that models of an opset import."""
    if not domain:
        return opset
    return 1 if opset < 11 or domain == MICROSOFT else 3 if opset % 2 else 5


def ir_version(opset):
    for first, version in ((25, 13), (24, 12), (23, 11), (21, 10), (19, 9), (15, 8), (9, 7)):
        if opset >= first:
            return version
    return 3


def to_model(graphs, title="fuzz"):
    """One model of one or several graphs of an opset: the model, and per graph the names of
    its inputs and outputs."""
    writer, names = Writer(), []
    for i, graph in enumerate(graphs):
        writer.add(graph, f"g{i}_" if len(graphs) > 1 else "")
    outputs = [v for graph in graphs for v in graph.outputs]
    model = writer.model(graphs[0].opset, outputs, title, graphs[0].open_dims)
    for graph in graphs:
        # How many rows it has only the data tell, or the model.
        counted = [v for node in graph.nodes if node.op == "NonMaxSuppression"
                   for v in node.results if v not in outputs]
        model.graph.value_info.extend(writer.info(v) for v in counted)
        names.append(([writer.names[v] for v in graph.inputs()],
                      [writer.names[v] for v in graph.outputs]))
    return model, names
