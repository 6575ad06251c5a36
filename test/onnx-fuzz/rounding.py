# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operators leave numbers exact, and which jump where they are not."""
import numpy as np

from graph import INTEGERS

# Operators that only move or pick elements, or whose floats every program computes alike.
MOVES = {
    "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Expand", "Tile",
    "Concat", "Split", "Slice", "Pad", "Gather", "GatherElements", "GatherND", "ScatterND",
    "ScatterElements", "Scatter", "DepthToSpace", "SpaceToDepth", "ReverseSequence", "Trilu",
    "EyeLike", "OneHot", "Compress", "CenterCropPad", "ConstantOfShape", "Constant", "Dropout",
    "TopK", "Where", "Relu", "Abs", "Neg", "Sign", "Floor", "Ceil", "Round", "Max", "Min", "Clip",
    "ReduceMax", "ReduceMin", "MaxPool", "GlobalMaxPool", "Hardmax", "BitCast", "CastLike",
    "SequenceAt", "ConcatFromSequence", "SequenceConstruct", "SequenceInsert", "SequenceErase",
    "SplitToSequence", "OptionalGetElement", "TensorScatter", "Unique", "ArrayFeatureExtractor",
    "Binarizer"}
# Operators whose results jump: operands that differ by a rounding give others far away.
JUMPS = {
    "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Floor", "Ceil", "Round", "Sign",
    "Mod", "Cast", "CastLike", "BitCast", "ArgMax", "ArgMin", "TopK", "Hardmax", "NonZero",
    "Unique", "QuantizeLinear", "DynamicQuantizeLinear", "ThresholdedRelu", "Shrink", "IsInf",
    "IsNaN", "NonMaxSuppression", "MaxPool", "Not", "QLinearMatMul", "QLinearConv", "Binarizer",
    "TreeEnsemble", "TreeEnsembleRegressor", "TreeEnsembleClassifier", "GridSample", "RoiAlign",
    "MaxRoiPool", "DeformConv", "LabelEncoder", "DynamicQuantizeMatMul", "OneHot", "Range",
    "Resize", "Upsample", "DynamicQuantizeLSTM"}

# Operators on f16 and bf16 whose every bit onnx.reference says: one operation in f32, rounded.
SHORT = {10: "f16", 16: "bf16"}  # as ONNX numbers them
BITWISE = {"Add", "Sub", "Mul", "Div", "Sqrt", "Reciprocal", "Neg", "Abs", "Relu", "Floor", "Ceil",
           "Round", "Max", "Min", "Clip", "Where", "Cast", "Less", "Greater", "Equal", "IsInf",
           "IsNaN"}


def jumps(node):
    """Whether the results of a node jump; of level 4, rows become codes."""
    return node.op in JUMPS or \
        node.op == "MatMulNBits" and node.attributes.get("accuracy_level") == 4


def is_bitwise(node):
    """Whether the node is one of these, on tensors whose bits are known."""
    if node.domain or node.op not in BITWISE or not all(v.is_tensor and v.exact
                                                         for v in node.reads()):
        return False
    types = [v.dtype for v in node.reads()]
    if node.op == "Cast":
        types.append(SHORT.get(node.attributes["to"]))
    return any(name in ("f16", "bf16") for name in types)


def unit_of(array):
    """The largest power of two that divides all elements; None if there is none that is known.
    Zeros have any."""
    wide = np.abs(array.astype(np.float64))
    if not np.isfinite(wide).all():
        return None
    unit = 2.0**20
    while unit > 2.0**-60 and (wide % unit).any():
        unit /= 2
    return unit if unit > 2.0**-60 else None


def is_whole_sum(node):
    """Whether each sum of products that a program may make on the way fits f32."""
    a, b, *rest = (v.array for v in node.operands if v is not None)
    terms = b[0].size if node.op == "Conv" else \
        a.shape[0 if node.attributes.get("transA") else -1] if a.ndim else 1
    units = [unit_of(x) for x in (a, b, *rest)]
    if None in units or any(node.attributes.get(n, 1.0) != 1.0 for n in ("alpha", "beta")):
        return False
    most = [float(np.abs(x.astype(np.float64)).max(initial=0)) for x in (a, b, *rest)]
    unit = min([units[0] * units[1], *units[2:]])
    return unit > 2.0**-100 and \
        (most[0] * most[1] * max(1, terms) + sum(most[2:])) / unit < 2.0**24


def is_decoded(node):
    """Whether codes are multiplied by powers of two, so that nothing is rounded."""
    factors = node.operands[1].array.astype(np.float64)
    return node.operands[0].dtype != "i32" and bool(np.all(np.frexp(factors)[0] == 0.5))


ARITHMETIC = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}


def fits(node, array):
    """Whether a float holds what the operation gives, so that nothing was rounded."""
    if array.dtype not in (np.float32, np.float64):
        return False
    if node.op == "Cast":
        return node.operands[0].dtype in INTEGERS
    if node.op == "DequantizeLinear":
        return is_decoded(node)
    if node.op in ("Conv", "MatMul", "Gemm") and array.dtype == np.float32:
        return is_whole_sum(node)
    if node.op not in ARITHMETIC or array.dtype != np.float32:
        return False
    with np.errstate(all="ignore"):
        wide = ARITHMETIC[node.op](*(v.array.astype(np.float64) for v in node.operands))
    return bool(np.all(wide == array))
