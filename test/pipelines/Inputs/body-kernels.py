# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with an operator that has a text and kernels, and whose results these are.

body-kernels.py make FOLDER          twice.onnx, half.onnx, twice.fop, sources; x.npy
body-kernels.py whose FOLDER FILE    the text's, or a kernel's of the library "tagged"
body-kernels.py kernels FOLDER       how many kernels a folder launches
"""
import json
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, save_model

what, folder = sys.argv[1], Path(sys.argv[2])

TEXT = """
op acme.Twice (x: T[*b], by: float = 2) -> (y: T[*b]) where T in f32, f16 { y = by * x }
"""

SOURCE = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fusec/op.h"
using namespace fusec::op;

template <int Tag>
static void twice(const std::vector<Tensor> &in, const Param &params, std::vector<Tensor> &out) {
  for (int64_t i = 0; i < in[0].shape().elements(); ++i)
    out[0].data<float>()[i] = float(params["by"]) * in[0].data<float>()[i] + Tag;
}

FUSEC_OP(Twice)
    .domain("acme")
    .inputs({Operand("x").types({"float32"})})
    .outputs(1)
    .param("by", 2.0)
    FORMS;
"""

FORMS = {
    "crashing": '.supports([](const std::vector<Tensor> &, const Param &, Device) -> bool {'
                ' __builtin_trap(); }).compute("cpu", twice<0>)',
    "plain": '.compute("cpu", twice<0>)',
    "tagged": '.compute("cpu", twice<1>)',
    "gpu": '.compute("cuda", twice<1>)',
    "launched": '.compute("cpu", twice<1>, "one").compute("cpu", twice<2>, "two").compute("cuda", twice<1>)',
    "several": '.compute("cpu", twice<1>, "one").compute("cpu", twice<2>, "two")'
               '.compute("cpu", twice<3>, Algorithm("three").reproducible(false))',
}


def save(name, kind):
    nodes = [
        helper.make_node("Abs", ["x"], ["positive"], "positive"),
        helper.make_node("Twice", ["positive"], ["doubled"], "net/twice", domain="acme"),
        helper.make_node("Sqrt", ["doubled"], ["y"], "root"),
    ]
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", kind, [6, 50])],
                              [helper.make_tensor_value_info("y", kind, [6, 50])])
    model = helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 18), helper.make_opsetid("acme", 1)])
    model.ir_version = 9
    save_model(model, folder / f"{name}.onnx")


def make():
    save("twice", TensorProto.FLOAT)
    save("half", TensorProto.FLOAT16)
    (folder / "twice.fop").write_text(TEXT)
    for name, forms in FORMS.items():
        (folder / f"{name}.cpp").write_text(SOURCE.replace("FORMS", forms))
    (folder / "other.cpp").write_text(
        SOURCE.replace("FORMS", FORMS["plain"]).replace('.param("by", 2.0)', '.param("by", 2)'))
    np.save(folder / "x.npy", np.random.default_rng(7).uniform(-9, 9, (6, 50)).astype(np.float32))


def whose():
    x, y = np.load(folder / "x.npy"), np.load(sys.argv[3])
    tags = y ** 2 - 2 * np.abs(x)
    assert np.allclose(tags, tags[0, 0], atol=1e-3), tags
    print(f"tag {round(float(tags[0, 0]))}")


def kernels():
    model = json.loads((folder / "model.json").read_text())
    print(f"{len(model['groups'])} kernels, {len(model.get('calls', []))} calls")


{"make": make, "whose": whose, "kernels": kernels}[what]()
