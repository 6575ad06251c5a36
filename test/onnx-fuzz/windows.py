# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of convolutions, pooling, sampling and resizing."""
import numpy as np

from graph import DTYPES, Invalid
from rows import row


def spatial(g, rank, most=17):
    return tuple(g.extent(most, 1) for _ in range(rank))


def window(g, image, dilated=True, auto=("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"), most=4):
    """Kernel shape and attributes of a window that fits into the image."""
    rank = len(image)
    kernel = [g.integer(1, most) for _ in range(rank)]
    dilations = [g.choice([1, 1, 2, 3]) for _ in range(rank)] if dilated and g.chance(0.4) else None
    reach = [(k - 1) * (dilations or [1] * rank)[i] + 1 for i, k in enumerate(kernel)]
    strides = [g.choice([1, 2, 3]) for _ in range(rank)] if g.chance(0.5) else None
    chosen = g.choice(auto, [6] + [1] * (len(auto) - 1))
    named = {"strides": strides, "dilations": dilations,
             "auto_pad": chosen if chosen != "NOTSET" or g.chance(0.1) else None}
    if chosen == "NOTSET":
        pads = [g.integer(0, k - 1) for k in kernel * 2] if g.chance(0.6) else [0] * 2 * rank
        for i in range(rank):  # the padded image is as long as the window
            pads[i] += max(0, reach[i] - image[i] - pads[i] - pads[i + rank])
            if pads[i] >= reach[i]:
                raise Invalid("a window of nothing but padding")
        named["pads"] = pads if any(pads) or g.chance(0.3) else None
    elif chosen == "VALID" and any(r > e for r, e in zip(reach, image)):
        raise Invalid("no window fits")
    return kernel, named


