# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's tests as they lie on disk: a folder for each, with model.onnx and
test_data_set_<k>/{input,output}_<i>.pb."""
import dataclasses
import json
import pathlib
import re

import ml_dtypes
import numpy as np
import onnx
from onnx import numpy_helper

# What model.json calls the types of outputs.
TYPE_NAMES = {np.dtype(t): name for t, name in [
    (np.float32, "f32"), (np.float16, "f16"), (ml_dtypes.bfloat16, "bf16"),
    (np.float64, "f64"), (np.int8, "i8"), (np.int16, "i16"), (np.int32, "i32"),
    (np.int64, "i64"), (np.uint8, "u8"), (np.uint16, "u16"), (np.uint32, "u32"),
    (np.uint64, "u64"), (np.bool_, "bool"), (ml_dtypes.float8_e4m3fn, "f8E4M3FN"),
    (ml_dtypes.float8_e4m3fnuz, "f8E4M3FNUZ"), (ml_dtypes.float8_e5m2, "f8E5M2"),
    (ml_dtypes.float8_e5m2fnuz, "f8E5M2FNUZ"), (ml_dtypes.float4_e2m1fn, "f4E2M1FN"),
    (ml_dtypes.float8_e8m0fnu, "f8E8M0FNU"), (ml_dtypes.float6_e2m3fn, "f6E2M3FN"),
    (ml_dtypes.float6_e3m2fn, "f6E3M2FN"), (ml_dtypes.uint4, "u4"), (ml_dtypes.int4, "i4"), (ml_dtypes.uint2, "u2"),
    (ml_dtypes.int2, "i2")]}


LIGHT = pathlib.Path(__file__).resolve().parent / "light"


def find_tests(data):
    """name -> model, sorted by name. Folders of tests stand in one per category."""
    paths = {path.parent.name: path for path in data.glob("*/*/model.onnx")}
    return {name: Model(path) for name, path in sorted(paths.items())}


def find_light():
    return {path.stem: LightModel(path) for path in sorted(LIGHT.glob("*.onnx"))}


@dataclasses.dataclass
class Emitted:
    """What model.json says of an input or output."""
    name: str
    dtype: str
    shape: tuple


class Model:
    """A test's model, as far as the runner has to know it."""

    light = False

    def __init__(self, path):
        self.path = path
        proto = onnx.load(self.path, load_external_data=False)
        initializers = {tensor.name for tensor in proto.graph.initializer}
        self.outputs = [value.name for value in proto.graph.output]
        # Old files list initializers as inputs; the data has no files for them.
        self.inputs = [value for value in proto.graph.input
                       if value.name not in initializers]
        self.types = {value.name: value.type.tensor_type.elem_type
                      for value in [*proto.graph.input, *proto.graph.output]}
        self.ops = sorted({node.op_type for node in proto.graph.node})
        self.sets = sorted(path.parent.glob("test_data_set_*"))

    def tensor_file(self, data_set, kind, name):
        names = self.outputs if kind == "output" else [v.name for v in self.inputs]
        return data_set / f"{kind}_{names.index(name)}.pb"

    def tensor(self, data_set, kind, name):
        proto = onnx.TensorProto()
        proto.ParseFromString(self.tensor_file(data_set, kind, name).read_bytes())
        array = numpy_helper.to_array(proto)
        # What ONNX 1.12 wrote as bfloat16 carries the type of its bits.
        if self.types[name] == onnx.TensorProto.BFLOAT16 and array.dtype == np.uint16:
            array = array.view(ml_dtypes.bfloat16)
        return array

    def shape_options(self, data_set):
        """--shape for each input whose extents the model leaves open."""
        options = []
        for value in self.inputs:
            dims = value.type.tensor_type.shape.dim
            if value.type.HasField("tensor_type") and any(not d.dim_value for d in dims):
                shape = self.tensor(data_set, "input", value.name).shape
                options += ["--shape", f"{value.name}={'x'.join(map(str, shape))}"]
        return options


class LightModel(Model):
    """A network whose input is computed (light/README.md). Takes long."""
    light = True

    def __init__(self, path):
        super().__init__(path)
        self.sets = [pathlib.Path("light")]

    def tensor_file(self, data_set, kind, name):
        return self.path.with_name(f"{self.path.stem}_output_{self.outputs.index(name)}.pb")

    def tensor(self, data_set, kind, name):
        if kind == "output":
            return super().tensor(data_set, kind, name)
        value = next(value for value in self.inputs if value.name == name)
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        count = int(np.prod(shape))
        return (np.arange(count).reshape(shape) / count).astype(np.float32)


def to_bytes(array):
    """The elements as fusec takes them: ml_dtypes leaves the upper bits of a byte with 4 or
    2 bits open."""
    kind = TYPE_NAMES.get(array.dtype)
    return (array.astype(np.int8) if kind in ("i4", "i2") else array).tobytes()


def read_emitted(folder, kind):
    """The inputs or outputs of an emitted model."""
    tensors = json.loads((folder / "model.json").read_text())[kind]
    return [Emitted(t["name"], t["dtype"], tuple(t["dims"])) for t in tensors]


def op_of(name, model, tests):
    """The row of the table for a test: its one operator; for an `_expanded` test that of
    the test whose function it spells out; else the kind of model."""
    base = re.sub(r"_expanded(_ver\d+)?$", "", name)
    if base != name and base in tests:
        return op_of(base, tests[base], tests)
    if len(model.ops) == 1:
        return model.ops[0]
    return f"({model.path.parent.name if model.light else model.path.parents[1].name})"
