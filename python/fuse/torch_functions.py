# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of PyTorch as what they are made of: bags of rows of a table, powers of two, and resampling of images that are made smaller without
aliases, with their gradients."""
from collections.abc import Callable

import torch

_aten = torch.ops.aten
_SUM, _MEAN, _MAX = range(3)


#===- Bags -----------------------------------------------------------------------------------===#


def _widen(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def embedding_bag(weight: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor, scale_grad_by_freq: bool = False, mode: int = _SUM,
                  sparse: bool = False, per_sample_weights: torch.Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int = -1) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rows of `weight`, of which bag b has those that `indices` name from offsets[b] on, added up, or their mean, or their largest
    elements: [bags, width]; the bag of each index; how many rows each bag has; and which rows the largest elements are of."""
    bags = offsets.shape[0] - 1 if include_last_offset else offsets.shape[0]
    place = torch.arange(indices.shape[0], device=indices.device)
    bag = torch.searchsorted(offsets.to(torch.int64), place, right=True) - 1
    bag = bag.clamp(max=bags - 1) if include_last_offset else bag
    index = indices.to(torch.int64)
    rows = _widen(weight.index_select(0, index))
    is_kept = index != (padding_idx if padding_idx >= 0 else padding_idx + weight.shape[0]) if padding_idx != -1 else torch.ones_like(index, dtype=torch.bool)
    count = index.new_zeros((bags,)).index_add(0, bag, is_kept.to(torch.int64))
    chosen = index.new_zeros((0,))
    if mode == _MAX:
        low = torch.where(is_kept.unsqueeze(1), rows, float("-inf"))
        wide_bag = bag.unsqueeze(1).expand(rows.shape)
        most = low.new_full((bags, rows.shape[1]), float("-inf")).scatter_reduce(0, wide_bag, low, "amax", include_self=True)
        is_most = (low == most.index_select(0, bag)) & is_kept.unsqueeze(1)
        last = indices.shape[0]
        first = place.unsqueeze(1).expand(rows.shape)
        at = first.new_full((bags, rows.shape[1]), last).scatter_reduce(0, wide_bag, torch.where(is_most, first, last), "amin", include_self=True)
        has = at < last
        chosen = torch.where(has, index.index_select(0, torch.where(has, at, 0).reshape(-1)).reshape(at.shape), 0)
        made = torch.where(has, most, 0.0)
    else:
        if per_sample_weights is not None:
            rows = rows * _widen(per_sample_weights).unsqueeze(1)
        rows = torch.where(is_kept.unsqueeze(1), rows, 0.0)
        made = rows.new_zeros((bags, rows.shape[1])).index_add(0, bag, rows)
        if mode == _MEAN:
            made = made / count.clamp(min=1).unsqueeze(1).to(made.dtype)
    return made.to(weight.dtype), bag.to(indices.dtype), count.to(indices.dtype), chosen.to(indices.dtype)


def embedding_bag_backward(grad: torch.Tensor, indices: torch.Tensor, offset2bag: torch.Tensor, bag_size: torch.Tensor,
                           maximum_indices: torch.Tensor, num_weights: int, scale_grad_by_freq: bool, mode: int,
                           per_sample_weights: torch.Tensor | None, padding_idx: int = -1) -> torch.Tensor:
    """The gradient of the table, [num_weights, width]."""
    wide, bag, index = _widen(grad), offset2bag.to(torch.int64), indices.to(torch.int64)
    zeros = wide.new_zeros((num_weights, grad.shape[1]))
    if mode == _MAX:
        has = (bag_size > 0).unsqueeze(1)
        return zeros.scatter_add(0, maximum_indices.to(torch.int64), torch.where(has, wide, 0.0)).to(grad.dtype)
    if mode == _MEAN:
        wide = wide / bag_size.clamp(min=1).unsqueeze(1).to(wide.dtype)
    rows = wide.index_select(0, bag)
    if per_sample_weights is not None:
        rows = rows * _widen(per_sample_weights).unsqueeze(1)
    if padding_idx != -1:
        rows = torch.where((index != padding_idx).unsqueeze(1), rows, 0.0)
    if scale_grad_by_freq:
        times = wide.new_zeros((num_weights,)).index_add(0, index, torch.ones_like(index, dtype=wide.dtype))
        rows = rows / times.index_select(0, index).unsqueeze(1)
    return zeros.index_add(0, index, rows).to(grad.dtype)


def embedding_bag_any_backward(grad: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor, offset2bag: torch.Tensor, bag_size: torch.Tensor,
                               maximum_indices: torch.Tensor, num_weights: int, scale_grad_by_freq: bool, mode: int, sparse: bool,
                               per_sample_weights: torch.Tensor | None, padding_idx: int = -1) -> torch.Tensor:
    if sparse:
        return NotImplemented
    return embedding_bag_backward(grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode, per_sample_weights,
                                  padding_idx)


