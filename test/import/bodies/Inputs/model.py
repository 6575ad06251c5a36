# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of one node of an operator whose body is text."""
import numpy as np
from onnx import TensorProto, helper, save_model

CODES = {"f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE, "f16": TensorProto.FLOAT16,
         "i32": TensorProto.INT32, "i64": TensorProto.INT64, "u8": TensorProto.UINT8,
         "u64": TensorProto.UINT64, "i8": TensorProto.INT8, "bool": TensorProto.BOOL}
NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32,
         "i64": np.int64, "u8": np.uint8, "u64": np.uint64, "i8": np.int8, "bool": np.bool_}


def name_of(dtype):
    return next(name for name, known in NUMPY.items() if np.dtype(known) == dtype)


def write(path, op, inputs, outputs, attributes=None):
    """Inputs and outputs are ("f32", [2, 3]); outputs may be a number of them."""
    domain, _, kind = op.rpartition(".")
    if isinstance(outputs, int):
        outputs = [("f32", None)] * outputs
    ins = [f"x{i}" for i in range(len(inputs))]
    outs = [f"y{i}" for i in range(len(outputs))]
    node = helper.make_node(kind, ins, outs, domain=domain, name="n", **(attributes or {}))
    infos = [[helper.make_tensor_value_info(name, CODES[kind], shape)
              for name, (kind, shape) in zip(names, types)]
             for names, types in ((ins, inputs), (outs, outputs))]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(domain, 1)]
    model = helper.make_model(helper.make_graph([node], "g", *infos), opset_imports=opsets)
    model.ir_version = 9
    save_model(model, path)
    return ins, outs
