"""Functions of JAX, as people write them with pure functions and with flax: each with its arguments, and, where sizes may be open, the
shapes that jax.export takes and arguments of another size."""
import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@dataclasses.dataclass
class Case:
    function: Callable
    arguments: tuple
    shapes: Any = None  # with open sizes
    others: tuple = ()  # arguments of another size
    rtol: float = 1e-4
    atol: float = 1e-5


class Maker:
    """Arrays that are the same in each run."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(7)

    def __call__(self, *shape: int, scale: float = 1.0) -> jax.Array:
        return jnp.asarray(self.random.standard_normal(shape) * scale, jnp.float32)

    def weights(self, *shape: int) -> jax.Array:
        return self(*shape, scale=float(np.prod(shape[:-1])) ** -0.5)

    def integers(self, high: int, *shape: int) -> jax.Array:
        return jnp.asarray(self.random.integers(0, high, shape), jnp.int32)


CASES: dict[str, Callable[[Maker], Case]] = {}


def case(make: Callable[[Maker], Case]) -> Callable[[Maker], Case]:
    CASES[make.__name__] = make
    return make


#===- Layers ---------------------------------------------------------------------------------===#


def dense(p: dict, x: jax.Array) -> jax.Array:
    return x @ p["w"] + p["b"]


def make_dense(a: Maker, n: int, m: int) -> dict:
    return {"w": a.weights(n, m), "b": a(m)}


def layer_norm(p: dict, x: jax.Array) -> jax.Array:
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-6) * p["scale"] + p["bias"]


def make_norm(a: Maker, n: int) -> dict:
    return {"scale": 1 + a(n, scale=0.1), "bias": a(n)}


def rms_norm(scale: jax.Array, x: jax.Array) -> jax.Array:
    return x * lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + 1e-6) * scale


def conv(x: jax.Array, w: jax.Array, stride: int = 1, padding: Any = "SAME", groups: int = 1) -> jax.Array:
    return lax.conv_general_dilated(x, w, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                    feature_group_count=groups)


def max_pool(x: jax.Array, size: int = 2, stride: int = 2, padding: str = "VALID") -> jax.Array:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, size, size, 1), (1, stride, stride, 1), padding)


def avg_pool(x: jax.Array, size: int = 2, stride: int = 2, padding: str = "VALID") -> jax.Array:
    window, strides = (1, size, size, 1), (1, stride, stride, 1)
    count = lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, window, strides, padding)
    return lax.reduce_window(x, 0.0, lax.add, window, strides, padding) / count


def batch_norm(p: dict, x: jax.Array) -> jax.Array:
    return (x - p["mean"]) * lax.rsqrt(p["var"] + 1e-5) * p["scale"] + p["bias"]


def make_batch_norm(a: Maker, n: int) -> dict:
    return {"mean": a(n), "var": 0.5 + jnp.abs(a(n)), "scale": a(n), "bias": a(n)}


def attention(p: dict, x: jax.Array, heads: int, mask: Any = None) -> jax.Array:
    *batch, length, width = x.shape
    q, k, v = (jnp.reshape(dense(p[n], x), (*batch, length, heads, width // heads)) for n in "qkv")
    scores = jnp.einsum("...qhd,...khd->...hqk", q, k) / np.sqrt(width // heads)
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    mixed = jnp.einsum("...hqk,...khd->...qhd", jax.nn.softmax(scores), v)
    return dense(p["o"], jnp.reshape(mixed, (*batch, length, width)))


def make_attention(a: Maker, width: int) -> dict:
    return {n: make_dense(a, width, width) for n in "qkvo"}


def block(p: dict, x: jax.Array, heads: int, mask: Any = None) -> jax.Array:
    x = x + attention(p["attention"], layer_norm(p["norm1"], x), heads, mask)
    return x + dense(p["down"], jax.nn.gelu(dense(p["up"], layer_norm(p["norm2"], x))))


def make_block(a: Maker, width: int) -> dict:
    return {"attention": make_attention(a, width), "norm1": make_norm(a, width), "norm2": make_norm(a, width),
            "up": make_dense(a, width, 2 * width), "down": make_dense(a, 2 * width, width)}


#===- Models ---------------------------------------------------------------------------------===#


@case
def mlp(a: Maker) -> Case:
    p = [make_dense(a, n, m) for n, m in ((12, 32), (32, 32), (32, 5))]

    def f(x):
        for layer in p[:-1]:
            x = jax.nn.relu(dense(layer, x))
        return jax.nn.log_softmax(dense(p[-1], x))
    return Case(f, (a(4, 12),), ("b, _",), (a(9, 12),))


@case
def cnn(a: Maker) -> Case:
    """LeNet."""
    p = {"c1": a.weights(5, 5, 1, 6), "c2": a.weights(5, 5, 6, 16), "d1": make_dense(a, 256, 32), "d2": make_dense(a, 32, 10)}

    def f(x):
        x = max_pool(jax.nn.relu(conv(x, p["c1"], padding="VALID")))
        x = avg_pool(jax.nn.relu(conv(x, p["c2"], padding="VALID")))
        x = x.reshape(x.shape[0], -1)
        return dense(p["d2"], jax.nn.tanh(dense(p["d1"], x)))
    return Case(f, (a(2, 28, 28, 1),), ("b, _, _, _",), (a(3, 28, 28, 1),))


@case
def resnet_block(a: Maker) -> Case:
    p = {"c1": a.weights(3, 3, 16, 32), "n1": make_batch_norm(a, 32), "c2": a.weights(3, 3, 32, 32),
         "n2": make_batch_norm(a, 32), "c3": a.weights(1, 1, 16, 32)}

    def f(x):
        y = jax.nn.relu(batch_norm(p["n1"], conv(x, p["c1"], 2)))
        y = batch_norm(p["n2"], conv(y, p["c2"]))
        return jax.nn.relu(y + conv(x, p["c3"], 2))
    return Case(f, (a(1, 14, 14, 16),))


@case
def mobile_block(a: Maker) -> Case:
    """Depthwise convolution, squeeze and excite."""
    p = {"up": a.weights(1, 1, 8, 24), "deep": a.weights(3, 3, 1, 24), "s": make_dense(a, 24, 6), "e": make_dense(a, 6, 24),
         "down": a.weights(1, 1, 24, 8)}

    def f(x):
        y = jax.nn.hard_swish(conv(x, p["up"]))
        y = jax.nn.relu6(conv(y, p["deep"], groups=24))
        weight = jax.nn.hard_sigmoid(dense(p["e"], jax.nn.relu(dense(p["s"], y.mean((1, 2))))))
        return x + conv(y * weight[:, None, None, :], p["down"])
    return Case(f, (a(2, 9, 9, 8),))


@case
def encoder(a: Maker) -> Case:
    table, p = a(50, 32), [make_block(a, 32) for _ in range(2)]

    def f(tokens, mask):
        x = table[tokens] + jnp.sin(jnp.arange(tokens.shape[1])[:, None] * jnp.arange(32) / 32)
        for layer in p:
            x = block(layer, x, 4, mask[:, None, None, :])
        return x
    tokens, others = a.integers(50, 2, 7), a.integers(50, 3, 11)
    return Case(f, (tokens, tokens > 5), ("b, l", "b, l"), (others, others > 5))


@case
def decoder_with_cache(a: Maker) -> Case:
    """One step of a decoder: keys and values are written into a cache at a place that is an argument."""
    p = {**make_block(a, 32), "table": a(40, 32)}

    def f(token, keys, values, place):
        x = p["table"][token][:, None, :]
        y = layer_norm(p["norm1"], x)
        q, k, v = (dense(p["attention"][n], y).reshape(2, 1, 4, 8) for n in "qkv")
        keys = lax.dynamic_update_slice(keys, k, (0, place, 0, 0))
        values = lax.dynamic_update_slice(values, v, (0, place, 0, 0))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, keys) / np.sqrt(8)
        scores = jnp.where(jnp.arange(16)[None, None, None, :] <= place, scores, -jnp.inf)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), values).reshape(2, 1, 32)
        x = x + dense(p["attention"]["o"], mixed)
        x = x + dense(p["down"], jax.nn.gelu(dense(p["up"], layer_norm(p["norm2"], x)), approximate=False))
        return (x[:, 0] @ p["table"].T).argmax(-1), keys, values
    return Case(f, (a.integers(40, 2), a(2, 16, 4, 8), a(2, 16, 4, 8), jnp.int32(5)))


@case
def llama_layer(a: Maker) -> Case:
    """Rotary embeddings, grouped queries, a gated layer."""
    p = {"q": a.weights(32, 32), "k": a.weights(32, 16), "v": a.weights(32, 16), "o": a.weights(32, 32),
         "gate": a.weights(32, 64), "up": a.weights(32, 64), "down": a.weights(64, 32), "n1": 1 + a(32, scale=.1), "n2": 1 + a(32, scale=.1)}

    def rotate(x):
        half = x.shape[-1] // 2
        angles = jnp.arange(x.shape[1])[:, None] * (10000.0 ** (-jnp.arange(half) / half))
        sine, cosine = jnp.sin(angles)[None, :, None, :], jnp.cos(angles)[None, :, None, :]
        left, right = jnp.split(x, 2, axis=-1)
        return jnp.concatenate([left * cosine - right * sine, right * cosine + left * sine], -1)

    def f(x):
        b, l, _ = x.shape
        y = rms_norm(p["n1"], x)
        q = rotate((y @ p["q"]).reshape(b, l, 4, 8))
        k = jnp.repeat(rotate((y @ p["k"]).reshape(b, l, 2, 8)), 2, axis=2)
        v = jnp.repeat((y @ p["v"]).reshape(b, l, 2, 8), 2, axis=2)
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * 8 ** -0.5
        scores = jnp.where(jnp.tril(jnp.ones((l, l), bool)), scores, -1e9)
        x = x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(b, l, 32) @ p["o"]
        y = rms_norm(p["n2"], x)
        return x + (jax.nn.silu(y @ p["gate"]) * (y @ p["up"])) @ p["down"]
    return Case(f, (a(2, 6, 32),), ("b, l, _",), (a(1, 9, 32),))


@case
def dot_product_attention(a: Maker) -> Case:
    """jax.nn's own, causal."""
    return Case(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True), (a(2, 6, 4, 8), a(2, 6, 2, 8), a(2, 6, 2, 8)))


