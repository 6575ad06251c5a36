# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of conditions and loops, sequences, and the operators of ai.onnx.ml."""
import numpy as np

from graph import DTYPES, Invalid, tensor_of
from rows import row

ML = "ai.onnx.ml"


def steps(g, value, count):
    """A few elementwise operations that keep type and shape."""
    for _ in range(count):
        kind = g.choice(["Add", "Mul", "Sub", "Tanh", "Neg", "Abs", "Relu"])
        if kind in ("Add", "Mul", "Sub"):
            other = g.tensor(value.dtype, g.broadcastable(value.shape), -1, 1)
            value = g.emit(kind, *((value, other) if g.chance(0.5) else (other, value)))
        else:
            value = g.emit(kind, value)
    return value


def carried(g):
    return g.tensor("f32", g.shape(elements=60), -2, 2)


@row("If")
def condition(g, op):
    x = carried(g)
    test = g.leaf(np.array(g.chance(0.5)).reshape(g.choice([(), (1,)])))
    count = g.choice([1, 1, 2])

    def branch():
        return g.body([], lambda: [steps(g, x, g.choice([1, 2])) for _ in range(count)])
    g.emit(op, test, results=count, then_branch=branch(), else_branch=branch())


@row("Loop")
def loop(g, op):
    x = carried(g)
    count = g.integer(0, 4)
    trips = g.leaf(np.array(count), g.choice(["input", "initializer", "constant"]))
    scans = 1 if trips.known and g.chance(0.4) else 0
    # Booleans may end it early: where nothing is scanned, the data may say so.
    ends = not scans and g.chance(0.3)
    limit = g.leaf(np.array(float(g.choice([0.5, 2.0])), np.float32))

    def write(number, keep, value):
        after = steps(g, value, g.choice([1, 2]))
        if g.chance(0.3):
            after = g.emit("Add", after, g.emit("Cast", number, to=1))
        if ends:
            index = g.emit("Cast", number, to=1)
            keep = g.emit("Less", index, limit)
        else:
            keep = g.emit("Identity", keep)
        return [keep, after] + [g.emit("Identity", after)] * scans
    start = g.leaf(np.array(True), "initializer")
    number = np.array(0)
    body = g.body([number, np.array(True), x.array], write)
    g.emit(op, trips, start, x, body=body, results=1 + scans)


@row("Scan")
def scan(g, op):
    if g.since(op) < 9:
        raise Invalid("other operands")
    x = carried(g)
    length = g.integer(1, 4)
    row_shape = g.broadcastable(x.shape)
    rows = g.tensor("f32", (length, *row_shape), -1, 1)

    def write(value, part):
        after = steps(g, g.emit("Add", value, part), g.choice([0, 1]))
        return [after, g.emit("Neg", after)]
    body = g.body([x.array, rows.array[0]], write)
    flip = g.choice([None, [0], [1]])
    g.emit(op, x, rows, body=body, results=2, num_scan_inputs=1, scan_input_directions=flip,
           scan_output_directions=g.choice([None, [0], [1]]))


@row("ArrayFeatureExtractor", domain=ML)
def extract(g, op):
    x = g.tensor(g.dtype(op, domain=ML), rank=range(1, 4), least=1)
    at = g.rng.integers(0, x.shape[-1], (1, g.extent(5, 1)))
    g.emit(op, x, g.leaf(at), domain=ML)


@row("Binarizer", domain=ML)
def binarize(g, op):
    x = g.tensor(g.dtype(op, domain=ML), exact=True)
    g.emit(op, x, threshold=g.choice([None, 0.5]), domain=ML)


@row("Scaler", domain=ML)
def scaler(g, op):
    x = g.tensor(g.dtype(op, domain=ML), rank=2, least=1)
    count = g.choice([1, x.shape[1]])
    g.emit(op, x, offset=g.numbers("f32", (count,), -1, 1),
           scale=g.numbers("f32", (count,), 0.1, 2), domain=ML)


