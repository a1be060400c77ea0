#!/usr/bin/env python3
"""Models of scikit-learn as skl2onnx exports them, against ONNX Runtime: sklearn_tests.py FUSE_RUN

Scalers, decompositions, linear and Bayesian models, clusters, an MLP and more, alone, in pipelines and over columns, with an
open number of rows: labels are equal, probabilities and numbers within 1e-5. A ZipMap, trees, supports of vectors and imputers
are refused by name. Skipped (77) where the packages are not there.
"""

import os
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime

from running import run_all, run_case

try:
    from skl2onnx import to_onnx
    from sklearn.cluster import KMeans
    from sklearn.compose import ColumnTransformer
    from sklearn.decomposition import PCA, KernelPCA, TruncatedSVD
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge, RidgeClassifier
    from sklearn.mixture import GaussianMixture
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.naive_bayes import BernoulliNB, GaussianNB
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, Normalizer, PolynomialFeatures, RobustScaler, StandardScaler
    from sklearn.svm import SVC, LinearSVC
    from sklearn.tree import DecisionTreeClassifier
except ImportError:
    print("the packages skl2onnx and scikit-learn cannot be had")
    sys.exit(77)


def main():
    tool = os.path.abspath(sys.argv[1])
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((120, 6)).astype(np.float32)
    three = rows[:, :3].argmax(1).astype(np.int64) * 5
    two = (rows[:, 0] + rows[:, 1] > 0).astype(np.int64)
    target = rows @ rng.standard_normal(6)
    mlp = {"hidden_layer_sizes": (7, 5), "max_iter": 30, "random_state": 0}
    models = {
        "scaler": StandardScaler().fit(rows), "pca": PCA(3).fit(rows), "normalizer": Normalizer().fit(rows),
        "regression": LinearRegression().fit(rows, target), "logistic of two": LogisticRegression().fit(rows, two),
        "logistic of three": LogisticRegression().fit(rows, three), "mlp": MLPClassifier(**mlp).fit(rows, three),
        "mlp of two": MLPClassifier(**mlp).fit(rows, two), "mlp regression": MLPRegressor(**mlp).fit(rows, target),
        "pipeline": make_pipeline(StandardScaler(), PCA(4), LogisticRegression()).fit(rows, three),
        "pipeline of two": make_pipeline(StandardScaler(), Normalizer(), MLPClassifier(**mlp)).fit(rows, two),
    }
    models |= {"minmax": MinMaxScaler((-1, 2), clip=True).fit(rows), "robust": RobustScaler().fit(rows),
               "powers": PolynomialFeatures(3, include_bias=False).fit(rows), "bins": KBinsDiscretizer(4, encode="ordinal").fit(rows),
               "kernels": KernelPCA(2).fit(rows), "svd": TruncatedSVD(2).fit(rows), "clusters": KMeans(3, n_init=1).fit(rows),
               "mixture": GaussianMixture(2).fit(rows), "ridge of two targets": Ridge().fit(rows, rows[:, :2] + rows[:, 2:4])}
    for count, labels in (("two", two), ("three", three)):
        for each in (LinearSVC(), RidgeClassifier(), Perceptron(), LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(),
                     GaussianNB(), BernoulliNB(), OneVsRestClassifier(LogisticRegression())):
            models[f"{type(each).__name__} of {count}"] = each.fit(rows, labels)
    columns = ColumnTransformer([("a", StandardScaler(), [0, 2, 4]), ("b", Normalizer(), [1, 5])], remainder="passthrough")
    models["columns"] = make_pipeline(columns, LogisticRegression()).fit(rows, three)
    refused = {"tree": ("TreeEnsembleClassifier", DecisionTreeClassifier(max_depth=3).fit(rows, two)),
               "svc": ("SVMClassifier", SVC().fit(rows, two)), "imputer": ("Imputer", SimpleImputer().fit(rows))}
    with tempfile.TemporaryDirectory() as folder:
        def run(case):
            name, model, zipped, missing = case
            opsets = {"": 18, "ai.onnx.ml": 3}
            try:
                exported = to_onnx(model, rows[:1], options={id(model): {"zipmap": zipped}}, target_opset=opsets)
            except NameError:  # of models without a ZipMap
                exported = to_onnx(model, rows[:1], target_opset=opsets)
            path = os.path.join(folder, f"{name}-{zipped}.onnx")
            onnx.save(exported, path)
            session = onnxruntime.InferenceSession(exported.SerializeToString(), providers=["CPUExecutionProvider"])
            feeds = {session.get_inputs()[0].name: rng.standard_normal((50, 6)).astype(np.float32)}
            names = [output.name for output in session.get_outputs()]
            outputs = dict(zip(names, session.run(names, feeds)))
            if zipped:
                outputs = {names[0]: outputs[names[0]]}
            outcome, message = run_case(tool, path, feeds, outputs, 1e-5, 1e-5)
            if missing:
                return ("passed", "") if outcome == "refused" and missing in message else ("failed", message or "accepted")
            return outcome, message

        cases = [(name, (name, model, False, None)) for name, model in models.items()]
        cases.append(("zipmap", ("logistic of three", models["logistic of three"], True, "ZipMap")))
        cases += [(name, (name, model, False, missing)) for name, (missing, model) in refused.items()]
        return 1 if run_all(cases, run, os.cpu_count(), 0) else 0


if __name__ == "__main__":
    sys.exit(main())
