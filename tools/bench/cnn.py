# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks made of convolutions: those of test/models, and more of them."""
from cases.networks import conv
from cases.transformers import gelu, layer_norm, linear
from workloads import model
from zoo.convolutional import (classifier, efficientnet, mobilenet_v2, norm_relu, resnet50,
                               unet)


def image(g, pixels=224):
    return g.input("image", (1, 3, pixels, pixels))


def max_pool(g, x):
    return g.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)


def gate(g, x, channels, squeezed, last="HardSigmoid"):
    """Squeeze and excite with a Relu inside (Hu et al. 2017)."""
    s = conv(g, g.op("GlobalAveragePool", x), channels, squeezed, 1, norm=False)
    s = conv(g, s, squeezed, channels, 1, norm=False, activation=None)
    return g.op("Mul", x, g.op(last, s))


def mobilenet_v3(g):
    """MobileNetV3-small: Howard et al. 2019, table 2: kernel, expanded channels, outputs,
    squeeze and excite, activation, stride."""
    x, channels = conv(g, image(g), 3, 16, stride=2, activation="HardSwish"), 16
    for kernel, wide, outputs, squeeze, activation, stride in (
            (3, 16, 16, 8, "Relu", 2), (3, 72, 24, 0, "Relu", 2), (3, 88, 24, 0, "Relu", 1),
            (5, 96, 40, 24, "HardSwish", 2), (5, 240, 40, 64, "HardSwish", 1),
            (5, 240, 40, 64, "HardSwish", 1), (5, 120, 48, 32, "HardSwish", 1),
            (5, 144, 48, 40, "HardSwish", 1), (5, 288, 96, 72, "HardSwish", 2),
            (5, 576, 96, 144, "HardSwish", 1), (5, 576, 96, 144, "HardSwish", 1)):
        y = conv(g, x, channels, wide, 1, activation=activation) if wide != channels else x
        y = conv(g, y, wide, wide, kernel, stride=stride, group=wide, activation=activation)
        y = gate(g, y, wide, squeeze) if squeeze else y
        y = conv(g, y, wide, outputs, 1, activation=None)
        x = g.op("Add", x, y) if stride == 1 and channels == outputs else y
        channels = outputs
    x = conv(g, x, channels, 576, 1, activation="HardSwish")
    x = g.op("HardSwish", linear(g, g.op("Flatten", g.op("GlobalAveragePool", x)), 576, 1024))
    return g.output(linear(g, x, 1024, 1000), dtype="f32")


def densenet121(g):
    """Huang et al. 2016, table 1."""
    growth, channels = 32, 64
    x = max_pool(g, conv(g, image(g), 3, channels, 7, stride=2))
    for stage, layers in enumerate((6, 12, 24, 16)):
        if stage:
            x = conv(g, norm_relu(g, x, channels), channels, channels // 2, 1, norm=False,
                     activation=None)
            x = g.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
            channels //= 2
        for _ in range(layers):
            y = conv(g, norm_relu(g, x, channels), channels, 4 * growth, 1)
            y = conv(g, y, 4 * growth, growth, norm=False, activation=None)
            x = g.op("Concat", x, y, axis=1)
            channels += growth
    return classifier(g, norm_relu(g, x, channels), channels)


