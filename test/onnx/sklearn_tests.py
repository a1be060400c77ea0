#!/usr/bin/env python3
"""Models of scikit-learn as skl2onnx exports them, against ONNX Runtime: sklearn_tests.py FUSE_RUN

A scaler, PCA, logistic regressions of two and of three classes and an MLP, alone and in pipelines, with an open number of
rows: labels are equal, probabilities and numbers within 1e-5. A ZipMap is refused by its name. Skipped (77) where the
packages are not there.
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
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer, StandardScaler
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
    with tempfile.TemporaryDirectory() as folder:
        def run(case):
            name, model, zipped = case
            isclassifier = hasattr(model, "predict_proba")
            options = {id(model): {"zipmap": zipped}} if isclassifier else None
            exported = to_onnx(model, rows[:1], options=options, target_opset={"": 18, "ai.onnx.ml": 3})
            path = os.path.join(folder, f"{name}-{zipped}.onnx")
            onnx.save(exported, path)
            session = onnxruntime.InferenceSession(exported.SerializeToString(), providers=["CPUExecutionProvider"])
            feeds = {session.get_inputs()[0].name: rng.standard_normal((50, 6)).astype(np.float32)}
            names = [output.name for output in session.get_outputs()]
            outputs = dict(zip(names, session.run(names, feeds)))
            if zipped:
                outputs = {names[0]: outputs[names[0]]}
            outcome, message = run_case(tool, path, feeds, outputs, 1e-5, 1e-5)
            if zipped:
                return ("passed", "") if outcome == "refused" and "ZipMap" in message else ("failed", message or "accepted")
            return outcome, message

        cases = [(name, (name, model, False)) for name, model in models.items()]
        cases.append(("zipmap", ("logistic of three", models["logistic of three"], True)))
        return 1 if run_all(cases, run, os.cpu_count(), 0) else 0


if __name__ == "__main__":
    sys.exit(main())
