# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that carry a state along a sequence; ONNX Runtime has none of them yet."""
import numpy as np

from builder import Case, Graph, cases


def causal_conv(x, weight, bias=None, past=None, swish=False):
    size = weight.shape[2]
    past = np.zeros((*x.shape[:2], size - 1), x.dtype) if past is None else past
    x = np.concatenate([past, x], 2)
    y = sum(x[:, :, k:x.shape[2] - size + 1 + k] * weight[:, 0, k, None]
            for k in range(size)).astype(np.float64)
    y = y if bias is None else y + bias[:, None]
    y = y / (1 + np.exp(-y)) if swish else y
    return [y.astype(x.dtype), x[:, :, x.shape[2] - size + 1:]]


@cases
def causal_convolutions():
    # name: (batch, channels, length, size), which optional operands, activation
    variants = {"plain": ((2, 5, 13, 4), "", "none"),
                "bias": ((1, 3, 1, 3), "b", "silu"),
                "past": ((2, 17, 7, 4), "bp", "swish"),
                "step": ((3, 4, 1, 4), "p", "none"),
                "one": ((2, 4, 9, 1), "b", "none")}  # without a state
    for name, ((batch, channels, length, size), given, activation) in variants.items():
        g = Graph(f"causal_conv_{name}")
        g.opset = 27
        operands = [g.input("x", (batch, channels, length)),
                    g.input("w", (channels, 1, size)),
                    g.input("bias", (channels,)) if "b" in given else None,
                    g.input("past", (batch, channels, size - 1)) if "p" in given else None]
        y = g.op("CausalConvWithState", *operands, outputs=2, activation=activation)

        def reference(x, weight, *rest, names=list(g.inputs)[2:], activation=activation):
            return causal_conv(x, weight, **dict(zip(names, rest)),
                               swish=activation != "none")
        yield Case(g.output(*y, dtype="f32"), "network", reference)


def linear_attention(heads, groups, scale, operands):
    """`operands` by name: q, k, v, past, decay, rate."""
    q, k, v = (operands[n].astype(np.float64) for n in "qkv")
    batch, length, _ = q.shape
    keys, values = q.shape[2] // heads, v.shape[2] // groups
    q = q.reshape(batch, length, groups, heads // groups, keys)
    k, v = k.reshape(batch, length, groups, keys), v.reshape(batch, length, groups, values)
    state = operands.get("past", np.zeros((batch, groups, keys, values))).astype(np.float64)
    rows = []
    for t in range(length):
        value = v[:, t]
        if "decay" in operands:
            state = state * np.exp(operands["decay"][:, t].reshape(batch, groups, -1, 1))
        if "rate" in operands:
            known = np.einsum("bhkv,bhk->bhv", state, k[:, t])
            value = operands["rate"][:, t, :, None] * (value - known)
        state = state + k[:, t, :, :, None] * value[:, :, None, :]
        rows.append(np.einsum("bhgk,bhkv->bhgv", q[:, t], state) * scale)
    y = np.stack(rows, 1).reshape(batch, length, heads * values)
    return [y.astype(np.float32), state.astype(np.float32)]


@cases
def linear_attentions():
    # name: update rule, (heads, groups, length), widths of decay and rate, past, scale
    variants = {"linear": ("linear", (4, 4, 7), None, None, False, 0),
                "gated": ("gated", (4, 2, 5), 2, None, True, 0.7),
                "gated_keys": ("gated", (2, 2, 3), 2 * 6, None, False, 0),
                "delta": ("delta", (3, 3, 5), None, 1, False, 0),
                "gated_delta": ("gated_delta", (6, 2, 9), 2 * 6, 2, True, 0),
                "step": ("gated_delta", (2, 1, 1), 1, 1, True, 0)}
    batch, keys, values = 2, 6, 5
    for name, (rule, (heads, groups, length), decay, rate, past, scale) in variants.items():
        g = Graph(f"linear_attention_{name}")
        g.opset = 27
        operands = [g.input("q", (batch, length, heads * keys)),
                    g.input("k", (batch, length, groups * keys), low=-0.5, high=0.5),
                    g.input("v", (batch, length, groups * values)),
                    g.input("past", (batch, groups, keys, values)) if past else None,
                    g.input("decay", (batch, length, decay), high=0) if decay else None,
                    g.input("rate", (batch, length, rate), low=0) if rate else None]
        y = g.op("LinearAttention", *operands, outputs=2, q_num_heads=heads,
                 kv_num_heads=groups, update_rule=rule, scale=float(scale))
        names = list(g.inputs)

        def reference(*arrays, heads=heads, groups=groups, names=names,
                      scale=scale or keys**-0.5):
            return linear_attention(heads, groups, scale, dict(zip(names, arrays)))
        yield Case(g.output(*y, dtype="f32"), "network", reference)


def written(past, update, begin=None, axis=-2, circular=False):
    past, update = np.moveaxis(past, axis, 1).copy(), np.moveaxis(update, axis, 1)
    for b in range(len(past)):
        for i in range(update.shape[1]):
            p = i + (0 if begin is None else begin[b])
            past[b, p % past.shape[1] if circular else p] = update[b, i]
    return [np.moveaxis(past, 1, axis)]


@cases
def cache_writes():
    # name: shape of the cache, rows written, axis, positions, mode
    variants = {"front": ((2, 3, 7, 5), 4, -2, None, "linear"),
                "at": ((3, 2, 11, 5), 4, -2, [0, 7, 3], "linear"),
                "rows": ((2, 9, 3), 1, 1, [8, 0], "linear"),
                "last_axis": ((2, 3, 1, 8), 2, 3, [5, 6], "linear"),
                "circular": ((4, 6, 7), 5, 1, [0, 3, 5, 1], "circular"),
                "all": ((2, 3, 4, 5), 4, 2, None, "linear")}
    for name, (shape, rows, axis, begin, mode) in variants.items():
        g = Graph(f"cache_write_{name}")
        g.opset = 24
        update = list(shape)
        update[axis] = rows
        operands = [g.input("past", shape), g.input("update", tuple(update))]
        if begin:
            operands.append(g.input("begin", value=np.array(begin, np.int64)))
        y = g.op("TensorScatter", *operands, axis=axis, mode=mode)
        yield Case(g.output(y), "exact", lambda *arrays, axis=axis, mode=mode:
                   written(*arrays, axis=axis, circular=mode == "circular"))
