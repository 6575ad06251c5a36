# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the operators of values.fop compute, by the interpreter and as compiled, against
NumPy."""
import os
import subprocess
import sys

import numpy as np
from model import name_of, write
from onnx import TensorProto, helper
from onnxruntime import InferenceSession

TEXT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "values.fop")
random = np.random.default_rng(1)


def floats(*shape):
    return (random.random(shape) * 4 - 2).astype(np.float32)


def run(op, inputs, expected, **attributes):
    types = [[(name_of(x.dtype), x.shape) for x in tensors] for tensors in (inputs, expected)]
    ins, outs = write("m.onnx", op, *types, attributes)
    command = ["m.onnx", "--ops", TEXT]
    for name, value in zip(ins, inputs):
        np.save(f"{name}.npy", value)
        command += ["--input", f"{name}={name}.npy"]
    for name in outs:
        command += ["--output", f"{name}={name}.npy"]
    for program in (["fusec-ref"], ["fusec", "run"]):
        subprocess.run(program + command, check=True, stdout=subprocess.DEVNULL)
        for name, wanted in zip(outs, expected):
            got = np.load(f"{name}.npy")
            assert got.shape == wanted.shape and got.dtype == wanted.dtype, (op, name, got.shape)
            np.testing.assert_allclose(got, wanted, 1e-5, 1e-5, err_msg=f"{program} {op} {name}")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def convolve(x, k, strides, pad):
    node = helper.make_node("Conv", ["x", "k"], ["y"], strides=strides, pads=[pad] * 4)
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
             for name, shape in (("x", x.shape), ("k", k.shape), ("y", None))]
    graph = helper.make_graph([node], "g", infos[:2], infos[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 9
    return InferenceSession(model.SerializeToString()).run(None, {"x": x, "k": k})[0]


def elementwise():
    x = floats(3, 5, 7)
    e = np.exp(x - x.max(-1, keepdims=True))
    run("acme.Softmax", [x], [e / e.sum(-1, keepdims=True)])
    run("acme.ArgMax", [x], [x.argmax(-1), x.max(-1)])
    y = floats(3, 5, 7)
    wanted = np.where((x < y) & ~(x < 0.25), x * 2, 1 - y)
    count = (x * 10).astype(np.int32) % 3 - np.floor(y * 4).astype(np.int32) // 2
    run("acme.Select", [x, y], [wanted, count, (x >= y) | (y == 0)])
    i = random.integers(-50, 50, 40).astype(np.int32)
    u = random.integers(0, 255, 40).astype(np.uint8)
    run("acme.Ints", [i, u], [np.abs(i) // 3 + np.sign(i) - i % 4,
                              np.maximum(u, np.uint8(7)) + u * np.uint8(3),
                              i.astype(float)**2 - u * np.sqrt(u.astype(float))])
    for kind in (np.int8, np.int32, np.int64):
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        pairs = [(low, 3), (low + 1, 3), (low, 2), (low, -1), (low, 0), (high, -2), (high, low),
                 (low + 2, high), (-7, 2), (7, -2), (5, 0)]
        i, j = (np.array(column, kind) for column in zip(*pairs))
        with np.errstate(all="ignore"):  # low // -1 wraps, and what is divided by 0 is 0.
            run("acme.Floor", [i, j], [i // j])
    run("acme.Cast", [np.array([2.7, -2.7, 300, 0], np.float32)],
        [np.array([2, -2, 300, 0], np.int32), np.array([2, 254, 44, 0], np.uint8),
         np.array([1, 1, 1, 0], bool)])
    run("acme.Fill", [x], [np.full((3, 5, 7, 3), 3, np.float32), np.array([-1, 1, 3])], n=1.5)


def reads():
    x, k = floats(2, 3, 9, 8), floats(4, 3, 3, 3)
    run("acme.Conv", [x, k], [convolve(x, k, [1, 1], 1)])
    run("acme.Conv", [x, k], [convolve(x, k, [2, 1], 0)], stride=[2, 1], pad=0)
    x = floats(3, 8)
    moved = np.zeros_like(x)
    moved[:, 1:] = x[:, :-1]
    run("acme.Shift", [x], [moved, x[:, ::-1], x[:, 0], x[:, 1::2] - x[:, :4]])
    x = floats(5, 3)
    i = np.array([0, 4, 7, -2, 1, 2])
    isInside = (i - 1 >= 0) & (i - 1 < 5)
    run("acme.Take", [x, i], [x[np.clip(i, 0, 4)],
                              np.where(isInside[:, None], x[np.clip(i - 1, 0, 4)],
                                       np.float32(-1))])
    run("acme.Empty", [np.zeros((5, 0), np.float32), i],
        [np.full(6, -1, np.float32), np.full(6, 2, np.float32), np.ones(5, np.float32)])
    x = floats(2, 4, 5)
    p = np.array([0.5, 3.9, -0.1, 4.0, np.nan, 1e30, 2.2], np.float32)
    q = np.array([0.5, 1.5, 1, 1, 1, 1, 4.4], np.float32)
    y = np.full((7, 2), 0.5, np.float32)
    for n, (a, b) in enumerate(zip(np.floor(p), np.rint(q))):
        if 0 <= a < 4 and 0 <= b < 5:
            y[n] = x[:, int(a), int(b)]
    run("acme.Sample", [x, p, q], [y])
    x = floats(4, 6)
    i, j = np.arange(4)[:, None], np.arange(6)[None]
    run("acme.Diag", [x], [np.diag(x), x[i // 2 * 2, j % 2],
                           x[np.minimum(i, j), np.maximum(j - 1, 0)]])


def calls():
    x = floats(4, 6)
    s = (x * sigmoid(0.5 * x * x)).sum(1)
    y = x * sigmoid(2 * s)[:, None]
    run("acme.Twice", [x], [y, s])
    run("acme.Two", [x], [y + s[:, None], x.T + 3 * s])
    x, w, v = floats(3, 4), floats(4, 5), floats(5)
    run("acme.Quad", [x, w, v], [(x @ w + v).T, np.asarray(x.sum() * 2), x @ w @ v])


os.chdir(sys.argv[1])
{"elementwise": elementwise, "reads": reads, "calls": calls}[sys.argv[2]]()
