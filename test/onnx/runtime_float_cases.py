"""Random nodes of com.microsoft and ai.onnx.ml that compute with floats, for runtime_tests.py."""

import numpy as np

from runtime_cases import (Case, Constant, F, draw_integers, draw_scale, draw_shape, draw_type, draw_weight_integers, draw_zero,
                           floats, keep, maybe, sometimes_half)
from runtime_linear_cases import draw_convolution, draw_window


def sizes(rng, count, low=1, high=6):
    """Small numbers; units and ones past a vector's elements among them."""
    drawn = [int(x) for x in rng.integers(low, high, count)]
    if rng.random() < 0.25:
        drawn[rng.integers(count)] = int(rng.choice([1, 7, 8, 17, 33]))
    return drawn


def draw_bias(rng, batch, heads, queries, keys):
    """What is added to scores, with lines that the batch or the heads share."""
    return floats(rng, int(rng.choice([1, batch])), int(rng.choice([1, heads])), queries, keys)


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
    if kind == 3 and rng.random() < 0.1:
        return np.ones((int(rng.choice([1, batch])), 1), np.int32)  # stands for no mask
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
    bias = draw_bias(rng, batch, heads, length, keys)
    return Case("Attention",
                [floats(rng, batch, length, inner), keep(rng, floats(rng, inner, 2 * width + values, scale=0.2)),
                 keep(rng, floats(rng, 2 * width + values)), mask,
                 floats(rng, 2, batch, heads, past, size) if past else None, maybe(rng, bias, 0.4)],
                attributes, 2 if values == width and (past or rng.random() < 0.2) else 1)


def quantized_attention(rng):
    batch, length, heads, size = sizes(rng, 4)
    width, inner = heads * size, int(rng.integers(1, 9))
    dtype = draw_type(rng)
    each = (3 * width,) if rng.random() < 0.5 else ()
    past = int(rng.integers(1, 5)) if rng.random() < 0.4 else 0
    keys = past + length
    mask = draw_mask(rng, batch, length, keys)
    # Inputs of at most 2: with scores of thousands, what f32 rounds off of them is as much as the tolerance.
    return Case("QAttention",
                [draw_integers(rng, (batch, length, inner), np.uint8),
                 Constant(draw_weight_integers(rng, (inner, 3 * width), dtype)), Constant(floats(rng, 3 * width)),
                 Constant(draw_scale(rng, (), -9, -7)), Constant(draw_scale(rng, each, -9, -6)), mask,
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
    added = maybe(rng, draw_bias(rng, batch, heads, length, total), 0.4)
    scale = {"scale": 0.3} if rng.random() < 0.2 else {}
    return Case("MultiHeadAttention", [query, key, value, bias, mask, added, *old],
                {"num_heads": heads, "unidirectional": int(rng.integers(2)) if past + length == total else 0} | scale |
                draw_filter(rng, mask), 3 if past or rng.random() < 0.2 else 1)


def grouped(rng):
    batch, groups = sizes(rng, 2, 1, 4)
    turned = int(rng.integers(2))
    heads, size = groups * int(rng.integers(1, 4)), 16 * int(rng.integers(1, 4)) if turned else 8 * int(rng.integers(1, 6))
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
    if rng.random() < 0.2:
        attributes["scale"] = 0.2
    # ONNX Runtime takes those of the first line for all of a prompt.
    positions = np.tile(np.arange(length) + int(rng.integers(0, 9)), (batch, 1)) if turned and rng.random() < 0.2 else None
    bias = draw_bias(rng, batch, heads, length, total)
    inputs = [query, key, value, *old, lengths, Constant(np.array(total, np.int32)), *tables, positions]
    inputs.append(bias if rng.random() < 0.3 else None)
    if rng.random() < 0.2 and not attributes.get("smooth_softmax"):
        inputs.append(Constant(floats(rng, heads)))
    return Case("GroupQueryAttention", inputs, attributes, 3)


def rotary(rng):
    batch, length, heads = sizes(rng, 3)
    size = 2 * int(rng.integers(1, 6))
    turned = size if rng.random() < 0.6 else 2 * int(rng.integers(1, size // 2 + 1))
    isfour = rng.random() < 0.5
    attributes = {"interleaved": int(rng.integers(2))}
    if rng.random() < 0.2:
        attributes["scale"] = 0.5
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
        shape = (batch, length, width)
        skip = [shape, (1, length, width), (length, width)][rng.integers(3)]
        if rng.random() < 0.2:
            shape = skip = (length, width)
        rest = [Constant(floats(rng, width))]
        if op == "SkipLayerNormalization":
            rest.append(maybe(rng, Constant(floats(rng, width))))
        return Case(op, [floats(rng, *shape), floats(rng, *skip), *rest, maybe(rng, Constant(floats(rng, width)))],
                    {"epsilon": float(rng.choice([1e-5, 1e-3]))}, [True, False, False, True] if rng.random() < 0.7 else 1)
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
                 Constant(floats(rng, 9, width)), Constant(floats(rng, 40, width)),
                 Constant(floats(rng, 2, width)) if segments else None, Constant(floats(rng, width)), Constant(floats(rng, width)),
                 maybe(rng, (rng.random((batch, length)) < 0.7).astype(np.int32)),
                 maybe(rng, rng.integers(0, 40, (int(rng.choice([1, batch])), length)).astype(np.int32), 0.3)], {"epsilon": 1e-5},
                int(rng.integers(2, 4)))


# Products

def activations(rng):
    kinds = [("", None), ("Relu", None), ("Tanh", None), ("Sigmoid", None), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 1.5]),
             ("HardSigmoid", [0.3, 0.4])]
    return kinds[rng.integers(len(kinds))]


