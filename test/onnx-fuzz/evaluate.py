# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One node in ONNX Runtime, without graph optimisations."""
import dataclasses

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

from graph import Graph, Invalid, Node, Value, Writer, onnx_type  # puts test/e2e on the path
import oracle  # noqa: E402, F401  (sets what ONNX Runtime logs)

onnxruntime.set_default_logger_severity(4)  # nodes that it refuses are no errors

# Types that numpy has of ml_dtypes: they reach the session as initializers, and come back
# through a cast that keeps each of their values.
FOREIGN = {np.dtype(t): wide for t, wide in [
    (ml_dtypes.bfloat16, np.float32), (ml_dtypes.float8_e4m3fn, np.float32),
    (ml_dtypes.float8_e4m3fnuz, np.float32), (ml_dtypes.float8_e5m2, np.float32),
    (ml_dtypes.float8_e5m2fnuz, np.float32), (ml_dtypes.float8_e8m0fnu, np.float32),
    (ml_dtypes.float4_e2m1fn, np.float32), (ml_dtypes.int4, np.int8), (ml_dtypes.uint4, np.uint8),
    (ml_dtypes.int2, np.int8), (ml_dtypes.uint2, np.uint8)]}


# Results whose type ONNX Runtime does not infer: as that of the first operand.
UNTYPED = {("com.microsoft", "MultiHeadAttention", 3)}


class Refused(Invalid):
    """ONNX Runtime does not take the node."""


def options():
    chosen = onnxruntime.SessionOptions()
    chosen.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    chosen.log_severity_level = 4
    chosen.intra_op_num_threads = chosen.inter_op_num_threads = 1
    return chosen


def start(model):
    return onnxruntime.InferenceSession(model.SerializeToString(), options(),
                                        providers=["CPUExecutionProvider"])


def run_model(model, inputs):
    return start(model).run(None, inputs)


class Evaluation:
    """A node with a session, for several runs on other numbers."""

    def __init__(self, node, opset):
        self.node = node
        self.reads = node.reads()
        writer = Writer()
        copies = {}
        for value in self.reads:
            # What is known and moves under noise is fed too.
            fed = not value.is_tensor or \
                value.array.dtype not in FOREIGN and not (value.known and value.exact)
            copies[value] = Value(value.array, "input" if fed else "initializer")
        self.fed = {v: copies[v] for v in self.reads if copies[v].kind == "input"}
        inner = self.renamed(node, copies)
        graph = Graph(opset)
        graph.nodes = [inner]
        writer.add(graph)
        for copy in copies.values():
            writer.name(copy)
        results = [r for r in inner.results if r is not None]
        self.model = writer.model(opset, [])
        self.names = {v: writer.names[copy] for v, copy in self.fed.items()}
        for result in results:
            self.model.graph.output.add().name = writer.names[result]
        for i, result in enumerate(inner.results):
            if result is not None and (node.domain, node.op, i) in UNTYPED:
                info = next(o for o in self.model.graph.output if o.name == writer.names[result])
                info.type.tensor_type.elem_type = onnx_type(node.operands[0].dtype)
        self.session = self.started()

    @staticmethod
    def renamed(node, copies):
        """The node on other values, its bodies too."""
        def body_of(body):
            return dataclasses.replace(body, nodes=[renamed_inner(n) for n in body.nodes],
                                       outputs=[copies.get(v, v) for v in body.outputs])

        def renamed_inner(inner):
            return Node(inner.op, inner.domain, [copies.get(v, v) for v in inner.operands],
                        {k: body_of(a) if hasattr(a, "formals") else a
                         for k, a in inner.attributes.items()}, inner.results, inner.parameters)
        done = renamed_inner(node)
        done.results = [None if r is None else Value(np.zeros(0)) for r in node.results]
        return done

    def started(self):
        """A session; results of foreign types go through a cast."""
        try:
            session = start(self.model)
            self.back = {}
            for i, output in enumerate(session.get_outputs()):
                if output.type in CAST_BACK:
                    dtype = CAST_BACK[output.type]
                    self.back[i] = dtype
                    wide = onnx_type_of(FOREIGN[np.dtype(dtype)])
                    name = self.model.graph.output[i].name
                    self.model.graph.node.append(
                        helper.make_node("Cast", [name], [f"{name}_wide"], to=wide))
                    self.model.graph.output[i].name = f"{name}_wide"
            return start(self.model) if self.back else session
        except Exception as error:  # of onnxruntime's own types, which share no base
            raise Refused(str(error)) from None

    def run(self, arrays=None):
        """The results; `arrays`: value -> other numbers for it."""
        arrays = arrays or {}
        feeds = {name: arrays.get(v, v.array) for v, name in self.names.items()}
        try:
            found = self.session.run(None, feeds)
        except Exception as error:
            raise Refused(str(error)) from None
        if not all(isinstance(a, np.ndarray) or a for a in found):
            raise Refused("an empty sequence, whose type nobody knows")
        found = [a.astype(self.back[i]) if i in self.back else a for i, a in enumerate(found)]
        rest = iter(found)
        return [None if r is None else next(rest) for r in self.node.results]


class Reference:
    """A node in onnx.reference, which knows all types and rounds after each operator."""

    def __init__(self, node, opset):
        self.node, writer = node, Writer()
        copies = {v: Value(v.array, "input") for v in node.reads()}
        graph = Graph(opset)
        graph.nodes = [Evaluation.renamed(node, copies)]
        writer.add(graph)
        self.feeds = {writer.names[copy]: copy.array for copy in copies.values()}
        model = writer.model(opset, [])
        for result in graph.nodes[0].results:
            model.graph.output.add().name = writer.names[result]
        self.evaluator = ReferenceEvaluator(model)

    def run(self):
        try:
            with np.errstate(all="ignore"):
                return [np.asarray(a) for a in self.evaluator.run(None, self.feeds)]
        except (TypeError, ValueError, RuntimeError) as error:  # operands are missing
            raise Refused(str(error)) from None


def onnx_type_of(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


CAST_BACK = {
    "tensor(bfloat16)": ml_dtypes.bfloat16, "tensor(float8e4m3fn)": ml_dtypes.float8_e4m3fn,
    "tensor(float8e4m3fnuz)": ml_dtypes.float8_e4m3fnuz,
    "tensor(float8e5m2)": ml_dtypes.float8_e5m2,
    "tensor(float8e5m2fnuz)": ml_dtypes.float8_e5m2fnuz,
    "tensor(float8e8m0)": ml_dtypes.float8_e8m0fnu,
    "tensor(float4e2m1)": ml_dtypes.float4_e2m1fn, "tensor(int4)": ml_dtypes.int4,
    "tensor(uint4)": ml_dtypes.uint4, "tensor(int2)": ml_dtypes.int2,
    "tensor(uint2)": ml_dtypes.uint2}
