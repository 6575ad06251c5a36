#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the digits CNN with numpy and writes the files of this example.

    pip install numpy scikit-learn onnx onnxruntime
    python train.py

Data: scikit-learn's bundled handwritten digits, 1797 images of 8 x 8 (a copy of the
test set of the UCI "Optical Recognition of Handwritten Digits" data). The split,
the weights and the order of the batches come from fixed seeds.

    image [N,1,8,8] -> conv 3x3 -> batch norm -> relu -> max pool 2x2      [N,32,4,4]
                    -> conv 3x3 -> batch norm -> relu -> max pool 2x2      [N,64,2,2]
                    -> flatten -> fully connected -> logits                [N,10]

Writes digits.onnx, images.npy, labels.npy and logits.npy (what ONNX Runtime says).
"""
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

TEST_IMAGES = 320
CHANNELS = (1, 32, 64)
EPOCHS = 60
BATCH = 64
BN_EPSILON = 1e-5
BN_MOMENTUM = 0.9


class Conv:
    """3 x 3, padding 1, as a matrix product over unfolded patches."""

    def __init__(self, rng, inputs, outputs):
        scale = np.sqrt(2.0 / (inputs * 9))
        self.w = rng.normal(0, scale, (outputs, inputs, 3, 3)).astype(np.float32)
        self.b = np.zeros(outputs, np.float32)

    def params(self):
        return [("w", self.w), ("b", self.b)]

    def forward(self, x, train):
        n, c, h, w = x.shape
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        self.columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * h * w, c * 9)
        self.shape = x.shape
        y = self.columns @ self.w.reshape(len(self.w), -1).T + self.b
        return y.reshape(n, h, w, -1).transpose(0, 3, 1, 2)

    def backward(self, dy):
        n, c, h, w = self.shape
        rows = dy.transpose(0, 2, 3, 1).reshape(n * h * w, -1)
        self.dw = (rows.T @ self.columns).reshape(self.w.shape)
        self.db = rows.sum(0)
        patches = (rows @ self.w.reshape(len(self.w), -1)).reshape(n, h, w, c, 3, 3)
        dx = np.zeros((n, c, h + 2, w + 2), np.float32)
        for i in range(3):
            for j in range(3):
                dx[:, :, i:i + h, j:j + w] += patches[..., i, j].transpose(0, 3, 1, 2)
        return dx[:, :, 1:-1, 1:-1]


class BatchNorm:
    """Per channel; keeps running statistics for inference."""

    def __init__(self, channels):
        self.g = np.ones(channels, np.float32)
        self.b = np.zeros(channels, np.float32)
        self.mean = np.zeros(channels, np.float32)
        self.var = np.ones(channels, np.float32)

    def params(self):
        return [("g", self.g), ("b", self.b)]

    def forward(self, x, train):
        if train:
            mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
            self.mean += (1 - BN_MOMENTUM) * (mean - self.mean)
            self.var += (1 - BN_MOMENTUM) * (var - self.var)
        else:
            mean, var = self.mean, self.var
        self.inv = 1 / np.sqrt(var + BN_EPSILON)
        self.xhat = (x - mean[:, None, None]) * self.inv[:, None, None]
        return self.g[:, None, None] * self.xhat + self.b[:, None, None]

    def backward(self, dy):
        axes = (0, 2, 3)
        self.dg, self.db = (dy * self.xhat).sum(axes), dy.sum(axes)
        count = dy.size // dy.shape[1]
        centred = dy - (self.db[:, None, None] + self.xhat * self.dg[:, None, None]) / count
        return (self.g * self.inv)[:, None, None] * centred


class Relu:
    def params(self):
        return []

    def forward(self, x, train):
        self.positive = x > 0
        return x * self.positive

    def backward(self, dy):
        return dy * self.positive


class MaxPool:
    """2 x 2, stride 2."""

    def params(self):
        return []

    def forward(self, x, train):
        n, c, h, w = x.shape
        blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
        y = blocks.max((3, 5))
        is_max = blocks == y[:, :, :, None, :, None]
        self.share = is_max / is_max.sum((3, 5), keepdims=True, dtype=np.float32)
        self.shape = x.shape
        return y

    def backward(self, dy):
        return (self.share * dy[:, :, :, None, :, None]).reshape(self.shape)


class Dense:
    def __init__(self, rng, inputs, outputs):
        self.w = rng.normal(0, np.sqrt(1.0 / inputs), (outputs, inputs)).astype(np.float32)
        self.b = np.zeros(outputs, np.float32)

    def params(self):
        return [("w", self.w), ("b", self.b)]

    def forward(self, x, train):
        self.shape = x.shape
        self.x = x.reshape(len(x), -1)
        return self.x @ self.w.T + self.b

    def backward(self, dy):
        self.dw, self.db = dy.T @ self.x, dy.sum(0)
        return (dy @ self.w).reshape(self.shape)


class Adam:
    """Kingma and Ba, 2015, algorithm 1, with a cosine schedule of the rate."""

    def __init__(self, layers, steps, rate=3e-3):
        self.slots = [(layer, name, value, np.zeros_like(value), np.zeros_like(value))
                      for layer in layers for name, value in layer.params()]
        self.steps, self.rate, self.step = steps, rate, 0

    def update(self):
        self.step += 1
        rate = self.rate * 0.5 * (1 + np.cos(np.pi * self.step / self.steps))
        for layer, name, value, m, v in self.slots:
            gradient = getattr(layer, "d" + name)
            m += 0.1 * (gradient - m)
            v += 0.001 * (gradient * gradient - v)
            mhat, vhat = m / (1 - 0.9**self.step), v / (1 - 0.999**self.step)
            value -= rate * mhat / (np.sqrt(vhat) + 1e-8)


def forward(layers, x, train=False):
    for layer in layers:
        x = layer.forward(x, train)
    return x


def shift(rng, images):
    """Moves each image by at most one pixel, the only augmentation."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    moves = rng.integers(0, 3, (len(images), 2))
    return np.stack([p[:, i:i + 8, j:j + 8] for p, (i, j) in zip(padded, moves)])


