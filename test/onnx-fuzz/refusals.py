# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fusec refuses rightly though ONNX Runtime takes it: operator and the reason
that fusec gives. Any other refusal is a failure."""
import re

# (operators, pattern of the reason, why that is right)
RIGHT = [
    (("HannWindow", "HammingWindow", "BlackmanWindow", "MelWeightMatrix"),
     "computes elements that are no floats", "cut off, they are 0 but for some that are near 1"),
    (("ConcatFromSequence",), "cannot join", "other extents; ONNX Runtime skips what is empty"),
    (("MultiHeadAttention",), "is unidirectional with more keys than queries",
     "ONNX Runtime's kernels do not agree who sees which"),
    (("Unique", "NonZero"), "which is computed at run time", "as many elements as the data say"),
]


def causes(problems):
    """Without what only follows: operands that have to be known, and come from a node that
    is refused."""
    found = [p for p in problems if not re.search(r": '[^']*' is refused$", p["reason"])]
    return found or problems


def find(op, reason):
    """The line that a refusal falls under, or None."""
    for ops, pattern, why in RIGHT:
        if op in ops and re.search(pattern, reason):
            return f"{op}: {why}"
    return None
