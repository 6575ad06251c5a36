#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fuzzer finds a bug that is planted, and makes it small; it misses no operator.

  selftest.py BUILD WORK
"""
import pathlib
import subprocess
import sys
import unittest

import numpy as np
import onnx

import author
import evaluate
import left_out
import noise
import reasons
import refusals
import rounding
import run
import write
from graph import Graph, Node, Value, to_model
from rows import ROWS
from shrink import candidates

from fuzzing import check_candidates, plant  # test/e2e

BUILD, WORK = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])


def seeds_with(op, count):
    """Graphs of several nodes, one among them of the operator, and not of constants: those
    are folded."""
    found = []
    for seed in range(2000):
        nodes = write.write_graph(seed).nodes if write.named(seed)[1] == op or seed % 7 == 0 else []
        if len(nodes) > 2 and any(n.op == op and not n.results[0].known for n in nodes):
            found.append(seed)
        if len(found) == count:
            return found
    return found


class Planted(unittest.TestCase):
    def test_found_and_shrunk(self):
        fuzzer = run.Fuzzer(BUILD, 2, plant)
        fuzzer.work = WORK
        failed = fuzzer.run(seeds_with("Tanh", 2))
        self.assertTrue(failed, "the planted bug was not found")
        self.assertEqual({(f.what, f.op) for f in failed.values()}, {("wrong", "Tanh")})
        seed, failure = next(iter(failed.items()))
        small, path = fuzzer.shrunk(seed, failure)
        self.assertEqual([node.op for node in small.nodes], ["Tanh"])
        self.assertLess(small.outputs[0].array.size, 3)
        self.assertEqual([node.op_type for node in onnx.load(path).graph.node], ["Tanh"])
        self.assertIn("fusec run", path.with_suffix(".txt").read_text())


class Operators(unittest.TestCase):
    def table(self):
        """The importer's."""
        text = subprocess.run([BUILD / "bin" / "fusec-import", "--operators"],
                              capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in text.splitlines()]
        return {("" if domain == "ai.onnx" else domain, op) for domain, op, _ in rows}

    def test_each_has_a_row_or_a_reason(self):
        table = {key for key in self.table() if key[0] not in left_out.IN_PART}
        self.assertEqual(table - set(ROWS) - set(left_out.LEFT_OUT), set())
        self.assertEqual(set(left_out.LEFT_OUT) & set(ROWS), set())

    def test_each_row_is_drawn(self):
        # Neighbours share an opset, which need not have the row that a seed names.
        drawn = {(node.domain, node.op) for seed in range(2 * len(ROWS))
                 for node in write.write_graph(seed).nodes}
        self.assertEqual(set(ROWS) - drawn, set())

    def test_reasons_hold(self):
        """Each that says so has no kernel, and is no function that has one."""
        for (domain, op), why in left_out.LEFT_OUT.items():
            if why == left_out.NO_KERNEL:
                self.assertNotIn((domain, op), author.kernels())
            if why == left_out.NEWER:
                self.assertGreater(onnx.defs.get_schema(op).since_version, author.OPSETS[-1])
        newest = Graph(author.OPSETS[-1] + 1)
        with self.assertRaises(evaluate.Refused):
            evaluate.Evaluation(Node("Abs", "", [Value(np.zeros(1))], {}, [Value(np.zeros(1))]),
                                newest.opset)


class Graphs(unittest.TestCase):
    def test_seeds_are_stable(self):
        def text(seed):
            return to_model([write.write_graph(seed)])[0].SerializeToString(deterministic=True)
        for seed in (3, 77):
            self.assertEqual(text(seed), text(seed))
        self.assertNotEqual(text(3), text(4))

    def test_nodes_alone_are_the_graph(self):
        """What was computed node by node is what the whole model gives."""
        for seed in range(0, 200, 10):
            graph = write.write_graph(seed)
            values = graph.inputs() + graph.outputs
            # ONNX Runtime keeps some of what has 16 bits in f32.
            if any(isinstance(n.evaluation, evaluate.Reference) for n in graph.nodes):
                continue
            if any(v.array.dtype in evaluate.FOREIGN for v in values):
                continue
            model, [(inputs, _)] = to_model([graph])
            found = evaluate.run_model(model, {n: v.array for n, v in zip(inputs, graph.inputs())})
            for array, value in zip(found, graph.outputs):
                np.testing.assert_array_equal(array, value.array)

    def test_chains_overflow(self):
        """They are drawn, in both types, with what is infinite and what is decided by that."""
        nodes = [node for seed in range(240) for node in write.write_graph(seed).nodes
                 if isinstance(node.evaluation, evaluate.Reference)]
        for dtype in ("f16", "bf16"):
            own = [n for n in nodes if n.results[0].dtype == dtype]
            self.assertGreater(len(own), 20)
            self.assertTrue(any(np.isinf(n.results[0].array.astype(np.float32)).any() and not any(
                np.isinf(v.array.astype(np.float64)).any() for v in n.reads()) for n in own))
        self.assertLessEqual({"Cast", "Where", "Add", "Mul"}, {n.op for n in nodes})

    def test_candidates_are_smaller(self):
        check_candidates(self, candidates, write.write_graph(12))

    def test_what_jumps_reads_what_is_exact(self):
        for seed in range(100):
            for node in write.write_graph(seed).nodes:
                if rounding.jumps(node):
                    self.assertTrue(all(v.exact for v in node.reads()), node.op)


