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
    "Resize", "Upsample"}

# Operators on f16 and bf16 whose every bit onnx.reference says: one operation in f32, rounded.
SHORT = {10: "f16", 16: "bf16"}  # as ONNX numbers them
BITWISE = {"Add", "Sub", "Mul", "Div", "Sqrt", "Reciprocal", "Neg", "Abs", "Relu", "Floor", "Ceil",
           "Round", "Max", "Min", "Clip", "Where", "Cast", "Less", "Greater", "Equal", "IsInf",
           "IsNaN"}


def is_bitwise(node):
    """Whether the node is one of these, on tensors whose bits are known."""
    if node.domain or node.op not in BITWISE or not all(v.is_tensor and v.exact
                                                         for v in node.reads()):
        return False
    types = [v.dtype for v in node.reads()]
    if node.op == "Cast":
        types.append(SHORT.get(node.attributes["to"]))
    return any(name in ("f16", "bf16") for name in types)


ARITHMETIC = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}


def fits(node, array):
    """Whether a float holds what the operation gives, so that nothing was rounded."""
    if array.dtype not in (np.float32, np.float64):
        return False
    if node.op == "Cast":
        return node.operands[0].dtype in INTEGERS
    if node.op not in ARITHMETIC or array.dtype != np.float32:
        return False
    with np.errstate(all="ignore"):
        wide = ARITHMETIC[node.op](*(v.array.astype(np.float64) for v in node.operands))
    return bool(np.all(wide == array))
