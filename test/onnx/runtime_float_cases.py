"""Random nodes of com.microsoft and ai.onnx.ml that compute with floats, for runtime_tests.py."""

import numpy as np

from runtime_cases import Case, Constant, F, draw_integers, draw_scale, draw_type, draw_weight_integers, draw_zero, floats, maybe


def sizes(rng, count, low=1, high=6):
    return [int(x) for x in rng.integers(low, high, count)]


# Attention

def draw_mask(rng, batch, queries, keys, kinds=4):
    kind = rng.integers(kinds + 1)
    if kind == 0:
        return None
    if kind == 1:
        return rng.integers(1, keys + 1, batch).astype(np.int32)
    if kind == 2:
        ends = rng.integers(1, keys + 1, batch)
        return np.concatenate([ends, rng.integers(0, ends)]).astype(np.int32)
    shape = (batch, keys) if kind == 3 else (batch, queries, keys)
    return (rng.random(shape) < 0.7).astype(np.int32)


def draw_filter(rng, mask):
    """What is added to the score of a masked key, for a row may mask all of its keys: what is left of its scores beside the
    default, -10000, are multiples of 0.001, and either rounding is right."""
    return {} if mask is None else {"mask_filter_value": float(rng.choice([-50.0, -200.0]))}


def attention(rng):
    batch, length, heads, size = sizes(rng, 4)
    width, values = heads * size, heads * int(rng.integers(1, 6))
    inner = int(rng.integers(1, 9))
    past = int(rng.integers(1, 5)) if rng.random() < 0.4 else 0
    if past or rng.random() < 0.5:
        values = width
    attributes = {"num_heads": heads, "unidirectional": int(rng.integers(2))}
    if values != width:
        attributes["qkv_hidden_sizes"] = [width, width, values]
    if rng.random() < 0.3:
        attributes["scale"] = 0.3
    keys = past + length
    mask = draw_mask(rng, batch, length, keys)
    attributes |= draw_filter(rng, mask)
    bias = floats(rng, int(rng.choice([1, batch])), int(rng.choice([1, heads])), length, keys)
    return Case("Attention",
                [floats(rng, batch, length, inner), Constant(floats(rng, inner, 2 * width + values, scale=0.2)),
                 Constant(floats(rng, 2 * width + values)), mask,
                 floats(rng, 2, batch, heads, past, size) if past else None, maybe(rng, bias, 0.4)],
                attributes, 2 if past else 1)


def quantized_attention(rng):
    batch, length, heads, size = sizes(rng, 4)
    width, inner = heads * size, int(rng.integers(1, 9))
    dtype = draw_type(rng)
    each = (3 * width,) if rng.random() < 0.5 else ()
    past = int(rng.integers(1, 5)) if rng.random() < 0.4 else 0
    keys = past + length
    mask = draw_mask(rng, batch, length, keys)
    return Case("QAttention",
                [draw_integers(rng, (batch, length, inner), np.uint8),
                 Constant(draw_weight_integers(rng, (inner, 3 * width), dtype)), Constant(floats(rng, 3 * width)),
                 Constant(draw_scale(rng)), Constant(draw_scale(rng, each, -9, -6)), mask,
                 Constant(draw_zero(rng, np.uint8)), Constant(draw_zero(rng, dtype)),
                 floats(rng, 2, batch, heads, past, size) if past else None],
                {"num_heads": heads, "unidirectional": int(rng.integers(2))} | draw_filter(rng, mask), 2 if past else 1)


