# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages schedule trees: their order, their loops, their marks."""
import copy
import random
import re

from tree import walk

MARKS = ("parallel", "vector", "unroll")
LOCAL = re.compile(r"(local|copy)_m(\d+)(?:_([\dx]+))?(_last\d+)?")
NUMBER = re.compile(r"(?<=[/ (])\d+(?=\))")
BOUND = re.compile(r"(?<=[<>]= )\d+")
ITERATOR = re.compile(r"\[\((i\d+)\)\]")


def replace(node, by):
    """Makes a node what another is."""
    by = dict(by)
    node.clear()
    node.update(by)


class Mutator:
    """Each kind of damage returns whether the tree had a place for it."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, tree, suits):
        nodes = [node for node in walk(tree) if suits(node)]
        return self.random.choice(nodes) if nodes else None

    def pick_loop(self, tree, suits):
        """A loop, or the mark of one, by what holds for the loop."""
        marked = {id(node["child"]) for node in walk(tree) if node.get("mark") in MARKS}
        return self.pick(tree, lambda n: id(n) not in marked and loop_of(n) and suits(loop_of(n)))

    def pick_local(self, tree):
        """The mark of an array with a shape."""
        return self.pick(tree, lambda n: LOCAL.fullmatch(n.get("mark", ""))
                         and LOCAL.fullmatch(n["mark"])[3])

    def turn_sequence(self, tree):
        node = self.pick(tree, lambda n: "sequence" in n)
        if node:
            first, second = self.random.sample(range(len(node["sequence"])), 2)
            parts = node["sequence"]
            parts[first], parts[second] = parts[second], parts[first]
        return node

    def change_number(self, tree):
        """A tile of another size, or a loop of other points."""
        node = self.pick(tree, lambda n: NUMBER.search(n.get("schedule", "")))
        if node:
            text = node["schedule"]
            size = int(self.random.choice(NUMBER.findall(text)))
            other = self.random.choice([1, 2, size + 1, 2 * size, max(1, size - 1)])
            if self.random.random() < 0.5:  # everywhere
                text = re.sub(rf"(?<=[/ (]){size}(?=\))", str(other), text)
            else:
                places = [m.span() for m in NUMBER.finditer(text) if m.group(0) == str(size)]
                begin, end = self.random.choice(places)
                text = text[:begin] + str(other) + text[end:]
            node["schedule"] = text
        return node

    def shift_statement(self, tree):
        """One statement of a loop runs some iterations later, or backwards."""
        node = self.pick(tree, lambda n: ITERATOR.search(n.get("schedule", "")))
        if node:
            text = node["schedule"]
            place = self.random.choice(list(ITERATOR.finditer(text)))
            other = self.random.choice([f"{place[1]} + 1", f"{place[1]} - 2", f"-{place[1]}", "0"])
            node["schedule"] = text[:place.start()] + f"[({other})]" + text[place.end():]
        return node

    def exchange_loops(self, tree):
        """A loop and the one in it."""
        node = self.pick(tree, lambda n: "schedule" in n and "schedule" in below(n))
        if node:
            inner = below(node)
            node["schedule"], inner["schedule"] = inner["schedule"], node["schedule"]
        return node

    def drop_loop(self, tree):
        """With its mark."""
        node = self.pick_loop(tree, lambda loop: "child" in loop)
        if node:
            replace(node, loop_of(node)["child"])
        return node

    def rename_mark(self, tree):
        node = self.pick(tree, lambda n: n.get("mark") in MARKS)
        if node:
            node["mark"] = self.random.choice([m for m in MARKS if m != node["mark"]])
        return node

    def drop_mark(self, tree):
        node = self.pick(tree, lambda n: "mark" in n and "child" in n)
        if node:
            replace(node, node["child"])
        return node

    def add_mark(self, tree):
        node = self.pick_loop(tree, lambda loop: True)
        if not node or "mark" in node:
            return None
        replace(node, {"mark": self.random.choice(MARKS), "child": dict(node)})
        return node

    def shrink_local(self, tree):
        node = self.pick_local(tree)
        if node:
            kind, number, shape, last = LOCAL.fullmatch(node["mark"]).groups()
            extents = [int(extent) for extent in shape.split("x")]
            at = self.random.randrange(len(extents))
            extents[at] = self.random.choice(
                [1, max(1, extents[at] // 2), max(1, extents[at] - 1), extents[at] + 1])
            node["mark"] = f"{kind}_m{number}_" + "x".join(map(str, extents)) + (last or "")
        return node

    def turn_local(self, tree):
        """Another dimension behind the others, which is a matter of speed alone."""
        node = self.pick_local(tree)
        if node:
            kind, number, shape, _ = LOCAL.fullmatch(node["mark"]).groups()
            last = self.random.randrange(shape.count("x") + 1)
            node["mark"] = f"{kind}_m{number}_{shape}_last{last}"
        return node

    def rename_local(self, tree):
        """What is local becomes a copy, or the other way round."""
        node = self.pick_local(tree)
        if node:
            kind, rest = node["mark"].split("_", 1)
            node["mark"] = {"local": "copy", "copy": "local"}[kind] + "_" + rest
        return node

    def add_copy(self, tree):
        """A copy of a local array, or of a part of it, around a loop."""
        array, node = self.pick_local(tree), self.pick_loop(tree, lambda loop: True)
        if not array or not node:
            return None
        _, number, shape, last = LOCAL.fullmatch(array["mark"]).groups()
        replace(node, {"mark": f"copy_m{number}_{shape}{last or ''}", "child": dict(node)})
        return node

    def change_filter(self, tree):
        """A part of a sequence of more points, or of fewer."""
        node = self.pick(tree, lambda n: BOUND.search(n.get("filter", "")))
        if node:
            place = self.random.choice(list(BOUND.finditer(node["filter"])))
            other = max(0, int(place[0]) + self.random.choice([-2, -1, 1, 2]))
            node["filter"] = node["filter"][:place.start()] + str(other) \
                + node["filter"][place.end():]
        return node

    def sink_local(self, tree):
        """An array begins to live in the loop below."""
        node = self.pick(tree, lambda n: LOCAL.fullmatch(n.get("mark", ""))
                         and "child" in loop_of(n.get("child", {})))
        if node:
            mark, inner = node["mark"], node["child"]
            loop = loop_of(inner)
            loop["child"] = {"mark": mark, "child": loop["child"]}
            replace(node, inner)
        return node

    def sink_local_into_part(self, tree):
        node = self.pick(tree, lambda n: LOCAL.fullmatch(n.get("mark", ""))
                         and "sequence" in n.get("child", {}))
        if node:
            part = self.random.choice(node["child"]["sequence"])
            if "child" not in part:
                return None
            part["child"] = {"mark": node["mark"], "child": part["child"]}
            replace(node, node["child"])
        return node

    def rise_local(self, tree):
        """An array lives outside of the loop around, so that more of it does."""
        node = self.pick_loop(tree, lambda loop: LOCAL.fullmatch(
            loop.get("child", {}).get("mark", "")))
        if node:
            loop = loop_of(node)
            mark, loop["child"] = loop["child"]["mark"], loop["child"]["child"]
            replace(node, {"mark": mark, "child": dict(node)})
        return node


KINDS = sorted(name for name in vars(Mutator) if not name.startswith(("pick", "_")))


def loop_of(node):
    """The loop that a node is, or that its mark is of; {} if it is none."""
    if node.get("mark") in MARKS:
        node = node["child"]
    return node if "schedule" in node else {}


def below(node):
    """What stands in a loop, without marks."""
    node = node.get("child", {})
    while "mark" in node:
        node = node["child"]
    return node


def mutate(tree, seed):
    """(kinds of damage, the damaged tree)."""
    mutator, done = Mutator(seed), []
    tree = copy.deepcopy(tree)
    wanted = 1 if mutator.random.random() < 0.7 else 2
    while len(done) < wanted:
        kind = mutator.random.choice(KINDS)
        if getattr(mutator, kind)(tree):
            done.append(kind)
    return done, tree
