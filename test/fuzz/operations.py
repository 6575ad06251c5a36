# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the fuzzer knows of each operation: the types of its results, whether all right
programs compute the same bits of it, and whether it needs such operands."""
import math

from graph import FLOATS, Invalid, compute, element, scalar


class Operation:
    """infer        (types, attributes) -> types, or raises Invalid
    exact        results are exact where the operands are; integers always are
    needs_exact  a jump, or a comparison: small differences of operands become large
    indices      attributes -> [(operand of indices, axis of operand 0)]
    region       node, names -> text of the region
    spelling     how fuse calls it, if several operations have that name"""

    def __init__(self, name, infer, exact=False, needs_exact=False, indices=None, region=None,
                 spelling=None):
        self.name, self.infer, self.exact = name, infer, exact
        self.needs_exact, self.region = needs_exact, region
        self.spelling = spelling or name
        self.indices = indices or (lambda attributes: [])

    def is_exact(self, operands, dtype):
        if dtype not in FLOATS:
            return True
        return self.exact(operands, dtype) if callable(self.exact) else self.exact


OPERATIONS = {}


def define(names, infer, **more):
    for name in names.split():
        OPERATIONS[name] = Operation(name, infer, **more)


def expect(condition, why=""):
    if not condition:
        raise Invalid(why)


def extent(value):
    expect(value >= 0, "a negative extent")
    return value


# Elementwise.

def same(types, _):
    expect(all(t == types[0] for t in types))
    return [types[0]]


def compared(types, _):
    expect(types[0] == types[1])
    return [("bool", types[0][1])]


def selected(types, _):
    expect(types[0] == ("bool", types[1][1]) and types[1] == types[2])
    return [types[1]]


def converted(types, attributes):
    return [(attributes["_dtype"], types[0][1])]


def widens(operands, dtype):
    """Whether a conversion to this float keeps every value."""
    digits = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}
    source = operands[0].dtype
    if source in FLOATS:
        return digits[source] <= digits[dtype] and (source, dtype) != ("bf16", "f16")
    return operands[0].bound <= 2 ** digits[dtype]


define("acos acosh asin asinh atan atanh cos cosh erf exp expm1 log log1p rsqrt sin sinh "
       "sqrt tan tanh add sub mul div pow", same)
define("abs neg maximum minimum not and or xor shl shr", same, exact=True)
define("ceil floor round sign", same, exact=True, needs_exact=True)
define("mod fmod", same, needs_exact=True)
define("cmp", compared, exact=True, needs_exact=True)
define("select", selected, exact=True)
define("cast", converted, exact=widens)

# Activations.
define("elu selu celu sigmoid hard_sigmoid hard_swish swish mish softplus softsign "
       "reciprocal gelu leaky_relu prelu", same)
define("relu", same, exact=True)
define("thresholded_relu shrink", same, exact=False, needs_exact=True)


def along_axis(types, attributes):
    expect(0 <= attributes["axis"] < len(types[0][1]), "axis")
    return [types[0]]


def clipped(types, _):
    expect(all(t == (types[0][0], ()) for t in types[1:]))
    return [types[0]]


define("softmax log_softmax lp_norm", along_axis)
define("hardmax", along_axis, exact=True, needs_exact=True)
define("clip", clipped, exact=True)

# Movement.


def broadcast(types, attributes):
    (dtype, shape), to, dims = types[0], attributes["_shape"], attributes["dims"]
    expect(len(dims) == len(shape) and all(d < len(to) for d in dims))
    expect(all(e in (1, to[d]) for e, d in zip(shape, dims)))
    return [(dtype, to)]


def transpose(types, attributes):
    (dtype, shape), perm = types[0], attributes["perm"]
    expect(sorted(perm) == list(range(len(shape))))
    return [(dtype, tuple(shape[p] for p in perm))]


def cut(types, attributes):
    (dtype, shape), to = types[0], attributes["_shape"]
    expect(len(to) == len(shape))
    for e, offset, stride, count in zip(shape, attributes["offsets"], attributes["strides"], to):
        last = offset + (count - 1) * stride
        expect(stride != 0 and offset >= 0 and (count == 0 or (offset < e and 0 <= last < e)))
        expect(offset <= e)
    return [(dtype, to)]


def padded(types, attributes):
    (dtype, shape) = types[0]
    low, high = attributes["low"], attributes["high"]
    expect(len(low) == len(shape) and min(low + high, default=0) >= 0)
    return [(dtype, tuple(a + b + c for a, b, c in zip(low, shape, high)))]


def window_counts(shape, attributes):
    """The extents of a windowed operation's result, by ONNX's formula."""
    sizes, count = attributes["sizes"], len(attributes["sizes"])
    high = attributes.get("pad_high") or attributes.get("_high")
    result = []
    expect(count <= len(shape))
    for i, size in enumerate(sizes):
        expect(size > 0 and attributes["strides"][i] > 0 and attributes["dilations"][i] > 0)
        low = attributes["pad_low"][i]
        expect(low >= 0 and high[i] >= 0 and low < size and high[i] < size)
        reach = attributes["dilations"][i] * (size - 1)
        room = shape[len(shape) - count + i] + low + high[i] - reach - 1
        expect(room >= 0, "a window larger than what it slides over")
        result.append(room // attributes["strides"][i] + 1)
    return tuple(result)


def windowed(types, attributes):
    (dtype, shape) = types[0]
    counts = window_counts(shape, attributes)
    return [(dtype, shape[:len(shape) - len(counts)] + counts + tuple(attributes["sizes"]))]


def pooled(types, attributes):
    (dtype, shape) = types[0]
    counts = window_counts(shape, attributes)
    return [(dtype, shape[:len(shape) - len(counts)] + counts)]


def pooled_with_indices(types, attributes):
    expect(len(types[0][1]) == len(attributes["sizes"]) + 2)
    (dtype, shape), = pooled(types, attributes)
    expect(0 not in types[0][1])
    for i, size in enumerate(attributes["sizes"]):  # a window of padding alone has no index
        taps = [t * attributes["dilations"][i] - attributes["pad_low"][i] for t in range(size)]
        expect(all(any(0 <= o * attributes["strides"][i] + tap < types[0][1][2 + i] for tap in taps)
                   for o in range(shape[2 + i])))
    return [(dtype, shape), ("i64", shape)]


def concatenated(types, attributes):
    axis, shapes = attributes["axis"], [list(shape) for _, shape in types]
    expect(len({dtype for dtype, _ in types}) == 1 and all(axis < len(s) for s in shapes))
    total = sum(s[axis] for s in shapes)
    for s in shapes:
        s[axis] = total
    expect(all(s == shapes[0] for s in shapes))
    return [(types[0][0], tuple(shapes[0]))]


def gathered(types, attributes):
    (dtype, shape), (_, picks), axis = types[0], types[1], attributes["_axis"]
    expect(axis < len(shape))
    return [(dtype, shape[:axis] + picks + shape[axis + 1:])]


def counted(_, attributes):
    expect(attributes["axis"] < len(attributes["_shape"]))
    return [(attributes["_dtype"], attributes["_shape"])]


def reshaped(types, attributes):
    expect(math.prod(types[0][1]) == math.prod(attributes["_shape"]))
    return [(types[0][0], attributes["_shape"])]


define("broadcast", broadcast, exact=True)
define("transpose", transpose, exact=True)
define("slice", cut, exact=True)
define("pad", padded, exact=True)
define("window", windowed, exact=True)
define("concat", concatenated, exact=True)
define("gather", gathered, exact=True, indices=lambda a: [(1, a["_axis"])])
define("iota", counted, exact=True)
define("reshape", reshaped, exact=True)
define("pool", pooled, exact=False)
define("lp_pool", pooled)
define("max_pool_indices", pooled_with_indices, exact=True, needs_exact=True)

# Reductions.


def reduced(types, attributes):
    shape = types[0][1]
    expect(all(d < len(shape) for d in attributes["dims"]))
    return [(types[0][0], tuple(1 if d in attributes["dims"] else e for d, e in enumerate(shape)))]


# name -> (initial values, body), with accumulators %a, %b, elements %e, %j. T is the
# type of floats or integers, S its suffix in arith, M that of its maximum.
COMBINERS = {
    "sum": (["0"], "%r = arith.addS %a, %e : T\n    fuse.yield %r : T"),
    "prod": (["1"], "%r = arith.mulS %a, %e : T\n    fuse.yield %r : T"),
    "max": (["lowest"], "%r = arith.maxM %a, %e : T\n    fuse.yield %r : T"),
    "min": (["highest"], "%r = arith.minM %a, %e : T\n    fuse.yield %r : T"),
    "moments": (["0", "0"], "%r = arith.addS %a, %e : T\n    %q = arith.mulS %e, %e : T\n"
                "    %s = arith.addS %b, %q : T\n    fuse.yield %r, %s : T, T"),
    "argmax": (["lowest", "last"],
               "%l = arith.cmpf ogt, %e, %a : T\n    %q = arith.cmpf oeq, %e, %a : T\n"
               "    %f = arith.cmpi slt, %j, %b : i64\n    %n = arith.andi %q, %f : i1\n"
               "    %o = arith.ori %l, %n : i1\n    %r = arith.select %o, %e, %a : T\n"
               "    %s = arith.select %o, %j, %b : i64\n    fuse.yield %r, %s : T, i64"),
}


def initial(which, dtype):
    if which == "last":
        return scalar(2**63 - 1, "i64")
    if which in ("lowest", "highest"):
        sign = -1 if which == "lowest" else 1
        if dtype in FLOATS:
            return scalar(sign * math.inf, dtype)
        bits = int(dtype[1:])
        return scalar(-2**(bits - 1) if sign < 0 else 2**(bits - 1) - 1, dtype)
    return scalar(int(which), dtype)


def combined(types, attributes):
    shape, dims, kind = types[0][1], attributes["dims"], attributes["_kind"]
    expect(all(d < len(shape) for d in dims) and all(t[1] == shape for t in types))
    kept = tuple(e for d, e in enumerate(shape) if d not in dims)
    expect((len(types) == 2) == (kind == "argmax"))
    if kind == "argmax":
        expect(types[0][0] in FLOATS and types[1][0] == "i64")
        return [(types[0][0], kept), ("i64", kept)]
    return [(types[0][0], kept)] * len(COMBINERS[kind][0])


def combiner(node, _):
    kind = node.attributes["_kind"]
    dtype = compute(node.operands[0].dtype)
    body = COMBINERS[kind][1].replace("T", element(dtype))
    body = body.replace("maxM", "maximumf" if dtype in FLOATS else "maxsi")
    body = body.replace("minM", "minimumf" if dtype in FLOATS else "minsi")
    for name in ("add", "mul"):
        body = body.replace(f"arith.{name}S", f"arith.{name}{'f' if dtype in FLOATS else 'i'}")
    types = [compute(v.dtype) for v in node.results + node.operands]
    names = ["%a", "%b"][:len(node.results)] + ["%e", "%j"][:len(node.operands)]
    arguments = ", ".join(f"{n}: {element(t)}" for n, t in zip(names, types))
    return f" ({{\n  ^bb0({arguments}):\n    {body}\n  }})"


class Inits:
    """The initial values of a fuse.reduce, in the compute types of its results."""

    def text(self, node):
        which = COMBINERS[node.attributes["_kind"]][0]
        texts = [initial(w, compute(v.dtype)) for w, v in zip(which, node.results)]
        return f"[{', '.join(texts)}]"


class Maps:
    """The maps of a fuse.contract, out of lists of iterators in `_maps`."""

    def text(self, node):
        maps = node.attributes["_maps"]
        count = max((d for m in maps for d in m), default=-1) + 1
        iterators = ", ".join(f"d{i}" for i in range(count))
        return "[" + ", ".join(f"affine_map<({iterators}) -> ({', '.join(f'd{d}' for d in m)})>"
                               for m in maps) + "]"


def contracted(types, attributes):
    extents, (lhs, rhs, result) = {}, attributes["_maps"]
    expect(types[0][0] == types[1][0])
    for (_, shape), iterators in zip(types, (lhs, rhs)):
        expect(len(shape) == len(iterators))
        for d, e in zip(iterators, shape):
            expect(extents.setdefault(d, e) == e)
    return [(types[0][0], tuple(extents[d] for d in result))]


define("reduction", reduced)
define("reduce", combined, region=combiner)
define("contract", contracted)
