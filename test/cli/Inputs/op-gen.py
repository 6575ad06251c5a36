# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls libnorms.so (op-gen.test), which `fusec op gen` made, by ONNX Runtime, by tvm-ffi and,
where it is installed, by PyTorch; NumPy says what is right."""
import importlib.util
import pathlib
import threading

import numpy as np
import onnxruntime
import tvm_ffi
from onnx import TensorProto, helper

random = np.random.default_rng(0)
LIBRARY = str(pathlib.Path("libnorms.so").resolve())
SHAPES = [(48,), (1, 48), (5, 48), (700, 48), (2, 3, 150, 48), (0, 48)]


def norm(x, g, c):
    x = x.astype(np.float64)
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * g + c


def inputs(shape, dtype):
    return [random.standard_normal(each).astype(dtype) for each in (shape, (48,), (48,))]


def near(y, x, g, c):
    assert y.shape == x.shape and y.dtype == x.dtype
    tolerance = 2e-2 if x.dtype == np.float16 else 1e-5
    np.testing.assert_allclose(y, norm(x, g, c), atol=tolerance, rtol=tolerance)


def session(element, **attributes):
    value = helper.make_tensor_value_info
    node = helper.make_node("LayerNorm", ["x", "g", "c"], ["y"], domain="acme", **attributes)
    graph = helper.make_graph(
        [node], "norm", [value("x", element, None), value("g", element, [48]),
                         value("c", element, [48])], [value("y", element, None)])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 22), helper.make_opsetid("acme", 1)])
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(LIBRARY)
    options.log_severity_level = 4
    options.intra_op_num_threads = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options,
                                        providers=["CPUExecutionProvider"])


def refused(call, text):
    try:
        call()
    except Exception as error:  # of each framework's own
        assert text in str(error), error
        return
    raise AssertionError(f"not refused: {text}")


def run_onnxruntime():
    for dtype, element in ((np.float32, TensorProto.FLOAT), (np.float16, TensorProto.FLOAT16)):
        model = session(element)
        for shape in SHAPES:
            x, g, c = inputs(shape, dtype)
            near(model.run(None, {"x": x, "g": g, "c": c})[0], x, g, c)
    model = session(TensorProto.FLOAT, eps=1e-5)
    x, g, c = inputs((4, 7), np.float32)
    refused(lambda: model.run(None, {"x": x, "g": g, "c": c}), "float32[4, 7]")
    refused(lambda: session(TensorProto.FLOAT, eps=0.5), "fusec op gen --param eps=0.5")
    refused(lambda: session(TensorProto.FLOAT, eps="a"), "eps is no number")
    refused(lambda: session(TensorProto.DOUBLE), "")
    failures = []

    def work():
        for _ in range(20):
            x, g, c = inputs((300, 48), np.float32)
            y = model.run(None, {"x": x, "g": g, "c": c})[0]
            if np.abs(y - norm(x, g, c)).max() > 1e-4:
                failures.append(y)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def run_tvm_ffi():
    norms = tvm_ffi.load_module(LIBRARY)
    norms.set_threads(2)
    for dtype in (np.float32, np.float16):
        for shape in SHAPES:
            x, g, c = inputs(shape, dtype)
            y = np.empty_like(x)
            norms.LayerNorm(x, g, c, y)
            near(y, x, g, c)
    x, g, c = inputs((4, 48), np.float32)
    y = np.empty_like(x)
    refused(lambda: norms.LayerNorm(x, g, c), "takes 3 inputs and behind them 1 results")
    refused(lambda: norms.LayerNorm(x, g, c, y[:2]), "result 0 is float32[2, 48]")
    refused(lambda: norms.LayerNorm(np.empty((48, 4), np.float32).T, g, c, y), "row-major")
    refused(lambda: norms.LayerNorm(x.astype(np.float64), g, c, y), "float64[4, 48]")
    refused(lambda: norms.LayerNorm(1, g, c, y), "is no tensor")
    refused(lambda: norms.set_threads(0), "from 1 to 1024")


def run_torch():
    import sys
    import torch
    sys.path.insert(0, ".")
    import norms_torch
    for dtype in (np.float32, np.float16):
        for shape in SHAPES:
            arrays = inputs(shape, dtype)
            y = torch.ops.acme.LayerNorm(*map(torch.from_numpy, arrays))
            near(y.numpy(), *arrays)
    arrays = [torch.from_numpy(array) for array in inputs((5, 48), np.float32)]
    torch.library.opcheck(norms_torch.LayerNorm, arrays)
    refused(lambda: norms_torch.LayerNorm(arrays[0][:, :7], *arrays[1:]), "has no kernels")
    for shape in SHAPES[:-1]:
        x, g = (torch.randn(shape, requires_grad=True) for _ in range(2))
        i = torch.ones(shape, dtype=torch.int32)
        y, rounded = torch.ops.acme.Swish(x, g, i)
        assert torch.equal(rounded, x.int() + 1)
        weights = torch.randn(shape)
        made = torch.autograd.grad((y * weights).sum(), (x, g))
        right = torch.autograd.grad((x * torch.sigmoid(g) * weights).sum(), (x, g))
        for one, other in zip(made, right):
            torch.testing.assert_close(one, other)
        torch.library.opcheck(norms_torch.Swish, (x, g, i))


run_onnxruntime()
run_tvm_ffi()
if importlib.util.find_spec("torch"):
    run_torch()
