# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models and samples for fusec quantize, and what its files must hold.

  quantize.py make FOLDER [MANY]    writes models and folders of samples, one of MANY
  quantize.py hold MODEL Q [FOLDER [NOISE]]
      checks Q with ONNX's checker, and what fusec computes of it against ONNX Runtime,
      on a sample of FOLDER (default: random inputs); prints how many products of codes
      there are, and the signal to noise in dB against MODEL, which is NOISE at least
  quantize.py noise MODEL Q FOLDER NOISE   only that
  quantize.py digits Q IMAGES LABELS F32   the top-1 of both, of the second half
  quantize.py resume FOLDER         stops a calibration with ^C, and goes on
  quantize.py memory FOLDER         the memory of many samples, and of a hundred
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))
import oracle  # noqa: E402

RANDOM = np.random.default_rng(7)


def floats(*shape, scale=1.0):
    return (RANDOM.standard_normal(shape) * scale).astype(np.float32)


class Maker:
    """A graph whose nodes are called as their results."""

    def __init__(self):
        self.nodes, self.weights, self.inputs = [], [], []

    def input(self, name, shape):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def weight(self, name, array):
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def node(self, kind, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def conv(self, name, x, channels, out, window, bias=True, group=1, **attributes):
        # Filters whose ranges differ, as those of trained networks do.
        filters = floats(out, channels // group, window, window)
        filters *= np.exp(RANDOM.uniform(-2, 1, (out, 1, 1, 1))).astype(np.float32)
        filters /= window * np.sqrt(np.float32(channels // group))
        operands = [x, self.weight(name + ".weight", filters)]
        if bias:
            operands.append(self.weight(name + ".bias", floats(out, scale=0.1)))
        pad = window // 2
        return self.node("Conv", name, *operands, pads=[pad] * 4, group=group,
                         kernel_shape=[window, window], **attributes)

    def norm(self, name, x, channels):
        uniform = RANDOM.uniform
        values = [uniform(0.5, 2, channels), uniform(-0.3, 0.3, channels),
                  uniform(-0.3, 0.3, channels), uniform(0.2, 2, channels)]
        names = [self.weight(f"{name}.{i}", v.astype(np.float32)) for i, v in enumerate(values)]
        return self.node("BatchNormalization", name, x, *names)

    def save(self, path, outputs, opset=17):
        infos = [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs]
        graph = helper.make_graph(self.nodes, "net", self.inputs, infos, self.weights)
        model = helper.make_model(graph, ir_version=8,
                                  opset_imports=[helper.make_opsetid("", opset)])
        onnx.save(onnx.shape_inference.infer_shapes(model), path)


def make_net(path):
    """Each kind of node that there is a rule for."""
    m = Maker()
    x = m.input("image", [2, 3, 16, 16])
    x = m.node("Relu", "relu1", m.norm("norm1", m.conv("conv1", x, 3, 16, 3, strides=[2, 2]), 16))
    low, high = m.weight("low", np.float32(0)), m.weight("high", np.float32(6))
    y = m.node("Clip", "clip", m.norm("norm2", m.conv("depthwise", x, 16, 16, 3, bias=False,
                                                      group=16), 16), low, high)
    x = m.node("Relu", "relu2", m.node("Add", "residual", m.conv("conv2", y, 16, 16, 1), x))
    x = m.node("MaxPool", "pool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = m.conv("conv3", x, 16, 24, 3)
    x = m.node("Mul", "swish", x, m.node("Sigmoid", "gate", x))
    x = m.node("Flatten", "flat", m.node("GlobalAveragePool", "mean", x))
    x = m.node("Relu", "relu3", m.node("Gemm", "hidden", x, m.weight("hidden.weight",
                                       floats(32, 24, scale=0.2)),
                                       m.weight("hidden.bias", floats(32, scale=0.1)), transB=1))
    m.node("MatMul", "scores", x, m.weight("scores.weight", floats(32, 10, scale=0.2)))
    m.save(path, ["scores"])


def make_two(path):
    """Two inputs, of which one has no batch."""
    m = Maker()
    x, y = m.input("x", [4, 8]), m.input("y", [8])
    x = m.node("MatMul", "left", x, m.weight("a", floats(8, 16)))
    y = m.node("MatMul", "right", y, m.weight("b", floats(8, 16)))
    m.node("Tanh", "sum", m.node("Add", "added", x, y))
    m.save(path, ["sum"])


def make_small(path, opset=17):
    m = Maker()
    m.node("MatMul", "product", m.input("x", [4, 8]), m.weight("w", floats(8, 8)))
    m.save(path, ["product"], opset)


def make_matrices(path):
    """Of two kinds, with rows of 64 and of 96."""
    m = Maker()
    x = m.node("MatMul", "up", m.input("x", [3, 4, 64]), m.weight("u", floats(64, 96, scale=0.1)))
    x = m.node("Reshape", "rows", m.node("Relu", "relu", x), m.weight("shape", np.array([12, 96])))
    m.node("Gemm", "down", x, m.weight("d", floats(32, 96, scale=0.1)),
           m.weight("bias", floats(32)), transB=1)
    m.save(path, ["down"])


def make_outlier(folder):
    """Two products, of which the second reads a channel a thousand times as large."""
    m = Maker()
    x = m.node("Relu", "relu", m.node("MatMul", "first", m.input("x", [16, 32]),
                                      m.weight("a", floats(32, 32))))
    large = np.ones(32, np.float32)
    large[0] = 1000
    m.node("MatMul", "second", m.node("Mul", "large", x, m.weight("factors", large)),
           m.weight("b", floats(32, 10) / large[:, None]))
    m.save(folder / "outlier.onnx", ["second"])
    (folder / "rows").mkdir(exist_ok=True)
    labels = []
    for i in range(4):
        np.save(folder / f"rows/{i}.npy", floats(16, 32))
        scores = run_exactly(folder / "outlier.onnx", {"x": np.load(folder / f"rows/{i}.npy")})[0]
        labels.append(scores.argmax(1))
    np.save(folder / "labels.npy", np.concatenate(labels))
    np.save(folder / "short.npy", labels[0])
    (folder / "score.py").write_text("""
import pathlib, sys
import numpy as np
folders = sorted(pathlib.Path(sys.argv[1]).iterdir())
scores = np.concatenate([np.load(f / "second.npy") for f in folders])
print("of", len(folders), "samples")
print(np.mean(scores.argmax(1) == np.load(pathlib.Path(__file__).with_name("labels.npy"))))
""")


def make(folder):
    make_outlier(folder)
    make_matrices(folder / "matrices.onnx")
    make_net(folder / "net.onnx")
    make_two(folder / "two.onnx")
    make_small(folder / "small.onnx")
    m = Maker()
    m.node("Relu", "relu", m.input("x", [4, 8]))
    m.save(folder / "nothing.onnx", ["relu"])
    m = Maker()
    m.node("MatMul", "product", m.node("Sqrt", "root", m.input("x", [4, 8])),
           m.weight("w", floats(8, 8)))
    m.save(folder / "root.onnx", ["product"])
    for name in ("samples", "several", "wrong", "nan", "empty", "mixed", "none", "many", "fewer"):
        (folder / name).mkdir(exist_ok=True)
    for i in range(12):
        np.save(folder / f"samples/{i}.npy", floats(2, 3, 16, 16))
    for i in range(3):
        sample = folder / f"several/{i}"
        sample.mkdir(exist_ok=True)
        tensors = [floats(4, 8), floats(8)]
        if i == 1:
            for number, tensor in enumerate(tensors):
                onnx.save_tensor(numpy_helper.from_array(tensor), sample / f"input_{number}.pb")
        else:
            np.save(sample / "x.npy", tensors[0])
            np.save(sample / "y.npy", tensors[1])
    np.save(folder / "wrong/a.npy", floats(4, 9))
    sample = floats(4, 8)
    np.save(folder / "nan/1.npy", sample)
    sample[1, 2] = np.nan
    np.save(folder / "nan/2.npy", sample)
    np.save(folder / "empty/a.npy", floats(0, 8))
    (folder / "mixed/1").mkdir(exist_ok=True)
    np.save(folder / "mixed/1/x.npy", floats(4, 8))
    for name, count in (("fewer", 100), ("many", int(sys.argv[3]) if len(sys.argv) > 3 else 0)):
        for i in range(count):
            np.save(folder / name / f"{i}.npy", floats(4, 8))


def run_exactly(path, inputs):
    options = onnxruntime.SessionOptions()
    # Sums of products of 8 bits that no instruction saturates on its way.
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def read_inputs(quantised, folder):
    """A sample, or random numbers."""
    random = np.random.default_rng(1)
    inputs = {}
    for port in onnxruntime.InferenceSession(quantised).get_inputs():
        inputs[port.name] = random.standard_normal(port.shape, np.float32)
        if folder:
            files = sorted(pathlib.Path(folder).glob("**/" + port.name + ".npy"))
            files = files or sorted(pathlib.Path(folder).glob("*.npy"))
            inputs[port.name] = np.load(files[0])
    return inputs


def noise(model, quantised, folder, least):
    """The signal to noise of the outputs in dB, which is `least` at least."""
    inputs = read_inputs(quantised, folder)
    signals = []
    for after, before in zip(run_exactly(quantised, inputs), run_exactly(model, inputs)):
        error = np.sum((after - before) ** 2)
        signals.append(10 * np.log10(np.sum(before ** 2) / error) if error else np.inf)
    if not min(signals) >= float(least):
        sys.exit(f"the signal to noise is {min(signals):.1f} dB")
    return min(signals)


def hold(model, quantised, folder=None, least="0"):
    onnx.checker.check_model(quantised, full_check=True)
    proto = onnx.load(quantised)
    inputs = read_inputs(quantised, folder)
    names = [o.name for o in proto.graph.output]
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        command = ["fusec", "run", quantised]
        for number, (name, array) in enumerate(inputs.items()):
            np.save(place / f"in{number}.npy", array)
            command += ["--input", f"{name}={place}/in{number}.npy"]
        for number, name in enumerate(names):
            command += ["--output", f"{name}={place}/out{number}.npy"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        actual = [np.load(place / f"out{number}.npy") for number in range(len(names))]
    text = subprocess.run(["fusec", "compile", quantised, "--until=fuse-split",
                           "--cpu=sapphire-rapids"],
                          check=True, text=True, capture_output=True).stdout
    kinds = [n.op_type for n in proto.graph.node]
    integers = re.findall(r"ui8>, tensor<[^>]*i8> -> tensor<[^>]*i32>", text)
    for name, mine, other in zip(names, actual, run_exactly(quantised, inputs)):
        if difference := oracle.compare(mine, other, "quantised"):
            sys.exit(f"{name}: {difference}")
        print(f"{name}: equal, {kinds.count('QuantizeLinear')} tensors quantised, "
              f"{len(integers)} products of integers, "
              f"{noise(model, quantised, folder, least):.0f} dB")


def run_small(folder, samples, output):
    """Quantises small.onnx; the process, which still runs."""
    return subprocess.Popen(["fusec", "quantize", folder / "small.onnx", "--calib",
                             folder / samples, "-o", folder / output],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def catches_interrupts(process):
    """Whether ^C does not end it: it calibrates."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (signal.SIGINT - 1) & 1


def resume(folder):
    """A calibration that ^C stops goes on, and ends with the same file."""
    folder = pathlib.Path(folder)
    run_small(folder, "many", "whole.onnx").communicate()
    for delay in range(1, 40):
        for file in folder.glob("parts.onnx*"):  # of one that was not stopped
            file.unlink()
        process = run_small(folder, "many", "parts.onnx")
        while process.poll() is None and not catches_interrupts(process.pid):
            pass
        time.sleep(0.001 * delay)
        process.send_signal(signal.SIGINT)
        text = process.communicate()[1]
        if process.returncode == 130 and " after 0 of" not in text:
            break
    else:
        sys.exit("no calibration was stopped while it ran")
    print(text.splitlines()[-1])
    print("not written" if not (folder / "parts.onnx").exists() else "WRITTEN")
    process = run_small(folder, "many", "parts.onnx")
    print(process.communicate()[1].splitlines()[0])
    same = (folder / "parts.onnx").read_bytes() == (folder / "whole.onnx").read_bytes()
    print("the same file" if same else "ANOTHER FILE")


def memory(folder):
    """Many samples need no more memory than a hundred."""
    folder = pathlib.Path(folder)
    run_small(folder, "fewer", "fewer.onnx").communicate()  # builds it
    peaks = []
    for samples in ("fewer", "many"):
        process = run_small(folder, samples, "peak.onnx")
        process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"ended with {status}")
        peaks.append(usage.ru_maxrss)
    print(f"{peaks[0]} and {peaks[1]} KB: " + ("flat" if peaks[1] < 1.05 * peaks[0] else "GROWS"))


def digits(quantised, images, labels, f32):
    images, labels = np.load(images), np.load(labels)
    half = len(labels) // 2
    tops = []
    for path in (f32, quantised):
        name = onnxruntime.InferenceSession(path).get_inputs()[0].name
        scores = run_exactly(path, {name: images})[0]
        tops.append(100 * np.mean(scores.argmax(1)[half:] == labels[half:]))
    print(f"top-1 {tops[0]:.2f} f32, {tops[1]:.2f} quantised: "
          + ("fine" if tops[1] >= tops[0] - 0.5 else "TOO FAR"))


if sys.argv[1] == "make":
    make(pathlib.Path(sys.argv[2]))
else:
    {"hold": hold, "noise": noise, "digits": digits,
     "resume": resume, "memory": memory}[sys.argv[1]](*sys.argv[2:])