class Trees:
    """Complete trees of some depth as lists of the old operators' attributes."""

    def __init__(self, g, features, targets):
        self.lists = {}
        for tree in range(g.integer(1, 3)):
            depth = g.integer(0, 3)
            for node in range(2 ** (depth + 1) - 1):
                leaf = node >= 2 ** depth - 1
                mode = "LEAF" if leaf else g.choice(
                    ["BRANCH_LEQ"] * 3 + ["BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ",
                                          "BRANCH_NEQ"])
                self.add(nodes_treeids=tree, nodes_nodeids=node, nodes_modes=mode,
                         nodes_featureids=0 if leaf else g.integer(0, features - 1),
                         nodes_values=0.0 if leaf else float(g.integer(-8, 8)) / 4,
                         nodes_truenodeids=0 if leaf else 2 * node + 1,
                         nodes_falsenodeids=0 if leaf else 2 * node + 2,
                         nodes_missing_value_tracks_true=g.integer(0, 1))
                # What no tree votes for is open.
                for target in range(targets) if leaf else ():
                    self.add(treeids=tree, nodeids=node, ids=target,
                             weights=float(g.integer(-8, 8)) / 8)

    def add(self, **named):
        for name, value in named.items():
            self.lists.setdefault(name, []).append(value)

    def attributes(self, prefix):
        return {name if name.startswith("nodes_") else f"{prefix}_{name}": values
                for name, values in self.lists.items()}


@row("TreeEnsembleRegressor", domain=ML)
def regressor(g, op):
    x = g.tensor(g.dtype(op, domain=ML), rank=2, least=1, exact=True)
    targets = g.choice([1, 1, 2, 3])
    trees = Trees(g, x.shape[1], targets)
    base = g.numbers("f32", (targets,), -1, 1) if g.chance(0.4) else None
    g.emit(op, x, domain=ML, n_targets=targets, base_values=base,
           aggregate_function=g.choice([None, "SUM", "AVERAGE", "MIN", "MAX"]),
           **trees.attributes("target"))


@row("TreeEnsembleClassifier", domain=ML)
def classifier(g, op):
    x = g.tensor(g.dtype(op, domain=ML), rank=2, least=1, exact=True)
    classes = g.choice([2, 3, 4])
    # Of two classes trees vote for one: where they vote for both, ONNX Runtime gives 0 or 1
    # as label, whatever the labels are.
    targets = 1 if classes == 2 else classes
    trees = Trees(g, x.shape[1], targets)
    g.emit(op, x, domain=ML, results=2, classlabels_int64s=list(range(5, 5 + classes)),
           base_values=g.numbers("f32", (targets,), -1, 1) if g.chance(0.4) else None,
           post_transform=g.choice([None, "NONE", "LOGISTIC"] + ["SOFTMAX"] * (classes > 2)),
           **trees.attributes("class"))


@row("TreeEnsemble", domain=ML)
def ensemble(g, op):
    """One tree of one node, or of three."""
    x = g.tensor(g.dtype(op, domain=ML), rank=2, least=1, exact=True)
    targets = g.choice([1, 2])
    deep = g.chance(0.5)
    count = 3 if deep else 1
    dtype = DTYPES[x.dtype]
    named = {"nodes_featureids": [g.integer(0, x.shape[1] - 1) for _ in range(count)],
             "nodes_splits": tensor_of(g.rng.integers(-4, 5, count).astype(dtype) / dtype(4)),
             "nodes_modes": tensor_of(np.array([g.integer(0, 5) for _ in range(count)], np.uint8)),
             "nodes_truenodeids": [1, 0, 2] if deep else [0],
             "nodes_trueleafs": [0, 1, 1] if deep else [1],
             "nodes_falsenodeids": [2, 1, 3] if deep else [1],
             "nodes_falseleafs": [0, 1, 1] if deep else [1]}
    leaves = 4 if deep else 2
    g.emit(op, x, domain=ML, n_targets=targets, tree_roots=[0],
           aggregate_function=g.choice([None, 0, 1, 2, 3]),
           leaf_targetids=[g.integer(0, targets - 1) for _ in range(leaves)],
           leaf_weights=tensor_of(np.array([g.integer(-8, 8) / 8 for _ in range(leaves)], dtype)),
           **named)


@row("TfIdfVectorizer")
def ngrams(g, op):
    tokens = g.rng.integers(0, 4, g.choice([(9,), (2, 7)]))
    x = g.leaf(tokens.astype(DTYPES[g.choice(["i64", "i32"])]), "input")
    weights = g.numbers("f32", (6,), 0.1, 2) if g.chance(0.5) else None
    g.emit(op, x, mode=g.choice(["TF", "IDF", "TFIDF"]), min_gram_length=g.choice([1, 2]),
           max_gram_length=2, max_skip_count=g.choice([0, 1, 3]), ngram_counts=[0, 2],
           ngram_indexes=[0, 1, 2, 3, 4, 5], pool_int64s=[0, 2, 0, 1, 1, 2, 3, 3, 2, 0],
           weights=weights)