def embedding_bag_weights_backward(grad: torch.Tensor, weight: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor,
                                   offset2bag: torch.Tensor, mode: int, padding_idx: int = -1) -> torch.Tensor:
    """The gradient of what rows were multiplied with, one number for each index."""
    index = indices.to(torch.int64)
    products = (_widen(grad).index_select(0, offset2bag.to(torch.int64)) * _widen(weight).index_select(0, index)).sum(1)
    return (products if padding_idx == -1 else torch.where(index != padding_idx, products, 0.0)).to(grad.dtype)


#===- Resampling -----------------------------------------------------------------------------===#


def _weigh(distance: torch.Tensor, is_cubic: bool) -> torch.Tensor:
    """A triangle of width 2, or Keys' cubic (a = -1/2) of width 4."""
    d = distance.abs()
    if not is_cubic:
        return (1 - d).clamp(min=0)
    near, far = (1.5 * d - 2.5) * d * d + 1, ((-0.5 * d + 2.5) * d - 4) * d + 2
    return torch.where(d < 1, near, torch.where(d < 2, far, 0.0))


def _make_filter(size: int, made: int, align_corners: bool, scale: float | None, is_cubic: bool,
                 like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What each of `made` elements weighs the elements around its place among `size` ones, and which those are: both [made, taps]."""
    if align_corners:
        step = (size - 1) / (made - 1) if made > 1 else 0.0
    else:
        step = 1 / scale if scale is not None and scale > 0 else size / made
    reach = (2 if is_cubic else 1) * max(step, 1.0)
    taps = min(int(reach) * 2 + 3, size)
    center = (torch.arange(made, device=like.device, dtype=torch.float64) + 0.5) * step
    first = (center - reach + 0.5).to(torch.int64).clamp(min=0)
    end = (center + reach + 0.5).to(torch.int64).clamp(max=size)
    place = first.unsqueeze(1) + torch.arange(taps, device=like.device)
    weight = _weigh((place - center.unsqueeze(1) + 0.5) / max(step, 1.0), is_cubic)
    weight = torch.where(place < end.unsqueeze(1), weight, 0.0)
    weight = weight / weight.sum(1, keepdim=True)
    return weight.to(like.dtype), place.clamp(max=size - 1)


def _make_upsample_aa(is_cubic: bool) -> tuple[Callable, Callable]:
    def upsample(x: torch.Tensor, output_size: list, align_corners: bool, scales_h: float | None = None, scales_w: float | None = None) -> torch.Tensor:
        """[batch, channels, rows, columns]: along each dimension, a sum of a few elements around each place."""
        if not x.is_floating_point() or not all(isinstance(n, int) and n > 0 for n in (*x.shape[-2:], *output_size)):
            return NotImplemented
        wide = _widen(x)
        for dim, made, scale in ((3, output_size[1], scales_w), (2, output_size[0], scales_h)):
            weight, place = _make_filter(x.shape[dim], made, align_corners, scale, is_cubic, wide)
            taken = wide.index_select(dim, place.reshape(-1)).unflatten(dim, place.shape)
            along = weight.unsqueeze(-1) if dim == 2 else weight
            wide = (taken * along).sum(dim + 1)
        return wide.to(x.dtype)

    def backward(grad: torch.Tensor, output_size: list, input_size: list, align_corners: bool, scales_h: float | None = None,
                 scales_w: float | None = None) -> torch.Tensor:
        """Of the image, of shape input_size: along each dimension a product with the matrix that resamples it."""
        if not all(isinstance(n, int) and n > 0 for n in (*input_size[-2:], *output_size)):
            return NotImplemented
        wide = _widen(grad)
        for dim, made, scale in ((3, output_size[1], scales_w), (2, output_size[0], scales_h)):
            weight, place = _make_filter(input_size[dim], made, align_corners, scale, is_cubic, wide)
            matrix = wide.new_zeros((made, input_size[dim])).scatter_add(1, place, weight)
            wide = (wide.movedim(dim, -1) @ matrix).movedim(-1, dim)
        return wide.to(grad.dtype)

    return upsample, backward


_bilinear, _bilinear_backward = _make_upsample_aa(False)
_bicubic, _bicubic_backward = _make_upsample_aa(True)

def ldexp(x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    two = torch.full((), 2.0, dtype=x.dtype if x.is_floating_point() else torch.get_default_dtype(), device=x.device)
    return x * torch.pow(two, other)


FUNCTIONS: dict[torch._ops.OpOverload, Callable] = {
    _aten._embedding_bag.default: embedding_bag,
    _aten._embedding_bag_forward_only.default: embedding_bag,
    _aten._embedding_bag_dense_backward.default: embedding_bag_backward,
    _aten._embedding_bag_backward.default: embedding_bag_any_backward,
    _aten._embedding_bag_per_sample_weights_backward.default: embedding_bag_weights_backward,
    _aten._upsample_bilinear2d_aa.default: _bilinear,
    _aten._upsample_bilinear2d_aa_backward.default: _bilinear_backward,
    _aten._upsample_bicubic2d_aa.default: _bicubic,
    _aten._upsample_bicubic2d_aa_backward.default: _bicubic_backward,
    _aten.ldexp.Tensor: ldexp,
}
