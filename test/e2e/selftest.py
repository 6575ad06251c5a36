#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparisons of the end-to-end tests: that they see what they should see."""
import json
import pathlib
import tempfile
import types
import unittest
import unittest.mock

import numpy as np

import batch
import builder
import cases  # noqa: F401
import oracle
import project
import structure
import unrolled

F32 = np.float32


class Compare(unittest.TestCase):
    def differs(self, actual, expected, op_class="elementwise", dtype=F32, scale=None):
        return oracle.compare(np.array(actual, dtype), np.array(expected, dtype), op_class,
                              scale) is not None

    def test_close_values_pass(self):
        self.assertFalse(self.differs([1.0, -2.0], [1.000001, -2.0]))
        self.assertFalse(self.differs([], []))

    def test_far_values_fail(self):
        self.assertTrue(self.differs([1.0, -2.0], [1.001, -2.0]))
        self.assertTrue(self.differs([1.0], [1.0000001], "exact"))

    def test_special_values_match_only_themselves(self):
        nan, inf = np.nan, np.inf
        self.assertFalse(self.differs([nan, inf, -inf], [nan, inf, -inf]))
        for actual, expected in ((nan, 1), (1, nan), (inf, 1), (1, inf), (inf, -inf)):
            self.assertTrue(self.differs([actual], [expected]), (actual, expected))

    def test_integers_are_exact(self):
        self.assertTrue(self.differs([2**40 + 1], [2**40], "network", np.int64))
        self.assertTrue(self.differs([True], [False], "network", np.bool_))

    def test_narrow_floats_have_their_own_row(self):
        for dtype in ("f16", "bf16"):
            kind = builder.DTYPES[dtype]
            self.assertFalse(self.differs([1.0], [1.001], "network", kind))
            self.assertTrue(self.differs([1.0], [1.5], "network", kind))

    def test_narrow_floats_may_be_neighbours(self):
        for dtype in ("f16", "bf16"):
            kind = builder.DTYPES[dtype]
            ulp = float(np.finfo(np.float16).eps) if dtype == "f16" else 2.0**-7
            for op_class in ("elementwise", "reduction", "contraction"):
                scale = np.array([1.0]) if op_class == "contraction" else None
                self.assertFalse(self.differs([1 + ulp], [1.0], op_class, kind, scale=scale))
                self.assertTrue(self.differs([1 + 2 * ulp], [1.0], op_class, kind, scale=scale))

    def test_contractions_scale_with_their_products(self):
        cancelled = [1e-5]  # of products that sum to 1000 in magnitude
        self.assertFalse(self.differs(cancelled, [0.0], "contraction", scale=np.array([1000.0])))
        self.assertTrue(self.differs(cancelled, [0.0], "contraction", scale=np.array([1.0])))

    def test_shapes_must_agree(self):
        self.assertTrue(self.differs([[1.0]], [1.0]))
        with self.assertRaises(batch.Failure):
            batch.decode(b"1234", F32, (2,))


