"""Prints programs that are too long to write down: chain N, or fan N (N host ops between two ops)."""
import sys

kind, count = sys.argv[1], int(sys.argv[2])
tensor = "tensor<1024xf32>"
print(f"func.func @f(%x: {tensor}) -> {tensor} {{\n  %0 = fuse.unary neg %x : {tensor}")
for i in range(1, count):
    if kind == "chain":
        print(f"  %{i} = fuse.unary neg %{i - 1} : {tensor}")
    else:
        print(f"  %{i} = fuse.host_call @h(%0) pure : ({tensor}) -> {tensor}")
if kind == "fan":
    print(f"  %{count} = fuse.binary add %0, %{count - 1} : {tensor}")
    count += 1
print(f"  return %{count - 1} : {tensor}\n}}")
