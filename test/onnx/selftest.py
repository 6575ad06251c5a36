#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runner of ONNX's tests: that it sees what it should see."""
import pathlib
import tempfile
import unittest

import numpy as np
import onnx
from onnx import helper, numpy_helper

import models
import run
import table


def write_test(folder, name, nodes, shape=("N", 2), expected=0.0):
    place = folder / "node" / name
    (place / "test_data_set_0").mkdir(parents=True)
    ports = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, shape) for n in "xy"]
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"]) for op in nodes], name,
                              ports[:1], ports[1:])
    onnx.save(helper.make_model(graph), place / "model.onnx")
    for file, value in (("input_0", 0.0), ("output_0", expected)):
        array = np.full((3, 2), value, np.float32)
        (place / "test_data_set_0" / f"{file}.pb").write_bytes(
            numpy_helper.from_array(array).SerializeToString())


class Models(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_rows(self):
        write_test(self.folder, "test_abs", ["Abs"])
        write_test(self.folder, "test_abs_expanded_ver18", ["Max", "Neg"])
        write_test(self.folder, "test_two", ["Max", "Neg"])
        found = models.find_tests(self.folder)
        self.assertEqual([models.op_of(name, model, found) for name, model in found.items()],
                         ["Abs", "Abs", "(node)"])

    def test_open_extents_come_from_the_data(self):
        write_test(self.folder, "test_abs", ["Abs"])
        write_test(self.folder, "test_fixed", ["Abs"], shape=(3, 2))
        found = models.find_tests(self.folder)
        options = [found[name].shape_options(found[name].sets[0])
                   for name in ("test_abs", "test_fixed")]
        self.assertEqual(options, [["--shape", "x=3x2"], []])

    def check(self, dtype="f32", dims=(3, 2), value=1.0):
        """Checks outputs of `value` for a test that expects 1."""
        write_test(self.folder, "test_abs", ["Abs"], expected=1.0)
        test = run.Test(0, "test_abs", models.find_tests(self.folder)["test_abs"],
                        self.folder / "work")
        test.source.mkdir()
        (test.source / "model.json").write_text(
            f'{{"outputs": [{{"name": "y", "dtype": "{dtype}", "dims": {list(dims)}}}]}}')
        (test.folder / "default_0.bin").write_bytes(np.full((3, 2), value, np.float32).tobytes())
        test.check(test.model.sets[0], test.folder, ["default"], "g++")

    def test_right_outputs_pass(self):
        self.check()

    def test_other_values_are_wrong(self):
        self.assertRaises(run.Outcome, self.check, value=1.01)

    def test_other_types_are_wrong(self):
        self.assertRaises(run.Outcome, self.check, dtype="f16")

    def test_other_shapes_are_wrong(self):
        self.assertRaises(run.Outcome, self.check, dims=(6,))


class Table(unittest.TestCase):
    RESULTS = {"a": ("passed", ""), "b": ("bound", ""), "c": ("unsupported", "Abs: no"),
               "d": ("wrong", "by far")}

    def test_counts(self):
        lines = table.format_table(self.RESULTS, dict.fromkeys("abc", "Abs") | {"d": "Neg"})
        rows = [line.split() for line in lines.splitlines()]
        self.assertEqual(rows[1:], [["Abs", "3", "1", "1", "1", "0", "0"],
                                    ["Neg", "1", "0", "0", "0", "1", "0"],
                                    ["all", "4", "1", "1", "1", "1", "0"]])

    def test_verdicts(self):
        def failed(known):
            return [v["name"] for v in run.verdicts(self.RESULTS, known)
                    if v["outcome"] == "failed"]
        self.assertEqual(failed({"c": "Abs: no"}), ["d"])
        self.assertEqual(failed({"c": "Abs: another reason"}), ["c", "d"])
        self.assertEqual(failed({}), ["c", "d"])

    def test_reasons_survive_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "unsupported.txt"
            path.write_text(table.format_unsupported(self.RESULTS))
            self.assertEqual(table.read_unsupported(path), {"c": "Abs: no"})

    def test_committed_difference_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "table.txt"
            self.assertTrue(run.compare_texts(path, "1\n", update=True))
            self.assertTrue(run.compare_texts(path, "1\n", update=False))
            self.assertFalse(run.compare_texts(path, "2\n", update=False))

    def test_reasons_are_one_line_each_once(self):
        problem = {"op": "Abs", "reason": "is\n not"}
        self.assertEqual(run.reason_of([problem, problem, {"op": "", "reason": "no"}]),
                         "Abs: is not; no")


if __name__ == "__main__":
    unittest.main()