class Structure(unittest.TestCase):
    KERNEL = """module {{
  kernel.func @{0} (%{1}: f32) attributes {{schedule = "{0}"}} {{
    %a = math.fma %{1}, %b, %c {2} loc("{0}")
  }}
}}"""

    def test_names_and_locations_do_not_count(self):
        texts = [structure.without_names(self.KERNEL.format(*names, ": f32"))
                 for names in (("norm", "x"), ("layer", "input"))]
        self.assertIn("math.fma", texts[0])
        self.assertEqual(*texts)

    def test_serial_groups_are_those_of_the_list(self):
        def check(found):
            structure.check_serial(found, {"model": {"sum": "i is reduced"}}, "model")

        check({"sum": "i is reduced"})
        for found in ({}, {"sum": "another reason"},
                      {"sum": "i is reduced", "concat": "i is reduced"}):
            with self.assertRaises(batch.Failure):
                check(found)
        structure.check_serial({}, {}, "another")

    def test_serial_groups_are_read_from_the_folder(self):
        groups = [{"name": "a"}, {"name": "b", "serial": {"points": 5000, "reason": "why"}}]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "model.json").write_text(json.dumps({"groups": groups}))
            self.assertEqual(structure.find_serial(folder), {"b": "why"})
            (folder / "list.json").write_text('{"gone": {"a": "why"}, "kept": {"a": "why"}}')
            structure.update_serial(folder / "list.json", {"new": {"b": "why"}, "none": {}},
                                    {"kept", "new", "none"})
            self.assertEqual(json.loads((folder / "list.json").read_text()),
                             {"kept": {"a": "why"}, "new": {"b": "why"}})

    def test_wiring_and_types_count(self):
        texts = {structure.without_names(self.KERNEL.format("n", *rest))
                 for rest in (("x", ": f32"), ("x", ": f16"), ("b", ": f32"))}
        self.assertEqual(len(texts), 3)

    def test_group_counts_may_only_fall(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "src").mkdir()
            (folder / "src/model.json").write_text(json.dumps({"groups": [{}, {}]}))
            test = types.SimpleNamespace(name="m", folder=folder)
            structure.check_groups(test, {"m": 2})
            structure.check_groups(test, {"m": 3})
            for committed in ({"m": 1}, {}):
                with self.assertRaises(batch.Failure):
                    structure.check_groups(test, committed)


class Unrolled(unittest.TestCase):
    KERNEL = """\
// 10 + 11 (12) FUSEC
void sum(const float *FUSEC_RESTRICT x_data, float *FUSEC_RESTRICT y_data) {
  const View<const float, 8, 16> x{x_data};
  const View<float, 8, 16> y{y_data};
  f32x16 acc[8];
  FUSEC_UNROLL for (Unrolled i = 0; i < 8; i += 2) {
    FUSEC_ROLL for (int64_t k = 0; k < 4 * 2; ++k) {
      FUSEC_UNROLL for (Unrolled j = -1; j < 2; ++j)
        acc[i] =
            BODY;
    }
    store(&y(i, 0), acc[i]);
  }
  store(&y(1, 0), exp(acc[0]) + acc[1]);
}"""

    def count(self, body):
        # The store and what it stores, four times.
        return unrolled.count_unrolled(self.KERNEL.replace("BODY", body)) - 4 * 2

    def test_operations_count_as_often_as_they_are_unrolled(self):
        for body, operations in (("0.0f", 1), ("acc[i + 1] - -1.5e-3f", 3), ("-acc[i]", 3),
                                 ("fma(x(i, k + j), x_k, acc[i * 2])", 4),
                                 ("load<f32x16>(&x(i + 1, k), mask_lt(0, 7 - k) & on)", 4),
                                 ("load_strided<f32x16>(&x(i, 0), 2 * x.stride(0))", 50),
                                 ("gather<f32x16>(&x(0, 0), to<i32x16>(place))", 50),
                                 ("exp(x_k) < tanh(x_k) ? x_k : x_i", 35)):
            # Four times three of them, each with the element that it is stored to.
            self.assertEqual(self.count(body), 4 * 3 * operations, body)

    def test_loops_are_counted_or_refused(self):
        with self.assertRaises(batch.Failure):
            unrolled.count_unrolled("FUSEC_UNROLL for (Unrolled i = 0; i < n; ++i)\n  f(i);")

    def test_a_kernel_has_a_budget(self):
        text = self.KERNEL.replace("BODY", "x_k")
        variant = {"function": "sum", "file": "k.cpp", "lines": [3, 2 + len(text.split("\n"))]}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "k.cpp").write_text(f"\n\n{text}\n")
            (folder / "model.json").write_text(
                json.dumps({"groups": [{"variants": [variant]}]}))
            unrolled.check_unrolled(folder)
            unrolled.check_unrolled(folder, 20)
            with self.assertRaisesRegex(batch.Failure, "sum become 20 operations"):
                unrolled.check_unrolled(folder, 19)


