"""Attention: queries, keys and values in several layouts, scaled and masked anywhere."""
import numpy as np

from patterns import Pattern
from spelling import CASTS, UNITS, add_units, there_and_back

B, H, L, S, D = 2, 4, 32, 48, 16


class Attention(Pattern):
    name = "attention"
    choices = {"q": ["heads", "heads", "split", "merged-batch"], "keys": ["transpose_rhs", "transpose-op", "given"],
               "scale": ["q", "k", "scores", "scores-div", "scores-swapped", "both"],
               "mask": [None, "add", "add-swapped", "select", "select-not", "add-before-scale", "causal",
                        "causal-swapped"],
               "softmax": ["op", "hand", "hand-reciprocal", "late-division", "late-reciprocal", "no-keep"],
               "cast": CASTS, "units": UNITS, "at": [0, 1, 2], "out": ["heads", "heads", "merged"]}

    def __init__(self, random):
        self.inputs = {"q": random.standard_normal((B, H, L, D)), "k": random.standard_normal((B, H, S, D)),
                       "v": random.standard_normal((B, H, S, D))}
        i = self.inputs
        i["kt"] = i["k"].swapaxes(2, 3).copy()
        for n in "qkv":  # (batch, position, heads · head dim), as a linear layer gives it
            i["s" + n] = i[n].transpose(0, 2, 1, 3).reshape(B, -1, H * D).copy()
        keep = random.uniform(size=(B, 1, L, S)) < 0.7
        keep[..., 0] = True
        i["keep"], i["drop"] = keep, ~keep
        i["mask"] = np.where(keep, 0.0, -1e9)

    def reference(self, c):
        i = self.inputs
        scores = np.einsum("bhld,bhsd->bhls", i["q"], i["k"]) / 4
        if c["mask"] and c["mask"].startswith("causal"):
            scores = np.where(np.arange(S)[None, :] <= np.arange(L)[:, None], scores, -1e9)
        elif c["mask"]:
            scores = np.where(i["keep"], scores, -1e9)
        p = np.exp(scores - scores.max(-1, keepdims=True))
        y = np.einsum("bhls,bhsd->bhld", p / p.sum(-1, keepdims=True), i["v"])
        return y.transpose(0, 2, 1, 3).reshape(B, L, H * D) if c["out"] == "merged" else y

    def write(self, f, c):
        between = lambda x, at: (add_units(f, there_and_back(f, x, c["cast"]), c["units"])
                                 if c["at"] == at else x)
        batch = (B * H,) if c["q"] == "merged-batch" else (B, H)

        def read(n, length, transposed=False):
            if c["q"] == "split":
                x = f.reshape(f.argument("s" + n, (B, length, H * D)), (B, length, H, D))
                return f.transpose(x, (0, 2, 3, 1) if transposed else (0, 2, 1, 3))
            x = f.reshape(f.argument(n, (B, H, length, D)), batch + (length, D))
            rank = len(x.shape)
            return f.transpose(x, (*range(rank - 2), rank - 1, rank - 2)) if transposed else x

        q, v = between(read("q", L), 0), read("v", S)
        scale = c["scale"]
        if scale == "q":
            q = f.binary("mul", q, f.constant(0.25))
        elif scale == "both":
            q = f.binary("mul", f.constant(0.5), q)
        if c["keys"] == "given" and c["q"] != "split":
            k = f.reshape(f.argument("kt", (B, H, D, S)), batch + (D, S))
        else:
            k = read("k", S, transposed=c["keys"] == "transpose-op")
        flipped = k.shape[-1] != D
        if scale in ("k", "both"):
            k = f.either("mul", k, f.constant(0.25 if scale == "k" else 0.5), scale == "both")
        scores = f.matmul(q, k, transpose_rhs=not flipped)
        scores = between(scores, 1)

        def grouped(x):
            """The scores as the mask sees them: batch and heads apart."""
            return f.reshape(x, (B, H, L, S))

        how = c["mask"]
        if how == "add-before-scale":
            scores = f.binary("add", grouped(scores), f.argument("mask", (B, 1, L, S)))
        if scale == "scores":
            scores = f.binary("mul", scores, f.constant(0.25))
        elif scale == "scores-swapped":
            scores = f.binary("mul", f.constant(0.25), scores)
        elif scale == "scores-div":
            scores = f.binary("div", scores, f.constant(4))
        if how in ("add", "add-swapped"):
            scores = f.either("add", grouped(scores), f.argument("mask", (B, 1, L, S)), how == "add-swapped")
        elif how == "select":
            scores = f.select(f.argument("keep", (B, 1, L, S), "i1"), grouped(scores), f.constant(-1e9))
        elif how == "select-not":
            scores = f.select(f.argument("drop", (B, 1, L, S), "i1"), f.constant(-1e9), grouped(scores))
        elif how in ("causal", "causal-swapped"):
            rows, columns = f.iota(0, (L, S)), f.iota(1, (L, S))
            if how == "causal":
                keep = f.compare("le", columns, rows)
                scores = f.select(keep, scores, f.constant(-1e9))
            else:
                drop = f.compare("lt", rows, columns)
                scores = f.select(drop, f.constant(-1e9), scores)
        scores = f.reshape(scores, batch + (L, S))
        y = self.attend(f, c, scores, v)
        y = between(y, 2)
        y = f.reshape(y, (B, H, L, D))
        if c["out"] == "merged":
            y = f.reshape(f.transpose(y, (0, 2, 1, 3)), (B, L, H * D))
        return y

    def attend(self, f, c, scores, v):
        rank, how = len(scores.shape), c["softmax"]
        if how == "op":
            return f.matmul(f.functional([scores], f"fuse.softmax@ dimension = {rank - 1}", scores.shape), v)
        keep = how != "no-keep"
        column = scores.shape[:-1] + (1,)
        top = f.reshape(f.reduce("max", scores, [rank - 1], keep), column)
        p = f.unary("exp", f.binary("sub", scores, top))
        total = f.reshape(f.reduce("sum", p, [rank - 1], keep), column)
        if how == "late-division":
            return f.binary("div", f.matmul(p, v), total)
        if how == "late-reciprocal":
            return f.binary("mul", f.matmul(p, v), f.unary("reciprocal", total))
        if how == "hand-reciprocal":
            return f.matmul(f.binary("mul", p, f.unary("reciprocal", total)), v)
        return f.matmul(f.binary("div", p, total), v)
