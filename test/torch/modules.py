"""Modules of small configurations, with arguments and the dimensions that may stay open.

Each function returns (module, arguments, dynamic shapes or None, other arguments for the open dimensions)."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.export import Dim

MODULES = {}


def module(function):
    MODULES[function.__name__] = function
    return function


def randn(*shape):
    return torch.randn(*shape)


def ids(*shape, most=100):
    return torch.randint(1, most, shape)


# Convolutional networks


def vision(name, **options):
    import torchvision

    return getattr(torchvision.models, name)(weights=None, **options).eval()


@module
def resnet18():
    batch = Dim("batch", min=1, max=16)
    return vision("resnet18", num_classes=10), (randn(2, 3, 64, 64),), {"x": {0: batch}}, (randn(3, 3, 64, 64),)


@module
def mobilenet_v3():
    return vision("mobilenet_v3_small", num_classes=10), (randn(1, 3, 64, 64),), None, None


@module
def efficientnet():
    return vision("efficientnet_b0", num_classes=10), (randn(1, 3, 64, 64),), None, None


@module
def convnext():
    batch = Dim("batch", min=1, max=16)
    return vision("convnext_tiny", num_classes=10), (randn(2, 3, 64, 64),), {"x": {0: batch}}, (randn(3, 3, 64, 64),)


@module
def shufflenet():
    return vision("shufflenet_v2_x0_5", num_classes=10), (randn(1, 3, 64, 64),), None, None


@module
def detection_head():
    """Boxes of anchors on three levels, as a one-stage detector has in front of its selection."""

    class Head(nn.Module):
        def __init__(self, anchors=3, classes=5):
            super().__init__()
            self.anchors, self.classes = anchors, classes
            self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.SiLU(inplace=True))
            self.down = nn.ModuleList(nn.Sequential(nn.Conv2d(16, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(inplace=True)) for _ in range(3))
            self.predict = nn.ModuleList(nn.Conv2d(16, anchors * (5 + classes), 1) for _ in range(3))

        def forward(self, x):
            x, parts = self.stem(x), []
            for level, (down, predict) in enumerate(zip(self.down, self.predict)):
                x = down(x)
                y = predict(x)
                batch, _, height, width = y.shape
                y = y.view(batch, self.anchors, 5 + self.classes, height, width).permute(0, 1, 3, 4, 2)
                rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
                grid = torch.stack((columns, rows), -1).to(y.dtype)
                stride = 4 * 2**level
                center = (y[..., :2].sigmoid() * 2 - 0.5 + grid) * stride
                size = (y[..., 2:4].sigmoid() * 2) ** 2 * stride
                scores = y[..., 4:].sigmoid()
                box = torch.cat((center - size / 2, center + size / 2), -1).clamp(0, 64)
                parts.append(torch.cat((box, scores), -1).reshape(batch, -1, 5 + self.classes))
            return torch.cat(parts, 1)

    return Head().eval(), (randn(2, 3, 64, 64),), None, None


@module
def unet():
    class Block(nn.Sequential):
        def __init__(self, a, b):
            super().__init__(nn.Conv2d(a, b, 3, 1, 1), nn.GroupNorm(4, b), nn.SiLU(), nn.Conv2d(b, b, 3, 1, 1), nn.GroupNorm(4, b), nn.SiLU())

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = Block(3, 8), Block(8, 16), Block(16, 32)
            self.up2, self.d2 = nn.ConvTranspose2d(32, 16, 2, 2), Block(32, 16)
            self.up1, self.d1 = nn.Conv2d(16, 8, 3, 1, 1), Block(16, 8)
            self.out = nn.Conv2d(8, 2, 1)

        def forward(self, x):
            a = self.a(x)
            b = self.b(F.max_pool2d(a, 2))
            c = self.c(F.max_pool2d(b, 2))
            b = self.d2(torch.cat((self.up2(c), b), 1))
            a = self.d1(torch.cat((self.up1(F.interpolate(b, scale_factor=2.0, mode="nearest")), a), 1))
            return self.out(a)

    batch = Dim("batch", min=1, max=8)
    return UNet().eval(), (randn(2, 3, 32, 32),), {"x": {0: batch}}, (randn(3, 3, 32, 32),)


@module
def upsampler():
    class Upsampler(nn.Module):
        def __init__(self):
            super().__init__()
            self.head, self.tail = nn.Conv2d(3, 16, 3, 1, 1), nn.Conv2d(16, 12, 3, 1, 1)

        def forward(self, x):
            y = F.pixel_shuffle(self.tail(F.leaky_relu(self.head(x), 0.2)), 2)
            return y + F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False), F.interpolate(x, size=(20, 12), mode="bicubic")

    return Upsampler().eval(), (randn(1, 3, 16, 16),), None, None


# Transformers


def pretrained(config, model, **options):
    import transformers

    torch.manual_seed(0)
    settings = getattr(transformers, config)(**options)
    settings._attn_implementation = "sdpa"
    return getattr(transformers, model)(settings).eval()


@module
def bert():
    model = pretrained("BertConfig", "BertModel", hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, vocab_size=100)

    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask):
            out = self.model(input_ids=input_ids, attention_mask=attention_mask)
            return out.last_hidden_state, out.pooler_output

    batch, length = Dim("batch", min=1, max=16), Dim("length", min=2, max=64)
    mask = torch.ones(2, 8, dtype=torch.int64)
    mask[1, 5:] = 0
    shapes = {"input_ids": {0: batch, 1: length}, "attention_mask": {0: batch, 1: length}}
    return Bert().eval(), (ids(2, 8), mask), shapes, (ids(3, 11), torch.ones(3, 11, dtype=torch.int64))


@module
def gpt2():
    model = pretrained("GPT2Config", "GPT2LMHeadModel", n_embd=32, n_layer=2, n_head=4, vocab_size=100, n_positions=64)

    class Gpt2(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids):
            return self.model(input_ids=input_ids, use_cache=False).logits

    batch, length = Dim("batch", min=1, max=16), Dim("length", min=2, max=64)
    return Gpt2().eval(), (ids(2, 8),), {"input_ids": {0: batch, 1: length}}, (ids(3, 13),)


class Rotary(nn.Module):
    """A decoder's layer with rotary positions, groups of heads and a cache that is an argument."""

    def __init__(self, width=32, heads=4, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q, self.k, self.v = (nn.Linear(width, n * self.size, bias=False) for n in (heads, groups, groups))
        self.o = nn.Linear(width, width, bias=False)
        self.gate, self.up, self.down = nn.Linear(width, 64, bias=False), nn.Linear(width, 64, bias=False), nn.Linear(64, width, bias=False)
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.register_buffer("frequencies", 1.0 / 10000 ** (torch.arange(0, self.size, 2).float() / self.size), persistent=False)

    def turn(self, x, positions):
        angles = positions[:, None].float() * self.frequencies
        cos, sin = torch.cat((angles.cos(), angles.cos()), -1), torch.cat((angles.sin(), angles.sin()), -1)
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat((-b, a), -1) * sin

    def forward(self, x, keys, values):
        batch, length, _ = x.shape
        past = keys.shape[2]
        h = self.norm1(x)
        split = lambda y, n: y.view(batch, length, n, self.size).transpose(1, 2)
        positions = torch.arange(past, past + length)
        q = self.turn(split(self.q(h), self.heads), positions)
        keys = torch.cat((keys, self.turn(split(self.k(h), self.groups), positions)), 2)
        values = torch.cat((values, split(self.v(h), self.groups)), 2)
        mask = positions[:, None] >= torch.arange(past + length)[None, :]
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask, enable_gqa=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, -1))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h)), keys, values


