"""A padded convolution of a division behind STEPS pairs of ops that each read both of the pair before.

usage: make_ladder.py STEPS
"""
import sys

X, W = "tensor<1x1x4x4xf32>", "tensor<1x1x3x3xf32>"
print(f"func.func @ladder(%a0: {X}, %b0: {X}, %w: {W}) -> {X} {{")
steps = int(sys.argv[1])
for i in range(steps):
    print(f"  %a{i + 1} = fuse.binary add %a{i}, %b{i} : {X}")
    print(f"  %b{i + 1} = fuse.binary sub %a{i}, %b{i} : {X}")
print(f"  %q = fuse.binary div %a{steps}, %b{steps} : {X}")
print("  %y = fuse.conv2d %q, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] "
      f"groups = 1 layout = nchw_fchw : ({X}, {W}) -> {X}")
print(f"  return %y : {X}\n}}")
