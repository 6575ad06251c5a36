# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of the end-to-end tests; importing this package registers them."""
from . import algorithms  # noqa: F401
from . import contraction  # noqa: F401
from . import codes  # noqa: F401
from . import control  # noqa: F401
from . import elementwise  # noqa: F401
from . import examples  # noqa: F401
from . import library  # noqa: F401
from . import losses  # noqa: F401
from . import movement  # noqa: F401
from . import networks  # noqa: F401
from . import ngrams  # noqa: F401
from . import norms  # noqa: F401
from . import pooling  # noqa: F401
from . import positions  # noqa: F401
from . import preview  # noqa: F401
from . import quantized  # noqa: F401
from . import recurrent  # noqa: F401
from . import reduction  # noqa: F401
from . import refusals  # noqa: F401
from . import sampling  # noqa: F401
from . import sequences  # noqa: F401
from . import shapes  # noqa: F401
from . import signal  # noqa: F401
from . import state_space  # noqa: F401
from . import transformers  # noqa: F401
from . import types  # noqa: F401
