# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch as what they are made of, where PyTorch itself has them as one piece: layers of nn.TransformerEncoder and
nn.MultiheadAttention as they run outside of training, gradients, and roundings to grids of integers."""
import struct
from collections.abc import Callable

import torch
import torch.nn.functional as F

from .torch_functions import FUNCTIONS
from .torch_gradients import GRADIENTS
from .torch_results import find_order

_aten = torch.ops.aten


def _get_allowed(mask: torch.Tensor | None, mask_type: int | None, batch: int) -> torch.Tensor | None:
    """The mask of F.scaled_dot_product_attention: true where elements are looked at. Of these ops a mask says what is left out, by
    mask_type 0: [length, length], 1: [batch, length of the keys], 2: [batch, heads, length, length]."""
    if mask is None:
        return None
    allowed = mask.to(torch.bool).logical_not()
    if mask_type == 1 or (mask_type is None and mask.dim() == 2 and mask.shape[0] == batch):
        return allowed.view(mask.shape[0], 1, 1, mask.shape[1])
    return allowed


def native_multi_head_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, embed_dim: int, num_head: int,
                                qkv_weight: torch.Tensor, qkv_bias: torch.Tensor, proj_weight: torch.Tensor, proj_bias: torch.Tensor,
                                mask: torch.Tensor | None = None, need_weights: bool = True, average_attn_weights: bool = True,
                                mask_type: int | None = None) -> tuple[torch.Tensor, torch.Tensor | None]:
    """[batch, length, embed_dim]; the weights are [batch, length, length], or with heads in the second place."""
    if query is key and key is value:
        parts = F.linear(query, qkv_weight, qkv_bias).chunk(3, -1)
    else:
        parts = [F.linear(x, w, b) for x, w, b in zip((query, key, value), qkv_weight.chunk(3), qkv_bias.chunk(3))]
    q, k, v = (x.view(x.shape[0], x.shape[1], num_head, embed_dim // num_head).transpose(1, 2) for x in parts)
    allowed = _get_allowed(mask, mask_type, query.shape[0])
    weights = None
    if need_weights:
        scores = q @ k.transpose(-1, -2) * (embed_dim // num_head) ** -0.5
        if allowed is not None:
            scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
        weights = scores.softmax(-1)
        y = weights @ v
        if average_attn_weights:
            weights = weights.mean(1)
    else:
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
    y = y.transpose(1, 2).reshape(query.shape[0], query.shape[1], embed_dim)
    return F.linear(y, proj_weight, proj_bias), weights


def transformer_encoder_layer(src: torch.Tensor, embed_dim: int, num_heads: int, qkv_weight: torch.Tensor, qkv_bias: torch.Tensor,
                              proj_weight: torch.Tensor, proj_bias: torch.Tensor, use_gelu: bool, norm_first: bool, eps: float,
                              norm_weight_1: torch.Tensor, norm_bias_1: torch.Tensor, norm_weight_2: torch.Tensor, norm_bias_2: torch.Tensor,
                              ffn_weight_1: torch.Tensor, ffn_bias_1: torch.Tensor, ffn_weight_2: torch.Tensor, ffn_bias_2: torch.Tensor,
                              mask: torch.Tensor | None = None, mask_type: int | None = None) -> torch.Tensor:
    """[batch, length, embed_dim]"""
    def attend(x: torch.Tensor) -> torch.Tensor:
        return native_multi_head_attention(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask,
                                           need_weights=False, mask_type=mask_type)[0]

    def feed(x: torch.Tensor) -> torch.Tensor:
        x = F.linear(x, ffn_weight_1, ffn_bias_1)
        return F.linear(F.gelu(x) if use_gelu else F.relu(x), ffn_weight_2, ffn_bias_2)

    def norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (embed_dim,), weight, bias, eps)

    if norm_first:
        x = src + attend(norm(src, norm_weight_1, norm_bias_1))
        return x + feed(norm(x, norm_weight_2, norm_bias_2))
    x = norm(src + attend(src), norm_weight_1, norm_bias_1)
    return norm(x + feed(x), norm_weight_2, norm_bias_2)


def as_strided(x: torch.Tensor, size: list, stride: list, storage_offset=None) -> torch.Tensor:
    """What has the tensor's own sizes and strides, but for those of extents of 1, is the tensor, whatever its sizes are: PyTorch so
    gives a mean over an image, [batch, 768, 1, 1], the strides of channels last. Other views stay what they are."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true as is_known

    begins_there = storage_offset is None or is_known(storage_offset == x.storage_offset())
    if not begins_there or len(size) != x.dim() or not all(is_known(a == b) for a, b in zip(size, x.shape)):
        return NotImplemented
    if not all(is_known(n == 1) or is_known(a == b) for n, a, b in zip(size, stride, x.stride())):
        return NotImplemented
    return x.view(x.shape)


