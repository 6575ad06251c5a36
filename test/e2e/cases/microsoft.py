# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of com.microsoft, whose definition is what ONNX Runtime's kernels do."""
import numpy as np

import oracle
from builder import Case, Graph, cases

DOMAIN = "com.microsoft"


class Model:
    """Nodes side by side in one model: what is built together is built fast."""

    def __init__(self, name):
        self.graph = Graph(f"ms_{name}")

    def add(self, name, kind, operands, outputs=("f32",), **attributes):
        """A node. Operands are shapes of inputs, lists as shapes of weights, arrays, names
        of values, or None; outputs that are None are left out."""
        g, inputs = self.graph, []
        for i, operand in enumerate(operands):
            if isinstance(operand, np.ndarray):
                operand = g.input(f"{name}_in{i}", value=operand)
            elif isinstance(operand, list):
                operand = g.weight(tuple(operand))
            elif isinstance(operand, tuple):
                operand = g.input(f"{name}_in{i}", operand)
            inputs.append(operand)
        names = g.op(kind, *inputs, outputs=len(outputs), name=name, domain=DOMAIN,
                     **attributes)
        for i, (output, dtype) in enumerate(zip([names] if len(outputs) == 1 else names,
                                                outputs)):
            if dtype is None:
                g.nodes[-1].output[i] = ""
            else:
                g.output(output, dtype=dtype)
        return self

    def case(self, reference=None):
        return Case(self.graph, "network", reference)


def ints(values, dtype=np.int32):
    return np.array(values, dtype)


@cases
def products():
    m = Model("fused_matmul")
    for name, a, b, attributes in (
            ("trans", (5, 3), (7, 5), dict(transA=1, transB=1)),
            ("alpha", (2, 3, 5), (5, 7), dict(alpha=0.3)),
            ("vector", (5,), (5, 7), dict(transA=1)),
            ("batches", (3, 2, 5), (2, 5, 7), dict(transBatchA=1)),
            ("both", (3, 2, 4, 5), (7, 2, 4, 5),
             dict(transBatchA=1, transBatchB=1, transB=1, alpha=-2.0)),
            ("batches_and_trans", (5, 2, 3), (2, 5, 7), dict(transBatchA=1, transA=1))):
        m.add(name, "FusedMatMul", [a, b], **attributes)
    yield m.case()

    m = Model("fused_gemm")
    for activation, numbers in (("Relu", ()), ("Tanh", ()), ("Sigmoid", ()), ("Softplus", ()),
                                ("Softsign", ()), ("LeakyRelu", (0.2,)), ("Elu", (0.7,)),
                                ("ThresholdedRelu", (0.3,)), ("HardSigmoid", (0.3, 0.4))):
        parameters = dict(zip(("activation_alpha", "activation_beta"), numbers))
        m.add(activation, "FusedGemm", [(3, 5), (7, 5), (7,)], transB=1, alpha=0.5, beta=2.0,
              activation=activation, **parameters)
    m.add("Selu", "FusedGemm", [(5, 3), (5, 7)], transA=1, activation="Selu",
          activation_alpha=1.5, activation_gamma=1.1)
    yield m.case()

    m = Model("fused_conv")
    for activation, numbers in (("Relu", None), ("Tanh", None), ("Sigmoid", None),
                                ("HardSwish", None), ("LeakyRelu", [0.2]),
                                ("Clip", [-0.3, 0.5]), ("HardSigmoid", [0.3, 0.4])):
        parameters = {} if numbers is None else dict(activation_params=numbers)
        m.add(activation, "FusedConv", [(2, 3, 6, 7), [4, 3, 3, 3], [4]], pads=[1, 0, 1, 0],
              activation=activation, **parameters)
    m.add("sum", "FusedConv", [(1, 4, 7, 5), [6, 2, 3, 3], None, (1, 6, 3, 2)], group=2,
          strides=[2, 2], activation="Relu")
    yield m.case()


@cases
def activations():
    m = Model("gelu")
    m.add("gelu", "Gelu", [(3, 17)])
    m.add("bias_gelu", "BiasGelu", [(2, 3, 17), (17,)])
    m.add("fast_gelu", "FastGelu", [(3, 17)])
    m.add("fast_gelu_bias", "FastGelu", [(2, 3, 17), (17,)])
    m.add("quick_gelu", "QuickGelu", [(3, 17)])
    m.add("quick_gelu_alpha", "QuickGelu", [(3, 17)], alpha=0.5)
    yield m.case()


