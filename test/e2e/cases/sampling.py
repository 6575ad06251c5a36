# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on images: Resize and its kin, cropping, blocks, grids."""
import numpy as np

from builder import Case, Graph, cases

HALVES = ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners",
          "half_pixel_symmetric")


def resize(name, shape, scales=None, sizes=None, roi=None, opset=19, dtype="f32",
           tolerance=None, reference=None, **attributes):
    """A case of Resize, of some axes if the attributes name them."""
    g = Graph(f"resize_{name}")
    g.opset = opset
    nearest = attributes.get("mode", "nearest") == "nearest"
    arguments = [g.weight(np.array(roi), "f32") if roi else None,
                 g.weight(np.array(scales or []), "f32") if scales or opset < 13 else None,
                 g.const(*sizes) if sizes else None]
    while arguments[-1] is None:
        arguments.pop()
    y = g.op("Resize", g.input("x", shape, dtype), *arguments, **attributes)
    return Case(g.output(y, dtype=dtype), tolerance or ("exact" if nearest else "reduction"), reference)


@cases
def nearest():
    for mode in HALVES:
        for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
            yield resize(f"nearest_{mode}_{rounding}", (1, 2, 5, 7), sizes=[1, 2, 8, 4],
                         coordinate_transformation_mode=mode, nearest_mode=rounding)
    yield resize("nearest_by_2", (2, 3, 5, 17), scales=[1, 1, 2, 2])
    yield resize("nearest_by_3_and_1", (1, 3, 5, 7), scales=[1, 1, 3, 1], nearest_mode="floor",
                 coordinate_transformation_mode="asymmetric")
    yield resize("nearest_half", (1, 2, 8, 6), scales=[1, 1, 0.5, 0.5])
    yield resize("nearest_all_dims", (2, 3, 4), scales=[2, 1.5, 0.75])
    yield resize("nearest_1d", (1, 3, 31), sizes=[1, 3, 48])
    yield resize("nearest_3d", (1, 2, 3, 4, 5), scales=[1, 1, 2, 2, 2])
    yield resize("nearest_to_1", (1, 2, 5, 7), sizes=[1, 2, 1, 1])
    yield resize("nearest_from_1", (1, 2, 1, 1), sizes=[1, 2, 5, 7])
    yield resize("nearest_i32", (1, 2, 5, 7), sizes=[1, 2, 7, 10], dtype="i32")
    yield resize("nearest_u8", (1, 2, 5, 7), scales=[1, 1, 2, 2], dtype="u8",
                 extrapolation_value=-1.0)
    yield resize("nearest_tf", (1, 2, 5, 7), sizes=[1, 2, 8, 4], opset=11,
                 roi=[0.0] * 4 + [1.0] * 4,
                 coordinate_transformation_mode="tf_half_pixel_for_nn")
    yield resize("nearest_opset_13", (1, 2, 5, 7), scales=[1, 1, 1.5, 0.6], opset=13)
    yield resize("nearest_axes", (2, 3, 5, 7), sizes=[14, 9], axes=[3, 2], opset=18)
    for policy in ("not_larger", "not_smaller"):
        yield resize(f"nearest_{policy}", (1, 2, 5, 7), sizes=[8, 8], axes=[2, 3], opset=18,
                     keep_aspect_ratio_policy=policy)
    yield resize("nearest_stretch_by_scales", (1, 2, 5, 7), scales=[1.5, 2.0], axes=[2, 3],
                 opset=18, keep_aspect_ratio_policy="stretch")


