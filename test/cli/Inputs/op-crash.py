# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose operators end the process: op-crash.py FOLDER"""
import sys
from pathlib import Path

from onnx import TensorProto, helper, save_model

folder = Path(sys.argv[1])


def save(name, *calls):
    x, y = (helper.make_tensor_value_info(value, TensorProto.FLOAT, [4, 8]) for value in "xy")
    nodes = [helper.make_node("Relu", ["x"], ["positive"], "positive")]
    for kind, how in calls:
        nodes.append(helper.make_node(kind, nodes[-1].output, [f"{kind}_y"], "net/crash",
                                      domain="custom", how=how))
    nodes[-1].output[0] = "y"
    model = helper.make_model(helper.make_graph(nodes, name, [x], [y]), opset_imports=[
        helper.make_opsetid("", 18), helper.make_opsetid("custom", 1)])
    model.ir_version = 9
    save_model(model, folder / f"{name}.onnx")


for how in ("write", "abort", "divide", "exit", "worker"):
    save(f"by_{how}", ("Crash", how))
save("either", ("Either", "abort"))
save("first", ("First", "abort"))
save("both", ("Slow", ""), ("Crash", "write"))
