#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: open_networks.py FOLDER [NAME …]

Exports networks of torchvision and transformers, with seeded random weights, with an open batch and, where there is one,
an open sequence: FOLDER/NAME/model.onnx, and FOLDER/NAME/SIZE/inputs.npz for each size (b8s17: batch 8, sequence 17).
What exists already is kept. Nothing is downloaded: the networks are made from their configurations.
"""

import os
import sys
import warnings

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")

import numpy as np

from silenced import silenced

BATCHES, SEQUENCES = (1, 8), (1, 17, 128, 384)


class Network:
    """A module, a function (batch, sequence) -> {input name: array}, the dimensions of each input that are open, as
    {position: name}, and how PyTorch exports it: by "trace" (TorchScript) or by "export" (torch.export)."""

    def __init__(self, module, inputs, open_dims, exporter, sequences=SEQUENCES, opset=18):
        self.module, self.inputs, self.open_dims = module.eval(), inputs, open_dims
        self.exporter, self.sequences, self.opset = exporter, sequences, opset

    def sizes(self):
        for batch in BATCHES:
            for sequence in self.sequences:
                yield (f"b{batch}s{sequence:03}" if sequence else f"b{batch}"), self.inputs(batch, sequence)


def token_ids(batch, sequence, below):
    return np.random.default_rng(7).integers(0, below, (batch, sequence))


def bert():
    """12 layers of 768, with an additive mask made of a mask of 0 and 1."""
    import torch
    from transformers import BertConfig, BertModel

    class Bert(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bert = BertModel(BertConfig(attn_implementation="eager"))

        def forward(self, input_ids, attention_mask, token_type_ids):
            mask = (1.0 - attention_mask[:, None, None, :].to(torch.float32)) * -10000.0
            result = self.bert(input_ids=input_ids, attention_mask=mask, token_type_ids=token_type_ids)
            return result.last_hidden_state, result.pooler_output

    def inputs(batch, sequence):
        mask = np.ones((batch, sequence), np.int64)
        mask[:, max(1, sequence * 4 // 5):] = 0
        return {"input_ids": token_ids(batch, sequence, 30522), "attention_mask": mask,
                "token_type_ids": np.zeros((batch, sequence), np.int64)}

    both = {0: "batch", 1: "sequence"}
    return Network(Bert(), inputs, {"input_ids": both, "attention_mask": both, "token_type_ids": both}, "trace", opset=17)


def gpt2():
    """12 layers of 768 and the head over 50,257 tokens, without a cache."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    class Gpt2(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lm = GPT2LMHeadModel(GPT2Config(attn_implementation="eager", use_cache=False))

        def forward(self, input_ids):
            return self.lm(input_ids=input_ids, use_cache=False).logits

    return Network(Gpt2(), lambda batch, sequence: {"input_ids": token_ids(batch, sequence, 50257)},
                   {"input_ids": {0: "batch", 1: "sequence"}}, "export")


def llama_block_x4():
    """Four decoder blocks: RMSNorm, rotary positions, 12 query and 4 key/value heads, SwiGLU."""
    import torch
    from transformers import LlamaConfig, LlamaModel

    class Llama(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = LlamaModel(LlamaConfig(
                hidden_size=768, intermediate_size=2048, num_hidden_layers=4, num_attention_heads=12, num_key_value_heads=4,
                vocab_size=8, max_position_embeddings=512, use_cache=False, attn_implementation="eager"))

        def forward(self, hidden):
            return self.model(inputs_embeds=hidden, use_cache=False).last_hidden_state

    def inputs(batch, sequence):
        return {"hidden": np.random.default_rng(7).standard_normal((batch, sequence, 768), np.float32)}

    return Network(Llama(), inputs, {"hidden": {0: "batch", 1: "sequence"}}, "export")


def image(batch, _):
    return {"image": np.random.default_rng(7).standard_normal((batch, 3, 224, 224), np.float32)}


def vit():
    import torchvision
    import torch
    module = torchvision.models.vit_b_16(weights=None)
    torch.nn.init.normal_(module.heads.head.weight, std=0.02)  # zero otherwise
    return Network(module, image, {"image": {0: "batch"}}, "export", sequences=(0,))


def resnet50():
    import torchvision
    return Network(torchvision.models.resnet50(weights=None), image, {"image": {0: "batch"}}, "trace", sequences=(0,), opset=17)


NETWORKS = {function.__name__: function for function in (bert, gpt2, llama_block_x4, vit, resnet50)}


def export(network, path):
    import torch
    example = network.inputs(2, 24)
    arrays = tuple(torch.from_numpy(array) for array in example.values())
    with torch.no_grad(), warnings.catch_warnings(), silenced():
        warnings.simplefilter("ignore")
        if network.exporter == "trace":
            torch.onnx.export(network.module, arrays, path, dynamo=False, opset_version=network.opset,
                              input_names=list(example), dynamic_axes=network.open_dims)
        else:
            names = {name for dims in network.open_dims.values() for name in dims.values()}
            symbols = {name: torch.export.Dim(name, min=1, max=512) for name in names}
            shapes = [{axis: symbols[name] for axis, name in network.open_dims[value].items()} for value in example]
            torch.onnx.export(network.module, arrays, path, dynamo=True, opset_version=network.opset,
                              input_names=list(example), dynamic_shapes=tuple(shapes), external_data=False, verbose=False)


def write_network(folder, name):
    """The path of the folder that holds the model and its sizes."""
    path = os.path.join(folder, name)
    model = os.path.join(path, "model.onnx")
    if not os.path.exists(model):
        import torch
        os.makedirs(path, exist_ok=True)
        torch.manual_seed(1)
        network = NETWORKS[name]()
        for size, arrays in network.sizes():
            os.makedirs(os.path.join(path, size), exist_ok=True)
            np.savez(os.path.join(path, size, "inputs.npz"), **arrays)
        export(network, model + ".tmp")
        os.replace(model + ".tmp", model)
    return path


if __name__ == "__main__":
    for wanted in sys.argv[2:] or NETWORKS:
        print(write_network(sys.argv[1], wanted), flush=True)
