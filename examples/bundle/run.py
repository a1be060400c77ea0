"""Runs the bundle mlp.so on two rows and prints its output, as main.c does; Python alone is enough.

    fuse-compile mlp.mlir --inputs mlp_weights.npz -o mlp.so
    python3 run.py ./mlp.so

The structures are those of the header that fuse-compile writes beside the library.
"""
import ctypes
import sys

ABI_VERSION, F32 = 3, 2


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("sizes", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_int32), ("dtype", ctypes.c_int32)]


def describe(array, *sizes):
    return Buffer(ctypes.addressof(array), (ctypes.c_int64 * len(sizes))(*sizes), None, len(sizes), F32)


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.fuse_bundle_error.restype = ctypes.c_char_p
    text = ctypes.create_string_buffer(256)
    bundle, context = ctypes.c_void_p(), ctypes.c_void_p()
    capacity = ctypes.c_int64(len(text))
    if (library.fuse_bundle_open(ABI_VERSION, None, ctypes.byref(bundle), text, capacity) or
            library.fuse_bundle_context_create(bundle, 1, ctypes.byref(context), text, capacity)):
        sys.exit(text.value.decode())
    x, y = (ctypes.c_float * 8)(1, 2, 3, 4, -1, 0, 1, 0), (ctypes.c_float * 6)()
    failed = library.fuse_bundle_run(context, (Buffer * 1)(describe(x, 2, 4)), (Buffer * 1)(describe(y, 2, 3)))
    if failed:
        print(library.fuse_bundle_error(context).decode(), file=sys.stderr)
    else:
        for row in range(2):
            print(" ".join(f"{value:.6f}" for value in y[3 * row:3 * row + 3]))
    library.fuse_bundle_context_destroy(context)
    library.fuse_bundle_close(bundle)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
