# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is not drawn: what has another shape in ONNX Runtime than ONNX says, and what it crashes
on. Each is a predicate on operator, types and values."""
from graph import MICROSOFT, Invalid
from reasons import any_nan

REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
              "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare")

NOT_DRAWN = []


def check(node):
    """Raises Invalid for a node that is not drawn; before ONNX Runtime computes it."""
    for text, ops, function in NOT_DRAWN:
        if node.op in ops and function(node):
            raise Invalid(text)


def not_drawn(text, *ops):
    def add(function):
        NOT_DRAWN.append((text, ops, function))
        return function
    return add


@not_drawn("ONNX Runtime reduces what is empty by axes from the end as if they were none",
           *REDUCTIONS)
def empty_reduction(node):
    return not node.operands[0].array.size


@not_drawn("ONNX Runtime never pads a transposed convolution by less than 0", "ConvTranspose")
def negative_same(node):
    kernel = node.operands[1].shape[2:]
    return str(node.attributes.get("auto_pad", "")).startswith("SAME") and \
        any(s > k for s, k in zip(node.attributes.get("strides", []), kernel))


@not_drawn("ONNX Runtime pads for SAME as if nothing was dilated", "AveragePool", "LpPool",
           "MaxPool", "Conv", "ConvTranspose")
def dilated_same(node):
    return str(node.attributes.get("auto_pad", "")).startswith("SAME") and \
        max(node.attributes.get("dilations", [1])) > 1


@not_drawn("ONNX Runtime crashes without a bias", "Attention")
def packed_without_bias(node):
    return node.domain == MICROSOFT and (len(node.operands) < 3 or node.operands[2] is None)


@not_drawn("ONNX Runtime writes keys and values of other widths behind the present", "Attention")
def uneven_present(node):
    widths = node.attributes.get("qkv_hidden_sizes", [0] * 3)
    return node.domain == MICROSOFT and widths[1] != widths[2] and len(node.results) > 1 and \
        node.results[1] is not None


@not_drawn("with groups ONNX Runtime takes codes of 2 bits for 4, and reads on behind them",
           "MatMulNBits")
def groups_of_two_bits(node):
    return node.attributes.get("bits") == 2 and len(node.operands) > 4 and \
        node.operands[4] is not None


@not_drawn("how many NaN there are", "Unique")
def different_nan(node):
    return any_nan(node)


@not_drawn("ONNX Runtime ends its process where dimensions behind the axis are empty", "Unique")
def empty_parts(node):
    shape, axis = node.operands[0].shape, node.attributes.get("axis")
    return axis is not None and shape[axis] > 0 and 0 in shape[axis % len(shape) + 1:]


@not_drawn("which sign a zero has that was computed in 16 bits", "Div", "Reciprocal")
def narrow_zero(node):
    divisor = node.operands[-1]
    return divisor.dtype in ("f16", "bf16") and not divisor.is_leaf and \
        bool((divisor.array == 0).any())
