# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks on codes of 8 bits, as quantisers export them: DequantizeLinear before each
layer and QuantizeLinear behind it.

All scales are powers of two. So every product and sum is exact, in whichever order, and no
rounding to a code hangs on the last bit of a float."""
import numpy as np

from builder import DTYPES

from . import model


def power_of_two(value):
    return np.exp2(np.round(np.log2(value))).astype(np.float32)


def coded(g, x, high, signed=False):
    """`x` rounded to u8 codes of [0, high), or of [-high, high), and back."""
    scale = g.scalar(power_of_two(high / (128 if signed else 256)))
    zero = g.weight(np.array(128 if signed else 0, np.uint8))
    return g.op("DequantizeLinear", g.op("QuantizeLinear", x, scale, zero), scale, zero)


def kernel(g, shape, data_scale):
    """Dequantised weights, one scale for each output channel, of 7 bits: ONNX Runtime adds
    products of u8 and i8 in pairs of 16 bits where the machine has no better instruction.
    And the bias, in steps of the products."""
    fan_in = int(np.prod(shape[1:]))
    scales = power_of_two(g.rng.uniform(0.5, 2, shape[0]) * (3.0 / fan_in)**0.5 / 64)
    codes = g.rng.integers(-64, 63, shape, np.int8, endpoint=True)
    bias = np.rint(g.rng.uniform(-0.5, 0.5, shape[0]) / (scales * data_scale))
    w = g.op("DequantizeLinear", g.weight(codes), g.weight(scales),
             g.weight(np.zeros(shape[0], np.int8)), axis=0)
    b = g.op("DequantizeLinear", g.weight(bias.astype(DTYPES["i32"])),
             g.weight(scales * data_scale), axis=0)
    return w, b


HIGH = 4.0  # of activations


def conv(g, x, inputs, outputs, size=3, stride=1, group=1, relu=True, high=HIGH):
    """A convolution of `x`, codes of [0, high); the result is coded too if it is of a Relu."""
    data_scale = power_of_two(high / 256)
    w, b = kernel(g, (outputs, inputs // group, size, size), data_scale)
    y = g.op("Conv", x, w, b, pads=[size // 2] * 4, strides=[stride] * 2, group=group)
    return coded(g, g.op("Relu", y), HIGH) if relu else coded(g, y, HIGH, signed=True)


@model("ResNet-20 and a depthwise separable block, 32x32")
def quantised_cnn(g):
    """He et al. 2015, section 4.2, in the form of Jacob et al. 2018."""
    x = coded(g, g.input("image", (1, 3, 32, 32), low=0), 1.0)
    x = conv(g, x, 3, 16, high=1.0)
    channels = 16
    for width, stride in ((16, 1), (32, 2), (64, 2)):
        for block in range(3):
            step = 1 if block else stride
            y = conv(g, x, channels, width, stride=step)
            y = conv(g, y, width, width, relu=False)
            if channels != width:
                x = conv(g, x, channels, width, 1, stride=step, relu=False)
            x = coded(g, g.op("Relu", g.op("Add", x, y)), HIGH)
            channels = width
    x = conv(g, conv(g, x, 64, 64, group=64), 64, 128, 1)
    x = coded(g, g.op("Flatten", g.op("GlobalAveragePool", x)), HIGH)
    w, b = kernel(g, (10, 128), power_of_two(HIGH / 256))
    y = g.op("Gemm", x, w, b, transB=1)
    return g.output(coded(g, y, HIGH, signed=True), dtype="f32")
