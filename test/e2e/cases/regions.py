# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions that are as large as the data say."""
import numpy as np

from builder import DTYPES, Case, Graph, cases

# x, y of two corners: odd ones, tiny ones, the wrong way round, across the border,
# outside, larger than any image.
CORNERS = np.array([[1, 2, 7.3, 9.1], [0.2, 0.3, 3.7, 3.1], [4.5, 1.25, 12, 5], [-3.3, -2.1, 4, 20.7],
                    [6, 6, 6.5, 6.25], [5, 4, 2.2, 1.1], [2, 2, 2, 2], [-30, -30, -20, -20],
                    [40, 3, 50, 5], [-99.5, -300.3, 100.2, 250.9], [0.1, 3.3, 8.4, 3.35]], np.float32)
NUMBERS = np.arange(len(CORNERS)) % 2


def align(name, x, height=1, width=1, opset=16, dtype="f32", corners=CORNERS, numbers=NUMBERS,
          reference=None, **attributes):
    g = Graph(f"roialign_adaptive_{name}")
    g.opset = opset
    operands = (g.input("x", x, dtype), g.input("rois", value=corners.astype(DTYPES[dtype])),
                g.input("numbers", value=numbers.astype(np.int64)))
    y = g.op("RoiAlign", *operands, output_height=height, output_width=width, **attributes)
    return Case(g.output(y), "reduction", reference)


@cases
def aligned():
    for mode in ("avg", "max"):
        for coordinates in ("half_pixel", "output_half_pixel"):
            yield align(f"{mode}_{coordinates}", (2, 3, 8, 9), 3, 5, mode=mode,
                        spatial_scale=0.75, coordinate_transformation_mode=coordinates)
        yield align(f"{mode}_f64", (2, 3, 8, 9), 2, 1, dtype="f64", mode=mode, spatial_scale=1.3)
        yield align(f"{mode}_10", (2, 2, 7, 11), 2, 2, opset=10, mode=mode)
    yield align("one", (2, 1, 1, 1))
    yield align("line", (2, 5, 1, 31), 1, 7, sampling_ratio=0)
    yield align("column", (2, 2, 31, 1), 13, 1, coordinate_transformation_mode="output_half_pixel")
    yield align("many_bins", (2, 2, 5, 6), 17, 23)
    yield align("no_regions", (2, 3, 4, 5), 2, 2, corners=np.zeros((0, 4)), numbers=np.zeros(0))
    yield align("f16", (2, 3, 8, 9), 2, 3, dtype="f16", reference="widened")
    yield align("bf16", (2, 3, 8, 9), 2, 3, dtype="bf16", reference="widened")

    # Nothing to compare with: infinite loops, undefined conversions. As documented.
    def nothing(x, rois, numbers):
        return [np.zeros((len(rois), 2, 2, 2), np.float32)]
    inf, nan = np.inf, np.nan
    bad = [[nan, 0, 1, 1], [0, 0, inf, 3], [-inf, 0, inf, 3], [0, nan, 3, nan], [0, -inf, 2, 2],
           [-3e38, -3e38, 3e38, 3e38], [inf, inf, inf, inf], [1e30, 1e30, 1e30, 1e30]]
    for coordinates in ("half_pixel", "output_half_pixel"):
        yield align(f"bad_{coordinates}", (1, 2, 4, 5), 2, 2, corners=np.array(bad),
                    numbers=np.array([0, 2**62, -2**62, 1, -1, 0, 0, 0]), reference=nothing,
                    mode="max", coordinate_transformation_mode=coordinates)


def by_definition(bins, scale=1.0):
    """NumPy's: no kernel for this type, or one that is undefined for these regions."""
    def pool(x, rois):
        kind = np.float64 if x.dtype == np.float64 else np.float32
        y = np.zeros((len(rois), x.shape[1], *bins), x.dtype)
        for r, roi in enumerate(rois.astype(kind)):
            number = int(np.clip(np.nan_to_num(roi[0]), 0, len(x) - 1))
            scaled = (roi[1:] * kind(scale)).astype(np.float64)
            if not np.isfinite(scaled).all():
                continue
            corners = np.trunc(scaled + np.copysign(0.5, scaled))
            for by, bx in np.ndindex(*bins):
                cut = [slice(None)]
                for low, high, b, n, extent in ((corners[1], corners[3], by, bins[0], x.shape[2]),
                                                (corners[0], corners[2], bx, bins[1], x.shape[3])):
                    size = kind(max(high - low + 1, 1)) / kind(n)
                    ends = low + np.floor(kind(b) * size), low + np.ceil(kind(b + 1) * size)
                    cut.append(slice(*(int(np.clip(end, 0, extent)) for end in ends)))
                part = x[number][tuple(cut)]
                if part.size:
                    y[r, :, by, bx] = part.max(axis=(1, 2))
        return [y]
    return pool


def pool(name, x, bins, rois=None, opset=11, dtype="f32", reference=None, **attributes):
    g = Graph(f"maxroipool_{name}")
    g.opset = opset
    if rois is None:
        rois = np.column_stack([NUMBERS, CORNERS])
    operands = g.input("x", x, dtype), g.input("rois", value=rois.astype(DTYPES[dtype]))
    y = g.op("MaxRoiPool", *operands, pooled_shape=bins, **attributes)
    if reference is None and dtype == "f64":
        reference = by_definition(bins, **({"scale": np.float32(attributes["spatial_scale"])}
                                           if attributes else {}))
    return Case(g.output(y), "exact", reference)


@cases
def pooled():
    yield pool("plain", (2, 3, 8, 9), [3, 5])
    yield pool("scaled", (2, 3, 8, 9), [2, 2], spatial_scale=0.5625)
    yield pool("one", (2, 1, 1, 1), [1, 1])
    yield pool("line", (2, 5, 1, 31), [1, 7])
    yield pool("column", (2, 2, 31, 1), [13, 2])
    yield pool("many_bins", (2, 2, 5, 6), [17, 23])
    yield pool("no_regions", (2, 3, 4, 5), [2, 2], rois=np.zeros((0, 5)))
    yield pool("f16", (2, 3, 8, 9), [2, 3], dtype="f16")
    yield pool("f64", (2, 3, 8, 9), [2, 3], dtype="f64", spatial_scale=0.5)
    yield pool("22", (2, 3, 8, 9), [2, 3], opset=22, reference=by_definition([2, 3]))
    inf, nan = np.inf, np.nan
    bad = [[nan, 0, 0, 2, 2], [-3, 0, 0, 2, 2], [1e30, 1, 1, 3, 3], [inf, 1, 1, 3, 3],
           [0, nan, 0, 3, 3], [0, -inf, 0, inf, 3], [1, -1e9, -1e9, 1e9, 1e9], [0.9, 0, 0, 1, 1],
           [0, 1e38, 0, 1e38, 3], [0, 0, -1e38, 3, 1e38]]
    yield pool("bad", (2, 2, 4, 5), [2, 3], rois=np.array(bad), reference=by_definition([2, 3]))
