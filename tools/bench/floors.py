# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The least time that a model can take: what it must compute and move, over what the
machine was measured to do.

Counted are the multiplications and additions of products and convolutions, as they are
written (Winograd's algorithm goes below that), exponentials and what is made of them,
and each byte of inputs, weights and outputs once."""
import dataclasses
import math

import onnx
from onnx import numpy_helper

# An error function and a hyperbolic tangent take about as long as an exponential.
EXPONENTIALS = {"Softmax", "LogSoftmax", "Exp", "Sigmoid", "Tanh", "Erf"}


@dataclasses.dataclass
class Work:
    flops: float = 0
    ops8: float = 0  # those whose factors may both have 8 bits in a model of f32
    bytes: float = 0
    exps: float = 0


def element_count(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def read_shapes(model):
    """Value -> (shape, bytes of an element). Raises ValueError for an unknown extent."""
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    known = {t.name: (tuple(t.dims), numpy_helper.to_array(t).itemsize)
             for t in model.graph.initializer}
    for value in (*inferred.input, *inferred.output, *inferred.value_info):
        tensor = value.type.tensor_type
        if not all(d.HasField("dim_value") for d in tensor.shape.dim):
            raise ValueError(f"'{value.name}' has an extent that shape inference cannot tell")
        size = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type).itemsize
        known[value.name] = (tuple(d.dim_value for d in tensor.shape.dim), size)
    return known


def product_flops(node, shape_of):
    """The operations of a node's products: two for each multiplication."""
    if node.op_type in ("Conv", "ConvTranspose"):
        weight = shape_of(node.input[1])
        over = node.output[0] if node.op_type == "Conv" else node.input[0]
        return 2 * element_count(shape_of(over)) * element_count(weight[1:])
    if node.op_type in ("MatMul", "MatMulInteger"):
        return 2 * element_count(shape_of(node.output[0])) * shape_of(node.input[0])[-1]
    if node.op_type == "Attention":
        queries, keys = (shape_of(name) for name in node.input[:2])
        return 4 * element_count(queries) * keys[2]
    if node.op_type == "MatMulNBits":
        columns, = (a.i for a in node.attribute if a.name == "N")
        return 2 * element_count(shape_of(node.input[0])) * columns
    if node.op_type == "Gemm":
        transposed = any(a.name == "transA" and a.i for a in node.attribute)
        depth = shape_of(node.input[0])[0 if transposed else 1]
        return 2 * element_count(shape_of(node.output[0])) * depth
    return 0


def is_of_bytes(node):
    """Whether a product may round both of its factors to 8 bits."""
    return node.op_type == "MatMulNBits" and \
        any(a.name == "accuracy_level" and a.i == 4 for a in node.attribute)


def count_work(model):
    known = read_shapes(model)

    def shape_of(name):
        return known[name][0]

    def bytes_of(name):
        return element_count(shape_of(name)) * known[name][1]

    work, whole = Work(), set()  # `whole`: initializers of which not only rows are read
    names = {t.name for t in model.graph.initializer}
    for node in model.graph.node:
        flops = product_flops(node, shape_of)
        if is_of_bytes(node):
            work.ops8 += flops
        else:
            work.flops += flops
        if node.op_type in EXPONENTIALS:
            work.exps += element_count(shape_of(node.output[0]))
        if node.op_type == "Attention":
            queries, keys = (shape_of(name) for name in node.input[:2])
            work.exps += element_count(queries[:3]) * keys[2]
        rows = node.op_type == "Gather" and node.input[0] in names
        if rows:
            work.bytes += min(bytes_of(node.output[0]), bytes_of(node.input[0]))
        whole.update(node.input[1 if rows else 0:])
    work.bytes += sum(bytes_of(name) for name in names & whole)
    work.bytes += sum(bytes_of(v.name) for v in (*model.graph.input, *model.graph.output))
    return work


def bandwidth_at(probe, size):
    """GB/s for data of `size` bytes, which may stay in a cache from run to run: that of
    the buffer measured that is nearest in size."""
    nearest = min(probe["gbs"], key=lambda bytes: abs(math.log(int(bytes) / max(size, 1))))
    return probe["gbs"][nearest]


def floor(work, probe, kind):
    """(milliseconds, what bounds: "flops", "bytes" or "exps")"""
    rate = probe[{"int8": "gops8", "bf16": "gflops16"}.get(kind, "gflops")]
    times = {"flops": work.flops / rate / 1e6 + work.ops8 / probe["gops8"] / 1e6,
             "bytes": work.bytes / bandwidth_at(probe, work.bytes) / 1e6,
             "exps": work.exps / probe["gexps"] / 1e6}
    bound = max(times, key=times.get)
    return times[bound], bound
