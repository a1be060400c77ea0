# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch and ONNX Runtime take for the same programs and networks, where they are installed and see the GPU."""

import os
import tempfile
import time

import arrays
import numpy as np


class Missing(Exception):
    """A peer that is installed, and has no use for the GPU."""


class Torch:
    """Raises ImportError or Missing where there is no PyTorch with a GPU."""

    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            raise Missing("PyTorch sees no GPU")
        self.torch = torch
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    def tensors(self, case):
        made = []
        for v in case["inputs"]:
            array = arrays.make(v["name"], v["shape"], v["kind"], v["below"])
            if v["kind"] == "bfloat16":
                made.append(self.torch.from_numpy(array.view(np.int16)).view(self.torch.bfloat16).cuda())
            else:
                made.append(self.torch.from_numpy(array).cuda())
        return made

    def record(self, run):
        """The same as one CUDA graph where it can be recorded; what copies from the host cannot be."""
        torch = self.torch
        with torch.no_grad():
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                for _ in range(3):
                    run()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            try:
                with torch.cuda.graph(graph):
                    run()
            except RuntimeError:
                torch.cuda.synchronize()
                return torch.no_grad()(run)
        return graph.replay

    def time(self, run):
        """ns of one run among many in a row, by the GPU's clock, as ours are timed."""
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))

        def measure(times):
            begin.record()
            for _ in range(times):
                run()
            end.record()
            self.torch.cuda.synchronize()
            return 1e6 * begin.elapsed_time(end) / times
        return repeat(measure)

    def time_program(self, case):
        run = program_of(self.torch, case["name"], self.tensors(case))
        return self.time(self.record(run)) if run else None

    def time_network(self, case, compiles):
        module, inputs = self.network(case)
        if compiles:
            module = self.torch.compile(module)
        return self.time(self.record(lambda: module(*inputs)))

    def network(self, case):
        import open_networks
        torch = self.torch
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = "tf32" in case["name"]
        name, batch, sequence = get_size(case)
        network = open_networks.NETWORKS[name]()
        return network.module.cuda(), [torch.from_numpy(array).cuda() for array in network.inputs(batch, sequence).values()]


def repeat(measure):
    """The least of three measurements of so many runs that one takes 20 ms; `measure(times)`: ns of one of them."""
    measure(1)
    times = int(np.clip(2e7 / max(measure(3), 1.0), 3, 500))
    return min(measure(times) for _ in range(3))


def get_size(case):
    """The network's name, its batch and its sequence."""
    name, size = case["name"].removesuffix("_tf32").rsplit("_b", 1)
    batch, _, sequence = size.partition("s")
    return name, int(batch), int(sequence or 0)


def program_of(torch, name, inputs):
    """What PyTorch calls for the same, or None: products and attention, which its libraries have by hand."""
    if name.startswith("matmul_i8"):
        return lambda: torch._int_mm(inputs[0], inputs[1])
    if name.startswith(("matmul", "gemv")):
        torch.backends.cuda.matmul.allow_tf32 = "tf32" in name
        if len(inputs) == 3:
            return lambda: torch.nn.functional.gelu(torch.addmm(inputs[2], inputs[0], inputs[1]))
        return lambda: torch.matmul(inputs[0], inputs[1])
    if name.startswith("attention"):
        inputs = [x.unsqueeze(0) for x in inputs]
        return lambda: torch.nn.functional.scaled_dot_product_attention(*inputs)
    if name.startswith("softmax"):
        return lambda: torch.softmax(inputs[0], 1)
    if name.startswith("layer_norm"):
        x, y, scale, offset = inputs
        return lambda: torch.nn.functional.layer_norm(x + y, x.shape[1:], scale, offset)
    if name.startswith("conv_"):
        x, w, scale, offset, mean, variance = inputs
        variance = variance.abs()
        return lambda: torch.relu(torch.nn.functional.batch_norm(torch.nn.functional.conv2d(x, w, padding=1), mean, variance,
                                                                 scale, offset))
    if name.startswith("depthwise"):
        x, w = inputs
        return lambda: torch.nn.functional.conv2d(x, w, padding=1, groups=x.shape[1])
    return None


def time_onnxruntime(case):
    """ns of a run of the network that PyTorch exports, with inputs and results on the GPU, by the host's clock."""
    import onnxruntime
    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        raise Missing("ONNX Runtime has no CUDAExecutionProvider")
    import open_networks
    name, batch, sequence = get_size(case)
    network = open_networks.NETWORKS[name]()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        open_networks.export(network, path)
        tf32 = {"use_tf32": "1" if "tf32" in case["name"] else "0"}
        session = onnxruntime.InferenceSession(path, providers=[("CUDAExecutionProvider", tf32)])
    binding = session.io_binding()
    for key, array in network.inputs(batch, sequence).items():
        binding.bind_ortvalue_input(key, onnxruntime.OrtValue.ortvalue_from_numpy(array, "cuda", 0))
    for output in session.get_outputs():
        binding.bind_output(output.name, "cuda")

    def measure(times):
        begin = time.perf_counter_ns()
        for _ in range(times):
            session.run_with_iobinding(binding)
        binding.synchronize_outputs()
        return (time.perf_counter_ns() - begin) / times
    measure(3)
    return repeat(measure)
