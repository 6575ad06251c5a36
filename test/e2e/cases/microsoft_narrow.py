# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of com.microsoft on f16 and bf16, of which ONNX Runtime's CPU has few: against
its kernels of f32."""
import numpy as np

from builder import Case, Graph, cases, widened
from cases.microsoft_quantized import nbits

MICROSOFT = {"domain": "com.microsoft"}


class Narrow:
    """Nodes of one element type side by side."""

    def __init__(self, name, dtype):
        self.graph, self.dtype = Graph(f"ms_{name}_{dtype}"), dtype

    def x(self, *shape):
        name = f"x{len(self.graph.inputs)}"
        return self.graph.input(name, shape, self.dtype)

    def w(self, *shape):
        return self.graph.weight(shape, self.dtype)

    def add(self, kind, *operands, outputs=1, **attributes):
        names = self.graph.op(kind, *operands, outputs=outputs, **attributes, **MICROSOFT)
        for name in [names] if outputs == 1 else names:
            self.graph.output(name, dtype=self.dtype)

    def case(self):
        return Case(self.graph, "network", widened)


@cases
def narrow():
    for dtype in ("f16", "bf16"):
        m = Narrow("elementwise", dtype)
        for kind in ("Gelu", "FastGelu", "QuickGelu"):
            m.add(kind, m.x(3, 17))
        for kind in ("BiasGelu", "FastGelu"):
            m.add(kind, m.x(2, 3, 17), m.w(17))
        yield m.case()

        m = Narrow("norms", dtype)
        m.add("SkipLayerNormalization", m.x(2, 3, 17), m.x(2, 3, 17), m.w(17), m.w(17), m.w(17))
        m.add("SkipSimplifiedLayerNormalization", m.x(2, 3, 17), m.x(2, 3, 17), m.w(17))
        yield m.case()

        m = Narrow("products", dtype)
        m.add("FusedMatMul", m.x(2, 5, 19), m.w(7, 19), transB=1, alpha=0.5)
        blocks = nbits(m.graph, m.x(3, 64), 64, 24, 32, zeros="codes", bias=True, dtype=dtype)
        m.graph.output(blocks, dtype=dtype)
        yield m.case()

        m, tokens = Narrow("attention", dtype), np.array([[0, 1, 2, 3, 4]] * 2)
        marks = m.graph.weight(np.array([[1, 1, 1, 0, 0], [1, 0, 1, 1, 1]], np.int32))
        m.add("Attention", m.x(2, 5, 6), m.w(6, 24), m.w(24), marks, num_heads=2)
        m.add("MultiHeadAttention", *(m.x(2, 5, 8) for _ in range(3)), num_heads=2,
              unidirectional=1)
        m.add("RotaryEmbedding", m.x(2, 5, 16), m.graph.weight(tokens.astype(np.int64)),
              m.w(20, 4), m.w(20, 4))
        ends, total = m.graph.weight(np.array([3], np.int32)), m.graph.scalar(4, "i32")
        m.add("GroupQueryAttention", m.x(1, 4, 32), m.x(1, 4, 16), m.x(1, 4, 16), None, None, ends,
              total, outputs=3, num_heads=4, kv_num_heads=2)
        yield m.case()
