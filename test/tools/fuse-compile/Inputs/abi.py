"""usage: abi.py BUNDLE.so: opens a bundle as a caller of another binary interface; prints the error."""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
bundle, error = ctypes.c_void_p(1), ctypes.create_string_buffer(256)
status = library.fuse_bundle_open(98, None, ctypes.byref(bundle), error, ctypes.c_int64(256))
print(status, bundle.value, error.value.decode())
