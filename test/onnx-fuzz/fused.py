# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of com.microsoft's attention and embeddings."""
import numpy as np

from graph import MICROSOFT
from microsoft import KNOWN
from rows import row


def heads_of(g):
    return g.choice([1, 2, 4]), g.choice([1, 2, 3, 4, 8])


def marks(g, batch, queries, keys, begins):
    """What a mask of integers may be: the ends of samples, behind which their begins may
    stand (`begins`), or marks of keys, of all queries or of each."""
    kind = g.choice(["ends", "begins" if begins else "ends", "many", "keys", "queries"])
    if kind in ("keys", "queries"):
        shape = (batch, keys) if kind == "keys" else (batch, queries, keys)
        return g.leaf(g.rng.choice([1, 1, 1, 0, 2, -1], shape).astype(np.int32))
    ends = g.rng.integers(0, keys + 1, batch)
    if kind == "begins":
        ends = [*ends, *g.rng.integers(0, keys + 1, batch)]
    elif kind == "many":
        ends = [*ends, *np.arange(batch + 1) * queries, *np.arange(batch + 1) * keys]
    return g.leaf(np.array(ends, np.int32))


def bias_of(g, dtype, shape):
    """What is added to scores: of all samples or of each, of all heads or of each."""
    return g.tensor(dtype, tuple(1 if i < 2 and g.chance(0.4) else e
                                 for i, e in enumerate(shape)), -2, 2)


@row("Attention", domain=MICROSOFT)
def packed(g, op):
    dtype = g.dtype(op, domain=MICROSOFT)
    batch, length, ins = g.choice([1, 2, 3]), g.extent(11, 1), g.choice([1, 3, 8])
    heads, width = heads_of(g)
    past = g.choice([1, 2, 5]) if g.chance(0.3) else 0
    hasBias = not past and g.chance(0.3)
    deep = width if past or g.chance(0.6) else g.choice([1, 3, 6])
    columns, keys = heads * (2 * width + deep), past + length
    mask = None
    if g.chance(0.5):
        mask = marks(g, batch, length, keys, begins=True)
    elif g.chance(0.1):
        mask = g.leaf(g.rng.integers(0, 2, (batch, 1)).astype(np.int32))
    g.emit(op, g.tensor(dtype, (batch, length, ins), -2, 2),
           g.tensor(dtype, (ins, columns), -1, 1),
           g.tensor(dtype, (columns,), -1, 1), mask,
           g.tensor(dtype, (2, batch, heads, past, width), -2, 2) if past else None,
           bias_of(g, dtype, (batch, heads, length, keys)) if hasBias else None,
           results=[True, past > 0 or deep == width and g.chance(0.2)], num_heads=heads,
           qkv_hidden_sizes=None if deep == width and g.chance(0.7)
           else [heads * width, heads * width, heads * deep],
           unidirectional=g.choice([None, 0, 1]), scale=g.choice([None, None, 0.25]),
           mask_filter_value=g.choice([None, -5.0]) if mask else None, domain=MICROSOFT)


@row("MultiHeadAttention", domain=MICROSOFT)
def multi_head(g, op):
    dtype = g.dtype(op, domain=MICROSOFT)
    batch, length = g.choice([1, 2, 3]), g.extent(11, 1)
    heads, width = heads_of(g)
    past = g.choice([1, 2, 5]) if g.chance(0.3) else 0
    deep = width if past or g.chance(0.6) else g.choice([1, 3, 6])
    keys = length if past or g.chance(0.6) else g.extent(11, 1)
    hasHeads = not past and g.chance(0.15)  # keys and values of an encoder

    def tensor(count, last):
        return g.tensor(dtype, (batch, count, heads * last), -2, 2)

    def headed(count, last):
        return g.tensor(dtype, (batch, heads, count, last), -2, 2)
    operands = [tensor(length, width),
                *((headed if hasHeads else tensor)(keys, last) for last in (width, deep))]
    total = past + keys
    hasBias = not hasHeads and g.chance(0.4)
    operands += [
        g.tensor(dtype, (heads * (2 * width + deep),), -1, 1) if hasBias else None,
        marks(g, batch, length, total, begins=False) if g.chance(0.4) else None,
        bias_of(g, dtype, (batch, heads, length, total)) if g.chance(0.3) else None]
    if past:
        operands += [headed(past, width), headed(past, deep)]
    present = past > 0 or not hasHeads and g.chance(0.2)
    g.emit(op, *operands, results=[True, present, present, g.chance(0.2)], num_heads=heads,
           unidirectional=g.choice([None, 0, 1]), scale=g.choice([None, None, 0.25]),
           mask_filter_value=g.choice([None, -5.0]) if operands[4] else None, domain=MICROSOFT)