def as_strided_scatter(x: torch.Tensor, src: torch.Tensor, size: list, stride: list, storage_offset=None) -> torch.Tensor:
    """`x` with elements of `src` at places of its memory: those are numbered in the order that x's own dimensions have there."""
    order = find_order(x)
    if order is None:
        return NotImplemented
    place = 0 if storage_offset is None else storage_offset - x.storage_offset()
    places = torch.full([1] * len(size), place, dtype=torch.int64, device=x.device)
    for dim, (extent, step) in enumerate(zip(size, stride)):
        along = torch.arange(extent, device=x.device) * step
        places = places + along.reshape([-1 if other == dim else 1 for other in range(len(size))])
    laid = x.permute(order)
    flat = laid.reshape(-1).scatter(0, places.expand(list(size)).reshape(-1), src.reshape(-1))
    return flat.reshape(laid.shape).permute([order.index(dim) for dim in range(x.dim())])


def divide_numbers(x, y, *, rounding_mode: str | None = None) -> torch.Tensor:
    """Of a size that stands where a tensor is expected: as a tensor of one number."""
    if isinstance(x, torch.Tensor) or not isinstance(x, (int, torch.SymInt)):
        return NotImplemented
    return torch.div(torch.scalar_tensor(x, dtype=torch.int64), y, rounding_mode=rounding_mode)


def histc(x: torch.Tensor, bins: int = 100, min: float = 0, max: float = 0) -> torch.Tensor:
    """How many elements there are between equal steps from `min` to `max`, or, where these are one, to the greatest element."""
    if min == max:
        low, high = x.amin(), x.amax()
        is_one = low == high
        low, high = torch.where(is_one, low - 1, low), torch.where(is_one, high + 1, high)
    else:
        low, high = (torch.full((), float(bound), dtype=x.dtype, device=x.device) for bound in (min, max))
    flat = x.reshape(-1)
    is_inside = (flat >= low) & (flat <= high)
    step = torch.where(is_inside, (flat - low) / (high - low) * bins, 0.0).to(torch.int64).clamp(max=bins - 1)
    return x.new_zeros((bins,)).scatter_add(0, step, is_inside.to(x.dtype))


