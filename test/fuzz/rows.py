# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of the fuzzer: a row writes one operation into a graph, with operands that it
is defined on. `Author` (author.py) has the words."""
import math

from graph import FLOATS, Enum, Fill, GatherMaps, Invalid, Segments
from operations import COMBINERS, Inits, Maps

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
ROWS = {}


def row(function):
    ROWS[function.__name__] = function
    return function


def expand(names, make):
    """A row for each name."""
    for name in names.split():
        ROWS[name] = make(name)


# Elementwise, on floats: what they take, and how large they become.

def bounded(name, largest, limit=None):
    def write(a):
        value = a.pick()
        value = a.tame(value, limit) if limit else value
        a.emit(name, [value], largest(value.bound) if callable(largest) else largest)
    ROWS[name] = write


def keep(bound):
    return bound


for names, largest, limit in (
        ("sin cos erf", 1.0, None), ("atan", 1.6, None), ("tanh", 1.0, None),
        ("asinh", keep, None), ("acos", 3.2, 0.875), ("asin", 1.6, 0.875),
        ("atanh", 1.4, 0.875), ("tan", 1.6, 1.0), ("cosh sinh", math.cosh, 3.0),
        ("expm1", math.exp, 3.0)):
    for each in names.split():
        bounded(each, largest, limit)


@row
def exp(a):
    value = a.tame(a.pick(), 3.0)
    a.emit("exp", [value], math.exp(value.bound), math.exp(-value.bound))


def on_positive(name):
    def write(a):
        value = a.positive(a.pick())
        low = {"sqrt": 0.7, "acosh": None}.get(name)
        if name == "acosh":
            value = a.emit("add", [value, a.splat(1.0, value)], value.bound + 1, value.low + 1)
        a.emit(name, [value], max(value.bound, 2.0), low)
    return write


expand("log log1p sqrt rsqrt reciprocal acosh", on_positive)


def on_exact(name):
    def write(a):
        value = a.pick(exact=True)
        a.emit(name, [value], value.bound + 1)
    return write


expand("ceil floor round", on_exact)


def unary(name):
    def write(a):
        signed = tuple(t for t in INTEGERS if t[0] == "i")
        value = a.pick((a.dtype,) * 4 + signed, exact=name == "sign")
        a.emit(name, [value], value.bound)
    return write


expand("abs neg sign", unary)


@row
def logical_not(a):
    a.emit("not", [a.pick(("bool", "i8", "u16", "i32", "i64"))], 2.0 ** 62)


def binary(name):
    def write(a):
        value = a.pick((a.dtype,) * 8 + INTEGERS)
        other = a.like(value.dtype, value.shape)
        sides = [value, other] if a.chance(0.5) else [other, value]
        sums = value.bound + other.bound
        bound = {"add": sums, "sub": sums, "mul": value.bound * other.bound}
        a.emit(name, sides, bound.get(name, max(value.bound, other.bound)))
    return write


expand("add sub mul maximum minimum", binary)
ROWS["add_more"], ROWS["mul_more"] = ROWS["add"], ROWS["mul"]  # models are full of them


@row
def div(a):
    value = a.pick((a.dtype,) * 4 + INTEGERS)
    other = a.like(value.dtype, value.shape)
    if value.is_float:
        other = a.positive(other)
    a.emit("div", [value, other], 2 * value.bound)


@row
def power(a):
    value = a.pick()
    base = a.positive(a.tame(value, 1.0))
    a.emit("pow", [base, a.tame(a.like(value.dtype, value.shape), 2.0)], 4.0, 0.2)


def remainder(name):
    def write(a):
        value = a.pick((a.dtype,) * 2 + INTEGERS, exact=True)
        other = a.fresh(value.dtype, value.shape, *((0.5, 2.0) if value.is_float else (1, 7)))
        a.emit(name, [value, other], 3.0)
    return write


expand("mod fmod", remainder)


def bitwise(name):
    def write(a):
        unsigned = ("u8", "u16", "u32", "u64")
        types = unsigned if name in ("shl", "shr") else INTEGERS + ("bool",) * 3
        value = a.pick(types)
        a.emit(name, [value, a.like(value.dtype, value.shape)], 2.0 ** 62)
    return write


expand("and or xor shl shr", bitwise)


@row
def cmp(a):
    value = a.pick((a.dtype,) * 3 + INTEGERS, exact=True)
    kind = a.rng.choice("eq ne lt le gt ge".split())
    a.emit("cmp", [value, a.like(value.dtype, value.shape, exact=True)], 1.0,
           predicate=Enum("cmp", kind))


@row
def select(a):
    value = a.pick((a.dtype,) * 5 + INTEGERS)
    other = a.like(value.dtype, value.shape)
    condition = a.like("bool", value.shape)
    a.emit("select", [condition, value, other], max(value.bound, other.bound))


@row
def cast(a):
    value = a.pick(FLOATS + INTEGERS + ("bool",))
    to = a.rng.choice((a.dtype,) * 6 + FLOATS + INTEGERS)
    if value.is_float and to not in FLOATS:
        if not value.exact or to[0] == "u":
            raise Invalid("a jump")
        value = a.pick((value.dtype,), exact=True, where=lambda v: v.bound < 100)
    elif to in FLOATS and value.bound > 200:
        raise Invalid("large")
    a.emit("cast", [value], value.bound if to in FLOATS else max(value.bound, 256.0), _dtype=to)


# Activations: floats in, floats of about that size out.

def activation(name, largest=keep, exact=False, **attributes):
    def write(a):
        value = a.pick(exact=exact)
        given = {k: a.rng.choice(v) for k, v in attributes.items()}
        operator = name.split("-")[0]
        a.emit(operator, [value], largest(value.bound) + 0.5, **given)
    ROWS[name] = write


for each in "relu hard_swish mish softplus softsign".split():
    activation(each)
ALPHAS = (0.01, 0.25, 1.0, 1.5)
activation("sigmoid", lambda bound: 1.0)
activation("swish", alpha=(1.0, 0.5, 1.702))
activation("gelu", tanh=(True, False))
activation("leaky_relu", alpha=ALPHAS)
activation("elu", lambda bound: 1.5 * bound + 1.5, alpha=ALPHAS)
activation("celu", lambda bound: bound + 1.5, alpha=ALPHAS)
activation("selu", lambda bound: 1.1 * bound + 2, alpha=(1.6732632,), gamma=(1.0507010,))
activation("hard_sigmoid", lambda bound: 1.0, alpha=(0.2, 1 / 6), beta=(0.5,))
activation("thresholded_relu", exact=True, alpha=(0.0, 0.5, 1.0))
activation("shrink", exact=True, bias=(0.0, 0.25), **{"lambda": (0.25, 0.5)})


@row
def prelu(a):
    value = a.pick()
    slope = a.like(value.dtype, value.shape)
    a.emit("prelu", [value, slope], value.bound * max(slope.bound, 1.0))


@row
def clip(a):
    value = a.pick((a.dtype,) * 4 + ("i32", "i8", "u8"))
    ends = [a.fresh(value.dtype, (), *given) for given in ((-1.0, 0.0), (0.0, 1.0))
            if value.is_float]
    if not ends:
        ends = [a.fresh(value.dtype, (), 0, 3), a.fresh(value.dtype, (), 3, 6)]
    counts = a.rng.choice([(1, 1), (1, 0), (0, 1)])
    operands = [value] + [e for e, count in zip(ends, counts) if count]
    a.emit("clip", operands, operandSegmentSizes=Segments((1,) + counts))


def along(name, largest, exact=False):
    def write(a):
        value = a.pick(low=1, exact=exact)
        extra = {"p": a.rng.choice((1, 2))} if name == "lp_norm" else {}
        a.emit(name, [value], largest(value.bound), axis=a.rng.randrange(len(value.shape)), **extra)
    ROWS[name] = write


along("softmax", lambda bound: 1.0)
along("log_softmax", lambda bound: 2 * bound + 9)
along("lp_norm", lambda bound: 1.0)
along("hardmax", lambda bound: 1.0, exact=True)

# Movement.

ANY = FLOATS + INTEGERS + ("bool",)


def any_value(a, low=0, high=4):
    """Mostly of the graph's own type."""
    return a.pick((a.dtype,) if a.chance(0.8) else ANY, low, high)


