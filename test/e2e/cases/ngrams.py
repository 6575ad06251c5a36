# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of n-grams."""
import numpy as np

from builder import Case, Graph, cases

UNSUPPORTED, BAD_INPUT = 2, 4


@cases
def ngrams():
    unigrams, pairs, triples = [2, 3, 5, 4], [5, 6, 7, 8, 6, 7, 2, 2], [1, 2, 3]

    def counted(name, shape, least, most, skips, mode="TF", columns=None, dtype="i32", **more):
        g = Graph(f"ngrams_{name}")
        x = g.input("x", value=g.random(shape, dtype, 1, 9))
        columns = columns or [0, 1, 2, 3, 4, 5, 6, 7, 8]
        y = g.op("TfIdfVectorizer", x, mode=mode, min_gram_length=least, max_gram_length=most,
                 max_skip_count=skips, ngram_counts=[0, 4, 12], ngram_indexes=columns,
                 pool_int64s=unigrams + pairs + triples, **more)
        return Case(g.output(y, dtype="f32"), "exact")

    weights = [float(w) for w in np.arange(9) / 4 + 1]
    moved = [8, 6, 1, 0, 3, 2, 7, 5, 4]
    yield counted("side_by_side", (3, 37), 2, 2, 0)
    yield counted("skips", (2, 64), 1, 3, 5)
    yield counted("vector", (41,), 1, 2, 1, dtype="i64")
    yield counted("some_columns", (5, 17), 2, 3, 2, columns=[0, 1, 2, 3, 12, 4, 9, 7, 8])
    yield counted("moved", (4, 33), 1, 3, 3, mode="IDF", columns=moved, weights=weights)
    yield counted("weighed", (4, 33), 1, 3, 3, mode="TFIDF", columns=moved, weights=weights)
    shared = [0, 1, 0, 2, 1, 3, 3, 3, 2]  # several n-grams in a column
    yield counted("shared", (4, 33), 1, 3, 3, columns=shared)
    yield counted("present", (4, 33), 1, 3, 0, mode="IDF")
    yield counted("short_rows", (3, 2), 1, 3, 9)
    yield counted("one", (1, 1), 1, 1, 0)


@cases
def refused_ngrams():
    def refused(name, code, reason, **changed):
        g = Graph(f"refuse_ngrams_{name}")
        given = dict(mode="TF", min_gram_length=1, max_gram_length=2, max_skip_count=0,
                     ngram_counts=[0, 2], ngram_indexes=[0, 1, 2], pool_int64s=[1, 2, 3, 4])
        given.update(changed)
        x = g.input("x", value=g.random(given.pop("shape", (3, 5)), given.pop("dtype", "i32"), 0, 9))
        y = g.op("TfIdfVectorizer", x, name="grams", **given)
        return Case(g.output(y, dtype="f32"), "refused", refusal=(code, ("grams", reason)))

    yield refused("cut", BAD_INPUT, "has no whole 2-grams", pool_int64s=[1, 2, 3])
    yield refused("backwards", BAD_INPUT, "has no whole 1-grams from 3 to 2",
                  ngram_counts=[3, 2])
    yield refused("few_columns", BAD_INPUT, "and more in its pool", ngram_indexes=[0, 1])
    yield refused("many_columns", BAD_INPUT, "and 3 in its pool", ngram_indexes=[0, 1, 2, 3])
    yield refused("column", BAD_INPUT, "in column -1", ngram_indexes=[0, -1, 2])
    yield refused("weights", BAD_INPUT, "has 2 weights for 3 n-grams", weights=[0.5, 1.0])
    yield refused("mode", BAD_INPUT, "has the mode 'tf'", mode="tf")
    yield refused("lengths", BAD_INPUT, "counts n-grams of 1 to 3 items", max_gram_length=3)
    yield refused("floats", BAD_INPUT, "a vector or a matrix of i32 or i64", dtype="f32")
    yield refused("far_column", BAD_INPUT, "in column 1073741824", ngram_indexes=[0, 2**30, 1])
    yield refused("crowd", UNSUPPORTED, "needs a constant", ngram_counts=[0], max_gram_length=1,
                  pool_int64s=list(range(64)), ngram_indexes=[2**24 - 1] * 64)
    yield refused("skips", UNSUPPORTED, "with up to 4998 items", max_skip_count=2**30,
                  shape=(1, 5000))
    g = Graph("refuse_ngrams_strings")
    y = g.op("TfIdfVectorizer", g.input("x", (5,), "i32", 0, 9), name="grams", mode="TF",
             min_gram_length=1, max_gram_length=1, max_skip_count=0, ngram_counts=[0],
             ngram_indexes=[0], pool_strings=["a"])
    yield Case(g.output(y, dtype="f32"), "refused",
               refusal=(UNSUPPORTED, ("grams", "works on strings")))
