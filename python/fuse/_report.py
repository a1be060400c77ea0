# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program says of its kernels, as objects, as text for a terminal and as HTML for a notebook."""
import html
import os
import statistics
from collections.abc import Callable, Iterable
from typing import Any


class _Record:
    """A dict whose entries are attributes."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._data[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no '{name}': it has {', '.join(self._data)}") from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._data]

    def to_dict(self) -> dict[str, Any]:
        """As docs/report.schema.json describes it."""
        return self._data


class Kernel(_Record):
    """A launch: id, label, ops, locations, traffic_bytes, memory_saved_bytes, predicted_ms, …"""

    def __repr__(self) -> str:
        return f"<kernel {self.id}: {self.label}, {' '.join(self.ops)}>"


class Refusal(_Record):
    """A merge that was not made: producer, consumer, location, reason, gain_ns, needs, kind."""

    def __str__(self) -> str:
        gain = f" (would gain {self.gain_ns / 1000:.3g} us)" if self.gain_ns else ""
        needs = f"; needs: {self.needs}" if self.needs else ""
        return f"{self.producer} and {self.consumer} at {self.location}: {self.reason}{gain}{needs}"

    __repr__ = __str__


class Variant(_Record):
    """Code for calls of certain sizes: name, sizes, kernels, predicted_ms, open_ms."""


class FunctionReport(_Record):
    """One function: name, original_kernels, fused_kernels, memory_saved_bytes, summary, before, after, kernels, refused."""

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(data)
        self.kernels = [Kernel(each) for each in data["kernels"]]
        self.refused = [Refusal(each) for each in data["refused"]]
        self.variants = [Variant(each) for each in data.get("variants", [])]


class _Table:
    """Rows of text below a head; numbers stand to the right."""

    def __init__(self, head: list[str], rows: list[list[Any]]) -> None:
        self.head, self.rows = head, [["" if cell is None else cell for cell in row] for row in rows]

    @staticmethod
    def _text(cell: Any) -> str:
        return f"{cell:.4g}" if isinstance(cell, float) else str(cell)

    def to_text(self) -> str:
        cells = [self.head] + [[self._text(cell) for cell in row] for row in self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.head))]
        is_number = [all(isinstance(row[i], (int, float)) or row[i] == "" for row in self.rows) for i in range(len(self.head))]
        lines = []
        for row in cells:
            parts = [cell.rjust(width) if right else cell.ljust(width)
                     for cell, width, right in zip(row, widths, is_number)]
            lines.append("  ".join(parts).rstrip())
        return "\n".join(lines)

    def to_html(self) -> str:
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in self.head)
        body = "".join("<tr>" + "".join(
            f"<td{' style=text-align:right' if isinstance(cell, (int, float)) else ''}>{html.escape(self._text(cell))}</td>"
            for cell in row) + "</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Report:
    """The kernels of a program, what they cost, and what was not fused. Printed as a table; the same as HTML in a notebook."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self.functions = [FunctionReport(each) for each in data["functions"]]

    @property
    def function(self) -> FunctionReport:
        """The one that is called."""
        return self.functions[0]

    @property
    def kernels(self) -> list[Kernel]:
        """Of the function that is called, in the order of their launches."""
        return self.function.kernels

    @property
    def refused(self) -> list[Refusal]:
        return self.function.refused

    @property
    def summary(self) -> str:
        return self.function.summary

    def to_dict(self) -> dict[str, Any]:
        """As docs/report.schema.json describes it."""
        return self._data

    def _table(self, function: FunctionReport) -> _Table:
        rows = [[kernel.id, kernel.label, kernel.predicted_ms, round(kernel.traffic_bytes / 1024, 1),
                 round(kernel.memory_saved_bytes / 1024, 1), ", ".join(kernel.ops)] for kernel in function.kernels]
        return _Table(["kernel", "label", "predicted ms", "traffic KB", "saved KB", "ops"], rows)

    def __str__(self) -> str:
        parts = []
        for function in self.functions:
            parts.append(f"@{function.name}\n{function.summary}\n{self._table(function).to_text()}")
            parts += [f"calls of {each.sizes} run @{each.name}" for each in function.variants]
        return "\n\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(f"<h4>@{html.escape(function.name)}</h4><p>{html.escape(function.summary)}</p>"
                       + self._table(function).to_html() for function in self.functions)


