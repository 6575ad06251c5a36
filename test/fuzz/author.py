# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a graph operation by operation: what rows.py says things with."""
import math
import random

import numpy as np

from graph import DTYPES, FLOATS, MAX_CONSTANT, Graph, Invalid, Value
from operations import OPERATIONS

# Ones, primes, powers of two and their neighbours: tails of vectors and of tiles.
EXTENTS = [1, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 33]
MAX_BOUND = 200.0    # of the magnitude of floats
MAX_ELEMENTS = 4096  # of a tensor
MAX_WORK = 60000     # points that one operation computes


class Author:
    """The graph under construction, with a random generator of its own."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.graph, self.values = Graph(), []
        self.dtype = self.rng.choices(FLOATS, (12, 3, 2, 3))[0]
        self.extents = self.rng.sample(EXTENTS, 5)
        self.zeros = self.rng.random() < 0.06

    # Shapes.

    def extent(self, limit=None):
        if self.zeros and self.rng.random() < 0.2:
            return 0
        fitting = [e for e in self.extents if not limit or e <= limit]
        return self.rng.choice(fitting or [1])

    def shape(self, rank=None, low=0, high=4):
        rank = self.rng.choice(range(low, high + 1)) if rank is None else rank
        shape = [self.extent() for _ in range(rank)]
        while math.prod(shape) > MAX_ELEMENTS:
            i = shape.index(max(shape))
            shape[i] = max(1, shape[i] // 2)
        return tuple(shape)

    def chance(self, probability):
        return self.rng.random() < probability

    def subset(self, rank, at_least=1):
        """Increasing dimensions."""
        count = self.rng.randint(min(at_least, rank), rank)
        return tuple(sorted(self.rng.sample(range(rank), count)))

    # Operands.

    def leaf(self, dtype, shape, low=-1.0, high=1.0, kind=None):
        """An argument or a constant. Floats are multiples of 1/64, which every type holds:
        converted or quantised by a power of two, they stay what they are."""
        if dtype == "bool":
            data = self.numbers.random(shape) < 0.5
        elif dtype in FLOATS:
            data = np.round(np.asarray(self.numbers.uniform(low, high, shape)) * 64) / 64
            data = np.clip(data, math.ceil(low * 64) / 64, math.floor(high * 64) / 64)
        else:
            low, high = (int(low), int(high)) if high > 1 else (-9 if dtype[0] == "i" else 0, 9)
            data = self.numbers.integers(low, high, shape, endpoint=True)
        data = np.asarray(data).astype(DTYPES[dtype]).reshape(shape)
        kind = kind or self.rng.choice(["argument", "argument", "constant"])
        if kind == "constant" and data.size > MAX_CONSTANT:
            kind = "weight"
        bound = float(np.max(np.abs(data.astype(np.float64)), initial=0))
        value = Value(dtype, tuple(shape), True, bound, low if low > 0 else None, data, kind)
        self.values.append(value)
        return value

    def pick(self, dtypes=None, low=0, high=4, exact=False, where=lambda value: True):
        """A value of one of these types and of a rank between the two; new ones too."""
        dtypes = dtypes or (self.dtype,)
        found = [v for v in self.values
                 if v.dtype in dtypes and low <= len(v.shape) <= high and v.bound <= MAX_BOUND
                 and (v.exact or not exact) and where(v)]
        # Rather late values, so that graphs become deep.
        if found and not self.chance(0.15):
            return found[-1 - min(int(self.rng.expovariate(0.4)), len(found) - 1)]
        value = self.leaf(self.rng.choice(dtypes), self.shape(low=low, high=high), -2.0, 2.0)
        if not where(value):
            raise Invalid("nothing to pick")
        return value

    def like(self, dtype, shape, exact=False, low=-1.0, high=1.0):
        """An operand of this type: a value, one that is repeated to it, or a new one."""
        found = [v for v in self.values if v.dtype == dtype and v.bound <= MAX_BOUND
                 and (v.exact or not exact)]
        equal = [v for v in found if v.shape == shape]
        if equal and self.chance(0.6):
            return self.rng.choice(equal)
        if shape and self.chance(0.4):
            dims = self.subset(len(shape), 0)
            part = tuple(1 if self.chance(0.15) else shape[d] for d in dims)
            near = [v for v in found if v.shape == part]
            source = self.rng.choice(near) if near else self.leaf(dtype, part, low, high)
            return self.emit("broadcast", [source], source.bound, source.low, dims=dims, _shape=shape)
        return self.leaf(dtype, shape, low, high)

    def fresh(self, dtype, shape, low=-1.0, high=1.0):
        """A leaf, as parameters of layers are."""
        return self.leaf(dtype, tuple(shape), low, high)

    # Operations.

    def emit(self, name, operands, bound=None, least=None, **attributes):
        """Appends an operation; returns its result, or a list of several."""
        bound = max((v.bound for v in operands), default=0.0) if bound is None else bound
        results = self.graph.add(OPERATIONS[name], operands, attributes)
        for value in results:
            empty = any(v.size == 0 for v in operands) and value.size
            value.bound = math.inf if empty and value.is_float else float(bound)
            value.low = None if empty else least
            if value.is_float and value.bound > MAX_BOUND and not empty:
                raise Invalid(f"{name} grows")
            if value.size > MAX_ELEMENTS:
                raise Invalid(f"{name} is large")
        self.values += results
        return results[0] if len(results) == 1 else results

    def splat(self, value, like):
        """A number in every element."""
        data = np.full((), value).astype(DTYPES[like.dtype])
        leaf = Value(like.dtype, (), True, abs(float(value)), value if value > 0 else None, data, "constant")
        if not like.shape:
            return leaf
        return self.emit("broadcast", [leaf], leaf.bound, leaf.low, dims=(), _shape=like.shape)

    # Floats within the domain of an operation.

    def tame(self, value, bound):
        """Something like `value`, no larger than `bound`, which is below 1 or an integer."""
        if value.bound <= bound:
            return value
        value = self.emit(self.rng.choice(["tanh", "sin"]), [value], 1.0)
        return value if bound >= 1 else self.emit("mul", [value, self.splat(bound, value)], bound)

    def positive(self, value):
        """Something like `value`, at least 1/2."""
        if value.low and value.low >= 0.5:
            return value
        value = self.emit("abs", [value], value.bound)
        return self.emit("add", [value, self.splat(0.5, value)], value.bound + 0.5, 0.5)

    # Attempts.

    def attempt(self, row):
        """Whether the row found a place; else the graph is as it was."""
        nodes, values = len(self.graph.nodes), len(self.values)
        try:
            row(self)
            return True
        except Invalid:
            del self.graph.nodes[nodes:], self.values[values:]
            return False

    def finish(self):
        """Everything that nothing reads is an output, and here and there a value more."""
        read = {v for node in self.graph.nodes for v in node.operands}
        made = [v for node in self.graph.nodes for v in node.results]
        outputs = [v for v in made if v not in read]
        inner = [v for v in made if v in read]
        if inner and self.chance(0.3):
            outputs.append(self.rng.choice(inner))
        if self.chance(0.04):
            outputs.append(self.rng.choice(outputs))
        if self.chance(0.04) and self.graph.leaves():
            outputs.append(self.rng.choice(self.graph.leaves()))
        self.graph.outputs = outputs
        return self.graph.prune()
