# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Image classifiers made of convolutions."""
from cases.networks import conv, dense

from . import model


def swish(g, x):
    return g.op("Mul", x, g.op("Sigmoid", x))


def conv_swish(g, x, inputs, outputs, kernel=3, **attributes):
    return swish(g, conv(g, x, inputs, outputs, kernel, activation=None, **attributes))


def classifier(g, x, channels, classes=1000):
    x = g.op("Flatten", g.op("GlobalAveragePool", x))
    return g.output(dense(g, x, channels, classes), dtype="f32")


def bottleneck(g, x, inputs, width, stride):
    """He et al. 2015, with the stride in the 3x3 convolution as torchvision has it."""
    y = conv(g, x, inputs, width, 1)
    y = conv(g, y, width, width, stride=stride)
    y = conv(g, y, width, 4 * width, 1, activation=None)
    if stride != 1 or inputs != 4 * width:
        x = conv(g, x, inputs, 4 * width, 1, stride=stride, activation=None)
    return g.op("Relu", g.op("Add", y, x))


@model("as published, 224x224")
def resnet50(g, batch=1):
    x = conv(g, g.input("image", (batch, 3, 224, 224)), 3, 64, 7, stride=2)
    x = g.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            x = bottleneck(g, x, channels, width, 1 if block else stride)
            channels = 4 * width
    return classifier(g, x, channels)


@model("as published, 224x224")
def vgg19(g):
    """Simonyan and Zisserman 2014, table 1, column E: most of it is one dense layer."""
    x, channels = g.input("image", (1, 3, 224, 224)), 3
    for width, convolutions in ((64, 2), (128, 2), (256, 4), (512, 4), (512, 4)):
        for _ in range(convolutions):
            x = conv(g, x, channels, width, norm=False)
            channels = width
        x = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = dense(g, g.op("Flatten", x), 25088, 4096, "Relu")
    x = dense(g, x, 4096, 4096, "Relu")
    return g.output(dense(g, x, 4096, 1000), dtype="f32")


@model("as published, 224x224")
def mobilenet_v2(g):
    """Sandler et al. 2018, table 2: expansion, channels, repetitions, stride."""
    x = conv(g, g.input("image", (1, 3, 224, 224)), 3, 32, stride=2, activation="Relu6")
    channels = 32
    for expansion, outputs, blocks, stride in (
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
            (6, 160, 3, 2), (6, 320, 1, 1)):
        for block in range(blocks):
            y, wide = x, channels * expansion
            if expansion != 1:
                y = conv(g, y, channels, wide, 1, activation="Relu6")
            y = conv(g, y, wide, wide, group=wide, stride=1 if block else stride,
                     activation="Relu6")
            y = conv(g, y, wide, outputs, 1, activation=None)
            x = g.op("Add", x, y) if block else y
            channels = outputs
    return classifier(g, conv(g, x, channels, 1280, 1, activation="Relu6"), 1280)


def squeeze_and_excite(g, x, channels, squeezed):
    s = g.op("GlobalAveragePool", x)
    s = swish(g, conv(g, s, channels, squeezed, 1, norm=False, activation=None))
    s = conv(g, s, squeezed, channels, 1, norm=False, activation="Sigmoid")
    return g.op("Mul", x, s)


@model("EfficientNet-B0 as published, 224x224")
def efficientnet(g):
    """Tan and Le 2019: expansion, channels, repetitions, stride, kernel."""
    x = conv_swish(g, g.input("image", (1, 3, 224, 224)), 3, 32, stride=2)
    channels = 32
    for expansion, outputs, blocks, stride, kernel in (
            (1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
            (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)):
        for block in range(blocks):
            y, wide = x, channels * expansion
            if expansion != 1:
                y = conv_swish(g, y, channels, wide, 1)
            y = conv_swish(g, y, wide, wide, kernel, group=wide,
                           stride=1 if block else stride)
            y = squeeze_and_excite(g, y, wide, channels // 4)
            y = conv(g, y, wide, outputs, 1, activation=None)
            x = g.op("Add", x, y) if block else y
            channels = outputs
    return classifier(g, conv_swish(g, x, channels, 1280, 1), 1280)


def norm_relu(g, x, channels):
    x = g.op("BatchNormalization", x,
             g.weight(g.random((channels,), low=0.5, high=1.5)), g.weight((channels,)),
             g.weight((channels,)), g.weight(g.random((channels,), low=0.5, high=1.5)))
    return g.op("Relu", x)


@model("DenseNet-121's first block and transition of 4, 28x28", quick=True)
def densenet_block(g):
    """Huang et al. 2016: norm and activation stand before each convolution."""
    growth, channels = 32, 64
    x = g.input("features", (1, channels, 28, 28))
    features = [x]
    for _ in range(6):
        x = g.op("Concat", *features, axis=1) if len(features) > 1 else x
        y = conv(g, norm_relu(g, x, channels), channels, 4 * growth, 1)
        features.append(conv(g, y, 4 * growth, growth, norm=False, activation=None))
        channels += growth
    x = norm_relu(g, g.op("Concat", *features, axis=1), channels)
    x = conv(g, x, channels, channels // 2, 1, norm=False, activation=None)
    x = g.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    return g.output(x, dtype="f32")


@model("base of 32 channels instead of 64, one image of 128x128")
def unet(g, base=32, pixels=128):
    """Ronneberger et al. 2015, with padding, so that nothing is cropped, and batch norms."""
    def twice(x, inputs, outputs):
        return conv(g, conv(g, x, inputs, outputs), outputs, outputs)

    x, channels, skipped = g.input("image", (1, 1, pixels, pixels)), 1, []
    widths = (base, 2 * base, 4 * base, 8 * base)
    for width in widths:
        x = twice(x, channels, width)
        skipped.append(x)
        x = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        channels = width
    x = twice(x, channels, 2 * channels)
    for width in reversed(widths):
        w = g.weight((2 * width, width, 2, 2), scale=(1.5 / width)**0.5)
        x = g.op("ConvTranspose", x, w, g.weight((width,)), strides=[2, 2])
        x = twice(g.op("Concat", skipped.pop(), x, axis=1), 2 * width, width)
    return g.output(conv(g, x, base, 2, 1, norm=False, activation=None), dtype="f32")
