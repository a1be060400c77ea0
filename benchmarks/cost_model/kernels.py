# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that predicted and measured times are compared on: each is planned as one kernel, or a few."""

from program import Program


def chain(p, x, kinds):
    for kind in kinds:
        x = p.unary(kind, x)
    return x


def elementwise():
    for name, count, kind in (("64k", 1 << 16, "small"), ("1m", 1 << 20, "memory"), ("16m", 1 << 24, "memory")):
        p = Program(f"relu_{name}", kind)
        yield p.returns(p.unary("relu", p.argument([count])))
        p = Program(f"add_{name}", kind)
        yield p.returns(p.binary("add", p.argument([count]), p.argument([count])))
        p = Program(f"gelu_{name}", "compute" if kind == "memory" else kind)
        yield p.returns(p.unary("gelu", p.argument([count])))
    p = Program("exp_chain_4m", "compute")
    yield p.returns(chain(p, p.argument([1 << 22]), ["exp", "tanh", "sigmoid", "sqrt"]))
    p = Program("cheap_chain_4m", "memory")
    yield p.returns(chain(p, p.argument([1 << 22]), ["relu", "neg", "abs", "relu", "neg"]))
    p = Program("pow_1m", "compute")
    yield p.returns(p.binary("pow", p.argument([1 << 20]), p.argument([1 << 20])))
    p = Program("div_4m", "memory")
    yield p.returns(p.binary("div", p.argument([1 << 22]), p.argument([1 << 22])))
    p = Program("bias_4096x1024", "memory")
    yield p.returns(p.binary("add", p.argument([4096, 1024]), p.argument([1024])))
    p = Program("row_factor_4096x1024", "memory")
    yield p.returns(p.binary("mul", p.argument([4096, 1024]), p.argument([4096, 1])))
    p = Program("sum_of_five_2m", "memory")
    x = p.argument([1 << 21])
    for _ in range(4):
        x = p.binary("add", x, p.argument([1 << 21]))
    yield p.returns(x)
    p = Program("cast_bf16_4m", "memory")
    yield p.returns(p.cast(p.argument([1 << 22]), "bf16"))
    p = Program("batch_norm_64x112x112", "memory")
    yield p.returns(p.batch_norm(p.argument([4, 64, 112, 112])))
    p = Program("add_f64_2m", "memory")
    yield p.returns(p.binary("add", p.argument([1 << 21], "f64"), p.argument([1 << 21], "f64")))
    p = Program("outer_4096", "memory")
    yield p.returns(p.binary("mul", p.argument([4096, 1]), p.argument([1, 4096])))
    p = Program("relu_1k", "small")
    yield p.returns(p.unary("relu", p.argument([1024])))


def rows():
    for rows_, columns, kind in ((64, 256, "small"), (512, 768, "compute"), (4096, 1024, "memory"), (16384, 64, "memory")):
        shape = [rows_, columns]
        text = f"{rows_}x{columns}"
        p = Program(f"softmax_{text}", kind)
        yield p.returns(p.softmax(p.argument(shape)))
        p = Program(f"layer_norm_{text}", kind)
        yield p.returns(p.layer_norm(p.argument(shape)))
        p = Program(f"row_sum_{text}", kind)
        yield p.returns(p.reduce("sum", p.argument(shape), [1]))
    p = Program("rms_norm_8192x512", "memory")
    x = p.argument([8192, 512])
    mean = p.reduce("mean", p.binary("mul", x, x), [1], keep=True)
    yield p.returns(p.binary("mul", p.binary("mul", x, p.unary("rsqrt", mean)), p.argument([512], param=True)))
    p = Program("residual_layer_norm_4096x768", "memory")
    yield p.returns(p.layer_norm(p.binary("add", p.argument([4096, 768]), p.argument([4096, 768]))))
    p = Program("column_sum_4096x4096", "memory")
    yield p.returns(p.reduce("sum", p.argument([4096, 4096]), [0]))
    p = Program("column_max_512x512", "small")
    yield p.returns(p.reduce("max", p.argument([512, 512]), [0]))
    p = Program("middle_mean_64x256x256", "memory")
    yield p.returns(p.reduce("mean", p.argument([64, 256, 256]), [1]))
    p = Program("row_variance_4096x1024", "memory")
    x = p.argument([4096, 1024])
    centered = p.binary("sub", x, p.reduce("mean", x, [1], keep=True))
    yield p.returns(p.reduce("mean", p.binary("mul", centered, centered), [1]))


