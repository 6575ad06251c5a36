# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of operations and rows go on: regions, which run at run time, or of which
one is taken."""
import dataclasses

from graph import Segments, Verbatim
from operations import define, expect
from rows import row


def decided(types, _):
    expect(types[0] == ("bool", ()) and types[1] == types[2])
    return [types[1]]


def decision(node, names):
    """One of two bodies over the same values."""
    _, x, y = node.operands
    bodies = []
    for which, op in zip(("then", "else"), node.attributes["_bodies"]):
        name = f"{names[node.results[0]]}_{which}"
        bodies.append(f'{name} = "fuse.{op}"({names[x]}, {names[y]}) : ({x.type}, {y.type}) -> {x.type}\n'
                      f'    "fuse.yield"({name}) : ({x.type}) -> ()')
    return f" ({{\n    {bodies[0]}\n  }}, {{\n    {bodies[1]}\n  }})"


def repeated(types, attributes):
    """Operands: the count if there is one, the start, what is sliced."""
    start, rows = types[-2:]
    trips = attributes["trips"]
    expect(trips > 0 and rows[1] == (trips,) + start[1] and rows[0] == start[0])
    expect(all(t == ("i64", ()) for t in types[:-2]))
    return [start, rows]


def repetition(node, names):
    """Folds the rows into a state, and stacks the states."""
    state, name = node.operands[-2].type, names[node.results[0]]
    return (f" ({{\n  ^bb0({name}_i: tensor<i64>, {name}_s: {state}, {name}_x: {state}):\n"
            f'    {name}_n = "fuse.{node.attributes["_body"]}"({name}_x, {name}_s)'
            f" : ({state}, {state}) -> {state}\n"
            f'    "fuse.yield"({name}_n, {name}_n) : ({state}, {state}) -> ()\n  }})')


def counted_down(types, attributes):
    """Operands: the condition, a counter, the state, what is sliced if there are trips,
    and what is added from outside."""
    trips = attributes.get("trips")
    expect(types[:2] == [("bool", ()), ("i64", ())] and types[-1] == types[2])
    expect(len(types) == (4 if trips is None else 5))
    dtype, shape = types[2]
    if trips is None:
        return [types[1], types[2]]
    expect(trips > 0 and types[3] == (dtype, (trips,) + shape))
    return [types[1], types[2], types[3]]


def countdown(node, names):
    """As long as the counter is above 0: one less, and on with the state."""
    name, state, outer = names[node.results[0]], node.operands[2].type, names[node.operands[-1]]
    sliced = "trips" in node.attributes
    arguments = f"{name}_i: tensor<i64>, {name}_k: tensor<i64>, {name}_s: {state}"
    arguments += f", {name}_x: {state}" if sliced else ""
    row = f"{name}_x" if sliced else outer
    more, types = (f", {name}_n", f", {state}") if sliced else ("", "")
    constants = "".join(f'    {name}_{word} = "fuse.constant"() <{{value = dense<{number}> : '
                        "tensor<i64>}> : () -> tensor<i64>\n"
                        for number, word in enumerate(("zero", "one")))
    return (f" ({{\n  ^bb0({arguments}):\n{constants}"
            f'    {name}_l = "fuse.sub"({name}_k, {name}_one) : (tensor<i64>, tensor<i64>) -> tensor<i64>\n'
            f'    {name}_c = "fuse.cmp"({name}_l, {name}_zero) <{{predicate = #fuse<cmp gt>}}> : '
            "(tensor<i64>, tensor<i64>) -> tensor<i1>\n"
            f'    {name}_m = "fuse.{node.attributes["_body"]}"({name}_s, {row}) : '
            f"({state}, {state}) -> {state}\n"
            f'    {name}_n = "fuse.maximum"({name}_m, {outer}) : ({state}, {state}) -> {state}\n'
            f'    "fuse.yield"({name}_c, {name}_l, {name}_n{more}) : '
            f"(tensor<i1>, tensor<i64>, {state}{types}) -> ()\n  }})")


@dataclasses.dataclass(frozen=True)
class Named:
    """The name of a choice, which is its result's."""

    def text(self, node):
        return f'"choice_{len(node.results[0].shape)}"'


def doubled(types, _):
    return [types[0]]


def alternatives(node, names):
    """Twice a value: a sum, or a difference from its negative, which has the same bits."""
    value, = node.operands
    name, x, of = names[node.results[0]], names[value], value.type
    return (f' ({{\n    {name}_a = "fuse.add"({x}, {x}) : ({of}, {of}) -> {of}\n'
            f'    "fuse.yield"({name}_a) : ({of}) -> ()\n  }}, {{\n'
            f'    {name}_b = "fuse.neg"({x}) : ({of}) -> {of}\n'
            f'    {name}_c = "fuse.sub"({x}, {name}_b) : ({of}, {of}) -> {of}\n'
            f'    "fuse.yield"({name}_c) : ({of}) -> ()\n  }})')


define("if", decided, region=decision)
define("while", counted_down, region=countdown, spelling="loop")
define("choice", doubled, exact=True, region=alternatives)
define("loop", repeated, region=repetition)


@row
def if_(a):
    value = a.pick((a.dtype,) * 4 + ("i32",))
    other = a.like(value.dtype, value.shape)
    bodies = tuple(a.rng.choice("add sub maximum minimum".split()) for _ in range(2))
    condition = a.leaf("bool", (), kind="argument")
    a.emit("if", [condition, value, other], value.bound + other.bound, _bodies=bodies, _printed=1)


@row
def loop(a):
    rows = a.pick(low=1, where=lambda v: 0 < v.shape[0] <= 17)
    state = a.like(rows.dtype, rows.shape[1:])
    operands, counts = [state, rows], (0, 0, 1, 1)
    if a.chance(0.4):
        count = a.leaf("i64", (), 0, 3, kind="argument")
        operands, counts = [count] + operands, (1, 0, 1, 1)
    given = {name: (0,) for name in ("reversed_slices", "reversed_stacks") if a.chance(0.3)}
    body = a.rng.choice("add sub maximum minimum".split())
    grown = rows.shape[0] * rows.bound if body in ("add", "sub") else rows.bound
    a.emit("loop", operands, grown + state.bound, trips=rows.shape[0], _body=body,
           operandSegmentSizes=Segments(counts), **given)


@row
def while_(a):
    """A loop that ends when its condition says so: at once, early, or never before trips."""
    sliced = a.chance(0.6)
    rows = a.pick(low=1, where=lambda v: 0 < v.shape[0] <= 17) if sliced else None
    state = a.like(rows.dtype, rows.shape[1:]) if sliced else a.pick()
    counter = a.leaf("i64", (), 0, 6, kind="argument")
    condition = a.leaf("bool", (), kind=a.rng.choice(["argument", "constant"]))
    body = a.rng.choice("add sub maximum minimum".split())
    outer = a.like(state.dtype, state.shape)
    grown = 9 * max(v.bound for v in (rows, outer) if v) + state.bound
    operands = [condition, counter, state] + ([rows] if sliced else []) + [outer]
    given = {"trips": rows.shape[0]} if sliced else {}
    if sliced and a.chance(0.3):
        given["reversed_slices"] = (0,)
    a.emit("while", operands, grown, _body=body, _printed=len(operands) - 1,
           operandSegmentSizes=Segments((0, 1, 2, len(operands) - 4)), **given)


@row
def choice(a):
    """Of algorithms: one is taken."""
    value = a.pick((a.dtype,) * 4 + ("i32",))
    a.emit("choice", [value], 2 * value.bound, _printed=0, sym_name=Named(),
           algorithms=Verbatim('["sum", "difference"]'))
