"""Products on sm_90a are priced as what they become: warpgroups_test.py FUSE_RUN [--count N] [--seed N] [--verbose]

Products of f16 and bf16 are drawn by chance: sizes odd and even, small and large, operands turned, computed in the kernel, cast,
or with a batch, and results that bias and functions follow. Of each the report's `warpgroup_flops` are compared with the remark
that code makes of the product. Neither a GPU nor ptxas is needed.
"""
import argparse
import json
import random
import re
import subprocess
import sys
import tempfile

REMARK = re.compile(r"\[(Passed|Missed)\] warpgroups .*?Reason=\"([^\"]*)\"")


class Draw:
    """A function around one product; `text` is its program."""

    def __init__(self, chance):
        element = chance.choice(["f16", "f16", "bf16"])
        rows, columns = (chance.choice([8, 40, 64, 100, 128, 192, 250, 256, 512, 1000, 1024, 2048, 4096]) for _ in range(2))
        steps = chance.choice([32, 64, 65, 72, 96, 100, 128, 256, 512, 768, 1024])
        batch = [chance.choice([2, 12])] if chance.random() < 0.2 else []
        turned = [chance.random() < 0.3 for _ in range(2)]
        before = [chance.choice([""] * 10 + ["exp", "cast"]) for _ in range(2)]
        after = chance.choice(["", "", "bias", "relu", "softmax", "transpose"])
        self.lines, self.number = [], 0
        operands, shapes = [], [[rows, steps], [steps, columns]]
        for i, shape in enumerate(shapes):
            stored = batch + (shape[::-1] if turned[i] else shape)
            name = f"%a{i}"
            kind = "f32" if before[i] == "cast" else element
            operands.append(f"{name}: {self.tensor(stored, kind)}")
            if before[i] == "cast":
                name = self.op(f"fuse.cast {name} : ({self.tensor(stored, 'f32')}) -> {self.tensor(stored, element)}")
            elif before[i]:
                name = self.op(f"fuse.unary {before[i]} {name} : {self.tensor(stored, element)}")
            if turned[i]:
                order = [*range(len(batch)), len(batch) + 1, len(batch)]
                name = self.op(f"fuse.transpose {name} permutation = {order} : {self.tensor(stored, element)} -> "
                               f"{self.tensor(batch + shape, element)}")
            shapes[i] = (name, self.tensor(batch + shape, element))
        (left, left_type), (right, right_type) = shapes
        result = self.tensor(batch + [rows, columns], element)
        value = self.op(f"fuse.matmul {left}, {right} : ({left_type}, {right_type}) -> {result}")
        if after == "bias":
            operands.append(f"%bias: {self.tensor([columns], element)}")
            value = self.op(f"fuse.binary add {value}, %bias : ({result}, {self.tensor([columns], element)}) -> {result}")
        elif after == "relu":
            value = self.op(f"fuse.unary relu {value} : {result}")
        elif after == "softmax":
            value = self.op(f"fuse.softmax {value} dimension = -1 : {result}")
        elif after == "transpose":
            order = [*range(len(batch)), len(batch) + 1, len(batch)]
            last = self.tensor(batch + [columns, rows], element)
            value = self.op(f"fuse.transpose {value} permutation = {order} : {result} -> {last}")
            result = last
        self.text = "\n".join([f"func.func @main({', '.join(operands)}) -> {result} {{", *self.lines,
                               f"  return {value} : {result}", "}", ""])

    @staticmethod
    def tensor(shape, element):
        return "tensor<" + "x".join([*map(str, shape), element]) + ">"

    def op(self, text):
        self.number += 1
        self.lines.append(f"  %v{self.number} = {text}")
        return f"%v{self.number}"


def run(fuse_run, path, *options):
    done = subprocess.run([fuse_run, path, "--target", "cuda", "--chip", "sm_90a", "--numerics", "folds", *options],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:300])
    return done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fuse_run")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    counts, failed = {"warpgroups": 0, "subgroups": 0, "threads": 0}, 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.count):
            text = Draw(random.Random(f"{options.seed}.{i}")).text
            path = f"{folder}/program.mlir"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            report = json.loads(run(options.fuse_run, path, "--report-json", "-")[0])
            priced = any("warpgroup_flops" in kernel for kernel in report["functions"][0]["kernels"])
            remarks = REMARK.findall(run(options.fuse_run, path, "--explain", "--dump-after", "fuse-distribute-members")[1])
            made = any(kind == "Passed" for kind, _ in remarks)
            counts["warpgroups" if made else "subgroups" if remarks else "threads"] += 1
            if priced != made or options.verbose:
                print(f"{'ok' if priced == made else 'FAILED'} {options.seed}.{i}: priced as {'warpgroups' if priced else 'others'}, "
                      f"code: {'; '.join(reason for _, reason in remarks) or 'no product of tensor cores'}")
            if priced != made:
                failed += 1
                print(text)
    print(f"{options.count} products, {failed} not priced as what they become: {counts}")
    return failed != 0 or min(counts["warpgroups"], counts["subgroups"]) == 0


if __name__ == "__main__":
    sys.exit(main())
