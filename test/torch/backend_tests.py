#!/usr/bin/env python3
"""torch.compile(backend="fuse") and fuse.compile(torch.export.export(…)) beside eager mode: backend_tests.py [--only NAME] [--all]

--all runs every module of modules.py; else each third, others from day to day."""

import argparse
import contextlib
import copy
import pathlib
import sys
import tempfile
import threading
import time
import traceback
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

import fuse
import fuse.torch_backend as backend
from modules import MODULES

warnings.filterwarnings("ignore")
torch.set_num_threads(2)
TESTS = {}
# Dynamo cannot capture them whole: they come through torch.export.
BREAKS = {"lstm", "gru"}


def test(function):
    TESTS[function.__name__] = function
    return function


def leaves(value):
    return [v for v in torch.utils._pytree.tree_leaves(value) if isinstance(v, torch.Tensor)]


def check(got, wanted, rtol=1e-4, atol=1e-5):
    got, wanted = leaves(got), leaves(wanted)
    assert len(got) == len(wanted), (len(got), len(wanted))
    for g, w in zip(got, wanted):
        scale = w.double().square().mean().sqrt().item() if w.is_floating_point() and w.numel() else 0
        torch.testing.assert_close(g, w, rtol=rtol, atol=atol + rtol * scale, equal_nan=True)


def compile_module(model, **options):
    torch._dynamo.reset()
    return torch.compile(model, backend=backend.fuse, options={"cache": False, **options})


def count_graphs():
    counts = torch._dynamo.utils.counters
    return counts["stats"]["unique_graphs"]


def make_module_test(name):
    def run():
        torch.manual_seed(0)
        model, arguments, shapes, others = MODULES[name]()
        with torch.no_grad():
            compiled = compile_module(model, fullgraph=True)
            check(compiled(*arguments), model(*arguments))
            if others:
                check(compiled(*others), model(*others))
            check(compiled(*arguments), model(*arguments))
    return run


@test
def special_numbers():
    """Functions of two numbers of which one or both are infinite, zero or no number."""
    numbers = torch.tensor([float("inf"), -float("inf"), float("nan"), 0.0, -0.0, 1.0, -2.5])
    x, y = torch.meshgrid(numbers, numbers, indexing="ij")
    for function in (torch.hypot, torch.fmax, torch.fmin, torch.maximum, torch.minimum):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            a, b = x.to(dtype), y.to(dtype)
            torch.testing.assert_close(compile_module(function)(a, b), function(a, b), equal_nan=True)


@test
def crossed_bounds():
    x = torch.tensor([-1.0, 0.0, 0.3, 0.5, 0.6, 0.7, 1.0, 2.0])
    for eps in (None, 0.0, 0.1, 0.5, 0.6, 1.0):
        torch.testing.assert_close(compile_module(lambda x: torch.logit(x, eps))(x), torch.logit(x, eps), equal_nan=True)


@test
def exported_program():
    model, arguments, shapes, others = MODULES["llama_decoder"]()
    program = fuse.compile(torch.export.export(model, arguments, dynamic_shapes=shapes), cache=False)
    with torch.no_grad():
        for given in (arguments, others):
            check(program(*given), model(*given))
    assert [v.name for v in program.inputs] == ["x", "keys", "values"], program.inputs
    assert isinstance(program.inputs[1].shape[2], str), program.inputs


@test
def recurrences_through_export():
    for name in sorted(BREAKS):
        model, arguments, shapes, others = MODULES[name]()
        program = fuse.compile(torch.export.export(model, arguments, dynamic_shapes=shapes), cache=False)
        with torch.no_grad():
            check(program(*arguments), model(*arguments))


@test
def buffers_that_are_written():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(20))

        def forward(self, x):
            self.seen[3:5] += x.sum()
            return x * self.seen

    x = torch.randn(20)
    program = fuse.compile(torch.export.export(Counter(), (x,)), cache=False)
    assert [v.name for v in program.outputs][-1] == "seen.new", program.outputs
    wanted = Counter()
    check(program(x), (wanted(x), wanted.seen))