def fused_matmul(rng):
    m, k, n, batch = sizes(rng, 4)
    flags = {name: int(rng.integers(2)) for name in ("transA", "transB")}
    lhs, rhs = ((k, m) if flags["transA"] else (m, k)), ((n, k) if flags["transB"] else (k, n))
    kind = rng.integers(4)
    if kind == 1:
        both = {name: int(rng.integers(2)) for name in ("transBatchA", "transBatchB")}
        flags |= both
        lhs = (lhs[0], batch, lhs[1]) if both["transBatchA"] else (batch, *lhs)
        rhs = (rhs[0], batch, rhs[1]) if both["transBatchB"] else (batch, *rhs)
    elif kind == 2:
        lhs, rhs = [((batch, *lhs), rhs), (lhs, (batch, *rhs)), ((2, 1, *lhs), (batch, *rhs)),
                    ((1, *lhs), (batch, 1, *rhs))][rng.integers(4)]
    elif kind == 3:
        lhs, rhs = [((k,), rhs), ((m, k), (k,)), ((k,), (k,)), ((k,), (batch, *rhs))][rng.integers(4)]
        flags["transA"] = 0  # ONNX Runtime mistakes the rows of a matrix that it is to transpose for a vector's sake
    return Case("FusedMatMul", [floats(rng, *lhs), keep(rng, floats(rng, *rhs))],
                {**flags, "alpha": float(rng.choice([1.0, 0.3]))})


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
    image, filters, attributes = draw_convolution(rng, int(rng.choice([1, 2, 2, 2, 3])))
    name, parameters = activations(rng)
    while not name:
        name, parameters = activations(rng)
    attributes["activation"] = name
    if parameters:
        attributes["activation_params"] = parameters
    added = None
    if "pads" in attributes and rng.random() < 0.5:
        rank, extents = len(image) - 2, []
        for axis, extent in enumerate(image[2:]):
            span = (attributes["kernel_shape"][axis] - 1) * attributes["dilations"][axis] + 1
            room = extent + attributes["pads"][axis] + attributes["pads"][rank + axis] - span
            extents.append(room // attributes["strides"][axis] + 1)
        added = floats(rng, image[0], filters[0], *extents)
    bias = maybe(rng, Constant(floats(rng, filters[0])), 0.5 if added is None else 1.0)
    return Case("FusedConv", [floats(rng, *image), keep(rng, floats(rng, *filters)), bias, added], attributes)


def nhwc_max_pool(rng):
    rank = int(rng.choice([1, 2, 2, 2, 3]))
    _, extents, attributes = draw_window(rng, rank)
    if "auto_pad" not in attributes:
        attributes["ceil_mode"] = int(rng.integers(2))
    shape = (int(rng.integers(1, 5)), *extents, int(rng.choice([1, 3, 5, 16, 33])))
    return Case("NhwcMaxPool", [draw_integers(rng, shape, draw_type(rng))], attributes)


def elementwise(op, bias=False, attributes=lambda rng: {}):
    def draw(rng):
        shape = draw_shape(rng, 1, 4)
        added = [keep(rng, floats(rng, shape[-1]))] if bias else []
        if op == "FastGelu" and rng.random() < 0.5:
            added = []
        return Case(op, [floats(rng, *shape, scale=float(rng.choice([1.0, 3.0, 30.0]))), *added], attributes(rng))
    return draw


HALVES = {
    "GroupQueryAttention": grouped, "RotaryEmbedding": rotary, "SkipLayerNormalization": skip_norm("SkipLayerNormalization"),
    "SkipSimplifiedLayerNormalization": skip_norm("SkipSimplifiedLayerNormalization"),
    "SimplifiedLayerNormalization": simplified_norm, "BiasGelu": elementwise("BiasGelu", True),
    "FastGelu": elementwise("FastGelu", True), "Gelu": elementwise("Gelu"),
    "QuickGelu": elementwise("QuickGelu", attributes=lambda rng: {"alpha": float(rng.choice([1.702, 0.5]))}),
}
OPERATORS = {
    "Attention": attention, "QAttention": quantized_attention, "MultiHeadAttention": multi_head,
    "EmbedLayerNormalization": embed_norm, "FusedMatMul": fused_matmul, "FusedGemm": fused_gemm, "FusedConv": fused_conv,
    "NhwcMaxPool": nhwc_max_pool, **{op: sometimes_half(draw) for op, draw in HALVES.items()},
}
