# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that answer with a place in the image."""
import numpy as np

from cases.networks import conv

from . import model
from .convolutional import conv_swish

# Sizes of three boxes in pixels for each of the three scales.
ANCHORS = {8: ((10, 13), (16, 30), (33, 23)), 16: ((30, 61), (62, 45), (59, 119)),
           32: ((116, 90), (156, 198), (373, 326))}


def decode(g, x, classes, height, width, stride):
    """Cells to boxes as YOLOv5 does it: x, y, width, height, confidence, classes."""
    fields = classes + 5
    x = g.op("Reshape", x, g.const(1, 3, fields, height, width))
    x = g.op("Sigmoid", g.op("Transpose", x, perm=[0, 1, 3, 4, 2]))
    place, size, rest = g.op("Split", x, g.const(2, 2, fields - 4), outputs=3, axis=4)
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    grid = np.stack([columns, rows], -1)[None, None] - 0.5
    anchors = np.array(ANCHORS[stride], np.float32).reshape(1, 3, 1, 1, 2)
    place = g.op("Add", g.op("Mul", place, g.scalar(2.0)), g.weight(grid))
    place = g.op("Mul", place, g.scalar(float(stride)))
    size = g.op("Pow", g.op("Mul", size, g.scalar(2.0)), g.scalar(2.0))
    size = g.op("Mul", size, g.weight(anchors))
    x = g.op("Concat", place, size, rest, axis=4)
    return g.op("Reshape", x, g.const(1, -1, fields))


@model("head with decoded boxes on three scales of a 320x320 image", quick=True)
def yolo_head(g):
    classes, boxes = 80, []
    for stride, channels in ((8, 64), (16, 128), (32, 256)):
        cells = 320 // stride
        x = g.input(f"features_{stride}", (1, channels, cells, cells))
        x = conv_swish(g, x, channels, channels)
        x = conv(g, x, channels, 3 * (classes + 5), 1, norm=False, activation=None)
        boxes.append(decode(g, x, classes, cells, cells, stride))
    return g.output(g.op("Concat", *boxes, axis=1), dtype="f32")
