# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model in each of the peers, on f32 and a fixed number of threads.

Each class loads a model for inputs, by name. `start` gives a function that runs it once, and one that gives the last run's
outputs; memory for intermediate values is taken there or in a run, as far as the peer lets it be seen.
"""

import importlib.util


class Fuse:
    name, module = "fuse", "numpy"

    def __init__(self, path, threads, inputs):
        from bundle import Bundle
        self.bundle, self.inputs = Bundle(path, threads), inputs

    def start(self):
        run = self.bundle.bind(self.inputs)
        return run, lambda: self.bundle.outputs


class OnnxRuntime:
    name, module = "ONNX Runtime", "onnxruntime"

    def __init__(self, path, threads, inputs):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
        # Threads spin within a run, as is usual, but no longer than it lasts.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.inputs = inputs

    def start(self):
        # Outputs stay where they are from run to run, as all others' do.
        binding = self.session.io_binding()
        for name, array in self.inputs.items():
            binding.bind_cpu_input(name, array)
        for value in self.session.get_outputs():
            binding.bind_output(value.name)
        self.session.run_with_iobinding(binding)
        for value, output in zip(self.session.get_outputs(), binding.get_outputs()):
            binding.bind_ortvalue_output(value.name, output)
        return lambda: self.session.run_with_iobinding(binding), binding.copy_outputs_to_cpu


class OpenVino:
    name, module = "OpenVINO", "openvino"

    def __init__(self, path, threads, inputs):
        import openvino
        config = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": "1", "PERFORMANCE_HINT": "LATENCY",
                  "INFERENCE_PRECISION_HINT": "f32"}
        self.model = openvino.Core().compile_model(path, "CPU", config)
        self.inputs = inputs

    def start(self):
        request = self.model.create_infer_request()
        request.infer(self.inputs)  # copies them; later runs use the copies
        return request.infer, lambda: [request.get_output_tensor(i).data for i in range(len(self.model.outputs))]


class Inductor:
    name, module = "Inductor", "torch"

    def __init__(self, path, threads, inputs):
        import torch
        import torch._inductor.config
        from onnx_torch import Graph
        torch.set_num_threads(threads)
        # Weights are constants, which Inductor may pack, as the others may.
        torch._inductor.config.freezing = True
        graph = Graph(path).eval()
        self.torch, self.inputs = torch, [torch.from_numpy(inputs[name]) for name in graph.inputs]
        exported = torch.export.export(graph, tuple(self.inputs), strict=False)
        self.compiled = torch.compile(exported.module(), fullgraph=True)
        self.run()

    def run(self):
        with self.torch.no_grad():
            self.outputs = self.compiled(*self.inputs)

    def start(self):
        self.outputs = None
        return self.run, lambda: [output.numpy() for output in self.outputs]


PEERS = {"fuse": Fuse, "onnxruntime": OnnxRuntime, "openvino": OpenVino, "inductor": Inductor}


def is_installed(key):
    return importlib.util.find_spec(PEERS[key].module) is not None
