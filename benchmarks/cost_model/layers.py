# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The 53 distinct convolutions of ResNet-50 (v1.5) and MobileNetV2 at 224x224, with bias and relu, channels last."""

from program import Program, tensor

# Channels, filters, height and width of the image, taps, stride, groups; the padding is half of the taps.
RESNET = (
    (3, 64, 224, 7, 2, 1), (64, 64, 56, 1, 1, 1), (64, 64, 56, 3, 1, 1), (64, 256, 56, 1, 1, 1), (256, 64, 56, 1, 1, 1),
    (256, 128, 56, 1, 1, 1), (128, 128, 56, 3, 2, 1), (128, 512, 28, 1, 1, 1), (256, 512, 56, 1, 2, 1), (512, 128, 28, 1, 1, 1),
    (128, 128, 28, 3, 1, 1), (512, 256, 28, 1, 1, 1), (256, 256, 28, 3, 2, 1), (256, 1024, 14, 1, 1, 1),
    (512, 1024, 28, 1, 2, 1), (1024, 256, 14, 1, 1, 1), (256, 256, 14, 3, 1, 1), (1024, 512, 14, 1, 1, 1),
    (512, 512, 14, 3, 2, 1), (512, 2048, 7, 1, 1, 1), (1024, 2048, 14, 1, 2, 1), (2048, 512, 7, 1, 1, 1),
    (512, 512, 7, 3, 1, 1))
MOBILENET = (
    (3, 32, 224, 3, 2, 1), (32, 32, 112, 3, 1, 32), (32, 16, 112, 1, 1, 1), (16, 96, 112, 1, 1, 1), (96, 96, 112, 3, 2, 96),
    (96, 24, 56, 1, 1, 1), (24, 144, 56, 1, 1, 1), (144, 144, 56, 3, 1, 144), (144, 24, 56, 1, 1, 1), (144, 144, 56, 3, 2, 144),
    (144, 32, 28, 1, 1, 1), (32, 192, 28, 1, 1, 1), (192, 192, 28, 3, 1, 192), (192, 32, 28, 1, 1, 1),
    (192, 192, 28, 3, 2, 192),
    (192, 64, 14, 1, 1, 1), (64, 384, 14, 1, 1, 1), (384, 384, 14, 3, 1, 384), (384, 64, 14, 1, 1, 1), (384, 96, 14, 1, 1, 1),
    (96, 576, 14, 1, 1, 1), (576, 576, 14, 3, 1, 576), (576, 96, 14, 1, 1, 1), (576, 576, 14, 3, 2, 576),
    (576, 160, 7, 1, 1, 1),
    (160, 960, 7, 1, 1, 1), (960, 960, 7, 3, 1, 960), (960, 160, 7, 1, 1, 1), (960, 320, 7, 1, 1, 1), (320, 1280, 7, 1, 1, 1))


def layer(network, channels, filters, extent, taps, stride, groups):
    kind = "depthwise" if groups == channels else f"{taps}x{taps}"
    p = Program(f"{network}_{kind}_{channels}x{filters}_{extent}s{stride}", "compute")
    x = p.argument([1, extent, extent, channels])
    w = p.argument([taps, taps, channels // groups, filters], param=True)
    padding = taps // 2
    size = (extent + 2 * padding - taps) // stride + 1
    shape = [1, size, size, filters]
    y = p.op(f"fuse.conv2d {x.name}, {w.name} strides = {[stride] * 2} dilations = [1, 1] padding = {[padding] * 4} "
             f"groups = {groups} layout = nhwc_hwcf : ({x.type}, {w.type}) -> {tensor(shape)}", shape)
    return p.returns(p.unary("relu", p.binary("add", y, p.argument([filters], param=True))))


def all_programs():
    for network, shapes in (("resnet", RESNET), ("mobilenet", MOBILENET)):
        for shape in shapes:
            yield layer(network, *shape)
