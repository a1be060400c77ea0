"""Prints programs that are too long to write down: chain N, fan N (N host ops between two ops), or open N (N arguments of open
sizes, of each the sum of all elements)."""
import sys

kind, count = sys.argv[1], int(sys.argv[2])
tensor = "tensor<1024xf32>"
if kind == "open":
    arguments = ", ".join(f"%x{i}: tensor<?xf32> {{fuse.dim_hints = array<i64: 65536>}}" for i in range(count))
    print(f"func.func @f({arguments}) -> ({', '.join(['tensor<f32>'] * count)}) {{")
    for i in range(count):
        print(f"  %{2 * i} = fuse.unary exp %x{i} : tensor<?xf32>")
        print(f"  %{2 * i + 1} = fuse.reduce sum %{2 * i} dimensions = [0] : tensor<?xf32> -> tensor<f32>")
    print(f"  return {', '.join(f'%{2 * i + 1}' for i in range(count))} : {', '.join(['tensor<f32>'] * count)}\n}}")
    sys.exit()
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
