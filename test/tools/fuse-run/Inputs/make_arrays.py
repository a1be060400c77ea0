"""usage: make_arrays.py FOLDER

Makes the arrays of the tests: good ones for p.mlir (x: 2x3xf32, n: 4xi32), and bad ones.
"""
import os
import sys
import zipfile

import numpy as np

os.chdir(sys.argv[1])
x, n = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(4, dtype=np.int32)
np.savez("good.npz", x=x, n=n)
np.savez("fortran.npz", x=np.asfortranarray(x), n=n)
np.savez("only_x.npz", x=x)
np.savez("extra.npz", x=x, n=n, spare=x)
np.savez("renamed.npz", x=x, m=n)
np.savez("strangers.npz", a=x, b=n)
np.savez("no_arrays.npz")
np.savez("f64.npz", x=x.astype(np.float64), n=n)
np.savez("i64.npz", x=x, n=n.astype(np.int64))
np.savez("flat.npz", x=x.reshape(6), n=n)
np.savez("transposed.npz", x=x.T, n=n)
np.savez("complex.npz", x=x.astype(np.complex64), n=n)
np.savez("text.npz", x=np.array(["a", "b"]), n=n)
np.save("x.npy", x)
np.save("n.npy", n)
good = open("good.npz", "rb").read()
open("truncated.npz", "wb").write(good[: len(good) // 2])
open("empty.npz", "wb").close()
open("words.npz", "w").write("these are words\n")
flipped = bytearray(good)
flipped[good.index(b"\x00\x00\x80?")] ^= 0x55  # a float of x: the checksum no longer fits
open("damaged.npz", "wb").write(flipped)
with zipfile.ZipFile("other_member.npz", "w") as archive:
    archive.writestr("x.txt", "1 2 3")
npy = open("x.npy", "rb").read()
open("truncated.npy", "wb").write(npy[:-5])
open("header_only.npy", "wb").write(npy[:20])
open("empty.npy", "wb").close()
open("long.npy", "wb").write(npy + b"more")
# Wanted outputs of p.mlir: y = x + 1, m = -n, and wrong ones.
y, m = x + 1, -n
np.savez("want.npz", y=y, m=m)
np.savez("want_y.npz", y=y, x=x)
np.savez("want_far.npz", y=y + np.float32(0.5) * (x == 5), m=m)
# Powers of two, so that the errors are exact: 2^-13, and 2^-12 at the last element.
np.savez("want_near.npz", y=y + np.float32(2**-13) * (1 + (x == 5)).astype(np.float32), m=m)
np.savez("want_integer.npz", y=y, m=m + (n == 2))
np.savez("want_nan.npz", y=np.where(x == 1, np.nan, y).astype(np.float32), m=m)
np.savez("want_f64.npz", y=y.astype(np.float64))
np.savez("want_shape.npz", y=y[:, :2])
