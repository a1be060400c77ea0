"""usage: two_bundles.py A.so B.so: both in one process; prints the first input and output of each."""
import ctypes
import sys


class Value(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("rank", ctypes.c_int32), ("dtype", ctypes.c_int32), ("flags", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("indices_below", ctypes.c_int64)]


opened = []
for path in sys.argv[1:]:
    library = ctypes.CDLL(path)  # RTLD_LOCAL
    library.fuse_bundle_input.restype = library.fuse_bundle_output.restype = ctypes.POINTER(Value)
    bundle, error = ctypes.c_void_p(), ctypes.create_string_buffer(256)
    abi = library.fuse_bundle_abi_version()
    if library.fuse_bundle_open(abi, None, ctypes.byref(bundle), error, ctypes.c_int64(256)):
        sys.exit(error.value.decode())
    opened.append((library, bundle))
for library, bundle in opened:
    print(*(find(bundle, ctypes.c_int64(0)).contents.name.decode()
            for find in (library.fuse_bundle_input, library.fuse_bundle_output)))
for library, bundle in opened:
    library.fuse_bundle_close(bundle)
