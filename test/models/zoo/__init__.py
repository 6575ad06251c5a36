# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models; importing this package registers them in MODELS."""
import dataclasses
import pathlib
import sys

# The builder of graphs, and layers of which models are made, are the end-to-end tests'.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))


@dataclasses.dataclass
class Model:
    """A network that is built when it is needed: its weights may be large."""
    name: str
    size: str  # what it is, and what of the original was made smaller
    build: object  # () -> builder.Graph
    quick: bool  # in the suite; the others are in `tools/test.sh --full`


MODELS = []


def model(size, quick=False):
    """Marks a function from an empty Graph to the same graph with a network in it."""
    def register(function):
        def build():
            from builder import Graph
            return function(Graph(function.__name__))
        MODELS.append(Model(function.__name__, size, build, quick))
        return function
    return register


from . import convolutional  # noqa: E402,F401
from . import detection  # noqa: E402,F401
from . import encoders  # noqa: E402,F401
from . import decoders  # noqa: E402,F401
from . import vision_transformers  # noqa: E402,F401
from . import recommenders  # noqa: E402,F401
from . import recurrent  # noqa: E402,F401
from . import quantised  # noqa: E402,F401
from . import halves  # noqa: E402,F401