@test
def open_sizes_are_compiled_once():
    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.qkv, self.out, self.norm = nn.Embedding(50, 16), nn.Linear(16, 48), nn.Linear(16, 16), nn.LayerNorm(16)

        def forward(self, words, mask):
            x = self.embed(words)
            batch, length, _ = x.shape
            q, k, v = (y.view(batch, length, 2, 8).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
            return self.norm(x + self.out(y.transpose(1, 2).reshape(batch, length, 16)))

    model = Encoder().eval()
    compiled = compile_module(model, fullgraph=True)
    first = True
    with torch.no_grad():
        for batch, length in ((2, 8), (3, 5), (5, 17), (64, 512), (2, 8)):
            given = (torch.randint(0, 50, (batch, length)), torch.rand(batch, length) > 0.2)
            for each in given:
                torch._dynamo.mark_dynamic(each, 0)
                torch._dynamo.mark_dynamic(each, 1)
            with torch.compiler.set_stance("default" if first else "fail_on_recompile"):
                check(compiled(*given), model(*given))
            first = False


@test
def training():
    torch.manual_seed(0)
    make = lambda: nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, 1, 1, groups=2), nn.GELU(),
                                 nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(8), nn.Linear(8, 5))
    plain, other = make(), make()
    other.load_state_dict(plain.state_dict())
    compiled = compile_module(other)
    for model, call in ((plain, plain), (other, compiled)):
        torch.manual_seed(1)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = F.cross_entropy(call(torch.randn(4, 3, 16, 16)), torch.randint(0, 5, (4,)))
            loss.backward()
            optimizer.step()
        model.loss = loss.detach()
    check(other.loss, plain.loss)
    for (name, p), q in zip(plain.named_parameters(), other.parameters()):
        check(q.detach(), p.detach(), 2e-3, 1e-4)
    check(list(other.buffers()), list(plain.buffers()))


@test
def training_in_short_types():
    """Batch norms whose running statistics are of f16 or bf16, or of f32 beside them."""
    for dtype, statistics in ((torch.bfloat16, torch.bfloat16), (torch.float16, torch.float16), (torch.bfloat16, torch.float32)):
        torch.manual_seed(0)
        plain = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).to(dtype)
        plain[1].to(statistics)
        other, x = copy.deepcopy(plain), torch.randn(4, 3, 9, 9).to(dtype)
        with explanations() as made:
            for model, call in ((plain, plain), (other, compile_module(other))):
                model.result = call(x)
                model.result.float().square().mean().backward()
        assert len(made) == 2 and not any(e.refusals for e in made), made
        check(other.result.detach(), plain.result.detach(), 2e-2, 2e-2)
        check(list(other.buffers()), list(plain.buffers()), 2e-2, 1e-2)
        check([p.grad for p in other.parameters()], [p.grad for p in plain.parameters()], 5e-2, 1e-2)


@test
def training_of_a_transformer():
    torch.manual_seed(0)
    make = lambda: nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    plain, other = make(), make()
    other.load_state_dict(plain.state_dict())
    x = torch.randn(2, 6, 16)
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(SDPBackend.MATH):
        plain(x).square().sum().backward()
        compile_module(other)(x).square().sum().backward()
    for p, q in zip(plain.parameters(), other.parameters()):
        check(q.grad, p.grad, 1e-3, 1e-4)


@test
def weights_that_change_are_packed_again():
    model = nn.Linear(16, 8)
    compiled, x = compile_module(model), torch.randn(3, 16)
    with torch.no_grad():
        check(compiled(x), model(x))
        model.weight.mul_(2)
        check(compiled(x), model(x))


@test
def weights_that_are_exchanged():
    model, x = nn.Linear(16, 8), torch.randn(3, 16)
    compiled = compile_module(model)

    def new_data():
        model.weight.data = torch.randn(8, 16)

    def new_parameter():
        model.weight = nn.Parameter(torch.randn(8, 16))

    changes = (new_data, new_parameter, lambda: model.load_state_dict(nn.Linear(16, 8).state_dict()),
               lambda: model.load_state_dict(nn.Linear(16, 8).state_dict(), assign=True))
    with torch.no_grad():
        check(compiled(x), model(x))
        for change in changes:
            change()
            check(compiled(x), model(x))
    with torch.inference_mode():  # parameters that do not count what is written to them
        other = nn.Linear(16, 8)
        check(compile_module(other)(x), other(x))


