# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as ONNX Runtime's optimiser saves them, against what they were before."""
import pathlib
import tempfile

import onnx
import onnxruntime

import oracle
from builder import Case, Graph, cases

from . import transformers

EXTENDED = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED


class Optimised(Graph):
    """A graph that builds the optimised model, in which `fused` operators must be: what
    the optimiser does not write, these cases do not test."""

    def __init__(self, name, *fused, approximates=False):
        super().__init__(name)
        self.fused, self.approximates = set(fused), approximates

    def build(self, output_shapes=None):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = EXTENDED
        if self.approximates:
            options.add_session_config_entry("optimization.enable_gelu_approximation", "1")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.onnx"
            options.optimized_model_filepath = str(path)
            onnxruntime.InferenceSession(super().build(output_shapes).SerializeToString(),
                                         options, providers=["CPUExecutionProvider"])
            model = onnx.load(path)
        lacking = self.fused - {node.op_type for node in model.graph.node}
        assert not lacking, f"{self.name}: the optimiser did not write {lacking}"
        return model

    def case(self):
        def original(*_):
            return oracle.run_onnxruntime(Graph.build(self), self.inputs)
        return Case(self, "network", None if self.approximates else original)


@cases
def optimised():
    g = Optimised("optimised_encoder", "FusedMatMul", "SkipLayerNormalization", "Gelu")
    x, mask = g.input("x", (2, 12, 32)), transformers.padding_mask(g, 2, 12, (12, 7))
    yield g.output(transformers.encoder_layer(g, x, 2, 12, 32, 4, mask, "primitives")).case()

    for name, approximates in (("BiasGelu", False), ("FastGelu", True)):
        g = Optimised(f"optimised_{name.lower()}", name, "QuickGelu", approximates=approximates)
        x = g.op("Abs", g.input("x", (2, 5, 24)))
        y = transformers.gelu(g, g.op("Add", x, g.weight((24,))))
        quick = g.op("Mul", y, g.op("Sigmoid", g.op("Mul", y, g.scalar(1.702))))
        yield g.output(quick).case()

    g = Optimised("optimised_rms", "SimplifiedLayerNormalization")
    x = g.input("x", (2, 5, 24))
    mean = g.op("ReduceMean", g.op("Pow", x, g.scalar(2.0)), axes=[-1])
    root = g.op("Sqrt", g.op("Add", mean, g.scalar(1e-6)))
    yield g.output(g.op("Mul", g.op("Div", x, root), g.weight((24,)))).case()

    g = Optimised("optimised_convolutions", "FusedConv", "FusedGemm")
    x = g.input("x", (1, 3, 9, 9))
    for kind, attributes in (("Relu", {}), ("LeakyRelu", dict(alpha=0.1)), ("Sigmoid", {}),
                             ("HardSigmoid", dict(alpha=0.3)), ("Tanh", {})):
        x = g.op("Conv", x, g.weight((3, 3, 3, 3)), g.weight((3,)), pads=[1] * 4)
        x = g.op(kind, x, **attributes)
    y = g.op("Conv", x, g.weight((3, 3, 1, 1)), g.weight((3,)))
    x = g.op("Clip", g.op("Add", y, x), g.scalar(-0.4), g.scalar(0.6))
    x = g.op("Gemm", g.op("Flatten", x), g.weight((243, 7), scale=0.1), g.weight((7,)))
    yield g.output(g.op("Relu", x)).case()
