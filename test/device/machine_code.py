"""Machine code of the benchmarked kernels: machine_code.py FUSE_RUN DOC --cuda-home DIR [--only TEXT] [--write]

Each function of Inputs/kernels.mlir is compiled for sm_80 and sm_90a, assembled by ptxas and read again by nvdisasm. No kernel may spill, products on tensor cores neither where their operands pass registers
(--no-async-copies), and the tables between the lines <!-- machine code -->, or <!-- machine code of sm_90a -->, and
<!-- end --> of DOC must say what is found: accesses of memory to the letter, and registers, instructions and the part of
products within what another version of LLVM may change. --write puts the tables there.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from device_code_test import FUNCTION, PROGRAM, assemble  # noqa: E402

# What of a number another version of LLVM may change, and of a part in points.
TOLERANCE, POINTS = 0.2, 5
END = "<!-- end -->"
HEAD = "| kernel | registers | instructions | loads of global memory, by bytes | stores | innermost loop | products in it |"
WARPGROUP_HEAD = "| kernel | registers | instructions | loads of global memory, by bytes | stores | innermost loop | products in it |" \
                 " cycles of tensor cores, of all |"
# Chip, and what is in front of the table.
TABLES = [("sm_80", "<!-- machine code -->", HEAD), ("sm_90a", "<!-- machine code of sm_90a -->", WARPGROUP_HEAD)]
INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\d+\s+)?([A-Z][A-Z0-9_.x]*)(.*);")
# Products of f16 that the tensor cores of a multiprocessor of sm_90 add up in a cycle.
PRODUCTS_OF_CYCLE = 2048
LABEL = re.compile(r"(?m)^(\.L_\w+):")


class Code:
    """The instructions of one kernel: (address, opcode, operands)."""

    def __init__(self, text):
        self.instructions, labels = [], {}
        waiting = []
        for line in text.splitlines():
            if label := LABEL.match(line):
                waiting.append(label[1])
            elif found := INSTRUCTION.search(line):
                address = int(found[1], 16)
                labels |= {name: address for name in waiting}
                waiting = []
                self.instructions.append((address, found[2], found[3]))
        self.loops = []
        for address, opcode, operands in self.instructions:
            target = re.search(r"`\((\.L_\w+)\)", operands)
            # A branch to itself fills what is left of a line.
            if opcode.startswith("BRA") and target and labels.get(target[1], address) < address:
                self.loops.append((labels[target[1]], address))

    def of(self, *names):
        return [opcode for _, opcode, _ in self.instructions if opcode.split(".")[0] in names]

    def innermost(self):
        """Opcodes of the loop with no other inside that has most products, else most instructions."""
        inner = [loop for loop in self.loops
                 if not any(other != loop and loop[0] <= other[0] and other[1] <= loop[1] for other in self.loops)]
        bodies = [[opcode for address, opcode, _ in self.instructions if begin <= address <= end] for begin, end in inner]
        return max(bodies, key=lambda body: (count_products(body), len(body)), default=[])


def is_product(opcode):
    return opcode.split(".")[0] in ("HMMA", "HGMMA", "IMMA", "FFMA", "HFMA2", "DFMA")


def count_products(opcodes):
    return sum(map(is_product, opcodes))


def get_cycle_part(opcodes):
    """Cycles that tensor cores have to do for what a warp asks of them, by HGMMA.64x128x16, of these and one for each other
    instruction of the warp."""
    cycles = 0
    for opcode in opcodes:
        if shape := re.match(r"HGMMA\.(\d+)x(\d+)x(\d+)", opcode):
            rows, columns, steps = map(int, shape.groups())
            cycles += rows * columns * steps // PRODUCTS_OF_CYCLE
    return f"{100 * cycles / (cycles + len(opcodes) - count_products(opcodes)):.0f} %" if cycles else "–"


def get_bytes(opcode):
    words = opcode.split(".")
    return next((int(word) // 8 for word in words if word in ("32", "64", "128")),
                next((int(word[1:]) // 8 for word in words if re.fullmatch(r"[US](8|16)", word)), 4))


def describe(opcodes):
    """`3 of 16, 1 of 4`: the number of accesses of each width; those through the read-only path are marked."""
    counts = {}
    for opcode in opcodes:
        kind = "asynchronous" if opcode.startswith("LDGSTS") else "read-only" if "CONSTANT" in opcode else ""
        counts[get_bytes(opcode), kind] = counts.get((get_bytes(opcode), kind), 0) + 1
    return ", ".join(f"{number} of {width}{' ' + kind if kind else ''}"
                     for (width, kind), number in sorted(counts.items(), reverse=True)) or "–"


def agree(line, other):
    """Whether two rows of the table say the same."""
    ours, theirs = ([cell.strip() for cell in each.split("|")] for each in (line, other))
    if len(ours) != len(theirs):
        return False
    for one, two in zip(ours, theirs):
        numbers = [re.fullmatch(r"(\d+)( %)?", cell) for cell in (one, two)]
        if not all(numbers):
            if one != two:
                return False
            continue
        a, b = (int(number[1]) for number in numbers)
        if abs(a - b) > (POINTS if numbers[0][2] else TOLERANCE * max(a, b)):
            return False
    return True


def get_rows(options, name, folder, chip, *flags):
    ptx = subprocess.run([options.fuse_run, PROGRAM, "--function", name, "--target", "cuda", "--chip", chip,
                          "--dump-after", "ptx", *flags], capture_output=True, text=True, check=True).stdout
    modules = ["//\n" + part for part in re.split(r"(?m)^//\n// Generated by LLVM[^\n]*\n", ptx)[1:]]
    for index, module in enumerate(modules):
        figures, error = assemble(options.ptxas, module, chip, folder)
        if error:
            sys.exit(f"{name}: {error}")
        text = subprocess.run([options.nvdisasm, "-c", folder / "kernel.cubin"], capture_output=True, text=True,
                              check=True).stdout
        code = Code(text)
        spilled = figures.get("spill stores", 0) + figures.get("spill loads", 0) + len(code.of("STL", "LDL"))
        loop = code.innermost()
        products = f"{100 * count_products(loop) / len(loop):.0f} %" if count_products(loop) else "–"
        label = f"{name}, {index + 1}" if len(modules) > 1 else name
        yield spilled, (f"| `{label}` | {figures['registers']} | {len(code.instructions)} | "
                        f"{describe(code.of('LDG', 'LDGSTS'))} | {describe(code.of('STG'))} | {len(loop) or '–'} | "
                        f"{products} |{f' {get_cycle_part(loop)} |' if chip == 'sm_90a' else ''}\n")


def make_table(options, chip, head, spilling):
    """The table of a chip. Rows of kernels that spill are added to `spilling`."""
    table = head + "\n" + "|---" * (head.count("|") - 1) + "|\n"
    with tempfile.TemporaryDirectory() as folder:
        for words, name in FUNCTION.findall(PROGRAM.read_text()):
            is_tensor = "tensor" in words.split()
            if options.only not in name:
                continue
            for spilled, row in get_rows(options, name, pathlib.Path(folder), chip):
                table += row
                spilling += [f"{chip} {row}"] if spilled else []
            if is_tensor and not options.write:
                flag = "--no-async-copies"
                spilling += [f"{chip} {flag} {row}"
                             for spilled, row in get_rows(options, name, pathlib.Path(folder), chip, flag) if spilled]
    return table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fuse_run")
    parser.add_argument("doc", type=pathlib.Path)
    parser.add_argument("--cuda-home", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.ptxas, options.nvdisasm = (str(pathlib.Path(options.cuda_home, "bin", tool)) for tool in ("ptxas", "nvdisasm"))
    failed = False
    for chip, begin, head in TABLES:
        spilling = []
        table = make_table(options, chip, head, spilling)
        text = options.doc.read_text()
        before, _, rest = text.partition(begin + "\n")
        found, _, after = rest.partition(END)
        if options.write:
            options.doc.write_text(before + begin + "\n" + table + END + after)
            continue
        for row in spilling:
            print(f"spills: {row}", end="")
        failed |= bool(spilling)
        if options.only:
            print(table)
            continue
        wanted, seen = found.splitlines(), table.splitlines()
        faults = [(line, other) for line, other in zip(wanted, seen) if not agree(line, other)]
        for line, other in faults:
            print(f"documented: {line}\nfound:      {other}")
        if len(wanted) != len(seen):
            print(f"expected {len(wanted) - 2} kernels")
        print(f"{chip}: {len(seen) - 2} kernels")
        failed |= bool(faults) or len(wanted) != len(seen) or len(seen) < 3
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
