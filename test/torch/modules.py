"""Modules of small configurations, with arguments and the dimensions that may stay open.

Each function returns (module, arguments, dynamic shapes or None, other arguments for the open dimensions). Its parameters are
sizes, with those of the tests as defaults; benchmarks/torch/table.py makes larger ones."""

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


def settle(model, *arguments):
    """The module with the statistics that training leaves in normalizations; with those they begin with, deep networks give little more
    than their last bias."""
    for each in model.modules():
        if isinstance(each, nn.modules.batchnorm._BatchNorm):
            each.momentum = 0.5
    with torch.no_grad():
        model.train()(*arguments)
    return model.eval()


def vision(name, **options):
    import torchvision

    model = getattr(torchvision.models, name)(weights=None, **options)
    return settle(model, randn(2, 3, 64, 64))


@module
def resnet18(count=2, size=64):
    batch = Dim("batch", min=1, max=16)
    return vision("resnet18", num_classes=10), (randn(count, 3, size, size),), {"x": {0: batch}}, (randn(3, 3, size, size),)


@module
def mobilenet_v3(size=64):
    return vision("mobilenet_v3_small", num_classes=10), (randn(1, 3, size, size),), None, None


@module
def efficientnet(size=64):
    return vision("efficientnet_b0", num_classes=10), (randn(1, 3, size, size),), None, None


@module
def convnext(count=2, size=64):
    batch = Dim("batch", min=1, max=16)
    return vision("convnext_tiny", num_classes=10), (randn(count, 3, size, size),), {"x": {0: batch}}, (randn(3, 3, size, size),)


@module
def shufflenet(size=64):
    return vision("shufflenet_v2_x0_5", num_classes=10), (randn(1, 3, size, size),), None, None


@module
def detection_head(count=2, size=64, channels=16):
    """Boxes of anchors on three levels, as a one-stage detector has in front of its selection."""

    size_of_image = size

    class Head(nn.Module):
        def __init__(self, anchors=3, classes=5):
            super().__init__()
            self.anchors, self.classes = anchors, classes
            self.stem = nn.Sequential(nn.Conv2d(3, channels, 3, 2, 1), nn.BatchNorm2d(channels), nn.SiLU(inplace=True))
            down = lambda: nn.Sequential(nn.Conv2d(channels, channels, 3, 2, 1), nn.BatchNorm2d(channels), nn.ReLU(inplace=True))
            self.down = nn.ModuleList(down() for _ in range(3))
            self.predict = nn.ModuleList(nn.Conv2d(channels, anchors * (5 + classes), 1) for _ in range(3))

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
                box = torch.cat((center - size / 2, center + size / 2), -1).clamp(0, size_of_image)
                parts.append(torch.cat((box, scores), -1).reshape(batch, -1, 5 + self.classes))
            return torch.cat(parts, 1)

    return Head().eval(), (randn(count, 3, size, size),), None, None


@module
def unet(count=2, size=32, width=8):
    class Block(nn.Sequential):
        def __init__(self, a, b):
            super().__init__(nn.Conv2d(a, b, 3, 1, 1), nn.GroupNorm(4, b), nn.SiLU(), nn.Conv2d(b, b, 3, 1, 1), nn.GroupNorm(4, b), nn.SiLU())

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            a, b, c = width, 2 * width, 4 * width
            self.a, self.b, self.c = Block(3, a), Block(a, b), Block(b, c)
            self.up2, self.d2 = nn.ConvTranspose2d(c, b, 2, 2), Block(c, b)
            self.up1, self.d1 = nn.Conv2d(b, a, 3, 1, 1), Block(b, a)
            self.out = nn.Conv2d(a, 2, 1)

        def forward(self, x):
            a = self.a(x)
            b = self.b(F.max_pool2d(a, 2))
            c = self.c(F.max_pool2d(b, 2))
            b = self.d2(torch.cat((self.up2(c), b), 1))
            a = self.d1(torch.cat((self.up1(F.interpolate(b, scale_factor=2.0, mode="nearest")), a), 1))
            return self.out(a)

    batch = Dim("batch", min=1, max=8)
    return UNet().eval(), (randn(count, 3, size, size),), {"x": {0: batch}}, (randn(3, 3, size, size),)