@cases
def norms():
    shape, width = (2, 3, 17), (17,)
    m, kind = Model("skip_layer_norm"), "SkipLayerNormalization"
    m.add("plain", kind, [shape, shape, width])
    m.add("all", kind, [shape, shape, width, width, width], ("f32",) * 4, epsilon=0.01)
    m.add("batch_of_one", kind, [shape, (1, 3, 17), width, width], ("f32", None, None, "f32"))
    m.add("no_batch", kind, [shape, (3, 17), width, None, width])
    m.add("matrix", kind, [(5, 17), (5, 17), width, width])
    yield m.case()

    m, kind = Model("skip_rms_norm"), "SkipSimplifiedLayerNormalization"
    m.add("plain", kind, [shape, shape, width])
    m.add("all", kind, [shape, shape, width, width], ("f32", None, "f32", "f32"), epsilon=0.01)
    m.add("no_batch", kind, [shape, (3, 17), width])
    yield m.case()

    g = Graph("ms_simplified_ln")  # in ONNX's own domain, of any version
    g.opset = 13
    y, inverse = g.op("SimplifiedLayerNormalization", g.input("x", shape), g.weight(width),
                      outputs=2, axis=-1, epsilon=0.1)
    z = g.op("LayerNormalization", y, g.weight((3, 17)), g.weight((3, 17)), axis=1)
    yield Case(g.output(y, inverse, z, dtype="f32"), "network")


@cases
def embeddings():
    words, segments = ints([[3, 0, 8, 8, 1], [2, 2, 7, 4, 5]]), ints([[0, 0, 1, 1, 1]] * 2)
    mask = ints([[1, 1, 1, 0, 0], [0, 2, 1, 1, 0]])
    tables = [[9, 16], [7, 16], [2, 16], [16], [16]]
    word, position, _, scale, bias = tables
    m, kind = Model("embed"), "EmbedLayerNormalization"
    m.add("plain", kind, [words, segments, *tables], epsilon=0.001, mask_index_type=0)
    m.add("all", kind, [words, segments, *tables, mask, ints([[3, 1, 0, 6, 2]])],
          ("f32", "i32", "f32"))
    m.add("words", kind, [words, None, word, position, None, scale, bias, None,
                          ints([[3, 1, 0, 6, 2], [1, 1, 1, 2, 2]])], ("f32", "i32"))
    yield m.case()

    m, kind, caches = Model("rotary"), "RotaryEmbedding", [[20, 4], [20, 4]]
    ids = ints([[0, 1, 2], [9, 6, 19]], np.int64)
    one = ints([7], np.int64)
    m.add("offset", kind, [(2, 3, 16), one, *caches])
    m.add("ids", kind, [(2, 3, 16), ids, *caches], interleaved=1)
    m.add("heads", kind, [(2, 3, 5, 8), one, *caches])
    m.add("part", kind, [(2, 3, 36), ids, *caches], num_heads=3, rotary_embedding_dim=8,
          interleaved=1, is_packed_batching=1)
    m.add("part_of_heads", kind, [(2, 3, 5, 12), one, *caches], num_heads=3,
          rotary_embedding_dim=8)
    yield m.case()


TRIANGLE = np.tri(5, dtype=np.int32)[None].repeat(2, 0)
MARKS = ints([[1, 1, 1, 0, 0], [1, 0, 1, 2, -1]])
PAST_MARKS = ints([[0, 1, 1, 1, 1, 1, 1, 1], [1] * 8])


@cases
def packed_attention():
    def attention(m, name, *more, length=5, width=8, values=None, outputs=("f32",),
                  **attributes):
        if values:
            attributes["qkv_hidden_sizes"] = [width, width, values]
        columns = 2 * width + (values or width)
        m.add(name, "Attention", [(2, length, 6), [6, columns], [columns], *more], outputs,
              num_heads=2, **attributes)

    m = Model("attention")
    attention(m, "plain", values=12, scale=0.3)
    attention(m, "causal", unidirectional=1)
    attention(m, "bias", ints([4, 5]), None, (1, 2, 5, 5), unidirectional=1)
    yield m.case()
    m = Model("attention_masks")
    attention(m, "ends", ints([3, 5]))
    attention(m, "ends_and_begins", ints([4, 5, 1, 1]), unidirectional=1)
    attention(m, "ends_of_many", ints([3, 5, 0, 5, 10, 0, 3, 8]))
    attention(m, "marks", MARKS, mask_filter_value=-5.0)
    attention(m, "marks_of_queries", TRIANGLE)
    attention(m, "mark_for_all", ints([[0], [1]]))
    yield m.case()
    m, two, past = Model("attention_past"), ("f32", "f32"), (2, 2, 2, 3, 4)
    attention(m, "present", outputs=two)
    attention(m, "causal", None, past, outputs=two, unidirectional=1)
    attention(m, "marks", PAST_MARKS, past, outputs=two)
    attention(m, "one", None, past, length=1, outputs=two, unidirectional=1)
    yield m.case()


