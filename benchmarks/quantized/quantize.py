# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of static shapes, with seeded random weights, and what onnxruntime.quantization makes of them.

`write_models(folder, name)` writes FOLDER/NAME.FORM.onnx and FOLDER/NAME.npz, its inputs, for the forms

    f32        as exported
    dynamic    quantize_dynamic: weights of 8 bits, activations quantized when the model runs
    qdq        quantize_static with QuantizeLinear and DequantizeLinear around operators on floats
    qoperator  quantize_static with operators on integers

in the types that onnxruntime.quantization takes by itself (weights of INT8, activations of INT8), except that the operators on
integers take activations of UINT8, as its documentation recommends for x86, and that weights of a network of convolutions in
the dynamic form are of UINT8, as ONNX Runtime knows no others. What exists already is kept. Nothing is downloaded.
"""

import os
import shutil
import sys
import tempfile
import warnings

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models"))
from silenced import silenced

FORMS = ("f32", "dynamic", "qdq", "qoperator")
CALIBRATIONS = 4


class Network:
    """A function that makes the module, and one that draws its inputs, {name: array}."""

    def __init__(self, module, inputs):
        self.module, self.inputs = module, inputs


def settle(module):
    """Statistics of batch norms as training would leave them, so that activations neither vanish nor grow."""
    import torch
    module.train()
    with torch.no_grad():
        for _ in range(8):
            module(torch.randn(4, 3, 224, 224))
    return module.eval()


def resnet50():
    import torchvision
    return settle(torchvision.models.resnet50(weights=None))


def mobilenet_v2():
    import torchvision
    return settle(torchvision.models.mobilenet_v2(weights=None))


def bert():
    """12 layers of 768, 128 tokens, with an additive mask made of a mask of 0 and 1."""
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

    module = Bert().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() == 1:  # equal ones are one initializer of the model, which cannot be quantized in two ways
                parameter += 0.02 * torch.randn_like(parameter)
    return module


def mlp():
    """784 → 1024 → 1024 → 10, eight rows."""
    import torch
    from torch import nn
    layers = nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))
    return layers.eval()


def draw_image(rng):
    return {"image": rng.standard_normal((1, 3, 224, 224), np.float32)}


def draw_tokens(rng):
    mask = np.ones((1, 128), np.int64)
    mask[:, 102:] = 0
    return {"input_ids": rng.integers(0, 30522, (1, 128)), "attention_mask": mask,
            "token_type_ids": np.zeros((1, 128), np.int64)}


def draw_rows(rng):
    return {"x": rng.standard_normal((8, 784), np.float32)}


NETWORKS = {"resnet50": Network(resnet50, draw_image), "mobilenet_v2": Network(mobilenet_v2, draw_image),
            "bert": Network(bert, draw_tokens), "mlp": Network(mlp, draw_rows)}


def export(name, path, inputs_path):
    import torch
    torch.manual_seed(1)
    module, arrays = NETWORKS[name].module(), NETWORKS[name].inputs(np.random.default_rng(7))
    np.savez(inputs_path, **arrays)
    example = tuple(torch.from_numpy(array) for array in arrays.values())
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, example, path, dynamo=False, opset_version=17, input_names=list(arrays))


def quantize(name, form, source, target):
    import onnx
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

    class Reader(CalibrationDataReader):
        def __init__(self):
            rng = np.random.default_rng(11)
            self.batches = iter([NETWORKS[name].inputs(rng) for _ in range(CALIBRATIONS)])

        def get_next(self):
            return next(self.batches, None)

    if form == "dynamic":
        convolves = any(node.op_type == "Conv" for node in onnx.load(source).graph.node)
        quantize_dynamic(source, target, weight_type=QuantType.QUInt8 if convolves else QuantType.QInt8)
    elif form == "qdq":
        quantize_static(source, target, Reader(), quant_format=QuantFormat.QDQ)
    else:
        quantize_static(source, target, Reader(), quant_format=QuantFormat.QOperator, activation_type=QuantType.QUInt8,
                        weight_type=QuantType.QInt8)


def write_models(folder, name):
    """{form: path of the model}, and the path of the inputs."""
    from onnxruntime.quantization.shape_inference import quant_pre_process
    os.makedirs(folder, exist_ok=True)
    paths = {form: os.path.join(folder, f"{name}.{form}.onnx") for form in FORMS}
    inputs = os.path.join(folder, f"{name}.npz")
    if not (os.path.exists(paths["f32"]) and os.path.exists(inputs)):
        with silenced():
            export(name, paths["f32"] + ".tmp", inputs)
        os.replace(paths["f32"] + ".tmp", paths["f32"])
    missing = [form for form in FORMS if not os.path.exists(paths[form])]
    if missing:
        with tempfile.TemporaryDirectory() as scratch, silenced():
            shaped = os.path.join(scratch, "shaped.onnx")
            quant_pre_process(paths["f32"], shaped, skip_symbolic_shape=True)
            for form in missing:
                made = os.path.join(scratch, f"{form}.onnx")
                quantize(name, form, shaped, made)
                shutil.move(made, paths[form] + ".tmp")
                os.replace(paths[form] + ".tmp", paths[form])
    return paths, inputs


if __name__ == "__main__":
    for wanted in sys.argv[2:] or NETWORKS:
        print(write_models(sys.argv[1], wanted)[0], flush=True)
