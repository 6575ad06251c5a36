# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of the other modules in fewer bits.

Those of bf16 are the models in f32, of which each runtime may round both factors of a
product: fusec with --allow=bf16-activations, OpenVINO by its hint of a precision.

Those of 8 bits are made by ONNX Runtime's own tool. Static ones have QuantizeLinear and
DequantizeLinear around each product, with activations without and weights with a sign, a
scale for each channel; dynamic ones have DynamicQuantizeLinear and MatMulInteger. Those of
4 bits have their weights in 4 bits, a scale for each 32 of a column, by MatMulNBits: at
accuracy level 0, where products are of floats, and at 4, where a runtime may make 8 bits of
the other factor, too."""
import functools
import pathlib
import tempfile

import cnn
import micro
import numpy as np
import onnx
import transformers
from onnx import helper, numpy_helper
from workloads import WORKLOADS, quantised, rounded


class Calibration:
    """The one sample that ranges are taken from: the model's own inputs."""

    def __init__(self, inputs):
        self.samples = [inputs]

    def get_next(self):
        return self.samples.pop() if self.samples else None


def run_tool(model, quantise):
    with tempfile.TemporaryDirectory() as folder:
        source, target = (str(pathlib.Path(folder) / name) for name in ("f.onnx", "q.onnx"))
        onnx.save(onnx.shape_inference.infer_shapes(model), source)
        quantise(source, target)
        return onnx.load(target)


def static(model, inputs):
    from onnxruntime import quantization as tool
    return run_tool(model, lambda source, target: tool.quantize_static(
        source, target, Calibration(inputs), quant_format=tool.QuantFormat.QDQ,
        per_channel=True, activation_type=tool.QuantType.QUInt8,
        weight_type=tool.QuantType.QInt8))


def dynamic(model, inputs):
    from onnxruntime import quantization as tool
    return run_tool(model, lambda source, target: tool.quantize_dynamic(
        source, target, weight_type=tool.QuantType.QInt8))


BLOCK = 32


def four_bits(model, _inputs, accuracy_level):
    """Each product with a constant matrix as MatMulNBits, with codes around 8."""
    # No shape inference knows the operator: floors.py needs the shapes of today.
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    graph, kept = model.graph, []
    weights = {t.name: t for t in graph.initializer}
    for node in graph.node:
        matrix = weights.get(node.input[1]) if node.op_type == "MatMul" else None
        if matrix is None or len(matrix.dims) != 2 or matrix.dims[0] % BLOCK:
            kept.append(node)
            continue
        depth, columns = matrix.dims
        blocks = numpy_helper.to_array(matrix).T.reshape(columns, depth // BLOCK, BLOCK)
        scales = np.maximum(np.abs(blocks).max(-1), 1e-8) / 7
        codes = np.clip(np.rint(blocks / scales[..., None]) + 8, 0, 15).astype(np.uint8)
        names = [matrix.name + "_codes", matrix.name + "_scales"]
        if names[0] not in weights:
            for name, value in zip(names, (codes[..., ::2] | codes[..., 1::2] << 4,
                                           scales.astype(np.float32).reshape(-1))):
                weights[name] = numpy_helper.from_array(value, name)
                graph.initializer.append(weights[name])
        kept.append(helper.make_node(
            "MatMulNBits", [node.input[0], *names], node.output, node.name,
            domain="com.microsoft", K=depth, N=columns, bits=4, block_size=BLOCK,
            accuracy_level=accuracy_level))
    del graph.node[:]
    graph.node.extend(kept)
    read = {name for node in kept for name in node.input}
    left = [t for t in graph.initializer if t.name in read]
    del graph.initializer[:]
    graph.initializer.extend(left)
    if all(opset.domain != "com.microsoft" for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return model


assert cnn and micro and transformers  # whose workloads these are
for name, kinds in {"gemm_1024": (static, dynamic), "conv3x3_relu": (static,),
                    "resnet50_b1": (static,), "mobilenet_v2": (static,),
                    "bert_base_s128": (static, dynamic)}.items():
    for kind in kinds:
        quantised(f"{name}_{kind.__name__}", WORKLOADS[name], kind)
for level in (0, 4):
    quantised(f"llama_decode_int4_level{level}", WORKLOADS["llama_decode"],
              functools.partial(four_bits, accuracy_level=level), "int4")
for name in ("gemm_1024", "bert_base_s128"):
    rounded(f"{name}_bf16", WORKLOADS[name])
