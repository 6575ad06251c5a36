# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of examples/, on their own inputs."""
import pathlib

import numpy as np
import onnx

from builder import Case, Graph, cases

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


class Loaded(Graph):
    """A model from a file, with a value for each of its inputs."""

    def __init__(self, path, suffix="", **inputs):
        super().__init__(path.stem + suffix)
        self.model, self.inputs = onnx.load(path), inputs
        self.output(*(output.name for output in self.model.graph.output))

    def build(self, output_shapes=None):
        return self.model


@cases
def digits():
    folder = EXAMPLES / "digits"
    images = np.load(folder / "images.npy")
    yield Case(Loaded(folder / "digits.onnx", image=images), "network")


@cases
def tutorial():
    """PyTorch's tutorial network at each level of optimisation."""
    path = EXAMPLES / "tutorial" / "tutorial.onnx"
    images = np.random.default_rng(11).normal(size=(4, 3, 32, 32)).astype(np.float32)
    for level in range(4):
        yield Case(Loaded(path, f"_O{level}", image=images), "network",
                   options=[f"-O{level}"])