def moves():
    p = Program("transpose_2048x2048", "memory")
    yield p.returns(p.transpose(p.argument([2048, 2048]), [1, 0]))
    p = Program("transpose_heads_8x128x12x64", "memory")
    yield p.returns(p.transpose(p.argument([8, 128, 12, 64]), [0, 2, 1, 3]))
    p = Program("concat_rows_2x1024x1024", "memory")
    yield p.returns(p.concat([p.argument([1024, 1024]), p.argument([1024, 1024])], 0))
    p = Program("concat_columns_2x1024x1024", "memory")
    yield p.returns(p.concat([p.argument([1024, 1024]), p.argument([1024, 1024])], 1))
    p = Program("pad_64x112x112", "memory")
    yield p.returns(p.pad(p.argument([1, 64, 112, 112]), [0, 0, 1, 1], [0, 0, 1, 1]))
    p = Program("gather_4096x768", "memory")
    yield p.returns(p.gather(p.argument([30000, 768], param=True), p.argument([4096], "i32")))
    p = Program("slice_2048x1024", "memory")
    yield p.returns(p.slice(p.argument([2048, 2048]), [0, 512], [2048, 1024]))
    p = Program("max_pool_64x112x112", "memory")
    yield p.returns(p.max_pool(p.argument([1, 64, 112, 112]), 3, 2, 1))


def products():
    for m, k, n in ((16, 64, 64), (128, 128, 128), (256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (64, 768, 3072),
                    (128, 3072, 768), (2048, 64, 2048), (333, 517, 291)):
        p = Program(f"matmul_{m}x{k}x{n}", "small" if m * k * n < 1 << 20 else "compute")
        yield p.returns(p.matmul(p.argument([m, k]), p.argument([k, n], param=True)))
    p = Program("matmul_1x2048x2048", "memory")
    yield p.returns(p.matmul(p.argument([1, 2048]), p.argument([2048, 2048], param=True)))
    p = Program("matmul_8x2048x2048", "memory")
    yield p.returns(p.matmul(p.argument([8, 2048]), p.argument([2048, 2048], param=True)))
    p = Program("matmul_bias_gelu_128x768x3072", "compute")
    x = p.matmul(p.argument([128, 768]), p.argument([768, 3072], param=True))
    yield p.returns(p.unary("gelu", p.binary("add", x, p.argument([3072], param=True))))
    p = Program("matmul_batched_12x128x64x128", "compute")
    yield p.returns(p.matmul(p.argument([12, 128, 64]), p.argument([12, 64, 128])))
    p = Program("attention_1x12x128x64", "compute")
    yield p.returns(p.attention(*(p.argument([1, 12, 128, 64]) for _ in range(3))))
    p = Program("attention_1x8x512x64", "compute")
    yield p.returns(p.attention(*(p.argument([1, 8, 512, 64]) for _ in range(3))))


def convolutions():
    for name, shape, filters, taps, stride, groups in (
            ("3x3_64_56", [1, 64, 56, 56], 64, 3, 1, 1), ("1x1_256_56", [1, 256, 56, 56], 64, 1, 1, 1),
            ("3x3_512_7", [1, 512, 7, 7], 512, 3, 1, 1), ("1x1_2048_7", [1, 2048, 7, 7], 512, 1, 1, 1),
            ("7x7_3_224", [1, 3, 224, 224], 64, 7, 2, 1), ("depthwise_96_112", [1, 96, 112, 112], 96, 3, 2, 96),
            ("depthwise_384_14", [1, 384, 14, 14], 384, 3, 1, 384), ("3x3_128_28", [1, 128, 28, 28], 128, 3, 2, 1)):
        p = Program(f"conv_{name}", "compute")
        w = p.argument([filters, shape[1] // groups, taps, taps], param=True)
        yield p.returns(p.conv2d(p.argument(shape), w, stride, taps // 2, groups))
    p = Program("conv_bn_relu_64_56", "compute")
    x = p.conv2d(p.argument([1, 64, 56, 56]), p.argument([64, 64, 3, 3], param=True), 1, 1)
    yield p.returns(p.unary("relu", p.batch_norm(x)))


def all_programs():
    for group in (elementwise, rows, moves, products, convolutions):
        yield from group()