class Refusals(unittest.TestCase):
    def test_what_follows_is_no_cause(self):
        window = {"op": "HannWindow", "reason": "computes elements that are no floats"}
        follows = {"op": "Pad", "reason": "the shape (operand 'a') is computed at run time: "
                                          "'Shape_3' is refused"}
        self.assertEqual(refusals.causes([window, follows]), [window])
        self.assertEqual(refusals.causes([follows]), [follows])


class Noise(unittest.TestCase):
    def test_what_cancels_moves(self):
        """Rows of two are -1 and 1 before they are scaled and moved, whatever moves them."""
        large = Value(np.full(2, 1e4, np.float32), "initializer", known=True)
        graph = Graph(21)
        node = Node("LayerNormalization", "", [Value(np.array([[1, 2]], np.float32), "input"),
                                               large, large], {}, [Value(np.zeros(0))])
        author.compute(node, 21)
        graph.nodes, graph.outputs = [node], node.results
        self.assertGreater(noise.spreads(graph)[0], 1e-2)


class Reasons(unittest.TestCase):
    def mark(self, op, *arrays, **attributes):
        node = Node(op, "", [Value(np.asarray(a)) for a in arrays], attributes,
                    [Value(np.zeros(0))])
        author.compute(node, 21)
        return node.results[0].open

    def test_values_decide(self):
        nan = np.array([1, np.nan], np.float32)
        self.assertIsNone(self.mark("ReduceMax", nan[:1]))
        self.assertEqual(self.mark("ReduceMax", nan)[0], "the order of NaN")
        text, where = self.mark("Cast", np.array([1, 1e9, np.inf], np.float32), to=3)
        self.assertEqual((text, where.tolist()),
                         ("a float that the integer does not hold", [False, True, True]))

    def test_several_hold(self):
        """One for numbers that do not fit, another for fractions."""
        text, where = self.mark("Cast", np.array([1, 9.5, 0.5, -1.5], np.float32), to=22)
        self.assertEqual((text, where.tolist()), ("a float that the integer does not hold",
                                                  [False, True, True, True]))

    def test_of_one_result(self):
        x = np.array([[np.inf, -np.inf], [1, 2]], np.float32)
        node = Node("LinearClassifier", "ai.onnx.ml", [Value(x)],
                    {"classlabels_ints": [5, 6], "coefficients": [1.0] * 4,
                     "intercepts": [0.5, 0.0]},
                    [Value(np.zeros(0)), Value(np.zeros(0))])
        author.compute(node, 21)
        self.assertEqual(node.results[0].open[1].tolist(), [True, False])
        self.assertIsNone(node.results[1].open)

    def test_where_numbers_leave_the_doubles(self):
        wide = np.array([[1, 2], [2**53, 1]])
        self.assertEqual(self.mark("ReduceSum", wide, np.array([1]), keepdims=0)[1].tolist(),
                         [False, True])
        self.assertEqual(self.mark("Pow", wide, np.array([1, 52]))[1].tolist(),
                         [[False, False], [True, False]])

    def test_products_beyond_floats(self):
        """The order decides where a partial product is 0 and another one infinite."""
        tiny = np.float32(1e-30)
        rows = np.array([[tiny, tiny, np.inf], [tiny, 2, np.inf], [0, 3, np.inf],
                         [tiny, tiny, 2], [1e30, 1e30, 0], [np.nan, tiny, 2]], np.float32)
        for narrow, want in ((np.float32, [True, False, False, False, True, False]),
                             (np.float64, [False] * 6)):
            found = self.mark("ReduceProd", rows.astype(narrow), np.array([1]), keepdims=0)
            self.assertEqual([False] * 6 if found is None else found[1].tolist(), want)

    def test_they_are_handed_on(self):
        first = Value(np.array([1, np.nan], np.float32), open=("the order of NaN", None))
        node = Node("Neg", "", [first], {}, [Value(np.zeros(0))])
        author.compute(node, 21)
        self.assertEqual(node.results[0].open, ("the order of NaN", None))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
