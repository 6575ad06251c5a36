# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that call functions of ONNX which are in other files.

  functions.py make FOLDER       the models, and the files of functions
  functions.py hold FOLDER       y.npy against ONNX Runtime, with the functions in the model
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("acme", 1)]


def swoosh(scale=1.0):
    """acme.Swoosh(x; offset): scale * x * sigmoid(x - offset)."""
    offset = helper.make_node("Constant", [], ["offset"])
    offset.attribute.add(name="value_float", ref_attr_name="offset", type=onnx.AttributeProto.FLOAT)
    nodes = [offset,
             helper.make_node("Constant", [], ["scale"], value_float=scale),
             helper.make_node("Sub", ["x", "offset"], ["moved"]),
             helper.make_node("Sigmoid", ["moved"], ["gate"]),
             helper.make_node("Mul", ["x", "gate"], ["product"]),
             helper.make_node("Mul", ["product", "scale"], ["y"])]
    return helper.make_function(
        "acme", "Swoosh", ["x"], ["y"], nodes, [helper.make_opsetid("", 17)],
        attribute_protos=[helper.make_attribute("offset", 1.0)])


def twice():
    """acme.Twice(x): Swoosh of Swoosh."""
    nodes = [helper.make_node("Swoosh", ["x"], ["h"], domain="acme", offset=0.5),
             helper.make_node("Swoosh", ["h"], ["y"], domain="acme")]
    return helper.make_function("acme", "Twice", ["x"], ["y"], nodes, OPSETS)


def model(nodes, functions=()):
    value = [helper.make_tensor_value_info(name, 1, [3, 5]) for name in ("x", "y")]
    weight = numpy_helper.from_array(np.linspace(-1, 1, 25, dtype=np.float32).reshape(5, 5), "w")
    graph = helper.make_graph(nodes, "net", value[:1] if nodes else [], value[1:] if nodes else [],
                              [weight] if nodes else [])
    return helper.make_model(graph, opset_imports=OPSETS, functions=functions, ir_version=9)


CALLS = [helper.make_node("MatMul", ["x", "w"], ["product"], "product"),
         helper.make_node("Twice", ["product"], ["swoosh"], "twice", domain="acme"),
         helper.make_node("Relu", ["swoosh"], ["y"], "last")]


def make(folder):
    onnx.save(model(CALLS), folder / "net.onnx")
    onnx.save(model([], [swoosh(), twice()]), folder / "functions.onnx")
    onnx.save(model([], [swoosh(2.0)]), folder / "other.onnx")
    onnx.save(model(CALLS, [swoosh(2.0)]), folder / "own.onnx")
    onnx.save(model([]), folder / "none.onnx")
    reserved = swoosh()
    reserved.domain = "com.microsoft"
    onnx.save(model([], [reserved]), folder / "reserved.onnx")
    undefined = swoosh()
    undefined.node[2].input[1] = "nowhere"
    onnx.save(model([], [undefined]), folder / "undefined.onnx")
    silent = swoosh()
    silent.output[0] = "z"
    onnx.save(model([], [silent]), folder / "silent.onnx")
    # Each calls the other, one of them in a branch.
    branch = helper.make_graph([helper.make_node("Twice", ["x"], ["b"], domain="acme")], "branch", [],
                               [helper.make_tensor_value_info("b", 1, None)])
    calls = helper.make_node("If", ["x"], ["y"], then_branch=branch, else_branch=branch)
    first = helper.make_function("acme", "Swoosh", ["x"], ["y"], [calls], OPSETS)
    onnx.save(model([], [twice(), first]), folder / "cycle.onnx")
    outside = swoosh()
    table = helper.make_node("Constant", [], ["t"], value=numpy_helper.from_array(
        np.zeros(4, np.float32), "t"))
    tensor = table.attribute[0].t
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="table.bin")
    outside.node.append(table)
    (folder / "table.bin").write_bytes(bytes(16))
    (folder / "outside.onnx").write_bytes(model([], [outside]).SerializeToString())
    np.save(folder / "x.npy", np.linspace(-3, 3, 15, dtype=np.float32).reshape(3, 5))


def hold(folder):
    whole = model(CALLS, [swoosh(), twice()])
    session = onnxruntime.InferenceSession(whole.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    [expected] = session.run(None, {"x": np.load(folder / "x.npy")})
    np.testing.assert_allclose(np.load(folder / "y.npy"), expected, rtol=1e-5, atol=1e-6)
    assert expected.max() > 0.1


if __name__ == "__main__":
    {"make": make, "hold": hold}[sys.argv[1]](pathlib.Path(sys.argv[2]))
