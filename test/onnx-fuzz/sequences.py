# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of sequences, which a node makes and others take apart again."""
import numpy as np

from graph import Invalid
from rows import row


def sequence(g, op):
    """A sequence of some tensors of one type and rank."""
    x = g.tensor(g.dtype("SequenceConstruct"), rank=range(1, 5), least=1)
    others = [g.tensor(x.dtype, x.shape) for _ in range(g.choice([0, 1, 2]))]
    return x, g.emit("SequenceConstruct", x, *others)


def place(g, length):
    return g.leaf(np.array(g.integer(-length, length - 1)), g.choice(["initializer", "constant"]))


def together(g, found):
    """One tensor of a sequence."""
    axis = g.integer(0, min(len(a.shape) for a in found.array) - 1)
    g.emit("ConcatFromSequence", found, axis=axis, new_axis=g.choice([None, 0]))


@row("SequenceConstruct", "ConcatFromSequence", "SequenceAt", "SequenceLength")
def pick(g, op):
    _, found = sequence(g, op)
    if op == "SequenceAt":
        g.emit(op, found, place(g, len(found.array)))
    elif op == "SequenceLength":
        g.emit(op, found)
    elif g.chance(0.5):
        together(g, found)
    else:
        g.emit("ConcatFromSequence", found, axis=g.choice([0, -1, 1]), new_axis=1)


@row("SequenceInsert", "SequenceErase")
def change(g, op):
    x, found = sequence(g, op)
    at = place(g, len(found.array)) if g.chance(0.6) else None
    if op == "SequenceErase":
        if len(found.array) < 2:
            raise Invalid("nothing is left")
        found = g.emit(op, found, at)
    else:
        found = g.emit(op, found, g.tensor(x.dtype, x.shape), at)
    together(g, found)


@row("SplitToSequence")
def divide(g, op):
    x = g.tensor(g.dtype(op), rank=range(1, 5), least=1, most=11)
    axis = g.axis(len(x.shape))
    extent = x.shape[axis]
    split = None
    if g.chance(0.7):
        cut = g.integer(0, extent)
        split = g.choice([np.array(g.integer(1, extent)), np.array([cut, extent - cut])])
    together(g, g.emit(op, x, split=split, axis=axis))


@row("OptionalHasElement", "OptionalGetElement")
def optional(g, op):
    if g.opset < 18:
        raise Invalid("takes no tensors")
    g.emit(op, g.tensor("f32"))