@row("Conv")
def conv(g, op):
    rank = g.choice([1, 2, 2, 2, 3])
    image, groups = spatial(g, rank), g.choice([1, 1, 1, 2, 3, 4])
    kernel, named = window(g, image)
    ins, outs = groups * g.choice([1, 1, 2, 3]), groups * g.choice([1, 2, 3, 5])
    x = g.tensor(g.dtype(op), (g.choice([1, 1, 2, 3]), ins, *image), most=67)
    w = g.tensor(x.dtype, (outs, ins // groups, *kernel), fresh=1)
    bias = g.tensor(x.dtype, (outs,)) if g.chance(0.5) else None
    g.emit(op, x, w, bias, kernel_shape=kernel if g.chance(0.7) else None,
           group=groups if groups > 1 or g.chance(0.2) else None, **named)


@row("ConvTranspose")
def conv_transpose(g, op):
    rank = g.choice([1, 2, 2, 3])
    image, groups = spatial(g, rank, 8), g.choice([1, 1, 2, 3])
    kernel, named = window(g, image)
    ins, outs = groups * g.choice([1, 2, 3]), g.choice([1, 2, 3])
    strides = named["strides"] or [1] * rank
    if named["auto_pad"] in (None, "NOTSET") and g.chance(0.4):
        dilations = named["dilations"] or [1] * rank
        named["output_padding"] = [g.integer(0, max(s, d) - 1) for s, d in zip(strides, dilations)]
    if g.chance(0.2):
        named["output_shape"] = [e * s + g.integer(0, 1) for e, s in zip(image, strides)]
        named["pads"] = None
    x = g.tensor(g.dtype(op), (g.choice([1, 2]), ins, *image))
    w = g.tensor(x.dtype, (ins, outs, *kernel), fresh=1)
    bias = g.tensor(x.dtype, (outs * groups,)) if g.chance(0.5) else None
    g.emit(op, x, w, bias, kernel_shape=kernel if g.chance(0.7) else None,
           group=groups if groups > 1 else None, **named)


@row("MaxPool", "AveragePool", "LpPool")
def pool(g, op):
    rank = g.choice([1, 2, 2, 3])
    image = spatial(g, rank)
    dilated = g.since(op) >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[op]
    kernel, named = window(g, image, dilated)
    if g.chance(0.4) and named["auto_pad"] is None:
        named["ceil_mode"] = 1
    x = g.tensor(g.dtype(op), (g.choice([1, 2]), g.choice([1, 2, 3]), *image),
                 exact=op == "MaxPool")
    results = [True, g.chance(0.3)] if op == "MaxPool" and g.since(op) >= 8 else [True]
    g.emit(op, x, results=results, kernel_shape=kernel,
           count_include_pad=g.choice([None, 0, 1]), p=g.choice([None, 1, 2, 3]),
           storage_order=g.choice([None, 0, 1]) if len(results) == 2 else None, **named)


@row("MaxUnpool")
def unpool(g, op):
    x = g.leaf(g.numbers(g.dtype(op), (1, g.choice([1, 2]), *(2 * g.integer(1, 4) for _ in "hw"))),
               "input")
    kernel = [2, 2]
    y, at = g.emit("MaxPool", x, results=2, kernel_shape=kernel, strides=[2, 2])
    shape = None
    if g.chance(0.4):
        shape = np.array(x.shape, np.int64)
    g.emit(op, y, at, kernel_shape=kernel, strides=[2, 2], output_shape=shape)


@row("DeformConv")
def deform(g, op):
    image, groups = spatial(g, 2, 8), g.choice([1, 1, 2])
    kernel, named = window(g, image, auto=("NOTSET",), most=3)
    ins, outs = groups * 2, groups * g.choice([1, 2])
    x = g.tensor(g.dtype(op), (g.choice([1, 2]), ins, *image), low=-3, high=3, exact=True)
    w = g.tensor(x.dtype, (outs, ins // groups, *kernel), fresh=1, low=-1, high=1, exact=True)
    pads, strides = named.get("pads") or [0] * 4, named["strides"] or [1, 1]
    dilations = named["dilations"] or [1, 1]
    out = [(image[i] + pads[i] + pads[i + 2] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1
           for i in range(2)]
    parts = g.choice([1, 2])
    count = parts * kernel[0] * kernel[1]
    offset = g.leaf(g.numbers(x.dtype, (x.shape[0], 2 * count, *out), -1.4, 1.4))
    bias = g.tensor(x.dtype, (outs,), exact=True) if g.chance(0.5) else None
    mask = g.leaf(g.numbers(x.dtype, (x.shape[0], count, *out), 0, 1)) if g.chance(0.5) else None
    named.pop("auto_pad")
    g.emit(op, x, w, offset, bias, mask, group=groups if groups > 1 else None,
           offset_group=parts if parts > 1 else None, **named)


@row("Resize")
def resize(g, op):
    rank = g.choice([1, 2, 3, 4, 4, 5])
    mode = g.choice(["nearest", "linear", "cubic"]) if g.since(op) >= 11 else \
        g.choice(["nearest", "linear"])
    shape = list(g.shape(rank, least=1, most=11))
    scaled = list(range(rank))
    if rank > 2:
        scaled = scaled[2:]
    if mode == "cubic":
        scaled = scaled[:2]
    x = g.tensor(g.dtype(op), tuple(shape), exact=True)
    factors = [g.choice([1, 2, 3, 0.5, 1.5, 0.75, 2.5]) if i in scaled else 1 for i in range(rank)]
    sizes = [max(1, e + g.integer(-4, 9)) if i in scaled else e for i, e in enumerate(shape)]
    axes = None
    if g.since(op) >= 18 and g.chance(0.3):
        axes = scaled
        factors, sizes = [factors[i] for i in axes], [sizes[i] for i in axes]
    by_scales = g.since(op) < 11 or g.chance(0.5)
    coordinates = g.choice([None, "half_pixel", "asymmetric", "align_corners",
                            "pytorch_half_pixel", "half_pixel_symmetric", "tf_crop_and_resize"])
    roi = None
    if coordinates == "tf_crop_and_resize":
        end = g.choice([0.75, 1.25])
        crops = [(0.125, end) if i in scaled else (0, 1) for i in axes or range(rank)]
        roi = np.array([[a for a, _ in crops], [b for _, b in crops]], np.float32).reshape(-1)
        roi = g.leaf(roi.astype(DTYPES[g.dtype(op, 1)]), "initializer")
    elif g.since(op) in (11, 12):  # not optional there
        roi = g.leaf(np.zeros(0, np.float32), "initializer")
    scales = np.array(factors, np.float32) if by_scales else None
    if not by_scales and g.since(op) < 13:
        scales = np.zeros(0, np.float32)
    antialias = g.choice([None, 0, 1]) if mode != "nearest" else None
    g.emit(op, x, roi=roi, scales=scales, sizes=None if by_scales else np.array(sizes, np.int64),
           mode=mode, coordinate_transformation_mode=coordinates, axes=axes, antialias=antialias,
           nearest_mode=g.choice([None, "floor", "ceil", "round_prefer_ceil", "round_prefer_floor"])
           if mode == "nearest" else None,
           cubic_coeff_a=g.choice([None, -0.5]) if mode == "cubic" else None,
           exclude_outside=g.choice([None, 0, 1]) if mode == "cubic" else None,
           extrapolation_value=g.choice([None, 2.0]) if roi is not None else None,
           keep_aspect_ratio_policy=g.choice([None, "stretch", "not_larger", "not_smaller"])
           if not by_scales and g.chance(0.4) else None)


@row("Upsample")
def upsample(g, op):
    x = g.tensor(g.dtype(op), rank=4, least=1, most=11, exact=True)
    scales = [1.0, 1.0, g.choice([1.0, 2.0, 3.0, 1.5]), g.choice([1.0, 2.0, 2.5])]
    g.emit(op, x, scales=scales if g.since(op) < 9 else np.array(scales, np.float32),
           mode=g.choice([None, "nearest", "linear"]))


@row("GridSample")
def grid_sample(g, op):
    rank = 2 if g.since(op) < 20 or g.chance(0.7) else 3
    dtype = g.dtype(op)
    x = g.tensor(dtype, (g.choice([1, 2]), g.choice([1, 2, 3]), *spatial(g, rank, 8)), exact=True)
    grid = g.numbers(dtype if g.since(op) < 20 else g.dtype(op, 1),
                     (x.shape[0], *spatial(g, rank, 6), rank), -1.3, 1.3)
    modes = ["linear", "nearest", "cubic"]
    if g.since(op) < 20:
        modes = ["bilinear", "nearest", "bicubic"]
    if rank == 3:
        modes = modes[:2]
    g.emit(op, x, g.leaf(grid), mode=g.choice([None, *modes]),
           padding_mode=g.choice([None, "zeros", "border", "reflection"]),
           align_corners=g.choice([None, 0, 1]))


@row("AffineGrid")
def affine_grid(g, op):
    rank = g.choice([2, 3])
    batch = g.choice([1, 2])
    theta = g.tensor(g.dtype(op), (batch, rank, rank + 1))
    g.emit(op, theta, size=np.array([batch, 2, *spatial(g, rank, 8)], np.int64),
           align_corners=g.choice([None, 0, 1]))


@row("Col2Im")
def col2im(g, op):
    rank = g.choice([1, 2, 2, 3])
    image = spatial(g, rank, 8)
    kernel, named = window(g, image, auto=("NOTSET",), most=3)
    pads, strides = named.get("pads") or [0] * 2 * rank, named["strides"] or [1] * rank
    dilations = named["dilations"] or [1] * rank
    blocks = 1
    for i in range(rank):
        reach = (kernel[i] - 1) * dilations[i] + 1
        blocks *= (image[i] + pads[i] + pads[i + rank] - reach) // strides[i] + 1
    named.pop("auto_pad")
    x = g.tensor(g.dtype(op), (g.choice([1, 2]), g.choice([1, 2]) * int(np.prod(kernel)), blocks))
    g.emit(op, x, image_shape=np.array(image, np.int64), block_shape=np.array(kernel, np.int64),
           **named)


def boxes(g, count, extent, dtype):
    low = g.rng.uniform(0, extent * 0.6, (count, 2))
    return np.concatenate([low, low + g.rng.uniform(0.3, extent * 0.5, (count, 2))], 1
                          ).astype(DTYPES[dtype])


@row("RoiAlign")
def roi_align(g, op):
    x = g.tensor(g.dtype(op), (g.choice([1, 2]), g.choice([1, 2]), *spatial(g, 2, 8)), exact=True)
    count = g.choice([1, 2, 5])
    rois = g.leaf(boxes(g, count, max(x.shape[2:]) * 2, x.dtype))
    at = g.leaf(g.rng.integers(0, x.shape[0], count))
    g.emit(op, x, rois, at, mode=g.choice([None, "avg", "max"]),
           output_height=g.choice([None, 2, 3]), output_width=g.choice([None, 2, 3]),
           sampling_ratio=g.choice([None, 0, 1, 2]), spatial_scale=g.choice([None, 0.5]),
           coordinate_transformation_mode=g.choice([None, "half_pixel", "output_half_pixel"]))


@row("MaxRoiPool")
def max_roi_pool(g, op):
    x = g.tensor(g.dtype(op), (g.choice([1, 2]), g.choice([1, 2]), *spatial(g, 2, 8)), exact=True)
    count = g.choice([1, 2, 5])
    rois = np.round(boxes(g, count, max(x.shape[2:]), "f32"))
    rois = np.concatenate([g.rng.integers(0, x.shape[0], (count, 1)), rois], 1)
    g.emit(op, x, g.leaf(rois.astype(DTYPES[x.dtype])), pooled_shape=[g.choice([1, 2, 3])] * 2,
           spatial_scale=g.choice([None, 0.5]))


@row("NonMaxSuppression")
def suppression(g, op):
    batch, count, classes = g.choice([1, 2]), g.choice([1, 3, 6]), g.choice([1, 2])
    found = np.stack([boxes(g, count, 10, "f32") for _ in range(batch)])
    scores = g.rng.permutation(batch * classes * count).reshape(batch, classes, count)
    scores = (scores / 16).astype(np.float32)
    g.emit(op, g.leaf(found, "initializer"), g.leaf(scores, "initializer"),
           max_output_boxes_per_class=np.array([g.choice([0, 1, 3, 9])]) if g.chance(0.9) else None,
           iou_threshold=np.array([g.choice([0.3, 0.5])], np.float32) if g.chance(0.7) else None,
           score_threshold=np.array([0.2], np.float32) if g.chance(0.5) else None,
           center_point_box=g.choice([None, 0, 1]))
