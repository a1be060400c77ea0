# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: compare.py FUSE-RUN TARGET.json FOLDER [--threads N] [--runs N] [--rounds N] [--only TEXT]

How far the roofline model's predictions are from what is measured, with the figures of a calibrated target: of the
kernels in kernels.py, of the convolutions in layers.py, and of the merges in merges.py, whose programs run as separate
kernels and as few as is legal. The machine should be idle. Writes kernels-N.svg, figures-N.json and the target as it was
used, target-N.json, to FOLDER; N is the number of threads.
"""

import argparse
import json
import os
import statistics

import kernels
import layers
import merges
from measure import Runner, least_by_launch, rank_correlation
from picture import draw

EFFECT = 0.05  # a smaller difference is none
SURE = 0.75  # and one that fewer of the pairs show


def compare_kernels(programs, runner, rounds, only):
    points = []
    print(f"{'kernel':34} {'kind':8} {'predicted':>10} {'measured':>10} {'ratio':>6}")
    for program in programs:
        if only not in program.name:
            continue
        launches = least_by_launch([runner.run(program.name, program.text()) for _ in range(rounds)])
        for launch in launches:
            name = program.name if len(launches) == 1 else f"{program.name}#{launch['id']}"
            kind = program.kind
            predicted, measured = launch["predicted_ms"], launch["ms"]
            points.append({"name": name, "kind": kind, "predicted": predicted, "measured": measured,
                           "bytes": launch["traffic_bytes"]})
            print(f"{name:34} {kind:8} {predicted:10.4f} {measured:10.4f} {predicted / measured:6.2f}")
    return points


def summarize_kernels(points):
    correlation = rank_correlation([p["predicted"] for p in points], [p["measured"] for p in points])
    print(f"{len(points)} kernels, rank correlation {correlation:.3f}")
    large = [p for p in points if p["kind"] == "memory" and p["bytes"] > 1 << 20]
    far = [p for p in large if not 1 / 1.5 <= p["predicted"] / p["measured"] <= 1.5]
    print(f"bound by memory, above 1 MB: {len(large) - len(far)} of {len(large)} within 1.5"
          + "".join(f"; {p['name']} {p['predicted'] / p['measured']:.2f}" for p in far))


def summarize_layers(points):
    off = [p for p in points if not 0.5 <= p["predicted"] / p["measured"] <= 2]
    print(f"{len(points)} convolutions of networks, rank correlation "
          f"{rank_correlation([p['predicted'] for p in points], [p['measured'] for p in points]):.3f}, "
          f"{len(off)} predicted wrong by more than a factor of 2"
          + "".join(f"; {p['name']} {p['predicted'] / p['measured']:.2f}" for p in off))


def compare_merges(runner, rounds, only):
    points = []
    print(f"{'merge':34} {'kernels':>9} {'predicted':>10} {'measured':>10}   (together / apart, the median of {rounds} pairs)")
    for program in merges.all_programs():
        if only not in program.name:
            continue
        ratios = []
        total = lambda launches, key: sum(launch[key] for launch in launches)
        for _ in range(rounds):
            apart = runner.run(program.name, program.text(), "--mode", "unfused")
            together = runner.run(program.name, program.text(), "--cost-model", "io")
            ratios.append(total(together, "ms") / total(apart, "ms"))
        if len(apart) == len(together):
            print(f"{program.name:34} not legal")
            continue
        predicted, measured = total(together, "predicted_ms") / total(apart, "predicted_ms"), statistics.median(ratios)
        effect = side(measured) if sum(side(ratio) == side(measured) for ratio in ratios) >= SURE * rounds else 0
        points.append({"name": program.name, "predicted": predicted, "measured": measured, "effect": effect})
        verdict = "not sure" if side(measured) and not effect else "wrong sign" if effect * (predicted - 1) < 0 else ""
        print(f"{program.name:34} {len(apart):4} → {len(together):2} {predicted:10.2f} {measured:10.2f}   {verdict}".rstrip())
    return points


def side(ratio):
    """Whether a ratio is more than 1 (1), less (-1), or about 1 (0)."""
    return 0 if abs(ratio - 1) <= EFFECT else 1 if ratio > 1 else -1


def summarize_merges(points):
    large = [p for p in points if p["effect"]]
    right = [p for p in large if (p["predicted"] - 1) * p["effect"] > 0]
    worse = sum(p["effect"] > 0 for p in large)
    print(f"{len(points)} merges, {len(large)} change the time by more than 5 % ({worse} for the worse): "
          f"the sign is right for {len(right)} ({100 * len(right) / max(1, len(large)):.0f} %)")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("fuse_run")
    parser.add_argument("target")
    parser.add_argument("folder")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with open(options.target) as file:
        target = json.load(file)
    # Predictions are for as many threads as are used.
    target["figures"]["max_threads"] = options.threads
    os.makedirs(options.folder, exist_ok=True)
    path = os.path.join(options.folder, f"target-{options.threads}.json")
    with open(path, "w") as file:
        json.dump(target, file, indent=2)
    print(f"cpu: {target['cpu']}, threads: {options.threads}")
    runner = Runner(options.fuse_run, path, options.threads, options.runs)
    kernel_points = compare_kernels(kernels.all_programs(), runner, options.rounds, options.only)
    layer_points = compare_kernels(layers.all_programs(), runner, options.rounds, options.only)
    merge_points = compare_merges(runner, options.rounds, options.only)
    if kernel_points:
        summarize_kernels(kernel_points)
        draw(os.path.join(options.folder, f"kernels-{options.threads}.svg"),
             f"{target['cpu']}, threads: {options.threads}",
             [(p["name"], p["kind"], p["predicted"], p["measured"]) for p in kernel_points])
    if layer_points:
        summarize_layers(layer_points)
    if merge_points:
        summarize_merges(merge_points)
    with open(os.path.join(options.folder, f"figures-{options.threads}.json"), "w") as file:
        json.dump({"kernels": kernel_points, "layers": layer_points, "merges": merge_points}, file, indent=1)


if __name__ == "__main__":
    main()
