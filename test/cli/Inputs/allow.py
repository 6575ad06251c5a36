# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of lower precision: `make FOLDER` writes models and their inputs, `hold FOLDER
FORM` compares the outputs that fusec wrote of the odd shapes with what FORM says, and with
ONNX's reference up to the table of tolerances."""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))
import oracle  # noqa: E402

# What is computed, and how many columns the constants have: a row alone, no multiple of
# four terms, primes, a term alone, further dimensions.
SHAPES = [((1, 7), 17), ((5, 13), 31), ((17, 66), 64), ((40, 1), 33), ((2, 3, 64), 48)]


CLASSES = {"bf16": "loweredbf16", "bf16_activations": "loweredbothbf16",
           "int8_activations": "loweredint8"}


def save(path, nodes, inputs, outputs, constants):
    def ports(shapes):
        return [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                for name, shape in shapes.items()]
    graph = helper.make_graph(nodes, path.stem, ports(inputs), ports(outputs),
                              [numpy_helper.from_array(a, n) for n, a in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    model.ir_version = 10
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def make(folder):
    rng = np.random.default_rng(5)

    def numbers(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    nodes, inputs, outputs, constants = [], {}, {}, {}
    for i, (shape, columns) in enumerate(SHAPES):
        x = numbers(*shape)
        w = numbers(shape[-1], columns)
        rows = x.reshape(-1, shape[-1])
        rows[0] = 0
        if len(rows) > 4:
            rows[1] = 1e-39
            rows[2, 0] = np.inf
            rows[3, -1] = np.nan
            rows[4] *= 1e37
        w[:, 1] = 0
        if i == 2:
            w[3, 2] = np.nan
        np.save(folder / f"x{i}.npy", x)
        nodes += [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"t{i}"], name=f"p{i}"),
                  helper.make_node("Add", [f"t{i}", f"b{i}"], [f"y{i}"])]
        inputs[f"x{i}"] = shape
        outputs[f"y{i}"] = shape[:-1] + (columns,)
        constants |= {f"w{i}": w, f"b{i}": numbers(columns)}
    save(folder / "odd.onnx", nodes, inputs, outputs, constants)

    # A product that has few rows and many weights, or many rows; one whose last bit decides.
    for name, rows in (("net", 4), ("rows", 64)):
        save(folder / f"{name}.onnx",
             [helper.make_node("MatMul", ["x", "w"], ["t"], name="wide"),
              helper.make_node("Relu", ["t"], ["y"])],
             {"x": (rows, 512)}, {"y": (rows, 1024)}, {"w": numbers(512, 1024)})
    save(folder / "decides.onnx",
         [helper.make_node("MatMul", ["x", "w"], ["t"], name="last"),
          helper.make_node("Round", ["t"], ["y"])],
         {"x": (4, 8)}, {"y": (4, 32)}, {"w": numbers(8, 32)})


def quantise(x, w):
    """What the sums of codes stand for (passes/graph/LowerPrecision.h)."""
    f32 = np.float32
    share = f32(1 / 255)
    high = np.maximum(x.max(-1, keepdims=True), f32(0))
    low = np.minimum(x.min(-1, keepdims=True), f32(0))
    step = np.maximum(high * share - low * share, np.finfo(f32).tiny)
    finite = np.isfinite(step)
    inverse = np.where(finite, f32(1) / step, f32(0))
    zero = np.where(finite, np.rint(-low * inverse), f32(0))
    codes = np.clip(np.nan_to_num(np.rint(x * inverse) + zero), 0, 255).astype(np.int64)
    size = np.maximum(np.abs(w).max(0), np.finfo(f32).tiny * f32(127))
    steps = np.where(np.isfinite(size), size / f32(127), f32(np.nan))
    weights = np.nan_to_num(np.rint(w / steps)).astype(np.int64)
    sums = (codes - zero.astype(np.int64)) @ weights
    return sums.astype(f32) * steps * np.where(finite, step, f32(np.nan))


def rounded(w):
    """To bf16, ties to even."""
    bits = w.view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
    return np.where(np.isnan(w), w, bits.astype(np.uint32).view(np.float32))


def close(actual, expected, scale, tolerance):
    absolute, relative, scaled = tolerance
    with np.errstate(all="ignore"):
        near = np.abs(actual - expected) <= (absolute + relative * np.abs(expected)
                                             + scaled * scale)
    return near | (actual == expected) | (np.isnan(actual) & np.isnan(expected))


def hold(folder, form):
    model = onnx.load(folder / "odd.onnx")
    constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    inputs = {f"x{i}": np.load(folder / f"x{i}.npy") for i in range(len(SHAPES))}
    with np.errstate(all="ignore"):
        reference = ReferenceEvaluator(model).run(None, inputs)
    for i, (exact, x) in enumerate(zip(reference, inputs.values())):
        w, b = constants[f"w{i}"], constants[f"b{i}"]
        actual = np.load(folder / f"y{i}.npy")
        with np.errstate(all="ignore"):
            scale = np.abs(x).astype(float) @ np.abs(w).astype(float)
            factor = rounded(x) if form == "bf16_activations" else x
            told = (quantise(x, w) if form == "int8_activations" else factor @ rounded(w)) + b
        assert actual.shape == told.shape
        ok = close(actual, told, scale, oracle.TOLERANCES["f32", "contraction"])
        assert ok.all(), (i, actual[~ok][:4], told[~ok][:4])
        # Where all is finite it is near what the model says, and nowhere the same.
        finite = np.isfinite(exact) & np.isfinite(actual)
        for row, wanted, have in zip(actual.reshape(-1, actual.shape[-1]),
                                     exact.reshape(-1, exact.shape[-1]),
                                     finite.reshape(-1, exact.shape[-1])):
            assert not (np.isfinite(wanted) & np.isinf(row)).any(), i
            if have.any():
                ok = close(row[have], wanted[have], np.abs(wanted[have]).max(),
                           oracle.TOLERANCES["f32", CLASSES[form]])
                assert ok.all(), (i, row[have][~ok][:4], wanted[have][~ok][:4])
        if x.shape[-1] > 1 and i > 0:  # of the first the only row is zeros
            assert not np.array_equal(actual[finite], exact[finite]), i
        # A row of zeros gives the bias.
        rows = actual.reshape(-1, actual.shape[-1])
        kept = np.isfinite(w).all(0)
        assert np.array_equal(rows[0][kept], b[kept]), i
        if form == "int8_activations" and len(rows) > 4:
            assert np.isnan(rows[2:4]).all() and np.isfinite(rows[[0, 1, 4]][:, kept]).all()
    print(f"{form}: {len(SHAPES)} products are as told")


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[2])
    make(place) if sys.argv[1] == "make" else hold(place, sys.argv[3])