def attention_backward(grad_out: torch.Tensor, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, out: torch.Tensor,
                       logsumexp: torch.Tensor, dropout_p: float, is_causal: bool, *, attn_mask: torch.Tensor | None = None,
                       scale: float | None = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of query, key and value, [batch, heads, length, width]; `logsumexp`, [batch, heads, length], says what the
    weights of a row were divided by. Several heads of the query may share one of key and value."""
    if dropout_p != 0:
        return NotImplemented
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    types = query.dtype, key.dtype, value.dtype
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v, g, o = (x.to(wide) for x in (query, key, value, grad_out, out))
    shared = query.shape[1] // key.shape[1]
    has_shared = not (isinstance(shared, int) and shared == 1)
    if has_shared:
        k, v = (x.unsqueeze(2).expand(-1, -1, shared, -1, -1).reshape(x.shape[0], query.shape[1], x.shape[2], x.shape[3]) for x in (k, v))
    scores = q @ k.transpose(-1, -2) * scale
    if attn_mask is not None:
        scores = scores.masked_fill(attn_mask.logical_not(), float("-inf")) if attn_mask.dtype == torch.bool else scores + attn_mask
    if is_causal:
        rows, columns = (torch.arange(n, device=q.device) for n in scores.shape[-2:])
        scores = scores.masked_fill(columns > rows[:, None], float("-inf"))
    total = logsumexp.to(wide).unsqueeze(-1)
    weights = (scores - total).exp().masked_fill(total == float("-inf"), 0.0)  # a row that looks nowhere
    grad_scores = weights * (g @ v.transpose(-1, -2) - (g * o).sum(-1, keepdim=True)) * scale
    grads = grad_scores @ k, grad_scores.transpose(-1, -2) @ q, weights.transpose(-1, -2) @ g
    if has_shared:
        grads = grads[0], *(x.reshape(key.shape[0], key.shape[1], shared, x.shape[2], x.shape[3]).sum(2) for x in grads[1:])
    return tuple(x.to(t) for x, t in zip(grads, types))


def weight_norm_backward(grad_w: torch.Tensor, saved_v: torch.Tensor, saved_g: torch.Tensor, saved_norms: torch.Tensor,
                         dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of v and g, of which the weight is g v / |v|, with norms over all dimensions but one."""
    others = [d for d in range(saved_v.dim()) if d != dim % saved_v.dim()]
    norms = saved_norms.to(saved_g.dtype)
    along = (grad_w * saved_v).sum(others, keepdim=True)
    return saved_g / norms * (grad_w - saved_v * (along / (norms * norms))), along / norms


def _place_in_image(at: torch.Tensor, size: int, padding: int, align_corners: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Places of a grid's coordinates along an extent, as F.grid_sample has them, and what they grow by where a coordinate does."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true as is_known

    place = (at + 1) * 0.5 * (size - 1) if align_corners else ((at + 1) * size - 1) * 0.5
    slope = torch.ones_like(at) * ((size - 1) * 0.5 if align_corners else size * 0.5)
    if padding == 2:
        least, span = (0.0, size - 1) if align_corners else (-0.5, size)
        if align_corners and is_known(size == 1):
            return torch.zeros_like(at), torch.zeros_like(at)
        shifted = place - least
        far = shifted.abs()
        turns = (far / span).floor()
        rest = far - turns * span
        is_even = turns - (turns * 0.5).floor() * 2 == 0
        place = torch.where(is_even, rest, span - rest) + least
        slope = torch.where(is_even == (shifted >= 0), slope, -slope)
    if padding != 0:
        is_inside = (place > 0) & (place < size - 1)
        slope = torch.where(is_inside, slope, 0.0)
        place = place.clamp(min=0).minimum(torch.ones_like(at) * (size - 1))
    return place, slope


def grid_sampler_2d_backward(grad_output: torch.Tensor, x: torch.Tensor, grid: torch.Tensor, interpolation_mode: int, padding_mode: int,
                             align_corners: bool, output_mask: list) -> tuple[torch.Tensor | None, torch.Tensor]:
    """The gradients of an image, [batch, channels, rows, columns], and of a grid, [batch, height, width, 2]: what the pixels around
    each place weigh is what they get of its gradient. Of the nearest pixel the grid has none."""
    if interpolation_mode == 2:
        return NotImplemented
    wide = torch.promote_types(x.dtype, torch.float32)
    batch, channels, rows, columns = x.shape
    image, g, at = x.to(wide).reshape(batch, channels, rows * columns), grad_output.to(wide).flatten(2), grid.to(wide).flatten(1, 2)
    px, slope_x = _place_in_image(at[..., 0], columns, padding_mode, align_corners)
    py, slope_y = _place_in_image(at[..., 1], rows, padding_mode, align_corners)
    if interpolation_mode == 0:
        x0, y0 = px.floor(), py.floor()
        fx, fy = px - x0, py - y0
        corners = [(x0, y0, (1 - fx) * (1 - fy), fy - 1, fx - 1), (x0 + 1, y0, fx * (1 - fy), 1 - fy, -fx),
                   (x0, y0 + 1, (1 - fx) * fy, -fy, 1 - fx), (x0 + 1, y0 + 1, fx * fy, fy, fx)]
    else:
        corners = [(px.round(), py.round(), torch.ones_like(px), None, None)]
    grad_x, by_x, by_y = torch.zeros_like(image), torch.zeros_like(px), torch.zeros_like(py)
    for cx, cy, weight, along_x, along_y in corners:
        is_inside = (cx >= 0) & (cx < columns) & (cy >= 0) & (cy < rows)
        index = torch.where(is_inside, cy * columns + cx, 0.0).to(torch.int64).unsqueeze(1).expand(batch, channels, cx.shape[1])
        if output_mask[0]:
            grad_x = grad_x.scatter_add(2, index, g * torch.where(is_inside, weight, 0.0).unsqueeze(1))
        if along_x is not None:
            part = torch.where(is_inside, (image.gather(2, index) * g).sum(1), 0.0)
            by_x, by_y = by_x + part * along_x, by_y + part * along_y
    grad_grid = torch.stack((by_x * slope_x, by_y * slope_y), -1).reshape(grid.shape).to(grid.dtype)
    return grad_x.reshape(x.shape).to(x.dtype) if output_mask[0] else None, grad_grid


def _fake_quantize(x: torch.Tensor, scale, inverse, zero_point, least: int, most: int) -> tuple[torch.Tensor, torch.Tensor]:
    placed = (x.to(torch.float32) * inverse).round() + zero_point
    return ((placed.clamp(least, most) - zero_point) * scale).to(x.dtype), (placed >= least) & (placed <= most)


def fake_quantize(x: torch.Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What x is once it was rounded to a grid of integers, and where it was not beyond these."""
    single = struct.unpack("f", struct.pack("f", scale))[0]
    return _fake_quantize(x, single, 1.0 / single, zero_point, quant_min, quant_max)


def fake_quantize_by_tensors(x: torch.Tensor, scale: torch.Tensor, zero_point: torch.Tensor, fake_quant_enabled: torch.Tensor,
                             quant_min: int, quant_max: int) -> tuple[torch.Tensor, torch.Tensor]:
    y, mask = _fake_quantize(x, scale, 1.0 / scale, zero_point, quant_min, quant_max)
    is_on = fake_quant_enabled != 0
    return torch.where(is_on, y, x), mask | is_on.logical_not()


def fake_quantize_channels(x: torch.Tensor, scale: torch.Tensor, zero_point: torch.Tensor, axis: int, quant_min: int,
                           quant_max: int) -> tuple[torch.Tensor, torch.Tensor]:
    along = [-1 if dim == axis else 1 for dim in range(x.dim())]
    scale, zero_point = scale.view(along), zero_point.view(along)
    return _fake_quantize(x, scale, 1.0 / scale, zero_point, quant_min, quant_max)


DECOMPOSITIONS: dict[torch._ops.OpOverload, Callable] = GRADIENTS | FUNCTIONS | {
    _aten._native_multi_head_attention.default: native_multi_head_attention,
    _aten._transformer_encoder_layer_fwd.default: transformer_encoder_layer,
    _aten.as_strided.default: as_strided,
    _aten.as_strided_scatter.default: as_strided_scatter,
    _aten.div.Tensor_mode: divide_numbers,
    _aten.histc.default: histc,
    _aten._scaled_dot_product_flash_attention_for_cpu_backward.default: attention_backward,
    _aten._weight_norm_interface_backward.default: weight_norm_backward,
    _aten.grid_sampler_2d_backward.default: grid_sampler_2d_backward,
    _aten.fake_quantize_per_tensor_affine_cachemask.default: fake_quantize,
    _aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default: fake_quantize_by_tensors,
    _aten.fake_quantize_per_channel_affine_cachemask.default: fake_quantize_channels,
}
