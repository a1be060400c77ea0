#!/usr/bin/env python3
"""Complex numbers by torch.compile(backend="fuse") beside eager mode: one program without nodes that PyTorch runs, but for ops that have no
rule. complex_tests.py [--only NAME]"""

import argparse
import sys

import torch

from backend_tests import check, compile_module, explanations

CASES = {}


def real(*shape):
    return torch.randn(*shape)


def complex_(*shape, dtype=torch.complex64):
    return torch.randn(*shape, dtype=dtype)


def case(*arguments, refuses=(), backward=False, opens=False):
    """`refuses`: the ops that PyTorch runs. `backward`: gradients too. `opens`: the first dimension is open, and a second size is
    run; "all": all sizes are, until an op asks what they are."""
    def note(function):
        CASES[function.__name__] = (function, arguments, set(refuses), backward, opens)
        return function
    return note


@case(real(4, 12))
def spectrum(x):
    return torch.fft.irfft(torch.fft.rfft(x * 2) * 2) + x.sin()


@case(real(3, 9))
def odd_lengths(x):
    return torch.fft.irfft(torch.fft.rfft(x, norm="ortho"), n=9, norm="ortho"), torch.fft.irfft(torch.fft.rfft(x), n=6)


@case(real(2, 8, 6))
def planes(x):
    return torch.fft.ifft2(torch.fft.fft2(x) * (2 + 1j)).real, torch.fft.rfftn(x).abs(), torch.fft.irfft2(torch.fft.rfft2(x, norm="forward"))


@case(complex_(4, 6, dtype=torch.complex128))
def conjugate_spectra(c):
    return torch.fft.hfft(c), torch.fft.ihfft(c.real), torch.fft.fftshift(torch.fft.fft(c, dim=0))


@case(real(3, 12), complex_(3, 7), opens=True)
def filters(x, c):
    return torch.fft.irfft(torch.fft.rfft(x) * c)


@case(real(3, 12).requires_grad_(), complex_(7).requires_grad_(), backward=True)
def learned_filter(x, c):
    return torch.fft.irfft(torch.fft.rfft(x) * c)


@case(real(2, 2).requires_grad_(), backward=True, opens="all")
def sizes_that_are_asked_for(x):
    return torch.fft.hfftn(x) + 1


@case(complex_(4, 6), complex_(4, 6))
def arithmetic(c, d):
    return c * d + 1, c / d, c.conj() * 2j, (c - d).abs(), (c @ d.T).angle(), c.exp(), c.sum(0), c ** 2, 1 / c, c.mean() - 3, 2 - c


@case(complex_(4, 6), real(4, 6))
def beside_real_numbers(c, x):
    return c * x, c + x, x - c, x * 1j, torch.where(x > 0, c, c * 2), torch.cat((c, x.to(torch.complex64)), 1)[1:], c / x


@case(complex_(4, 6), real(5, 4, 6))
def broadcasts(c, x):
    return c + x, c[:, :1] * x, x.new_ones(1) + c[0], torch.fft.rfft(x, dim=1).transpose(0, 1).clone()


@case(real(2, 5, 4, 8), real(5, 4))
def rotations(x, angle):
    turn = torch.polar(torch.ones_like(angle), angle)
    pairs = torch.view_as_complex(x.reshape(2, 5, 4, 4, 2))
    return torch.view_as_real(pairs * turn[:, None]).flatten(3)


@case(real(2, 5, 16))
def short_time_spectra(x):
    return torch.stft(x.flatten(1), 16, 4, window=torch.hann_window(16), return_complex=True).abs()


@case(real(3, 1000), refuses=["aten._fft_r2c.default", "aten.view_as_real.default"])
def long_rows(x):
    return torch.fft.rfft(x * 2).abs() + 1


@case(complex_(4, 6), refuses=["aten.tan.default", "aten.view_as_complex.default", "aten.view_as_real.default"])
def without_a_rule(c):
    return (c * 2).tan() * 2


@case(complex_(4, 6), refuses=["aten.slice.Tensor", "aten.mul.Tensor"])
def views_of_arguments(c):
    return c[1:], c * 2, c.real


def run(function, arguments, refuses, backward, opens):
    compiled = compile_module(function)
    arguments = [a.clone().detach().requires_grad_(a.requires_grad) for a in arguments]
    if opens is True:
        for each in arguments:
            torch._dynamo.mark_dynamic(each, 0)
    static = torch._dynamo.config.patch(assume_static_by_default=opens != "all")
    with torch.set_grad_enabled(backward), static, explanations() as made:
        got, wanted = compiled(*arguments), function(*arguments)
        check(got, wanted)
        if backward:
            check(torch.autograd.grad(got.square().sum(), arguments), torch.autograd.grad(wanted.square().sum(), arguments))
        if opens is True:
            longer = [torch.cat((a, a)) for a in arguments]
            check(compiled(*longer), function(*longer))
    assert {r.op for e in made for r in e.refusals} == refuses, made
    assert len(made) == (2 if backward else 1), made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    only = parser.parse_args().only
    torch.manual_seed(0)
    for name, given in CASES.items():
        if only in name:
            run(*given)
            print(f"{name} passed", flush=True)


if __name__ == "__main__":
    sys.exit(main())
