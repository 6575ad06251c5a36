# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms and what goes with them."""
import numpy as np

from builder import Case, Graph, cases


def complex_of(x):
    return x[..., 0] + 1j * x[..., 1] if x.shape[-1] == 2 else x[..., 0]


def parts_of(x):
    return np.stack([x.real, x.imag], -1)


@cases
def transforms():
    # name: (shape, opset, attributes, operands, what numpy does)
    variants = {
        "real": ((3, 15, 1), 17, {}, (), lambda x: np.fft.fft(x, axis=1)),
        "complex_axis_0": ((15, 3, 2), 17, {"axis": 0}, (), lambda x: np.fft.fft(x, axis=0)),
        "one_sided": ((3, 16, 1), 20, {"onesided": 1}, (), lambda x: np.fft.rfft(x, axis=1)),
        "inverse": ((3, 15, 2), 20, {"inverse": 1}, (), lambda x: np.fft.ifft(x, axis=1)),
        "padded": ((3, 15, 1), 20, {}, (20,), lambda x: np.fft.fft(x, 20, axis=1)),
        "cut": ((3, 15, 2), 20, {}, (8,), lambda x: np.fft.fft(x, 8, axis=1)),
    }
    for name, (shape, opset, attributes, operands, transform) in variants.items():
        g = Graph(f"dft_{name}")
        g.opset = opset
        y = g.op("DFT", g.input("x", shape), *(g.scalar(o, "i64") for o in operands),
                 **attributes)

        def reference(x, transform=transform):
            return [parts_of(transform(complex_of(x.astype(np.float64))))]
        yield Case(g.output(y, dtype="f32"), "network", reference)


@cases
def spectrograms():
    g = Graph("stft")
    window = np.hanning(16).astype(np.float32)
    y = g.op("STFT", g.input("x", (2, 65, 1)), g.scalar(8, "i64"), g.weight(window))

    def reference(x):
        frames = [x[:, i:i + 16, 0] * window for i in range(0, 65 - 16 + 1, 8)]
        return [parts_of(np.fft.rfft(np.stack(frames, 1), axis=-1))]
    yield Case(g.output(y, dtype="f32"), "network", reference)
    g = Graph("hann_window")
    y = g.op("Mul", g.input("x", (31,)), g.op("HannWindow", g.scalar(31, "i64")))
    yield Case(g.output(y, dtype="f32"), "elementwise")
