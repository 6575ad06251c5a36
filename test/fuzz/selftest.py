#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fuzzer finds a bug that is planted, and makes it small.

  selftest.py BUILD WORK
"""
import pathlib
import sys
import unittest

import numpy as np

import judge
import run
import write
from author import Author
from graph import to_text
from operations import OPERATIONS
from shrink import candidates

from fuzzing import check_candidates, plant  # test/e2e

BUILD, WORK = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])


def graphs_with(name, count):
    """Graphs of several operations, the named one among them."""
    for seed in range(1000):
        graph = write.write_graph(seed)
        kinds = [node.op.name for node in graph.nodes]
        if len(kinds) > 3 and name in kinds:
            yield seed, graph
            count -= 1
            if not count:
                return


class Planted(unittest.TestCase):
    def test_found_and_shrunk(self):
        fuzzer = run.Fuzzer(BUILD, 2, plant)
        fuzzer.work = WORK
        seeds = [seed for seed, _ in graphs_with("tanh", 2)]
        found = fuzzer.run(seeds)
        self.assertTrue(found, "the planted bug was not found")
        for case in found.values():
            self.assertEqual({f.what for f in case.failures}, {"wrong"})
        seed, case = next(iter(found.items()))
        small, path = fuzzer.shrunk(seed, case)
        self.assertEqual([node.op.name for node in small.graph.nodes], ["tanh"])
        self.assertLess(small.graph.nodes[0].results[0].size, 5)
        text = path.read_text()
        self.assertIn("// RUN: fusec verify %s", text)
        self.assertIn("fuse.tanh %", text)
        self.assertLess(len(text.splitlines()), 16)


class Graphs(unittest.TestCase):
    def test_seeds_are_stable(self):
        for seed in (3, 77):
            self.assertEqual(*(to_text(write.write_graph(seed)) for _ in range(2)))
        self.assertNotEqual(to_text(write.write_graph(3)), to_text(write.write_graph(4)))

    def test_every_operation_is_written(self):
        used = {node.op.name for seed in range(300) for node in write.write_graph(seed).nodes}
        self.assertEqual(set(OPERATIONS) - used, set())

    def test_candidates_are_smaller(self):
        check_candidates(self, candidates, write.write_graph(12))

    def test_noise_reaches_what_rounds(self):
        author = Author(0)
        x = author.leaf("f32", (3,), kind="argument")
        moved = author.emit("relu", [author.emit("neg", [x])])
        author.graph.outputs = [moved]
        noise = []
        to_text(author.graph, noise)
        self.assertEqual(noise, [])
        author.graph.outputs = [author.emit("exp", [moved])]
        to_text(author.graph, noise)
        self.assertEqual(noise, [("f32", (3,))])


class Compare(unittest.TestCase):
    def differs(self, actual, expected, limit):
        arrays = (np.array(a, np.float32) for a in (actual, expected))
        return judge.compare(*arrays, limit) is not None

    def test_limit(self):
        self.assertFalse(self.differs([1.0, 2.0], [1.0, 2.0], 0.0))
        self.assertTrue(self.differs([1.1, 2.0], [1.0, 2.0], 0.0))
        self.assertFalse(self.differs([1.1, 2.0], [1.0, 2.0], 0.2))
        self.assertTrue(self.differs([1.3, 2.0], [1.0, 2.0], 0.2))

    def test_special_values_match_only_themselves(self):
        nan, inf = np.nan, np.inf
        self.assertFalse(self.differs([nan, inf, -inf], [nan, inf, -inf], 0.1))
        for pair in ((nan, 1), (1, nan), (inf, 1), (1, inf), (inf, -inf)):
            self.assertTrue(self.differs([pair[0]], [pair[1]], 0.1), pair)

    def test_noise_moves(self):
        self.assertEqual(judge.spread(np.array([1.0, 2.5]), np.array([1.0, 2.0])), 0.5)
        self.assertEqual(judge.spread(np.array([np.nan]), np.array([2.0])), np.inf)
        self.assertEqual(judge.spread(np.array([3]), np.array([2])), 0.0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
