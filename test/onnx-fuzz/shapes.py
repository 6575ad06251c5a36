# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands that models compute from the shapes of their values, by any operator that works
on small integers: each value is known as it is drawn, so that the last step can arrive at
the number that is wanted."""
import numpy as np

from graph import CODES, NARROW, Invalid, tensor_of

MOST = 9        # numbers of an operand
LARGEST = 2000  # what steps may reach


def can_compute(array):
    """Whether an operand may come from shapes: a number or a few, and what a quotient of
    integers gives without rounding."""
    if array.ndim > 1 or not 0 < array.size < MOST:
        return False
    if array.dtype == np.int64:
        return bool(np.all(np.abs(array) < 2**40))
    return array.dtype == np.float32 and bool(np.all((np.abs(array) < 64) & (array * 64 % 1 == 0)))


def compute(g, array):
    """The value of an operand, or None where nothing has a shape."""
    sources = [v for v in g.values if v.is_tensor and v.shape and v.dtype not in CODES + NARROW]
    if not sources:
        return None
    source = g.choice(sources)
    shape = g.emit("Shape", source)
    if array.dtype == np.float32:
        found = quotient(g, shape, array)
    else:
        found = joined(g, [number(g, shape, n) for n in np.atleast_1d(array).tolist()])
        for _ in range(g.choice([0, 0, 1, 1, 2])):
            found = attempt(g, ROUNDS, found)
    if array.shape == found.shape:
        return found
    return g.emit("Squeeze", found) if g.chance(0.5) else \
        g.emit("Reshape", found, constant(g, [], (0,)))


def constant(g, values, shape=None):
    return g.leaf(np.array(values, np.int64).reshape(np.shape(values) if shape is None else shape),
                  g.choice(["initializer", "constant"]))


def joined(g, parts):
    return parts[0] if len(parts) == 1 else g.emit("Concat", *parts, axis=0)


def attempt(g, ways, part):
    """What one of the ways makes of a value, or the value itself: not every opset has each,
    and ONNX Runtime lacks kernels."""
    nodes, values = len(g.nodes), len(g.values)
    try:
        found = g.choice(ways)(g, part)
        if found.dtype == "i64" and (ways is ROUNDS or found.shape == (1,)
                                     and abs(int(found.array[0])) <= LARGEST):
            return found
    except Invalid:
        pass
    del g.nodes[nodes:], g.values[values:]
    return part


def number(g, shape, wanted):
    """A vector of one number."""
    if g.chance(0.4):
        return constant(g, [wanted])
    at = g.integer(0, shape.shape[0] - 1)
    if g.opset >= 10 and g.chance(0.3):
        part = g.emit("Slice", shape, constant(g, [at]), constant(g, [at + 1]))
    else:
        part = g.emit("Gather", shape, constant(g, [at]), axis=0)
    for _ in range(g.choice([0, 0, 1, 1, 2, 3])):
        part = attempt(g, STEPS, part)
    return arrive(g, part, int(part.array[0]), wanted)


def arrive(g, part, have, wanted):
    """What makes the wanted number of one that is there."""
    if have == wanted:
        return part
    if have > 1 and wanted % have == 0 and g.chance(0.5):
        return g.emit("Mul", part, constant(g, [wanted // have]))
    if wanted > 0 and have > 0 and have % wanted == 0 and g.chance(0.5):
        return g.emit("Div", part, constant(g, [have // wanted]))
    way = g.integer(0, 7)
    if way == 0 and g.opset >= 12:
        return g.emit("Max" if wanted > have else "Min", part, constant(g, [wanted]))
    if way == 1 and g.opset >= 9:
        test = g.emit(g.choice(["Equal", "Less"] if g.opset >= 11 else ["Less"]), part,
                      constant(g, [have]))
        both = [constant(g, [wanted]), constant(g, [have + 1])]
        return g.emit("Where", test, *(both if test.array[0] else both[::-1]))
    if way == 2 and 0 <= have < 9:
        table = g.rng.integers(0, 9, have + 2)
        table[have] = wanted
        return g.emit("Gather", constant(g, table), part, axis=0)
    if way == 3:
        both = g.emit("Concat", part, constant(g, [wanted - have]), axis=0)
        return g.emit("ReduceSum", both, keepdims=1)
    if way == 4:
        return g.emit("Sub", part, constant(g, [have - wanted]))
    return g.emit("Add", part, constant(g, [wanted - have]))


def quotient(g, shape, array):
    """Floats: the scales of a Resize are what it makes by what it has."""
    parts = []
    for wanted in array.reshape(-1).tolist():
        part = g.emit("Gather", shape, constant(g, [g.integer(0, shape.shape[0] - 1)]), axis=0)
        if not 0 < part.array[0] <= LARGEST:
            part = constant(g, [3])
        over = int(g.choice([k for k in (1, 2, 4, 64) if wanted * k % 1 == 0]))
        both = [g.emit("Mul", part, constant(g, [k])) for k in (int(wanted * over), over)]
        parts.append(g.emit("Div", *(g.emit("Cast", v, to=1) for v in both)))
    return joined(g, parts)


# Steps: a vector of one number becomes another one, whichever.

def one(array):
    return int(array.array[0])


def arithmetic(g, part):
    op = g.choice(["Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Pow"])
    other = constant(g, [g.choice([1, 2, 3, 5])])
    if op in ("Div", "Mod") and one(part) < 0:
        raise Invalid("rounds towards zero or down")
    return g.emit(op, *((part, other) if op in ("Div", "Mod", "Pow") or g.chance(0.5)
                        else (other, part)))


def sign(g, part):
    return g.emit(g.choice(["Neg", "Abs", "Sign", "Identity"]), part)


def clip(g, part):
    return g.emit("Clip", part, constant(g, 2), constant(g, 7) if g.chance(0.6) else None)


def rounded(g, part):
    """Through floats: as the extents of what is resized."""
    op, factor = g.choice([("Mul", 0.5), ("Mul", 2.25), ("Div", 0.5), ("Div", 4), ("Add", 1.5)])
    wide = g.emit(op, g.emit("Cast", part, to=1),
                  g.leaf(np.array([factor], np.float32), g.choice(["initializer", "constant"])))
    return g.emit("Cast", g.emit(g.choice(["Floor", "Ceil", "Round"]), wide), to=7)


def narrowed(g, part):
    return g.emit("Cast", g.emit("Cast", part, to=g.choice([6, 1, 11, 9])), to=7)


def more(g, part, count=3):
    """The number among others."""
    others = [constant(g, g.rng.integers(0, 9, n)) for n in g.rng.integers(1, count, 2)]
    parts = [others[0], part] + others[1:] * g.integer(0, 1)
    return g.emit("Concat", *parts, axis=0)


def reduction(g, part):
    op = g.choice(["ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceMean", "ReduceL1",
                   "ReduceSumSquare"])
    return g.emit(op, more(g, part), keepdims=1)


def position(g, part):
    return g.emit(g.choice(["ArgMax", "ArgMin"]), more(g, part), axis=0)


def top(g, part):
    return g.emit("TopK", more(g, part), K=np.array([1]), largest=g.choice([0, 1]), axis=0,
                  results=2)[g.integer(0, 1)]


def running(g, part):
    total = g.emit("CumSum", more(g, part), constant(g, 0), reverse=g.choice([0, 1]))
    return g.emit("Gather", total, constant(g, [g.integer(0, 1)]), axis=0)


def test(g, part):
    """A truth as a number."""
    tests = [g.emit(g.choice(["Less", "Greater", "Equal"]), part, constant(g, [k]))
             for k in (3, one(part))]
    both = g.emit(g.choice(["And", "Or", "Xor"]), *tests)
    if g.chance(0.5):
        both = g.emit("Not", both)
    if g.chance(0.5):
        return g.emit("Cast", both, to=7)
    return g.emit("Where", both, part, constant(g, [g.integer(0, 9)]))


def scalar(g, part):
    return g.emit("Squeeze", part)


def counted(g, part):
    """The numbers below it."""
    if not 0 < one(part) <= 67:
        raise Invalid("too many")
    found = g.emit("Range", constant(g, g.integer(-2, 0)), scalar(g, part), constant(g, 1))
    if g.chance(0.5):
        return g.emit("Gather", found, constant(g, [g.integer(0, 1) and -1]), axis=0)
    return g.emit(g.choice(["Shape", "ReduceSum", "ReduceMax"]), found)


def filled(g, part):
    if not 0 < one(part) <= 67:
        raise Invalid("too many")
    if g.chance(0.3):
        found = g.emit("ConstantOfShape", part, value=tensor_of(np.ones(1, np.int64)))
        return g.emit("Gather", g.emit("Shape", g.emit("NonZero", found)), constant(g, [1]))
    found = g.emit("ConstantOfShape", part)
    return g.emit("Shape", g.emit(g.choice(["Neg", "Identity", "Cos"]), found))


def product(g, part):
    both = more(g, part)
    op = g.choice(["MatMul", "Mul"])
    found = g.emit(op, both, constant(g, g.rng.integers(0, 5, both.shape[0])))
    return g.emit("Reshape", found, constant(g, [1])) if op == "MatMul" else \
        g.emit("ReduceMax", found, keepdims=1)


def placed(g, part):
    """Into others, and out again."""
    base = constant(g, g.rng.integers(0, 9, 3))
    at = g.integer(0, 2)
    op = g.choice(["ScatterElements", "ScatterND"])
    index = constant(g, [at] if op == "ScatterElements" else [[at]])
    found = g.emit(op, base, index, part)
    return g.emit("Slice", found, constant(g, [0]), constant(g, [1]))


def padded(g, part):
    found = g.emit("Pad", part, constant(g, [1, 2]), constant(g, 5))
    return g.emit("Gather", found, constant(g, [g.integer(0, 3)]), axis=0)


def repeated(g, part):
    found = g.emit(g.choice(["Tile", "Expand"]), part, constant(g, [3]))
    return g.emit("ReduceSum", found, keepdims=1) if g.opset < 13 or g.chance(0.5) else \
        g.emit("Split", found, split=np.array([1, 2]), results=2)[0]


def hot(g, part):
    found = g.emit("OneHot", part, constant(g, [9]), constant(g, [0, 3]))
    return g.emit("ArgMax", found, axis=1, keepdims=0)


def masked(g, part):
    square = g.emit("Mul", g.emit("Reshape", part, constant(g, [1, 1])),
                    constant(g, g.rng.integers(0, 4, (2, 2))))
    return g.emit("Reshape", g.emit("ReduceSum", g.emit("Trilu", square, upper=g.choice([0, 1]))),
                  constant(g, [1]))


def decided(g, part):
    """A condition that shapes decide."""
    condition = g.emit("Less", scalar(g, part), constant(g, g.integer(0, 9)))
    branches = [g.body([], lambda: [g.emit("Add", part, constant(g, [k]))]) for k in (1, 2)]
    return g.emit("If", condition, then_branch=branches[0], else_branch=branches[1])


def looped(g, part):
    """As often as shapes say."""
    if not 0 <= one(part) <= 17:
        raise Invalid("too often")

    def write(iteration, goes_on, value):
        after = g.emit("Add", value, constant(g, [2]))
        keep = g.emit("Less", iteration, constant(g, 5)) if g.opset >= 9 and g.chance(0.5) \
            else g.emit("Identity", goes_on)
        return [keep, after]
    start = constant(g, [1])
    body = g.body([np.array(0), np.array(True), start.array], write)
    return g.emit("Loop", scalar(g, part), g.leaf(np.array(True), "initializer"), start, body=body)


STEPS = [arithmetic, arithmetic, sign, clip, rounded, rounded, narrowed, reduction, reduction,
         position, top, running, test, test, counted, filled, product, placed, padded, repeated,
         hot, masked, decided, looped]


# Rounds: a vector comes out as it went in.

def there_and_back(g, vector):
    wide = g.emit("Cast", vector, to=g.choice([6, 1, 11]))
    found = g.emit("Cast", wide, to=7)
    if not np.array_equal(found.array, vector.array):
        raise Invalid("does not fit")
    return found


def reshaped(g, vector):
    kind = g.choice(["Unsqueeze", "Reshape"])
    if kind == "Reshape":
        found = g.emit("Reshape", vector, constant(g, [1, -1, 1]))
        return g.emit("Reshape", g.emit("Transpose", found), constant(g, [-1]))
    if g.opset >= 13:
        found = g.emit("Unsqueeze", vector, constant(g, [0]))
        return g.emit("Squeeze", found, constant(g, [0]))
    return g.emit("Squeeze", g.emit("Unsqueeze", vector, axes=[0]), axes=[0])


def flipped(g, vector):
    """Twice."""
    def flip(value):
        return g.emit("Slice", value, constant(g, [-1]), constant(g, [-99]), constant(g, [0]),
                      constant(g, [-1]))
    return flip(flip(vector))


def permuted(g, vector):
    order = g.rng.permutation(vector.shape[0])
    found = g.emit("Gather", vector, constant(g, order), axis=0)
    return g.emit("Gather", found, constant(g, np.argsort(order)), axis=0)


def cut(g, vector):
    """In two, and joined."""
    at = g.integer(0, vector.shape[0])
    parts = [g.emit("Slice", vector, constant(g, [low]), constant(g, [high]))
             for low, high in ((0, at), (at, 2**31))]
    return g.emit("Concat", *parts, axis=0)


def kept(g, vector):
    """As exporters write shapes to which a tensor is expanded."""
    ones = g.emit("ConstantOfShape", g.emit("Shape", vector))
    ones = g.emit("Cast", g.emit("Add", ones, g.leaf(np.ones(1, np.float32), "initializer")), to=7)
    test_ = g.emit("Equal", vector, g.emit("Mul", ones, constant(g, [-77])))
    return g.emit("Where", test_, ones, vector)


def compressed(g, vector):
    found = g.emit("Concat", vector, constant(g, [9]), axis=0)
    return g.emit("Compress", found, g.leaf(np.arange(found.shape[0]) < vector.shape[0],
                                            "initializer"), axis=0)


ROUNDS = [there_and_back, reshaped, flipped, permuted, cut, kept, compressed]
