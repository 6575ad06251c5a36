# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where right programs may differ: each reason is a predicate on operator, types and values.
What it holds for is drawn, compiled and run, and not compared."""
import functools
import pathlib

import numpy as np

from graph import INTEGERS, MICROSOFT, NARROW, limits_of
from marking import is_float, mark, operands, reason  # noqa: F401


def any_nan(node):
    return any(is_float(v) and np.isnan(v.array.astype(np.float64)).any() for v in operands(node))


# What order has NaN? ONNX does not say, and ONNX Runtime's kernels differ among themselves.
reason("the order of NaN", "ReduceMax", "ReduceMin", "ArgMax", "ArgMin", "Max", "Min", "MaxPool",
       "GlobalMaxPool", "TopK", "Hardmax", "Clip", "Sign", "DynamicQuantizeLinear",
       "QuantizeLinear", "Relu", "ReduceLogSumExp")(any_nan)


@reason("the order of NaN", "ScatterND", "ScatterElements")
def scattered_nan(node):
    return node.attributes.get("reduction") in ("max", "min") and any_nan(node)


@reason("the class of scores that are no numbers", "LinearClassifier")
def class_of_nan(node):
    scores = node.results[1]
    return [scores is not None and np.isnan(scores.array).any(-1)]


@reason("an infinity times a coefficient that a pair of classes lacks", "SVMClassifier")
def lacking_pair(node):
    labels, scores = node.results
    x = node.operands[0].array.astype(np.float64).reshape(labels.array.size, -1)
    lost = np.isinf(x).any(1)
    return [lost, scores is not None and np.broadcast_to(lost[:, None], scores.shape)]


@reason("the sign of a zero that is computed", "Reciprocal", "Div")
def zero_divisor(node):
    divisor = node.operands[-1]
    return is_float(divisor) and not divisor.exact and \
        np.broadcast_to(divisor.array == 0, node.results[0].shape)


@reason("an infinity times a weight of 0, or in a sum that runs along", "Conv", "FusedConv",
        "ConvTranspose", "DeformConv", "LRN", "STFT", "DFT", "GridSample", "RoiAlign", "Resize",
        "Upsample", "Det", "AveragePool", "LpPool", "CumSum", "CumProd", "BatchNormalization",
        "InstanceNormalization", "GroupNormalization", "LayerNormalization", "RMSNormalization",
        "MeanVarianceNormalization", "LpNormalization", "Attention", "RotaryEmbedding")
def not_finite(node):
    return any(is_float(v) and not np.isfinite(v.array.astype(np.float64)).all()
               for v in operands(node))


@reason("ONNX Runtime takes the sums of LRN from each other, and little is left", "LRN")
def cancels(node):
    return np.abs(node.operands[0].array).max(initial=0) > 50


@reason("ONNX Runtime computes in f32", "Shrink", "HardSwish", "HannWindow", "HammingWindow",
        "BlackmanWindow", "DFT", "STFT", "GroupNormalization")
def narrow(node):
    return node.results[0].dtype == "f64"


@reason("ONNX Runtime shrinks integers in f32, or the type does not hold what comes out", "Shrink")
def shrunk(node):
    x = node.operands[0]
    if is_float(x):
        return False
    limit, bias = node.attributes.get("lambd", 0.5), node.attributes.get("bias", 0.0)

    def result(wide, bias):
        return np.where(wide < -limit, wide + bias, np.where(wide > limit, wide - bias, 0))
    exact = result(x.array.astype(np.float64), bias)
    rounded = result(x.array.astype(np.float32), np.float32(bias))
    return (np.trunc(rounded) != np.trunc(exact)) | ~holds(x.dtype, exact)


@reason("0 / 0", "HannWindow", "HammingWindow", "BlackmanWindow")
def symmetric_window_of_one(node):
    return node.results[0].array.size == 1 and node.attributes.get("periodic") == 0


@reason("ONNX Runtime takes logarithms as integers", "ReduceLogSumExp", "ReduceLogSum")
def logarithm(node):
    return not is_float(node.results[0])


@reason("a float that the integer does not hold", "Cast", "CastLike")
def out_of_range(node):
    source, target = node.operands[0], node.results[0]
    if not is_float(source) or target.dtype not in INTEGERS + NARROW:
        return False
    return ~holds(target.dtype, source.array)


@reason("unsaturated, ONNX Runtime has 448 for 480 to 496 and NaN for 61440 to 65536", "Cast",
        "CastLike", "QuantizeLinear")
def unsaturated(node):
    """By their results; ONNX: NaN and an infinity."""
    result = node.results[0]
    if node.attributes.get("saturate", 1) != 0 or result.dtype not in ("f8E4M3FN", "f8E5M2"):
        return False
    found = result.array.astype(np.float32)
    return np.abs(found) == 448 if result.dtype == "f8E4M3FN" else np.isnan(found)


@reason("ONNX Runtime rounds to integers of 2 and 4 bits, halves away from 0; ONNX cuts off",
        "Cast", "CastLike")
def rounded_fraction(node):
    if node.results[0].dtype not in NARROW:
        return False
    wide = node.operands[0].array.astype(np.float64)
    return np.trunc(wide + np.copysign(0.5, wide)) != np.trunc(wide)


def holds(dtype, array):
    """Where an integer type has the numbers, cut off towards zero."""
    low, high = limits_of(dtype)
    wide = np.trunc(array.astype(np.float64))
    return (wide >= low) & (wide < float(high) + 1)


@reason("ONNX Runtime takes remainders of integers as doubles", "Mod")
def wide_remainder(node):
    return node.attributes.get("fmod") == 1 and not is_float(node.results[0]) and \
        any(np.abs(v.array.astype(np.float64)).max(initial=0) > 2.0**53 for v in node.operands)


@reason("a power that the integer does not hold", "Pow")
def power(node):
    base, exponent = (v.array.astype(np.float64) for v in node.operands)
    return not is_float(node.results[0]) and (
        np.any(exponent < 0) or ~holds(node.results[0].dtype, base ** exponent))


@reason("ONNX Runtime takes powers of integers as doubles", "Pow")
def wide_power(node):
    if is_float(node.results[0]):
        return False
    base, exponent = (v.array.astype(np.float64) for v in node.operands)
    return np.maximum(np.maximum(abs(base), abs(exponent)), abs(base ** exponent)) >= 2.0**53


def axes_of(node):
    """The dimensions that a reduction combines."""
    axes = node.attributes.get("axes") or ()
    if len(operands(node)) > 1:
        axes = node.operands[1].array.tolist()
    if not axes and not node.attributes.get("noop_with_empty_axes"):
        axes = range(node.operands[0].array.ndim)
    return tuple(axes)


@reason("in another order a product is too large, and then 0, or the other way round", "ReduceProd")
def beyond_floats(node):
    """One of the two makes NaN of the other."""
    if not is_float(node.results[0]):
        return False
    double = node.results[0].dtype == "f64"
    limits = np.finfo(np.float64 if double else np.float32)  # narrower types compute in f32
    x = np.abs(node.operands[0].array.astype(np.longdouble))
    # Of an infinity and a zero that are there each order makes NaN.
    is_lost = (x == 0).any(axes_of(node)) & np.isinf(x).any(axes_of(node))
    small = np.where(x < 1, x, 1).prod(axes_of(node)) < limits.smallest_subnormal
    large = np.where(x > 1, x, 1).prod(axes_of(node)) > limits.max
    return (small & large & ~is_lost).reshape(node.results[0].shape)


@reason("ONNX Runtime sums up integers as doubles", "ReduceSum", "ReduceMean", "ReduceL1",
        "ReduceL2", "ReduceSumSquare")
def wide_sum(node):
    if is_float(node.results[0]):
        return False
    terms = np.abs(node.operands[0].array.astype(np.float64))
    if node.op in ("ReduceL2", "ReduceSumSquare"):
        terms = terms * terms
    return terms.sum(axes_of(node)).reshape(node.results[0].shape) >= 2.0**53


@reason("ONNX Runtime adds C without beta to a product of no elements", "Gemm")
def empty_product(node):
    elements = node.operands[0].shape[0 if node.attributes.get("transA") else 1]
    return not elements and len(operands(node)) > 2 and \
        node.attributes.get("beta", 1.0) not in (0.0, 1.0)


@reason("an integer sum or product that does not fit", "ReduceSum", "ReduceProd", "ReduceSumSquare",
        "ReduceL1", "ReduceL2", "ReduceMean", "CumSum", "CumProd", "MatMul", "Gemm", "Einsum")
def overflow(node):
    """ONNX Runtime saturates here, wraps there."""
    if is_float(node.results[0]):
        return False
    most = 1.0
    for v in operands(node)[:1 if node.op[0] in "RC" else None]:
        wide = np.abs(v.array.astype(np.float64))
        most *= max(1.0, wide.max(initial=0)) * max(1, wide.size)
        if node.op in ("ReduceProd", "CumProd"):
            most = np.prod(np.maximum(wide, 1))
            if node.op == "ReduceProd" and most > 2.0**53:  # which is taken as a double
                return True
        if node.op in ("ReduceSumSquare", "ReduceL2"):
            most = np.sum(wide * wide)
    return most > limits_of(node.results[0].dtype)[1]


# Where the matrices of a product of bytes are; None: made of a tensor of floats, as u8.
MATRICES = {"MatMulInteger": (0, 1), "MatMulIntegerToFloat": (0, 1), "ConvInteger": (0, 1),
            "DynamicQuantizeMatMul": (None, 1), "QLinearMatMul": (0, 3), "QLinearConv": (0, 3),
            "QGemm": (0, 3)}


@functools.cache
def has_dot_products():
    """Whether this machine adds products of bytes in 32 bits (VNNI)."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return "vnni" in flags or "flags" not in flags  # no x86