def shuffle(g, x, channels, size):
    x = g.op("Reshape", x, g.const(1, 2, channels // 2, size, size))
    x = g.op("Transpose", x, perm=[0, 2, 1, 3, 4])
    return g.op("Reshape", x, g.const(1, channels, size, size))


def shuffle_branch(g, x, inputs, width, stride):
    x = conv(g, x, inputs, width, 1)
    x = conv(g, x, width, width, stride=stride, group=width, activation=None)
    return conv(g, x, width, width, 1)


def shufflenet_v2(g):
    """ShuffleNetV2 x1.0: Ma et al. 2018, table 5."""
    x, channels, size = max_pool(g, conv(g, image(g), 3, 24, stride=2)), 24, 56
    for outputs, blocks in ((116, 4), (232, 8), (464, 4)):
        width, size = outputs // 2, size // 2
        left = conv(g, x, channels, channels, stride=2, group=channels, activation=None)
        left = conv(g, left, channels, width, 1)
        right = shuffle_branch(g, x, channels, width, 2)
        x = shuffle(g, g.op("Concat", left, right, axis=1), outputs, size)
        for _ in range(blocks - 1):
            left, right = g.op("Split", x, outputs=2, axis=1)
            right = shuffle_branch(g, right, width, width, 1)
            x = shuffle(g, g.op("Concat", left, right, axis=1), outputs, size)
        channels = outputs
    return classifier(g, conv(g, x, channels, 1024, 1), 1024)


def regnet_y(g):
    """RegNetY-400MF: Radosavovic et al. 2020, figure 17: groups of 8 channels."""
    x, channels = conv(g, image(g), 3, 32, stride=2), 32
    for width, blocks in ((48, 1), (104, 3), (208, 6), (440, 6)):
        for block in range(blocks):
            stride = 1 if block else 2
            y = conv(g, x, channels, width, 1)
            y = conv(g, y, width, width, stride=stride, group=width // 8)
            y = gate(g, y, width, channels // 4, "Sigmoid")
            y = conv(g, y, width, width, 1, activation=None)
            if stride != 1 or channels != width:
                x = conv(g, x, channels, width, 1, stride=stride, activation=None)
            x = g.op("Relu", g.op("Add", x, y))
            channels = width
    return classifier(g, x, channels)


def channel_norm(g, x, channels):
    """A layer norm of [n, channels, height, width] over its channels."""
    x = layer_norm(g, g.op("Transpose", x, perm=[0, 2, 3, 1]), channels, "op")
    return g.op("Transpose", x, perm=[0, 3, 1, 2])


def patch_conv(g, x, inputs, outputs, size):
    weight = g.weight((outputs, inputs, size, size), scale=(3.0 / (inputs * size * size))**0.5)
    return g.op("Conv", x, weight, g.weight((outputs,)), kernel_shape=[size, size],
                strides=[size, size])


def convnext_tiny(g):
    """Liu et al. 2022, as torchvision writes it: 3, 3, 9 and 3 blocks."""
    x, channels = None, 3
    for width, blocks in ((96, 3), (192, 3), (384, 9), (768, 3)):
        if x is None:
            x = channel_norm(g, patch_conv(g, image(g), 3, width, 4), width)
        else:
            x = patch_conv(g, channel_norm(g, x, channels), channels, width, 2)
        channels = width
        for _ in range(blocks):
            y = conv(g, x, channels, channels, 7, norm=False, activation=None, group=channels)
            y = layer_norm(g, g.op("Transpose", y, perm=[0, 2, 3, 1]), channels, "op")
            y = linear(g, gelu(g, linear(g, y, channels, 4 * channels)), 4 * channels, channels)
            y = g.op("Transpose", y, perm=[0, 3, 1, 2])
            x = g.op("Add", x, g.op("Mul", y, g.weight((channels, 1, 1), scale=0.5)))
    x = channel_norm(g, g.op("GlobalAveragePool", x), channels)
    return g.output(linear(g, g.op("Flatten", x), channels, 1000), dtype="f32")


model("resnet50_b1", resnet50)
model("resnet50_b8", lambda g: resnet50(g, batch=8))
model("mobilenet_v2", mobilenet_v2, quick=True)
model("mobilenet_v3", mobilenet_v3)
model("efficientnet_b0", efficientnet)
model("densenet121", densenet121)
model("shufflenet_v2", shufflenet_v2)
model("regnet_y_400mf", regnet_y)
model("convnext_tiny", convnext_tiny)
model("unet", lambda g: unet(g, base=64, pixels=256))
