# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: a registry that micro.py, cnn.py and transformers.py fill."""
import dataclasses

import paths  # noqa: F401
from builder import Graph


@dataclasses.dataclass
class Workload:
    name: str
    kind: str       # "micro", "model", "int8", "int4" or "bf16"
    tolerance: str  # the class of compiler/io/Tolerances.def
    make: object    # (an empty Graph, the dimensions) -> the graph with its outputs
    dims: dict      # of a micro workload: what --perturb moves
    quick: bool
    # (the model in f32, its inputs) -> the model that is measured
    convert: object = None

    def build(self):
        return self.make(Graph(self.name), **self.dims)


WORKLOADS = {}
MOVED = "_moved"  # the end of the names of workloads with moved dimensions


def register(workload):
    assert workload.name not in WORKLOADS, workload.name
    WORKLOADS[workload.name] = workload


def micro(tolerance, **dims):
    """Marks a function from an empty Graph and dimensions to the graph."""
    def add(function):
        register(Workload(function.__name__, "micro", tolerance, function, dims, True))
        return function
    return add


def model(name, make, quick=False):
    register(Workload(name, "model", "network", make, {}, quick))


def quantised(name, workload, convert, kind="int8"):
    register(dataclasses.replace(workload, name=name, kind=kind, tolerance="quantised",
                                 quick=False, convert=convert))


def rounded(name, workload):
    """The model in f32, whose products may be of bf16 on both sides."""
    register(dataclasses.replace(workload, name=name, kind="bf16", tolerance="quantised",
                                 quick=False))


def load_all():
    """Imports the modules that register; returns the registry, in their order."""
    import micro, cnn, transformers, quantised  # noqa: E401,F401
    return WORKLOADS


def moved(dim, rng):
    """Another extent within 7% of `dim`, no multiple of 4; `dim` where there is none."""
    near = [n for n in range(-(-dim * 93 // 100), dim * 107 // 100 + 1) if n != dim and n % 4]
    return int(rng.choice(near)) if near else dim


def perturbed(workload, rng):
    """The workload with each dimension moved, as data in the wild has them."""
    dims = {key: moved(dim, rng) for key, dim in workload.dims.items()}
    return dataclasses.replace(workload, name=workload.name + MOVED, dims=dims)
