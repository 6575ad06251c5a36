# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks in f16, as models are exported that were converted as a whole: inputs, weights and
what is computed of them."""
import numpy as np
from onnx import TensorProto

from builder import dtype_name
from oracle import with_arrays

from . import model
from .convolutional import densenet_block
from .encoders import bert


def half(graph):
    """The same network with f16 in place of f32."""
    result = with_arrays(graph, lambda array: array.astype(np.float16)
                         if dtype_name(array) == "f32" else array)
    result.outputs = {name: "f16" if kind == "f32" else kind
                      for name, kind in graph.outputs.items()}
    for node in result.nodes:
        for attribute in node.attribute if node.op_type == "Cast" else ():
            if attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.FLOAT16
    return result


@model("BERT of 2 layers, 128 wide, 128 tokens", quick=True)
def bert_half(g):
    return half(bert(g, 2, 128, 2))


@model("the first block and transition of DenseNet-121, 28x28")
def densenet_half(g):
    return half(densenet_block(g))
