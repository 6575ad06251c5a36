# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A seed becomes a graph."""
import calls  # noqa: F401  (these three define operations)
import composites  # noqa: F401
import irregular
import layers
import regions  # noqa: F401
from author import Author
from rows import ROWS

WEIGHTS = [0.3 if name in layers.RARE + irregular.RARE else 1.0 for name in ROWS]


def write_graph(seed):
    """The same graph for the same seed, on every machine. The row that the seed names is
    in it, if it found a place in a few attempts."""
    author = Author(seed)
    names = list(ROWS)
    named = ROWS[names[seed % len(names)]]
    any(author.attempt(named) for _ in range(4))
    wanted = author.rng.choice([1, 1, 2, 2, 3, 3, 4, 5, 7])
    for _ in range(4 * wanted):
        if len(author.graph.nodes) >= wanted:
            break
        author.attempt(ROWS[author.rng.choices(names, WEIGHTS)[0]])
    while not author.graph.nodes:
        author.attempt(ROWS["add"])
    return author.finish()
