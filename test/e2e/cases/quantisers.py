# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as ONNX Runtime's quantisers write them, against ONNX Runtime without its
optimisations, which round elsewhere than the nodes say."""
import logging
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnxruntime import quantization
from onnxruntime.quantization import QuantFormat, QuantType, matmul_nbits_quantizer as nbits

from builder import Case, Graph, cases

from . import transformers

TYPES = {"i8": QuantType.QInt8, "u8": QuantType.QUInt8, "i16": QuantType.QInt16,
         "u16": QuantType.QUInt16}


class Samples(quantization.CalibrationDataReader):
    """Inputs to calibrate with: those of the test, and half of them."""

    def __init__(self, inputs):
        self.samples = iter([inputs, {name: x // 2 if x.dtype.kind == "i" else x / 2
                                      for name, x in inputs.items()}])

    def get_next(self):
        return next(self.samples, None)


def dynamic(**named):
    def quantise(graph, source, target):
        quantization.quantize_dynamic(source, target, **named)
    return quantise


def static(form, activations, weights, **named):
    def quantise(graph, source, target):
        quantization.quantize_static(
            source, target, Samples(graph.inputs), quant_format=getattr(QuantFormat, form),
            activation_type=TYPES[activations], weight_type=TYPES[weights], **named)
    return quantise


def few_bits(form, bits, **named):
    def quantise(graph, source, target):
        quantiser = nbits.MatMulNBitsQuantizer(
            onnx.load(source), bits=bits, quant_format=getattr(QuantFormat, form), **named)
        quantiser.process()
        quantiser.model.save_model_to_file(str(target))
    return quantise


class Quantised(Graph):
    """A graph that builds the quantised model, in which `operators` must be: what the
    quantiser does not write, these cases do not test."""

    def __init__(self, name, quantise, *operators):
        super().__init__(f"quantised_{name}")
        self.quantise, self.operators = quantise, set(operators)

    def build(self, output_shapes=None):
        logging.disable(logging.WARNING)  # hints for better models
        try:
            with tempfile.TemporaryDirectory() as folder:
                source, target = (pathlib.Path(folder) / name for name in ("float", "quantised"))
                onnx.save(super().build(output_shapes), source)
                self.quantise(self, source, target)
                model = onnx.load(target)
        finally:
            logging.disable(logging.NOTSET)
        lacking = self.operators - {node.op_type for node in model.graph.node}
        assert not lacking, f"{self.name}: the quantiser did not write {lacking}"
        return model

    def case(self, tolerance="quantised"):
        def unoptimised(*_):
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            session = onnxruntime.InferenceSession(self.build().SerializeToString(), options,
                                                   providers=["CPUExecutionProvider"])
            return session.run(None, self.inputs)
        return Case(self, tolerance, unoptimised)


def convolutions(g):
    """A small network of images."""
    x = g.op("Conv", g.input("x", (1, 3, 11, 9)), g.weight((8, 3, 3, 3), scale=0.4),
             g.weight((8,), scale=0.2), pads=[1] * 4)
    x = g.op("MaxPool", g.op("Relu", x), kernel_shape=[2, 2])
    y = g.op("Conv", x, g.weight((8, 1, 3, 3), scale=0.6), g.weight((8,)), pads=[1] * 4, group=8)
    y = g.op("Conv", g.op("LeakyRelu", y), g.weight((8, 8, 1, 1), scale=0.6), g.weight((8,)))
    y = g.op("Concat", g.op("Add", x, y), g.op("Sigmoid", y), axis=1)
    y = g.op("AveragePool", y, kernel_shape=[2, 2], pads=[1, 1, 0, 0])
    y = g.op("Flatten", g.op("GlobalAveragePool", y))
    y = g.op("Gemm", y, g.weight((5, 16)), g.weight((5,)), transB=1)
    return g.output(g.op("Softmax", y, axis=-1), y)


def layers(g):
    x = g.op("Gemm", g.input("x", (7, 24)), g.weight((24, 40), scale=0.3), g.weight((40,)))
    x = transformers.linear(g, g.op("Relu", x), 40, 32)
    y = g.op("Mul", g.op("Sigmoid", x), x)
    return g.output(g.op("MatMul", y, g.weight((32, 6), scale=0.3)))


def transformer(g):
    tokens = g.input("tokens", (2, 9), "i64", low=0, high=50)
    x = g.op("Gather", g.weight((50, 32)), tokens)
    mask = transformers.padding_mask(g, 2, 9, (9, 6))
    return g.output(transformers.encoder_layer(g, x, 2, 9, 32, 4, mask, "op"))


@cases
def quantised():
    def make(name, network, quantise, *operators):
        return network(Quantised(name, quantise, *operators)).case()

    for name, network, product in (("cnn", convolutions, "ConvInteger"),
                                   ("mlp", layers, "MatMulInteger"),
                                   ("transformer", transformer, "MatMulInteger")):
        yield make(f"{name}_dynamic_u8", network, dynamic(weight_type=QuantType.QUInt8), product)
        if network is not convolutions:  # for whose i8 ONNX Runtime has no kernel
            # In 7 bits: without VNNI, ONNX Runtime adds pairs of products in 16 bits.
            yield make(f"{name}_dynamic_columns", network,
                       dynamic(weight_type=QuantType.QInt8, per_channel=True,
                               reduce_range=True), product)
    for name, network, product in (("cnn", convolutions, "QLinearConv"),
                                   ("mlp", layers, "QLinearMatMul"),
                                   ("transformer", transformer, "QLinearMatMul")):
        yield make(f"{name}_codes_u8", network, static("QOperator", "u8", "u8"), product)
        yield make(f"{name}_codes_columns", network,
                   static("QOperator", "u8", "i8", per_channel=True, reduce_range=True), product)
        for left, right, extra in (("u8", "u8", {}), ("u8", "i8", {"per_channel": True}),
                                   ("i8", "i8", {"extra_options": {"ActivationSymmetric": True}})):
            yield make(f"{name}_qdq_{left}_{right}", network, static("QDQ", left, right, **extra),
                       "QuantizeLinear", "DequantizeLinear")
    yield make("mlp_qdq_u16", layers, static("QDQ", "u16", "i8"), "QuantizeLinear")


@cases
def quantised_to_few_bits():
    for bits in (4, 8):
        for symmetric in (True, False):
            g = Quantised(f"mlp_{bits}_bits" + "_symmetric" * symmetric,
                          few_bits("QOperator", bits, block_size=16, is_symmetric=symmetric),
                          "MatMulNBits")
            yield layers(g).case("network")
    g = Quantised("mlp_4_bits_qdq", few_bits("QDQ", 4, block_size=16, is_symmetric=False),
                  "DequantizeLinear")
    g.opset = 21
    yield layers(g).case("network")
    g = Quantised("transformer_4_bits",
                  few_bits("QOperator", 4, block_size=16, is_symmetric=True,
                           op_types_to_quantize=("MatMul", "Gather"),
                           quant_axes=(("MatMul", 0), ("Gather", 1))),
                  "MatMulNBits", "GatherBlockQuantized")
    yield transformer(g).case("network")
