# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of convolutional and dense networks."""
from builder import Case, Graph, cases


def conv(g, x, inputs, outputs, kernel=3, activation="Relu", norm=True, stride=1, group=1,
         dilation=1):
    """Convolution, batch norm, activation, with "same" padding."""
    pad = dilation * (kernel // 2)
    weight = (outputs, inputs // group, kernel, kernel)
    scale = (3.0 / (weight[1] * kernel * kernel))**0.5
    y = g.op("Conv", x, g.weight(weight, scale=scale), g.weight((outputs,)),
             pads=[pad] * 4, strides=[stride] * 2, group=group, dilations=[dilation] * 2)
    if norm:
        y = g.op("BatchNormalization", y, g.weight(g.random((outputs,), low=0.5, high=1.5)),
                 g.weight((outputs,)), g.weight((outputs,)),
                 g.weight(g.random((outputs,), low=0.5, high=1.5)))
    if activation == "Relu6":
        return g.op("Clip", y, g.scalar(0.0), g.scalar(6.0))
    return g.op(activation, y) if activation else y


def dense(g, x, inputs, outputs, activation=None):
    scale = (3.0 / inputs)**0.5
    y = g.op("Gemm", x, g.weight((inputs, outputs), scale=scale), g.weight((outputs,)))
    return g.op(activation, y) if activation else y


@cases
def dense_networks():
    g = Graph("mlp")
    x = dense(g, g.input("x", (8, 64)), 64, 128, "Relu")
    x = dense(g, dense(g, x, 128, 96, "Relu"), 96, 10)
    yield Case(g.output(g.op("Softmax", x)), "network")

    g = Graph("mlp_primes_tanh")
    x = dense(g, g.input("x", (7, 31)), 31, 127, "Tanh")
    yield Case(g.output(dense(g, x, 127, 17, "Sigmoid")), "network")

    g = Graph("autoencoder")
    x = g.input("x", (4, 100))
    code = dense(g, dense(g, x, 100, 50, "Elu"), 50, 10, "Tanh")
    y = dense(g, dense(g, code, 10, 50, "Elu"), 50, 100)
    error = g.op("Sub", y, x)
    loss = g.op("ReduceMean", g.op("Mul", error, error), axes=[1], keepdims=0)
    yield Case(g.output(y, code, loss), "network")

    g = Graph("recommender")  # embeddings, side by side, joined, and a small MLP
    dense_part = dense(g, g.input("dense", (16, 13)), 13, 16, "Relu")
    parts = [dense_part]
    for i in range(3):
        ids = g.input(f"ids{i}", (16,), "i64", low=0, high=40)
        parts.append(g.op("Gather", g.weight((40, 16)), ids))
    x = dense(g, g.op("Concat", *parts, axis=1), 64, 32, "Relu")
    yield Case(g.output(dense(g, x, 32, 1, "Sigmoid")), "network")


@cases
def classic_cnns():
    g = Graph("lenet")
    x = g.input("x", (2, 1, 28, 28))
    for inputs, outputs in ((1, 6), (6, 16)):
        x = conv(g, x, inputs, outputs, 5, norm=False)
        x = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = g.op("Reshape", x, g.const(0, -1))
    x = dense(g, dense(g, x, 784, 84, "Relu"), 84, 10)
    yield Case(g.output(g.op("Softmax", x)), "network")

    g = Graph("vgg_block")
    x = conv(g, conv(g, g.input("x", (1, 3, 16, 16)), 3, 16), 16, 16)
    yield Case(g.output(g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])), "network")

    g = Graph("inception_block")
    x = g.input("x", (1, 16, 9, 9))
    pooled = g.op("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4)
    branches = [conv(g, x, 16, 8, 1), conv(g, conv(g, x, 16, 4, 1), 4, 8),
                conv(g, conv(g, x, 16, 4, 1), 4, 8, 5), conv(g, pooled, 16, 8, 1)]
    yield Case(g.output(g.op("Concat", *branches, axis=1)), "network")

    g = Graph("dense_block")
    x = g.input("x", (1, 8, 9, 9))
    for i in range(3):
        x = g.op("Concat", x, conv(g, x, 8 + 4 * i, 4), axis=1)
    yield Case(g.output(x), "network")


@cases
def residual_blocks():
    g = Graph("resnet_block")
    x = g.input("x", (1, 16, 14, 14))
    y = conv(g, conv(g, x, 16, 16), 16, 16, activation=None)
    yield Case(g.output(g.op("Relu", g.op("Add", y, x))), "network")

    g = Graph("resnet_downsample")
    x = g.input("x", (1, 16, 15, 15))
    y = conv(g, conv(g, x, 16, 32, stride=2), 32, 32, activation=None)
    shortcut = conv(g, x, 16, 32, 1, activation=None, stride=2)
    yield Case(g.output(g.op("Relu", g.op("Add", y, shortcut))), "network")

    g = Graph("resnet_bottleneck")
    x = g.input("x", (1, 64, 7, 7))
    y = conv(g, conv(g, conv(g, x, 64, 16, 1), 16, 16), 16, 64, 1, activation=None)
    yield Case(g.output(g.op("Relu", g.op("Add", x, y))), "network")

    g = Graph("tiny_resnet")  # stem to classifier
    x = conv(g, g.input("x", (1, 3, 32, 32)), 3, 16, 7, stride=2)
    x = g.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    y = conv(g, conv(g, x, 16, 16), 16, 16, activation=None)
    x = g.op("Relu", g.op("Add", x, y))
    x = g.op("Flatten", g.op("GlobalAveragePool", x))
    yield Case(g.output(dense(g, x, 16, 10)), "network")


@cases
def mobile_blocks():
    g = Graph("depthwise_1x1")  # sums nothing
    y = conv(g, g.input("x", (2, 5, 7, 3)), 5, 5, 1, group=5)
    yield Case(g.output(y), "network")

    g = Graph("depthwise_separable")
    x = conv(g, g.input("x", (1, 17, 12, 12)), 17, 17, group=17, activation="Relu6")
    yield Case(g.output(conv(g, x, 17, 33, 1, activation="Relu6")), "network")

    g = Graph("inverted_residual")
    x = g.input("x", (1, 8, 12, 12))
    y = conv(g, x, 8, 48, 1, activation="Relu6")
    y = conv(g, y, 48, 48, group=48, activation="Relu6")
    yield Case(g.output(g.op("Add", x, conv(g, y, 48, 8, 1, activation=None))), "network")

    g = Graph("squeeze_and_excite")
    x = conv(g, g.input("x", (2, 16, 9, 9)), 16, 16, activation="HardSwish")
    s = g.op("GlobalAveragePool", x)
    s = conv(g, s, 16, 4, 1, norm=False)
    s = conv(g, s, 4, 16, 1, norm=False, activation="HardSigmoid")
    yield Case(g.output(g.op("Mul", x, s)), "network")

    g = Graph("grouped_dilated")
    x = conv(g, g.input("x", (1, 12, 17, 17)), 12, 24, group=3)
    x = conv(g, x, 24, 24, dilation=2, group=2, activation="LeakyRelu")
    yield Case(g.output(conv(g, x, 24, 8, dilation=3)), "network")

    g = Graph("shuffle_unit")
    left, right = g.op("Split", g.input("x", (1, 16, 8, 8)), outputs=2, axis=1)
    right = conv(g, right, 8, 8, 1)
    right = conv(g, conv(g, right, 8, 8, group=8, activation=None), 8, 8, 1)
    x = g.op("Concat", left, right, axis=1)
    x = g.op("Reshape", x, g.const(1, 2, 8, 8, 8))
    x = g.op("Transpose", x, perm=[0, 2, 1, 3, 4])
    yield Case(g.output(g.op("Reshape", x, g.const(1, 16, 8, 8))), "network")

    g = Graph("convnext_block")
    x = g.input("x", (1, 16, 8, 8))
    y = conv(g, x, 16, 16, 7, norm=False, activation=None, group=16)
    y = g.op("Transpose", y, perm=[0, 2, 3, 1])
    y = g.op("LayerNormalization", y, g.weight((16,)), g.weight((16,)), axis=-1)
    y = g.op("Add", g.op("MatMul", y, g.weight((16, 64), scale=0.4)), g.weight((64,)))
    y = g.op("Relu", y)
    y = g.op("Add", g.op("MatMul", y, g.weight((64, 16), scale=0.2)), g.weight((16,)))
    y = g.op("Transpose", g.op("Mul", y, g.weight((16,))), perm=[0, 3, 1, 2])
    yield Case(g.output(g.op("Add", x, y)), "network")
