# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model as a module of PyTorch, as a person would have written it there: with the
operators of the workloads, each by the function that PyTorch has for it."""
import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch.nn import functional


def pairs(attributes, name, default):
    """Pads are given for both ends; only the same at both have a workload."""
    values = attributes.get(name, default)
    if name == "pads":
        assert values[:2] == values[2:], values
    return values[:2]


def conv(a, x, weight, bias=None):
    return functional.conv2d(x, weight, bias, pairs(a, "strides", [1, 1]),
                             pairs(a, "pads", [0] * 4), pairs(a, "dilations", [1, 1]),
                             a.get("group", 1))


def reshape(a, x, shape):
    extents = [x.shape[i] if n == 0 else n for i, n in enumerate(shape)]
    return x.reshape(extents)


def gather(a, x, indices):
    axis = a.get("axis", 0)
    if isinstance(indices, int):
        return x.select(axis, indices)
    return x[(slice(None),) * axis + (indices,)]


def slices(a, x, begins, ends, axes, steps=None):
    index = [slice(None)] * x.ndim
    steps = steps or [1] * len(axes)
    for begin, end, axis, step in zip(begins, ends, axes, steps):
        index[axis] = slice(begin, end if end < x.shape[axis] else None, step)
    return x[tuple(index)]


def unsqueeze(a, x, axes):
    for axis in sorted(axes):
        x = x.unsqueeze(axis)
    return x


def mean(a, x):
    return x.mean(a["axes"], keepdim=bool(a.get("keepdims", 1)))


def layer_norm(a, x, scale, bias):
    return functional.layer_norm(x, scale.shape, scale, bias)


FUNCTIONS = {
    "Conv": conv, "Reshape": reshape, "Gather": gather, "Slice": slices,
    "Unsqueeze": unsqueeze, "ReduceMean": mean, "LayerNormalization": layer_norm,
    "Add": lambda a, x, y: x + y, "Sub": lambda a, x, y: x - y, "Mul": lambda a, x, y: x * y,
    "Div": lambda a, x, y: x / y, "Pow": lambda a, x, y: torch.pow(x, y),
    "MatMul": lambda a, x, y: x @ y, "Gemm": lambda a, x, w, b: torch.addmm(b, x, w),
    "Relu": lambda a, x: functional.relu(x), "Sigmoid": lambda a, x: torch.sigmoid(x),
    "Erf": lambda a, x: torch.erf(x), "Tanh": lambda a, x: torch.tanh(x),
    "Abs": lambda a, x: torch.abs(x), "Neg": lambda a, x: -x, "Sqrt": lambda a, x: torch.sqrt(x),
    "Reciprocal": lambda a, x: 1 / x, "HardSwish": lambda a, x: functional.hardswish(x),
    "HardSigmoid": lambda a, x: torch.clamp(x * a.get("alpha", 0.2) + 0.5, 0, 1),
    "Clip": lambda a, x, low, high: torch.clamp(x, low, high),
    "Cast": lambda a, x: x.to(torch.from_numpy(
        np.empty(0, helper.tensor_dtype_to_np_dtype(a["to"]))).dtype),
    "Where": lambda a, c, x, y: torch.where(c, x, y),
    "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)),
    "Transpose": lambda a, x: x.permute(a.get("perm", list(range(x.ndim))[::-1])),
    "Concat": lambda a, *parts: torch.cat(parts, a["axis"]),
    "Split": lambda a, x: torch.chunk(x, a["outputs"], a.get("axis", 0)),
    "Expand": lambda a, x, shape: x.expand(shape),
    "Flatten": lambda a, x: torch.flatten(x, a.get("axis", 1)),
    "ReduceSum": lambda a, x, axes: x.sum(axes, keepdim=bool(a.get("keepdims", 1))),
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "BatchNormalization": lambda a, x, scale, bias, mean, variance: functional.batch_norm(
        x, mean, variance, scale, bias),
    "MaxPool": lambda a, x: functional.max_pool2d(x, a["kernel_shape"], a["strides"],
                                                  pairs(a, "pads", [0] * 4)),
    "AveragePool": lambda a, x: functional.avg_pool2d(x, a["kernel_shape"], a["strides"]),
    "ConvTranspose": lambda a, x, weight, bias: functional.conv_transpose2d(
        x, weight, bias, a["strides"])}


class Module(torch.nn.Module):
    """Weights are buffers. Scalars are Python's, and so are integers, for shapes must be
    known when traced, but where they are many that Gather takes."""

    def __init__(self, path):
        super().__init__()
        graph = onnx.load(path).graph
        self.constants, self.steps = {}, []
        indices = {node.input[1] for node in graph.node if node.op_type == "Gather"}
        for tensor in graph.initializer:
            array = numpy_helper.to_array(tensor)
            if array.ndim == 0 or (array.dtype == np.int64 and tensor.name not in indices):
                self.constants[tensor.name] = array.tolist()
            else:
                self.register_buffer(f"weight_{tensor.name}", torch.from_numpy(array.copy()))
        for node in graph.node:
            if node.op_type not in FUNCTIONS:
                raise NotImplementedError(f"{node.op_type} has no line in torch_model.py")
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            attributes["outputs"] = len(node.output)
            self.steps.append((FUNCTIONS[node.op_type], attributes, list(node.input),
                               list(node.output)))
        self.inputs = [value.name for value in graph.input]
        self.outputs = [value.name for value in graph.output]

    def forward(self, *inputs):
        values = dict(zip(self.inputs, inputs)) | self.constants
        values |= {name[7:]: value for name, value in self.named_buffers()}
        for function, attributes, names, results in self.steps:
            result = function(attributes, *(values[name] for name in names))
            values.update(zip(results, result) if len(results) > 1 else [(results[0], result)])
        return tuple(values[name] for name in self.outputs)
