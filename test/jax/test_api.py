"""What fuse.jax.jit and fuse.compile take of JAX, and what they say of what they cannot take."""
import functools
import pathlib
import re
import sys

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest

import fuse
import fuse.jax

jit = functools.partial(fuse.jax.jit, cache=False)


@pytest.fixture
def x():
    return jnp.asarray(np.random.default_rng(0).standard_normal((4, 32)), jnp.float32)


@pytest.fixture
def w():
    return jnp.asarray(np.random.default_rng(1).standard_normal((32, 32)), jnp.float32)


def same(found, wanted):
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-5), found, wanted)
    assert jax.tree.structure(found) == jax.tree.structure(wanted)


def test_trees_and_programs(x, w):
    @jit
    def f(p, x, *, scale=1.0):
        return {"y": (x @ p["w"] * scale, None), "x": [x.sum(), 3.0]}
    found = f({"w": w}, x, scale=2)
    same(found, {"y": (x @ w * 2, None), "x": [x.sum(), jnp.float32(3)]})
    assert f.__name__ == "f" and len(f._programs) == 1
    f({"w": w}, x, scale=3)
    assert len(f._programs) == 1
    f({"w": w}, x[:2], scale=2)  # another shape
    f({"w": w}, x, scale=2.0)  # another type
    assert len(f._programs) == 3
    program = f.program({"w": w}, x, scale=2)
    assert [i.name for i in program.inputs] == ["p['w']", "x", "scale"]
    assert [o.name for o in program.outputs][0].startswith("result['x'][0]")
    assert program.report.kernels
    assert f.program({"w": jax.ShapeDtypeStruct((32, 32), jnp.float32)}, jax.ShapeDtypeStruct((4, 32), jnp.float32), scale=2) is program


def test_numpy_arguments(x, w):
    f = jit(lambda x, w, n: (x @ w + n, x > 0))
    same(f(np.asarray(x, np.float64), w, np.int64(2)), (x @ w + 2, x > 0))  # as JAX takes them: float32, int32
    same(f(np.asfortranarray(x), w.T.T, 2), (x @ w + 2, x > 0))
    assert isinstance(f(x, w, 1)[0], jax.Array)


def test_static_arguments(x):
    calls = []

    @functools.partial(fuse.jax.jit, static_argnums=(1,), static_argnames="kind", cache=False)
    def f(x, n, kind="sin"):
        calls.append(n)
        return getattr(jnp, kind)(x) * n
    same(f(x, 3), jnp.sin(x) * 3)
    same(f(x, n=3), jnp.sin(x) * 3)
    same(f(x, 3, kind="cos"), jnp.cos(x) * 3)
    traced = len(calls)
    same(f(x, 3), jnp.sin(x) * 3)
    assert len(calls) == traced


def test_constants_are_packed_once(x, w):
    f = jit(lambda p, x: x @ p["w"], constant_argnums=0)
    same(f({"w": w}, x), x @ w)
    same(f({"w": w}, x), x @ w)
    assert len(f._programs) == 1
    assert [i.name for i in f.program({"w": w}, x).inputs] == ["x"]
    same(f({"w": w + 1}, x), x @ (w + 1))  # other arrays, another program
    named = jit(lambda x, p: x @ p, constant_argnames="p")
    same(named(x, w), x @ w)
    same(named(x, p=w), x @ w)
    with pytest.raises(fuse.Error, match="expected arrays of JAX as constant arguments, found ndarray"):
        f({"w": np.asarray(w)}, x)


def test_closed_over_constants(x, w):
    table = np.arange(4 * 32, dtype=np.float32).reshape(4, 32)
    mask, short = np.arange(32) % 3 == 0, jnp.asarray(w, jnp.bfloat16)
    f = jit(lambda x: (x @ w + table, jnp.where(mask, x, 0), x.astype(jnp.bfloat16) @ short))
    assert [i.name for i in f.program(x).inputs] == ["x"]
    found, wanted = f(x), jax.jit(f._function)(x)
    same(found[:2], wanted[:2])
    np.testing.assert_allclose(np.asarray(found[2], np.float32), np.asarray(wanted[2], np.float32), rtol=2e-2, atol=2e-1)


