# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of few ops that could be one kernel: good merges and bad ones."""

from program import Program


def weights(p, *shape):
    return p.argument(shape, param=True)


def chains():
    for count, text in ((1 << 12, "4k"), (1 << 16, "64k"), (1 << 20, "1m"), (1 << 24, "16m")):
        p = Program(f"two_cheap_{text}", "memory")
        yield p.returns(p.unary("neg", p.unary("relu", p.argument([count]))))
        p = Program(f"exp_add_{text}", "memory")
        yield p.returns(p.binary("add", p.unary("exp", p.argument([count])), p.argument([count])))
    p = Program("bias_gelu_2048x1024", "compute")
    yield p.returns(p.unary("gelu", p.binary("add", p.argument([2048, 1024]), weights(p, 1024))))
    p = Program("siblings_4m", "memory")
    x = p.argument([1 << 22])
    yield p.returns(p.unary("relu", x), p.unary("neg", x))


def rows():
    for rows_, columns in ((64, 512), (2048, 1024), (8192, 1024), (512, 4096)):
        shape, text = [rows_, columns], f"{rows_}x{columns}"
        p = Program(f"add_row_sum_{text}", "memory")
        yield p.returns(p.reduce("sum", p.binary("add", p.argument(shape), p.argument(shape)), [1]))
        p = Program(f"residual_norm_{text}", "memory")
        yield p.returns(p.layer_norm(p.binary("add", p.argument(shape), p.argument(shape))))
        p = Program(f"max_and_minus_{text}", "memory")
        x = p.argument(shape)
        yield p.returns(p.binary("sub", x, p.reduce("max", x, [1], keep=True)))
        p = Program(f"exp_and_sum_{text}", "compute")
        e = p.unary("exp", p.argument(shape))
        yield p.returns(p.binary("div", e, p.reduce("sum", e, [1], keep=True)))
        p = Program(f"norm_gelu_{text}", "compute")
        yield p.returns(p.unary("gelu", p.layer_norm(p.argument(shape))))


def products():
    for m, k, n in ((16, 256, 256), (64, 768, 768), (128, 768, 3072), (512, 512, 512), (1024, 64, 1024)):
        text = f"{m}x{k}x{n}"
        p = Program(f"linear_relu_{text}", "compute")
        x = p.matmul(p.argument([m, k]), weights(p, k, n))
        yield p.returns(p.unary("relu", p.binary("add", x, weights(p, n))))
        p = Program(f"linear_sum_{text}", "compute")
        yield p.returns(p.reduce("sum", p.matmul(p.argument([m, k]), weights(p, k, n)), [1]))
        p = Program(f"norm_linear_{text}", "compute")
        yield p.returns(p.matmul(p.layer_norm(p.argument([m, k])), weights(p, k, n)))
        p = Program(f"exp_linear_{text}", "compute")
        yield p.returns(p.matmul(p.unary("exp", p.argument([m, k])), weights(p, k, n)))
        p = Program(f"gelu_linear_{text}", "compute")
        yield p.returns(p.matmul(p.unary("gelu", p.argument([m, k])), weights(p, k, n)))
    for m, k, h, n in ((64, 256, 256, 256), (64, 768, 3072, 768), (128, 512, 512, 512), (1024, 64, 64, 64), (256, 64, 2048, 64),
                       (512, 1024, 1024, 1024)):
        p = Program(f"two_products_{m}x{k}x{h}x{n}", "compute")
        yield p.returns(p.matmul(p.matmul(p.argument([m, k]), weights(p, k, h)), weights(p, h, n)))
    for heads, rows_, keys in ((12, 128, 128), (8, 512, 512), (2, 24, 1024), (16, 32, 32)):
        p = Program(f"scores_{heads}x{rows_}x{keys}", "compute")
        x = p.softmax(p.matmul(p.argument([heads, rows_, 64]), p.argument([heads, 64, keys])))
        yield p.returns(p.matmul(x, p.argument([heads, keys, 64])))


def convolutions():
    for channels, extent in ((64, 56), (16, 40), (256, 14), (128, 28)):
        shape = [1, channels, extent, extent]
        p = Program(f"conv_relu_{channels}_{extent}", "compute")
        x = p.conv2d(p.argument(shape), weights(p, channels, channels, 3, 3), 1, 1)
        yield p.returns(p.unary("relu", p.batch_norm(x)))
        p = Program(f"relu_conv_{channels}_{extent}", "compute")
        x = p.unary("relu", p.argument(shape))
        yield p.returns(p.conv2d(x, weights(p, channels, channels, 3, 3), 1, 1))
        p = Program(f"two_convs_{channels}_{extent}", "compute")
        x = p.conv2d(p.argument(shape), weights(p, channels, channels, 3, 3), 1, 1)
        yield p.returns(p.conv2d(p.unary("relu", x), weights(p, channels, channels, 3, 3), 1, 1))
        p = Program(f"conv_pointwise_{channels}_{extent}", "compute")
        x = p.conv2d(p.argument(shape), weights(p, channels, channels, 3, 3), 1, 1)
        yield p.returns(p.conv2d(p.unary("relu", x), weights(p, channels, channels, 1, 1)))
    p = Program("conv_pool_64_112", "compute")
    x = p.conv2d(p.argument([1, 3, 224, 224]), weights(p, 64, 3, 7, 7), 2, 3)
    yield p.returns(p.max_pool(p.unary("relu", x), 3, 2, 1))


def all_programs():
    for group in (chains, rows, products, convolutions):
        yield from group()
