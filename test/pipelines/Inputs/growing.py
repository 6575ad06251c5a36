# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders with caches that exporters write as present = Concat(past, new), and their runs
by ONNX Runtime, which really grow.

    growing.py model KIND FILE        writes the model
    growing.py compare KIND FILE BUILT RUNTIME ABI
                                      runs a prompt of 8 tokens and 40 further ones in
                                      the model whose folder BUILT has the name of, of the
                                      version that ABI, the runtime's header, says
"""
import ctypes as c
import pathlib
import re
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

for folder in "codegen/Inputs", "e2e":
    sys.path.append(str(pathlib.Path(__file__).parents[2] / folder))
import oracle  # noqa: E402
from tensors import Tensor  # noqa: E402

VOCABULARY, WIDTH, HEADS, LAYERS, ROOM = 32, 32, 4, 2, 48
# The kinds whose positions and masks are inputs.
GIVEN = "given", "flattened", "assigned", "reversed"


class Graph:
    def __init__(self):
        self.nodes, self.weights = [], []
        self.random = np.random.default_rng(7)

    def op(self, kind, *operands, name=None, **attributes):
        name = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, operands, [name], name=name, **attributes))
        return name

    def constant(self, array):
        name = f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def weight(self, *shape):
        return self.constant(
            (1.5 * self.random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32))

    def norm(self, x):
        return self.op("LayerNormalization", x, self.constant(np.ones(WIDTH, np.float32)))


def make(kind):
    """KIND: "given" has position_ids and attention_mask as inputs, "flattened" has them, too, and
    gathers the mask at batch * length + position, as Transformers does; "assigned" writes all of
    the mask into itself by ScatterND, as PyTorch's exporter does for mask[:, :] = x, and
    "reversed" does so from the last column to the first; "shapes" computes positions and the
    causal mask from the shapes of its caches, as GPT-2 does; "rotary" does so with rotary
    embeddings, two heads of keys for four of queries, and casts that change nothing. "mean"
    divides by the length, "alone" reads a cache by itself, and in "mixed" the keys' rows are
    the last ones first."""
    g = Graph()
    op, ints = g.op, g.ints
    kv = 2 if kind == "rotary" else HEADS
    size = WIDTH // HEADS
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "seq"])]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT,
                                             ["batch", "seq", VOCABULARY])]
    past = "past_key_values.0.key"
    zero, one = g.constant(np.int64(0)), g.constant(np.int64(1))
    seq = op("Gather", op("Shape", "input_ids"), one)
    if kind in GIVEN:
        for name, dim in (("attention_mask", "total"), ("position_ids", "seq")):
            inputs.append(helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", dim]))
        positions = "position_ids"
        columns = op("Range", zero, op("Gather", op("Shape", "attention_mask"), one), one)
    else:
        before = op("Gather", op("Shape", past), g.constant(np.int64(2)))
        total = op("Add", before, seq)
        positions = op("Unsqueeze", op("Range", before, total, one), ints(0))
        columns = op("Range", zero, total, one)
    sees = op("LessOrEqual", op("Unsqueeze", columns, ints(0, 1)),
              op("Unsqueeze", positions, ints(2)))
    if kind in GIVEN:
        attended = op("Cast", "attention_mask", to=TensorProto.BOOL)
        if kind == "flattened":
            length = op("Gather", op("Shape", "attention_mask"), one)
            batch = op("Range", zero, op("Gather", op("Shape", "input_ids"), zero), one)
            first = op("Mul", op("Unsqueeze", batch, ints(1, 2)), length)
            places = op("Add", op("Unsqueeze", columns, ints(0, 1)), first)
            attended = op("Squeeze", op("Gather", op("Flatten", attended, axis=2), places),
                          ints(3))
        else:
            attended = op("Unsqueeze", attended, ints(1))
        if kind in ("assigned", "reversed"):
            shape = op("Shape", sees)
            places = []
            for axis in range(3):
                extent = op("Gather", shape, g.constant(np.int64(axis)))
                steps = op("Range", zero, extent, one)
                if kind == "reversed" and axis == 2:
                    steps = op("Sub", op("Sub", extent, one), steps)
                steps = op("Reshape", steps, ints(-1, *(2 - axis) * [1]))
                places.append(op("Unsqueeze", op("Expand", steps, shape), ints(-1)))
            sees = op("ScatterND", sees, op("Concat", *places, axis=-1),
                      op("And", sees, attended))
        else:
            sees = op("And", sees, attended)
    if kind == "shapes":  # the buffer of GPT-2
        table = g.constant(np.tril(np.ones((1, 1, 64, 64), bool)))
        axes = ints(2)
        cut = op("Slice", table, op("Unsqueeze", before, ints(0)),
                 op("Unsqueeze", total, ints(0)), axes)
        sees = op("Squeeze", op("Slice", cut, ints(0), op("Unsqueeze", total, ints(0)), ints(3)),
                  ints(1))
    least = g.constant(np.float32(-np.inf if kind == "shapes" else -3.4e38))
    mask = op("Unsqueeze", op("Where", sees, g.constant(np.float32(0)), least), ints(1))
    x = op("Gather", g.weight(VOCABULARY, WIDTH), "input_ids")
    if kind != "rotary":
        x = op("Add", x, op("Gather", g.weight(64, WIDTH), positions))
    angles = np.arange(64)[:, None] / 100 ** (np.arange(size) % (size // 2) / (size / 2))
    turns = [op("Unsqueeze", op("Gather", g.constant(f(angles).astype(np.float32)), positions),
                ints(1)) for f in (np.cos, np.sin)] if kind == "rotary" else []

    def rotate(x):
        if not turns:
            return x
        halves = [op("Slice", x, ints(a), ints(b), ints(3))
                  for a, b in ((0, size // 2), (size // 2, size))]
        turned = op("Concat", op("Neg", halves[1]), halves[0], axis=-1)
        return op("Add", op("Mul", x, turns[0]), op("Mul", turned, turns[1]))

    for layer in range(LAYERS):
        y = g.norm(x)

        def heads(count):
            part = op("MatMul", y, g.weight(WIDTH, count * size))
            return op("Transpose", op("Reshape", part, ints(0, 0, count, size)),
                      perm=[0, 2, 1, 3])

        def cache(name, new):
            shape = ["batch", kv, "past", size]
            inputs.append(helper.make_tensor_value_info(
                f"past_key_values.{layer}.{name}", TensorProto.FLOAT, shape))
            outputs.append(helper.make_tensor_value_info(
                f"present.{layer}.{name}", TensorProto.FLOAT, ["batch", kv, "past + seq", size]))
            past, present = f"past_key_values.{layer}.{name}", f"present.{layer}.{name}"
            if kind == "mixed" and name == "key":
                return op("Concat", new, past, name=present, axis=-2)
            if kind != "rotary":
                return op("Concat", past, new, name=present, axis=-2)
            # Casts to the type that it has already, as of GPT-J.
            if name == "value":
                past = op("Cast", past, to=TensorProto.FLOAT)
            whole = op("Concat", past, new, axis=-2)
            op("Cast", whole, name=present, to=TensorProto.FLOAT)
            return whole

        def repeat(x):
            if kv == HEADS:
                return x
            batch = op("Slice", op("Shape", x), ints(0), ints(1))
            rows = op("Slice", op("Shape", x), ints(2), ints(3))
            wide = op("Expand", op("Unsqueeze", x, ints(2)),
                      op("Concat", batch, ints(kv, HEADS // kv), rows, ints(size), axis=0))
            return op("Reshape", wide, op("Concat", batch, ints(HEADS), rows, ints(size), axis=0))

        q, k = rotate(heads(HEADS)), cache("key", rotate(heads(kv)))
        v = cache("value", heads(kv))
        if kind == "mean":
            v = op("Sub", v, op("ReduceMean", v, ints(2)))
        if kind == "alone" and layer == 0:
            v = op("Add", v, op("ReduceSum", past, ints(2)))
        scores = op("MatMul", q, op("Transpose", repeat(k), perm=[0, 1, 3, 2]))
        scores = op("Mul", scores, g.constant(np.float32(size ** -0.5)))
        weights = op("Softmax", op("Add", scores, mask), axis=-1)
        mixed = op("Transpose", op("MatMul", weights, repeat(v)), perm=[0, 2, 1, 3])
        x = op("Add", x, op("MatMul", op("Reshape", mixed, ints(0, 0, WIDTH)),
                            g.weight(WIDTH, WIDTH)))
        hidden = op("Relu", op("MatMul", g.norm(x), g.weight(WIDTH, 2 * WIDTH)))
        x = op("Add", x, op("MatMul", hidden, g.weight(2 * WIDTH, WIDTH)))
    op("MatMul", g.norm(x), g.weight(WIDTH, VOCABULARY), name="logits")
    graph = helper.make_graph(g.nodes, "decoder", inputs, outputs, g.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def run(kind, file, lengths):
    """What each run is given, less the caches, and its logits."""
    import onnxruntime
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(52)
    names = [i.name for i in session.get_inputs() if i.name.startswith("past")]
    shape = next(i.shape for i in session.get_inputs() if i.name.startswith("past"))
    caches = {name: np.zeros((1, shape[1], 0, shape[3]), np.float32) for name in names}
    past = 0
    for length in lengths:
        given = {"input_ids": random.integers(0, VOCABULARY, (1, length))}
        if kind in GIVEN:
            given["attention_mask"] = np.ones((1, past + length), np.int64)
            given["attention_mask"][:, 1] = 0 if past + length > 2 else 1
            given["position_ids"] = np.arange(past, past + length)[None]
        results = session.run(None, {**given, **caches})
        order = [o.name for o in session.get_outputs()]
        caches = {name: results[order.index(name.replace("past_key_values", "present"))]
                  for name in names}
        past += length
        if kind in GIVEN:  # what is behind the rows is not looked at
            buffer = np.ones((1, ROOM), np.int64)
            buffer[:, :past] = given["attention_mask"]
            given["attention_mask"] = buffer
        yield given, results[0]


def compare(kind, file, built, runtime, abi, lengths):
    folder = pathlib.Path(pathlib.Path(built).read_text().strip())
    version = int(re.search(r"ABI_VERSION (\d+)u", pathlib.Path(abi).read_text())[1])
    fusec = c.CDLL(runtime)
    fusec.fusec_last_error.restype = c.c_char_p
    query = getattr(c.CDLL(folder.parent / "model.so"), f"fusec_{kind}_query")
    query.restype = c.c_void_p
    model, session = c.c_void_p(), c.c_void_p()
    weights = str(folder / "weights.bin").encode()
    assert not fusec.fusec_model_create(c.c_void_p(query(version)), weights, None,
                                        c.byref(model))
    assert not fusec.fusec_session_create(model, None, c.byref(session))
    for _ in range(2):  # the second time in the same session
        steps = 0
        for given, expected in run(kind, file, lengths):
            arrays = [np.ascontiguousarray(given[name])
                      for name in ("input_ids", "attention_mask", "position_ids") if name in given]
            logits = np.zeros(expected.shape, np.float32)
            inputs = (Tensor * len(arrays))(*map(Tensor, arrays))

            def step():
                return fusec.fusec_session_run(session, inputs, len(arrays),
                                               c.byref(Tensor(logits)), 1)

            assert not step(), fusec.fusec_last_error(session).decode()
            wrong = oracle.compare(logits, expected, "network")
            assert not wrong, wrong
            steps += 1
        assert step() == 1
        print(steps, "runs alike; then:", fusec.fusec_last_error(session).decode())
        assert not fusec.fusec_session_reset(session)


if sys.argv[1] == "model":
    onnx.save(make(sys.argv[2]), sys.argv[3])
else:
    compare(*sys.argv[2:7], [8] + 40 * [1])