@case
def vit(a: Maker) -> Case:
    p = {"patch": a.weights(4, 4, 3, 32), "class": a(1, 1, 32), "place": a(1, 17, 32), "block": make_block(a, 32),
         "norm": make_norm(a, 32), "head": make_dense(a, 32, 10)}

    def f(x):
        b = x.shape[0]
        x = conv(x, p["patch"], 4, "VALID").reshape(b, -1, 32)
        x = jnp.concatenate([jnp.broadcast_to(p["class"], (b, 1, 32)), x], 1) + p["place"]
        return dense(p["head"], layer_norm(p["norm"], block(p["block"], x, 4))[:, 0])
    return Case(f, (a(2, 16, 16, 3),), ("b, _, _, _",), (a(5, 16, 16, 3),))


@case
def mixer(a: Maker) -> Case:
    p = {"n1": make_norm(a, 24), "n2": make_norm(a, 24), "t1": make_dense(a, 16, 32), "t2": make_dense(a, 32, 16),
         "c1": make_dense(a, 24, 48), "c2": make_dense(a, 48, 24)}

    def f(x):
        y = jnp.swapaxes(layer_norm(p["n1"], x), 1, 2)
        x = x + jnp.swapaxes(dense(p["t2"], jax.nn.gelu(dense(p["t1"], y))), 1, 2)
        return (x + dense(p["c2"], jax.nn.gelu(dense(p["c1"], layer_norm(p["n2"], x)), approximate=False))).mean(1)
    return Case(f, (a(2, 16, 24),))


