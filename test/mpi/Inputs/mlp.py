# Prints a perceptron of two layers for a grid of ranks, as the partitioner makes it: batch along axis 0, the hidden
# features along axis 1, so that the second product is summed over axis 1. `mlp.py` prints the program of one
# process, `mlp.py 2 2` that of 2x2 ranks. A third argument is the kind of the sum, a fourth the batch (8).
import sys

rows, parts = (int(text) for text in (sys.argv[1:3] or ["1", "1"]))
kind = sys.argv[3] if len(sys.argv) > 3 else "sum"
wholeBatch = int(sys.argv[4]) if len(sys.argv) > 4 else 8
batch, inputs, hidden, outputs = wholeBatch // rows, 16, 32 // parts, 12
isCut = len(sys.argv) > 1


def attributes(name, dims, others=""):
    sharding = f", fuse.sharding = #fuse.sharding<grid = [{rows}, {parts}], dims = {dims}>" if isCut else ""
    return f'{{{others}fuse.name = "{name}"{sharding}}}'


print(f"""
func.func @main(%x: tensor<{batch}x{inputs}xf32> {attributes("x", "[[0], []]")},
                %w1: tensor<{inputs}x{hidden}xf32> {attributes("w1", "[[], [1]]", "fuse.param, ")},
                %b1: tensor<{hidden}xf32> {attributes("b1", "[[1]]", "fuse.param, ")},
                %w2: tensor<{hidden}x{outputs}xf32> {attributes("w2", "[[1], []]", "fuse.param, ")},
                %b2: tensor<{outputs}xf32> {attributes("b2", "[[]]", "fuse.param, ")})
    -> (tensor<{batch}x{outputs}xf32> {attributes("y", "[[0], []]")}, tensor<{batch}x{hidden}xf32> {attributes("h", "[[0], [1]]")}) {{
  %0 = fuse.matmul %x, %w1 : (tensor<{batch}x{inputs}xf32>, tensor<{inputs}x{hidden}xf32>) -> tensor<{batch}x{hidden}xf32>
  %1 = fuse.binary add %0, %b1 : (tensor<{batch}x{hidden}xf32>, tensor<{hidden}xf32>) -> tensor<{batch}x{hidden}xf32>
  %2 = fuse.unary relu %1 : tensor<{batch}x{hidden}xf32>
  %3 = fuse.matmul %2, %w2 : (tensor<{batch}x{hidden}xf32>, tensor<{hidden}x{outputs}xf32>) -> tensor<{batch}x{outputs}xf32>""")
value = "%3"
if isCut:
    print(f"  %4 = fuse.all_reduce {kind} %3 in <grid = [{rows}, {parts}], axes = [1]> : tensor<{batch}x{outputs}xf32>")
    value = "%4"
print(f"""  %5 = fuse.binary add {value}, %b2 : (tensor<{batch}x{outputs}xf32>, tensor<{outputs}xf32>) -> tensor<{batch}x{outputs}xf32>
  return %5, %2 : tensor<{batch}x{outputs}xf32>, tensor<{batch}x{hidden}xf32>
}}""")
