#!/usr/bin/env python3
"""An encoder and a decoder, compiled once for batches of 1 to 64 and lengths of 1 to 512: recompile_tests.py [--sizes N]

Sizes of 1 are among them, which PyTorch takes for fixed where a dimension is not marked as mark_unbacked does. After the first call
compiling again is an error (torch.compiler.set_stance). N sizes are drawn beside those at the ends, others each day."""

import argparse
import random
import sys
import time
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._dynamo.decorators import mark_unbacked

import fuse.torch_backend as backend
from modules import Rotary

warnings.filterwarnings("ignore")
torch.set_num_threads(2)
WIDTH, HEADS, BATCH, LENGTH = 32, 4, 64, 512


class Encoder(nn.Module):
    """Two layers with positions that are learned, and a mask."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, WIDTH), nn.Embedding(LENGTH, WIDTH)
        linears = lambda: nn.ModuleDict({"qkv": nn.Linear(WIDTH, 3 * WIDTH), "out": nn.Linear(WIDTH, WIDTH), "norm1": nn.LayerNorm(WIDTH),
                                         "norm2": nn.LayerNorm(WIDTH), "up": nn.Linear(WIDTH, 2 * WIDTH), "down": nn.Linear(2 * WIDTH, WIDTH)})
        self.layers = nn.ModuleList(linears() for _ in range(2))

    def forward(self, words, mask):
        batch, length = words.shape
        x = self.words(words) + self.places(torch.arange(length))
        for layer in self.layers:
            q, k, v = (y.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2) for y in layer["qkv"](layer["norm1"](x)).chunk(3, -1))
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
            x = x + layer["out"](y.transpose(1, 2).reshape(batch, length, WIDTH))
            x = x + layer["down"](F.gelu(layer["up"](layer["norm2"](x))))
        return x


def make_encoder():
    def feed(batch, length):
        mask = torch.rand(batch, length) > 0.2
        mask[:, 0] = True
        return torch.randint(0, 50, (batch, length)), mask
    return Encoder().eval(), feed, ((0, 0), (0, 1), (1, 0), (1, 1))


def make_decoder():
    """A step of one token, behind a cache of `length`."""
    size = WIDTH // HEADS
    feed = lambda batch, length: (torch.randn(batch, 1, WIDTH), torch.randn(batch, 2, length, size), torch.randn(batch, 2, length, size))
    return Rotary(WIDTH).eval(), feed, ((0, 0), (1, 0), (1, 2), (2, 0), (2, 2))


def run(make, sizes):
    torch.manual_seed(0)
    torch._dynamo.reset()
    model, feed, dims = make()
    explanations, plain = [], backend.compile_graph

    def watch(*given, **options):
        made = plain(*given, **options)
        explanations.append(made[1])
        return made

    backend.compile_graph = watch
    compiled = torch.compile(model, backend=backend.fuse, options={"cache": False}, fullgraph=True)
    try:
        with torch.no_grad():
            for call, (batch, length) in enumerate(sizes):
                given = feed(batch, length)
                for place, dim in dims:
                    mark_unbacked(given[place], dim)
                with torch.compiler.set_stance("fail_on_recompile" if call else "default"):
                    got = compiled(*given)
                for g, w in zip(*map(torch.utils._pytree.tree_leaves, (got, model(*given))), strict=True):
                    torch.testing.assert_close(g, w, rtol=1e-4, atol=1e-4, msg=lambda text: f"batch {batch}, length {length}: {text}")
    finally:
        backend.compile_graph = plain
    assert len(explanations) == 1 and not explanations[0].refusals, "\n".join(map(str, explanations))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, default=12)
    options = parser.parse_args()
    draw = random.Random(int(time.time() // 86400))
    sizes = [(2, 8), (1, 1), (1, LENGTH), (BATCH, 1), (BATCH, LENGTH), (1, 2), (2, 1)]
    sizes += [(draw.randint(1, BATCH), draw.randint(1, LENGTH)) for _ in range(options.sizes)]
    for make in (make_encoder, make_decoder):
        start = time.time()
        run(make, sizes)
        print(f"{make.__name__.removeprefix('make_')}: {len(sizes)} sizes, compiled once, {time.time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
