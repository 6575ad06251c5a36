# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The newest of ONNX's tests, out of PyPI's `onnx`: those of nodes exist only in
memory, the others lie in the package."""
import pathlib
import shutil

import onnx
from onnx import numpy_helper
from onnx.backend.test import cmd_tools
from onnx.backend.test.case.node import collect_testcases


def serialized(value, port):
    """A value of the test data as the bytes of the file for it."""
    kind = port.type.WhichOneof("value")
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString()
    write = {"map_type": numpy_helper.from_dict, "sequence_type": numpy_helper.from_list,
             "optional_type": numpy_helper.from_optional,
             "tensor_type": numpy_helper.from_array}[kind]
    return write(value, port.name).SerializeToString()


def write_case(case, folder):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    graph = case.model.graph
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data_set = folder / f"test_data_set_{number}"
        data_set.mkdir()
        for kind, values, ports in (("input", inputs, graph.input),
                                    ("output", outputs, graph.output)):
            for i, (value, port) in enumerate(zip(values, ports)):
                (data_set / f"{kind}_{i}.pb").write_bytes(serialized(value, port))


def write_tests(data):
    """Writes all tests to `data`, as libonnx-testdata has them, unless they are there for
    this version of the package."""
    stamp = data / "version.txt"
    if stamp.exists() and stamp.read_text() == onnx.__version__:
        return
    shutil.rmtree(data, ignore_errors=True)
    for case in collect_testcases(None):
        write_case(case, data / case.kind / case.name)
    for folder in pathlib.Path(cmd_tools.DATA_DIR).iterdir():
        if any(folder.glob("*/model.onnx")):
            shutil.copytree(folder, data / folder.name)
    stamp.write_text(onnx.__version__)
