# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that a GPU is timed with. Each has a name, what bounds it, and what it is compared with.

Memory-bound programs are large enough that the second level of cache (50 MB of an H100) does not hold their arrays."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cost_model"))
from program import Program  # noqa: E402


class Timed:
    """`bound`: memory, or the element type whose products bound it. `flops`: of one run; 0 where memory bounds it.
    `numerics`: as fuse-compile takes it."""

    def __init__(self, program, bound, flops=0, numerics="folds"):
        self.program, self.bound, self.flops, self.numerics = program, bound, flops, numerics


def elementwise():
    count = 1 << 26
    for element in ("f32", "f16"):
        p = Program(f"add_{element}", "memory")
        yield p.returns(p.binary("add", p.argument([count], element), p.argument([count], element)))
    p = Program("chain_tanh_exp", "memory")
    x, y = p.argument([count]), p.argument([count])
    yield p.returns(p.unary("exp", p.binary("mul", p.unary("tanh", p.binary("add", x, y)), x)))
    p = Program("bias_gelu", "memory")
    yield p.returns(p.unary("gelu", p.binary("add", p.argument([32768, 3072]), p.argument([3072]))))
    p = Program("bias_relu_odd", "memory")
    yield p.returns(p.unary("relu", p.binary("add", p.argument([65521, 1001]), p.argument([1001]))))
    p = Program("batch_norm", "memory")
    yield p.returns(p.unary("relu", p.batch_norm(p.argument([64, 64, 112, 112]))))


def rows():
    for rows_, columns, element in ((65536, 1024, "f32"), (65536, 1024, "f16"), (2048, 32000, "f32"), (1 << 20, 64, "f32"),
                                    (65521, 1001, "f32")):
        p = Program(f"softmax_{rows_}x{columns}_{element}", "memory")
        yield p.returns(p.softmax(p.argument([rows_, columns], element)))
    for rows_, columns in ((65536, 768), (16384, 4096)):
        p = Program(f"layer_norm_{rows_}x{columns}", "memory")
        yield p.returns(p.layer_norm(p.binary("add", p.argument([rows_, columns]), p.argument([rows_, columns]))))
    p = Program("rms_norm_65536x1024", "memory")
    x = p.argument([65536, 1024])
    mean = p.reduce("mean", p.binary("mul", x, x), [1], keep=True)
    yield p.returns(p.binary("mul", p.binary("mul", x, p.unary("rsqrt", mean)), p.argument([1024], param=True)))
    p = Program("row_sum_65536x1024", "memory")
    yield p.returns(p.reduce("sum", p.argument([65536, 1024]), [1]))
    p = Program("column_sum_16384x4096", "memory")
    yield p.returns(p.reduce("sum", p.argument([16384, 4096]), [0]))
    p = Program("full_sum_64m", "memory")
    yield p.returns(p.reduce("sum", p.argument([1 << 26]), [0]))


def moves():
    p = Program("transpose_8192", "memory")
    yield p.returns(p.transpose(p.argument([8192, 8192]), [1, 0]))
    p = Program("transpose_heads", "memory")
    yield p.returns(p.transpose(p.argument([128, 512, 12, 64]), [0, 2, 1, 3]))
    p = Program("gather_rows", "memory")
    yield p.returns(p.gather(p.argument([65536, 1024]), p.argument([65536], "i32")))
    p = Program("max_pool", "memory")
    yield p.returns(p.max_pool(p.argument([64, 64, 112, 112]), 3, 2, 1))
    p = Program("concat_columns", "memory")
    yield p.returns(p.concat([p.argument([65536, 512]), p.argument([65536, 512])], 1))


def matmul(name, m, k, n, element="f32", numerics="folds", bound=None, bias=False):
    p = Program(name, "compute")
    x = p.matmul(p.argument([m, k], element), p.argument([k, n], element))
    if bias:
        x = p.unary("gelu", p.binary("add", x, p.argument([n], element)))
    return Timed(p.returns(x), bound or element, 2 * m * k * n, numerics)


def products():
    yield matmul("matmul_f16_4096", 4096, 4096, 4096, "f16")
    yield matmul("matmul_bf16_4096", 4096, 4096, 4096, "bf16")
    yield matmul("matmul_f16_bert", 4096, 768, 3072, "f16", bias=True)
    yield matmul("matmul_f16_512x4096x4096", 512, 4096, 4096, "f16")
    yield matmul("matmul_f32_4096", 4096, 4096, 4096)
    yield matmul("matmul_tf32_4096", 4096, 4096, 4096, "f32", "reduced-precision", "tf32")
    yield matmul("matmul_f32_bert", 4096, 768, 3072, bias=True)
    yield matmul("gemv_f16", 1, 16384, 8192, "f16", bound="memory")
    yield matmul("gemv_f32", 1, 16384, 4096, bound="memory")
    for name, m, k, n in (("matmul_i8_4096", 4096, 4096, 4096),):
        p = Program(name, "compute")
        x, w = p.argument([m, k], "i8"), p.argument([k, n], "i8")
        product = p.op(f"fuse.matmul {x.name}, {w.name} : ({x.type}, {w.type}) -> tensor<{m}x{n}xi32>", [m, n], "i32")
        yield Timed(p.returns(product), "i8", 2 * m * k * n)
    for element in ("f16", "f32"):
        p = Program(f"attention_{element}", "compute")
        shape = [96, 1024, 64]
        yield Timed(p.returns(p.attention(*(p.argument(shape, element) for _ in range(3)))), element,
                    4 * shape[0] * shape[1] * shape[1] * shape[2])
    p = Program("conv_3x3_64", "compute")
    x = p.conv2d(p.argument([32, 64, 56, 56]), p.argument([64, 64, 3, 3], param=True), 1, 1)
    yield Timed(p.returns(p.unary("relu", p.batch_norm(x))), "f32", 2 * 32 * 64 * 56 * 56 * 64 * 9)
    p = Program("depthwise_3x3", "memory")
    yield Timed(p.returns(p.conv2d(p.argument([64, 96, 112, 112]), p.argument([96, 1, 3, 3], param=True), 1, 1, 96)),
                "memory")


def all_timed():
    """Most important first."""
    for group in (elementwise, rows, moves):
        for program in group():
            yield Timed(program, "memory")
    yield from products()
