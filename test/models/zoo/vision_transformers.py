# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers that read images."""
import numpy as np

from cases.transformers import attend, gelu, layer_norm, linear, multi_head, split_heads

from . import model
from .layers import merge_heads, take


def patches(g, image, channels, hidden, patch, cells):
    """A convolution that does not overlap, as a list of tokens."""
    scale = (3.0 / (channels * patch * patch))**0.5
    x = g.op("Conv", image, g.weight((hidden, channels, patch, patch), scale=scale),
             g.weight((hidden,)), strides=[patch, patch], kernel_shape=[patch, patch])
    x = g.op("Reshape", x, g.const(1, hidden, cells * cells))
    return g.op("Transpose", x, perm=[0, 2, 1])


@model("ViT-B/16, 6 of 12 layers, 224x224")
def vit(g, layers=6):
    """Dosovitskiy et al. 2020."""
    cells, hidden = 14, 768
    length = cells * cells + 1
    x = patches(g, g.input("image", (1, 3, 224, 224)), 3, hidden, 16, cells)
    x = g.op("Concat", g.weight((1, 1, hidden)), x, axis=1)
    x = g.op("Add", x, g.weight((1, length, hidden)))
    for _ in range(layers):
        y = layer_norm(g, x, hidden, "op")
        x = g.op("Add", multi_head(g, y, 1, length, hidden, 12), x)
        y = gelu(g, linear(g, layer_norm(g, x, hidden, "op"), hidden, 4 * hidden))
        x = g.op("Add", linear(g, y, 4 * hidden, hidden), x)
    x = g.op("Gather", layer_norm(g, x, hidden, "op"), g.scalar(0, "i64"), axis=1)
    return g.output(linear(g, x, hidden, 1000), dtype="f32")


def roll(g, x, shift):
    """Moves rows and columns around the edge; a negative shift towards the origin."""
    for axis in (1, 2):
        x = g.op("Concat", take(g, x, -shift, 2**62, axis), take(g, x, 0, -shift, axis),
                 axis=axis)
    return x


def to_windows(g, x, size, window, hidden):
    """[1, size, size, hidden] -> [windows, window * window, hidden]"""
    count = size // window
    x = g.op("Reshape", x, g.const(1, count, window, count, window, hidden))
    x = g.op("Transpose", x, perm=[0, 1, 3, 2, 4, 5])
    return g.op("Reshape", x, g.const(-1, window * window, hidden))


def from_windows(g, x, size, window, hidden):
    count = size // window
    x = g.op("Reshape", x, g.const(1, count, count, window, window, hidden))
    x = g.op("Transpose", x, perm=[0, 1, 3, 2, 4, 5])
    return g.op("Reshape", x, g.const(1, size, size, hidden))


def shift_mask(size, window, shift):
    """[windows, 1, tokens, tokens]: -100 between tokens that the roll made neighbours."""
    region = np.zeros(size, np.int64)
    region[-window:], region[-shift:] = 1, 2
    regions = (3 * region[:, None] + region).reshape(size // window, window, -1, window)
    regions = regions.transpose(0, 2, 1, 3).reshape(-1, window * window)
    apart = regions[:, None] != regions[:, :, None]
    return np.where(apart, np.float32(-100), np.float32(0))[:, None]


def window_attention(g, x, windows, window, hidden, heads, mask):
    """Attention in each window, with a bias by relative position."""
    length, width = window * window, hidden // heads
    bias = g.weight((1, heads, length, length))
    if mask is not None:
        bias = g.op("Add", bias, g.weight(mask))
    q, k, v = (split_heads(g, part, windows, length, heads, width) for part in
               g.op("Split", linear(g, x, hidden, 3 * hidden), outputs=3, axis=2))
    g.shape_of = {k: (windows, heads, length, width)}
    x = g.op("Transpose", attend(g, q, k, v, width, bias), perm=[0, 2, 1, 3])
    return linear(g, g.op("Reshape", x, g.const(windows, length, hidden)), hidden, hidden)


def swin_block(g, x, size, window, hidden, heads, shift):
    y = g.op("Reshape", layer_norm(g, x, hidden, "op"), g.const(1, size, size, hidden))
    y = roll(g, y, -shift) if shift else y
    y = to_windows(g, y, size, window, hidden)
    mask = shift_mask(size, window, shift) if shift else None
    y = window_attention(g, y, (size // window)**2, window, hidden, heads, mask)
    y = from_windows(g, y, size, window, hidden)
    y = roll(g, y, shift) if shift else y
    x = g.op("Add", x, g.op("Reshape", y, g.const(1, size * size, hidden)))
    y = gelu(g, linear(g, layer_norm(g, x, hidden, "op"), hidden, 4 * hidden))
    return g.op("Add", x, linear(g, y, 4 * hidden, hidden))


def merge_patches(g, x, size, hidden):
    """Each 2x2 cells become one of twice the width."""
    x = g.op("Reshape", x, g.const(1, size, size, hidden))
    corners = [g.op("Slice", x, g.const(row, column), g.const(2**62, 2**62),
                    g.const(1, 2), g.const(2, 2))
               for row, column in ((0, 0), (1, 0), (0, 1), (1, 1))]
    x = g.op("Reshape", g.op("Concat", *corners, axis=-1),
             g.const(1, size * size // 4, 4 * hidden))
    x = layer_norm(g, x, 4 * hidden, "op")
    return g.op("MatMul", x, g.weight((4 * hidden, 2 * hidden),
                                      scale=(3.0 / (4 * hidden))**0.5))


def swin(g, pixels, hidden, heads, stages, classes):
    """Liu et al. 2021; window of 7."""
    window, size = 7, pixels // 4
    x = patches(g, g.input("image", (1, 3, pixels, pixels)), 3, hidden, 4, size)
    x = layer_norm(g, x, hidden, "op")
    for stage, blocks in enumerate(stages):
        if stage:
            x = merge_patches(g, x, size, hidden)
            size, hidden, heads = size // 2, 2 * hidden, 2 * heads
        for block in range(blocks):
            shift = window // 2 if block % 2 and size > window else 0
            x = swin_block(g, x, size, window, hidden, heads, shift)
    x = g.op("ReduceMean", layer_norm(g, x, hidden, "op"), axes=[1], keepdims=0)
    return g.output(linear(g, x, hidden, classes), dtype="f32")


@model("Swin-T, 2 of 6 blocks in the third stage, 224x224")
def swin_tiny(g):
    return swin(g, 224, 96, 3, (2, 2, 2, 2), 1000)


@model("2 stages of 2 blocks, 32 wide, 56x56", quick=True)
def swin_small(g):
    return swin(g, 56, 32, 2, (2, 2), 10)
