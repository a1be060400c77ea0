#!/usr/bin/env python3
"""Makes values.inc: inputs of the host ops and what NumPy says they give.

    python3 test/numeric/host/make_values.py > test/numeric/host/values.inc

Inputs are multiples of powers of two with few significant bits, so that f16, bf16, f32 and f64
hold them exactly and one set of results serves all four. The formulas are written as in the ops'
descriptions, on whole arrays; the gradient is NumPy's own chain of vector-Jacobian products.
"""
import numpy as np

rng = np.random.default_rng(20)


def short(shape, low=-6, high=3):
    """Random numbers with 4 significant bits and exponents in [low, high]."""
    mantissa = rng.integers(8, 16, shape) / 8.0
    return rng.choice([-1.0, 1.0], shape) * mantissa * 2.0 ** rng.integers(low, high + 1, shape)


def planes(spectrum):
    return np.split(spectrum, 2, axis=-1)


def energies(spectrum, filters):
    re, im = planes(spectrum)
    bins = filters.shape[1]
    return (re**2 + im**2)[..., :bins] @ filters.T


def log_mel(spectrum, filters):
    m = np.log10(np.maximum(energies(spectrum, filters), 1e-10))
    return (np.maximum(m, m.max(-1, keepdims=True) - 8) + 4) / 4


def log_mel_backward(spectrum, filters, dy):
    s = energies(spectrum, filters)
    m = np.log10(np.maximum(s, 1e-10))
    own = m >= m.max(-1, keepdims=True) - 8
    dm = np.where(own, dy / 4, 0)
    moved = np.where(own, 0, dy / 4).sum(-1)
    np.put_along_axis(dm, m.argmax(-1)[..., None],
                      np.take_along_axis(dm, m.argmax(-1)[..., None], -1) + moved[..., None], -1)
    ds = np.where(s >= 1e-10, dm / (np.where(s == 0, 1, s) * np.log(10)), 0)
    dp = ds @ filters
    re, im = planes(spectrum)
    dp = np.concatenate([dp, np.zeros((*dp.shape[:-1], re.shape[-1] - dp.shape[-1]))], -1)
    return np.concatenate([2 * re * dp, 2 * im * dp], -1)


def welch_peaks(spectrum, k, segments):
    re, im = planes(spectrum)
    n = re.shape[1]
    bins = n // 2 + 1
    power = (re**2 + im**2)[:, :bins].reshape(-1, segments, bins).mean(1)
    power[:, 1:-1 if n % 2 == 0 and n > 1 else None] *= 2
    order = np.argsort(-power, axis=1, kind="stable")[:, :k]
    return np.stack([order, np.take_along_axis(power, order, 1)], -1).reshape(len(power), 2 * k)


def emit(name, array):
    flat = ", ".join(float(v).hex() for v in np.ravel(array))
    print(f"const std::vector<double> {name} = {{{flat}}};")


print("// Made by make_values.py; do not edit.")
print("// clang-format off")

# Frames [2, 3], n_fft 16, 5 mels. Frame (0, 1) is silent: the floor. In frame (1, 0) the upper
# half of the bins is faint, so that mels fall below the range; in (1, 2) one bin is alone.
spectrum = short((2, 3, 32))
spectrum[0, 1] = 0
spectrum[1, 0] = short(32, 2, 3)
for plane in (0, 16):
    spectrum[1, 0, plane + 4 : plane + 16] = short(12, -13, -12)
spectrum[1, 2] = 0
spectrum[1, 2, [3, 19]] = [2.0, -0.5]
filters = np.zeros((5, 9))
for mel in range(5):
    own = slice(2 * mel, 2 * mel + 2)
    filters[mel, own] = np.abs(short(len(filters[mel, own]), -3, 0))
filters[4, 7:] /= 2**4
filters[1, 2] = 0.125
dy = short((2, 3, 5), -2, 1)
m = np.log10(np.maximum(energies(spectrum, filters), 1e-10))
assert (m == -10).any() and (m < m.max(-1, keepdims=True) - 8).any()
emit("melSpectrum", spectrum)
emit("melFilters", filters)
emit("melResult", log_mel(spectrum, filters))
emit("melDy", dy)
emit("melGradient", log_mel_backward(spectrum, filters, dy))

# 2 batches of 3 segments, an even and an odd n_fft; the last row has ties across all bins.
for name, n_fft in (("Even", 16), ("Odd", 9)):
    spectrum = short((6, 2 * n_fft), -2, 2)
    spectrum[3:] = 1.0
    emit(f"welch{name}Spectrum", spectrum)
    emit(f"welch{name}Result", welch_peaks(spectrum, 4, 3))

# f64 → f16: ties, carries, denormals, the edges of overflow; the bits as NumPy rounds them.
values = np.nan_to_num(np.concatenate([
    np.array([0.0, -0.0, 1.0, 65504, 65519.99, 65520, -65520, 1e300, np.inf, 2.0**-24, 2.0**-25,
              2.0**-25 * (1 + 2.0**-40), 3 * 2.0**-25, 2.0**-14 - 2.0**-26, 1 + 2.0**-11,
              1 + 3 * 2.0**-11, 1 + 2.0**-11 + 2.0**-45, 2047.5, 4095.0, 1e-300, 5e-324]),
    rng.standard_normal(40) * 2.0 ** rng.integers(-30, 20, 40)]), posinf=1e308)
emit("halfValues", values)
bits = ", ".join(hex(b) for b in values.astype(np.float16).view(np.uint16))
print(f"const std::vector<uint16_t> halfBits = {{{bits}}};")