@test
def parameters_that_are_inputs():
    """With "freeze": False nothing is packed: what PyTorch does not count as written is seen by the next call."""
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 5)).eval(), torch.randn(2, 3, 8, 8)
    packed, original = [], backend.compile_source
    backend.compile_source = lambda source, **options: packed.append(source.weights) or original(source, **options)
    try:
        compiled = compile_module(model, fullgraph=True, freeze=False)
        with torch.no_grad():
            for _ in range(3):
                check(compiled(x), model(x))
                model[0].weight.data.mul_(1.5)
                model[1].running_mean.numpy()[...] += 0.25
                model[4].weight.data = torch.randn(5, 8 * 36)
    finally:
        backend.compile_source = original
    assert packed == [{}], packed
    for name in ("transformer_encoder", "resnet18"):
        model, arguments, *_ = MODULES[name]()
        with torch.no_grad():
            check(compile_module(model, freeze=False)(*arguments), model(*arguments))


@test
def modules_that_share_code():
    """Dynamo compiles a layer once for all that are like it; each has weights of its own, which are packed once."""
    layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))
    packed, original = [], backend.compile_source

    def run(layer, x):
        return layer(x).tanh()

    def chain(call, x):
        for layer in layers:
            x = call(layer, x)
        return x

    compiled, x = compile_module(run), torch.randn(3, 16)
    backend.compile_source = lambda *given, **options: packed.append(1) or original(*given, **options)
    try:
        with torch.no_grad():
            for _ in range(3):
                check(chain(compiled, x), chain(run, x))
    finally:
        backend.compile_source = original
    assert len(packed) == len(layers), packed


@contextlib.contextmanager
def explanations():
    """A list that gets those of all graphs that are compiled."""
    made, original = [], backend.compile_graph

    def watch(*arguments, **options):
        result = original(*arguments, **options)
        made.append(result[1])
        return result

    backend.compile_graph = watch
    try:
        yield made
    finally:
        backend.compile_graph = original


@test
def nodes_that_pytorch_runs():
    def function(x):
        y = torch.relu(x) * 2
        eigen = torch.linalg.eigvalsh(y @ y.transpose(-1, -2))
        return (eigen + y.sum(-1)).tanh(), y

    x = torch.randn(5, 5)
    with explanations() as made:
        check(compile_module(function)(x), function(x), 1e-3, 1e-4)
    [explanation] = made
    assert len(explanation.programs) == 2, explanation
    assert [r.op for r in explanation.refusals] == ["aten._linalg_eigh.default"], explanation
    assert "not supported" in explanation.refusals[0].reason and "eigvalsh" in explanation.refusals[0].trace, explanation


@test
def what_programs_cannot_hold():
    """Branches on elements, random numbers, functions of complex numbers: what stands around them is compiled."""
    def branch(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos(), (x,)) * 2 + x

    def spectrum(x):
        return torch.fft.irfft(torch.fft.rfft(x * 2).tan() * 2) + x.sin()

    x = torch.randn(4, 6)
    for function, reason in ((branch, "graphs of its own"), (spectrum, "elements of type complex64 are not supported")):
        with explanations() as made:
            check(compile_module(function)(x), function(x))
        assert any(reason in r.reason for r in made[0].refusals) and made[0].programs, made[0]
    check(compile_module(lambda c, x: (c * 2, x.exp() + 1))(torch.randn(3, dtype=torch.complex64), x)[1], x.exp() + 1)

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 64), nn.Dropout(0.5), nn.ReLU(), nn.Linear(64, 2)).train()
    with explanations() as made:
        compile_module(model)(x).sum().backward()
    [refusal] = [r for e in made for r in e.refusals]
    assert "random numbers" in refusal.reason and len(made) == 2, made
    # Elements that were dropped have no gradient.
    assert 0 < (model[3].weight.grad == 0).sum() < model[3].weight.numel()


@test
def layers_that_pytorch_has_as_one_op():
    x, hidden = torch.randn(3, 7, 16), torch.zeros(3, 7, dtype=torch.bool)
    hidden[1, 4:] = True
    for options in ({"norm_first": False, "activation": "gelu"}, {"norm_first": True}):
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, **options)
        model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
        with torch.no_grad(), explanations() as made:
            check(compile_module(model)(x), model(x))
            check(compile_module(model)(x, src_key_padding_mask=hidden), model(x, src_key_padding_mask=hidden))
        assert len(made) == 2 and not any(e.refusals for e in made), made
    attention = nn.MultiheadAttention(16, 4, batch_first=True).eval()
    for options in ({}, {"average_attn_weights": False}, {"need_weights": False}):
        with torch.no_grad():
            check(compile_module(lambda x: attention(x, x, x, **options), fullgraph=True)(x), attention(x, x, x, **options))


