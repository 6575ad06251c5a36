# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks of QuantizeLinear and DequantizeLinear around each layer, as tools that
quantise models write them: products, depthwise and grouped convolutions, pools, residuals,
concatenations and moves, with any zero points. Scales are powers of two, so that all orders of
a sum have the same bits."""
import numpy as np

from builder import Case, Graph, cases
from oracle import run_onnxruntime
from .quantized import codes, weights, zero_point

ZEROS = (0, 3, 128, 131, 255)


class Chain:
    """A graph that grows by layers; live: (codes, shape, scale, zero point) of each."""

    def __init__(self, name, seed):
        self.g, self.rng = Graph(name), np.random.default_rng(seed)
        shape = (self.pick(1, 1, 2), self.pick(3, 4, 8, 16, 17, 24, 33),
                 *(int(n) for n in self.rng.integers(4, 14, 2)))
        x = self.g.input("x", value=codes(self.g, "u8", shape))
        self.live = [(x, shape, 0.5, self.pick(*ZEROS))]

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def chance(self, share):
        return self.rng.random() < share

    def numbers(self, layer):
        code, _, scale, zero = layer
        return self.g.op("DequantizeLinear", code, self.g.scalar(scale),
                         zero_point(self.g, zero, "u8"))

    def add(self, y, shape, like=None):
        """Quantises y, by what the codes `like` have where those are given."""
        scale, zero = like[2:] if like else (2.0 ** self.rng.integers(-3, 1), self.pick(*ZEROS))
        code = self.g.op("QuantizeLinear", y, self.g.scalar(scale),
                         zero_point(self.g, zero, "u8"))
        self.live.append((code, tuple(shape), scale, zero))

    def convolve(self, layer, out, size, group):
        g, (n, channels, *image) = self.g, layer[1]
        stride, pad = self.pick(1, 1, 2), int(self.rng.integers(0, size))
        if min(image) + 2 * pad < size:
            return
        scales = 2.0 ** self.rng.integers(-8, -4, out)
        w = g.op("DequantizeLinear", g.weight(weights(g, "i8", (out, channels // group, size, size))),
                 g.weight(scales.astype(np.float32)), g.weight(np.zeros(out, np.int8)), axis=0)
        operands = [self.numbers(layer), w]
        if self.chance(0.5):
            bias = self.rng.integers(-300, 300, out) * scales * layer[2]
            operands.append(g.weight(bias.astype(np.float32)))
        y = g.op("Conv", *operands, group=group, strides=[stride] * 2, pads=[pad] * 4)
        shape = [n, out, *((extent + 2 * pad - size) // stride + 1 for extent in image)]
        self.add(g.op("Relu", y) if self.chance(0.4) else y, shape)

    def product(self, layer):
        self.convolve(layer, self.pick(5, 16, 17, 24, 32, 40), self.pick(1, 1, 2, 3), 1)

    def depthwise(self, layer):
        channels = layer[1][1]
        self.convolve(layer, channels * self.pick(1, 1, 2), self.pick(3, 3, 5), channels)

    def grouped(self, layer):
        if layer[1][1] % 2 == 0:
            self.convolve(layer, self.pick(16, 32, 34), self.pick(1, 3), 2)

    def pool(self, layer):
        n, channels, *image = layer[1]
        stride, pad = self.pick(1, 2), self.pick(0, 1)
        y = self.g.op("MaxPool", self.numbers(layer), kernel_shape=[3, 3], strides=[stride] * 2,
                      pads=[pad] * 4)
        self.add(y, [n, channels, *((extent + 2 * pad - 3) // stride + 1 for extent in image)],
                 layer if self.chance(0.6) else None)

    def move(self, layer):
        n, channels, height, width = layer[1]
        shape = (n, channels, width, height)
        numbers = self.numbers(layer)
        y = self.g.op("Transpose", numbers, perm=[0, 1, 3, 2]) if self.chance(0.5) else \
            self.g.op("Reshape", numbers, self.g.weight(np.array(shape, np.int64)))
        self.add(y, shape, layer if self.chance(0.6) else None)

    def channelwise(self, layer):
        channels = layer[1][1]
        factors = 2.0 ** self.rng.integers(-1, 2, (channels, 1, 1))
        terms = self.rng.integers(-8, 8, (channels, 1, 1)) * 0.25
        y = self.g.op("Mul", self.numbers(layer), self.g.weight(factors.astype(np.float32)))
        self.add(self.g.op("Add", y, self.g.weight(terms.astype(np.float32))), layer[1])

    def join(self, layer):
        operator = self.pick("Add", "Add", "Concat")
        fits = [other for other in self.live if other[1][2:] == layer[1][2:]
                and (operator == "Concat" or other[1] == layer[1])]
        other = self.pick(*fits)
        operands = self.numbers(layer), self.numbers(other)
        if operator == "Add":
            return self.add(self.g.op("Add", *operands), layer[1])
        shape = (layer[1][0], layer[1][1] + other[1][1], *layer[1][2:])
        if shape[1] <= 90:
            self.add(self.g.op("Concat", *operands, axis=1), shape)

    def grow(self, layers):
        while len(self.live) <= layers:
            layer = self.live[-self.pick(*range(1, min(2, len(self.live)) + 1))]
            kinds = [self.product] * 3 + [self.depthwise] * 2 + [self.join] * 3
            kinds += [self.grouped, self.channelwise, self.move]
            kinds += [self.pool] if min(layer[1][2:]) >= 3 else []
            self.pick(*kinds)(layer)
        for code, *_ in self.live[layers // 2::2]:
            self.g.output(code, dtype="u8")
        return self.g if layers % 2 == 0 else self.g.output(self.live[-1][0], dtype="u8")


@cases
def chains():
    for seed in range(10):
        name = f"codes_chain_{seed}"
        g = Chain(name, seed).grow(4 + seed % 5)
        yield Case(g, "exact", lambda x, g=g: run_onnxruntime(
            g.build(), {"x": x}, optimises=False))
