# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a case should compute, and whether a result is close enough."""
import copy
import pathlib
import re

import numpy as np
import onnxruntime
from onnx import numpy_helper

from builder import FLOATS, dtype_name, widened

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TABLE = REPOSITORY / "compiler" / "io" / "Tolerances.def"
ROW = re.compile(r"^FUSEC_TOLERANCE\((\w+), (\w+), ([^,]+), ([^,]+), ([^)]+)\)", re.M)


def read_tolerances():
    """(element type, class), both in lower case -> (absolute, relative, scaled)."""
    rows = ROW.findall(TABLE.read_text())
    return {(kind.lower(), op_class.lower()): tuple(map(float, numbers))
            for kind, op_class, *numbers in rows}


TOLERANCES = read_tolerances()
onnxruntime.set_default_logger_severity(3)  # what kernels warn of in their constructors
CLASSES = {"exact"} | {op_class for _, op_class in TOLERANCES}


def run_onnxruntime(model, inputs, optimises=True):
    """Its outputs. It optimises chains of codes to operators that round otherwise."""
    options = onnxruntime.SessionOptions()
    if not optimises:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    # Products with weights of 4 bits as they are, not with rows made 8 bits.
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def with_arrays(graph, change):
    """A copy of the graph with `change` applied to its inputs and initializers."""
    result = copy.copy(graph)
    result.inputs = {n: np.asarray(change(a)) for n, a in graph.inputs.items()}
    result.initializers = [numpy_helper.from_array(np.asarray(change(numpy_helper.to_array(t))),
                                                   t.name)
                           for t in graph.initializers]
    return result


def widen(graph):
    """The graph with f16 and bf16 made f32."""
    result = with_arrays(graph, lambda a: a.astype(np.float32)
                         if dtype_name(a) in ("f16", "bf16") else a)
    result.outputs = {name: "f32" if kind in ("f16", "bf16") else kind
                      for name, kind in graph.outputs.items()}
    return result


def magnitudes(graph):
    """The sum of the absolute products behind each element of a contraction."""
    def absolute(a):
        return abs(a) if dtype_name(a) in FLOATS else a
    positive = with_arrays(widen(graph), absolute)
    return run_onnxruntime(positive.build(), positive.inputs)


def expected_outputs(case):
    """The expected arrays, in the order of the outputs, and their scales or None."""
    graph = case.graph
    if case.reference == widened:
        wide = widen(graph)
        outputs = run_onnxruntime(wide.build(), wide.inputs)
    elif case.reference:
        with np.errstate(over="ignore"):  # an infinity is a result, too
            outputs = case.reference(*graph.inputs.values())
    else:
        outputs = run_onnxruntime(graph.build(), graph.inputs)
    scales = magnitudes(graph) if case.tolerance == "contraction" else [None] * len(outputs)
    return [np.asarray(o) for o in outputs], scales


def allowed_errors(expected, dtype, op_class, scale=None):
    """How far each element of an array of `dtype` may be from what is expected, which may be
    wider; not finite ones must be the same."""
    absolute, relative, scaled = TOLERANCES.get((dtype, op_class)) or (0, 0, 0)
    want = expected.astype(np.float64)
    finite = np.isfinite(want)
    if scale is None:
        scale = np.max(abs(want[finite]), initial=0)
    with np.errstate(invalid="ignore"):
        return np.where(finite, absolute + relative * abs(want) + scaled * scale, 0)


def compare(actual, expected, op_class, scale=None):
    """None if `actual` is close enough to `expected`, else what differs."""
    if actual.shape != expected.shape:
        return f"shape {actual.shape}, expected {expected.shape}"
    if not actual.size:
        return None
    kind = dtype_name(actual)
    if kind not in FLOATS and (kind, op_class) not in TOLERANCES:
        wrong = (actual != expected) & ~((actual != actual) & (expected != expected))  # NaN in f8
        error = wrong.astype(np.float64)
    else:
        got, want = actual.astype(np.float64), expected.astype(np.float64)
        allowed = allowed_errors(expected, kind, op_class, scale)
        with np.errstate(invalid="ignore"):
            error = np.where(got == want, 0, abs(got - want))
            wrong = np.where(np.isfinite(want), ~(error <= allowed), got != want)
        wrong &= ~(np.isnan(got) & np.isnan(want))
    if not wrong.any():
        return None
    worst = np.unravel_index(np.argmax(np.where(wrong, np.nan_to_num(error, nan=np.inf), -1)),
                             wrong.shape)
    return (f"{int(wrong.sum())} of {wrong.size} elements differ, worst at "
            f"{list(map(int, worst))}: {actual[worst]}, expected {expected[worst]}")
