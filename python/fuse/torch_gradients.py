# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients that PyTorch has as one op each, as what they are made of: of pools, of repeated borders, of distances, of elements that
take places in a row, and of tables whose rows are counted; and means of bins that depend on open extents.

A function gives NotImplemented where it does not know the form that is asked for: the op then stays what it is."""
from collections.abc import Callable

import torch
import torch.nn.functional as F

_aten = torch.ops.aten


def _widen(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _scatter_to_image(grad_output: torch.Tensor, x: torch.Tensor, indices: torch.Tensor, rank: int) -> torch.Tensor:
    """Of pools that give the places of what they took, counted over the last `rank` dimensions of the image `x`."""
    pixels = 1
    for size in x.shape[-rank:]:
        pixels = pixels * size
    grad = _widen(grad_output.flatten(-rank))
    wide = grad.new_zeros((*x.shape[:-rank], pixels)).scatter_add(-1, indices.flatten(-rank), grad)
    return wide.reshape(x.shape).to(grad_output.dtype)


def max_pool3d_backward(grad_output: torch.Tensor, x: torch.Tensor, kernel_size: list, stride: list, padding: list, dilation: list,
                        ceil_mode: bool, indices: torch.Tensor) -> torch.Tensor:
    return _scatter_to_image(grad_output, x, indices, 3)


def adaptive_max_pool2d_backward(grad_output: torch.Tensor, x: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    return _scatter_to_image(grad_output, x, indices, 2)


def adaptive_max_pool3d_backward(grad_output: torch.Tensor, x: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    return _scatter_to_image(grad_output, x, indices, 3)


def _make_shares(first: torch.Tensor, end: torch.Tensor, size: int, dtype: torch.dtype) -> torch.Tensor:
    """Windows along a dimension as a matrix of [windows, size]: an element from `first` to `end` has an equal share of the mean."""
    at = torch.arange(size, device=first.device)
    is_inside = (at >= first[:, None]) & (at < end[:, None])
    return torch.where(is_inside, 1.0 / (end - first)[:, None].to(dtype), 0.0)


def _make_bins(bins: int, size: int, x: torch.Tensor) -> torch.Tensor:
    each = torch.arange(bins, device=x.device)
    first = (each * size).div(bins, rounding_mode="floor")
    end = ((each + 1) * size + (bins - 1)).div(bins, rounding_mode="floor")
    return _make_shares(first, end, size, x.dtype)


def _multiply_along(x: torch.Tensor, dim: int, matrix: torch.Tensor) -> torch.Tensor:
    return (x.movedim(dim, -1) @ matrix).movedim(-1, dim)


def adaptive_avg_pool(x: torch.Tensor, output_size: list) -> torch.Tensor:
    """Bins of several sizes where an extent is open; where all are known the op stays what it is."""
    rank = len(output_size)
    if all(isinstance(n, int) for n in (*x.shape[-rank:], *output_size)) or all(isinstance(n, int) and n == 1 for n in output_size):
        return NotImplemented
    wide = _widen(x)
    for dim, bins in enumerate(output_size, -rank):
        wide = _multiply_along(wide, dim, _make_bins(bins, x.shape[dim], wide).t())
    return wide.to(x.dtype)


def _adaptive_avg_pool_backward(grad_output: torch.Tensor, x: torch.Tensor, rank: int) -> torch.Tensor:
    grad = _widen(grad_output)
    for dim in range(-rank, 0):
        grad = _multiply_along(grad, dim, _make_bins(grad.shape[dim], x.shape[dim], grad))
    return grad.to(grad_output.dtype)


def adaptive_avg_pool2d_backward(grad_output: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return _adaptive_avg_pool_backward(grad_output, x, 2)


def adaptive_avg_pool3d_backward(grad_output: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return _adaptive_avg_pool_backward(grad_output, x, 3)


def _avg_pool_backward(grad_output: torch.Tensor, x: torch.Tensor, kernel_size: list, stride: list, padding: list, ceil_mode: bool,
                       count_include_pad: bool, divisor_override: int | None, rank: int) -> torch.Tensor:
    """Each window's share of the gradient goes to all of its elements: a transposed convolution with a filter of ones, which is
    made larger than the image by less than a stride and then cut to its extents. Where windows count padding that the last one
    reaches beyond, what they are divided by depends on the place along each dimension, and so the dimensions are products."""
    spread = lambda given: list(given) * rank if len(given) == 1 else list(given)
    kernel, padding = spread(kernel_size), spread(padding)
    stride = spread(stride) if stride else kernel
    counts_padding = count_include_pad and any(padding)
    grad = _widen(grad_output)
    if counts_padding and ceil_mode and divisor_override is None:
        for i in range(rank):
            size = x.shape[i - rank]
            first = torch.arange(grad.shape[i - rank], device=x.device) * stride[i] - padding[i]
            end = (first + kernel[i]).clamp(max=size + padding[i])
            grad = _multiply_along(grad, i - rank, _make_shares(first, end, size, grad.dtype))
        return grad.to(grad_output.dtype)
    grad = grad.reshape(-1, 1, *grad.shape[-rank:])
    if divisor_override is None and (ceil_mode or (any(padding) and not counts_padding)):
        ones = grad.new_ones((1, 1, *x.shape[-rank:]))
        pool = F.avg_pool2d if rank == 2 else F.avg_pool3d
        grad = grad / pool(ones, kernel, stride, padding, ceil_mode, True, 1)
    else:
        count = 1
        for size in kernel:
            count *= size
        grad = grad / (divisor_override or count)
    wide = _aten.convolution(grad, grad.new_ones((1, 1, *kernel)), None, stride, padding, [1] * rank, True, [s - 1 for s in stride], 1)
    for i in range(rank):
        wide = wide.narrow(2 + i, 0, x.shape[i - rank])
    return wide.reshape(x.shape).to(grad_output.dtype)


def avg_pool2d_backward(grad_output: torch.Tensor, x: torch.Tensor, kernel_size: list, stride: list, padding: list, ceil_mode: bool,
                        count_include_pad: bool, divisor_override: int | None) -> torch.Tensor:
    return _avg_pool_backward(grad_output, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


def avg_pool3d_backward(grad_output: torch.Tensor, x: torch.Tensor, kernel_size: list, stride: list, padding: list, ceil_mode: bool,
                        count_include_pad: bool, divisor_override: int | None) -> torch.Tensor:
    return _avg_pool_backward(grad_output, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)


def replication_pad_backward(grad_output: torch.Tensor, x: torch.Tensor, padding: list) -> torch.Tensor:
    """An element at the border gets what all of its copies have."""
    if not all(isinstance(p, int) and p >= 0 for p in padding):
        return NotImplemented
    grad = _widen(grad_output)
    for i in range(len(padding) // 2):
        dim, low, high = x.dim() - 1 - i, padding[2 * i], padding[2 * i + 1]
        size = x.shape[dim]
        if isinstance(size, int) and size == 1:
            grad = grad.sum(dim, keepdim=True)
        else:
            first = grad.narrow(dim, 0, low + 1).sum(dim, keepdim=True)
            last = grad.narrow(dim, low + size - 1, high + 1).sum(dim, keepdim=True)
            grad = torch.cat((first, grad.narrow(dim, low + 1, size - 2), last), dim)
    return grad.to(grad_output.dtype)


def cdist_backward(grad: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, p: float, cdist: torch.Tensor) -> torch.Tensor:
    """Of x1, [batch, rows, width]; the distances are [batch, rows, columns]. Rows at one place have no gradient."""
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    grad, distance = grad.unsqueeze(-1), cdist.unsqueeze(-1)
    if p == 0:
        return torch.zeros_like(x1) * grad.sum()
    if p == 1:
        along = difference.sign()
    elif p == float("inf"):
        along = torch.where(difference.abs() == distance, difference.sign(), 0.0)
    elif p == 2:
        along = torch.where(distance == 0, 0.0, difference / distance)
    else:
        size = difference.abs()
        is_apart = (distance != 0) & ((size != 0) if p < 2 else True)
        along = torch.where(is_apart, difference.sign() * (size / distance).pow(p - 1), 0.0)
    return (along * grad).sum(-2)


def masked_scatter_backward(grad_output: torch.Tensor, mask: torch.Tensor, sizes: list) -> torch.Tensor:
    """Of the elements that took places in a row: the gradients at those places in a row, and 0 of elements that took none."""
    grad, mask = (x.reshape(-1) for x in torch.broadcast_tensors(grad_output, mask))
    count = 1
    for size in sizes:
        count = count * size
    # What is not masked adds 0 to the first element.
    place = torch.where(mask, mask.to(torch.int64).cumsum(0) - 1, 0)
    return grad.new_zeros((count,)).scatter_add(0, place, torch.where(mask, grad, 0.0)).reshape(list(sizes))


def embedding_backward(grad_output: torch.Tensor, indices: torch.Tensor, num_weights: int, padding_idx: int,
                       scale_grad_by_freq: bool) -> torch.Tensor:
    """With rows that count as one where they are read several times."""
    if not scale_grad_by_freq:
        return NotImplemented
    grad, flat = _widen(grad_output), indices.flatten()
    ones = torch.ones_like(flat, dtype=grad.dtype)
    counts = grad.new_zeros((num_weights,)).index_add(0, flat, ones)
    scaled = grad / counts.index_select(0, flat).reshape(indices.shape).unsqueeze(-1)
    return _aten.embedding_dense_backward(scaled, indices, num_weights, padding_idx, False).to(grad_output.dtype)


GRADIENTS: dict[torch._ops.OpOverload, Callable] = {
    _aten._adaptive_avg_pool2d.default: adaptive_avg_pool,
    _aten._adaptive_avg_pool3d.default: adaptive_avg_pool,
    _aten.max_pool3d_with_indices_backward.default: max_pool3d_backward,
    _aten.adaptive_max_pool2d_backward.default: adaptive_max_pool2d_backward,
    _aten.adaptive_max_pool3d_backward.default: adaptive_max_pool3d_backward,
    _aten._adaptive_avg_pool2d_backward.default: adaptive_avg_pool2d_backward,
    _aten._adaptive_avg_pool3d_backward.default: adaptive_avg_pool3d_backward,
    _aten.avg_pool2d_backward.default: avg_pool2d_backward,
    _aten.avg_pool3d_backward.default: avg_pool3d_backward,
    _aten.replication_pad1d_backward.default: replication_pad_backward,
    _aten.replication_pad2d_backward.default: replication_pad_backward,
    _aten.replication_pad3d_backward.default: replication_pad_backward,
    _aten._cdist_backward.default: cdist_backward,
    _aten.embedding_dense_backward.default: embedding_backward,
    _aten.masked_scatter_backward.default: masked_scatter_backward,
}
