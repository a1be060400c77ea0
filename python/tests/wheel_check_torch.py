"""What an installed fuse must do beside PyTorch: torch.compile(backend="fuse"), found by its entry point, runs a ResNet, a BERT and a GPT-2
from their configurations, where no compiler is in PATH. Needs torch, torchvision and transformers."""
import shutil
import time

import torch
import torchvision
import transformers

torch.set_num_threads(2)


def make_resnet():
    return torchvision.models.resnet18(weights=None, num_classes=10), (torch.randn(1, 3, 64, 64),)


def make_bert():
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100}
    model = transformers.BertModel(transformers.BertConfig(**sizes))
    return model, (torch.randint(1, 100, (2, 9)), torch.ones(2, 9, dtype=torch.int64))


def make_gpt2():
    sizes = {"n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100, "n_positions": 32, "use_cache": False, "bos_token_id": 1, "eos_token_id": 2}
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes)), (torch.randint(1, 100, (2, 9)),)


def main():
    for tool in ("cc", "gcc", "g++", "clang", "ld", "ld.lld"):
        assert shutil.which(tool) is None, f"{tool} is in PATH, so that this says nothing"
    assert "fuse" in torch._dynamo.list_backends(exclude_tags=()), "the entry point is missing"
    for make in (make_resnet, make_bert, make_gpt2):
        torch.manual_seed(0)
        model, arguments = make()
        model.eval()
        compiled = torch.compile(model, backend="fuse")
        with torch.no_grad():
            start = time.perf_counter()
            got = compiled(*arguments)
            took = time.perf_counter() - start
            pairs = zip(*map(torch.utils._pytree.tree_leaves, (got, model(*arguments))), strict=True)
            for g, w in pairs:
                if isinstance(w, torch.Tensor):
                    torch.testing.assert_close(g, w, rtol=1e-4, atol=1e-4 * w.abs().max().item())
        print(f"{make.__name__.removeprefix('make_')}: as eager mode, the first call took {took:.1f} s")


if __name__ == "__main__":
    main()