def test_open_sizes(x, w):
    f = jit(lambda x, y: (x @ w).reshape(-1, 2, 32).sum(1) + y, polymorphic_shapes=("2*b, _", "b, _"))
    for rows in (4, 2, 4, 6):
        made = jnp.resize(x, (rows, 32))
        same(f(made, made[: rows // 2]), (made @ w).reshape(-1, 2, 32).sum(1) + made[: rows // 2])
    assert len(f._programs) == 1
    with pytest.raises(fuse.Error, match="(?s)extent|dimension"):
        f(x, x[:3])


def test_exported(x, w):
    b, s = jax.export.symbolic_shape("b, s")
    exported = jax.export.export(jax.jit(lambda x, unused, t: jnp.concatenate([x, t], 1).mean(1)))(
        jax.ShapeDtypeStruct((b, s), jnp.float32), jax.ShapeDtypeStruct((3,), jnp.float32), jax.ShapeDtypeStruct((b, 2 * s), jnp.float32))
    program = fuse.compile(exported, cache=False)
    assert [(i.name, i.shape) for i in program.inputs] == [
        ("args[0]", ("b", "s")), ("args[1]", (3,)), ("args[2]", ("b", "2*s"))]
    for rows, columns in ((4, 5), (1, 3)):
        a, t = x[:rows, :columns], jnp.ones((rows, 2 * columns))
        same(program(a, jnp.ones(3), t), jnp.concatenate([a, t], 1).mean(1))
    with pytest.raises(fuse.Error):
        program(x[:, :5], jnp.ones(3), jnp.ones((4, 9)))
    fixed = fuse.compile(exported, dynamic_shapes={"b": 2, "s": (2, 8)}, cache=False)
    assert fixed.inputs[0].shape == (2, "s")
    with pytest.raises(fuse.Error, match="open dimensions of the inputs, found 'c'"):
        fuse.compile(exported, dynamic_shapes={"c": 2}, cache=False)


def test_serialized(x, w, tmp_path):
    exported = jax.export.export(jax.jit(lambda x: jnp.tanh(x @ w)))(jax.ShapeDtypeStruct((4, 32), jnp.float32))
    again = jax.export.deserialize(bytearray(exported.serialize()))
    program = fuse.compile(again, cache=False)
    same(program(x), jnp.tanh(x @ w))
    program.save(tmp_path / "m.so")
    same(fuse.load(tmp_path / "m.so")(x), jnp.tanh(x @ w))


def test_no_copies(x):
    program = jit(lambda x: x + 1).program(x)
    made = program(x)
    assert isinstance(made, jax.Array)
    # What NumPy sees is the array's memory.
    array = np.asarray(made)
    assert array.ctypes.data == made.unsafe_buffer_pointer()
    x2 = jnp.arange(1 << 16, dtype=jnp.float32)
    output = np.empty(1 << 16, np.float32)
    taken = fuse._arrays.convert(output, x2)
    assert taken.unsafe_buffer_pointer() == output.ctypes.data or output.ctypes.data % 64


def test_within_jax(x, w):
    f = jit(lambda x, w: jnp.tanh(x @ w).sum())
    same(jax.grad(f)(x, w), jax.grad(f._function)(x, w))
    same(jax.vmap(f, (0, None))(x, w), jax.vmap(f._function, (0, None))(x, w))
    same(jax.jit(lambda x: f(x, w) * 2)(x), f(x, w) * 2)


def test_methods(x, w):
    class Model:
        def __init__(self):
            self.w = w

        @fuse.jax.jit
        def other(x):
            return x

        @functools.partial(fuse.jax.jit, static_argnums=0, cache=False)
        def __call__(self, x):
            return x @ self.w
    same(Model()(x), x @ w)


def test_refusals(x):
    def f(x):
        y = jnp.sin(x)
        return jnp.linalg.cholesky(y @ y.T)
    with pytest.raises(fuse.Error) as error:
        jit(f)(x)
    assert "cholesky" in str(error.value) and "test_api.py:" in str(error.value)
    with pytest.raises(fuse.Error, match="expected a loop that counts to a number that is known before it"):
        jit(lambda x: jax.lax.while_loop(lambda v: v.sum() < 100, lambda v: v * 2, jnp.abs(x)))(x)
    with pytest.raises(fuse.Error, match="(?s)complex|fft"):
        jit(lambda x: jnp.abs(jnp.fft.fft(x)))(x)
    allowed = jit(lambda x: jax.lax.while_loop(lambda v: v.sum() < 100, lambda v: v * 2, jnp.abs(x)), fallback=True)
    same(allowed(x), jax.jit(allowed._function)(x))
    assert len(allowed.refusals) == 1 and "while" in str(allowed.refusals[0])
    with pytest.raises(fuse.Error, match="while"):
        allowed.program(x)


def test_errors_name_the_line(x):
    with pytest.raises(fuse.Error) as error:
        jit(lambda x: jax.lax.sort(jnp.resize(x, (10000,))))(x)
    [message] = [m for m in error.value.messages if m["severity"] == "error"]
    assert re.search(r"node '\S*sort' \(stablehlo.sort at \S*test_api.py:\d+\): expected at most 8192 elements to be sorted, found 10000", message["text"])


def test_options(x, w):
    same(jit(lambda x: jnp.exp(x), numerics="exact", threads=1, fusion=False)(x), jnp.exp(x))
    with pytest.raises(fuse.Error, match="numerics"):
        jit(lambda x: jnp.exp(x), numerics="wrong")(x)


def test_supported_ops():
    assert {"stablehlo.add", "stablehlo.while", "chlo.erf", "func.call"} <= fuse.jax.supported_ops()


def test_recipes(tmp_path, monkeypatch, capsys):
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "jax.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 4
    monkeypatch.chdir(tmp_path)
    # Code that is traced is looked up by its file.
    scope = {"__name__": "recipes"}
    for block in blocks:
        exec(compile(block, "jax.md", "exec"), scope)
    assert "kernel" in capsys.readouterr().out
