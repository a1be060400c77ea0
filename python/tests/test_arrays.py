"""What arrays a call takes and gives."""
import ml_dtypes
import numpy as np
import pytest

import fuse
from programs import LAYER, WEIGHTS, layer, sums

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16,
         "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64}


@pytest.mark.parametrize("name", TYPES)
def test_types(name):
    program = fuse.compile(sums(name))
    x = np.arange(8).astype(TYPES[name])
    y = program(x, x)
    assert y.dtype == TYPES[name] and np.array_equal(y, x + x)
    assert program.inputs[0].dtype == np.dtype(TYPES[name]).name


def test_masks():
    program = fuse.compile(b"func.func @f(%x: tensor<4xi1>) -> tensor<4xi1> {\n"
                           b"  %0 = fuse.unary logical_not %x : tensor<4xi1>\n  return %0 : tensor<4xi1>\n}")
    x = np.array([True, False, True, True])
    assert program(x).dtype == np.bool_ and np.array_equal(program(x), ~x)


def test_orders():
    program = fuse.compile(LAYER, weights={"w": WEIGHTS})
    x = np.linspace(-1, 1, 40, dtype=np.float32).reshape(10, 4)
    for each in (x, x[::-1], x[::2], np.asfortranarray(x), x.astype(">f4"), x[:0]):
        assert np.allclose(program(each), layer(np.asarray(each, np.float32)), atol=1e-6)
    buffer = np.zeros(161, np.uint8)  # of no alignment at all
    unaligned = buffer[1:].view(np.float32).reshape(10, 4)
    unaligned[:] = x
    assert np.allclose(program(unaligned), layer(x), atol=1e-6)


def test_no_copies():
    """Outputs own their memory, and calls do not share it."""
    program = fuse.compile(sums("f32"))
    x = np.ones(8, np.float32)
    first, second = program(x, x), program(x, 2 * x)
    assert np.array_equal(first, 2 * x) and np.array_equal(second, 3 * x)
    assert first.flags.owndata and first.flags.writeable


def test_scalars():
    program = fuse.compile(sums("f32", shape=""))
    assert program(2, 3.5) == 5.5 and program(np.float32(1), np.array(2, np.float32)) == 3
    assert fuse.compile(sums("f32"))([1] * 8, list(range(8))).tolist() == [1 + i for i in range(8)]


class Exported:
    """An array of another package, as DLPack sees it."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack():
    program = fuse.compile(LAYER, weights={"w": Exported(WEIGHTS)})
    x = np.linspace(-1, 1, 40, dtype=np.float32).reshape(10, 4)
    for each in (x, x[::2], np.asfortranarray(x)):
        assert np.allclose(program(Exported(each)), layer(each), atol=1e-6)


def test_in_place():
    program = fuse.compile(b"func.func @f(%x: memref<4xf32> {fuse.name = \"x\"}, %y: tensor<4xf32>) {\n"
                           b"  %0 = fuse.load %x : memref<4xf32> -> tensor<4xf32>\n  %1 = fuse.binary add %0, %y : tensor<4xf32>\n"
                           b"  fuse.store %1, %x : tensor<4xf32>, memref<4xf32>\n  return\n}")
    assert program.inputs[0].is_written
    x = np.arange(4, dtype=np.float32)
    assert program(x, x.copy()) is None and x.tolist() == [0, 2, 4, 6]
    x.flags.writeable = False
    with pytest.raises(fuse.Error, match="'x': the program writes it: expected a writable array"):
        program(x, x)


def test_weights_are_held():
    """Weights are not copied: they live as long as the program, and are read where they are."""
    weights = WEIGHTS.copy()
    program = fuse.compile(LAYER, weights={"w": weights})
    del weights
    assert np.allclose(program(np.ones((1, 4), np.float32)), layer(np.ones((1, 4), np.float32)), atol=1e-6)
    transposed = fuse.compile(LAYER, weights={"w": np.asfortranarray(WEIGHTS)})
    assert np.allclose(transposed(np.ones((1, 4), np.float32)), layer(np.ones((1, 4), np.float32)), atol=1e-6)