class Batches(unittest.TestCase):
    def models(self, *lines):
        return {f"m{i}": types.SimpleNamespace(lines=n, folder=f"/e2e/m{i}/src")
                for i, n in enumerate(lines)}

    def project(self, batches, thorough=()):
        built = project.Project.__new__(project.Project)
        built.models, built.thorough = self.models(1, 1, 1, 1), list(thorough)
        built.batches, built.number = {}, 0
        built.add_batches(batches)
        return built

    def test_long_models_get_smaller_batches(self):
        models = self.models(50, 50, 50, 0, 150, 1, *[50] * 10)
        packed = project.pack(list(models), models, 100, 1)
        self.assertEqual(packed[:2], [["m4"], ["m0", "m1"]])
        self.assertEqual(packed[-1], ["m9", "m5", "m3"])

    def test_each_core_gets_some_batches(self):
        models = self.models(*[10] * 24)
        self.assertEqual(len(project.pack(list(models), models, 1000, 1)), 4)
        self.assertEqual(len(project.pack(list(models), models, 1000, 3)), 12)

    def test_who_is_mentioned_is_tried_alone(self):
        built = self.project([["m0", "m1", "m2"]])
        self.assertEqual(built.set_aside(
            {"batch_0": "In file included from /e2e/m1/src/m1.cpp: error: no"}), {})
        self.assertEqual(built.batches, {"batch_1": ["m1"], "batch_2": ["m0", "m2"]})

    def test_all_are_tried_alone_where_none_is_mentioned(self):
        built = self.project([["m0", "m1"]])
        self.assertEqual(built.set_aside({"batch_0": "killed"}), {})
        self.assertEqual(list(built.batches.values()), [["m0"], ["m1"]])

    def test_who_fails_alone_is_broken(self):
        built = self.project([["m0"], ["m1"]], thorough=["m2", "m3"])
        self.assertEqual(built.set_aside({"batch_1": "x\ny.cpp:1: error: no", "m3": "z"}),
                         {"m1": "y.cpp:1: error: no", "m3": "z"})
        self.assertEqual((built.batches, built.thorough), ({"batch_0": ["m0"]}, ["m2"]))


class Compilers(unittest.TestCase):
    def shares(self, own, sanitizer=""):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / "CMakeCache.txt").write_text(
                "".join(f"CMAKE_{language}_COMPILER:FILEPATH={path}\n"
                        for language, path in zip(("C", "CXX"), own))
                + f"FUSEC_SANITIZE:STRING={sanitizer}\n")
            with unittest.mock.patch("shutil.which", lambda name: f"/bin/{name}"):
                return project.Shares(build, build, 1)

    def test_each_build_gives_a_model_to_the_other_compiler(self):
        one = self.shares(("/bin/clang-22", "/bin/clang++-22"))
        other = self.shares(("/bin/gcc", "/bin/g++"))
        for number in range(4):
            self.assertEqual({shares.compiler_of(number) for shares in (one, other)},
                             {"clang++-22", "g++"})
        self.assertNotEqual(one.compiler_of(0), one.compiler_of(1))

    def test_sanitizers_are_of_one_compiler(self):
        shares = self.shares(("/bin/clang-22", "/bin/clang++-22"), "address")
        self.assertEqual(list(shares.projects), ["clang++-22"])


class Cases(unittest.TestCase):
    def test_each_has_a_row_in_the_table(self):
        self.assertGreater(len(builder.all_cases()), 300)
        for case in builder.all_cases():
            self.assertTrue(case.refusal or case.tolerance in oracle.CLASSES, case.name)

    def test_seeds_are_stable(self):
        first, second = (builder.Graph("g").random((3,)) for _ in range(2))
        np.testing.assert_array_equal(first, second)
        self.assertFalse((first == builder.Graph("h").random((3,))).any())


if __name__ == "__main__":
    unittest.main()