@cases
def interpolated():
    for kind in ("linear", "cubic"):
        for mode in HALVES:
            for name, sizes in (("up", [1, 2, 9, 11]), ("down", [1, 2, 3, 5])):
                yield resize(f"{kind}_{mode}_{name}", (1, 2, 5, 7), sizes=sizes, mode=kind,
                             coordinate_transformation_mode=mode)
        yield resize(f"{kind}_by_2", (2, 3, 5, 17), scales=[1, 1, 2, 2], mode=kind)
        yield resize(f"{kind}_half", (1, 3, 8, 34), scales=[1, 1, 0.5, 0.5], mode=kind)
        yield resize(f"{kind}_to_1", (1, 2, 5, 7), sizes=[1, 2, 1, 1], mode=kind)
        yield resize(f"{kind}_from_1", (1, 2, 1, 1), sizes=[1, 2, 3, 5], mode=kind)
        for name, sizes in (("down", [1, 2, 5, 3]), ("up", [1, 2, 19, 20])):
            yield resize(f"{kind}_antialias_{name}", (1, 2, 17, 16), sizes=sizes, mode=kind,
                         antialias=1, opset=18)
        # Lengths that are not whole: the last position is the last element even so.
        for mode, roi in (("align_corners", None),
                          ("tf_crop_and_resize", [0.0, 0.0, 0.1, 0.2, 1.0, 1.0, 0.7, 0.8])):
            yield resize(f"{kind}_{mode}_scaled", (1, 2, 5, 7), scales=[1, 1, 1.5, 0.6],
                         roi=roi, mode=kind, coordinate_transformation_mode=mode)
    # As many taps as the dimension is long.
    yield resize("linear_antialias_long", (1, 1, 2, 30011), sizes=(1, 1, 2, 3),
                 mode="linear", antialias=1, opset=18)
    yield resize("linear_1d", (1, 3, 31), sizes=[1, 3, 48], mode="linear")
    yield resize("linear_3d", (1, 2, 3, 4, 5), sizes=[1, 2, 5, 6, 4], mode="linear")
    yield resize("linear_channels_last", (1, 5, 7, 3), sizes=[1, 9, 10, 3], mode="linear")
    yield resize("linear_axes", (2, 3, 5, 7), scales=[1.7, 2.3], axes=[2, 3], mode="linear")
    yield resize("linear_f16", (1, 2, 5, 7), sizes=[1, 2, 8, 12], mode="linear", dtype="f16")
    yield resize("linear_f64", (1, 2, 8, 34), scales=[1, 1, 0.5, 0.5], mode="linear",
                 dtype="f64", reference=lambda x: [x.reshape(1, 2, 4, 2, 17, 2).mean((3, 5))])
    yield resize("linear_opset_11", (1, 2, 5, 7), scales=[1, 1, 1.5, 2.5], mode="linear",
                 opset=11, roi=[0.0] * 4 + [1.0] * 4)
    yield resize("cubic_a", (1, 2, 5, 7), sizes=[1, 2, 9, 4], mode="cubic", cubic_coeff_a=-0.5)
    yield resize("cubic_exclude_outside", (1, 2, 5, 7), sizes=[1, 2, 9, 4], mode="cubic",
                 exclude_outside=1)


def weights(extent, size, kind, antialias):
    """[size, extent]: the shares of elements in positions, at half_pixel's coordinates."""
    scale = np.float32(size / extent)
    at = (np.arange(size, dtype=np.float32) + np.float32(0.5)) / scale - np.float32(0.5)
    stretch = min(float(scale), 1.0) if antialias else 1.0
    reach = int(2 / stretch) + 2
    matrix = np.zeros((size, extent))
    for o, x in enumerate(at.astype(np.float64)):
        taps = np.arange(int(np.floor(x)) - reach, int(np.floor(x)) + reach + 2)
        t = np.abs(taps - x) * stretch
        if kind == "linear":
            share = np.maximum(1 - t, 0)
        else:
            near, far = np.polyval([1.25, -2.25, 0, 1], t), np.polyval([-0.75, 3.75, -6, 3], t)
            share = np.where(t <= 1, near, np.where(t < 2, far, 0))
        np.add.at(matrix[o], np.clip(taps, 0, extent - 1), share / share.sum())
    return matrix


def interpolated_integers(x, sizes, kind, antialias):
    y = x.astype(np.float64)
    for axis, size in enumerate(sizes):
        if size != x.shape[axis]:
            matrix = weights(x.shape[axis], size, kind, antialias)
            y = np.moveaxis(np.tensordot(matrix, y, (1, axis)), 0, axis)
    y = np.floor(y + 0.500001) if antialias else np.trunc(y + np.where(y < 0, -1e-6, 1e-6))
    limits = np.iinfo(x.dtype)
    return np.clip(y, limits.min, np.nextafter(limits.max, 0) if limits.bits == 64 else limits.max)


