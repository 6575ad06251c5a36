# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A seed becomes a graph."""
import numpy as np

import chains
import classical  # noqa: F401
import coded
import control  # noqa: F401  (these define rows)
import elementwise  # noqa: F401
import fused  # noqa: F401
import layers  # noqa: F401
import microsoft  # noqa: F401
import movement  # noqa: F401
import quantised  # noqa: F401
import reductions  # noqa: F401
import sequences  # noqa: F401
import windows  # noqa: F401
from author import Author, opsets_of
from graph import precision_of
from rows import ROWS, attempt

BUNDLE = 8  # neighbouring seeds share an opset, so that their graphs can be one model
RARE = ("RNN", "GRU", "LSTM", "Loop", "Scan", "If", "Attention", "TfIdfVectorizer", "NonZero",
        "Unique", "NonMaxSuppression", "RoiAlign", "MaxRoiPool", "Det", "STFT", "DFT")


# Such a way that the rows of a bundle are of one age.
KEYS = sorted(ROWS, key=lambda key: (opsets_of(*key)[0], opsets_of(*key)[-1], key))
WEIGHTS = [0.2 if op in RARE or domain else 1.0 for domain, op in KEYS]


def named(seed):
    """The row that must be in the graph of a seed."""
    return KEYS[seed % len(KEYS)]


def opset_of(seed):
    """One that has all rows of a bundle, or else the first of them; the last of them where
    all rows have been named an odd number of times."""
    first = seed // BUNDLE * BUNDLE
    members = range(first, first + BUNDLE)
    if first // len(KEYS) % 2:
        members = members[::-1]
    opsets = set(opsets_of(*named(members[0])))
    for other in members[1:]:
        opsets = opsets & set(opsets_of(*named(other))) or opsets
    return int(np.random.default_rng([first, 23]).choice(sorted(opsets)))


def write_graph(seed):
    """The same graph for the same seed, on every machine. The row that the seed names is
    in it, if that found a place in a few attempts."""
    author = Author(seed, opset_of(seed))
    author.graph.open_dims = seed // BUNDLE % 4 == 0
    author.is_strict = precision_of(seed // BUNDLE) == "strict"
    any(attempt(author, named(seed)) for _ in range(12))
    wanted = author.choice([1, 1, 2, 2, 3, 3, 4, 5, 7])
    for _ in range(6 * wanted):
        if len(author.nodes) >= wanted:
            break
        attempt(author, author.choice(KEYS, WEIGHTS))
    while not author.nodes:
        attempt(author, ("", "Add"))
    if author.chance(0.4):
        chains.draw(author)
    if author.chance(0.3):
        coded.draw(author)
    return author.finish()