@cases
def multi_head_attention():
    kind = "MultiHeadAttention"

    def attention(m, name, *more, length=5, keys=None, width=8, values=None,
                  outputs=("f32",), **attributes):
        keys = keys or length
        key, value = (2, keys, width), (2, keys, values or width)
        m.add(name, kind, [(2, length, width), key, value, *more], outputs, num_heads=2,
              **attributes)

    m = Model("mha")
    attention(m, "plain")
    attention(m, "cross", (28,), keys=7, values=12, scale=0.3)
    attention(m, "causal", (24,), unidirectional=1)
    attention(m, "ends", None, ints([3, 5]), outputs=("f32", None, None, "f32"))
    attention(m, "marks", None, MARKS, mask_filter_value=-7.0)
    attention(m, "bias_and_marks", None, TRIANGLE, (1, 2, 5, 5), unidirectional=1)
    m.add("heads_of_keys", kind, [(2, 5, 8), (2, 2, 7, 4), (2, 2, 7, 4)], num_heads=2)
    yield m.case()
    m, past, three = Model("mha_past"), [(2, 2, 3, 4)] * 2, ("f32", "f32", "f32")
    attention(m, "causal", None, None, None, *past, unidirectional=1, outputs=(*three, "f32"))
    attention(m, "marks", (24,), PAST_MARKS, (2, 1, 5, 8), *past, outputs=three)
    attention(m, "one", None, None, None, *past, length=1, unidirectional=1, outputs=three)
    yield m.case()

    # The kernels of ONNX's own Attention.
    yield Model("mha_causal").add("y", kind, [(2, 5, 24)] * 3, num_heads=3,
                                  unidirectional=1).case()

    # Packed ones, which the CPU's kernels lack: the same apart.
    def apart(inputs, *bias):
        m = Model("apart")
        m.add("y", kind, [*(x.reshape(*x.shape[:2], -1) for x in inputs), *bias], num_heads=2)
        return oracle.run_onnxruntime(m.graph.build(), m.graph.inputs)

    m = Model("mha_packed").add("y", kind, [(2, 5, 2, 3, 4), None, None, (24,)], num_heads=2)
    yield m.case(lambda x, bias: apart(np.moveaxis(x, 3, 0), bias))
    m = Model("mha_packed_keys").add("y", kind, [(2, 5, 8), (2, 7, 2, 2, 4)], num_heads=2)
    yield m.case(lambda q, kv: apart([q, *np.moveaxis(kv, 3, 0)]))


@cases
def group_query_attention():
    def attention(m, name, *more, batch=1, length=4, past=0, total=None, ends=None,
                  packed=False, half=None, scores=0, **attributes):
        heads, shared, width = 4, 2, 16
        total = total or past + length
        operands = [(batch, length, heads * width), *[(batch, length, shared * width)] * 2]
        if packed:
            operands = [(batch, length, (heads + 2 * shared) * width), None, None]
        operands += [(batch, shared, past, width) if past else None] * 2
        operands += [ints(ends or [total] * batch) - 1, m.graph.scalar(total, "i32")]
        if half:
            attributes["do_rotary"] = 1
        if scores:
            attributes["qk_output"] = scores
        operands += [[24, half] if half else None] * 2
        m.add(name, "GroupQueryAttention", [*operands, *more],
              ("f32",) * (4 if scores else 3), num_heads=heads, kv_num_heads=shared,
              **attributes)

    m = Model("gqa_prompt")
    attention(m, "plain", batch=2)
    attention(m, "padded", batch=2, ends=[4, 2], half=8)
    attention(m, "packed", packed=True, half=8, rotary_interleaved=1)
    attention(m, "in_buffer", past=9, total=4, half=8, scale=0.2)
    attention(m, "positions", ints([[3, 3, 9, 1]], np.int64), half=8)
    attention(m, "all", causal=0)
    yield m.case()
    m = Model("gqa_window")
    attention(m, "prompt", length=6, local_window_size=2, softcap=0.7, scores=1)
    attention(m, "sink", None, (1, 1, 4, 4), (4,), softcap=0.5, local_window_size=3, scores=2,
              smooth_softmax=1)
    attention(m, "smooth", smooth_softmax=1)
    attention(m, "one", None, (1, 4, 1, 8), length=1, past=7, local_window_size=3)
    yield m.case()
    m = Model("gqa_one")
    attention(m, "plain", batch=2, length=1, past=5, ends=[6, 4])
    attention(m, "in_buffer", batch=2, length=1, past=8, total=6, ends=[6, 4], half=8)
    attention(m, "positions", ints([[2], [7]], np.int64), batch=2, length=1, past=4, half=8)
    yield m.case()
    m = Model("gqa_some")
    attention(m, "plain", length=3, past=5, scores=1, half=8)
    attention(m, "in_buffer", None, (1, 4, 3, 6), (4,), length=3, past=9, total=6, ends=[5])
    # Scores behind a sample's end are whatever lay in the kernel's memory.
    attention(m, "scores_in_buffer", length=3, past=9, total=6, scores=2)
    attention(m, "all", length=3, past=4, causal=0)
    yield m.case()