@module
def llama_decoder():
    past = Dim("past", min=2, max=64)
    shapes = {"x": None, "keys": {2: past}, "values": {2: past}}
    first = (randn(2, 1, 32), randn(2, 2, 5, 8), randn(2, 2, 5, 8))
    return Rotary().eval(), first, shapes, (randn(2, 1, 32), randn(2, 2, 9, 8), randn(2, 2, 9, 8))


@module
def t5_encoder():
    model = pretrained("T5Config", "T5EncoderModel", d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=100)

    class T5(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids):
            return self.model(input_ids=input_ids).last_hidden_state

    batch, length = Dim("batch", min=1, max=16), Dim("length", min=2, max=64)
    return T5().eval(), (ids(2, 8),), {"input_ids": {0: batch, 1: length}}, (ids(3, 10),)


@module
def vit():
    import torchvision

    model = torchvision.models.VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=4, hidden_dim=32, mlp_dim=64, num_classes=10)
    return model.eval(), (randn(2, 3, 32, 32),), None, None


@module
def swin():
    import torchvision

    model = torchvision.models.SwinTransformer(patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=[4, 4], num_classes=10)
    return model.eval(), (randn(1, 3, 32, 32),), None, None


@module
def transformer_encoder():
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    batch = Dim("batch", min=1, max=16)
    return model.eval(), (randn(2, 7, 32),), {"src": {0: batch}}, (randn(3, 7, 32),)


