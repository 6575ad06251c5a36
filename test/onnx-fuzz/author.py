# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the rows of the table are written with: picks types, numbers, shapes and values,
and appends nodes that ONNX Runtime takes."""
import collections
import functools
import re
import types

import numpy as np
import onnx
from onnxruntime.capi import onnxruntime_pybind11_state

import not_drawn
import reasons
import rounding
import shapes
from evaluate import Evaluation, Reference, Refused
from graph import (DTYPES, FLOATS, INTEGERS, MICROSOFT, NARROW, Body, Graph, Invalid, Node,
                   Value, limits_of, version_of)

OPSETS = range(7, 27)  # to the newest one that this ONNX Runtime takes
EXTENTS = [0, 1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 31, 33, 64, 67]
EXTENT_WEIGHTS = [1, 8, 12, 12, 6, 8, 6, 4, 3, 3, 3, 3, 2, 2, 1, 1]
RANK_WEIGHTS = [3, 6, 8, 8, 8, 4, 2, 2]
MOST = 1500  # elements of a leaf
REFUSED = collections.Counter()  # (operator, what ONNX Runtime says) -> nodes not drawn

TYPE_NAMES = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16",
              "float8e4m3fn": "f8E4M3FN", "float8e4m3fnuz": "f8E4M3FNUZ",
              "float8e5m2": "f8E5M2", "float8e5m2fnuz": "f8E5M2FNUZ", "float4e2m1": "f4E2M1FN",
              "float8e8m0": "f8E8M0FNU", "bool": "bool"}
TYPE_NAMES |= {f"{s}int{n}": f"{s or 'i'}{n}" for s in ("", "u") for n in (2, 4, 8, 16, 32, 64)}


class OwnSchema:
    """ONNX Runtime's schema of an operator of its own, in the words of onnx."""

    def __init__(self, schema):
        self.since_version, self.deprecated = schema.since_version, schema.deprecated
        self.attributes, self.type_constraints = schema.attributes, schema.type_constraints
        self.inputs = [types.SimpleNamespace(name=i.name, type_str=i.typeStr)
                       for i in schema.inputs]


@functools.cache
def own_schemas():
    return {schema.name: OwnSchema(schema)
            for schema in onnxruntime_pybind11_state.get_all_operator_schema()
            if schema.domain == MICROSOFT}


@functools.cache
def schema_of(op, domain, opset):
    if domain == MICROSOFT:
        return own_schemas()[op]
    try:
        schema = onnx.defs.get_schema(op, version_of(domain, opset), domain)
    except onnx.defs.SchemaError:
        raise Invalid(f"no {op} in opset {opset}") from None
    if schema.deprecated:
        raise Invalid(f"{op} is no more in opset {opset}")
    return schema


@functools.cache
def kernels():
    """(domain, operator) -> versions and types of ONNX Runtime's kernels."""
    found = {}
    for kernel in onnxruntime_pybind11_state.get_all_opkernel_def():
        if kernel.provider == "CPUExecutionProvider":
            found.setdefault((kernel.domain, kernel.op_name), []).append(
                (kernel.version_range, kernel.type_constraints))
    return found


def serves(versions, since):
    """Whether a kernel of these versions takes a schema: one without an end only its own."""
    first, last = versions
    return first == since or first < since <= last and last != 2**31 - 1


@functools.cache
def opsets_of(domain, op):
    """Those of our opsets that have the operator, with a kernel in ONNX Runtime if it has
    any."""
    versions = [versions for versions, _ in kernels().get((domain, op), ())]
    found = []
    for opset in OPSETS:
        try:
            since = schema_of(op, domain, opset).since_version
        except Invalid:
            continue
        if not versions or any(serves(v, since) for v in versions):
            found.append(opset)
    return found


def has_kernel(op, domain, opset, variable, name):
    """Whether one takes the type; true where there are none, of functions of others."""
    since = schema_of(op, domain, opset).since_version
    fitting = [taken[variable] for versions, taken in kernels().get((domain, op), ())
               if serves(versions, since) and variable in taken]
    return not fitting or any(name in taken for taken in fitting)


