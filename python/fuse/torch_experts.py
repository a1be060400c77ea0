# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of rows with the weights of experts, as mixtures of experts have them: torch._grouped_mm, and transformers' op of it.

Rows are sorted by expert: those of expert e lie from offsets[e - 1] to offsets[e], which is known when the program runs. A program's
extents are not, so rows are divided into blocks of one expert each. 7 rows of three experts that have 4, 0 and 3 of them, in blocks
of two rows:

    rows     0 1 | 2 3 | 4 5 | 6 -       blocks   0 1 2 3
    experts  0 0   0 0   2 2   2         experts  0 0 2 2

Each block is multiplied with the weights of its expert, which the kernel reads where they are; then rows are taken back from the blocks.
At most an expert's last block is not full, so that there are no more than (rows + experts · (block − 1)) / block blocks."""
import dataclasses
from collections.abc import Callable

import torch

_aten = torch.ops.aten


@dataclasses.dataclass
class _Blocks:
    """How `rows` rows lie in blocks of `size`.

    expert: each block's, [blocks]
    row: those of each block, within the rows there are, [blocks, size]
    is_row: whether they are rows of the block's expert
    place: where each row is in all blocks' rows, [rows]
    is_placed: whether a row is any expert's, [rows]"""
    expert: torch.Tensor
    row: torch.Tensor
    is_row: torch.Tensor
    place: torch.Tensor
    is_placed: torch.Tensor


def _choose_size(rows: int | torch.SymInt, experts: int | torch.SymInt) -> int:
    """About half of what an expert has of the rows. Blocks of one row read the weights once for each row."""
    guess = [n if isinstance(n, int) else getattr(n.node, "hint", None) or 1 for n in (rows, experts)]
    each = guess[0] // max(guess[1], 1)
    if each < 2:
        return 1
    return max(4, min(32, 1 << (each.bit_length() - 2)))


def _divide(offsets: torch.Tensor, rows: int | torch.SymInt) -> _Blocks:
    experts = offsets.shape[0]
    size = _choose_size(rows, experts)
    end = offsets.to(torch.int64)
    begin = torch.cat((end.new_zeros((1,)), end.narrow(0, 0, experts - 1)))
    counts = (end - begin + (size - 1)) // size
    block_end = counts.cumsum(0)
    block_begin = block_end - counts
    least = min(rows, experts) if isinstance(rows, int) and isinstance(experts, int) else experts
    count = rows if size == 1 else (rows + least * (size - 1)) // size
    block = torch.arange(count, device=offsets.device)
    expert = torch.searchsorted(block_end, block, right=True).clamp(max=experts - 1)
    first = begin.index_select(0, expert) + (block - block_begin.index_select(0, expert)) * size
    row = first.unsqueeze(1) + torch.arange(size, device=offsets.device)
    is_row = (row < end.index_select(0, expert).unsqueeze(1)) & (row >= 0)
    each = torch.arange(rows, device=offsets.device)
    own = torch.searchsorted(end, each, right=True).clamp(max=experts - 1)
    place = block_begin.index_select(0, own) * size + each - begin.index_select(0, own)
    is_placed = each < end.select(0, experts - 1)
    return _Blocks(expert, row.clamp(min=0).minimum(torch.full_like(row, rows - 1)), is_row, torch.where(is_placed, place, 0), is_placed)


def _take(x: torch.Tensor, blocks: _Blocks, only_own: bool = False) -> torch.Tensor:
    """Rows of x, [rows, width], as [blocks, size, width]; with `only_own` 0 where the block's expert has none."""
    taken = x.index_select(0, blocks.row.reshape(-1)).reshape(*blocks.row.shape, x.shape[1])
    return torch.where(blocks.is_row.unsqueeze(-1), taken, 0.0) if only_own else taken


def _is_turned(weight: torch.Tensor) -> bool:
    """Whether the matrices lie column by column, as those of linear layers do: they are gathered as they lie."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true as is_known

    return is_known(weight.stride(1) == 1) and not is_known(weight.stride(2) == 1)


def multiply_rows(x: torch.Tensor, weight: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """[rows, width] and [experts, width, columns] to [rows, columns]. Rows that are no expert's become 0."""
    if _is_known_empty(x) or _is_known_empty(weight):
        return x.new_zeros((x.shape[0], weight.shape[2]))
    blocks = _divide(offsets, x.shape[0])
    if _is_turned(weight):
        chosen = weight.transpose(1, 2).index_select(0, blocks.expert).transpose(1, 2)
    else:
        chosen = weight.index_select(0, blocks.expert)
    products = torch.bmm(_take(x, blocks), chosen).reshape(-1, weight.shape[2])
    return torch.where(blocks.is_placed.unsqueeze(1), products.index_select(0, blocks.place), 0.0)


def multiply_columns(x: torch.Tensor, y: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """[rows, width] and [rows, columns] to [experts, width, columns]: the sum of the outer products of each expert's rows."""
    experts = offsets.shape[0]
    if _is_known_empty(x) or _is_known_empty(y):
        return x.new_zeros((experts, x.shape[1], y.shape[1]))
    blocks = _divide(offsets, x.shape[0])
    wide = torch.promote_types(x.dtype, torch.float32)
    left, right = (_take(each.to(wide), blocks, only_own=True) for each in (x, y))
    products = torch.bmm(left.transpose(1, 2), right)
    return products.new_zeros((experts, x.shape[1], y.shape[1])).index_add(0, blocks.expert, products).to(x.dtype)


def _is_known_empty(x: torch.Tensor) -> bool:
    return any(isinstance(n, int) and n == 0 for n in x.shape)


def grouped_mm(x: torch.Tensor, y: torch.Tensor, offs: torch.Tensor | None = None, bias: torch.Tensor | None = None,
               out_dtype: torch.dtype | None = None) -> torch.Tensor:
    """torch._grouped_mm: what has two dimensions has the groups along its rows, its columns, or along what is summed."""
    if bias is not None or (out_dtype is not None and out_dtype != x.dtype):
        return NotImplemented
    if offs is None:
        return torch.bmm(x, y)
    if x.dim() == 2 and y.dim() == 3:
        return multiply_rows(x, y, offs)
    if x.dim() == 3:
        return multiply_rows(y.t(), x.transpose(1, 2), offs).t()
    return multiply_columns(x.t(), y, offs)


def grouped_mm_backward(x: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of x and of the weights."""
    if _is_turned(weight):
        by_weight = multiply_columns(grad, x, offs).transpose(1, 2)
    else:
        by_weight = multiply_columns(x, grad, offs)
    return multiply_rows(grad, weight.transpose(1, 2), offs), by_weight


def find_expert_ops() -> dict[torch._ops.OpOverload, Callable]:
    """Those that there are by now: transformers registers its own when it is imported."""
    found: dict[torch._ops.OpOverload, Callable] = {}
    if hasattr(_aten, "_grouped_mm"):
        found[_aten._grouped_mm.default] = grouped_mm
    others = torch.ops.transformers
    for name, function in (("grouped_mm_fallback", multiply_rows), ("grouped_mm_fallback_backward", grouped_mm_backward)):
        if hasattr(others, name):
            found[getattr(others, name).default] = function
    return found