@row
def broadcast(a):
    value = any_value(a, high=3)
    rank = len(value.shape) + a.rng.randint(0, 4 - len(value.shape))
    dims = tuple(sorted(a.rng.sample(range(rank), len(value.shape))))
    shape = [a.extent() for _ in range(rank)]
    for d, extent in zip(dims, value.shape):
        shape[d] = extent if extent != 1 or a.chance(0.5) else shape[d]
    a.emit("broadcast", [value], value.bound, value.low, dims=dims, _shape=tuple(shape))


@row
def transpose(a):
    value = any_value(a, low=1)
    perm = list(range(len(value.shape)))
    a.rng.shuffle(perm)
    a.emit("transpose", [value], value.bound, value.low, perm=tuple(perm))


@row
def slice_(a):
    value = any_value(a, low=1)
    offsets, strides, shape = [], [], []
    for extent in value.shape:
        stride = a.rng.choice([1, 1, 1, 2, 3, -1, -2])
        first = a.rng.randrange(extent) if extent else 0
        if stride == 1 and a.chance(0.4):
            first = 0
        room = (first // -stride if stride < 0 else (extent - 1 - first) // stride) + 1
        offsets.append(first)
        strides.append(stride)
        shape.append(room if a.chance(0.5) else a.rng.randint(min(room, 1), room))
    a.emit("slice", [value], value.bound, value.low, offsets=tuple(offsets),
           strides=tuple(strides), _shape=tuple(shape))


@row
def pad(a):
    value = any_value(a, low=1)
    low, high = ([a.rng.choice([0, 0, 1, 2]) for _ in value.shape] for _ in range(2))
    fill = a.rng.choice([0, 1]) if value.dtype == "bool" else a.rng.choice([0, 0, 1, 3])
    a.emit("pad", [value], max(value.bound, fill), low=tuple(low), high=tuple(high), fill=Fill(fill))


def windows(a, rank, sizes=None):
    """Attributes of windows over the last `rank` dimensions."""
    sizes = sizes or tuple(a.rng.choice([1, 2, 3, 3]) for _ in range(rank))
    pads = [tuple(a.rng.choice([0, 0, 1, size - 1]) if size > 1 else 0 for size in sizes)
            for _ in range(2)]
    return {"sizes": sizes, "strides": tuple(a.rng.choice([1, 1, 2, 3]) for _ in sizes),
            "dilations": tuple(a.rng.choice([1, 1, 1, 2]) for _ in sizes),
            "pad_low": pads[0], "pad_high": pads[1]}


def write_window(a):
    value = any_value(a, low=1, high=3)
    given = windows(a, a.rng.randint(1, min(2, len(value.shape))))
    given["_high"] = given.pop("pad_high")
    return value, a.emit("window", [value], value.bound, fill=Fill(0), **given), given["sizes"]


@row
def window(a):
    write_window(a)


@row
def concat(a):
    value = any_value(a, low=1)
    axis, operands = a.rng.randrange(len(value.shape)), [value]
    for _ in range(a.rng.randint(0, 3)):
        shape = list(value.shape)
        shape[axis] = a.extent()
        operands.append(a.like(value.dtype, tuple(shape)))
    a.rng.shuffle(operands)
    a.emit("concat", operands, axis=axis)


@row
def gather(a):
    value = any_value(a, low=1)
    axis = a.rng.randrange(len(value.shape))
    if not value.shape[axis]:
        raise Invalid("nothing to gather")
    picks = a.leaf(a.rng.choice(["i32", "i64"]), a.shape(low=0, high=2), 0, max(2, value.shape[axis] - 1))
    picks.data = (picks.data % value.shape[axis]).astype(picks.data.dtype)
    a.emit("gather", [value, picks], value.bound, value.low, _axis=axis, maps=GatherMaps())


@row
def iota(a):
    shape = a.shape(low=1, high=3)
    a.emit("iota", [], float(max(shape)), axis=a.rng.randrange(len(shape)), _shape=shape,
           _dtype=a.rng.choice((a.dtype, "i32", "i64")))


@row
def reshape(a):
    value = any_value(a)
    rest, shape = value.size, []
    while rest > 1 and len(shape) < 3:
        factors = [f for f in range(1, rest + 1) if rest % f == 0]
        shape.append(a.rng.choice(factors))
        rest //= shape[-1]
    shape.append(rest)
    if a.chance(0.3):
        shape.insert(a.rng.randint(0, len(shape)), 1)
    a.emit("reshape", [value], value.bound, value.low, _shape=tuple(shape))


# Reductions and contractions, as primitives.

def write_reduce(a, value, dims):
    points = math.prod(value.shape[d] for d in dims)
    kind = a.rng.choice(list(COMBINERS))
    operands = [value]
    if kind == "argmax":
        if not value.exact or value.dtype not in ("f32", "f64"):
            raise Invalid("a jump")
        operands.append(a.emit("iota", [], float(max(value.shape, default=1)), axis=dims[-1] if dims else 0,
                               _shape=value.shape, _dtype="i64"))
    if kind == "prod":
        if value.is_float:
            operands = [a.tame(value, 1.0)]
    if value.dtype[0] == "u" and kind in ("max", "min"):
        raise Invalid("signless scalars")
    bound = {"sum": points * value.bound, "prod": 1.0, "moments": points * value.bound * max(value.bound, 1)}
    a.emit("reduce", operands, bound.get(kind, value.bound), dims=dims, inits=Inits(), _kind=kind)


@row
def reduce(a):
    value = a.pick((a.dtype,) * 6 + ("i32", "i64", "i8", "u8"))
    write_reduce(a, value, a.subset(len(value.shape)) if value.shape else ())


@row
def reduce_window(a):
    value, slid, sizes = write_window(a)
    if value.dtype == "bool":
        raise Invalid("no number")
    write_reduce(a, slid, tuple(range(len(value.shape), len(slid.shape))))


def reduction(kind):
    def write(a):
        integers = kind in ("sum", "max", "min", "prod", "l1", "sum_square")
        value = a.pick((a.dtype,) * 6 + (("i32", "i64") if integers else ()))
        dims = a.subset(len(value.shape), 1 if a.chance(0.9) else 0)
        points = math.prod(value.shape[d] for d in dims)
        if kind == "log_sum":
            value = a.positive(value)
        if kind in ("log_sum_exp", "prod") and value.is_float:
            value = a.tame(value, 1.0 if kind == "prod" else 3.0)
        bound = {"sum": points * value.bound, "l1": points * value.bound, "prod": 1.0,
                 "sum_square": points * value.bound ** 2, "l2": value.bound * points ** 0.5}
        a.emit("reduction", [value], bound.get(kind, value.bound + 9), dims=dims,
               kind=Enum("reduction_kind", kind))
    ROWS[f"reduction_{kind}"] = write


for each in "sum mean max min prod l1 l2 log_sum log_sum_exp sum_square".split():
    reduction(each)


@row
def contract(a):
    lhs = a.pick((a.dtype,) * 8 + ("i32",), low=1)
    names = a.rng.sample(range(10), len(lhs.shape))  # iterators, to be renumbered
    extents = dict(zip(names, lhs.shape))
    kept = [n for n in names if a.chance(0.6)]       # the others are summed up
    shared = [n for n in names if n not in kept or a.chance(0.25)]
    new = [n for n in range(10, 12) if a.chance(0.6)]
    extents |= {n: a.extent(16) for n in new}
    if math.prod(extents.values()) > 60000 or len(extents) > 6:
        raise Invalid("much work")
    right = shared + new
    a.rng.shuffle(right)
    result = kept + new
    a.rng.shuffle(result)
    order = {n: i for i, n in enumerate(result + [n for n in names if n not in kept])}
    rhs = a.like(lhs.dtype, tuple(extents[n] for n in right))
    points = math.prod(extents[n] for n in names if n not in kept)
    maps = tuple(tuple(order[n] for n in part) for part in (names, right, result))
    a.emit("contract", [lhs, rhs], points * lhs.bound * rhs.bound, maps=Maps(), _maps=maps)
