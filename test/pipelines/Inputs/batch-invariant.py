# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For batch-invariant.test.

  batch-invariant.py model FILE [OUTPUT...]
                                       a model with the dimension batch, in which rows are
                                       computed in many ways (see below); with these
                                       outputs alone
  batch-invariant.py compare [--outputs OUTPUT,...] ROWS:ARGUMENTS...
                                       runs fusec with these arguments on so many rows, and
                                       prints which outputs have other bits in the rows that
                                       they have in common with those of the first run
"""
import subprocess
import sys

import numpy as np


def find_used(nodes, outputs):
    """The nodes that `outputs` are computed from, in their order."""
    used, needed = [], {output.name for output in outputs}
    for node in reversed(nodes):
        if needed.intersection(node.output):
            used.append(node)
            needed.update(node.input)
    return used[::-1]


def write_model(path, chosen):
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    random = np.random.default_rng(0)
    weights, nodes, outputs = [], [], []

    def weight(*shape):
        name = f"w{len(weights)}"
        array = (random.random(shape) - 0.5).astype(np.float32)
        weights.append(numpy_helper.from_array(array, name))
        return name

    def ints(*values):
        name = f"w{len(weights)}"
        weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def node(op, *inputs, **attributes):
        name = f"v{len(nodes)}"
        nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def output(name, value, *shape):
        if chosen and name not in chosen:
            return
        nodes.append(helper.make_node("Identity", [value], [name]))
        outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape]))

    # x[batch, 12, 64]: as sequences, pictures and rows.
    def norm(x, size):
        return node("LayerNormalization", x, weight(size), weight(size), axis=-1)

    # A transformer's layer: an attention whose operands one product makes, long enough for sums
    # in parts, products, norms, a function, what is fused with them.
    joined = node("MatMul", node("Reshape", "x", ints(0, 48, 16)), weight(16, 48))
    q, k, v = (node("Slice", joined, ints(first), ints(first + 16), ints(2))
               for first in (0, 16, 32))
    scores = node("Mul", node("MatMul", q, node("Transpose", k, perm=[0, 2, 1])), weight(1))
    mixed = node("Reshape", node("MatMul", node("Softmax", scores, axis=-1), v), ints(0, 12, 64))
    hidden = norm(node("Add", node("MatMul", mixed, weight(64, 64)), "x"), 64)
    wide = node("Add", node("MatMul", hidden, weight(64, 100)), weight(100))
    gelu = node("Mul", node("Add", node("Erf", node("Mul", wide, weight(1))), weight(1)), wide)
    output("layer", norm(node("Add", node("MatMul", gelu, weight(100, 64)), hidden), 64), 12, 64)
    # Rows of one column, and sums over all of a row, which are reductions of a long row.
    row = node("Reshape", "x", ints(0, -1))
    output("score", node("Sigmoid", node("MatMul", row, weight(768, 1))), 1)
    output("head", node("Gemm", row, weight(768, 10), weight(10)), 10)
    output("mean", node("ReduceMean", node("Mul", row, row), axes=[1], keepdims=1), 1)
    output("length", node("ReduceL2", "x", axes=[2], keepdims=0), 12)
    output("total", node("ReduceLogSumExp", row, axes=[1], keepdims=1), 1)
    # A long sum, of which a single row would be cut in parts for several threads.
    long = node("Mul", node("Reshape", "x", ints(0, 768, 1)), weight(1, 64))
    output("long", node("ReduceMean", node("Tanh", long), axes=[1, 2], keepdims=0))
    # A convolution, what is fused behind it, and means over a picture.
    picture = node("Reshape", "x", ints(0, 3, 16, 16))
    conv = node("Conv", picture, weight(8, 3, 3, 3), weight(8), pads=[1, 1, 1, 1])
    active = node("Mul", conv, node("Sigmoid", conv))
    output("pool", node("GlobalAveragePool", active), 8, 1, 1)
    output("deep", node("Conv", node("Tanh", active), weight(4, 8, 5, 5), strides=[2, 2]), 4, 6, 6)
    # Fused products and sums without a reduction.
    output("cubic", node("Add", node("Mul", node("Mul", "x", "x"), "x"), node("Exp", "x")), 12, 64)
    # A recurrent layer, over the steps of a sequence.
    steps = node("Transpose", "x", perm=[1, 0, 2])
    gru = node("GRU", steps, weight(1, 48, 64), weight(1, 48, 16), weight(1, 96), hidden_size=16)
    output("gru", node("Transpose", node("Squeeze", gru, ints(1)), perm=[1, 0, 2]), 12, 16)

    # Samples side by side in memory, z[200, batch]: vectors have elements of a sample where
    # there are few, and samples where there are many.
    column = node("MatMul", weight(10, 200), "z")
    output("columns", node("Transpose", column, perm=[1, 0]), 10)
    output("lengths", node("ReduceL2", "z", axes=[0], keepdims=0))

    graph = helper.make_graph(
        find_used(nodes, outputs), "rows", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 12, 64]),
                        helper.make_tensor_value_info("z", TensorProto.FLOAT, [200, "batch"])],
        outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path)


OUTPUTS = "layer score head mean length total long pool deep cubic gru columns lengths".split()


def run(rows, arguments, outputs):
    x = np.random.default_rng(1).standard_normal((32, 12, 64)).astype(np.float32)
    z = np.random.default_rng(2).standard_normal((200, 32)).astype(np.float32)
    np.save("x.npy", x[:rows])
    np.save("z.npy", z[:, :rows])
    files = [part for output in outputs for part in ("--output", f"{output}={output}.npy")]
    subprocess.run(["fusec", "run", *arguments, "--input", "x=x.npy", "--input",
                    "z=z.npy", *files], check=True,
                   stdout=subprocess.DEVNULL)
    return {output: np.load(f"{output}.npy") for output in outputs}


def compare(runs):
    outputs = OUTPUTS
    if runs[0] == "--outputs":
        outputs, runs = runs[1].split(","), runs[2:]
    first = None
    for text in runs:
        rows, arguments = text.split(":")
        results = run(int(rows), arguments.split(), outputs)
        differing = []
        for output, result in results.items():
            assert np.isfinite(result).all() and np.unique(result).size >= min(result.size, 8), output
            whole = (first or results)[output]
            count = min(len(whole), len(result))
            if (whole[:count].view(np.int32) != result[:count].view(np.int32)).any():
                differing.append(output)
        first = first or results
        print(f"{text}: differing: {' '.join(differing) or 'none'}", flush=True)


if sys.argv[1] == "model":
    write_model(sys.argv[2], sys.argv[3:])
else:
    compare(sys.argv[2:])