@case
def scanned_rnn(a: Maker) -> Case:
    w, u = a.weights(8, 16), a.weights(16, 16)

    def f(xs, h):
        def step(h, x):
            h = jnp.tanh(x @ w + h @ u)
            return h, h
        return lax.scan(step, h, xs)
    return Case(f, (a(10, 3, 8), a(3, 16)))


@case
def reversed_lstm(a: Maker) -> Case:
    w, u, bias = a.weights(8, 64), a.weights(16, 64), a(64)

    def f(xs):
        def step(state, x):
            h, c = state
            i, g, o, z = jnp.split(x @ w + h @ u + bias, 4, axis=-1)
            c = jax.nn.sigmoid(g) * c + jax.nn.sigmoid(i) * jnp.tanh(z)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        zero = jnp.zeros((xs.shape[1], 16))
        (h, c), ys = lax.scan(step, (zero, zero), xs, reverse=True)
        return h, c, ys
    return Case(f, (a(7, 2, 8),))


@case
def state_space(a: Maker) -> Case:
    """A selective scan, as Mamba's."""
    A, d = -jnp.exp(a(12, 4)), a(12)

    def f(x, delta, b, c):
        delta = jax.nn.softplus(delta)

        def step(h, inputs):
            x, delta, b, c = inputs
            h = jnp.exp(delta[..., None] * A) * h + delta[..., None] * b[:, None, :] * x[..., None]
            return h, jnp.einsum("bdn,bn->bd", h, c) + d * x
        inputs = tuple(jnp.swapaxes(v, 0, 1) for v in (x, delta, b, c))
        _, ys = lax.scan(step, jnp.zeros((x.shape[0], 12, 4)), inputs)
        return jnp.swapaxes(ys, 0, 1)
    return Case(f, (a(2, 9, 12), a(2, 9, 12), a(2, 9, 4), a(2, 9, 4)))


