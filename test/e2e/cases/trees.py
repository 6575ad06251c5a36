# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ensembles of decision trees.

A tree is a leaf, `(target, weight)`, or `Fork`; the functions below spell trees as the
attributes of the operators, and `walk` follows them, for what ONNX Runtime cannot do.
"""
import dataclasses
import itertools

import numpy as np
from onnx import numpy_helper

from builder import DTYPES, Case, Graph, cases, dtype_name

DOMAIN = "ai.onnx.ml"
MODES = ("<=", "<", ">=", ">", "==", "!=", "in")
TESTS = {"<=": np.less_equal, "<": np.less, ">=": np.greater_equal, ">": np.greater,
         "==": np.equal, "!=": np.not_equal, "in": lambda x, members: x in members}
OLD_MODES = {"<=": "BRANCH_LEQ", "<": "BRANCH_LT", ">=": "BRANCH_GTE", ">": "BRANCH_GT",
             "==": "BRANCH_EQ", "!=": "BRANCH_NEQ"}
AVERAGE, SUM, MIN, MAX = range(4)
NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT = range(5)


@dataclasses.dataclass
class Fork:
    mode: str
    feature: int
    split: object  # a number, for "in" a list of them
    yes: object
    no: object
    nan: bool = False


def grow(g, depth, modes="<=", features=5, targets=1, nans=False, grid=None, full=False):
    """A random tree; numbers are multiples of 1/`grid`, so that some inputs equal them."""
    if depth == 0 or (not full and g.rng.random() < 0.15):
        return int(g.rng.integers(targets)), float(g.rng.uniform(0.1, 0.9))

    def number():
        x = g.rng.uniform(-1, 1)
        return float(np.round(x * grid) / grid if grid else x)
    mode = modes[g.rng.integers(len(modes))] if isinstance(modes, tuple) else modes
    split = [number() for _ in range(g.rng.integers(1, 9))] if mode == "in" else number()
    deeper = [grow(g, depth - 1, modes, features, targets, nans, grid, full) for _ in range(2)]
    return Fork(mode, int(g.rng.integers(features)), split, *deeper,
                nan=bool(nans and g.rng.random() < 0.5))


def grid_input(g, shape, grid, nans=0.0, dtype="f32"):
    x = np.round(g.rng.uniform(-1, 1, shape) * grid) / grid
    x[g.rng.random(shape) < nans] = np.nan
    return x.astype(DTYPES[dtype])


def walk(trees, x, targets, combine=np.add.reduce, nothing=0.0):
    """The combined votes in the type of x; splits are rounded to it."""
    y = np.full((len(x), targets), nothing, x.dtype)
    for row, scores in zip(x, y):
        votes = [[] for _ in range(targets)]
        for tree in trees:
            while isinstance(tree, Fork):
                value, split = row[tree.feature], np.asarray(tree.split, x.dtype)
                holds = TESTS[tree.mode](value, split) or (tree.nan and np.isnan(value))
                tree = tree.yes if holds else tree.no
            for target, weight in tree if isinstance(tree, list) else [tree]:
                votes[target].append(x.dtype.type(weight))
        for target, given in enumerate(votes):
            if given:
                scores[target] = combine(np.array(given, x.dtype))
    return y


def softmax(y):
    exps = np.exp(y - y.max(1, keepdims=True))
    return exps / exps.sum(1, keepdims=True)


def logistic(y):
    return 1 / (1 + np.exp(-y))


def ensemble(trees, targets, dtype, **more):
    """The attributes of TreeEnsemble."""
    nodes, leaves, roots, members = [], [], [], []

    def put_leaf(leaf):
        leaves.append(leaf)
        return 1, len(leaves) - 1

    def put(tree):
        if not isinstance(tree, Fork):
            return put_leaf(tree)
        at = len(nodes)
        nodes.append(None)
        if tree.mode == "in":
            members.extend([*tree.split, np.nan])
        split = 0.0 if tree.mode == "in" else tree.split
        nodes[at] = (tree, split, put(tree.yes), put(tree.no))
        return 0, at

    for tree in trees:
        if not isinstance(tree, Fork):  # both ways of a node lead to the one leaf
            leaf = put_leaf(tree)
            roots.append(len(nodes))
            nodes.append((Fork("<=", 0, 0.0, None, None), 0.0, leaf, leaf))
        else:
            roots.append(put(tree)[1])

    def tensor(values, kind):
        return numpy_helper.from_array(np.array(values, DTYPES[kind]))
    forks = [n[0] for n in nodes]
    result = dict(
        n_targets=targets, tree_roots=roots,
        nodes_featureids=[f.feature for f in forks],
        nodes_modes=tensor([MODES.index(f.mode) for f in forks], "u8"),
        nodes_splits=tensor([n[1] for n in nodes], dtype),
        nodes_trueleafs=[n[2][0] for n in nodes], nodes_truenodeids=[n[2][1] for n in nodes],
        nodes_falseleafs=[n[3][0] for n in nodes], nodes_falsenodeids=[n[3][1] for n in nodes],
        leaf_targetids=[leaf[0] for leaf in leaves],
        leaf_weights=tensor([leaf[1] for leaf in leaves], dtype))
    if members:
        result["membership_values"] = tensor(members, dtype)
    if any(f.nan for f in forks):
        result["nodes_missing_value_tracks_true"] = [int(f.nan) for f in forks]
    return {**result, **more}


def old_ensemble(trees, votes, as_tensors=False):
    """The attributes of the operators before: leaves are nodes, with votes `(target, weight)`."""
    nodes, found = [], []

    def put(tree, number, ids):
        at = next(ids)
        row = dict(treeids=number, nodeids=at)
        nodes.append(row)
        if isinstance(tree, Fork):
            row.update(featureids=tree.feature, modes=OLD_MODES[tree.mode], values=tree.split,
                       missing_value_tracks_true=int(tree.nan),
                       truenodeids=put(tree.yes, number, ids),
                       falsenodeids=put(tree.no, number, ids))
        else:
            row.update(featureids=0, modes="LEAF", values=0.0, missing_value_tracks_true=0,
                       truenodeids=0, falsenodeids=0)
            found.extend((number, at, *vote) for vote in
                         (tree if isinstance(tree, list) else [tree]))
        return at

    for number, tree in enumerate(trees):
        put(tree, number, itertools.count())
    result = {f"nodes_{key}": [row[key] for row in nodes] for key in nodes[0]}
    for key, values in zip(("treeids", "nodeids", "ids", "weights"), zip(*found)):
        result[f"{votes}_{key}"] = list(values)
    if as_tensors:
        for key in ("nodes_values", f"{votes}_weights"):
            result[f"{key}_as_tensor"] = numpy_helper.from_array(np.array(result.pop(key)))
    return result


def planted(name, shape=(13, 5), x=None, dtype="f32"):
    g = Graph(f"trees_{name}")
    g.versions[DOMAIN] = 5
    g.input("x", value=g.random(shape, dtype) if x is None else x(g) if callable(x) else x)
    return g


def case(g, trees, targets=1, reference=None, **more):
    dtype = dtype_name(g.inputs["x"])
    y = g.op("TreeEnsemble", "x", domain=DOMAIN, **ensemble(trees, targets, dtype, **more))
    tolerance = "network" if "post_transform" in more else "reduction"
    return Case(g.output(y, dtype=dtype), tolerance, reference)


@cases
def tree_ensembles():
    for rows in (0, 1, 13):
        g = planted(f"one_{rows}", (rows, 5))
        yield case(g, [grow(g, 4, full=True)])
    g = planted("uneven", (31, 7))
    trees = [grow(g, depth, features=7, targets=3) for depth in (5, 0, 1, 7, 3, 2, 6)]
    yield case(g, trees, 3)
    g = planted("leaf")
    yield case(g, [(0, 0.75)])
    g = planted("leaves", (3, 2))
    yield case(g, [(1, 0.75), (0, 0.5), (1, -2.0)], 2)
    g = planted("deep", (7, 3))
    tree = (0, 1.0)
    for i in range(41):  # one way is long, and rows leave it all along
        tree = Fork("<=", i % 3, float(g.rng.uniform(-1.2, -0.7)), (0, float(i)), tree)
    yield case(g, [tree, (0, 0.5)])

    # Inputs lie on the splits, or are missing.
    for mode in MODES:
        word = {"<=": "le", "<": "lt", ">=": "ge", ">": "gt", "==": "eq", "!=": "ne",
                "in": "in"}[mode]
        for nans in (True, False) if mode in ("<=", ">", "in") else (True,):
            g = planted(f"{word}_nans" if nans else word,
                        x=lambda g: grid_input(g, (17, 5), 4, 0.2))
            trees = [grow(g, 4, mode, nans=nans, grid=4, full=True) for _ in range(3)]
            yield case(g, trees, reference=lambda x, trees=trees: [walk(trees, x, 1)])
    for dtype in ("f32", "f64", "f16"):
        g = planted(f"modes_{dtype}", x=lambda g: grid_input(g, (29, 5), 5, 0.1, dtype))
        trees = [grow(g, 6, MODES, nans=True, grid=5, targets=2) for _ in range(11)]
        yield case(g, trees, 2, lambda x, trees=trees: [walk(trees, x, 2)])
    g = planted("set", x=lambda g: grid_input(g, (53, 5), 50))
    members = sorted({float(m) for m in grid_input(g, 60, 50)})
    g.rng.shuffle(members)
    trees = [Fork("in", 3, members, (0, 1.0), (0, 2.0))]
    yield case(g, trees, reference=lambda x, trees=trees: [walk(trees, x, 1)])
    # The numbers next to a split are on their side of it.
    for dtype in ("f32", "f64"):
        kind = DTYPES[dtype]
        numbers = np.array([0.1, 0.0, -0.1, np.inf, -np.inf, np.finfo(kind).tiny], kind)
        near = np.concatenate([np.nextafter(numbers, kind(-np.inf)), numbers, -numbers,
                               np.nextafter(numbers, kind(np.inf))])[:, None]
        g = planted(f"near_{dtype}", x=near)
        trees = [Fork(mode, 0, float(n), (t, 1.0), (t, 0.0)) for t, (mode, n) in enumerate(
            (mode, n) for mode in ("<", ">=", "<=", ">") for n in numbers)]
        yield case(g, trees, len(trees), lambda x, trees=trees: [walk(trees, x, len(trees))])

    for word, aggregate, targets in (("average", AVERAGE, 1), ("min", MIN, 1), ("min", MIN, 3),
                                     ("max", MAX, 3)):
        g = planted(f"{word}_{targets}")  # of three targets, some have no vote: they score 0
        yield case(g, [grow(g, 3, targets=targets) for _ in range(4)], targets,
                   aggregate_function=aggregate)
    for word, transform, votes in (("softmax_zero", SOFTMAX_ZERO, (0.0, -0.25)),  # 0 stays 0
                                   ("probit", PROBIT, (0.25, 0.375))):
        g = planted(word)
        forks = [Fork("<=", t, 0.0, (t, 0.125 * t + votes[0]), (t, 0.5 * t + votes[1]))
                 for t in range(2)]
        yield case(g, forks, 2, post_transform=transform)
    # ONNX Runtime takes these two for each other, and leaves one target as it is.
    for word, transform, formula in (("softmax", SOFTMAX, softmax),
                                     ("logistic", LOGISTIC, logistic)):
        for targets in (1, 3):
            g = planted(f"{word}_{targets}")
            trees = [grow(g, 3, targets=targets) for _ in range(3)]
            yield case(g, trees, targets, post_transform=transform,
                       reference=lambda x, trees=trees, targets=targets, formula=formula:
                       [formula(walk(trees, x, targets))])
    g = planted("softmax_zero_none")
    yield case(g, [(0, 0.0), (1, 0.0)], 2, lambda x: [np.full((13, 2), 0.5, np.float32)],
               post_transform=SOFTMAX_ZERO)


def several(g, tree, targets):
    """The tree with votes for all targets at each leaf, one of them cast in two halves."""
    if isinstance(tree, Fork):
        return dataclasses.replace(tree, yes=several(g, tree.yes, targets),
                                   no=several(g, tree.no, targets))
    weights = [float(w) for w in np.round(g.rng.uniform(0, 8, targets)) / 8]
    return [(0, weights[0] / 2), *enumerate(weights[1:], 1), (0, weights[0] / 2)]


@cases
def tree_regressors():
    def regressor(name, trees, targets=1, x=None, reference=None, tensors=False, **more):
        g = planted(f"regressor_{name}", x=x)
        g.versions[DOMAIN] = 3
        y = g.op("TreeEnsembleRegressor", "x", domain=DOMAIN, n_targets=targets,
                 **old_ensemble(trees, "target", tensors), **more)
        tolerance = "network" if "post_transform" in more else "reduction"
        return Case(g.output(y, dtype="f32"), tolerance, reference)

    g = planted("regressors")
    trees = [grow(g, depth) for depth in (3, 0, 5)]
    yield regressor("sum", trees)
    trees = [several(g, grow(g, depth, tuple(OLD_MODES), nans=True), 3) for depth in (3, 0, 5)]
    for word in ("SUM", "AVERAGE", "MIN", "MAX"):
        x = grid_input(g, (17, 5), 4, 0.1)
        yield regressor(word.lower() + "_3", trees, 3, x, aggregate_function=word,
                        base_values=[0.5, -1.0, 0.0])
    yield regressor("logistic", trees, 3, post_transform="LOGISTIC")
    tree = Fork("<", 1, 0.1, (0, 0.1), (0, 0.7))
    for word, tensors in (("f64", False), ("f64_tensors", True)):
        near = np.array([0.1, np.float32(0.1), np.nextafter(0.1, -1), 0.25])  # the split is either
        x = np.stack([near] * 5, 1)
        yield regressor(word, [tree], 1, x, tensors=tensors)
    x = np.arange(10).reshape(2, 5)
    tree = Fork("<=", 1, 1.5, (0, 0.25), (0, 0.75))
    yield regressor("i64", [tree], 1, x, lambda x: [np.array([[0.25], [0.75]], np.float32)])


@cases
def tree_classifiers():
    def classifier(name, trees, labels, x=None, reference=None, shape=(13, 5), **more):
        g = planted(f"classifier_{name}", shape, x=x)
        g.versions[DOMAIN] = 3
        y, scores = g.op("TreeEnsembleClassifier", "x", outputs=2, domain=DOMAIN,
                         classlabels_int64s=labels, **old_ensemble(trees, "class"), **more)
        g.output(y, dtype="i64").output(scores, dtype="f32")
        return Case(g, "network", reference)

    g = planted("classifiers")
    trees = [several(g, grow(g, depth, tuple(OLD_MODES), nans=True), 4) for depth in (3, 1, 5)]
    for word in ("NONE", "SOFTMAX"):
        yield classifier(word.lower(), trees, [7, -1, 30, 4], post_transform=word,
                         base_values=[0.5, 0.0, 0.25, 0.125])
    yield classifier("no_rows", trees, [7, -1, 30, 4], shape=(0, 5))
    yield classifier("i32", trees, [0, 1, 2, 3], np.arange(35).reshape(7, 5).astype(np.int32) - 17)
    # Votes for the first of two classes make the score of the second.
    likely = [grow(g, 3, full=True)]
    signed = [Fork("<=", t, 0.1, (0, 0.5 + t), (0, -0.75)) for t in range(3)]
    logistic_too = dict(post_transform="LOGISTIC")
    for word, trees, more in (("likely", likely, {}), ("likely_logistic", likely, logistic_too),
                              ("signed", signed, dict(base_values=[0.125])),
                              ("signed_logistic", signed, logistic_too)):
        yield classifier(word, trees, [10, 20], **more)
    # ONNX Runtime gives other labels where there are votes for both.
    trees = [several(g, grow(g, 3), 2) for _ in range(3)]

    def both(x):
        y = walk(trees, x, 2)
        return [np.array([10, 20])[y.argmax(1)], y]
    yield classifier("both", trees, [10, 20], reference=both)