@functools.cache
def types_of(op, domain, opset, formal):
    """The short names of the types that an input (by index) or type variable may have, in
    ONNX and in ONNX Runtime."""
    schema = schema_of(op, domain, opset)
    text = formal
    if isinstance(formal, int):
        text = schema.inputs[min(formal, len(schema.inputs) - 1)].type_str
    allowed = [text]
    for constraint in schema.type_constraints:
        if constraint.type_param_str == text:
            allowed = constraint.allowed_type_strs
    allowed = [name for name in allowed if has_kernel(op, domain, opset, text, name)]
    names = [re.fullmatch(r"tensor\((\w+)\)", name) for name in allowed]
    return tuple(TYPE_NAMES[m.group(1)] for m in names if m and m.group(1) in TYPE_NAMES)


@functools.cache
def kinds_of_types(names):
    """The types with weights: usual ones often, each class now and then."""
    weights = []
    for name in names:
        weights.append({"f32": 12, "f16": 3, "f64": 3, "i64": 3, "i32": 3, "bool": 2, "i8": 2,
                        "u8": 2}.get(name, 1 if name in INTEGERS else 0.4))
    return weights


class Author:
    def __init__(self, seed, opset):
        self.rng = np.random.default_rng([seed, 17])
        self.graph = Graph(opset)
        self.nodes = self.graph.nodes  # where emit appends: a body's list inside of one
        self.values = []               # what may be picked
        self.opset = opset
        self.is_strict = False         # compiled with --precision=strict

    # Numbers.

    def chance(self, p):
        return self.rng.random() < p

    def choice(self, items, weights=None):
        items = list(items)
        if not items:
            raise Invalid("nothing to choose from")
        if weights is not None:
            weights = np.asarray(weights, float) / sum(weights)
        return items[self.rng.choice(len(items), p=weights)]

    def integer(self, low, high):
        """From low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def real(self, *usual):
        """An attribute's value; of float32, as files have it."""
        return float(np.float32(self.choice([*usual, self.rng.uniform(-2, 2)])))

    def numbers(self, dtype, shape, low=None, high=None):
        """Numbers of several kinds: few bits, many bits, far apart, special."""
        rng, bounded = self.rng, low is not None or high is not None
        if dtype == "bool":
            return np.asarray(rng.random(shape) < rng.choice([0.2, 0.5, 0.9]))
        if dtype in INTEGERS or dtype in NARROW:
            info = limits_of(dtype)
            spread = (max(info[0], -9), min(info[1], 9))
            if not bounded and self.chance(0.15):
                spread = info
            low, high = (spread[0] if low is None else low), (spread[1] if high is None else high)
            data = np.asarray(rng.integers(max(low, info[0]), min(high, info[1]), shape,
                                           dtype=np.uint64 if info[1] > 2**63 else np.int64,
                                           endpoint=True))
            return data.astype(DTYPES[dtype])
        if bounded:
            low, high = -2.0 if low is None else low, low + 4 if high is None else high
        kind = rng.choice(4, p=[0.35, 0.45, 0.0, 0.2] if bounded else [0.3, 0.45, 0.1, 0.15])
        low, high = (-3.0, 3.0) if not bounded else (low, high)
        data = np.asarray(rng.uniform(low, high, shape))
        if kind == 0:
            data = np.clip(np.round(data * 8) / 8, low, high)
        elif kind == 2:
            data = data * 10.0 ** rng.integers(-6, 5, shape)
        elif kind == 3 and not bounded and data.size:
            special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.5, 1e-30, 30000.0]
            where = rng.random(shape) < 0.2
            data = np.where(where, rng.choice(special, shape), np.round(data * 4) / 4)
        with np.errstate(all="ignore"):
            return np.asarray(data).astype(DTYPES[dtype])

    # Shapes and types.

    def extent(self, most=67, least=0):
        extents = [(e, w) for e, w in zip(EXTENTS, EXTENT_WEIGHTS) if least <= e <= most]
        return self.choice([e for e, _ in extents], [w for _, w in extents])

    def shape(self, rank=None, least=0, most=67, elements=MOST):
        if rank is None:
            rank = self.choice(range(8), RANK_WEIGHTS)
        extents = [self.extent(most, least) for _ in range(rank)]
        while np.prod(extents, dtype=np.int64) > elements:
            at = int(np.argmax(extents))
            extents[at] = self.choice([max(1, least), 2, 3, extents[at] // 2])
        return tuple(extents)

    def dtype(self, op, formal=0, domain="", among=None):
        names = types_of(op, domain, self.opset, formal)
        if among:
            names = tuple(n for n in names if n in among)
        return self.choice(names, kinds_of_types(names))

    def axis(self, rank, negative=True):
        """An axis, counted from either end."""
        if not rank:
            raise Invalid("no axis")
        return self.integer(-rank if negative else 0, rank - 1)

    def axes(self, rank, least=1):
        """Some different axes, a few of them counted from the end."""
        count = self.integer(min(least, rank), rank)
        chosen = [int(a) for a in self.rng.permutation(rank)[:count]]
        if self.opset >= 11:
            chosen = [a - rank if self.chance(0.3) else a for a in chosen]
        return chosen

    def split_shape(self, shape):
        """Another shape of as many elements."""
        left, found = [], []
        for extent in shape:
            for prime in (2, 3, 5, 7, 11, 13, 31, 67):
                while extent > 1 and extent % prime == 0:
                    left.append(prime)
                    extent //= prime
            if extent != 1:
                left.append(extent)
        for factor in self.rng.permutation(left) if left else []:
            if found and self.chance(0.5):
                found[self.integer(0, len(found) - 1)] *= int(factor)
            else:
                found.append(int(factor))
        while len(found) < 7 and self.chance(0.3):
            found.insert(self.integer(0, len(found)), 1)
        return found

    # Values.

    def leaf(self, array, kind=None):
        if kind is None:
            kind = self.choice(["input", "initializer", "constant"], [6, 2, 1])
        value = Value(array, kind, known=kind != "input")
        self.values.append(value)
        return value

    def tensor(self, dtype, shape=None, low=None, high=None, rank=None, exact=False, least=0,
               known=False, fresh=0.3, most=67):
        """A value: one that is there, or a new leaf. `shape`, `rank` (a number or a choice)
        and `exact` are demands; `known` asks for a constant."""
        ranks = [rank] if isinstance(rank, int) else rank
        if not self.chance(fresh):
            found = [v for v in self.values
                     if v.is_tensor and v.array.dtype == DTYPES[dtype]
                     and (shape is None or v.shape == tuple(shape))
                     and (ranks is None or len(v.shape) in ranks) and (v.exact or not exact)
                     and (v.known or not known) and v.array.size <= 20 * MOST
                     and all(least <= e <= most for e in v.shape)
                     and (v.open is None or self.chance(0.05)) and within(v.array, low, high)]
            if found:  # what was computed last, rather
                return self.choice(found, [3 ** min(i, 6) for i in range(len(found))])
        if shape is None:
            shape = self.shape(None if ranks is None else self.choice(ranks), least, most)
        kind = self.choice(["initializer", "constant"]) if known else None
        return self.leaf(self.numbers(dtype, shape, low, high), kind)

    def broadcastable(self, shape):
        """A shape that repeats to `shape`."""
        drop = self.integer(0, len(shape)) if self.chance(0.4) else 0
        return tuple(1 if self.chance(0.3) else e for e in shape[drop:])

    def partners(self, dtype, count, low=None, high=None, **demands):
        """`count` values whose shapes broadcast together; what is asked of each alike."""
        first = self.tensor(dtype, low=low, high=high, **demands)
        found = [first]
        for _ in range(count - 1):
            found.append(self.tensor(dtype, self.broadcastable(first.shape), low, high, fresh=0.6,
                                     **{k: v for k, v in demands.items() if k == "exact"}))
        self.rng.shuffle(found)
        return found

    def parameter(self, value):
        """A constant operand, in one of the ways in which files have them."""
        array = np.asarray(value)
        if shapes.can_compute(array) and self.chance(0.3):
            found = shapes.compute(self, array)
            if found:
                return found
        if self.opset >= 12 and array.dtype == np.int64 and array.ndim == 1 and array.size and \
                self.chance(0.1):
            return self.emit("Constant", value_ints=array.tolist())
        return self.leaf(array, self.choice(["initializer", "constant"]))

    # Nodes.

    def since(self, op, domain=""):
        return schema_of(op, domain, self.opset).since_version

    def emit(self, op, *operands, domain="", results=None, **named):
        """Appends a node; returns its results (one value, or a list where `results`, a
        number or a list of bools, asks for more). What is named is an attribute or an
        operand, as the schema of the graph's opset has it; what this does not know is left
        out, as is None."""
        schema = schema_of(op, domain, self.opset)
        operands, attributes, parameters = list(operands), {}, set()
        for name, value in named.items():
            if value is None:
                continue
            if name in schema.attributes:
                attributes[name] = value.tolist() if isinstance(value, np.ndarray) else value
                continue
            at = next((i for i, formal in enumerate(schema.inputs) if formal.name == name), None)
            if at is None:
                continue
            if not isinstance(value, Value):
                value = self.parameter(value)
                parameters.add(at)
            operands += [None] * (at + 1 - len(operands))
            operands[at] = value
        wanted = [True] * results if isinstance(results, int) else results or [True]
        node = Node(op, domain, operands, attributes,
                    [Value(np.zeros(0)) if w else None for w in wanted], frozenset(parameters))
        compute(node, self.opset)
        self.nodes.append(node)
        found = [v for v in node.results if v is not None]
        self.values += [v for v in found if v.is_tensor]
        return node.results if isinstance(results, (int, list)) else found[0]

    def body(self, formals, write):
        """A region's graph: `write` gets the formals and returns what the graph returns."""
        outside, values = self.nodes, self.values
        formals = [Value(np.asarray(a), "formal") for a in formals]
        for formal in formals:
            formal.exact = formal.dtype not in FLOATS
        self.nodes, self.values = [], values + formals
        try:
            outputs = write(*formals)
            return Body(formals, self.nodes, outputs)
        finally:
            self.nodes, self.values = outside, values

    def finish(self):
        """The graph with its outputs: what nothing reads, and some of what something does."""
        read = {v for node in self.graph.nodes for v in node.reads()}
        results = [v for node in self.graph.nodes for v in node.results
                   if v is not None and v.is_tensor]
        self.graph.outputs = [v for v in results if v not in read or self.chance(0.15)]
        return self.graph.pruned()


def within(array, low, high):
    if low is None and high is None:
        return True
    with np.errstate(invalid="ignore"):
        wide = array.astype(np.float64)
        return bool(np.all(wide >= (-np.inf if low is None else low)) and
                    np.all(wide <= (np.inf if high is None else high)))


def compute(node, opset):
    """Sets what the results of a node are, by ONNX Runtime and the table of reasons."""
    reads = node.reads()
    if rounding.jumps(node) and not all(v.exact for v in reads):
        raise Invalid(f"{node.op} jumps")
    not_drawn.check(node)
    bitwise = rounding.is_bitwise(node)
    try:
        node.evaluation = (Reference if bitwise else Evaluation)(node, opset)
        arrays = node.evaluation.run()
    except Refused as error:
        REFUSED[node.op, re.sub(r"\d+|'[^']*'|/\S+", "", str(error))[:120]] += 1
        raise
    known = all(v.known for v in reads)
    exact = all(v.exact for v in reads)
    for result, array in zip(node.results, arrays):
        if result is not None:
            result.array = array
            result.known = known or node.op in ("Shape", "Size")
            result.exact = result.dtype not in FLOATS or bitwise or exact and (
                node.op in rounding.MOVES or rounding.fits(node, array))
            if result.is_tensor and array.size > 50 * MOST:
                raise Invalid("too large")
    reasons.mark(node)
