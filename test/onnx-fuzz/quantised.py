# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of com.microsoft's layers whose weights are codes: of few bits by blocks, of 8 bits
in attention and LSTMs."""
import numpy as np

from fused import heads_of, marks
from graph import DTYPES, MICROSOFT, limits_of
from layers import BYTES
from microsoft import KNOWN
from rows import row


def bytes_of(codes, bits):
    """Codes along the last dimension in bytes, the first ones in the lowest bits."""
    per = 8 // bits
    codes = np.pad(codes, [(0, 0)] * (codes.ndim - 1) + [(0, -codes.shape[-1] % per)])
    codes = codes.reshape(*codes.shape[:-1], -1, per)
    return (codes << (np.arange(per) * bits)).sum(-1).astype(np.uint8)


def packed(g, bits, *shape):
    return g.leaf(bytes_of(g.rng.integers(0, 1 << bits, shape), bits), g.choice(KNOWN))


def numbers(g, dtype, low, high, *shape):
    return g.leaf(g.rng.uniform(low, high, shape).astype(DTYPES[dtype]), g.choice(KNOWN))


def coded_rows(g, shape, size):
    """Rows that codes of 8 bits by blocks have as they are: a power of two times integers, of
    which that with a block's begin is 127 or -127."""
    codes = g.rng.integers(-127, 128, shape)
    codes[..., ::size] = g.rng.choice([-127, 127, 127], codes[..., ::size].shape)
    if g.chance(0.3):
        codes[..., :size] = 0
    return codes * 2.0 ** g.rng.integers(-9, -4, (*shape[:-1], 1))