@reason("without VNNI ONNX Runtime adds pairs of products in 16 bits", *MATRICES)
def saturated_pairs(node):
    if has_dot_products():
        return False
    bounds = {"u8": 255 if MATRICES[node.op][0] is None else 0}
    for v in (node.operands[at] for at in MATRICES[node.op] if at is not None):
        bounds[v.dtype] = np.abs(v.array.astype(int)).max(initial=0)
    return 2 * bounds["u8"] * bounds.get("i8", 0) > 2**15 - 1


@reason("integers between others are cut off: sums that fall short of one", "Resize", "Upsample")
def resized_integers(node):
    return not is_float(node.results[0]) and node.attributes.get("mode", "nearest") != "nearest"


@reason("ONNX Runtime takes the whole of a dimension that keeps its extent", "Resize")
def kept_extent(node):
    if node.attributes.get("coordinate_transformation_mode") != "tf_crop_and_resize":
        return False
    shape, roi = node.operands[0].shape, node.operands[1].array.reshape(2, -1)
    axes = node.attributes.get("axes", range(len(shape)))
    return any(shape[a] == node.results[0].shape[a] and (low, high) != (0, 1)
               for a, low, high in zip(axes, *roi.tolist()))


@reason("Clip without a bound leaves infinities; in ONNX the largest float is one", "Clip")
def unbounded(node):
    if not is_float(node.operands[0]):
        return False
    x, bounds = node.operands[0].array, (node.operands[1:] + [None] * 2)[:2]
    low, high = (bound is None and name not in node.attributes
                 for name, bound in zip(("min", "max"), bounds))
    return (low & (x == -np.inf)) | (high & (x == np.inf))


