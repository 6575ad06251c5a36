#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes tutorial.onnx: the network of PyTorch's first tutorials as its exporter writes it,
with random weights. Needs numpy and onnx. In PyTorch:

    def forward(self, x):                                # [4, 3, 32, 32]
        x = F.relu(self.conv1(x))                        # 10 channels, k = 5: [4, 10, 28, 28]
        x = F.relu(F.max_pool2d(self.conv2(x), 2))       # 20 channels, k = 5: [4, 20, 12, 12]
        x = x.view(-1, 320)                              # [36, 320]
        x = F.relu(self.fc1(x))                          # [36, 50]
        return F.log_softmax(self.fc2(x), dim=1)         # [36, 10]

view(-1, 320) takes the extent of a smaller image: of these images it makes nine rows each.
"""
import pathlib

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

BATCH = 4
rng = np.random.default_rng(0)


def weight(name, *shape):
    """As PyTorch begins: uniform within one over the root of the fan-in."""
    bound = 1 / np.sqrt(np.prod(shape[1:]) if len(shape) > 1 else shape[0])
    return numpy_helper.from_array(rng.uniform(-bound, bound, shape).astype(np.float32), name)


node = helper.make_node
graph = helper.make_graph(
    [node("Conv", ["image", "conv1.weight", "conv1.bias"], ["c1"], "conv1", kernel_shape=[5, 5]),
     node("Relu", ["c1"], ["r1"], "relu1"),
     node("Conv", ["r1", "conv2.weight", "conv2.bias"], ["c2"], "conv2", kernel_shape=[5, 5]),
     node("MaxPool", ["c2"], ["p2"], "pool2", kernel_shape=[2, 2], strides=[2, 2]),
     node("Relu", ["p2"], ["r2"], "relu2"),
     node("Reshape", ["r2", "rows"], ["v"], "view"),
     node("Gemm", ["v", "fc1.weight", "fc1.bias"], ["f1"], "fc1", transB=1),
     node("Relu", ["f1"], ["r3"], "relu3"),
     node("Gemm", ["r3", "fc2.weight", "fc2.bias"], ["f2"], "fc2", transB=1),
     node("LogSoftmax", ["f2"], ["scores"], "log_softmax", axis=1)],
    "tutorial",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, [BATCH, 3, 32, 32])],
    [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [BATCH * 9, 10])],
    [weight("conv1.weight", 10, 3, 5, 5), weight("conv1.bias", 10),
     weight("conv2.weight", 20, 10, 5, 5), weight("conv2.bias", 20),
     weight("fc1.weight", 50, 320), weight("fc1.bias", 50),
     weight("fc2.weight", 10, 50), weight("fc2.bias", 10),
     numpy_helper.from_array(np.int64([-1, 320]), "rows")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
checker.check_model(model, full_check=True)
save(model, pathlib.Path(__file__).parent / "tutorial.onnx")