@row("MatMulNBits", domain=MICROSOFT)
def few_bits(g, op):
    dtype = g.dtype(op, domain=MICROSOFT)
    bits, size = g.choice([2, 4, 4, 4, 8, 8]), g.choice([16, 16, 32, 64, 128])
    zeros = g.choice(["middle", "codes"] + ["floats"] * (bits < 8))
    n, k = g.extent(33, 1), g.choice([1, 7, 16, 31, 32, 45, 64, 96, 128])
    if bits == 8 and g.chance(0.3):  # of fewer bytes fusec makes floats
        n, k = 530, 128
    blocks, level = -(-k // size), g.choice([None, 0, 1, 4, 4, 4])
    groups = None
    if bits == 4 and g.chance(0.15):
        groups = g.leaf(g.rng.integers(0, blocks, k).astype(np.int32), g.choice(KNOWN))
    rows = (g.choice([1, 1, 2, 3, 4, 7, 16, 17, 33]),) if g.chance(0.7) else \
        g.shape(g.choice([1, 2]), least=1, most=7)
    # What level 4 rounds jumps, and with --precision=strict it is not rounded.
    if level == 4 and dtype == "f32" and (g.is_strict or g.chance(0.3)):
        x = g.leaf(coded_rows(g, (*rows, k), size).astype(np.float32), "input")
    else:
        x = g.tensor(dtype, (*rows, k), -2, 2, exact=level == 4)
    g.emit(op, x, packed(g, bits, n, blocks, size), numbers(g, dtype, 0.02, 0.1, n, blocks),
           {"middle": lambda: None, "codes": lambda: packed(g, bits, n, blocks),
            "floats": lambda: numbers(g, dtype, 0, 1 << bits, n, blocks)}[zeros](), groups,
           g.tensor(dtype, (n,)) if g.chance(0.4) else None, K=k, N=n, block_size=size,
           bits=bits if bits != 4 or g.chance(0.7) else None, accuracy_level=level,
           domain=MICROSOFT)


@row("GatherBlockQuantized", domain=MICROSOFT)
def table_of_codes(g, op):
    kind = g.choice(["u8", "u8", "i4", "u4"])
    bits, size = g.choice([4, 8]) if kind == "u8" else 4, g.choice([16, 32])
    shape = [g.extent(7, 1), *(g.extent(7, 1) for _ in range(g.choice([0, 1]))),
             g.choice([2, 16, 18, 32, 48])]
    rank = len(shape)
    # Of bytes ONNX Runtime picks rows, and shares scales along them.
    axis = rank - 1 if kind == "u8" or g.chance(0.7) else g.integer(0, rank - 1)
    pick = 0 if kind == "u8" or axis == 0 else g.choice([a for a in range(rank) if a != axis])
    blocks = list(shape)
    blocks[axis] = -(-shape[axis] // size)

    def codes(shape):
        if kind == "u8":
            return packed(g, bits, *shape)
        return g.leaf(g.numbers(kind, tuple(shape), *limits_of(kind)), "initializer")
    indices = g.rng.integers(0, shape[pick], g.shape(g.choice([0, 1, 2]), least=1, most=5))
    real = g.dtype(op, 2, domain=MICROSOFT)
    g.emit(op, codes(shape), g.leaf(indices.astype(g.choice([np.int32, np.int64]))),
           numbers(g, real, 0.02, 0.1, *blocks), codes(blocks) if g.chance(0.5) else None,
           gather_axis=pick if pick or g.chance(0.5) else None,
           quantize_axis=axis - rank if g.chance(0.3) else axis, block_size=size,
           bits=bits if kind == "u8" else None, domain=MICROSOFT)


def matrix(g, dtype, shape):
    """Codes that are not large: what ONNX Runtime adds fits its 16 bits."""
    limit = 60
    return g.leaf(g.rng.integers(0 if dtype[0] == "u" else -limit, 2 * limit if dtype[0] == "u"
                                 else limit, shape).astype(DTYPES[dtype]), g.choice(KNOWN))


def all_alike(g, dtype, shape, zeros=()):
    """Zero points: one for each scale, and all the same, as ONNX Runtime demands."""
    low, high = limits_of(dtype)
    zero = g.choice(zeros or [0, 0, 128 if dtype == "u8" else -1, g.integer(low, high)])
    return g.leaf(np.full(shape, zero, DTYPES[dtype]), g.choice(KNOWN))


@row("QAttention", domain=MICROSOFT)
def coded_attention(g, op):
    batch, length, ins = g.choice([1, 2, 3]), g.extent(11, 1), g.choice([1, 3, 8, 16])
    heads, width = heads_of(g)
    past = g.choice([1, 2, 5]) if g.chance(0.3) else 0
    columns, code = 3 * heads * width, g.choice(BYTES)
    per = g.choice([(), (columns,)])
    mask = marks(g, batch, length, past + length, begins=True) if g.chance(0.5) else None
    zeros = g.leaf(g.numbers("u8", (), 0, 255), g.choice(KNOWN)) if g.chance(0.6) else None
    g.emit(op, g.tensor("u8", (batch, length, ins)), matrix(g, code, (ins, columns)),
           g.tensor("f32", (columns,), -1, 1),
           numbers(g, "f32", 0.005, 0.03), numbers(g, "f32", 0.002, 0.006, *per), mask, zeros,
           all_alike(g, code, per) if zeros and g.chance(0.6) else None,
           g.tensor("f32", (2, batch, heads, past, width), -2, 2) if past else None,
           results=[True, past > 0 or g.chance(0.2)], num_heads=heads,
           unidirectional=g.choice([None, 0, 1]), scale=g.choice([None, None, 0.25]),
           mask_filter_value=g.choice([None, -5.0]) if mask else None, domain=MICROSOFT)


@row("DynamicQuantizeLSTM", domain=MICROSOFT)
def coded_lstm(g, op):
    steps, batch = g.choice([1, 1, 2, 3, 5]), g.choice([1, 2, 3])
    width, hidden = g.extent(17, 1), g.extent(17, 1)
    direction = g.choice([None, "forward", "reverse", "bidirectional"])
    ways = 2 if direction == "bidirectional" else 1
    code, per = g.choice(BYTES), g.choice([(ways,), (ways, 4 * hidden)])

    def tensor(*shape):
        return g.leaf(g.numbers("f32", shape, -0.8, 0.8))

    def coded(rows):
        return matrix(g, code, (ways, rows, 4 * hidden)), numbers(g, "f32", 0.002, 0.006, *per), \
            all_alike(g, code, per, [0] if code == "i8" else ())

    def state():
        return tensor(ways, batch, hidden) if g.chance(0.5) else None
    (w, *w_codes), (r, *r_codes) = coded(width), coded(hidden)
    lengths = g.leaf(g.rng.integers(1, steps + 1, batch).astype(np.int32)) \
        if g.chance(0.3) else None
    results = [g.chance(0.7) for _ in range(3)]
    results[g.integer(0, 2)] = True
    g.emit(op, g.tensor("f32", (steps, batch, width), -2, 3, exact=True), w, r,
           tensor(ways, 8 * hidden) if g.chance(0.6) else None, lengths, state(), state(),
           tensor(ways, 3 * hidden) if g.chance(0.3) else None, *w_codes, *r_codes,
           results=results, hidden_size=hidden, direction=direction,
           activations=["HardSigmoid", "Softsign", "Tanh"] * ways if g.chance(0.2) else None,
           clip=g.choice([None, None, 0.5]), input_forget=g.choice([None, None, 0]),
           domain=MICROSOFT)