@row("GroupQueryAttention", domain=MICROSOFT)
def grouped(g, op):
    dtype = g.dtype(op, domain=MICROSOFT)
    heads, width = g.choice([1, 2, 4]), g.choice([16, 16, 32])
    shared = g.choice([h for h in (1, 2, 4) if heads % h == 0])
    kind = g.choice(["prompt", "one", "some"])
    batch = 1 if kind == "some" else g.choice([1, 1, 2, 3])
    length = 1 if kind == "one" else g.extent(7, 1)
    buffer = length + g.extent(11, 1) if kind != "prompt" or g.chance(0.3) else 0
    total = length
    if kind != "prompt":  # behind what is there, or in a cache that is longer
        total += buffer if g.chance(0.5) else g.integer(1, buffer - length)
    ends = np.full(batch, total)
    scores = g.choice([1, 2]) if g.chance(0.2) else None
    if batch > 1 and scores is None and g.chance(0.6):
        ends[1:] = g.rng.integers(length if kind == "one" else 1, total + 1, batch - 1)
    half = g.choice([width // 2, 8]) if g.chance(0.5) else 0
    packs = g.chance(0.3)

    def tensor(*shape):
        return g.tensor(dtype, shape, -2, 2)
    operands = [tensor(batch, length, (heads + 2 * shared * packs) * width)]
    operands += [None if packs else tensor(batch, length, shared * width) for _ in range(2)]
    operands += [tensor(batch, shared, buffer, width) if buffer else None for _ in range(2)]
    operands += [g.leaf((ends - 1).astype(np.int32)),
                 g.leaf(np.array(total, np.int32), g.choice(KNOWN))]
    operands += [g.tensor(dtype, (total + 9, half), -1, 1) if half else None for _ in range(2)]
    positions = half and g.chance(0.3)
    operands += [
        g.leaf(g.rng.integers(0, 9, (batch, length))) if positions else None,
        bias_of(g, dtype, (batch, heads, length, total)) if g.chance(0.2) else None,
        tensor(heads) if g.chance(0.15) else None]
    window = g.choice([None, None, -1, 1, 3])
    g.emit(op, *operands, results=[True, True, True, scores is not None], num_heads=heads,
           kv_num_heads=shared, local_window_size=window,
           causal=0 if window in (None, -1) and g.chance(0.15) else None,
           scale=g.choice([None, 0.25]), softcap=g.choice([None, None, 2.0]),
           do_rotary=1 if half else None,
           rotary_interleaved=g.choice([None, 0, 1]) if half else None,
           smooth_softmax=1 if g.chance(0.15) else None, qk_output=scores, domain=MICROSOFT)


@row("RotaryEmbedding", domain=MICROSOFT)
def rotary(g, op):
    dtype = g.dtype(op, domain=MICROSOFT)
    batch, heads, length = g.choice([1, 2]), g.choice([1, 2, 3]), g.extent(7, 1)
    width = g.choice([2, 4, 6, 8, 16])
    part = g.choice([d for d in (2, 4, 8) if d < width] or [0]) if g.chance(0.4) else 0
    hasHeads = g.chance(0.4)
    if part and not hasHeads:
        named = {"num_heads": heads}
    else:
        named = {"num_heads": g.choice([None, heads]) if part == 0 else heads}
    x = g.tensor(dtype, (batch, heads, length, width) if hasHeads
                 else (batch, length, heads * width))
    positions = g.rng.integers(0, 10, (batch, length)) if g.chance(0.5) \
        else np.array(g.integer(0, 3)).reshape(g.choice([(), (1,)]))
    caches = [g.tensor(dtype, (10, (part or width) // 2), -1, 1) for _ in range(2)]
    g.emit(op, x, g.leaf(positions), *caches, interleaved=g.choice([None, 0, 1]),
           rotary_embedding_dim=part or None, is_packed_batching=g.choice([None, None, 1]),
           domain=MICROSOFT, **named)


@row("EmbedLayerNormalization", domain=MICROSOFT)
def embeddings(g, op):
    dtype = g.dtype(op, 2, domain=MICROSOFT)
    batch, length, width = g.choice([1, 2, 3]), g.extent(11, 1), g.choice([1, 3, 8, 16, 33])
    words, positions = g.extent(17, 1), g.integer(length, length + 3)
    segments = g.choice([1, 2, 3]) if g.chance(0.7) else 0

    def ids(count, shape):
        return g.leaf(g.rng.integers(0, count, shape).astype(np.int32))

    def table(*shape):
        return g.tensor(dtype, shape, -2, 2)
    mask = g.leaf(g.rng.integers(0, 3, (batch, length)).astype(np.int32)) \
        if g.chance(0.5) else None
    g.emit(op, ids(words, (batch, length)), ids(segments, (batch, length)) if segments else None,
           table(words, width), table(positions, width),
           table(segments, width) if segments else None, table(width), table(width), mask,
           ids(positions, g.choice([(1, length), (batch, length)])) if g.chance(0.4) else None,
           results=[True, mask is not None or g.chance(0.3), g.chance(0.3)],
           epsilon=g.choice([None, float(np.float32(0.01))]),
           mask_index_type=g.choice([None, 0]) if mask is None else None, domain=MICROSOFT)