@reason("with groups ONNX Runtime takes other zero points than without, of one group too",
        "MatMulNBits")
def zeros_of_groups(node):
    _, _, _, zeros, groups, *_ = node.operands + [None] * 5
    return groups is not None and zeros is not None and not is_float(zeros)


@reason("ONNX Runtime takes rows that have ended into the range of states, but where all steps "
        "are an output", "DynamicQuantizeLSTM")
def ended_rows(node):
    lengths = (list(node.operands) + [None] * 5)[4]
    return lengths is not None and node.results[0] is None and \
        lengths.array.min() < node.operands[0].shape[0]


@reason("the power of a large number overflows", "SVMClassifier", "SVMRegressor")
def large_power(node):
    return node.attributes.get("kernel_type") == "POLY" and \
        np.abs(node.operands[0].array.astype(np.float64)).max(initial=0) > 1e9


@reason("a symmetric position that is whole but for rounding", "Resize")
def rounded_position(node):
    """Where scales leave a fraction of an extent, the centre is computed."""
    mode = node.attributes.get("coordinate_transformation_mode")
    if mode != "half_pixel_symmetric" or node.attributes.get("mode", "nearest") != "nearest":
        return False
    if node.results[0].shape == node.operands[0].shape or node.operands[2] is None:
        return False
    jump = 0.5 if node.attributes.get("nearest_mode", "round").startswith("round") else 0.0
    axes = node.attributes.get("axes", range(len(node.operands[0].shape)))
    for axis, scale in zip(axes, node.operands[2].array.tolist()):
        extent, length = node.operands[0].shape[axis], node.results[0].shape[axis]
        at = extent / 2 * (1 - length / (extent * scale)) + (np.arange(length) + 0.5) / scale
        distance = np.abs((at - jump) % 1 - 0.5)  # to a half: the position is `at` - 1/2
        if np.any(distance < 1e-5 * extent):
            return True
    return False


