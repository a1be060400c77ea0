"""Runs exported programs with fuse-run beside eager PyTorch."""

import pathlib
import subprocess
import tempfile

import numpy as np
import torch


def to_numpy(tensor):
    """The elements as numpy has them; bfloat16 as two raw bytes, as fuse-run reads and writes it."""
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view("V2")
    return tensor.numpy()


def name_results(program, values):
    """Pairs of a name and an array: the user's outputs as the imported function names them. Those listed again have a number
    behind; those that are part of the program are none."""
    taken, named = {}, []
    for name, value in zip(program.graph_signature.user_outputs, values, strict=True):
        if not isinstance(name, str):
            continue
        count = taken.get(name, 0)
        taken[name] = count + 1
        named.append((name if count == 0 else f"{name}_{count}", to_numpy(torch.as_tensor(value))))
    return named


def flatten(values):
    return torch.utils._pytree.tree_leaves(values)


def run(fuse_run, program, arguments, kwargs=None, options=(), rtol=None, atol=None, folder=None, eager=None):
    """Saves a program, runs it on arguments, and compares with eager mode. Returns the exit code and all that fuse-run
    said. `eager`: what is called for the expected results (default: the program's own module)."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(folder or temporary)
        torch.export.save(program, folder / "program.pt2")
        # What the signature lists by value is part of the program.
        feeds = flatten((arguments, kwargs or {}))
        names = [n if isinstance(n, str) else None for n in program.graph_signature.user_inputs]
        names = [n for n in names if n is not None or len(names) == len(feeds)]
        assert len(names) == len(feeds), (names, len(feeds))
        arrays = {n: to_numpy(torch.as_tensor(v)) for n, v in zip(names, feeds) if n is not None}
        np.savez(folder / "inputs.npz", **arrays)
        with torch.no_grad():
            results = flatten((eager or program.module())(*arguments, **(kwargs or {})))
        np.savez(folder / "expected.npz", **dict(name_results(program, results)))
        command = [fuse_run, folder / "program.pt2", "--inputs", folder / "inputs.npz", "--expect", folder / "expected.npz"]
        command += ["--rtol", str(rtol)] if rtol is not None else []
        command += ["--atol", str(atol)] if atol is not None else []
        done = subprocess.run(command + list(options), capture_output=True, text=True, errors="replace")
        return done.returncode, done.stdout + done.stderr