@test
def threads_share_a_graph():
    """While weights are written, each call has those of one moment."""
    scale, x, wrong = nn.Parameter(torch.ones(16)), torch.randn(3, 16).abs() + 1, []
    compiled = compile_module(lambda x: x * scale)

    def call():
        with torch.no_grad():
            for _ in range(40):
                factors = compiled(x) / x
                if not torch.allclose(factors, factors[0, 0].expand(3, 16)) or factors[0, 0].log2().frac().abs() > 1e-5:
                    wrong.append(factors)

    with torch.no_grad():
        compiled(x)
        threads = [threading.Thread(target=call) for _ in range(6)]
        for thread in threads:
            thread.start()
        for _ in range(4):
            scale.mul_(2)
        for thread in threads:
            thread.join()
        check(compiled(x), x * scale)
    assert not wrong, wrong[0]


@test
def views_that_count_from_the_beginning_of_memory():
    """as_strided of a view that begins further on, in a program that is taken as it was exported."""
    class Window(nn.Module):
        def forward(self, x):
            return x.relu()[2:].as_strided((3, 2), (4, 1), 9) * 2, x.relu()[2:].as_strided((2, 2), (4, 1)) + 1

    class Before(nn.Module):
        def forward(self, x):
            return x.relu()[2:].as_strided((3, 2), (4, 1), 5) * 2

    x = torch.randn(6, 4)
    program = fuse.compile(torch.export.export(Window(), (x,)), cache=False)
    check(program(x), Window()(x))
    try:
        fuse.compile(torch.export.export(Before(), (x,)), cache=False)
    except fuse.Error as error:
        assert "'as_strided'" in str(error) and "within the tensor's memory" in str(error), error
    else:
        raise AssertionError("expected an error")


@test
def a_node_that_cannot_be_imported_is_an_error():
    compiled = compile_module(lambda x: torch.linalg.eigvalsh(x @ x.T), fullgraph=True)
    try:
        compiled(torch.randn(4, 4))
    except Exception as error:
        assert "aten._linalg_eigh.default" in str(error) or "_linalg_eigh" in str(error), error
    else:
        raise AssertionError("expected an error")


@test
def exact_bits():
    """Functions that eager mode rounds correctly: each op of a chain is rounded as there."""
    def chain(x, y):
        a = (x + y) * x - y / (x.abs() + 1.5)
        b = torch.where(a > 0, a, -a * 0.1).clamp(-3, 3)
        return b.abs() * 0.3 + torch.maximum(x, y).floor(), b.neg().relu(), (a * a).reciprocal()

    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        torch.manual_seed(3)
        x, y = torch.randn(7, 33).to(dtype), torch.randn(7, 33).to(dtype)
        got, wanted = compile_module(chain, numerics="exact")(x, y), chain(x, y)
        for g, w in zip(got, wanted):
            assert torch.equal(g, w), (dtype, (g.double() - w.double()).abs().max())


@test
def entry_point_name():
    from importlib.metadata import entry_points

    found = [e for e in entry_points(group="torch_dynamo_backends") if e.name == "fuse"]
    assert not found or found[0].load() is backend.fuse


@test
def documentation():
    """The lines that docs/pytorch.md begins with."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "docs/pytorch.md").read_text()
    code = text.split("```python\n")[1].split("```")[0]
    if "fuse" not in torch._dynamo.list_backends(exclude_tags=()):
        torch._dynamo.register_backend(backend.fuse, name="fuse")  # as the package's entry point does
    model, x = nn.Sequential(nn.Linear(6, 5), nn.ReLU()).eval(), torch.randn(3, 6)
    names = {"module": model, "x": x}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), torch.no_grad():
        exec(code.replace('{"x":', '{"input":'), names)
        assert pathlib.Path("model.pt2").exists()
        check(names["program"](x), model(x))
        check(names["compiled"](x), model(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    day = int(time.time() // 86400)
    chosen = dict(TESTS)
    for place, name in enumerate(MODULES):
        if name not in BREAKS and (options.all or options.only or (place + day) % 3 == 0):
            chosen[f"module_{name}"] = make_module_test(name)
    failed = []
    for name, run in chosen.items():
        if options.only not in name:
            continue
        start = time.time()
        try:
            run()
            state = "passed"
        except Exception:
            state = "FAILED"
            failed.append(name)
            traceback.print_exc(limit=-4)
        print(f"{name:45} {state} in {time.time() - start:.1f} s", flush=True)
    print(f"{len(failed)} failed" + (": " + ", ".join(failed) if failed else ""))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
