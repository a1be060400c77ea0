"""usage: write-concat.py N: a program that concatenates N short tensors."""
import sys

count = int(sys.argv[1])
part, whole = "tensor<37xf32>", f"tensor<{37 * count}xf32>"
names = [f"%a{i}" for i in range(count)]
print(f"func.func @f({', '.join(f'{name}: {part}' for name in names)}) -> {whole} {{")
print(f"  %0 = fuse.concat {', '.join(names)} dimension = 0 : ({', '.join([part] * count)}) -> {whole}")
print(f"  return %0 : {whole}\n}}")