@case
def associative_scan(a: Maker) -> Case:
    def f(x, y):
        def both(l, r):
            return l[0] * r[0], r[0] * l[1] + r[1]
        return lax.associative_scan(both, (jax.nn.sigmoid(x), y), axis=1)[1]
    return Case(f, (a(2, 13, 4), a(2, 13, 4)))


@case
def layers_in_a_scan(a: Maker) -> Case:
    """Layers whose weights are stacked, as large models are written."""
    p = jax.tree.map(lambda *each: jnp.stack(each), *[make_dense(a, 16, 16) for _ in range(4)])

    def f(x):
        return lax.scan(lambda x, layer: (x + jax.nn.relu(dense(layer, x)), None), x, p)[0]
    return Case(f, (a(3, 16),))


@case
def counted_loop(a: Maker) -> Case:
    """Newton's iteration in a fori_loop; a buffer that is read and written."""
    def f(x):
        root = lax.fori_loop(0, 12, lambda i, y: 0.5 * (y + x / y), jnp.ones_like(x))
        sums = lax.fori_loop(1, 6, lambda i, v: v.at[i].set(v[i - 1] + v[i] * i), jnp.abs(x[0]))
        return root, sums
    return Case(f, (jnp.abs(a(3, 6)) + 0.5,))


@case
def mixture_of_experts(a: Maker) -> Case:
    gate, up, down = a.weights(16, 4), a.weights(4, 16, 32), a.weights(4, 32, 16)

    def f(x):
        values, chosen = lax.top_k(jax.nn.softmax(x @ gate), 2)
        share = (jax.nn.one_hot(chosen, 4) * (values / values.sum(-1, keepdims=True))[..., None]).sum(1)
        made = jnp.einsum("nef,efd->ned", jax.nn.silu(jnp.einsum("nd,edf->nef", x, up)), down)
        return jnp.einsum("ned,ne->nd", made, share)
    return Case(f, (a(7, 16),))