# Recurrent networks and others


@module
def lstm():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm, self.out = nn.Embedding(100, 16), nn.LSTM(16, 24, 2, batch_first=True, bidirectional=True), nn.Linear(48, 5)

        def forward(self, words):
            y, _ = self.lstm(self.embed(words))
            return self.out(y).log_softmax(-1)

    batch = Dim("batch", min=1, max=16)
    return Tagger().eval(), (ids(2, 9),), {"words": {0: batch}}, (ids(4, 9),)


@module
def gru():
    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru, self.out = nn.GRU(12, 20, batch_first=True), nn.Linear(20, 3)

        def forward(self, x):
            _, h = self.gru(x)
            return self.out(h[-1])

    return Classifier().eval(), (randn(3, 10, 12),), None, None


@module
def mixture_of_experts():
    class Mixture(nn.Module):
        def __init__(self, width=16, experts=4, top=2):
            super().__init__()
            self.top, self.router = top, nn.Linear(width, experts, bias=False)
            self.up, self.down = nn.Parameter(randn(experts, width, 32) / 4), nn.Parameter(randn(experts, 32, width) / 6)

        def forward(self, x):
            scores = self.router(x).softmax(-1)
            best, which = scores.topk(self.top, -1)
            best = best / best.sum(-1, keepdim=True)
            weights = torch.zeros_like(scores).scatter(-1, which, best)
            h = F.gelu(torch.einsum("td,edh->teh", x, self.up))
            return torch.einsum("teh,ehd,te->td", h, self.down, weights)

    tokens = Dim("tokens", min=2, max=64)
    return Mixture().eval(), (randn(6, 16),), {"x": {0: tokens}}, (randn(9, 16),)


@module
def mamba_block():
    class Mamba(nn.Module):
        """A selective state space: the scan over time is written as running sums in the logarithm."""

        def __init__(self, width=16, inner=32, state=4, steps=12):
            super().__init__()
            self.inner, self.state = inner, state
            self.project, self.conv = nn.Linear(width, 2 * inner), nn.Conv1d(inner, inner, 4, padding=3, groups=inner)
            self.parameters_of, self.step, self.out = nn.Linear(inner, 2 * state + 1), nn.Linear(1, inner), nn.Linear(inner, width)
            self.log_a, self.d = nn.Parameter(torch.arange(1, state + 1).float().log().repeat(inner, 1)), nn.Parameter(torch.ones(inner))

        def forward(self, x):
            length = x.shape[1]
            h, gate = self.project(x).chunk(2, -1)
            h = F.silu(self.conv(h.transpose(1, 2))[..., :length].transpose(1, 2))
            b, c, delta = self.parameters_of(h).split([self.state, self.state, 1], -1)
            delta = F.softplus(self.step(delta))
            decay = delta[..., None] * -self.log_a.exp()
            drive = delta[..., None] * b[:, :, None, :] * h[..., None]
            state, made = torch.zeros_like(drive[:, 0]), []
            for t in range(length):
                state = state * decay[:, t].exp() + drive[:, t]
                made.append((state * c[:, t, None, :]).sum(-1))
            y = torch.stack(made, 1) + h * self.d
            return self.out(y * F.silu(gate))

    return Mamba().eval(), (randn(2, 12, 16),), None, None


@module
def mlp_mixer():
    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(16), nn.LayerNorm(16)
            self.tokens, self.channels = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8)), nn.Sequential(nn.Linear(16, 32), nn.GELU("tanh"), nn.Linear(32, 16))

        def forward(self, x):
            x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
            return x + self.channels(self.norm2(x))

    batch = Dim("batch", min=1, max=32)
    return Mixer().eval(), (randn(2, 8, 16),), {"x": {0: batch}}, (randn(5, 8, 16),)


@module
def wavenet():
    class Wave(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Conv1d(1, 8, 1), nn.Conv1d(8, 4, 1)
            self.layers = nn.ModuleList(nn.Conv1d(8, 16, 2, dilation=2**i) for i in range(3))

        def forward(self, x):
            x, skips = self.first(x), 0
            for i, layer in enumerate(self.layers):
                a, b = layer(F.pad(x, (2**i, 0))).chunk(2, 1)
                y = a.tanh() * b.sigmoid()
                x, skips = x + y, skips + y
            return self.last(F.elu(skips))

    length = Dim("length", min=16, max=256)
    return Wave().eval(), (randn(2, 1, 32),), {"x": {2: length}}, (randn(2, 1, 50),)