@cases
def integers():
    """Cut off towards zero, or with antialias rounded."""
    every = [(kind, antialias, sizes) for kind in ("linear", "cubic") for antialias in (0, 1)
             for sizes in ((1, 2, 9, 11), (1, 2, 3, 5))]
    for dtype in ("u8", "i8", "u16", "i32", "i64", "u64"):
        for kind, antialias, sizes in every if dtype == "u8" else (every[3], every[4]):
            name = f"{dtype}_{kind}{'_antialias' * antialias}_to_{sizes[2]}x{sizes[3]}"
            case = resize(name, (1, 2, 5, 7), sizes=sizes, mode=kind, antialias=antialias,
                          dtype=dtype, tolerance="exact",
                          reference=lambda x, sizes=sizes, kind=kind, antialias=antialias: [
                              interpolated_integers(x, sizes, kind, antialias).astype(x.dtype)])
            x = case.graph.inputs["x"]
            limits = np.iinfo(x.dtype)
            if limits.bits == 64:  # all that f64 adds up exactly, and an end that it lacks
                x[0, 0] = limits.max
            else:  # a plain area, and an edge that cubics overshoot
                x = case.graph.rng.integers(limits.min, limits.max, x.shape, x.dtype,
                                            endpoint=True)
                x[0, 0, :3] = limits.max
                x[0, 0, 3:] = limits.min
            case.graph.inputs["x"] = x
            yield case
    # Weights that f32 has, where ONNX Runtime does not fall short.
    for dtype in ("u8", "i8", "i32"):
        yield resize(f"{dtype}_linear_by_2", (1, 3, 6, 17), scales=[1, 1, 2, 2], mode="linear",
                     dtype=dtype, tolerance="exact")
        yield resize(f"{dtype}_linear_corners", (2, 1, 5, 9), sizes=[2, 1, 9, 17], mode="linear",
                     coordinate_transformation_mode="align_corners", dtype=dtype,
                     tolerance="exact")
        yield resize(f"{dtype}_linear_crop", (5, 9), sizes=[4, 29], mode="linear", dtype=dtype,
                     coordinate_transformation_mode="tf_crop_and_resize", roi=[0, 0.25, 0.75, 2],
                     extrapolation_value=7.5, tolerance="exact")
    yield resize("u8_antialias_half", (1, 3, 6, 32), sizes=[1, 3, 6, 16], mode="linear",
                 antialias=1, dtype="u8", tolerance="exact")
    yield resize("u8_to_1", (2, 5), sizes=[2, 1], mode="linear", dtype="u8", tolerance="exact")
    for name, dtype, attributes, reason in (
            ("booleans", "bool", {"mode": "linear"}, "interpolates booleans"),
            ("outside", "u8", {"coordinate_transformation_mode": "tf_crop_and_resize",
                               "roi": [0.0] * 3 + [1.0] * 3, "extrapolation_value": -2.0},
             "which ui8 does not hold")):
        case = resize(f"refuses_{name}", (1, 2, 4), sizes=[1, 2, 7], dtype=dtype, **attributes)
        case.refusal = (4, ["(Resize", reason])
        yield case


@cases
def cropped():
    for kind in ("nearest", "linear"):
        yield resize(f"crop_{kind}", (1, 2, 7, 9), sizes=[1, 2, 5, 6], mode=kind,
                     roi=[0, 0, 0.2, 0.4, 1, 1, 0.7, 0.8],
                     coordinate_transformation_mode="tf_crop_and_resize")
        yield resize(f"crop_beyond_{kind}", (1, 2, 5, 7), sizes=[1, 2, 6, 9], mode=kind,
                     roi=[0, 0, -0.3, 0.5, 1, 1, 1.2, 1.6], extrapolation_value=2.5,
                     coordinate_transformation_mode="tf_crop_and_resize")
    yield resize("crop_to_1", (1, 2, 7, 9), sizes=[1, 2, 1, 1], mode="linear",
                 roi=[0, 0, 0.2, 0.4, 1, 1, 0.7, 0.8],
                 coordinate_transformation_mode="tf_crop_and_resize")


