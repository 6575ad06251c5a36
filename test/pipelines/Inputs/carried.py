# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""carried.py write LIBRARY RUNTIME WEIGHTS VERSION MODEL: 200 tokens of the decoder of
examples/decoder, which is compiled for 16 tokens and for one, beside ONNX Runtime's.
carried.py caches FOLDER: a model of caches of all kinds that have a position, and rows for each
of its inputs, of 6 steps.
carried.py steps FOLDER: whether its outputs in these steps are ONNX Runtime's.
carried.py samples FILE: a stream of 100 samples.
carried.py levels FILE SAMPLES MODEL: what the GRU of examples/stream made of it, likewise."""
import ctypes as c
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "install"))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "codegen" / "Inputs"))
import carried  # noqa: E402
from tensors import Tensor  # noqa: E402

PROMPT = "Once upon a time, there was"


def write(library, runtime, weights, version, path):
    fusec = c.CDLL(runtime)
    fusec.fusec_last_error.restype = c.c_char_p
    query = c.CDLL(library).fusec_decoder_query
    query.restype = c.c_void_p
    model, session = c.c_void_p(), c.c_void_p()
    assert not fusec.fusec_model_create(c.c_void_p(query(int(version))), weights.encode(), None,
                                        c.byref(model))
    assert not fusec.fusec_session_create(model, None, c.byref(session))

    def step(*tokens):
        tokens, token = np.array(tokens), np.zeros(1, np.int64)
        assert not fusec.fusec_session_run(session, c.byref(Tensor(tokens)), 1,
                                           c.byref(Tensor(token)), 1), \
            fusec.fusec_last_error(session).decode()
        return token[0]

    expected = carried.continue_text(path, PROMPT, 200)
    prompt = [ord(character) - ord(" ") for character in PROMPT]
    for _ in range(2):  # the second time in the same session
        token = step(*prompt[:16])
        for given in prompt[16:]:
            token = step(given)
        text = chr(ord(" ") + token)
        for _ in range(199):
            token = step(token)
            text += chr(ord(" ") + token)
        print("the same 200 tokens" if text == expected else f"{text}\n{expected}",
              "of", len(set(text)))
        assert not fusec.fusec_session_reset(session)


STEPS = 6


def caches(folder):
    from onnx import TensorProto, helper, numpy_helper, save
    folder, random = pathlib.Path(folder), np.random.default_rng(3)
    f32, batch, room, width = TensorProto.FLOAT, 2, 8, 16
    nodes, inputs, outputs, states = [], [], [], []

    def rows(name, array, kind):
        """An input, and its values in all steps."""
        inputs.append(helper.make_tensor_value_info(name, kind, array.shape[1:]))
        np.save(folder / f"{name}.npy", array)

    def output(name, *shape):
        outputs.append(helper.make_tensor_value_info(name, f32, shape))

    def state(name, *shape):
        past, present = (helper.make_tensor_value_info(f"{when}_{name}", f32, shape)
                         for when in ("past", "present"))
        inputs.append(past)
        states.append(present)
        # What is there behind the step, as an output that the program gives.
        nodes.append(helper.make_node("ReduceSum", [f"present_{name}", "last"], [f"sum_{name}"],
                                      keepdims=0))
        output(f"sum_{name}", *shape[:-1])
        return [f"past_{name}"], [f"present_{name}"]

    def add(op, operands, results, **attributes):
        nodes.insert(0, helper.make_node(op, operands, results, name=results[0], **attributes))

    for name in ("query", "key", "value"):
        rows(name, random.standard_normal((STEPS, batch, 1, width)).astype(np.float32), f32)
    # The lengths of samples before the step, of which the second one is longer.
    ends = np.arange(STEPS, dtype=np.int32)[:, None] + np.array([0, 2], np.int32)
    rows("ends", ends, TensorProto.INT32)
    rows("at", (ends % room).astype(np.int64), TensorProto.INT64)
    rows("line", (ends[:, :1, None, None] + np.zeros((1, 1, 1, width))).astype(np.int64),
         TensorProto.INT64)
    keys, values = state("keys", batch, 2, room, width // 2), state("values", batch, 2, room,
                                                                    width // 2)
    output("seen", batch, 1, width)
    add("GroupQueryAttention", ["query", "key", "value", *keys[0], *values[0], "ends", "room"],
        ["seen", *keys[1], *values[1]], domain="com.microsoft", num_heads=2, kv_num_heads=2)
    cache, updated = state("ring", batch, room, width)
    add("TensorScatter", [*cache, "key", "at"], updated, axis=1, mode="circular")
    cache, updated = state("row", batch, room, width)
    add("TensorScatter", [*cache, "value", "at"], updated, axis=1)
    cache, updated = state("elements", 1, room, width)
    add("ScatterElements", [*cache, "line", "one_key"], updated, axis=1)
    add("Slice", ["key", "zero", "one", "zero"], ["one_key"])
    weights = [numpy_helper.from_array(np.array(value, kind), name) for name, value, kind in (
        ("room", room, np.int32), ("last", [-1], np.int64), ("zero", [0], np.int64),
        ("one", [1], np.int64))]
    graph = helper.make_graph(nodes, "caches", inputs, [*outputs, *states], weights)
    opsets = [helper.make_opsetid("", 24), helper.make_opsetid("com.microsoft", 1)]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=10), folder / "caches.onnx")


def steps(folder):
    folder = pathlib.Path(folder)
    model = carried.Carried(folder / "caches.onnx")
    given = {tensor.name: np.load(folder / f"{tensor.name}.npy")
             for tensor in model.session.get_inputs() if tensor.name not in model.states}
    names = [name for name in model.names if not name.startswith("present")]
    results = {name: np.load(folder / f"result-{name}.npy") for name in names}
    for step in range(STEPS):
        expected = model.run(**{name: rows[step] for name, rows in given.items()})
        for name in names:
            assert np.allclose(results[name][step], expected[name], atol=1e-5), (step, name)
            assert expected[name].any()
    print(len(model.states), "caches and", len(names), "outputs")


def samples(file):
    np.save(file, np.random.default_rng(1).uniform(-2, 2, (100, 1, 1, 1)).astype(np.float32))


def levels(file, samples, path):
    expected = carried.levels(path, np.load(samples).ravel())
    result = np.load(file)
    assert result.shape == (100, 1, 1), result.shape
    assert np.ptp(expected) > 0.5, "a stream that changes nothing"
    print("apart by", np.abs(result.ravel() - expected).max())


{"write": write, "caches": caches, "steps": steps, "samples": samples, "levels": levels}[sys.argv[1]](*sys.argv[2:])
