# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models and samples for fusec compress, and what its files must hold.

  compress.py make FOLDER
      writes models, and a folder of samples
  compress.py hold BEFORE AFTER [NOISE [FOLDER]]
      checks AFTER with ONNX's checker, and what fusec computes of it against ONNX
      Runtime, on a sample of FOLDER (default: random inputs), on which the signal to
      noise against BEFORE is NOISE dB at least
  compress.py zeros BEFORE AFTER SHARE CHANNELSxTERMS
      each weight of a product has this share of zeros, in blocks, none of which is
      larger than one that is left, and all other elements as before
  compress.py error BEFORE AFTER NODE LEAST MOST
      the relative error of the product of the two matrices that NODE has become,
      as NumPy computes it
  compress.py report FILE
      what became of each weight, whose error lies on the curve of its report
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))
import oracle  # noqa: E402

RANDOM = np.random.default_rng(5)


def floats(*shape, scale=1.0):
    return (RANDOM.standard_normal(shape) * scale).astype(np.float32)


def near_rank(rows, columns, rank, noise):
    """A matrix of this rank, and noise of this relative size."""
    matrix = floats(rows, rank).astype(np.float64) @ floats(rank, columns)
    other = RANDOM.standard_normal((rows, columns))
    other *= noise * np.linalg.norm(matrix) / np.linalg.norm(other)
    return (matrix + other).astype(np.float32) / np.float32(np.sqrt(rows * rank))


def save(path, inputs, nodes, weights, outputs):
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()]
    outs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs]
    graph = helper.make_graph(nodes, "net", info, outs,
                              [numpy_helper.from_array(a, n) for n, a in weights.items()])
    model = helper.make_model(graph, ir_version=8,
                              opset_imports=[helper.make_opsetid("", 21)])
    onnx.save(onnx.shape_inference.infer_shapes(model), path)


def node(kind, name, *inputs, **attributes):
    return helper.make_node(kind, list(inputs), [name], name=name, **attributes)


def make_low(path):
    """Each kind of product whose matrix may become two, near a rank of 12; one is not."""
    nodes = [
        node("Conv", "point", "image", "point.w", "point.b", kernel_shape=[1, 1],
             strides=[2, 2], pads=[1, 1, 0, 0]),
        node("Relu", "relu", "point"),
        node("Conv", "window", "relu", "window.w", kernel_shape=[3, 3]),
        node("GlobalAveragePool", "mean", "window"),
        node("Flatten", "flat", "mean"),
        node("Gemm", "gemm", "flat", "gemm.w", "gemm.b", transB=1, beta=0.5),
        node("Tanh", "tanh", "gemm"),
        node("Gemm", "turned", "columns", "turned.w", transA=1),
        node("Add", "sum", "tanh", "turned"),
        node("MatMul", "product", "sum", "product.w"),
        node("MatMul", "random", "product", "random.w"),
    ]
    weights = {
        "point.w": near_rank(96, 64, 12, 0.01).reshape(96, 64, 1, 1), "point.b": floats(96),
        "window.w": floats(64, 96, 3, 3, scale=0.05),
        "gemm.w": near_rank(80, 64, 12, 0.01), "gemm.b": floats(80),
        "turned.w": near_rank(72, 80, 12, 0.01),
        "product.w": near_rank(80, 64, 12, 0.01),
        "random.w": floats(64, 48, scale=0.2),
    }
    save(path, {"image": [2, 64, 9, 9], "columns": [72, 2]}, nodes, weights, ["random"])


def make_skewed(path):
    """Of the input's columns the last ones are next to nothing, as are those of the samples;
    the matrix has a low rank in the others only."""
    matrix = near_rank(96, 64, 8, 0.005)
    matrix[72:] = floats(24, 64, scale=0.3)
    save(path, {"x": [16, 96]}, [node("MatMul", "product", "x", "w")], {"w": matrix}, ["product"])


def make(folder):
    folder = pathlib.Path(folder)
    make_low(folder / "low.onnx")
    make_skewed(folder / "skewed.onnx")
    (folder / "samples").mkdir(exist_ok=True)
    for i in range(3):
        sample = floats(16, 96)
        sample[:, 72:] *= 1e-4
        np.save(folder / f"samples/{i}.npy", sample)
    save(folder / "nothing.onnx", {"x": [4, 8]}, [node("Relu", "relu", "x")], {}, ["relu"])
    save(folder / "few.onnx", {"x": [4, 8]}, [node("MatMul", "product", "x", "w")],
         {"w": floats(8, 8)}, ["product"])
    save(folder / "random.onnx", {"x": [4, 64]}, [node("MatMul", "product", "x", "w")],
         {"w": floats(64, 64)}, ["product"])


