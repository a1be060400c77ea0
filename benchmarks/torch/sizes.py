# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes as they are met, for the modules of test/torch/modules.py, whose own are those of tests."""

TEXT = {"count": 1, "length": 128, "width": 256, "layers": 4, "vocabulary": 8000}

SIZES = {
    "resnet18": {"count": 1, "size": 224},
    "mobilenet_v3": {"size": 224},
    "efficientnet": {"size": 224},
    "convnext": {"count": 1, "size": 224},
    "shufflenet": {"size": 224},
    "detection_head": {"count": 1, "size": 320, "channels": 32},
    "unet": {"count": 1, "size": 128, "width": 32},
    "upsampler": {"size": 128},
    "bert": {**TEXT, "hidden": 1024},
    "gpt2": TEXT,
    "llama_decoder": {"count": 1, "past": 255, "width": 512},
    "t5_encoder": {**TEXT, "hidden": 1024},
    "vit": {"count": 1, "size": 224, "patch": 16, "layers": 4, "width": 192},
    "swin": {"size": 224, "width": 48, "window": 7},
    "transformer_encoder": {"count": 4, "length": 128, "width": 256},
    "lstm": {"count": 4, "length": 64, "width": 128, "hidden": 128},
    "gru": {"count": 4, "length": 64, "width": 128, "hidden": 128},
    "mixture_of_experts": {"count": 64, "width": 256, "hidden": 512, "experts": 8},
    "mamba_block": {"count": 1, "length": 32, "width": 64, "inner": 128, "state": 16},
    "mlp_mixer": {"count": 2, "tokens": 196, "width": 256},
    "wavenet": {"length": 4000, "width": 32},
}
