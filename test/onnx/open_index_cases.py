"""Models of open_tests.py whose operators read or write where indices say."""

import numpy as np

# Name: inputs, nodes that compute y, and initializers.
CASES = {
    "elements": ("float[b,s,6] x, int64[b,s,4] i", "y = GatherElements<axis = 2>(x, i)", {}),
    "elements along": ("float[b,s,6] x, int64[b,5,6] i", "y = GatherElements<axis = 1>(x, i)", {}),
    "fewer elements": ("float[b,s,6] x, int64[b,7,4] i", """
        g = GatherElements<axis = 1>(x, i)
        y = Exp(g)""", {}),
    "elements of a batch": ("float[b,6] x, int64[s,6] i", "y = GatherElements<axis = 0>(x, i)", {}),
    "tuples": ("float[b,s,6] x, int64[b,s,2] i", "y = GatherND(x, i)", {}),
    "triples": ("float[b,s,6] x, int64[s,3] i", "y = GatherND(x, i)", {}),
    "tuples of a batch": ("float[b,s,6] x, int64[b,3,1] i", "y = GatherND<batch_dims = 1>(x, i)", {}),
    "tuples of each": ("float[b,s,6] x, int64[b,s,1] i", "y = GatherND<batch_dims = 2>(x, i)", {}),
    "added elements": ("float[b,s,6] x, int64[b,3,6] i, float[b,3,6] u",
                       "y = ScatterElements<axis = 1, reduction = \"add\">(x, i, u)", {}),
    "added to fewer": ("float[b,s,6] x, int64[b,7,4] i, float[b,7,4] u", """
        e = ScatterElements<axis = 1, reduction = "add">(x, i, u)
        y = Relu(e)""", {}),
    "largest elements": ("float[b,s] x, int64[b,5] i, float[b,5] u",
                         "y = ScatterElements<axis = 1, reduction = \"max\">(x, i, u)", {}),
    "set elements": ("float[b,s,6] x, int64[b,s,1] i, float[b,s,1] u", "y = ScatterElements<axis = 2>(x, i, u)", {}),
    "messages": ("float[s,6] x, int64[b] i, float[b,6] u", """
        c = Unsqueeze(i, last)
        n = Shape(u)
        e = Expand(c, n)
        y = ScatterElements<axis = 0, reduction = "add">(x, e, u)""", {"last": [1]}),
    "updated tuples": ("float[b,s,6] x, int64[s,2] i, float[s,6] u", "y = ScatterND<reduction = \"add\">(x, i, u)", {}),
    "updated rows": ("float[s,b,6] x, int64[b,s,1] i, float[b,s,b,6] u",
                     "y = ScatterND<reduction = \"add\">(x, i, u)", {}),
    "updated slots": ("float[b,s] x, int64[1,2] i, float[1] u", "y = ScatterND(x, i, u)", {}),
    "one-hot": ("int64[b,s] i", "y = OneHot<axis = 1>(i, depth, values)",
                {"depth": 5, "values": np.array([0.25, 2], np.float32)}),
    "one-hot of a length": ("int64[b,s] i", """
        n = Shape(i)
        d = Gather(n, one)
        y = OneHot(i, d, values)""", {"one": 1, "values": np.array([0, 1], np.float32)}),
    "three largest": ("float[b,s,4] x", """
        v, i = TopK<axis = 1>(x, k)
        f = Cast<to = 1>(i)
        y = Add(v, f)""", {"k": [3]}),
    "two smallest": ("float[b,s,4] x", """
        v, i = TopK<axis = -1, largest = 0>(x, k)
        f = Cast<to = 1>(i)
        y = Add(v, f)""", {"k": [2]}),
    "sorted": ("float[b,s] x", """
        n = Shape(x)
        k = Slice(n, one, two)
        y, i = TopK(x, k)""", {"one": [1], "two": [2]}),
    "cache": ("float[b,s,4] x, float[b,2,4] u, int64[b] i", "y = TensorScatter<axis = 1>(x, u, i)", {}),
    "caches of heads": ("float[b,3,s,4] x, float[b,3,2,4] u, int64[b] i",
                        "y = TensorScatter<mode = \"circular\">(x, u, i)", {}),
    "cache from the begin": ("float[b,12,4] x, float[b,s,4] u", "y = TensorScatter<axis = 1>(x, u)", {}),
}
OPSETS = {"cache": 24, "caches of heads": 24, "cache from the begin": 24}
# The least and the most s that the model is defined for.
LEAST = {"three largest": 3, "cache": 2, "caches of heads": 2, "cache from the begin": 1}
MOST = {"cache from the begin": 12}
# Beyond the greatest index; those of a circular cache, and of a linear one with room for two, are no negative ones.
LIMITS = {
    "elements": lambda b, s: 6, "elements along": lambda b, s: s, "fewer elements": lambda b, s: s,
    "elements of a batch": lambda b, s: b, "tuples": min, "triples": lambda b, s: min(b, s, 6),
    "tuples of a batch": lambda b, s: s, "tuples of each": lambda b, s: 6, "added elements": lambda b, s: s,
    "added to fewer": lambda b, s: s, "largest elements": lambda b, s: s, "set elements": lambda b, s: 6,
    "messages": lambda b, s: s, "updated tuples": min, "updated rows": lambda b, s: s, "updated slots": min,
    "one-hot": lambda b, s: 9, "one-hot of a length": lambda b, s: s, "cache": lambda b, s: s - 1,
    "caches of heads": lambda b, s: s,
}
POSITIVE = ("cache", "caches of heads")


# Of what the reference evaluator does not know.
EXPECTED = {"fewer elements": lambda x, i: np.exp(np.take_along_axis(x[:, :, :4], i, axis=1))}
