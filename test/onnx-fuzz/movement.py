# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of operators that move, pick or place elements."""
import numpy as np

from author import schema_of
from graph import DTYPES, FLOATS, INTEGERS, Invalid, onnx_type, tensor_of
from rows import row

INDICES = ("i64", "i32")


def indices(g, dtype, shape, extent, negative=True):
    """Indices into a dimension of `extent`."""
    if not extent:
        raise Invalid("nothing to index")
    data = g.rng.integers(-extent if negative and g.opset >= 11 else 0, extent, shape)
    return g.leaf(np.asarray(data).astype(DTYPES[dtype]))


@row("Reshape")
def reshape(g, op):
    x = g.tensor(g.dtype(op))
    target = g.split_shape(x.shape) if 0 not in x.shape else list(g.rng.permutation(x.shape))
    allowzero = None
    if 0 in target:
        allowzero = 1
        if g.since(op) < 14:
            raise Invalid("a 0 would mean: as before")
    elif target and g.chance(0.4):
        target[g.integer(0, len(target) - 1)] = -1
    for i in range(min(len(target), len(x.shape))):
        if target[i] == x.shape[i] and allowzero is None and g.chance(0.3):
            target[i] = 0
    g.emit(op, x, shape=np.array(target, np.int64), allowzero=allowzero)


@row("Flatten")
def flatten(g, op):
    x = g.tensor(g.dtype(op))
    low = -len(x.shape) if g.since(op) >= 11 else 0
    g.emit(op, x, axis=g.integer(low, len(x.shape)) if g.chance(0.8) else None)


@row("Squeeze")
def squeeze(g, op):
    x = g.tensor(g.dtype(op), g.shape(most=3) if g.chance(0.5) else None)
    axes = [i - (len(x.shape) if g.chance(0.3) and g.opset >= 11 else 0)
            for i, e in enumerate(x.shape) if e == 1 and g.chance(0.8)]
    g.emit(op, x, axes=axes_for(g, op, axes) if axes else None)


@row("Unsqueeze")
def unsqueeze(g, op):
    x = g.tensor(g.dtype(op), rank=range(0, 6))
    rank = len(x.shape) + g.choice([1, 1, 2])
    axes = [int(a) for a in g.rng.permutation(rank)[:rank - len(x.shape)]]
    if g.opset >= 11:
        axes = [a - rank if g.chance(0.3) else a for a in axes]
    g.emit(op, x, axes=axes_for(g, op, axes))


def axes_for(g, op, axes):
    """Axes as the attribute or the operand that they are in this opset."""
    is_attribute = "axes" in schema_of(op, "", g.opset).attributes
    return list(axes) if is_attribute else np.array(axes, np.int64)


@row("Transpose")
def transpose(g, op):
    x = g.tensor(g.dtype(op))
    g.emit(op, x, perm=[int(p) for p in g.rng.permutation(len(x.shape))] if g.chance(0.8) else None)


@row("Expand")
def expand(g, op):
    target = g.shape()
    x = g.tensor(g.dtype(op), g.broadcastable(target))
    wanted = [1 if e == t and g.chance(0.3) else t
              for e, t in zip((1,) * (len(target) - len(x.shape)) + x.shape, target)]
    g.emit(op, x, shape=np.array(wanted, np.int64))


@row("Tile")
def tile(g, op):
    x = g.tensor(g.dtype(op))
    g.emit(op, x, repeats=np.array([g.choice([1, 1, 2, 3, 0], [6, 6, 4, 3, 1])
                                    for _ in x.shape], np.int64))


@row("Concat")
def concat(g, op):
    x = g.tensor(g.dtype(op))
    axis = g.axis(len(x.shape), g.since(op) >= 11)
    parts = [x]
    for _ in range(g.choice([0, 1, 1, 2, 3])):
        shape = list(x.shape)
        shape[axis] = g.extent(9)
        parts.append(g.tensor(x.dtype, tuple(shape)))
    g.rng.shuffle(parts)
    g.emit(op, *parts, axis=axis)


