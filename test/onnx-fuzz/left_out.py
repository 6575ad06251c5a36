# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of the importer's table that no graph has, and why. The self-test holds that
each other one is drawn, and that ONNX Runtime has no kernel where that is the reason."""

NO_KERNEL = "ONNX Runtime has no kernel"
NEWER = "is of an opset that ONNX Runtime does not take yet"
REFUSED = "fusec refuses it, always"
OWN = "is ONNX Runtime's own in ONNX's domain, and has no schema there"
VALUES = "ONNX Runtime's interface for Python has no such values"

LEFT_OUT = {
    ("", "Bernoulli"): REFUSED, ("", "Multinomial"): REFUSED, ("", "RandomNormal"): REFUSED,
    ("", "RandomNormalLike"): REFUSED, ("", "RandomUniform"): REFUSED,
    ("", "RandomUniformLike"): REFUSED, ("", "ImageDecoder"): REFUSED,
    ("", "RegexFullMatch"): REFUSED, ("", "StringConcat"): REFUSED,
    ("", "StringNormalizer"): REFUSED, ("", "StringSplit"): REFUSED,
    ("ai.onnx.ml", "CastMap"): REFUSED, ("ai.onnx.ml", "DictVectorizer"): REFUSED,
    ("ai.onnx.ml", "CategoryMapper"): REFUSED, ("ai.onnx.ml", "ZipMap"): VALUES,
    ("ai.onnx.preview.training", "Gradient"): REFUSED,
    ("", "CausalConvWithState"): NEWER, ("", "LinearAttention"): NEWER, ("", "SwiGLU"): NEWER,
    ("", "Swish"): NO_KERNEL, ("", "SimplifiedLayerNormalization"): OWN,
    ("ai.onnx.preview", "FlexAttention"): NO_KERNEL,
    ("ai.onnx.preview.training", "Adagrad"): NO_KERNEL,
    ("ai.onnx.preview.training", "Adam"): NO_KERNEL,
    ("ai.onnx.preview.training", "Momentum"): NO_KERNEL,
    ("", "Optional"): VALUES, ("", "SequenceEmpty"): VALUES, ("", "SequenceMap"): VALUES,
}

# Of these domains some operators have rows: those whose kernels bring surprises; all have
# cases in test/e2e.
IN_PART = ("com.microsoft",)