@case
def unet(a: Maker) -> Case:
    p = {"c1": a.weights(3, 3, 3, 8), "c2": a.weights(3, 3, 8, 16), "up": a.weights(2, 2, 16, 8), "c3": a.weights(3, 3, 16, 8)}

    def f(x):
        one = jax.nn.relu(conv(x, p["c1"]))
        two = jax.nn.relu(conv(max_pool(one), p["c2"]))
        up = lax.conv_transpose(two, p["up"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        large = jax.image.resize(two, (two.shape[0], *x.shape[1:3], 16), "bilinear")
        return conv(jnp.concatenate([one, up], -1), p["c3"]) + large[..., :8]
    return Case(f, (a(1, 12, 12, 3),))


@case
def group_norm(a: Maker) -> Case:
    def f(x, scale):
        y = x.reshape(*x.shape[:-1], 4, -1)
        y = (y - y.mean((1, 2, 4), keepdims=True)) / jnp.sqrt(y.var((1, 2, 4), keepdims=True) + 1e-5)
        return jax.nn.standardize(y.reshape(x.shape) * scale, axis=-1)
    return Case(f, (a(2, 5, 5, 16), a(16)))


@case
def loss_and_gradient(a: Maker) -> Case:
    """Training of an MLP: the loss, and the new parameters."""
    p = [make_dense(a, 8, 16), make_dense(a, 16, 4)]

    def loss(p, x, y):
        logits = dense(p[1], jax.nn.gelu(dense(p[0], x)))
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1).mean()

    def f(p, x, y):
        value, gradient = jax.value_and_grad(loss)(p, x, y)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, p, gradient)
    return Case(f, (p, a(6, 8), a.integers(4, 6)))


@case
def gradient_of_a_cnn(a: Maker) -> Case:
    def loss(w, x):
        y = max_pool(jax.nn.relu(conv(x, w["c1"], 2)))
        return (avg_pool(conv(y, w["c2"], padding="VALID")) ** 2).sum()
    return Case(jax.grad(loss), ({"c1": a.weights(3, 3, 2, 4), "c2": a.weights(2, 2, 4, 3)}, a(2, 12, 12, 2)), rtol=1e-3)


@case
def gradient_of_attention(a: Maker) -> Case:
    p, table = make_block(a, 16), a(20, 16)

    def loss(p, table, tokens):
        return jnp.mean(block(p, table[tokens], 2) ** 2)
    return Case(jax.grad(loss, argnums=(0, 1)), (p, table, a.integers(20, 2, 5)), rtol=1e-3)


@case
def gradient_of_a_scan(a: Maker) -> Case:
    w, u = a.weights(4, 8), a.weights(8, 8)

    def loss(w, u, xs):
        def step(h, x):
            h = jnp.tanh(x @ w + h @ u)
            return h, h
        return (lax.scan(step, jnp.zeros((2, 8)), xs)[1] ** 2).sum()
    return Case(jax.grad(loss, argnums=(0, 1)), (w, u, a(5, 2, 4)), rtol=1e-3)


@case
def branches(a: Maker) -> Case:
    def f(x, which):
        y = lax.switch(which, [jnp.sin, jnp.cos, lambda v: v * v], x)
        return lax.cond(y.sum() > 0, lambda v: v + 1, lambda v: -v, y)
    return Case(f, (a(4, 5), jnp.int32(1)))


@case
def quantiles(a: Maker) -> Case:
    """Sorts, ranks and choices."""
    def f(x):
        order = jnp.argsort(x, axis=-1)
        return jnp.sort(x, 0), order, jnp.take_along_axis(x, order[:, ::-1], 1), jnp.median(x, -1), jnp.argmin(x, 0)
    return Case(f, (a(5, 9),))


@case
def sampling_by_threefry(a: Maker) -> Case:
    """JAX's own generator is made of plain ops."""
    def f(key, logits):
        return jax.random.uniform(key, (3, 4)), jax.random.normal(key, (5,)), jax.random.categorical(key, logits)
    return Case(f, (jax.random.key(3), a(2, 7)))
