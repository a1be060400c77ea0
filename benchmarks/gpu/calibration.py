# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a GPU gives our kernels: the figures of `#fuse.target` for --cost-target, measured by programs that are compiled like
all others. What is not measured stays as the known device has it."""

import json
import math

# Prices expect tensor cores to do so much of their rate (kTensorPart of lib/CostModel/RooflineCostModel.cpp): a rate that our
# products reach is written as one of which they expect just that.
PRICED_PART = 0.5
# The speed of mma.sync, as a part of that of wgmma, that schedules and prices go by (kSubgroupSpeed of
# include/fuse/Analysis/TensorTiles.h).
SUBGROUP_SPEED = 0.62

ROW = 1024  # elements of f32
SIDE = 4096
LAUNCHES = 64
CHAIN, CHAIN_ELEMENTS = 512, 1 << 24
# Reads of the second, less those of the first, are what the second level of cache gives; the third is read from memory.
CACHED_ROWS, MEMORY_ROWS = (1024, 4096), 1 << 17


def all_programs():
    """(name, text, options of fuse-compile). Imported where programs are written, not where they run."""
    from program import Program

    def write(name, fill, *options):
        p = Program(name, "calibrate")
        fill(p)
        return name, p.text(), options

    for rows in (*CACHED_ROWS, MEMORY_ROWS):
        yield write(f"read_{rows}", lambda p, rows=rows: p.returns(p.reduce("sum", p.argument([rows, ROW]), [1])))

    def chain(name, elements, length, attributes=""):
        kind = f"tensor<{elements}xf32>"
        lines = [f"  %v{i + 1} = fuse.binary {'add' if i % 2 else 'mul'} %v{i}, %c {attributes}: {kind}" for i in range(length)]
        return name, "\n".join([f"func.func @main(%v0: {kind}, %c: {kind}) -> {kind} {{", *lines,
                                f"  return %v{length} : {kind}", "}", ""]), ()
    yield chain("rate", CHAIN_ELEMENTS, CHAIN)
    yield chain("launches", 16, LAUNCHES, "{fuse.alone} ")

    def product(element):
        return lambda p: p.returns(p.matmul(p.argument([SIDE, SIDE], element), p.argument([SIDE, SIDE], element)))
    yield write("product_f32", product("f32"))
    yield write("product_f16", product("f16"))
    yield write("product_f16_subgroups", product("f16"), "--no-warpgroups")
    yield write("product_tf32", product("f32"), "--numerics", "reduced-precision")
    bytes_, sums = f"tensor<{SIDE}x{SIDE}xi8>", f"tensor<{SIDE}x{SIDE}xi32>"
    yield "product_i8", (f"func.func @main(%a: {bytes_}, %b: {bytes_}) -> {sums} {{\n  %y = fuse.matmul %a, %b : ({bytes_}, {bytes_}) "
                         f"-> {sums}\n  return %y : {sums}\n}}\n"), ()


def get_rate(measured, name, processors):
    """Operations per ns of one multiprocessor: the one with most blocks is the last one to end."""
    case = measured[name]
    blocks = case["blocks"]
    most = math.ceil(blocks / processors) / blocks if blocks else 1 / processors
    return case["flops"] * most / case["ns"]


def make_figures(measured, processors, driver_figures):
    """{figure: (value, how)} of what was measured: `measured`: {program: {ns, blocks, flops}}; `driver_figures`: as the result.
    What is missing in one is missing in the other."""
    figures = dict(driver_figures)

    def add(key, needed, value, how):
        if all(name in measured and measured[name]["ns"] > 0 for name in needed):
            number = value()
            if number > 0:
                figures[key] = (float(f"{number:.4g}"), how)

    rows = [f"read_{count}" for count in CACHED_ROWS]
    read = [4 * ROW * count for count in CACHED_ROWS]
    add("memory_bw", [f"read_{MEMORY_ROWS}"], lambda: 4 * ROW * MEMORY_ROWS / measured[f"read_{MEMORY_ROWS}"]["ns"],
        f"measured: row sums of {4 * ROW * MEMORY_ROWS >> 20} MB")

    def cached():
        ns = measured[rows[1]]["ns"] - measured[rows[0]]["ns"]
        return (read[1] - read[0]) / ns / processors if ns > 0 else 0
    add("l3_bw", rows, cached, f"measured: row sums of {read[1] >> 20} MB, less those of {read[0] >> 20} MB, by {processors}")
    add("dispatch_ns", ["launches"], lambda: measured["launches"]["ns"] / LAUNCHES,
        f"measured: {LAUNCHES} launches of 16 numbers in one graph")
    by = f", by {processors}"
    add("flops_per_ns", ["rate"], lambda: get_rate(measured, "rate", processors), f"measured: {CHAIN} operations in a row" + by)
    add("matmul_flops_per_ns", ["product_f32"], lambda: get_rate(measured, "product_f32", processors),
        f"measured: a product of {SIDE} x {SIDE} f32" + by)
    for key, name, what in (("tensor_flops_per_ns", "product_f16", "f16"), ("tf32_flops_per_ns", "product_tf32", "f32 as TF32"),
                            ("tensor_int8_flops_per_ns", "product_i8", "bytes")):
        add(key, [name], lambda name=name: get_rate(measured, name, processors) / PRICED_PART,
            f"measured: a product of {SIDE} x {SIDE} {what}, of which prices expect {PRICED_PART}" + by)
    return figures


def write_target(path, name, base, figures):
    """The file that --cost-target takes: what was measured in place of what is known of the device."""
    values = dict(base) | {key: value for key, (value, _) in figures.items()}
    sources = {key: how for key, (_, how) in figures.items()}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": 1, "name": name, "kind": "gpu", "figures": values, "sources": sources}, file, indent=1)
        file.write("\n")


def describe(figures, base, measured):
    """Rows of a table of figures, and what subgroups have of warpgroups' speed."""
    yield "| figure | known | measured | how |"
    yield "|---|---|---|---|"
    for key, (value, how) in figures.items():
        yield f"| `{key}` | {base.get(key, '–')} | {value} | {how.removeprefix('measured: ')} |"
    names = ("product_f16", "product_f16_subgroups")
    if base.get("warpgroup_size") and all(name in measured and measured[name]["ns"] > 0 for name in names):
        part = measured[names[0]]["ns"] / measured[names[1]]["ns"]
        yield ""
        yield f"mma.sync has {part:.2f} of the speed of wgmma; schedules and prices go by {SUBGROUP_SPEED}"