def multi_head(rng):
    batch, length, heads, size = sizes(rng, 4)
    kind = rng.integers(2, 4)  # packed ones are not ONNX Runtime's on a CPU
    keys = length if kind in (0, 3) else int(rng.integers(1, 7))
    width, past, values = heads * size, 0, size
    query, key, value, old = floats(rng, batch, length, width), None, None, (None, None)
    if kind == 0:
        query = floats(rng, batch, length, heads, 3, size)
    elif kind == 1:
        key = floats(rng, batch, keys, heads, 2, size)
    elif kind == 2:
        key, value = floats(rng, batch, heads, keys, size), floats(rng, batch, heads, keys, size)
    else:
        if rng.random() < 0.5:
            past = int(rng.integers(1, 5))
            old = (floats(rng, batch, heads, past, size), floats(rng, batch, heads, past, size))
        else:
            values = int(rng.integers(1, 6))
        key, value = floats(rng, batch, keys, width), floats(rng, batch, keys, heads * values)
    total = past + keys
    bias = maybe(rng, Constant(floats(rng, 2 * width + heads * values))) if kind in (0, 3) else None
    mask = draw_mask(rng, batch, length, total, 1) if rng.random() < 0.5 else None
    if mask is None and rng.random() < 0.3:
        mask = (rng.random((batch, total)) < 0.7).astype(np.int32)
    added = maybe(rng, floats(rng, int(rng.choice([1, batch])), int(rng.choice([1, heads])), length, total), 0.4)
    return Case("MultiHeadAttention", [query, key, value, bias, mask, added, *old],
                {"num_heads": heads, "unidirectional": int(rng.integers(2)) if past + length == total else 0} |
                draw_filter(rng, mask), 3 if past else 1)


def grouped(rng):
    batch, groups = sizes(rng, 2, 1, 4)
    heads, size = groups * int(rng.integers(1, 4)), 16
    isprompt = rng.random() < 0.4
    length = int(rng.integers(1, 7)) if isprompt or rng.random() < 0.3 else 1
    past = 0 if isprompt else int(rng.integers(1, 6))
    total = past + length
    lengths = np.full(batch, total - 1, np.int32)
    if not isprompt and length == 1:
        lengths = rng.integers(0, total, batch).astype(np.int32)
        lengths[0] = total - 1
    elif not isprompt:
        batch, lengths = 1, lengths[:1]
    room = 0 if isprompt else past + int(rng.choice([0, 0, 4]))
    old = (floats(rng, batch, groups, room, size), floats(rng, batch, groups, room, size)) if not isprompt else (None, None)
    turned = int(rng.integers(2))
    pairs = size // 2 if rng.random() < 0.7 else 4
    tables = (Constant(floats(rng, 16, pairs)), Constant(floats(rng, 16, pairs))) if turned else (None, None)
    packed = rng.random() < 0.3
    query = floats(rng, batch, length, (heads + 2 * groups if packed else heads) * size)
    key, value = (None, None) if packed else (floats(rng, batch, length, groups * size), floats(rng, batch, length, groups * size))
    attributes = {"num_heads": heads, "kv_num_heads": groups, "do_rotary": turned, "rotary_interleaved": int(rng.integers(2))}
    if rng.random() < 0.3:
        attributes["local_window_size"] = int(rng.integers(1, 6))
    if rng.random() < 0.3:
        attributes["softcap"] = 2.0
    if rng.random() < 0.3:
        attributes["smooth_softmax"] = 1
    bias = floats(rng, int(rng.choice([1, batch])), int(rng.choice([1, heads])), length, total)
    inputs = [query, key, value, *old, lengths, Constant(np.array(total, np.int32)), *tables, None]
    if rng.random() < 0.3:
        inputs.append(bias)
    return Case("GroupQueryAttention", inputs, attributes, 3)


