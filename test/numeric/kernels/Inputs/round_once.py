"""make FOLDER: (x + y) · z in f16 and bf16, and inputs, among them such whose results are denormal in bf16.
check FOLDER EXACT FOLDS: in class exact each op rounds; in class folds the result alone."""
import pathlib
import sys

import numpy as np

COUNT = 1003


def make(folder):
    for kind in ("f16", "bf16"):
        casts = "".join(f"  %{n}s = fuse.cast %{n} : (tensor<{COUNT}xf32>) -> tensor<{COUNT}x{kind}>\n" for n in "xyz")
        arguments = ", ".join(f'%{n}: tensor<{COUNT}xf32> {{fuse.name = "{n}"}}' for n in "xyz")
        (folder / f"{kind}.mlir").write_text(
            f'func.func @main({arguments}) -> (tensor<{COUNT}x{kind}> {{fuse.name = "r"}}) {{\n{casts}'
            f"  %a = fuse.binary add %xs, %ys : tensor<{COUNT}x{kind}>\n  %b = fuse.binary mul %a, %zs : tensor<{COUNT}x{kind}>\n"
            f"  return %b : tensor<{COUNT}x{kind}>\n}}\n")
    numbers = np.random.default_rng(3)
    arrays = {name: numbers.normal(size=COUNT).astype(np.float32) for name in "xyz"}
    arrays["z"][:8] *= np.float32(2.0) ** -130  # denormal as f32 and as bf16, and 0 as f16
    arrays["x"][8], arrays["y"][8] = np.inf, 1
    arrays["x"][9] = np.nan
    np.savez(folder / "in.npz", **arrays)


def to_bf16(x):
    bits = x.view(np.uint32)
    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(x), np.float32(np.nan), rounded)


def read(path):
    result = np.load(path)["r"]
    if result.dtype.kind == "V":  # bf16
        return (result.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return result.astype(np.float32)


def check(folder, kind, exact, folds):
    to_kind = to_bf16 if kind == "bf16" else lambda x: x.astype(np.float16).astype(np.float32)
    with np.load(folder / "in.npz") as arrays:
        x, y, z = (to_kind(arrays[name]) for name in "xyz")
    each, once = to_kind(to_kind(x + y) * z), to_kind((x + y) * z)
    assert (each != once)[10:].sum() > 50  # else the test says nothing
    assert np.array_equal(read(exact), each, equal_nan=True)
    got = read(folds)
    # Where the machine has an instruction for bf16, what is denormal is 0.
    small = np.abs(once) < 2.0**-126
    assert np.array_equal(got[~small], once[~small], equal_nan=True), (got[~small], once[~small])
    assert np.all((got[small] == 0) | (got[small] == once[small]))
    print("equal", kind)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        check(pathlib.Path(sys.argv[2]), *sys.argv[3:])