@cases
def forerunners():
    for mode in ("nearest", "linear"):
        g = Graph(f"upsample_7_{mode}")
        g.opset = 7
        y = g.op("Upsample", g.input("x", (1, 2, 3, 5)), scales=[1.0, 1.0, 2.0, 3.0], mode=mode)
        yield Case(g.output(y), "reduction")
        g = Graph(f"upsample_9_{mode}")
        g.opset = 9
        scales = g.weight(np.array([1, 1, 1.5, 2]), "f32")
        yield Case(g.output(g.op("Upsample", g.input("x", (1, 2, 4, 5)), scales, mode=mode)),
                   "reduction")
        g = Graph(f"resize_10_{mode}")
        g.opset = 10
        scales = g.weight(np.array([1, 1, 0.6, 2]), "f32")
        yield Case(g.output(g.op("Resize", g.input("x", (1, 2, 4, 5)), scales, mode=mode)),
                   "reduction")


@cases
def fused():
    g = Graph("resize_between_elementwise")
    g.opset = 19
    x = g.op("Relu", g.input("x", (1, 4, 6, 9)))
    x = g.op("Resize", x, None, g.weight(np.array([1, 1, 2, 2]), "f32"), mode="linear")
    yield Case(g.output(g.op("Add", x, g.input("skip", (1, 4, 12, 18)))), "reduction")
    g = Graph("upsample_and_join")  # as in U-Net
    g.opset = 19
    x = g.op("Resize", g.input("x", (1, 4, 6, 9)), None,
             g.weight(np.array([1, 1, 2, 2]), "f32"))
    yield Case(g.output(g.op("Concat", x, g.input("skip", (1, 3, 12, 18)), axis=1)), "exact")


@cases
def centred():
    for name, shape, wanted, axes in (("crop", (9, 8), [4, 3], None), ("pad", (3, 4), [8, 9], None),
                                      ("both", (3, 9, 5), [6, 4], [-1, 1]),
                                      ("same", (3, 5), [3, 5], None)):
        g = Graph(f"centercroppad_{name}")
        g.opset = 18
        attributes = {"axes": axes} if axes else {}
        yield Case(g.output(g.op("CenterCropPad", g.input("x", shape), g.const(*wanted),
                                 **attributes)), "exact")


@cases
def blocks():
    variants = {"plain": ((1, 10, 24), [5, 6], [2, 1], {}),
                "5x5": ((1, 5, 5), [5, 5], [1, 5], {}),
                "strides": ((2, 18, 4), [5, 5], [3, 3], {"strides": [2, 2]}),
                "pads": ((1, 5, 15), [5, 5], [1, 5], {"pads": [0, 1, 0, 1]}),
                "dilations": ((1, 8, 15), [6, 6], [2, 2], {"dilations": [1, 3]}),
                "gaps": ((1, 4, 4), [7, 7], [2, 2], {"strides": [4, 5]}),
                "5d": ((1, 10, 12), [3, 4, 5], [1, 1, 5], {}),
                "1d": ((2, 6, 5), [7], [3], {})}
    for name, (shape, image, block, attributes) in variants.items():
        g = Graph(f"col2im_{name}")
        g.opset = 18
        y = g.op("Col2Im", g.input("x", shape), g.const(*image), g.const(*block), **attributes)
        yield Case(g.output(y), "reduction")


@cases
def grids():
    for corners in (0, 1):
        for name, size in (("2d", [2, 3, 5, 6]), ("3d", [2, 3, 4, 5, 6])):
            g = Graph(f"affinegrid_{name}_{'corners' if corners else 'centres'}")
            g.opset = 20
            theta = g.input("theta", (2, len(size) - 2, len(size) - 1))
            yield Case(g.output(g.op("AffineGrid", theta, g.const(*size),
                                     align_corners=corners)), "reduction")


