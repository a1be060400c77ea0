"""Random nodes of ai.onnx.ml, for runtime_tests.py."""

import numpy as np

from runtime_cases import Case, Constant, floats


def draw_rows(rng, width, least_rank=1):
    """Rows of features, of a type that ONNX Runtime takes, or one row."""
    dtype = np.dtype(rng.choice(["f4", "f4", "f8", "i8", "i4"]))
    rows = int(rng.choice([1, 4, 9, 33]))
    shape = (width,) if least_rank == 1 and rng.random() < 0.15 else (rows, width)
    return np.asarray(rng.integers(-9, 9, shape) if dtype.kind == "i" else rng.standard_normal(shape), dtype)


def numbers(rng, count):
    return [float(v) for v in floats(rng, count)]


def draw_width(rng):
    return int(rng.choice([1, 2, 3, 5, 8, 17, 40]))


def scaler(rng):
    width = draw_width(rng)
    each = width if rng.random() < 0.7 else 1
    return Case("Scaler", [draw_rows(rng, width)], {"offset": numbers(rng, each), "scale": numbers(rng, each)}, 1, "ai.onnx.ml")


def normalizer(rng):
    data = draw_rows(rng, draw_width(rng))
    if data.ndim == 2:
        data[rng.integers(len(data))] = 0
    return Case("Normalizer", [data], {"norm": str(rng.choice(["MAX", "L1", "L2"]))}, 1, "ai.onnx.ml")


def draw_transform(rng):
    return str(rng.choice(["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"]))


def regressor(rng):
    width, targets = draw_width(rng), int(rng.integers(1, 6))
    attributes = {"coefficients": numbers(rng, width * targets), "targets": targets}
    if rng.random() < 0.8:
        attributes["intercepts"] = numbers(rng, targets)
    if rng.random() < 0.3:
        attributes["post_transform"] = draw_transform(rng)
    return Case("LinearRegressor", [draw_rows(rng, width, 2).astype(np.float32)], attributes, 1, "ai.onnx.ml")


def classifier(rng):
    width, classes = draw_width(rng), int(rng.integers(2, 6))
    scores = 1 if classes == 2 and rng.random() < 0.5 else classes
    return Case("LinearClassifier", [draw_rows(rng, width)],
                {"coefficients": numbers(rng, width * scores), "intercepts": numbers(rng, scores),
                 "classlabels_ints": [int(v) for v in rng.permutation(20)[:classes]], "multi_class": int(rng.integers(2)),
                 "post_transform": draw_transform(rng)}, 2, "ai.onnx.ml")


def extractor(rng):
    data = np.asarray(rng.standard_normal([(7,), (4, 7), (2, 3, 7), (1, 7)][rng.integers(4)]) * 50,
                      np.dtype(rng.choice(["f4", "f8", "i8", "i4"])))
    count = int(rng.integers(1, 9))
    indices = rng.integers(0, 7, (1, count) if rng.random() < 0.3 else count)
    return Case("ArrayFeatureExtractor", [data, Constant(indices) if rng.random() < 0.6 else indices], {}, 1, "ai.onnx.ml")


OPERATORS = {"Scaler": scaler, "Normalizer": normalizer, "LinearRegressor": regressor, "LinearClassifier": classifier,
             "ArrayFeatureExtractor": extractor}