class Explanation:
    """Why the kernels hold what they hold. `kernels`, `refused` and `messages` are the parts; printed as text."""

    def __init__(self, report: Report, listing: str, messages: list[dict[str, Any]]) -> None:
        self.kernels, self.refused = report.kernels, report.refused
        self.listing = listing  # which node went to which kernel
        self.messages = [each for each in messages if each["severity"] == "remark"]
        self._summary = report.summary

    def __str__(self) -> str:
        lines = [self._summary, "", self.listing.rstrip()] if self.listing else [self._summary]
        if not self.listing:
            lines += [f"kernel {kernel.id} ({kernel.label}): {', '.join(kernel.ops)}" for kernel in self.kernels]
        if self.refused:
            lines += ["", "not fused:"] + [f"  {refusal}" for refusal in self.refused]
        if self.messages:
            lines += ["", "decisions:"] + [f"  {_place(each)}{each['text']}" for each in self.messages]
        return "\n".join(lines)

    __repr__ = __str__


def _place(message: dict[str, Any]) -> str:
    if message["nodes"]:
        return f"{', '.join(message['nodes'])}: "
    return f"{message['file']}:{message['line']}:{message['column']}: " if message["line"] else ""


class Graph:
    """The kernels as a picture: `svg`, `html` (a page that is searched and zoomed) and `dot` (for Graphviz)."""

    _SVG, _PAGE, _DOT = 6, 7, 5

    def __init__(self, get_text: Callable[[int], str]) -> None:
        self._get_text = get_text
        get_text(self._DOT)  # raises for programs that have none

    @property
    def svg(self) -> str:
        return self._get_text(self._SVG)

    @property
    def html(self) -> str:
        return self._get_text(self._PAGE)

    @property
    def dot(self) -> str:
        return self._get_text(self._DOT)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike) -> None:
        """Writes .svg, .html or .dot, as the name says."""
        name = os.fspath(path)
        texts = {".svg": "svg", ".html": "html", ".dot": "dot"}
        extension = os.path.splitext(name)[1]
        if extension not in texts:
            raise ValueError(f"expected a name that ends in .svg, .html or .dot, found '{name}'")
        with open(name, "w", encoding="utf-8") as file:
            file.write(getattr(self, texts[extension]))

    def __repr__(self) -> str:
        return "<fuse.Graph: shown in a notebook; elsewhere .save('graph.html')>"


class Profile:
    """How long runs and their kernels took. `run_ms` is the median of whole runs, `kernels` has a dict for each launch."""

    def __init__(self, report: Report, runs: list[tuple[float, list[tuple]]]) -> None:
        self.runs = len(runs)
        self.run_ms = statistics.median(seconds * 1e3 for seconds, _ in runs)
        launches = [[event for event in events if event[0] != "copy"] for _, events in runs]
        # Of a straight program the launches are the report's kernels, one for one.
        is_straight = all(len(each) == len(report.kernels) for each in launches)
        if is_straight:
            names = [(kernel.id, kernel.label, ", ".join(kernel.ops)) for kernel in report.kernels]
            columns = [[each[i] for each in launches] for i in range(len(names))]
        else:
            known = sorted({event[1] for each in launches for event in each})
            names = [(None, "", name) for name in known]
            columns = [[event for each in launches for event in each if event[1] == name] for name in known]
        self.kernels = []
        for (number, label, ops), events in zip(names, columns):
            times = [(event[4] - event[3]) * 1e-6 for event in events]
            self.kernels.append({"kernel": number, "label": label, "ops": ops, "ms": statistics.median(times),
                                 "least_ms": min(times), "launches": len(times) / max(self.runs, 1)})

    def _table(self) -> _Table:
        total = self.run_ms or 1
        rows = [[each["kernel"], each["label"], each["ms"], round(100 * each["ms"] * each["launches"] / total, 1), each["ops"]]
                for each in sorted(self.kernels, key=lambda each: -each["ms"] * each["launches"])]
        return _Table(["kernel", "label", "ms", "% of run", "ops"], rows)

    def __str__(self) -> str:
        return f"run: median {self.run_ms:.3f} ms of {self.runs}\n{self._table().to_text()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>run: median {self.run_ms:.3f} ms of {self.runs}</p>" + self._table().to_html()
