# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of models and features of ai.onnx.ml, but for trees. Weights and elements are quarters,
so that sums are exact and a label does not hang by a rounding."""
import numpy as np

from graph import DTYPES
from rows import row

ML = "ai.onnx.ml"
TRANSFORMS = [None, "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]


def features(g, op, **demands):
    return g.tensor(g.dtype(op, domain=ML), rank=[1, 2, 2], least=1, most=9, exact=True,
                    **demands)


def quarters(g, *shape, least=-8):
    return [float(v) / 4 for v in g.rng.integers(least, 9, int(np.prod(shape)))]


def labels(classes):
    return list(range(5, 5 + classes))


@row("LinearRegressor", domain=ML)
def linear_regressor(g, op):
    x = features(g, op)
    targets = g.choice([1, 2, 3])
    g.emit(op, x, domain=ML, targets=targets, coefficients=quarters(g, targets, x.shape[-1]),
           intercepts=quarters(g, targets) if g.chance(0.7) else None,
           post_transform=g.choice(TRANSFORMS))


@row("LinearClassifier", domain=ML)
def linear_classifier(g, op):
    x = features(g, op)
    classes = g.choice([2, 3, 4])
    scores = g.choice([1, 2]) if classes == 2 else classes
    g.emit(op, x, domain=ML, results=2, classlabels_ints=labels(classes),
           coefficients=quarters(g, scores, x.shape[-1]), intercepts=quarters(g, scores),
           post_transform=g.choice(TRANSFORMS), multi_class=g.choice([None, 0, 1]))


def kernel(g):
    return {"kernel_type": g.choice(["LINEAR", "POLY", "RBF", "SIGMOID"]),
            "kernel_params": [0.25, 0.5, float(g.choice([1, 2, 3]))]}


@row("SVMRegressor", domain=ML)
def vector_regressor(g, op):
    x = features(g, op)
    count = g.choice([0, 1, 4])
    g.emit(op, x, domain=ML, n_supports=count, coefficients=quarters(g, count or x.shape[-1]),
           support_vectors=quarters(g, count, x.shape[-1]) if count else None,
           rho=quarters(g, 1), **kernel(g))


@row("SVMClassifier", domain=ML)
def vector_classifier(g, op):
    x = features(g, op)
    classes = g.choice([2, 3, 4])
    pairs = classes * (classes - 1) // 2
    if g.chance(0.2):
        g.emit(op, x, domain=ML, results=2, classlabels_ints=labels(classes), rho=quarters(g, 1),
               coefficients=quarters(g, classes, x.shape[-1]),
               post_transform=g.choice(TRANSFORMS), **kernel(g))
        return
    counts = [g.choice([1, 2, 3]) for _ in range(classes)]
    coupled = g.chance(0.4)
    g.emit(op, x, domain=ML, results=2, classlabels_ints=labels(classes), rho=quarters(g, pairs),
           vectors_per_class=counts, support_vectors=quarters(g, sum(counts), x.shape[-1]),
           coefficients=quarters(g, classes - 1, sum(counts)),
           prob_a=[-v for v in quarters(g, pairs, least=1)] if coupled else None,
           prob_b=quarters(g, pairs) if coupled else None,
           post_transform=g.choice(TRANSFORMS), **kernel(g))


@row("Normalizer", domain=ML)
def normalizer(g, op):
    g.emit(op, features(g, op), domain=ML, norm=g.choice([None, "MAX", "L1", "L2"]))


@row("Imputer", domain=ML)
def imputer(g, op):
    x = features(g, op)
    count = g.choice([1, x.shape[-1]])
    if x.dtype == "i64":
        g.emit(op, x, domain=ML, imputed_value_int64s=[int(v) for v in g.rng.integers(-9, 9, count)],
               replaced_value_int64=g.choice([0, 1]))
    else:
        g.emit(op, x, domain=ML, imputed_value_floats=quarters(g, count),
               replaced_value_float=g.choice([0.0, 1.0, float("nan")]))


@row("OneHotEncoder", domain=ML)
def one_hot_encoder(g, op):
    x = g.tensor(g.choice(["i64", "f32", "f64"]), low=-6, high=6, rank=[1, 2],
                 exact=True)
    g.emit(op, x, domain=ML, cats_int64s=[int(v) for v in g.rng.permutation(9)[:5] - 4])


@row("LabelEncoder", domain=ML)
def label_encoder(g, op):
    key, value = g.choice([("int64s", "int64s"), ("int64s", "floats"), ("floats", "int64s"),
                           ("floats", "floats")])
    dtype = "i64" if key == "int64s" else "f32"
    keys = g.rng.integers(-3, 4, 4).astype(DTYPES[dtype]).tolist()
    values = g.rng.integers(-9, 9, 4).astype(DTYPES["i64" if value == "int64s" else "f32"]).tolist()
    x = g.leaf(g.rng.integers(-4, 5, (g.extent(5), 3)).astype(DTYPES[dtype]), "input")
    g.emit(op, x, domain=ML, default_int64=g.choice([None, 7]), default_float=g.choice([None, 0.5]),
           **{f"keys_{key}": keys, f"values_{value}": values})


@row("FeatureVectorizer", domain=ML)
def feature_vectorizer(g, op):
    dtype, count = g.dtype(op, domain=ML), g.extent(5, 1)
    parts = [g.tensor(dtype, (count, g.extent(4, 1)), exact=True) for _ in range(g.integer(1, 3))]
    g.emit(op, *parts, domain=ML,
           inputdimensions=[max(1, p.shape[1] + g.integer(-1, 2)) for p in parts])
