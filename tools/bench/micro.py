# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single operators and short chains, at sizes of networks.

Each argument is a dimension that --perturb moves; a weight's value does not matter."""
from cases.networks import conv
from cases.transformers import attend, gelu
from workloads import micro


def product(g, m, k, n):
    return g.op("MatMul", g.input("a", (m, k)), g.weight((k, n), scale=(3.0 / k)**0.5))


def with_bias(g, x, n):
    return g.op("Add", x, g.weight((n,)))


@micro("contraction", m=1024, k=1024, n=1024)
def gemm_1024(g, m, k, n):
    return g.output(product(g, m, k, n))


@micro("network", m=512, k=768, n=3072)
def gemm_bias_gelu(g, m, k, n):
    return g.output(gelu(g, with_bias(g, product(g, m, k, n), n)))


@micro("network", m=4096, k=64, n=1024)
def gemm_bias_relu(g, m, k, n):
    return g.output(g.op("Relu", with_bias(g, product(g, m, k, n), n)))


@micro("contraction", k=4096, n=4096)
def gemv_4096(g, k, n):
    return g.output(product(g, 1, k, n))


@micro("network", inputs=64, outputs=64, size=56)
def conv3x3_relu(g, inputs, outputs, size):
    x = g.input("x", (1, inputs, size, size))
    return g.output(conv(g, x, inputs, outputs, norm=False))


@micro("network", inputs=64, outputs=256, size=56)
def conv1x1_add_relu(g, inputs, outputs, size):
    y = conv(g, g.input("x", (1, inputs, size, size)), inputs, outputs, 1, norm=False,
             activation=None)
    return g.output(g.op("Relu", g.op("Add", y, g.input("z", (1, outputs, size, size)))))


@micro("network", channels=144, size=56)
def depthwise_clip(g, channels, size):
    x = g.input("x", (1, channels, size, size))
    return g.output(conv(g, x, channels, channels, norm=False, group=channels,
                         activation="Relu6"))


@micro("reduction", rows=6144, columns=512)
def softmax(g, rows, columns):
    return g.output(g.op("Softmax", g.input("x", (rows, columns)), axis=-1))


def norm(g, x, columns):
    return g.op("LayerNormalization", x, g.weight((columns,)), g.weight((columns,)), axis=-1)


@micro("reduction", rows=4096, columns=768)
def layer_norm(g, rows, columns):
    return g.output(norm(g, g.input("x", (rows, columns)), columns))


@micro("reduction", rows=4096, columns=768)
def add_layer_norm(g, rows, columns):
    x = g.op("Add", g.input("x", (rows, columns)), g.input("y", (rows, columns)))
    return g.output(x, norm(g, x, columns))


@micro("network", rows=512, columns=3072)
def bias_gelu(g, rows, columns):
    return g.output(gelu(g, with_bias(g, g.input("x", (rows, columns)), columns)))


@micro("network", rows=2048, columns=2048)
def chain_of_8(g, rows, columns):
    x, y = g.input("x", (rows, columns)), g.input("y", (rows, columns))
    z = g.op("Add", g.op("Mul", g.op("Add", x, y), y), g.scalar(0.5))
    z = g.op("Mul", g.op("Sub", g.op("Relu", z), x), g.scalar(0.25))
    return g.output(g.op("Add", g.op("Abs", z), y))


@micro("reduction", rows=4096, columns=4096)
def reduce_all(g, rows, columns):
    x = g.input("x", (rows, columns), low=0)
    return g.output(g.op("ReduceMean", x, axes=[0, 1], keepdims=0))


@micro("reduction", rows=4096, columns=4096)
def reduce_columns(g, rows, columns):
    x = g.input("x", (rows, columns), low=0)
    return g.output(g.op("ReduceMean", x, axes=[0], keepdims=0))


def attention(g, heads, length, width):
    shape = (1, heads, length, width)
    q, k, v = (g.input(name, shape) for name in "qkv")
    g.shape_of = {k: shape}
    return g.output(attend(g, q, k, v, width))


@micro("network", heads=12, length=128, width=64)
def attention_s128(g, heads, length, width):
    return attention(g, heads, length, width)


@micro("network", heads=12, length=512, width=64)
def attention_s512(g, heads, length, width):
    return attention(g, heads, length, width)


@micro("network", heads=12, length=4096, width=64)
def attention_s4096(g, heads, length, width):
    return attention(g, heads, length, width)


def grouped(g, groups, repeats, queries, keys, width, causal):
    """ONNX's operator, in which `repeats` heads of queries share one of keys."""
    g.opset = 23
    q = g.input("q", (1, groups * repeats, queries, width))
    k, v = (g.input(name, (1, groups, keys, width)) for name in "kv")
    return g.output(g.op("Attention", q, k, v, is_causal=causal))


@micro("network", groups=8, repeats=2, length=1024, width=64)
def attention_causal_s1024(g, groups, repeats, length, width):
    return grouped(g, groups, repeats, length, length, width, 1)


@micro("network", groups=8, repeats=4, keys=2048, width=128)
def attention_decode(g, groups, repeats, keys, width):
    return grouped(g, groups, repeats, 1, keys, width, 0)
