# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table: a row draws a node of an operator, with operands that it is defined on."""
from author import schema_of
from graph import FLOATS, INTEGERS, Invalid

ROWS = {}  # operator -> function of an author


def row(*ops, domain=""):
    """Marks a function of an author and the operator's name as the row of operators."""
    def add(function):
        for op in ops:
            assert (domain, op) not in ROWS, op
            ROWS[domain, op] = function
        return function
    return add


def attempt(author, key):
    """Draws a node of the operator; whether that worked."""
    domain, op = key
    nodes, values = len(author.nodes), len(author.values)
    try:
        schema_of(op, domain, author.opset)
        ROWS[key](author, op)
        return True
    except Invalid:
        del author.nodes[nodes:], author.values[values:]
        return False


NUMBERS = (*FLOATS, *INTEGERS)
