# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as scikit-learn's converters write them, but for trees: features, linear models,
support vectors, categories."""
import numpy as np
from onnx import numpy_helper

from builder import DTYPES, Case, Graph, cases

DOMAIN = "ai.onnx.ml"
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def planted(name, shape=(7, 3), dtype="f32", value=None, version=1):
    g = Graph(f"ml_{name}")
    g.versions[DOMAIN] = version
    if value is not None:
        g.input("x", value=np.asarray(value).astype(DTYPES[dtype]))
    else:
        g.input("x", shape, dtype)
    return g


def numbers(g, *shape, low=-1, high=1):
    return [float(v) for v in g.random(shape, "f32", low, high).ravel()]


def one(g, kind, tolerance="exact", result="f32", reference=None, **attributes):
    y = g.op(kind, "x", domain=DOMAIN, **attributes)
    return Case(g.output(y, dtype=result), tolerance, reference)


def classifier(g, kind, tolerance="network", reference=None, **attributes):
    y, scores = g.op(kind, "x", outputs=2, domain=DOMAIN, **attributes)
    return Case(g.output(y, dtype="i64").output(scores, dtype="f32"), tolerance, reference)


@cases
def features():
    rows = [[1, -2, 3], [-1, -2, -3], [0, 0, 0], [0, -1, 0]]
    for norm in ("MAX", "L1", "L2"):
        yield one(planted(f"normalizer_{norm.lower()}", value=rows), "Normalizer", "elementwise",
                  norm=norm)
    yield one(planted("normalizer_i64", dtype="i64", value=rows), "Normalizer", "elementwise",
              norm="L2")
    yield one(planted("normalizer_row", (5,)), "Normalizer", "elementwise")
    missing = [[1, np.nan, 0], [-1, np.nan, 2]]
    for word, values, replaced in (("nan", [7.0], np.nan), ("nans", [7.0, 8.0, 9.0], np.nan),
                                   ("zeros", [7.0, 8.0, 9.0], 0.0)):
        yield one(planted(f"imputer_{word}", value=missing), "Imputer",
                  imputed_value_floats=values, replaced_value_float=replaced)
    yield one(planted("imputer_i64", dtype="i64", value=rows), "Imputer", result="i64",
              imputed_value_int64s=[7, 8, 9], replaced_value_int64=-2)
    for dtype in ("f64", "i64"):  # ONNX Runtime has it for f32 only
        yield one(planted(f"binarizer_{dtype}", dtype=dtype, value=rows), "Binarizer",
                  result=dtype, threshold=0.5, reference=lambda x: [(x > 0.5).astype(x.dtype)])
    g = planted("featurevectorizer", (4, 3))
    y = g.op("FeatureVectorizer", "x", g.input("y", (4, 2)), g.input("z", (4, 2, 2)),
             domain=DOMAIN, inputdimensions=[2, 2, 6])  # cut, as it is, filled with zeros
    yield Case(g.output(y, dtype="f32"), "exact")
    g = planted("featurevectorizer_rows", (3,), "i64")
    y = g.op("FeatureVectorizer", "x", g.input("y", (2,), "i64"), domain=DOMAIN,
             inputdimensions=[3, 1])
    yield Case(g.output(y, dtype="f32"), "exact")


@cases
def categories():
    grid = [[1.5, -2.7, 3], [4, 1, -2]]
    for dtype in ("f32", "f64", "i64"):
        yield one(planted(f"onehotencoder_{dtype}", dtype=dtype, value=grid), "OneHotEncoder",
                  cats_int64s=[3, -2, 1, 9])
    i = [[1, 2, 5], [2, 1, 1]]
    f = [[1, np.nan, 0], [-1, np.nan, 2]]
    nan = float("nan")
    for version in (2, 4):
        def encoder(word, dtype, value, result, **attributes):
            g = planted(f"labelencoder_{version}_{word}", dtype=dtype, value=value,
                        version=version)
            return one(g, "LabelEncoder", result=result, **attributes)
        yield encoder("i64_f32", "i64", i, "f32", keys_int64s=[1, 2, 1],
                      values_floats=[0.5, 1.5, 9.0], default_float=3.0)
        yield encoder("i64_i64", "i64", i, "i64", keys_int64s=[1, 2], values_int64s=[7, 8])
        yield encoder("f32_i64", "f32", f, "i64", keys_floats=[nan, 1.0], values_int64s=[7, 8],
                      default_int64=-5)
    for keys, values in (("f64", "f64"), ("i64", "f32"), ("f32", "i64")):
        def tensor(values, kind):
            return numpy_helper.from_array(np.array(values, DTYPES[kind]))
        g = planted(f"labelencoder_tensors_{keys}_{values}", dtype=keys, value=i, version=4)
        yield one(g, "LabelEncoder", result=values, keys_tensor=tensor([1, 2], keys),
                  values_tensor=tensor([4, 6], values), default_tensor=tensor([9], values))


@cases
def linear_models():
    for transform in TRANSFORMS:
        word = transform.lower()
        likely = dict(low=0.0, high=0.3) if transform == "PROBIT" else {}
        g = planted(f"linearregressor_{word}", value=abs(planted("p").inputs["x"]))
        yield one(g, "LinearRegressor", "network", coefficients=numbers(g, 2, 3, **likely),
                  intercepts=[0.1, 0.2], targets=2, post_transform=transform)
        g = planted(f"linearclassifier_{word}", value=abs(planted("p").inputs["x"]))
        yield classifier(g, "LinearClassifier", coefficients=numbers(g, 3, 3, **likely),
                         intercepts=[0.1, 0.2, 0.05], classlabels_ints=[7, -1, 30],
                         post_transform=transform, multi_class=1)
        if transform == "PROBIT":
            continue
        # One target is transformed by none of these.
        g = planted(f"linearregressor_one_{word}")
        yield one(g, "LinearRegressor", "network", coefficients=numbers(g, 3),
                  post_transform=transform)
        g = planted(f"linearclassifier_one_{word}")
        yield classifier(g, "LinearClassifier", coefficients=numbers(g, 3), intercepts=[0.1],
                         classlabels_ints=[5, 9], post_transform=transform)
    for dtype in ("f64", "i32", "i64"):
        g = planted(f"linearclassifier_{dtype}", dtype=dtype)
        yield classifier(g, "LinearClassifier", coefficients=numbers(g, 2, 3),
                         intercepts=[0.1, 0.2], classlabels_ints=[5, 9])
    g = planted("linearregressor_softmax_zero_nan", value=[[1, np.nan, 2], [1, 0, -1]])
    yield one(g, "LinearRegressor", "network", coefficients=numbers(g, 2, 3), targets=2,
              intercepts=[0.1, 0.2], post_transform="SOFTMAX_ZERO")
    g = planted("linearregressor_row", (3,))
    yield one(g, "LinearRegressor", "network", coefficients=numbers(g, 3), intercepts=[0.5])


def machine(g, per_class, features=3, kernel="RBF", coupled=False, **more):
    """The attributes of a classifier with so many support vectors for each class."""
    classes, vectors = len(per_class), sum(per_class)
    pairs = classes * (classes - 1) // 2
    result = dict(coefficients=numbers(g, classes - 1, vectors, low=-2, high=2),
                  support_vectors=numbers(g, vectors, features),
                  rho=numbers(g, pairs), vectors_per_class=list(per_class),
                  kernel_type=kernel, kernel_params=[0.5, 0.125, 3.0],
                  classlabels_ints=list(range(10, 10 + classes)))
    if coupled:
        result |= dict(prob_a=numbers(g, pairs, low=-3, high=-1), prob_b=numbers(g, pairs))
    return result | more


@cases
def support_vectors():
    for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        g = planted(f"svmregressor_{kernel.lower()}")
        yield one(g, "SVMRegressor", "network", kernel_type=kernel, n_supports=5, rho=[0.25],
                  kernel_params=[0.5, 0.125, 2.0], coefficients=numbers(g, 5),
                  support_vectors=numbers(g, 5, 3), post_transform="LOGISTIC")
        g = planted(f"svmclassifier_{kernel.lower()}", (11, 3))
        yield classifier(g, "SVMClassifier", **machine(g, (2, 1, 3, 2), kernel=kernel))
    g = planted("svmregressor_linear_model")
    yield one(g, "SVMRegressor", "network", coefficients=numbers(g, 3), rho=[0.25],
              kernel_params=[0.5, 0.125, 2.0], kernel_type="RBF", n_supports=0)
    g = planted("svmregressor_one_class")
    yield one(g, "SVMRegressor", "network", coefficients=numbers(g, 4), rho=[0.25], n_supports=4,
              support_vectors=numbers(g, 4, 3), kernel_params=[0.5, 0.0, 3.0],
              kernel_type="RBF", one_class=1)
    for transform in TRANSFORMS[:4]:
        word = transform.lower()
        g = planted(f"svmclassifier_two_{word}", (11, 3))
        yield classifier(g, "SVMClassifier", **machine(g, (2, 3), post_transform=transform))
        g = planted(f"svmclassifier_three_{word}", (11, 3))
        yield classifier(g, "SVMClassifier",
                         **machine(g, (2, 1, 3), post_transform=transform))
    for classes in (2, 3, 5):
        g = planted(f"svmclassifier_coupled_{classes}", (23, 3))
        yield classifier(g, "SVMClassifier",
                         **machine(g, [2, 3, 1, 2, 2][:classes], coupled=True))
    g = planted("svmclassifier_coupled_probit", (5, 3), "f64")
    yield classifier(g, "SVMClassifier", **machine(g, (2, 3, 1), coupled=True,
                                                   post_transform="PROBIT"))
    # Scores for each class; of two classes the label goes by the signs of weights.
    for classes, low in ((2, -1), (2, 0), (3, -1)):
        g = planted(f"svmclassifier_linear_{classes}_{'mixed' if low else 'positive'}", (23, 3))
        yield classifier(g, "SVMClassifier", coefficients=numbers(g, classes, 3, low=low),
                         rho=[0.25], kernel_params=[0.5, 0.125, 2.0], post_transform="SOFTMAX",
                         classlabels_ints=list(range(10, 10 + classes)))


@cases
def pipelines():
    """What skl2onnx writes for a few pipelines."""
    g = planted("pipeline_logistic_regression", (9, 4))
    x = g.op("Scaler", "x", domain=DOMAIN, offset=numbers(g, 4), scale=numbers(g, 4, low=0.5))
    label, scores = g.op("LinearClassifier", x, outputs=2, domain=DOMAIN, multi_class=1,
                         classlabels_ints=[0, 1, 2], coefficients=numbers(g, 3, 4),
                         intercepts=numbers(g, 3), post_transform="LOGISTIC")
    scores = g.op("Normalizer", scores, domain=DOMAIN, norm="L1")
    label = g.op("Cast", label, to=7)
    yield Case(g.output(label, dtype="i64").output(scores, dtype="f32"), "network")

    g = planted("pipeline_impute_encode", value=[[1, np.nan], [2, 3], [np.nan, 1]])
    x = g.op("Imputer", "x", domain=DOMAIN, imputed_value_floats=[2.0, 3.0],
             replaced_value_float=float("nan"))
    x = g.op("OneHotEncoder", x, domain=DOMAIN, cats_int64s=[1, 2, 3], zeros=1)
    x = g.op("Reshape", x, g.const(-1, 6))
    y = g.op("LinearRegressor", x, domain=DOMAIN, coefficients=numbers(g, 6), intercepts=[0.5])
    yield Case(g.output(y, dtype="f32"), "network")

    g = planted("pipeline_svc", (9, 3))
    x = g.op("Scaler", "x", domain=DOMAIN, offset=numbers(g, 3), scale=[2.0, 0.5, 1.0])
    label, scores = g.op("SVMClassifier", x, outputs=2, domain=DOMAIN,
                         **machine(g, (3, 2), coupled=True))
    yield Case(g.output(label, dtype="i64").output(scores, dtype="f32"), "network")
