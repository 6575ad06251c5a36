# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of operations and rows go on: routines of the library, which primitives
cannot express."""
import dataclasses

import numpy as np

from graph import Invalid, Verbatim
from irregular import INDEX_TYPES, index_leaf
from operations import define, expect
from rows import row


def ordered(types, attributes):
    (dtype, shape), axis, k = types[0], attributes["_axis"], attributes["_k"]
    expect(dtype != "bool" and axis < len(shape) and 0 <= k <= shape[axis])
    shape = shape[:axis] + (k,) + shape[axis + 1:]
    return [(dtype, shape), ("i64", shape)]


def scattered(types, attributes):
    (dtype, shape), (_, picks), updates = types
    expect(updates == (dtype, picks) and len(picks) == len(shape))
    expect(all(p <= e for p, e in zip(picks, shape)) and attributes["_axis"] < len(shape))
    return [types[0]]


def scattered_slices(types, _):
    (dtype, shape), (_, picks), updates = types
    expect(shape and picks and 0 < picks[-1] <= len(shape))
    expect(updates == (dtype, picks[:-1] + shape[picks[-1]:]))
    return [types[0]]


def suppressed(types, attributes):
    (_, boxes), (_, scores) = types[:2]
    expect(len(boxes) == len(scores) == 3 and boxes[2] == 4)
    expect(scores[0] == boxes[0] and scores[2] == boxes[1])
    expect(types[2:] == [("i64", ()), ("f32", ()), ("f32", ())])
    return [("i64", (attributes["_rows"], 3))]


def binned(columns):
    def infer(types, attributes):
        (dtype, x), (_, regions) = types[:2]
        expect(len(x) == 4 and regions[1:] == (columns,) and 0 not in x)
        expect(types[1][0] == ("f64" if dtype == "f64" else "f32"))
        expect(types[2:] == ([("i64", regions[:1])] if columns == 4 else []))
        return [(dtype, (regions[0], x[1], *attributes["_bins"]))]
    return infer


@dataclasses.dataclass(frozen=True)
class Parameters:
    """The parameters of a call; `_axis` and `_k` may be shrunk."""
    more: str

    def text(self, node):
        fields = [f"{name[1:]} = {node.attributes[name]} : i64" for name in ("_axis", "_k")
                  if name in node.attributes]
        return "{" + ", ".join(fields + [self.more] * bool(self.more)) + "}"


define("top_k", ordered, exact=True, needs_exact=True, spelling="call")
define("scatter_elements", scattered, spelling="call", indices=lambda a: [(1, a["_axis"])])
define("scatter_nd", scattered_slices, spelling="call")
define("non_max_suppression", suppressed, exact=True, needs_exact=True, spelling="call")
define("align_regions", binned(4), needs_exact=True, spelling="call")
define("max_roi_pool", binned(5), exact=True, spelling="call")


def callee(name):
    return Verbatim(f'"{name}"')


@row
def top_k(a):
    value = a.pick((a.dtype,) * 4 + ("i32", "u8", "i64"), low=1, exact=True)
    axis = a.rng.randrange(len(value.shape))
    largest = "true" if a.chance(0.6) else "false"
    a.emit("top_k", [value], max(value.bound, float(max(value.shape))), _axis=axis,
           _k=a.rng.randint(0, value.shape[axis]), callee=callee("top_k"),
           parameters=Parameters(f"largest = {largest}"))


@row
def scatter_elements(a):
    value = a.pick((a.dtype,) * 4 + ("i32",), low=1)
    axis = a.rng.randrange(len(value.shape))
    if 0 in value.shape:
        raise Invalid("nothing to scatter to")
    shape = tuple(a.rng.randint(1, e) for e in value.shape)
    picks = index_leaf(a, a.rng.choice(INDEX_TYPES), shape, value.shape[axis])
    kind = a.rng.choice("none add max min".split())
    if kind == "none":  # each position at most once
        order = a.numbers.random(shape[:axis] + value.shape[axis:axis + 1] + shape[axis + 1:]).argsort(axis)
        picks.data = np.ascontiguousarray(order.take(range(shape[axis]), axis)).astype(picks.data.dtype)
    updates = a.like(value.dtype, shape)
    a.emit("scatter_elements", [value, picks, updates], value.bound + updates.bound * max(shape),
           _axis=axis, callee=callee("scatter_elements"), parameters=Parameters(f'reduction = "{kind}"'))


@row
def scatter_nd(a):
    """Indices of several dimensions: from the end too, some outside, some twice."""
    value = a.pick((a.dtype,) * 4 + ("i32", "u8"), low=1)
    depth = a.rng.randint(1, len(value.shape))
    if 0 in value.shape:
        raise Invalid("nothing to scatter to")
    lines = a.shape(low=0, high=2)
    picks = a.leaf(a.rng.choice(INDEX_TYPES), lines + (depth,), 0, 2)
    limits = np.array(value.shape[:depth])
    low = -limits - 1 if a.chance(0.3) else 0 * limits
    high = limits + 1 if a.chance(0.3) else limits
    picks.data = a.numbers.integers(low, high, picks.shape).astype(picks.data.dtype)
    updates = a.like(value.dtype, lines + value.shape[depth:])
    kind = a.rng.choice("none add max min".split())
    times = np.prod(lines) if kind == "add" else 1
    a.emit("scatter_nd", [value, picks, updates], value.bound + updates.bound * max(times, 1),
           callee=callee("scatter_nd"), parameters=Parameters(f'reduction = "{kind}"'))


@row
def non_max_suppression(a):
    batches, classes, count = (a.rng.choice(choices) for choices in ([1, 2], [1, 3], [0, 1, 5, 13]))
    boxes = a.leaf("f32", (batches, count, 4), 0.0, 2.0, "argument")
    scores = a.leaf("f32", (batches, classes, count), -1.0, 1.0)
    limit = a.leaf("i64", (), 0, 4)
    overlap, least = a.leaf("f32", (), 0.0, 1.0), a.leaf("f32", (), -1.0, 0.5)
    center = "true" if a.chance(0.4) else "false"
    a.emit("non_max_suppression", [boxes, scores, limit, overlap, least], float(max(count, 3)),
           _rows=a.rng.choice([0, 1, 4, batches * classes * count]),
           callee=callee("non_max_suppression"), parameters=Parameters(f"center_point_box = {center}"))


def bins(a):
    return a.rng.choice([1, 2, 5]), a.rng.choice([1, 2, 3])


@row
def align_regions(a):
    """Of regions inside: at the border a coordinate jumps. Corners and bins are such that
    sizes have no rounding: it would decide how many points there are."""
    x = a.fresh("f32", (a.rng.choice([1, 2]), a.rng.choice([1, 3]), a.rng.choice([3, 7]), a.rng.choice([2, 5])))
    count = a.rng.choice([0, 1, 2, 5])
    corners = a.numbers.integers(0, 64, (count, 2, 2), endpoint=True) / 64 * (np.array(x.shape[:1:-1]) - 1)
    rois = a.fresh("f32", (count, 4))
    rois.data = corners.reshape(count, 4).astype(np.float32)
    numbers = a.leaf("i64", (count,), -1, 2)
    half, maximum = (str(a.chance(0.5)).lower() for _ in range(2))
    a.emit("align_regions", [x, rois, numbers], x.bound, _bins=bins(a), callee=callee("roi_align"),
           parameters=Parameters(f"half_pixel = {half}, maximum = {maximum}"))


@row
def max_roi_pool(a):
    """Everywhere: regions outside too, the wrong way round, of images that are not there."""
    x = a.pick(("f32", "f64", "f16", "bf16"), low=4, where=lambda v: 0 not in v.shape)
    regions = a.leaf("f64" if x.dtype == "f64" else "f32", (a.rng.choice([0, 1, 2, 5]), 5), -2.0, 8.0)
    a.emit("max_roi_pool", [x, regions], x.bound, _bins=bins(a), callee=callee("max_roi_pool"),
           parameters=Parameters(""))