def weights_of(path):
    """The second operands of all products, by their nodes."""
    graph = onnx.load(path).graph
    arrays = {w.name: numpy_helper.to_array(w) for w in graph.initializer}
    return {n.name: (n, arrays[n.input[1]]) for n in graph.node
            if n.op_type in ("Conv", "Gemm", "MatMul")}


def as_matrix(kind, array):
    """Channels by terms."""
    if kind.op_type == "Conv":
        return array.reshape(array.shape[0], -1)
    turned = any(a.name == "transB" and a.i for a in kind.attribute)
    return array if turned else array.T


def zeros(before, after, share, block):
    rows, columns = map(int, block.split("x"))
    old, new = weights_of(before), weights_of(after)
    for name, (kind, array) in new.items():
        matrix, was = as_matrix(kind, array), as_matrix(*old[name])
        blocks = [m.reshape(m.shape[0] // rows, rows, -1, columns).transpose(0, 2, 1, 3)
                  .reshape(-1, rows * columns) for m in (matrix, was)]
        gone = ~blocks[0].any(axis=1)
        if gone.sum() != int(float(share) * len(gone) + 1e-9):
            sys.exit(f"{name}: {gone.sum()} of {len(gone)} blocks are zeros")
        if (blocks[0][~gone] != blocks[1][~gone]).any():
            sys.exit(f"{name}: what is left has changed")
        norms = np.linalg.norm(blocks[1].astype(np.float64), axis=1)
        if norms[gone].max() > norms[~gone].min() * (1 + 1e-6):
            sys.exit(f"{name}: a block was taken that is larger than one that is left")
        print(f"{name}: {gone.sum()} of {len(gone)}")


def error(before, after, name, least, most):
    was = as_matrix(*weights_of(before)[name]).astype(np.float64)
    new = weights_of(after)
    inner, outer = (as_matrix(*new[n]).astype(np.float64) for n in (name + "_low_rank", name))
    found = np.linalg.norm(outer @ inner - was) / np.linalg.norm(was)
    if not float(least) <= found <= float(most):
        sys.exit(f"{name}: the error is {found}")
    share = (inner.size + outer.size) / was.size
    print(f"{name}: rank {len(inner)}, {'at most half' if share <= 0.5 else share} of the weights")


def report(path):
    """What became of each weight, and whether its error is that of its curve there."""
    for weight in json.load(open(path))["weights"]:
        if weight["change"] == "none":
            continue
        curve = sorted((point["share"], point["error"]) for point in weight["curve"])
        shares, errors = zip(*curve)
        assert list(errors) == sorted(errors, reverse=True), "an error falls with what is left"
        assert shares[0] == 0 and errors[0] > 0.999, "nothing that is left is all of the error"
        there = np.interp(weight["left"] / weight["elements"], shares, errors)
        assert abs(there - weight["error"]) < 0.01, (there, weight)
        rank = f" {weight['rank']}" if "rank" in weight else ""
        print(f"{weight['node']} {weight['change']}{rank}: lies on its curve")


def run(path, inputs):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def hold(before, after, least="0", folder=None):
    onnx.checker.check_model(after, full_check=True)
    ports = onnxruntime.InferenceSession(after).get_inputs()
    if folder:
        inputs = {ports[0].name: np.load(sorted(pathlib.Path(folder).glob("*.npy"))[0])}
    else:
        inputs = {p.name: floats(*p.shape) for p in ports}
    wanted = run(after, inputs)
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        command = ["fusec", "run", after, "--output", f"{place}/out.npy"]
        for number, (name, array) in enumerate(inputs.items()):
            np.save(place / f"in{number}.npy", array)
            command += ["--input", f"{name}={place}/in{number}.npy"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        mine = np.load(place / "out.npy")
    if difference := oracle.compare(mine, wanted[0], "network"):
        sys.exit(f"fusec and ONNX Runtime differ: {difference}")
    was = run(before, inputs)[0]
    noise = 10 * np.log10(np.sum(was ** 2) / max(np.sum((wanted[0] - was) ** 2), 1e-30))
    if not noise >= float(least):
        sys.exit(f"the signal to noise is {noise:.1f} dB")
    print(f"equal, {noise:.0f} dB")


if __name__ == "__main__":
    {"make": make, "hold": hold, "zeros": zeros, "error": error, "report": report}[sys.argv[1]](*sys.argv[2:])
