# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of operations and rows go on: gathers of several indices, scans along an
axis, samples between elements, and reductions that are long enough for a choice of
algorithms."""
import dataclasses

import numpy as np

from graph import Enum, Invalid
from layers import image
from operations import OPERATIONS, Inits, combined, combiner, define, expect
from rows import any_value, row

INDEX_TYPES = ("i32", "i64")
RARE = ("grid_sample", "roi_align", "long_reduce")


# Scans and extremes along an axis.

def along(types, attributes):
    expect(0 <= attributes["axis"] < len(types[0][1]))
    return [types[0]]


def extreme(types, attributes):
    (_, shape), axis = types[0], attributes["axis"]
    expect(axis < len(shape) and shape[axis] > 0)
    return [("i64", shape[:axis] + (1,) + shape[axis + 1:])]


define("cumulate", along)
define("arg_max arg_min", extreme, exact=True, needs_exact=True)


@row
def cumulate(a):
    value = a.pick((a.dtype,) * 4 + ("i32", "i64"), low=1)
    axis = a.rng.randrange(len(value.shape))
    kind = a.rng.choice(["sum", "prod"])
    if kind == "prod" and value.is_float:
        value = a.tame(value, 1.0)
    bound = value.bound * max(value.shape[axis], 1) if kind == "sum" else max(1.0, value.bound)
    a.emit("cumulate", [value], bound, kind=Enum("reduction_kind", kind), axis=axis,
           exclusive=a.chance(0.3), reverse=a.chance(0.3))


def extreme_row(name):
    def write(a):
        value = a.pick((a.dtype,) * 4 + ("i32", "u8"), low=1, exact=True)
        axis = a.rng.randrange(len(value.shape))
        a.emit(name, [value], float(max(value.shape[axis], 1)), axis=axis, last=a.chance(0.3))
    write.__name__ = name
    return row(write)


for each in ("arg_max", "arg_min"):
    extreme_row(each)


# Gathers whose index tensors take the place of several dimensions.

@dataclasses.dataclass(frozen=True)
class ManyMaps:
    """The maps of a gather with an index tensor per dimension from `_axis` on."""

    def text(self, node):
        rank, axis = len(node.operands[0].shape), node.attributes["_axis"]
        count, picks = len(node.operands) - 1, len(node.operands[1].shape)
        dims = [f"d{i}" for i in range(rank - count + picks)]
        symbols = [f"s{i}" for i in range(count)]
        head = f"({', '.join(dims)})"
        of_operand = ", ".join(dims[:axis] + symbols + dims[axis + picks:])
        maps = [f"affine_map<{head}[{', '.join(symbols)}] -> ({of_operand})>"]
        maps += [f"affine_map<{head} -> ({', '.join(dims[axis:axis + picks])})>"] * count
        return f"[{', '.join(maps)}]"


def gathered(types, attributes):
    (dtype, shape), picks, axis = types[0], types[1][1], attributes["_axis"]
    count = len(types) - 1
    expect(axis + count <= len(shape) and all(t[1] == picks for t in types[1:]))
    return [(dtype, shape[:axis] + picks + shape[axis + count:])]


define("gather_many", gathered, exact=True, spelling="gather",
       indices=lambda a: [(1 + i, a["_axis"] + i) for i in range(a["_count"])])


def index_leaf(a, dtype, shape, extent):
    """Positions below the extent."""
    leaf = a.leaf(dtype, shape, 0, max(2, extent - 1))
    leaf.data = (leaf.data % extent).astype(leaf.data.dtype)
    return leaf


@row
def gather_many(a):
    value = any_value(a, low=2)
    count = a.rng.randint(2, len(value.shape))
    axis = a.rng.randint(0, len(value.shape) - count)
    extents = value.shape[axis:axis + count]
    if 0 in extents:
        raise Invalid("nothing to gather")
    dtype, shape = a.rng.choice(INDEX_TYPES), a.shape(low=0, high=2)
    picks = [index_leaf(a, dtype, shape, extent) for extent in extents]
    a.emit("gather_many", [value] + picks, value.bound, value.low, _axis=axis, _count=count, maps=ManyMaps())


# Samples between elements.

@dataclasses.dataclass(frozen=True)
class Lengths:
    """The extents of the result, as real numbers."""

    def text(self, node):
        return f"array<f64: {', '.join(f'{e:e}' for e in node.results[0].shape)}>"


def resized(types, attributes):
    (dtype, shape), to = types[0], attributes["_shape"]
    expect(len(shape) == len(to) > 0 and min(shape + to) > 0)
    return [(dtype, to)]


def grid_sampled(types, _):
    (dtype, x), (_, grid) = types
    expect(len(x) == len(grid) and len(x) in (3, 4) and grid[0] == x[0] and grid[-1] == len(x) - 2)
    expect(0 not in x and 0 not in grid)
    return [(dtype, x[:2] + grid[1:-1])]


def regions(types, attributes):
    (dtype, x), (_, rois), (index, images) = types
    expect(len(x) == 4 and len(rois) == 2 and rois[1] == 4 and images == rois[:1] and 0 not in x)
    expect(index in INDEX_TYPES)
    return [(dtype, (rois[0], x[1]) + attributes["_bins"])]


define("resize", resized)
define("grid_sample", grid_sampled, needs_exact=True)
define("roi_align", regions, indices=lambda a: [(2, 0)])


@row
def resize(a):
    value = a.pick((a.dtype,) * 4 + ("i32", "u8"), low=1,  # of rounded numbers, what is known exactly
                   where=lambda v: 0 not in v.shape and (v.exact or v.dtype == a.dtype))
    shape = tuple(e if a.chance(0.4) else a.rng.choice([1, 2, e, 2 * e, 3 * e // 2]) or 1 for e in value.shape)
    mode = a.rng.choice("nearest linear cubic".split())
    coordinates = "half_pixel pytorch_half_pixel align_corners asymmetric".split()
    a.emit("resize", [value], 3 * value.bound, mode=Enum("sample_mode", mode), lengths=Lengths(),
           coordinates=Enum("coordinates", a.rng.choice(coordinates)), _shape=shape,
           exclude_outside=mode == "cubic" and a.chance(0.3))


@row
def grid_sample(a):
    x = image(a, ("f32",), exact=True)
    if 0 in x.shape:
        raise Invalid("nothing to sample")
    spatial = len(x.shape) - 2
    grid = a.leaf("f32", x.shape[:1] + tuple(a.rng.choice([1, 2, 5]) for _ in range(spatial)) + (spatial,),
                  -1.25, 1.25)
    a.emit("grid_sample", [x, grid], 3 * x.bound,
           mode=Enum("sample_mode", a.rng.choice("nearest linear cubic".split())),
           padding=Enum("grid_padding", a.rng.choice("zeros border reflection".split())),
           align_corners=a.chance(0.5))


@row
def roi_align(a):
    """Of regions inside: at the border a coordinate jumps."""
    x = a.fresh("f32", (a.rng.choice([1, 2]), a.rng.choice([1, 3]), a.rng.choice([3, 7]), a.rng.choice([2, 5])))
    count = a.rng.choice([1, 2, 5])
    corners = a.numbers.integers(0, 64, (count, 2, 2), endpoint=True) / 64 * (np.array(x.shape[:1:-1]) - 1)
    rois = a.fresh("f32", (count, 4))
    rois.data = np.sort(corners, axis=1).reshape(count, 4).astype(np.float32)
    images = index_leaf(a, a.rng.choice(INDEX_TYPES), (count,), x.shape[0])
    a.emit("roi_align", [x, rois, images], x.bound, points=a.rng.choice([1, 2]), scale=1.0,
           _bins=(a.rng.choice([1, 2, 3]), a.rng.choice([1, 2])), half_pixel=a.chance(0.5),
           maximum=a.chance(0.3))


# A reduction with one long task, which is split among the cores.

define("long_reduce", combined, exact=True, region=combiner, spelling="reduce")


@row
def long_reduce(a):
    """Of integers, or for an extreme: the order of a long sum of floats shows."""
    kind = a.rng.choice(["sum", "max", "min"])
    value = a.pick(("i32", "i64") if kind == "sum" else ("f32", "i32"), low=1, high=2,
                   where=lambda v: v.size > 15)
    shape = (-(-140000 // value.size),) + value.shape
    many, = a.graph.add(OPERATIONS["broadcast"], [value], {
        "dims": tuple(range(1, len(shape))), "_shape": shape})
    a.emit("long_reduce", [many], 1e9 if kind == "sum" else value.bound, dims=tuple(range(len(shape))),
           inits=Inits(), _kind=kind)
