"""Models of open_tests.py with layers: norms, poolings, resizes, attention, products by equations."""

import numpy as np


def fill(*shape):
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


SCALES = {"scales": np.array([1, 1, 2, 1.5], np.float32)}
POOL = "kernel_shape = [3, 3], strides = [2, 2]"
# Name: inputs, nodes that compute y, and initializers.
CASES = {
    "windows": ("float[b,q,q,6] x", """
        n = Shape(x)
        b1 = Slice(n, zero, one)
        h = Slice(n, one, two)
        g = Div(h, four)
        to = Concat<axis = 0>(b1, g, four, g, four, six)
        r = Reshape(x, to)
        t = Transpose<perm = [0, 1, 3, 2, 4, 5]>(r)
        w = Reshape(t, rows)
        p = Softmax<axis = 1>(w)
        back = Concat<axis = 0>(b1, g, g, four, four, six)
        u = Reshape(p, back)
        v = Transpose<perm = [0, 1, 3, 2, 4, 5]>(u)
        z = Reshape(v, n)
        y = Add(z, x)""", {"zero": [0], "one": [1], "two": [2], "four": [4], "six": [6], "rows": [-1, 16, 6]}),
    "rolled windows": ("float[b,q,6] x", """
        h = Shape<start = 1, end = 2>(x)
        m = Mod(three, h)
        f = Slice(x, zero, m, one)
        l = Slice(x, m, h, one)
        c = Concat<axis = 1>(l, f)
        g = Div(h, four)
        b1 = Shape<start = 0, end = 1>(x)
        to = Concat<axis = 0>(b1, g, four, six)
        r = Reshape(c, to)
        s0 = ReduceSum<keepdims = 1>(r, two)
        e = Mul(r, s0)
        z = Reshape(e, like)
        y = Add(z, x)""", {"zero": [0], "one": [1], "two": [2], "three": [3], "four": [4], "six": [6], "like": [0, -1, 6]}),
    "cache": ("float[b,s,6] x, float[b,3,6] p, float[b,t] m", """
        k = Concat<axis = 1>(p, x)
        u = Transpose<perm = [0, 2, 1]>(k)
        a = MatMul(x, u)
        w = Unsqueeze(m, one)
        c = Add(a, w)
        d = Softmax<axis = -1>(c)
        y = MatMul(d, k)""", {"one": [1]}),
    "groups of images": ("float[b,3,s,s] x", """
        c = Conv<pads = [1, 1, 1, 1]>(x, w)
        r = Reshape(c, groups)
        m = ReduceMean<keepdims = 1>(r, two)
        d = Sub(r, m)
        n = Shape(c)
        i = Reshape(d, n)
        k = Mul(i, g)
        y = Conv<pads = [1, 1, 1, 1]>(k, v)""",
                         {"w": fill(32, 3, 3, 3), "v": fill(4, 32, 3, 3), "groups": [0, 8, -1], "two": [2], "g": fill(32, 1, 1)}),
    "upsampled": ("float[b,3,s,q] x", """
        c = Conv<pads = [1, 1, 1, 1], strides = [1, 2]>(x, w)
        r = Relu(c)
        u = ConvTranspose<strides = [2, 2]>(r, v)
        d = DepthToSpace<blocksize = 2>(c)
        y = Concat<axis = 1>(u, d)""", {"w": fill(32, 3, 3, 3), "v": fill(32, 8, 2, 2)}),
    "turned rows": ("float[s,b] x", """
        t = Transpose<perm = [1, 0]>(x)
        r = Reshape(t, all)
        e = Softmax<axis = 0>(r)
        y = Neg(e)""", {"all": [-1]}),
    "doubled batch": ("float[o,s] x, float[b,s] z", """
        c = Concat<axis = 0>(z, z)
        y = Add(c, x)""", {}),
    "flat softmax": ("float[b,s,6] x", "y = Softmax<axis = 1>(x)", {}),
    "flattened": ("float[b,s,6] x", "f = Flatten<axis = 1>(x)\n y = Neg(f)", {}),
    "flattened images": ("float[b,3,s,s] x", "t = Transpose<perm = [0, 2, 3, 1]>(x)\n y = Flatten<axis = 2>(t)", {}),
    "joined rows": ("float[b,s,6] x", """
        t = Transpose<perm = [1, 0, 2]>(x)
        r = Reshape(t, rows)
        w = MatMul(r, weights)
        y = Relu(w)""", {"rows": [-1, 6], "weights": fill(6, 4)}),
    "hardmax": ("float[b,s,6] x", "y = Hardmax<axis = 1>(x)", {}),
    "last largest": ("float[b,s,6] x", """
        r = Round(x)
        i = ArgMax<axis = 1, select_last_index = 1>(r)
        y = Cast<to = 1>(i)""", {}),
    "group norm": ("float[b,6,s,s] x", "y = GroupNormalization<num_groups = 3>(x, g, h)", {"g": fill(6), "h": fill(6)}),
    "instance norm": ("float[b,6,s] x", "y = InstanceNormalization(x, g, h)", {"g": fill(6), "h": fill(6)}),
    "unit length": ("float[b,3,s] x", "y = LpNormalization<axis = 2>(x)", {}),
    "euclidean": ("float[b,s,6] x", "y = ReduceL2<keepdims = 0>(x, axes)", {"axes": [1]}),
    "to space": ("float[b,8,s,s] x", "r = Relu(x)\n y = DepthToSpace<blocksize = 2, mode = \"CRD\">(r)", {}),
    "to depth": ("float[1,8,b,s] x", "r = DepthToSpace<blocksize = 2>(x)\n y = SpaceToDepth<blocksize = 2>(r)", {}),
    "halves": ("float[b,s,6] x", """
        u, v = Split<axis = 1, num_outputs = 2>(x)
        y = Concat<axis = 1>(v, u)""", {}),
    "parts": ("float[b,s,6] x, float[b,t,6] z", """
        j = Concat<axis = 1>(x, z)
        m = Shape<start = 1, end = 2>(x)
        n = Shape<start = 1, end = 2>(z)
        k = Concat<axis = 0>(m, n)
        u, v = Split<axis = 1>(j, k)
        y = Concat<axis = 1>(v, u)""", {}),
    "scores": ("float[b,s,4,6] x, float[b,t,4,6] z", "y = Einsum<equation = \"bqhd,bkhd->bhqk\">(x, z)", {}),
    "weighted": ("float[b,t,4,6] x, float[b,4,s,t] z", "y = Einsum<equation = \"bkhd,bhqk->bqhd\">(x, z)", {}),
    "features": ("float[b,s,6] x", "y = Einsum<equation = \"bsd,df->bsf\">(x, w)", {"w": fill(6, 4)}),
    "outer": ("float[b] x, float[s] z", "y = Einsum<equation = \"i,j->ij\">(x, z)", {}),
    "row products": ("float[b,s] x, float[b,s] z", "y = Einsum<equation = \"bs,bs->b\">(x, z)", {}),
    "attention": ("float[b,s,24] x, float[b,t,24] k, float[b,t,24] v",
                  "y = Attention<q_num_heads = 4, kv_num_heads = 4>(x, k, v)", {}),
    "attention of groups": ("float[b,4,s,6] x, float[b,2,t,6] k, float[b,2,t,6] v, float[s,t] m",
                            "y = Attention(x, k, v, m)", {}),
    "causal attention": ("float[b,4,s,6] x, float[b,4,s,6] k, float[b,4,s,6] v, float[b,4,t,6] p, float[b,4,t,6] q", """
        y, c, d = Attention<is_causal = 1>(x, k, v, , p, q)""", {}),
    "rotary": ("float[b,s,24] x, float[b,s,3] c, float[b,s,3] d", "y = RotaryEmbedding<num_heads = 4>(x, c, d)", {}),
    "same means": ("float[1,3,b,s] x", f'y = AveragePool<{POOL}, auto_pad = "SAME_UPPER">(x)', {}),
    "rounded means": ("float[1,3,b,s] x", f"y = AveragePool<{POOL}, ceil_mode = 1, pads = [1, 1, 1, 1]>(x)", {}),
    "rounded means of padding": ("float[1,3,b,s] x", f"""
        y = AveragePool<{POOL}, ceil_mode = 1, pads = [1, 1, 1, 1], count_include_pad = 1>(x)""", {}),
    "rounded maxima": ("float[1,3,b,s] x", f"y = MaxPool<{POOL}, ceil_mode = 1, pads = [1, 1, 1, 1]>(x)", {}),
    "linear": ("float[1,3,b,s] x", "y = Resize<mode = \"linear\">(x, , scales)", SCALES),
    "aligned": ("float[1,3,b,s] x", """
        y = Resize<mode = "linear", coordinate_transformation_mode = "align_corners">(x, , scales)""", SCALES),
    "shrunk": ("float[1,3,b,s] x", "y = Resize<mode = \"linear\", axes = [3]>(x, , scales)",
               {"scales": np.array([0.5], np.float32)}),
    "nearest": ("float[1,3,b,s] x", "y = Resize<mode = \"nearest\">(x, , scales)", SCALES),
    "cubic": ("float[1,3,b,s] x", "y = Resize<mode = \"cubic\">(x, , scales)", SCALES),
    "to a size": ("float[b,3,s,s] x", "y = Resize<mode = \"linear\", axes = [2, 3]>(x, , , sizes)", {"sizes": [5, 7]}),
    "to another's size": ("float[1,3,b,s] x, float[1,3,t,b] z", """
        m = Shape<end = 2>(x)
        n = Shape<start = 2>(z)
        k = Concat<axis = 0>(m, n)
        r = Resize<mode = "linear">(x, , , k)
        y = Add(r, z)""", {}),
}
OPSETS = {"flat softmax": 11, "group norm": 21, "attention": 23, "attention of groups": 23, "causal attention": 23,
          "rotary": 23}
# The least s that the model is defined for.
LEAST = {name: 1 for name in ("hardmax", "last largest", "group norm", "instance norm", "unit length", "to space", "halves",
                              "linear", "aligned", "nearest", "cubic", "to a size", "to another's size", "flat softmax")}
LEAST |= {"shrunk": 2, "to depth": 1, "same means": 1, "rounded means": 2, "rounded means of padding": 2,
          "rounded maxima": 2}