def rotary(rng):
    batch, length, heads = sizes(rng, 3)
    size = 2 * int(rng.integers(1, 6))
    turned = size if rng.random() < 0.6 else 2 * int(rng.integers(1, size // 2 + 1))
    isfour = rng.random() < 0.5
    attributes = {"interleaved": int(rng.integers(2))}
    if turned < size:
        attributes |= {"rotary_embedding_dim": turned, "num_heads": heads}
    x = floats(rng, batch, heads, length, size) if isfour else floats(rng, batch, length, heads * size)
    positions = rng.integers(0, 12, (batch, length)) if rng.random() < 0.5 else rng.integers(0, 6, 1)
    return Case("RotaryEmbedding", [x, positions.astype(np.int64), Constant(floats(rng, 12, turned // 2)),
                                    Constant(floats(rng, 12, turned // 2))], attributes)


# Norms

def skip_norm(op):
    def draw(rng):
        batch, length, width = sizes(rng, 3)
        skip = [(batch, length, width), (1, length, width), (length, width)][rng.integers(3)]
        rest = [Constant(floats(rng, width))]
        if op == "SkipLayerNormalization":
            rest.append(maybe(rng, Constant(floats(rng, width))))
        return Case(op, [floats(rng, batch, length, width), floats(rng, *skip), *rest, maybe(rng, Constant(floats(rng, width)))],
                    {"epsilon": float(rng.choice([1e-5, 1e-3]))}, [True, False, False, True])
    return draw


def simplified_norm(rng):
    batch, length, width = sizes(rng, 3)
    return Case("SimplifiedLayerNormalization", [floats(rng, batch, length, width), Constant(floats(rng, width))],
                {"axis": -1, "epsilon": 1e-5}, 1, "")


def embed_norm(rng):
    batch, length, width = sizes(rng, 3)
    segments = rng.random() < 0.6
    ids = rng.integers(0, 9, (batch, length)).astype(np.int32)
    return Case("EmbedLayerNormalization",
                [ids, rng.integers(0, 2, (batch, length)).astype(np.int32) if segments else None,
                 Constant(floats(rng, 9, width)), Constant(floats(rng, 8, width)),
                 Constant(floats(rng, 2, width)) if segments else None, Constant(floats(rng, width)), Constant(floats(rng, width)),
                 maybe(rng, (rng.random((batch, length)) < 0.7).astype(np.int32)),
                 maybe(rng, rng.integers(0, 8, (batch, length)).astype(np.int32), 0.3)], {"epsilon": 1e-5}, 3)


# Products

def activations(rng):
    kinds = [("", None), ("Relu", None), ("Tanh", None), ("Sigmoid", None), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 1.5]),
             ("HardSigmoid", [0.3, 0.4])]
    return kinds[rng.integers(len(kinds))]


def fused_matmul(rng):
    m, k, n, batch = sizes(rng, 4)
    flags = {name: int(rng.integers(2)) for name in ("transA", "transB")}
    lhs, rhs = ((k, m) if flags["transA"] else (m, k)), ((n, k) if flags["transB"] else (k, n))
    if rng.random() < 0.5:
        both = {name: int(rng.integers(2)) for name in ("transBatchA", "transBatchB")}
        flags |= both
        lhs = (lhs[0], batch, lhs[1]) if both["transBatchA"] else (batch, *lhs)
        rhs = (rhs[0], batch, rhs[1]) if both["transBatchB"] else (batch, *rhs)
    return Case("FusedMatMul", [floats(rng, *lhs), floats(rng, *rhs)], {**flags, "alpha": float(rng.choice([1.0, 0.3]))})


def fused_gemm(rng):
    m, k, n = sizes(rng, 3)
    flags = {name: int(rng.integers(2)) for name in ("transA", "transB")}
    name, parameters = activations(rng)
    while name in ("Clip", ""):
        name, parameters = activations(rng)
    attributes = {**flags, "activation": name, "alpha": 0.7, "beta": float(rng.choice([1.0, 0.4]))}
    for key, value in zip(("activation_alpha", "activation_beta"), parameters or []):
        attributes[key] = value
    return Case("FusedGemm", [floats(rng, *((k, m) if flags["transA"] else (m, k))),
                              Constant(floats(rng, *((n, k) if flags["transB"] else (k, n)))),
                              maybe(rng, Constant(floats(rng, *((n,) if rng.random() < 0.5 else (m, n)))))], attributes)


def fused_conv(rng):
    groups = int(rng.choice([1, 2]))
    channels, filters, k = groups * int(rng.integers(1, 5)), groups * int(rng.integers(1, 5)), int(rng.integers(1, 4))
    name, parameters = activations(rng)
    while not name:
        name, parameters = activations(rng)
    attributes = {"activation": name, "group": groups, "kernel_shape": [k, k], "pads": [k // 2] * 4}
    if parameters:
        attributes["activation_params"] = parameters
    height = 7 + 2 * (k // 2) - k + 1
    added = maybe(rng, floats(rng, 2, filters, height, height + 1))
    return Case("FusedConv", [floats(rng, 2, channels, 7, 8), Constant(floats(rng, filters, channels // groups, k, k)),
                              maybe(rng, Constant(floats(rng, filters))) if added is None else Constant(floats(rng, filters)),
                              added], attributes)


def nhwc_max_pool(rng):
    kernel = sizes(rng, 2, 1, 4)
    return Case("NhwcMaxPool", [draw_integers(rng, (2, 9, 8, 5), draw_type(rng))],
                {"kernel_shape": kernel, "strides": sizes(rng, 2, 1, 3), "pads": [int(rng.integers(k)) for k in kernel * 2],
                 "ceil_mode": int(rng.integers(2))})


def elementwise(op, bias=False, attributes=lambda rng: {}):
    def draw(rng):
        width = int(rng.integers(1, 20))
        added = [Constant(floats(rng, width))] if bias else []
        if op == "FastGelu" and rng.random() < 0.5:
            added = []
        return Case(op, [floats(rng, 3, 4, width, scale=3.0), *added], attributes(rng))
    return draw


# Classical models

def scaler(rng):
    width = int(rng.integers(1, 6))
    each = width if rng.random() < 0.7 else 1
    x = rng.choice([0, 1])
    data = floats(rng, 4, width) if x else rng.integers(-9, 9, (4, width)).astype(np.int64)
    return Case("Scaler", [data], {"offset": [float(v) for v in floats(rng, each)],
                                   "scale": [float(v) for v in floats(rng, each)]}, 1, "ai.onnx.ml")


def normalizer(rng):
    data = floats(rng, 4, int(rng.integers(1, 6)))
    data[rng.integers(4)] = 0
    return Case("Normalizer", [data], {"norm": str(rng.choice(["MAX", "L1", "L2"]))}, 1, "ai.onnx.ml")


def regressor(rng):
    width, targets = sizes(rng, 2)
    return Case("LinearRegressor", [floats(rng, 4, width)],
                {"coefficients": [float(v) for v in floats(rng, width * targets)],
                 "intercepts": [float(v) for v in floats(rng, targets)], "targets": targets}, 1, "ai.onnx.ml")


def classifier(rng):
    width, classes = int(rng.integers(1, 6)), int(rng.integers(2, 6))
    scores = 1 if classes == 2 and rng.random() < 0.5 else classes
    return Case("LinearClassifier", [floats(rng, 9, width)],
                {"coefficients": [float(v) for v in floats(rng, width * scores)],
                 "intercepts": [float(v) for v in floats(rng, scores)],
                 "classlabels_ints": [int(v) for v in rng.permutation(20)[:classes]],
                 "post_transform": str(rng.choice(["NONE", "LOGISTIC", "SOFTMAX"]) if scores > 1 else
                                       rng.choice(["NONE", "LOGISTIC"]))}, 2, "ai.onnx.ml")


def extractor(rng):
    data = floats(rng, *([(7,), (4, 7)][rng.integers(2)]))
    return Case("ArrayFeatureExtractor", [data, Constant(rng.integers(0, 7, int(rng.integers(1, 5))))], {}, 1, "ai.onnx.ml")


OPERATORS = {
    "Attention": attention, "QAttention": quantized_attention, "MultiHeadAttention": multi_head,
    "GroupQueryAttention": grouped, "RotaryEmbedding": rotary, "SkipLayerNormalization": skip_norm("SkipLayerNormalization"),
    "SkipSimplifiedLayerNormalization": skip_norm("SkipSimplifiedLayerNormalization"),
    "SimplifiedLayerNormalization": simplified_norm, "EmbedLayerNormalization": embed_norm, "FusedMatMul": fused_matmul,
    "FusedGemm": fused_gemm, "FusedConv": fused_conv, "NhwcMaxPool": nhwc_max_pool, "BiasGelu": elementwise("BiasGelu", True),
    "FastGelu": elementwise("FastGelu", True), "Gelu": elementwise("Gelu"),
    "QuickGelu": elementwise("QuickGelu", attributes=lambda rng: {"alpha": float(rng.choice([1.702, 0.5]))}),
    "Scaler": scaler, "Normalizer": normalizer, "LinearRegressor": regressor, "LinearClassifier": classifier,
    "ArrayFeatureExtractor": extractor,
}
