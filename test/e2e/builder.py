# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds small ONNX models with seeded weights and inputs."""
import dataclasses
import zlib

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

# Short names, as fusec prints them, to numpy's types.
DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "f64": np.float64, "i64": np.int64, "i32": np.int32, "i8": np.int8,
          "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "u32": np.uint32,
          "u64": np.uint64, "bool": np.bool_, "c64": np.complex64,
          "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
          "f8E5M2": ml_dtypes.float8_e5m2, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
          "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
          "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
          "u4": ml_dtypes.uint4, "i4": ml_dtypes.int4,
          "u2": ml_dtypes.uint2, "i2": ml_dtypes.int2}
DTYPES_BY_CODE = {helper.np_dtype_to_tensor_dtype(np.dtype(t)): t for t in DTYPES.values()}
FLOATS = ("f32", "f16", "bf16", "f64")


def dtype_name(array):
    """The short name of an array's type."""
    return next(name for name, dtype in DTYPES.items() if array.dtype == dtype)


def onnx_type(name):
    return helper.np_dtype_to_tensor_dtype(np.dtype(DTYPES[name]))


class Graph:
    """One model under construction. Values are referred to by name."""

    def __init__(self, name):
        self.name = name
        # zlib.crc32 is stable across runs, hash() is not.
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.nodes, self.initializers, self.functions = [], [], []
        self.inputs, self.outputs = {}, {}
        self.opset, self.counter = 17, 0
        self.versions = {}  # of the operator sets of other domains, where not 1

    def random(self, shape, dtype="f32", low=None, high=None):
        """Uniform floats in [-1, 1), integers in [-10, 10) or [0, 10), or bools."""
        if dtype == "bool":
            return self.rng.random(shape) < 0.5
        if dtype in FLOATS:
            low, high = -1 if low is None else low, 1 if high is None else high
            return np.asarray(self.rng.uniform(low, high, shape)).astype(DTYPES[dtype])
        low = (0 if dtype[0] == "u" else -10) if low is None else low
        return np.asarray(self.rng.integers(low, 10 if high is None else high, shape)
                          ).astype(DTYPES[dtype])

    def input(self, name, shape=None, dtype="f32", low=None, high=None, value=None):
        """A graph input with the value that the test feeds."""
        self.inputs[name] = self.random(shape, dtype, low, high) if value is None \
            else np.asarray(value)
        return name

    def weight(self, value, dtype=None, name=None, scale=1.0):
        """An initializer: an array or list, or a tuple, which is a shape to fill."""
        if isinstance(value, tuple):
            value = self.random(value, dtype or "f32") * np.float32(scale)
        array = np.asarray(value)
        if dtype or array.dtype == np.float64:
            array = array.astype(DTYPES[dtype])
        self.counter += 1
        name = name or f"w{self.counter}"
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def const(self, *values):
        """An i64 vector initializer: shapes, axes, pads."""
        return self.weight(np.array(values, np.int64))

    def scalar(self, value, dtype="f32"):
        return self.weight(np.array(value), dtype)

    def op(self, kind, *inputs, outputs=1, name=None, domain="", **attributes):
        """A node; returns its output's name, or a list of them."""
        self.counter += 1
        name = name or f"{kind.lower()}_{self.counter}"
        names = [name] if outputs == 1 else [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, [i or "" for i in inputs], names,
                                           name=name, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def output(self, *names, dtype=None):
        for name in names:
            self.outputs[name] = dtype
        return self

    def build(self, output_shapes=None):
        """The model. Without output_shapes only the outputs' types are declared."""
        graph = helper.make_graph(
            self.nodes, self.name,
            [helper.make_tensor_value_info(n, onnx_type(dtype_name(a)), a.shape)
             for n, a in self.inputs.items()], [], self.initializers)
        domains = {node.domain for node in self.nodes} - {""}
        opsets = [helper.make_opsetid("", self.opset)] + [
            helper.make_opsetid(domain, self.versions.get(domain, 1)) for domain in sorted(domains)]
        model = helper.make_model(graph, opset_imports=opsets, functions=self.functions,
                                  ir_version=8 if self.opset <= 19 else 10 if self.opset < 23 else 11)
        inferred = {}
        if not all(self.outputs.values()):
            inferred = {v.name: v.type.tensor_type.elem_type for v in
                        onnx.shape_inference.infer_shapes(model).graph.value_info}
        for name, dtype in self.outputs.items():
            kind = onnx_type(dtype) if dtype else inferred[name]
            shape = output_shapes[name] if output_shapes else None
            graph_output = helper.make_tensor_value_info(name, kind, shape)
            model.graph.output.append(graph_output)
        return model


# As Case.reference: ONNX Runtime on the same graph with f16 and bf16 made f32.
widened = "widened"


@dataclasses.dataclass
class Case:
    """A model with its inputs, and the class of the table that it is held to."""
    graph: Graph
    tolerance: str
    # What to expect where ONNX Runtime lacks a kernel or is not exact enough: a
    # function from the inputs to a list of outputs, or `widened`.
    reference: object = None
    # A model that must be refused: the exit code, and texts in the message.
    refusal: tuple = None
    # Further options of `fusec compile`, and those that are for CPUs alone.
    options: tuple = ()
    cpu_options: tuple = ()
    # How often each session runs it; all runs must give the same bits.
    runs: int = 10
    # Whether any number of threads does, too. What is not runs once.
    reproducible: bool = True

    @property
    def name(self):
        return self.graph.name


GENERATORS = []


def cases(function):
    """Marks a function that yields Case objects."""
    GENERATORS.append(function)
    return function


def all_cases():
    found = [case for generator in GENERATORS for case in generator()]
    names = [case.name for case in found]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"two cases have the same name: {twice}"
    return found