@cases
def grid_samples():
    for mode, old in (("nearest", "nearest"), ("linear", "bilinear"), ("cubic", "bicubic")):
        for padding in ("zeros", "border", "reflection"):
            for corners in (0, 1):
                g = Graph(f"gridsample_{mode}_{padding}_{'corners' if corners else 'centres'}")
                g.opset = 20
                grid = g.input("grid", (2, 7, 9, 2), low=-1.7, high=1.7)
                y = g.op("GridSample", g.input("x", (2, 3, 5, 6)), grid, mode=mode,
                         padding_mode=padding, align_corners=corners)
                yield Case(g.output(y), "reduction")
            if mode == "cubic":
                continue
            g = Graph(f"gridsample_3d_{mode}_{padding}")
            g.opset = 20
            grid = g.input("grid", (2, 3, 4, 5, 3), low=-1.4, high=1.4)
            y = g.op("GridSample", g.input("x", (2, 2, 3, 5, 4)), grid, mode=mode,
                     padding_mode=padding)
            yield Case(g.output(y), "reduction")
        g = Graph(f"gridsample_16_{old}")
        grid = g.input("grid", (1, 3, 17, 2), low=-1.2, high=1.2)
        yield Case(g.output(g.op("GridSample", g.input("x", (1, 2, 4, 4)), grid, mode=old)),
                   "reduction")
    for padding in ("zeros", "border", "reflection"):
        g = Graph(f"gridsample_tiny_{padding}")  # mirrors of mirrors, and far away
        g.opset = 20
        grid = g.input("grid", (1, 5, 7, 2), low=-9, high=9)
        y = g.op("GridSample", g.input("x", (1, 2, 1, 2)), grid, mode="cubic",
                 padding_mode=padding)
        yield Case(g.output(y), "reduction")
    g = Graph("affinegrid_then_gridsample")  # a spatial transformer
    g.opset = 20
    grid = g.op("AffineGrid", g.input("theta", (2, 2, 3)), g.const(2, 3, 6, 7))
    yield Case(g.output(g.op("GridSample", g.input("x", (2, 3, 5, 8)), grid)), "reduction")


def deform_conv(name, x, filters, kernel, out, parts=1, mask=False, bias=False, **attributes):
    """Offsets reach over the border; `parts` groups of them."""
    g = Graph(f"deformconv_{name}")
    g.opset = 22
    groups = attributes.get("group", 1)
    taps = parts * kernel[0] * kernel[1]
    operands = [g.input("x", x), g.weight((filters, x[1] // groups, *kernel)),
                g.input("offset", (x[0], 2 * taps, *out), low=-2.3, high=2.3)]
    if mask or bias:
        operands.append(g.weight((filters,)) if bias else None)
    if mask:
        operands.append(g.input("mask", (x[0], taps, *out)))
    y = g.op("DeformConv", *operands, offset_group=parts, **attributes)
    return Case(g.output(y), "reduction")


@cases
def deform_convs():
    yield deform_conv("plain", (1, 3, 7, 5), 2, (3, 3), (5, 3))
    yield deform_conv("groups", (2, 4, 7, 8), 6, (3, 2), (4, 4), parts=2, mask=True, bias=True,
                      group=2, pads=[1, 0, 1, 1], strides=[2, 2])
    yield deform_conv("dilated", (1, 2, 9, 1), 1, (2, 1), (6, 3), bias=True,
                      pads=[0, 1, 0, 1], dilations=[3, 1])


@cases
def regions():
    corners = np.array([[1, 2, 7, 9], [0, 0, 3, 3], [4.5, 1.25, 12, 5], [-3, -2, 4, 20],
                        [6, 6, 6.5, 6.25]], np.float32)
    images = np.array([0, 1, 1, 0, 1], np.int64)
    for mode in ("avg", "max"):
        for coordinates in ("half_pixel", "output_half_pixel"):
            g = Graph(f"roialign_{mode}_{coordinates}")
            arguments = (g.input("x", (2, 3, 8, 9)), g.input("rois", value=corners),
                         g.input("images", value=images))
            y = g.op("RoiAlign", *arguments, mode=mode, output_height=3, output_width=5,
                     sampling_ratio=2, spatial_scale=0.75,
                     coordinate_transformation_mode=coordinates)
            yield Case(g.output(y), "reduction")
    g = Graph("roialign_10")
    g.opset = 10
    arguments = (g.input("x", (2, 17, 8, 9)), g.input("rois", value=corners),
                 g.input("images", value=images))
    y = g.op("RoiAlign", *arguments, output_height=2, output_width=2, sampling_ratio=3)
    yield Case(g.output(y), "reduction")