@row("Split")
def split(g, op):
    x = g.tensor(g.dtype(op))
    axis = g.axis(len(x.shape), g.since(op) >= 11)
    extent = x.shape[axis]
    count = g.choice([1, 2, 2, 3, 4])
    if g.chance(0.6):
        cuts = sorted(g.integer(0, extent) for _ in range(count - 1))
        lengths = np.diff([0, *cuts, extent])
        g.emit(op, x, results=count, axis=axis if g.chance(0.8) or axis else None,
               split=lengths.astype(np.int64) if g.since(op) >= 13 else lengths.tolist())
    else:
        g.emit(op, x, results=count, axis=axis, num_outputs=count)


@row("Slice")
def cut(g, op):
    x = g.tensor(g.dtype(op))
    if not x.shape:
        raise Invalid("a scalar")
    young = g.since(op) < 10
    axes = g.axes(len(x.shape))
    if young:
        axes = sorted({a % len(x.shape) for a in axes})
    steps = [1 if young or g.chance(0.5) else g.choice([1, 2, 3, -1, -2, -7]) for _ in axes]
    starts, ends = [], []
    for axis, step in zip(axes, steps):
        extent = x.shape[axis]
        first, last = g.integer(0, extent), g.integer(0, extent)
        first, last = (min(first, last), max(first, last)) if g.chance(0.8) else (first, last)
        if step < 0:
            first, last = last, first - g.choice([0, extent + 1])
        starts.append(g.choice([first, first - extent, first, 0 if step > 0 else 2**31]))
        ends.append(g.choice([last, last, last - extent if last < extent else last,
                              2**63 - 1 if step > 0 else -2**31]))
    kind = "i64" if young or g.chance(0.8) or max(map(abs, ends + starts)) >= 2**31 - 1 else "i32"
    make = list if young else lambda n: np.array(n, DTYPES[kind])
    plain = axes == list(range(len(axes))) and g.chance(0.5)
    g.emit(op, x, starts=make(starts), ends=make(ends), axes=None if plain else make(axes),
           steps=make(steps) if g.chance(0.8) or steps != [1] * len(steps) else None)


