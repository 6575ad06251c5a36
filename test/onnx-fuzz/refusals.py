# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fusec refuses rightly though ONNX Runtime takes it: operator, types and the reason
that fusec gives. Any other refusal is a failure."""
import re

# (operators or None for all, pattern of the reason, why that is right)
RIGHT = [
    (("Det",), "takes a factorisation with pivots", "more than 4 rows"),
    (("Shrink",), "needs a floating-point operand", "integers, as yet"),
    (("Unique", "NonZero"), "which is computed at run time", "as many elements as the data say"),
]


def find(op, types, reason, opset):
    """The line that a refusal falls under, or None."""
    for ops, pattern, why in RIGHT:
        if (ops is None or op in ops) and re.search(pattern, reason):
            return f"{op}: {why}"
    return None


def types_of(model):
    """Node names to nothing yet."""
    return {node.name: () for node in model.graph.node}
