# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""8-bit models: those of the other modules, quantised by ONNX Runtime's own tool.

Static ones have QuantizeLinear and DequantizeLinear around each product, with activations
without and weights with a sign, a scale for each channel; dynamic ones have
DynamicQuantizeLinear and MatMulInteger."""
import pathlib
import tempfile

import cnn
import micro
import onnx
import transformers
from workloads import WORKLOADS, quantised


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


assert cnn and micro and transformers  # whose workloads these are
for name, kinds in {"gemm_1024": (static, dynamic), "conv3x3_relu": (static,),
                    "resnet50_b1": (static,), "mobilenet_v2": (static,),
                    "bert_base_s128": (static, dynamic)}.items():
    for kind in kinds:
        quantised(f"{name}_{kind.__name__}", WORKLOADS[name], kind)