@reason("ONNX Runtime divides by the deviation, ONNX by it and 1e-9", "MeanVarianceNormalization")
def small_deviation(node):
    x = node.operands[0].array
    if not x.size:
        return False
    deviation = x.astype(np.float64).std(tuple(node.attributes.get("axes", [0, 2, 3])),
                                         keepdims=True)
    return np.broadcast_to(deviation < 1e-4, x.shape)


@reason("ONNX Runtime takes k x + (B - k mean), where large numbers cancel",
        "InstanceNormalization")
def large_shift(node):
    x, scale = (v.array.astype(np.float64) for v in node.operands[:2])
    if not x.size:
        return False
    inner = tuple(range(2, x.ndim))
    mean, variance = x.mean(inner, keepdims=True), x.var(inner, keepdims=True)
    k = scale.reshape(-1, *[1] * len(inner)) / \
        np.sqrt(variance + node.attributes.get("epsilon", 1e-5))
    lost = np.abs(k * mean) * 2.0**-22
    return lost > 1e-5 * (1 + np.abs(node.results[0].array.astype(np.float64)))


@reason("the table of ONNX Runtime times 1 / scale overflows", "QLinearSoftmax")
def large_product(node):
    """Its exponentials are such that the largest are e^-5 of the largest float, divided by
    how many a sum may have."""
    x, x_scale, _, scale = (v and v.array for v in node.operands[:4])
    is_flat = node.attributes["opset"] < 13
    axis = node.attributes.get("axis", 1 if is_flat else -1) % x.ndim
    axes = tuple(range(axis, x.ndim)) if is_flat else (axis,)
    wide = x.astype(np.float64)
    near = np.exp((wide - wide.max(axes, keepdims=True, initial=-np.inf)) * float(x_scale.item()))
    return near / float(scale.item()) > 148 * np.prod([x.shape[a] for a in axes])


@reason("all keys are hidden by a penalty, which leaves scores few digits", "Attention",
        "MultiHeadAttention", "QAttention")
