# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers and a recommender: those of test/models at their published sizes."""
import numpy as np

from workloads import model
from zoo.decoders import angles, gpt2, llama_layer
from zoo.encoders import bert
from zoo.layers import rms_norm
from zoo.recommenders import dlrm
from zoo.vision_transformers import swin, vit


def llama_block(g, length, past):
    """One layer of TinyLlama: 2048 wide, 32 heads in 4 groups. `past` tokens come in as
    keys and values, `length` new ones as embeddings."""
    hidden, heads, groups, inner, total = 2048, 32, 4, 5632, past + length
    x = g.input("embeddings", (1, length, hidden))
    position = g.input("position_ids", value=np.arange(past, total)[None])
    cos, sin = angles(g, position, hidden // heads)
    rows = np.arange(past, total)[:, None] < np.arange(total)
    mask = g.weight(np.where(rows, np.float32(-1e9), np.float32(0))[None, None])
    cache = [g.input(name, (1, groups, past, hidden // heads))
             for name in ("past_key", "past_value")] if past else ()
    x, presents = llama_layer(g, x, length, hidden, heads, groups, inner, cos, sin, mask, cache)
    return g.output(rms_norm(g, x, hidden), *presents, dtype="f32")


model("swin_t", lambda g: swin(g, 224, 96, 3, (2, 2, 6, 2), 1000))
model("vit_b16", lambda g: vit(g, layers=12))
model("bert_base_s128", lambda g: bert(g, 12, 768, 12))
model("bert_tiny", lambda g: bert(g, 2, 128, 2), quick=True)
model("gpt2_s256", lambda g: gpt2(g, 256, 0))
model("llama_prefill_s128", lambda g: llama_block(g, 128, 0))
model("llama_decode", lambda g: llama_block(g, 1, 127))
model("dlrm_b128", lambda g: dlrm(g, batch=128))