@module
def upsampler(size=16):
    class Upsampler(nn.Module):
        def __init__(self):
            super().__init__()
            self.head, self.tail = nn.Conv2d(3, 16, 3, 1, 1), nn.Conv2d(16, 12, 3, 1, 1)

        def forward(self, x):
            y = F.pixel_shuffle(self.tail(F.leaky_relu(self.head(x), 0.2)), 2)
            return y + F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False), F.interpolate(x, size=(size + size // 4, size - size // 4), mode="bicubic")

    return Upsampler().eval(), (randn(1, 3, size, size),), None, None


# Transformers


def pretrained(config, model, **options):
    import transformers

    torch.manual_seed(0)
    settings = getattr(transformers, config)(**options)
    settings._attn_implementation = "sdpa"
    return getattr(transformers, model)(settings).eval()


@module
def bert(count=2, length=8, width=32, layers=2, hidden=64, vocabulary=100):
    model = pretrained("BertConfig", "BertModel", hidden_size=width, num_hidden_layers=layers, num_attention_heads=4,
                       intermediate_size=hidden, vocab_size=vocabulary)

    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask):
            out = self.model(input_ids=input_ids, attention_mask=attention_mask)
            return out.last_hidden_state, out.pooler_output

    sizes = {0: Dim("batch", min=1, max=16), 1: Dim("length", min=2, max=64)}
    mask = torch.ones(count, length, dtype=torch.int64)
    mask[-1, 5:] = 0
    shapes = {"input_ids": sizes, "attention_mask": sizes}
    return Bert().eval(), (ids(count, length), mask), shapes, (ids(3, 11), torch.ones(3, 11, dtype=torch.int64))


@module
def gpt2(count=2, length=8, width=32, layers=2, vocabulary=100):
    model = pretrained("GPT2Config", "GPT2LMHeadModel", n_embd=width, n_layer=layers, n_head=4, vocab_size=vocabulary, n_positions=max(64, length))

    class Gpt2(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids):
            return self.model(input_ids=input_ids, use_cache=False).logits

    sizes = {0: Dim("batch", min=1, max=16), 1: Dim("length", min=2, max=64)}
    return Gpt2().eval(), (ids(count, length),), {"input_ids": sizes}, (ids(3, 13),)


class Rotary(nn.Module):
    """A decoder's layer with rotary positions, groups of heads and a cache that is an argument."""

    def __init__(self, width=32, heads=4, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q, self.k, self.v = (nn.Linear(width, n * self.size, bias=False) for n in (heads, groups, groups))
        self.o = nn.Linear(width, width, bias=False)
        self.gate, self.up, self.down = nn.Linear(width, 2 * width, bias=False), nn.Linear(width, 2 * width, bias=False), nn.Linear(2 * width, width, bias=False)
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
def llama_decoder(count=2, past=5, width=32):
    size = width // 4
    open_past = Dim("past", min=2, max=64)
    shapes = {"x": None, "keys": {2: open_past}, "values": {2: open_past}}
    arguments = lambda past: (randn(count, 1, width), randn(count, 2, past, size), randn(count, 2, past, size))
    return Rotary(width).eval(), arguments(past), shapes, arguments(9)


@module
def t5_encoder(count=2, length=8, width=32, layers=2, hidden=64, vocabulary=100):
    model = pretrained("T5Config", "T5EncoderModel", d_model=width, d_kv=width // 4, d_ff=hidden, num_layers=layers, num_heads=4, vocab_size=vocabulary)

    class T5(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids):
            return self.model(input_ids=input_ids).last_hidden_state

    sizes = {0: Dim("batch", min=1, max=16), 1: Dim("length", min=2, max=64)}
    return T5().eval(), (ids(count, length),), {"input_ids": sizes}, (ids(3, 10),)


@module
def vit(count=2, size=32, patch=8, layers=2, width=32):
    import torchvision

    model = torchvision.models.VisionTransformer(image_size=size, patch_size=patch, num_layers=layers, num_heads=4, hidden_dim=width,
                                                 mlp_dim=2 * width, num_classes=10)
    return model.eval(), (randn(count, 3, size, size),), None, None


@module
def swin(size=32, width=16, window=4):
    import torchvision

    model = torchvision.models.SwinTransformer(patch_size=[4, 4], embed_dim=width, depths=[2, 2], num_heads=[2, 4], window_size=[window, window], num_classes=10)
    return model.eval(), (randn(1, 3, size, size),), None, None


@module
def transformer_encoder(count=2, length=7, width=32, layers=2):
    layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True, norm_first=True)
    model = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
    batch = Dim("batch", min=1, max=16)
    return model.eval(), (randn(count, length, width),), {"src": {0: batch}}, (randn(3, length, width),)


# Recurrent networks and others


@module
def lstm(count=2, length=9, width=16, hidden=24):
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm, self.out = nn.Embedding(100, width), nn.LSTM(width, hidden, 2, batch_first=True, bidirectional=True), nn.Linear(2 * hidden, 5)

        def forward(self, words):
            y, _ = self.lstm(self.embed(words))
            return self.out(y).log_softmax(-1)

    batch = Dim("batch", min=1, max=16)
    return Tagger().eval(), (ids(count, length),), {"words": {0: batch}}, (ids(4, length),)


@module
def gru(count=3, length=10, width=12, hidden=20):
    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru, self.out = nn.GRU(width, hidden, batch_first=True), nn.Linear(hidden, 3)

        def forward(self, x):
            _, h = self.gru(x)
            return self.out(h[-1])

    return Classifier().eval(), (randn(count, length, width),), None, None


@module
def mixture_of_experts(count=6, width=16, hidden=32, experts=4):
    class Mixture(nn.Module):
        def __init__(self, top=2):
            super().__init__()
            self.top, self.router = top, nn.Linear(width, experts, bias=False)
            self.up, self.down = nn.Parameter(randn(experts, width, hidden) / 4), nn.Parameter(randn(experts, hidden, width) / 6)

        def forward(self, x):
            scores = self.router(x).softmax(-1)
            best, which = scores.topk(self.top, -1)
            best = best / best.sum(-1, keepdim=True)
            weights = torch.zeros_like(scores).scatter(-1, which, best)
            h = F.gelu(torch.einsum("td,edh->teh", x, self.up))
            return torch.einsum("teh,ehd,te->td", h, self.down, weights)

    tokens = Dim("tokens", min=2, max=64)
    return Mixture().eval(), (randn(count, width),), {"x": {0: tokens}}, (randn(9, width),)


@module
def mamba_block(count=2, length=12, width=16, inner=32, state=4):
    class Mamba(nn.Module):
        """A selective state space: the scan over time is written as running sums in the logarithm."""

        def __init__(self):
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

    return Mamba().eval(), (randn(count, length, width),), None, None


@module
def mlp_mixer(count=2, tokens=8, width=16):
    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.tokens = nn.Sequential(nn.Linear(tokens, 32), nn.GELU(), nn.Linear(32, tokens))
            self.channels = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU("tanh"), nn.Linear(2 * width, width))

        def forward(self, x):
            x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
            return x + self.channels(self.norm2(x))

    batch = Dim("batch", min=1, max=32)
    return Mixer().eval(), (randn(count, tokens, width),), {"x": {0: batch}}, (randn(5, tokens, width),)


@module
def wavenet(length=32, width=8):
    class Wave(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Conv1d(1, width, 1), nn.Conv1d(width, 4, 1)
            self.layers = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=2**i) for i in range(3))

        def forward(self, x):
            x, skips = self.first(x), 0
            for i, layer in enumerate(self.layers):
                a, b = layer(F.pad(x, (2**i, 0))).chunk(2, 1)
                y = a.tanh() * b.sigmoid()
                x, skips = x + y, skips + y
            return self.last(F.elu(skips))

    open_length = Dim("length", min=16, max=256)
    return Wave().eval(), (randn(2, 1, length),), {"x": {2: open_length}}, (randn(2, 1, 50),)