def train(images, labels):
    rng = np.random.default_rng(0)
    layers = []
    for inputs, outputs in zip(CHANNELS, CHANNELS[1:]):
        layers += [Conv(rng, inputs, outputs), BatchNorm(outputs), Relu(), MaxPool()]
    layers.append(Dense(rng, CHANNELS[-1] * 4, 10))
    optimizer = Adam(layers, EPOCHS * (len(images) // BATCH))
    for epoch in range(EPOCHS):
        order, losses = rng.permutation(len(images)), []
        for first in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[first:first + BATCH]
            logits = forward(layers, shift(rng, images[batch]), train=True)
            p = np.exp(logits - logits.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            losses.append(-np.log(p[np.arange(BATCH), labels[batch]]).mean())
            p[np.arange(BATCH), labels[batch]] -= 1
            gradient = p / BATCH
            for layer in reversed(layers):
                gradient = layer.backward(gradient)
            optimizer.update()
        print(f"epoch {epoch + 1:2}: loss {np.mean(losses):.4f}")
    return layers


def export(layers, batch):
    """The ONNX model (opset 17), its nodes named as a reader would name them."""
    nodes, weights, value = [], [], "image"

    def add(op, name, inputs, parameters=(), **attributes):
        for suffix, array in parameters:
            weights.append(numpy_helper.from_array(array, f"{name}.{suffix}"))
        output = name + "_out"
        nodes.append(helper.make_node(op, inputs + [f"{name}.{s}" for s, _ in parameters],
                                      [output], name=name, **attributes))
        return output

    for i in range(len(CHANNELS) - 1):
        conv, norm = layers[4 * i], layers[4 * i + 1]
        value = add("Conv", f"conv{i + 1}", [value],
                    [("weight", conv.w), ("bias", conv.b)], kernel_shape=[3, 3],
                    pads=[1, 1, 1, 1])
        value = add("BatchNormalization", f"norm{i + 1}", [value],
                    [("scale", norm.g), ("bias", norm.b), ("mean", norm.mean),
                     ("var", norm.var)], epsilon=BN_EPSILON)
        value = add("Relu", f"relu{i + 1}", [value])
        value = add("MaxPool", f"pool{i + 1}", [value], kernel_shape=[2, 2],
                    strides=[2, 2])
    value = add("Flatten", "flatten", [value], axis=1)
    dense = layers[-1]
    add("Gemm", "classify", [value], [("weight", dense.w), ("bias", dense.b)], transB=1)
    nodes[-1].output[0] = "logits"

    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [batch, 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [batch, 10])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                              ir_version=8, producer_name="fusec examples/digits")
    onnx.checker.check_model(model, full_check=True)
    return model


def main():
    here = pathlib.Path(__file__).resolve().parent
    data = load_digits()
    order = np.random.default_rng(1).permutation(len(data.target))
    images = (data.images[order] / 16).astype(np.float32)[:, None]
    labels = data.target[order].astype(np.int64)
    layers = train(images[TEST_IMAGES:], labels[TEST_IMAGES:])

    images, labels = images[:TEST_IMAGES], labels[:TEST_IMAGES]
    logits = forward(layers, images)
    print(f"test accuracy {(logits.argmax(1) == labels).mean():.4f}")
    onnx.save(export(layers, TEST_IMAGES), here / "digits.onnx")
    session = onnxruntime.InferenceSession(here / "digits.onnx",
                                           providers=["CPUExecutionProvider"])
    expected = session.run(None, {"image": images})[0]
    print(f"largest difference to ONNX Runtime {abs(expected - logits).max():.2g}")
    np.save(here / "images.npy", images)
    np.save(here / "labels.npy", labels)
    np.save(here / "logits.npy", expected)


if __name__ == "__main__":
    main()
