# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of weights without their weights: networks of hundreds of megabytes travel as the seeds of their arrays.

A file of weights (include/fuse/Runtime/BundleFormat.h) holds arrays at the offsets that its head lists. `shorten` replaces
each array that a Recipe makes by the recipe, and `restore` makes the file anew."""

import hashlib
import json
import struct

import numpy as np

HEAD = 64  # bytes before the list of arrays


def make(recipe):
    seed, shape, deviation = recipe
    return (np.random.default_rng(seed).standard_normal(shape, np.float32) * np.float32(deviation)).astype(np.float32)


def key(data):
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Recipes:
    """Gives the parameters of a PyTorch module seeded values of their own deviations, and remembers which."""

    def __init__(self, module):
        import torch
        self.known = {}
        with torch.no_grad():
            # A norm that is folded into the weights before it leaves them as they are made then.
            for each in module.modules():
                if isinstance(each, torch.nn.BatchNorm2d):
                    each.running_var.fill_(1 - each.eps)
            for seed, parameter in enumerate(module.parameters()):
                values = parameter.detach().float().numpy()
                # Norms begin as ones: what scales is kept as it is.
                if values.size < 4096:
                    continue
                recipe = (seed, values.shape, float(values.std()) or 0.02)
                array = make(recipe)
                parameter.copy_(torch.from_numpy(array))
                self.known[key(array.tobytes())] = (recipe, None)
                if array.ndim == 2:
                    self.known[key(np.ascontiguousarray(array.T).tobytes())] = (recipe, (1, 0))


def entries(data):
    count, = struct.unpack_from("<q", data, HEAD - 8)
    return [struct.unpack_from("<qq", data, HEAD + 16 * i) for i in range(count)]


def shorten(path, recipes):
    """Writes PATH.recipes and PATH.rest in place of PATH, and gives the bytes that are left."""
    with open(path, "rb") as file:
        data = file.read()
    found, rest = [], bytearray(data)
    for offset, size in entries(data):
        recipe = recipes.known.get(key(data[offset:offset + size]))
        if recipe:
            found.append((offset, *recipe))
            rest[offset:offset + size] = bytes(size)
    np.savez_compressed(path + ".rest.npz", rest=np.frombuffer(rest, np.uint8))
    with open(path + ".recipes", "w", encoding="utf-8") as file:
        json.dump(found, file)
    return sum(1 for _ in entries(data)), len(found)


def restore(path):
    with np.load(path + ".rest.npz") as file:
        data = bytearray(file["rest"].tobytes())
    with open(path + ".recipes", encoding="utf-8") as file:
        for offset, recipe, permutation in json.load(file):
            array = make(recipe)
            raw = np.ascontiguousarray(array.transpose(permutation) if permutation else array).tobytes()
            data[offset:offset + len(raw)] = raw
    with open(path, "wb") as file:
        file.write(data)
