"""usage: shared_mapping.py BUNDLE.so: two processes open a bundle; both must map its weights read-only
and shared, from one file, and what both touched must be the same memory."""
import ctypes
import re
import subprocess
import sys

path = sys.argv[1]
weights = re.sub(r"\.so$", ".weights", path)


def mapping():
    """(permissions, inode, {field: kB}) of the weights in this process."""
    found, fields = None, {}
    for line in open("/proc/self/smaps"):
        head = re.match(r"[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ (\d+) +(.*)", line)
        if head:
            inside = head.group(3) == weights
            if inside:
                found = head.group(1), head.group(2)
        elif inside:
            name, value = line.split(":")
            if value.endswith("kB\n"):
                fields[name] = int(value.split()[0])
    return *(found or (None, None)), fields


def open_bundle():
    library = ctypes.CDLL(path)
    bundle, error = ctypes.c_void_p(), ctypes.create_string_buffer(256)
    abi = library.fuse_bundle_abi_version()
    if library.fuse_bundle_open(abi, None, ctypes.byref(bundle), error, ctypes.c_int64(256)):
        sys.exit(error.value.decode())


open_bundle()
if len(sys.argv) > 2:
    print(*mapping()[:2], flush=True)
    sys.stdin.read()
    sys.exit()
child = subprocess.Popen([sys.executable, sys.argv[0], path, "child"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
theirs = child.stdout.readline().split()
permissions, inode, fields = mapping()
child.communicate()
print("permissions", permissions, "and", theirs[0])
print("one file", inode == theirs[1])
print("shared", fields["Shared_Clean"] + fields["Shared_Dirty"] > 0)
print("private", fields["Private_Clean"] + fields["Private_Dirty"])
