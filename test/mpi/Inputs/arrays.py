# arrays.py F.npz [SEED]: all arrays of the perceptron of mlp.py.
# arrays.py --compare JOINED.npz PREFIX: whether the outputs of 2x2 ranks, each in a file of its own, are the parts of
# the outputs of all.
import sys

import numpy

if sys.argv[1] == "--compare":
    full = numpy.load(sys.argv[2])
    for rank in range(4):
        own = numpy.load(f"{sys.argv[3]}{rank}.npz")
        row, column = divmod(rank, 2)
        assert (own["y"] == full["y"][4 * row : 4 * row + 4]).all(), rank
        assert (own["h"] == full["h"][4 * row : 4 * row + 4, 16 * column : 16 * column + 16]).all(), rank
else:
    generator = numpy.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    shapes = {"x": (8, 16), "w1": (16, 32), "b1": (32,), "w2": (32, 12), "b2": (12,)}
    numpy.savez(sys.argv[1], **{name: generator.standard_normal(shape).astype("f4") for name, shape in shapes.items()})