@row("Pad")
def pad(g, op):
    x = g.tensor(g.dtype(op))
    modes = ["constant", "constant", "reflect", "edge"] + ["wrap"] * (g.since(op) >= 19)
    mode = g.choice(modes)
    axes = sorted({a % len(x.shape) for a in g.axes(len(x.shape))}) if x.shape else []
    if g.since(op) < 18:
        axes = list(range(len(x.shape)))
    least = min([x.shape[a] for a in axes], default=1)
    low = -1 if (mode == "constant" or least > 2) and g.chance(0.3) else 0
    # ONNX Runtime reflects nothing that is cropped.
    most = 3 if mode != "reflect" else max(0, least - 1 + 2 * low)
    pads = [g.integer(max(low, -(x.shape[a] // 2)), min(3, most)) for a in axes * 2]
    value = None
    if mode == "constant" and g.chance(0.6):
        value = g.leaf(g.numbers(x.dtype, ()))
    if g.since(op) < 11:
        g.emit(op, x, pads=pads, mode=mode,
               value=g.real(1.0, -3.0) if value is not None else None)
        return
    g.emit(op, x, pads=np.array(pads, np.int64), constant_value=value,
           mode=mode if mode != "constant" or g.chance(0.5) else None,
           axes=np.array(axes, np.int64) if axes != list(range(len(x.shape))) else None)


@row("Gather")
def gather(g, op):
    x = g.tensor(g.dtype(op))
    axis = g.axis(len(x.shape), g.since(op) >= 11)
    at = indices(g, g.choice(INDICES), g.shape(g.choice([0, 1, 1, 2, 3]), elements=50),
                 x.shape[axis])
    g.emit(op, x, at, axis=axis)


@row("GatherElements")
def gather_elements(g, op):
    x = g.tensor(g.dtype(op))
    axis = g.axis(len(x.shape))
    shape = [g.integer(min(1, e), e) for e in x.shape]
    shape[axis] = g.extent(9)
    g.emit(op, x, indices(g, g.choice(INDICES), shape, x.shape[axis]), axis=axis)


def tuples(g, shape, lead, depth):
    """Indices of GatherND and ScatterND: `lead` of them, each into `depth` dimensions."""
    if 0 in shape[:depth]:
        raise Invalid("nothing to index")
    last = [g.rng.integers(-e if g.opset >= 11 else 0, e, lead) for e in shape[:depth]]
    return np.stack(last, -1).astype(np.int64) if last else np.zeros((*lead, 0), np.int64)


@row("GatherND")
def gather_nd(g, op):
    x = g.tensor(g.dtype(op))
    batch = g.integer(0, max(0, len(x.shape) - 1)) if g.since(op) >= 12 and g.chance(0.4) else 0
    depth = g.integer(1, max(1, len(x.shape) - batch))
    if len(x.shape) < batch + depth:
        raise Invalid("too few dimensions")
    lead = (*x.shape[:batch], *g.shape(g.choice([0, 1, 2]), elements=30))
    g.emit(op, x, g.leaf(tuples(g, x.shape[batch:], lead, depth)), batch_dims=batch or None)


@row("ScatterND")
def scatter_nd(g, op):
    x = g.tensor(g.dtype(op), least=1)
    if not x.shape:
        raise Invalid("a scalar")
    depth = g.integer(1, len(x.shape))
    lead = g.shape(g.choice([0, 1, 2]), elements=30)
    reduction = reduction_of(g, op)
    at = tuples(g, x.shape, lead, depth)
    if reduction in (None, "none"):  # no place twice
        flat = {tuple(t % np.array(x.shape[:depth])): t for t in at.reshape(-1, depth)}
        at = np.array(list(flat.values()), np.int64).reshape(-1, depth)
    updates = g.tensor(x.dtype, (*at.shape[:-1], *x.shape[depth:]))
    g.emit(op, x, g.leaf(at), updates, reduction=reduction)


def reduction_of(g, op):
    if g.since(op) < 16 or op == "Scatter" or g.chance(0.5):
        return None
    return g.choice(["none", "add", "mul"] + ["max", "min"] * (g.since(op) >= 18))


@row("ScatterElements", "Scatter")
def scatter_elements(g, op):
    x = g.tensor(g.dtype(op), least=1)
    axis = g.axis(len(x.shape), g.since(op) >= 11)
    shape = [g.integer(1, e) for e in x.shape]
    reduction = reduction_of(g, op)
    lines = [g.rng.permutation(x.shape[axis])[:shape[axis]]
             for _ in range(int(np.prod(shape)) // shape[axis])]
    if reduction not in (None, "none"):
        lines = [g.rng.integers(0, x.shape[axis], shape[axis]) for _ in lines]
    moved = [e for i, e in enumerate(shape) if i != axis % len(shape)] + [shape[axis]]
    at = np.moveaxis(np.array(lines).reshape(moved), -1, axis)
    if g.opset >= 11 and g.chance(0.5):
        at = np.where(g.rng.random(at.shape) < 0.3, at - x.shape[axis], at)
    g.emit(op, x, g.leaf(at.astype(DTYPES[g.choice(INDICES)])), g.tensor(x.dtype, shape),
           axis=axis, reduction=reduction)


@row("DepthToSpace", "SpaceToDepth")
def depth(g, op):
    size = g.choice([1, 2, 2, 3])
    shape = list(g.shape(4, most=7))
    for i in ([1, 1] if op == "DepthToSpace" else [2, 3]):
        shape[i] *= size
    x = g.tensor(g.dtype(op), tuple(shape))
    g.emit(op, x, blocksize=size, mode=g.choice([None, "DCR", "CRD"]))


@row("ReverseSequence")
def reverse(g, op):
    x = g.tensor(g.dtype(op), rank=range(2, 6), least=1)
    time = g.choice([0, 1])
    lengths = g.rng.integers(0 if g.chance(0.2) else 1, x.shape[time] + 1, x.shape[1 - time])
    g.emit(op, x, g.leaf(lengths.astype(np.int64)), time_axis=time, batch_axis=1 - time)


@row("Trilu")
def triangle(g, op):
    x = g.tensor(g.dtype(op), rank=range(2, 7))
    g.emit(op, x, k=np.array(g.integer(-4, 4)) if g.chance(0.6) else None,
           upper=g.choice([None, 0, 1]))


@row("EyeLike")
def eye(g, op):
    x = g.tensor(g.dtype(op), rank=2)
    g.emit(op, x, k=g.integer(-3, 3) if g.chance(0.6) else None,
           dtype=onnx_type(g.dtype(op, "T2")) if g.chance(0.5) else None)


@row("OneHot")
def one_hot(g, op):
    depth = g.extent(17, 1)
    kind = g.dtype(op)
    low = 0 if kind[0] == "u" or kind in FLOATS and g.chance(0.5) else -depth - 1
    at = g.leaf(g.rng.integers(low, depth + 2, g.shape(elements=100)).astype(DTYPES[kind]))
    values = g.leaf(g.numbers(g.dtype(op, 2), (2,)))
    where = g.leaf(np.array(depth, DTYPES[g.dtype(op, 1)]).reshape(g.choice([(), (1,)])),
                   g.choice(["initializer", "constant"]))
    g.emit(op, at, where, values, axis=g.integer(-len(at.shape) - 1, len(at.shape))
           if g.chance(0.8) else None)


@row("Compress")
def compress(g, op):
    x = g.tensor(g.dtype(op))
    axis = g.axis(len(x.shape), g.since(op) >= 11) if g.chance(0.6) and x.shape else None
    extent = x.array.size if axis is None else x.shape[axis]
    mask = g.rng.random(g.integer(max(0, extent - 2), extent)) < 0.5
    g.emit(op, x, g.leaf(mask, g.choice(["initializer", "constant"])), axis=axis)


@row("Shape", "Size")
def shape_of(g, op):
    x = g.tensor(g.dtype(op))
    rank = len(x.shape)
    g.emit(op, x, start=g.integer(-rank - 1, rank + 1) if g.chance(0.4) else None,
           end=g.integer(-rank - 1, rank + 1) if g.chance(0.4) else None)


@row("CenterCropPad")
def center(g, op):
    x = g.tensor(g.dtype(op))
    if not x.shape:
        raise Invalid("a scalar")
    axes = g.axes(len(x.shape))
    wanted = [max(1, x.shape[a] + g.integer(-4, 4)) for a in axes]
    if g.chance(0.3):
        axes, wanted = None, [max(1, e + g.integer(-4, 4)) for e in x.shape]
    g.emit(op, x, shape=np.array(wanted, np.int64), axes=axes)


@row("ConstantOfShape")
def filled(g, op):
    value = tensor_of(g.numbers(g.dtype(op, "T2"), (1,))) if g.chance(0.8) else None
    g.emit(op, input=np.array(g.shape(), np.int64), value=value)


@row("Constant")
def constant(g, op):
    kinds = [{"value": tensor_of(g.numbers(g.dtype(op, "T"), g.shape()))}]
    if g.since(op) >= 12:
        floats = g.numbers("f32", (g.extent(9, 1),))
        ints = g.numbers("i64", (g.extent(9, 1),))
        kinds += [{"value_float": float(g.numbers("f32", ()))}, {"value_floats": floats},
                  {"value_int": int(g.numbers("i64", ()))}, {"value_ints": ints}]
    g.emit(op, **g.choice(kinds))


@row("Range")
def arange(g, op):
    dtype = g.dtype(op, among=("f32", "f64", *INTEGERS))
    start, step, count = g.integer(-9, 9), g.choice([1, 2, -1, -3, 0.25]), g.extent(33)
    if dtype in INTEGERS:
        step = int(np.sign(step)) * max(1, abs(int(step)))
    g.emit(op, *(g.leaf(np.array(n, DTYPES[dtype]), g.choice(["initializer", "constant"]))
                 for n in (start, start + step * count, step)))


@row("NonZero", "Unique")
def found(g, op):
    x = g.tensor(g.dtype(op), known=True, exact=True)  # of what is known, or it is refused
    if op == "NonZero":
        g.emit(op, x)
        return
    axis = g.axis(len(x.shape)) if x.shape and g.chance(0.4) else None
    g.emit(op, x, results=[True] + [g.chance(0.5) for _ in range(3)], axis=axis,
           sorted=g.choice([None, 0, 1]))


@row("TensorScatter")
def tensor_scatter(g, op):
    x = g.tensor(g.dtype(op), rank=range(2, 6), least=1)
    axis = g.choice([a for a in range(1, len(x.shape))])
    shape = list(x.shape)
    shape[axis] = g.integer(1, x.shape[axis])
    room = x.shape[axis] - shape[axis]
    mode = g.choice([None, "linear", "circular"])
    at = g.leaf(g.rng.integers(0, (x.shape[axis] if mode == "circular" else room + 1), x.shape[0]))
    g.emit(op, x, g.tensor(x.dtype, tuple(shape)), write_indices=at if g.chance(0.8) else None,
           axis=g.choice([axis, axis - len(x.shape)]), mode=mode)