def all_hidden(node):
    reads = list(node.operands) + [None] * 9
    at, past_at = {"Attention": (3, 4), "QAttention": (5, 8)}.get(node.op, (4, 6))
    mask, past = reads[at], reads[past_at]
    if node.domain != MICROSOFT or mask is None or \
            abs(node.attributes.get("mask_filter_value", -10000.0)) < 100:
        return False
    batch, queries = reads[0].shape[:2]
    before = past.shape[-2] if past else 0
    keys = before + (reads[1].shape[-2] if node.op == "MultiHeadAttention" else queries)
    marks, key = mask.array, np.arange(keys)
    if marks.ndim == 1:
        begins = marks[batch:2 * batch] if marks.size == 2 * batch else np.zeros(batch)
        visible = ((key < marks[:batch, None]) & (key >= begins[:, None]))[:, None]
    else:
        visible = marks[:, None] > 0 if marks.ndim == 2 else marks > 0
    if node.attributes.get("unidirectional"):
        visible = visible & (key <= np.arange(queries)[:, None] + before)
    return not visible.any(-1).all()


@reason("ONNX Runtime takes images of other than two dimensions otherwise than ONNX", "Col2Im")
def images(node):
    return node.operands[1].array.size != 2


@reason("an aligned grid of one position: fusec takes the centre, as PyTorch", "AffineGrid")
def single_position(node):
    return node.attributes.get("align_corners") == 1 and \
        1 in node.operands[1].array.tolist()[2:]


@reason("the maximum of a window of nothing but padding", "MaxPool")
def padding_only(node):
    result = node.results[0]
    low = np.finfo(result.array.dtype).min if is_float(result) else limits_of(result.dtype)[0]
    return result.array == low


@reason("ONNX Runtime takes the lowest number as the maximum of infinities", "GlobalMaxPool")
def lowest(node):
    x, result = node.operands[0].array, node.results[0].array
    most = x.max(tuple(range(2, x.ndim)), keepdims=True, initial=-np.inf)
    return (result == np.finfo(result.dtype).min) & (most == -np.inf)


@reason("ONNX Runtime pads by less than 0 for SAME", "Conv", "FusedConv", "QLinearConv",
        "ConvInteger", "AveragePool", "LpPool")
def negative_padding(node):
    """Now by that, and then by none; fusec by none."""
    if not str(node.attributes.get("auto_pad", "")).startswith("SAME"):
        return False
    weights = 3 if node.op == "QLinearConv" else 1
    kernel = node.attributes.get("kernel_shape") or node.operands[weights].shape[2:]
    strides = node.attributes.get("strides") or [1] * len(kernel)
    return any((e - 1) % s + 1 > k for e, k, s in zip(node.operands[0].shape[2:], kernel, strides))


@reason("queries behind the end of a sample, through a window", "GroupQueryAttention")
def behind_end(node):
    """In a prompt; ONNX Runtime moves the window with them, or not."""
    lengths, total = (v.array for v in node.operands[5:7])
    queries = node.operands[0].shape[1]
    if node.attributes.get("local_window_size", -1) < 1 or int(total) != queries:
        return False
    isBehind = np.arange(queries) > lengths.reshape(-1, 1)
    return np.broadcast_to(isBehind[..., None], node.results[0].shape)


@reason("ONNX Runtime lets a single causal query see all keys", "Attention")
def single_query(node):
    return node.attributes.get("is_causal") == 1 and node.operands[0].shape[-2] == 1


@reason("ONNX Runtime hides keys by the lowest number, ONNX by an infinity", "Attention")
def hidden_scores(node):
    if node.domain == MICROSOFT or len(node.results) < 4 or node.results[3] is None:
        return False
    scores = node.results[3].array
    return [False, False, False, scores == np.finfo(scores.dtype).min]


@reason("ONNX Runtime's gates take Softplus of more than 88 for an infinity", "RNN", "GRU", "LSTM")
def large_gate(node):
    return "Softplus" in (node.attributes.get("activations") or []) and \
        not all(np.isfinite(r.array).all() for r in node.results if r is not None)
