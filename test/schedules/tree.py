# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedule trees in a module's text: isl's notation as nested dictionaries, and back."""
import json
import re

TREE = re.compile(r"#sched\.tree<\[(.*?)\]>", re.S)
LINE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
DEFAULT = re.compile(r'#sched\.config<"default"')


def find(text):
    """(begin, end) of the text of the tree of the first scop's default variant."""
    match = TREE.search(text, DEFAULT.search(text).start())
    return match.span(1)


def read(text):
    """The tree of a list of MLIR strings, one for each line of isl's text."""
    lines = [line.replace("\\22", '"') for line in LINE.findall(text) if line]
    node, rest = read_node(lines, 0)
    assert rest == len(lines), lines[rest:]
    return node


def indent_of(line):
    return len(line) - len(line.lstrip(" -"))


def read_node(lines, at):
    """The mapping that begins at a line, and the line after it."""
    node, indent = {}, indent_of(lines[at])
    while at < len(lines) and indent_of(lines[at]) == indent:
        if node and lines[at].lstrip().startswith("- "):
            break  # the next element of the list that this one is in
        key, value = lines[at].lstrip(" -").split(":", 1)
        at += 1
        if value.strip():
            node[key] = json.loads(value)
        elif key in ("sequence", "set"):
            node[key] = []
            while at < len(lines) and lines[at].lstrip().startswith("- ") \
                    and indent_of(lines[at]) > indent:
                child, at = read_node(lines, at)
                node[key].append(child)
        else:
            node[key], at = read_node(lines, at)
    return node, at


def write(node):
    """The tree as one MLIR string, in isl's notation on one line."""
    return '"' + json.dumps(node).replace('"', "\\22") + '"'


def walk(node):
    """All nodes, those above first."""
    yield node
    for child in node.get("sequence", []) + node.get("set", []):
        yield from walk(child)
    if "child" in node:
        yield from walk(node["child"])
